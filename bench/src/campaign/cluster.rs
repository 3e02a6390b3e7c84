//! The nodes, their database with its replica, and what stands between them.
//!
//! Must never decide what fails when; it does what it is told, and can put right again what it has broken.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engross_testkit::object_storage::ObjectStorage;
use engross_testkit::postgres::PostgresServer;
use tokio::runtime::Runtime;

use super::ledger::lock;
use super::memory::MemoryGroup;
use super::namespaces::{Apart, Loss, Network};
use super::proxy::{Link, Proxy, Target};
use crate::faults::disk::Disk;
use crate::faults::server::{Server, TOKEN, failed, read_file};
use crate::{Error, Result};

/// Where Debian, Fedora and Homebrew have the library that shows a program another time.
const FAKETIME: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
];

/// The port of nodes that have an address of their own.
const PORT: u16 = 18_789;

/// The file in a folder for data that has the keys of owners.
const KEYS: &str = "keys.json";

/// How long a node may take to end by itself.
const DRAIN: Duration = Duration::from_secs(30);

/// How many of the last lines of a node that ended are shown.
const LAST_LINES: usize = 30;

/// The size of a disk that is not full.
const ROOM: &str = "8g";

/// What of the system is put around nodes, besides what always is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings {
    /// The shared folders are on a disk that can be full.
    pub(super) disk: bool,
    /// Each node is in a group whose memory can be limited.
    pub(super) memory: bool,
    /// Each node has a network of its own.
    pub(super) network: bool,
    /// Each node has folders of its own, and all have object storage.
    pub(super) storage: bool,
}

/// A node, which keeps its address over restarts.
pub(super) struct Node {
    folder: PathBuf,
    proxy: Proxy,
    /// There while it is to run.
    server: Option<Server>,
    /// Where each of its processes so far has said what it did, the last one last.
    logs: Vec<PathBuf>,
    pub(super) address: SocketAddr,
    /// Says by how many seconds its clock is wrong; none where no library can show it another time.
    clock: Option<PathBuf>,
    /// Where its memory is limited.
    memory: Option<MemoryGroup>,
    /// Whether it is limited at present, so that the system may kill it.
    is_short: bool,
}

/// A database, and the one that follows it.
pub(super) struct Database {
    primary: PostgresServer,
    replica: Option<PostgresServer>,
    target: Arc<Mutex<PathBuf>>,
}

/// All of it.
pub(super) struct Cluster {
    pub(super) nodes: Vec<Node>,
    pub(super) database: Database,
    engine: PathBuf,
    model: SocketAddr,
    /// The way to the model, where nodes have a network of their own.
    _way: Option<Proxy>,
    /// Object storage, and the way of all nodes to it.
    storage: Option<(ObjectStorage, Proxy)>,
    /// The folder that all nodes have.
    shared: PathBuf,
    /// The file with the keys of owners; none where there is the default owner alone.
    keys: Option<PathBuf>,
    /// What stands for each owner in a request, the default one first.
    pub(super) callers: Vec<String>,
    // Behind the nodes, which are in them.
    disk: Option<Disk>,
    network: Option<Network>,
    // Last, so that what runs on it ends first.
    _runtime: Runtime,
}

