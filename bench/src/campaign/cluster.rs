//! The nodes, their database with its replica, and what stands between them.
//!
//! Must never decide what fails when; it does what it is told, and can put right again what it has broken.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engross_testkit::postgres::PostgresServer;
use tokio::runtime::Runtime;

use super::ledger::lock;
use super::proxy::{Link, Proxy, Target};
use crate::faults::server::{Server, failed, read_file};
use crate::{Error, Result};

/// Where Debian, Fedora and Homebrew have the library that shows a program another time.
const FAKETIME: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
];

/// How long a node may take to end by itself.
const DRAIN: Duration = Duration::from_secs(30);

/// How many of the last lines of a node that ended are shown.
const LAST_LINES: usize = 30;

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
}

/// A database, and the one that follows it.
pub(super) struct Database {
    primary: PostgresServer,
    replica: Option<PostgresServer>,
    target: Target,
}

/// All of it.
pub(super) struct Cluster {
    pub(super) nodes: Vec<Node>,
    pub(super) database: Database,
    engine: PathBuf,
    model: String,
    /// The folder that all nodes have.
    shared: PathBuf,
    // Last, so that what runs on it ends first.
    _runtime: Runtime,
}

impl Cluster {
    /// Starts so many nodes on one database; `None` where there is none.
    pub(super) fn start(folder: &Path, engine: &Path, model: &str, nodes: usize) -> Result<Option<Self>> {
        let Some(primary) = PostgresServer::start() else { return Ok(None) };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| failed(format!("no runtime: {error}")))?;
        let target = Arc::new(Mutex::new(primary.socket()));
        let library = FAKETIME.iter().find(|library| Path::new(library).exists());
        for shared in ["shared/data", "shared/root"] {
            let shared = folder.join(shared);
            std::fs::create_dir_all(&shared).map_err(Error::file(&shared))?;
        }
        let mut made = Vec::new();
        for number in 0..nodes {
            let folder = folder.join(format!("node-{number}"));
            std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
            write(&folder.join("config.toml"), "")?;
            let clock = library.map(|_| folder.join("clock"));
            if let Some(clock) = &clock {
                write(clock, "+0")?;
            }
            let proxy = Proxy::start(runtime.handle(), Arc::clone(&target))?;
            let address = free_address()?;
            made.push(Node { folder, proxy, server: None, logs: Vec::new(), address, clock });
        }
        let mut database = Database { primary, replica: None, target };
        database.follow()?;
        let mut cluster = Self {
            nodes: made,
            database,
            engine: engine.to_owned(),
            model: model.to_owned(),
            shared: folder.join("shared"),
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
        let mut command = Command::new(&self.engine);
        command.args(["serve", "--listen", &node.address.to_string(), "--store", &node.proxy.url()]);
        command.arg("--data").arg(self.shared.join("data")).arg("--root").arg(self.shared.join("root"));
        command.arg("--node-address").arg(format!("http://{}", node.address));
        command.args(["--model", &format!("openai-compatible:{}/v1#scripted", self.model)]);
        let library = FAKETIME.iter().find(|library| Path::new(library).exists());
        if let (Some(clock), Some(library)) = (&node.clock, library) {
            command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", clock);
            command.env("FAKETIME_CACHE_DURATION", "1").env("DONT_FAKE_MONOTONIC", "1");
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        command.env("RUST_BACKTRACE", "1");
        let log = node.folder.join(format!("said-{}.log", node.logs.len()));
        node.logs.push(log.clone());
        node.server = Some(Server::start_logged(command, &node.folder, &log)?);
        Ok(())
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
fn panic_in(said: &str) -> Option<String> {
    let lines: Vec<&str> = said.lines().collect();
    let first = lines.iter().position(|line| line.contains("panicked at"))?;
    Some(lines[first..].iter().take(LAST_LINES).copied().collect::<Vec<_>>().join("\n"))
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

    /// SIGTERM; waits for the end, which must come.
    pub(super) fn drain(&mut self) -> Result<()> {
        let Some(server) = &mut self.server else { return Ok(()) };
        server.signal("TERM")?;
        if !server.ends_within(DRAIN) {
            return Err(failed(format!("a node did not end within {} s of SIGTERM", DRAIN.as_secs())));
        }
        match server.end() {
            Some(end) if !end.success() => {
                let said = self.logs.last().map(|log| last_lines(&read_file(log)));
                Err(failed(format!("a node was drained and ended with {end}: {}", said.unwrap_or_default())))
            }
            _ => {
                self.server = None;
                Ok(())
            }
        }
    }

    /// How it has ended, if it is to run and does not.
    fn death(&mut self, number: usize) -> Option<String> {
        let end = self.server.as_mut()?.end()?;
        let log = self.logs.last()?;
        Some(format!(
            "node {number} ended by itself with {end}; the last lines of {}:\n{}",
            log.display(),
            last_lines(&read_file(log))
        ))
    }

    /// Has its process stand still, or go on.
    pub(super) fn freeze(&self, is_still: bool) -> Result<()> {
        self.server.as_ref().map_or(Ok(()), |server| server.signal(if is_still { "STOP" } else { "CONT" }))
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

fn free_address() -> Result<SocketAddr> {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    free.map_err(|error| failed(format!("no port is free: {error}")))
}

#[expect(clippy::disallowed_methods, reason = "a chore writes the settings of what it tries")]
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(Error::file(path))
}

#[expect(clippy::disallowed_methods, reason = "a chore reads how the processes are that it tries")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