impl Cluster {
    /// Starts so many nodes on one database, for so many owners; `None` where there is no database.
    pub(super) fn start(
        folder: &Path,
        engine: &Path,
        model: SocketAddr,
        (nodes, owners): (usize, usize),
        around: Surroundings,
    ) -> Result<Option<Self>> {
        let Some(primary) = PostgresServer::start() else { return Ok(None) };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| failed(format!("no runtime: {error}")))?;
        let target = Arc::new(Mutex::new(primary.socket()));
        let library = FAKETIME.iter().find(|library| Path::new(library).exists());
        let network = around.network.then(|| Network::lay(nodes)).transpose()?;
        let here = network.as_ref().map_or(Ipv4Addr::LOCALHOST.into(), Network::here);
        let way = match &network {
            Some(_) => Some(Proxy::start(runtime.handle(), here, Target::Server(model))?),
            None => None,
        };
        let model = way.as_ref().map_or(model, |way| way.address);
        let storage = match around.storage {
            true => {
                let storage = ObjectStorage::start();
                let storage = storage.ok_or_else(|| failed("there is no moto_server: install it"))?;
                let way = Proxy::start(runtime.handle(), here, Target::Server(storage.address()))?;
                Some((storage, way))
            }
            false => None,
        };
        let place = folder.join("shared");
        std::fs::create_dir_all(&place).map_err(Error::file(&place))?;
        let disk = match around.disk {
            true => Some(Disk::mount(&place, ROOM).ok_or_else(|| failed("no disk can be mounted here"))?),
            false => None,
        };
        for shared in ["shared/data", "shared/root"] {
            let shared = folder.join(shared);
            std::fs::create_dir_all(&shared).map_err(Error::file(&shared))?;
        }
        let mut callers = vec![TOKEN.to_owned()];
        let place_of_keys = folder.join("keys");
        for number in 1..owners {
            callers.push(add_key(engine, &place_of_keys, &format!("owner-{number}"))?);
        }
        let keys = (owners > 1).then(|| place_of_keys.join(KEYS));
        let mut made = Vec::new();
        for number in 0..nodes {
            let folder = folder.join(format!("node-{number}"));
            std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
            write(&folder.join("config.toml"), &format!("[serve]\ntoken = \"{TOKEN}\"\n"))?;
            let clock = library.map(|_| folder.join("clock"));
            if let Some(clock) = &clock {
                write(clock, "+0")?;
            }
            let proxy = Proxy::start(runtime.handle(), here, Target::Database(Arc::clone(&target)))?;
            let address = match &network {
                Some(network) => SocketAddr::new(network.address(number), PORT),
                None => free_address(here)?,
            };
            let group = format!("engross-campaign-{}-{number}", std::process::id());
            let no_group = || failed("nobody may make a control group with a limit of memory here");
            let memory = around.memory.then(|| MemoryGroup::make(&group).ok_or_else(no_group)).transpose()?;
            let (server, logs, is_short) = (None, Vec::new(), false);
            made.push(Node { folder, proxy, server, logs, address, clock, memory, is_short });
        }
        let mut database = Database { primary, replica: None, target };
        database.follow()?;
        let mut cluster = Self {
            nodes: made,
            database,
            engine: engine.to_owned(),
            model,
            _way: way,
            storage,
            shared: place,
            keys,
            callers,
            disk,
            network,
            _runtime: runtime,
        };
        for node in 0..nodes {
            cluster.start_node(node)?;
        }
        Ok(Some(cluster))
    }

    /// The program of nodes that are started from now on.
    pub(super) fn use_engine(&mut self, engine: &Path) {
        engine.clone_into(&mut self.engine);
    }

    /// Starts a node at its address.
    pub(super) fn start_node(&mut self, number: usize) -> Result<()> {
        let node = &mut self.nodes[number];
        // Each part is replaced by the next, so that the process stays the same.
        let mut words: Vec<String> = Vec::new();
        if let Some(memory) = &node.memory {
            let enter = format!("echo $$ > {} && exec \"$@\"", memory.entrance().display());
            words.extend(["sh", "-c", &enter, "sh"].map(str::to_owned));
        }
        words.extend(self.network.as_ref().map(|network| network.entry(number)).unwrap_or_default());
        words.push(self.engine.display().to_string());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args([
            "serve",
            "--listen",
            &node.address.to_string(),
            "--store",
            &node.proxy.url(),
        ]);
        let folders = match &self.storage {
            Some((storage, way)) => {
                command.args(["--local-folders", "--blobs", "s3://bucket/campaign"]);
                command.envs(storage.environment());
                command.env("AWS_ENDPOINT_URL", format!("http://{}", way.address));
                // One for all, as an operator is told.
                command.env("ENGROSS_SIGNING_SECRET", "that of a campaign, which nobody else has");
                node.disk()
            }
            None => self.shared.clone(),
        };
        let data = folders.join("data");
        if let Some(keys) = &self.keys {
            // A disk that was lost had them, too.
            let file = data.join(KEYS);
            std::fs::create_dir_all(&data).map_err(Error::file(&data))?;
            copy(keys, &file)?;
        }
        command.arg("--data").arg(data).arg("--root").arg(folders.join("root"));
        command.arg("--node-address").arg(format!("http://{}", node.address));
        command.args(["--model", &format!("openai-compatible:http://{}/v1#scripted", self.model)]);
        let library = FAKETIME.iter().find(|library| Path::new(library).exists());
        if let (Some(clock), Some(library)) = (&node.clock, library) {
            command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", clock);
            command.env("FAKETIME_CACHE_DURATION", "1").env("DONT_FAKE_MONOTONIC", "1");
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        command.env("RUST_BACKTRACE", "1").env("ENGROSS_LOG", "warn,engross_compose=info");
        let log = node.folder.join(format!("said-{}.log", node.logs.len()));
        node.logs.push(log.clone());
        node.server = Some(Server::start_logged(command, &node.folder, &log)?);
        Ok(())
    }

    /// How many homes nodes have given to one that had fewer.
    pub(super) fn homes_given(&self) -> usize {
        let logs = self.nodes.iter().flat_map(|node| &node.logs);
        logs.map(|log| read_file(log).matches("is given to a node that has fewer").count()).sum()
    }

    /// How the way of all nodes to the object storage is from now on.
    pub(super) fn link_storage(&self, link: Link) {
        if let Some((_, way)) = &self.storage {
            way.set(link);
        }
    }

    /// Has the shared disk be full, or have room again.
    pub(super) fn fill(&self, is_full: bool) -> Result<()> {
        let Some(disk) = &self.disk else { return Ok(()) };
        if !is_full {
            return if disk.resize(ROOM) { Ok(()) } else { Err(failed("the disk has no room again")) };
        }
        // More may come on it between the look and the end.
        for _ in 0..50 {
            let used = disk.used().ok_or_else(|| failed("nobody says what is on the disk"))?;
            if disk.resize(&format!("{}k", used + 256)) {
                return Ok(());
            }
        }
        Err(failed("the disk cannot be filled"))
    }

    /// Has a node cut off in its network.
    pub(super) fn part(&self, node: usize, apart: Apart, loss: Loss) -> Result<()> {
        let port = self.nodes[node].proxy.address.port();
        self.network
            .as_ref()
            .map_or(Ok(()), |network| network.part(node, apart, loss, port, self.model.port()))
    }

    /// Has a node reached again in its network.
    pub(super) fn join(&self, node: usize) -> Result<()> {
        self.network.as_ref().map_or(Ok(()), |network| network.join(node))
    }

    /// The nodes that have ended and were not told to, each with how, and with what it said last.
    pub(super) fn dead(&mut self) -> Vec<String> {
        self.nodes.iter_mut().enumerate().filter_map(|(number, node)| node.death(number)).collect()
    }

    /// Where panics stand in what nodes have said, with the lines behind them.
    pub(super) fn panics(&self) -> Vec<String> {
        let logs = self.nodes.iter().flat_map(|node| &node.logs);
        logs.filter_map(|log| Some(format!("{}:\n{}", log.display(), panic_in(&read_file(log))?))).collect()
    }
}

/// The lines from the first panic on, if there is one in what a node said.
pub(super) fn panic_in(said: &str) -> Option<String> {
    let lines: Vec<&str> = said.lines().collect();
    let first = lines.iter().position(|line| line.contains("panicked at"))?;
    Some(lines[first..].iter().take(LAST_LINES).copied().collect::<Vec<_>>().join("\n"))
}

/// How a process ended, and what it said last.
pub(super) fn end_of(end: ExitStatus, log: &Path) -> String {
    format!("{end}; the last lines of {}:\n{}", log.display(), last_lines(&read_file(log)))
}

/// The last lines of what a node said.
fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

impl Node {
    /// SIGKILL.
    pub(super) fn kill(&mut self) {
        self.server = None;
    }

    /// Where its own folders are, if it has such.
    fn disk(&self) -> PathBuf {
        self.folder.join("disk")
    }

    /// Loses its own folders. It must not run.
    pub(super) fn lose_disk(&self) -> Result<()> {
        let disk = self.disk();
        match std::fs::remove_dir_all(&disk) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::file(&disk)(error)),
            _ => Ok(()),
        }
    }

    /// SIGTERM; waits for the end, which must come.
    pub(super) fn drain(&mut self) -> Result<()> {
        let Some(server) = &mut self.server else { return Ok(()) };
        server.signal("TERM")?;
        if !server.ends_within(DRAIN) {
            return Err(failed(format!("a node did not end within {} s of SIGTERM", DRAIN.as_secs())));
        }
        match server.end() {
            Some(end) if !end.success() => {
                let told = self.logs.last().map(|log| end_of(end, log)).unwrap_or_default();
                Err(failed(format!("a node was drained and ended with {told}")))
            }
            _ => {
                self.server = None;
                Ok(())
            }
        }
    }

    /// How it has ended, if it is to run and does not.
    fn death(&mut self, number: usize) -> Option<String> {
        if self.is_short {
            return None;
        }
        let end = self.server.as_mut()?.end()?;
        Some(format!("node {number} ended by itself with {}", end_of(end, self.logs.last()?)))
    }

    /// Has its process stand still, or go on.
    pub(super) fn freeze(&self, is_still: bool) -> Result<()> {
        self.server.as_ref().map_or(Ok(()), |server| server.signal(if is_still { "STOP" } else { "CONT" }))
    }

    /// Lets it have only so many KiB of memory more than it has.
    pub(super) fn tighten(&mut self, more: u64) -> Result<()> {
        self.is_short = self.memory.is_some();
        self.memory.as_ref().map_or(Ok(()), |memory| memory.tighten(more))
    }

    /// Lets it have the memory that it wants. Whether the system has killed it meanwhile, and it is to be started again.
    pub(super) fn loosen(&mut self) -> Result<bool> {
        self.memory.as_ref().map_or(Ok(()), MemoryGroup::loosen)?;
        let end = self.server.as_mut().and_then(Server::end);
        let is_killed = end.is_some_and(|end| end.signal() == Some(9));
        if is_killed {
            self.server = None;
        }
        // Whatever else has ended it is told as its death.
        self.is_short = false;
        Ok(is_killed)
    }

    /// How its way to the database is from now on.
    pub(super) fn link(&self, link: Link) {
        self.proxy.set(link);
    }

    /// Whether its clock can be set.
    pub(super) fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// Sets its clock, so many seconds from the right time.
    pub(super) fn set_clock(&self, seconds: i64) -> Result<()> {
        self.clock.as_ref().map_or(Ok(()), |clock| write(clock, &format!("{seconds:+}")))
    }

    /// Its memory and its open files: MiB, number.
    pub(super) fn weight(&self) -> (u64, usize) {
        let process = self.server.as_ref().map_or(0, Server::process);
        let status = read(&PathBuf::from(format!("/proc/{process}/status")));
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: u64 = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        let open = std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count);
        (kib >> 10, open)
    }
}

impl Database {
    /// Has another one follow, to which each write goes before it is acknowledged.
    fn follow(&mut self) -> Result<()> {
        let replica = self.primary.replica().ok_or_else(|| failed("there is no replica"))?;
        self.replica = Some(replica);
        set(&self.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    }

    /// Kills it and starts it again.
    pub(super) fn restart(&mut self, pause: Duration) {
        self.primary.kill();
        std::thread::sleep(pause);
        self.primary.restart();
    }

    /// Kills it, has its replica take over, and makes another replica.
    pub(super) fn fail_over(&mut self) -> Result<()> {
        let mut next = self.replica.take().ok_or_else(|| failed("there is no replica"))?;
        self.primary.kill();
        next.promote();
        // What was acknowledged before is on it; a replica of its own comes a moment later.
        set(&next, "ALTER SYSTEM RESET synchronous_standby_names")?;
        *lock(&self.target) = next.socket();
        self.primary = next;
        self.follow()
    }

    /// Ends all of its connections.
    pub(super) fn end_connections(&self) -> Result<()> {
        let all = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                   WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
        let told = self.primary.psql(all);
        told.parse::<usize>().map(drop).map_err(|_| failed(format!("connections were not ended: {told}")))
    }

    /// What is wrong in its tables: gaps in logs, heads that are not their logs' ends.
    pub(super) fn faults(&self) -> Result<String> {
        let told = self.primary.psql(
            "SELECT (SELECT count(*) FROM engross_sessions s WHERE s.head <> (SELECT count(*) FROM engross_entries e \
             WHERE e.session = s.id) OR s.head <> (SELECT coalesce(max(e.seq), 0) FROM engross_entries e \
             WHERE e.session = s.id)), (SELECT count(*) FROM engross_entries e WHERE NOT EXISTS \
             (SELECT 1 FROM engross_sessions s WHERE s.id = e.session)), \
             (SELECT count(*) FROM engross_sessions), (SELECT count(*) FROM engross_entries), \
             pg_database_size(current_database())",
        );
        let numbers: Vec<&str> = told.split('|').collect();
        let [gaps, orphans, sessions, entries, bytes] = numbers[..] else {
            return Err(failed(format!("the database says: {told}")));
        };
        if gaps != "0" || orphans != "0" {
            return Err(failed(format!("{gaps} logs with gaps, {orphans} entries of no session")));
        }
        let mib = bytes.parse::<u64>().unwrap_or(0) >> 20;
        Ok(format!("{sessions} logs with {entries} entries in the database, none with a gap; {mib} MiB"))
    }
}

/// Changes a setting of a database, and has it read its settings again.
fn set(database: &PostgresServer, command: &str) -> Result<()> {
    let told = [database.psql(command), database.psql("SELECT pg_reload_conf()")];
    if told == ["ALTER SYSTEM", "t"] { Ok(()) } else { Err(failed(format!("{command}: {told:?}"))) }
}

/// Gives an owner a key in a folder for data.
fn add_key(engine: &Path, data: &Path, owner: &str) -> Result<String> {
    let mut command = Command::new(engine);
    command.args(["keys", "add", owner, "--owner", owner, "--right", "write", "--data"]).arg(data);
    let ran = command.env_remove("ENGROSS_TOKEN").output().map_err(Error::file(engine))?;
    match ran.status.success() {
        true => Ok(String::from_utf8_lossy(&ran.stdout).trim().to_owned()),
        false => Err(failed(format!("no key was made: {}", String::from_utf8_lossy(&ran.stderr)))),
    }
}

fn free_address(here: IpAddr) -> Result<SocketAddr> {
    let free = std::net::TcpListener::bind((here, 0)).and_then(|listener| listener.local_addr());
    free.map_err(|error| failed(format!("no port is free: {error}")))
}

#[expect(clippy::disallowed_methods, reason = "a chore writes the settings of what it tries")]
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(Error::file(path))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).map(drop).map_err(Error::file(to))
}

#[expect(clippy::disallowed_methods, reason = "a chore reads how the processes are that it tries")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
