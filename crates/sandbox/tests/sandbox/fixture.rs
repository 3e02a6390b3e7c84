//! A folder to work in, a world outside, and a program that watches.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engross_sandbox::{FenceRules, Quota, Support, VARIABLE, WatchOrder, WatchStage};

/// What nobody inside is to read.
pub(crate) const SECRET: &str = "correct horse battery staple";

/// The program that watches. It is not this one, which has several threads: such a process may have no account of its own.
pub(crate) const WATCHER: &str = env!("CARGO_BIN_EXE_sandbox-watcher");

/// Whether this kernel can do it. Where it cannot, that is said, so that nobody takes a test that did nothing for a proof.
#[expect(clippy::print_stderr, reason = "what was not tried is to be seen")]
pub(crate) fn kernel_can() -> bool {
    let Some(problem) = Support::of_kernel().missing() else { return true };
    eprintln!("NOT TRIED, as this kernel cannot fence anything in: {problem}");
    false
}

/// Somebody else's process, with a secret, open files and a working folder outside.
pub(crate) struct Victim(pub(crate) Child);

pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) victim: Victim,
    pub(crate) server: UnixListener,
    pub(crate) datagrams: UnixDatagram,
    pub(crate) abstract_server: UnixListener,
    before: BTreeMap<PathBuf, String>,
    /// Whether a control group is made where there can be one.
    pub(crate) grouped: bool,
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl World {
    pub(crate) fn new() -> Self {
        use std::os::linux::net::SocketAddrExt as _;
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let outside = top.join("outside");
        for made in ["scope", "home", "outside/empty", "hidden"] {
            std::fs::create_dir_all(top.join(made)).unwrap();
        }
        std::fs::write(outside.join("kept"), "as it was").unwrap();
        std::fs::write(outside.join("other"), "as it was, too").unwrap();
        std::fs::write(top.join("hidden/secret"), SECRET).unwrap();
        std::fs::write(top.join("scope/mine"), "mine").unwrap();
        let victim = Command::new("sleep")
            .arg("1000")
            .env("PASSWORD", SECRET)
            .current_dir(&outside)
            .stdin(std::fs::OpenOptions::new().read(true).write(true).open(outside.join("kept")).unwrap())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let server = UnixListener::bind(top.join("server")).unwrap();
        let datagrams = UnixDatagram::bind(top.join("datagrams")).unwrap();
        let name = std::os::unix::net::SocketAddr::from_abstract_name(top.to_str().unwrap()).unwrap();
        let abstract_server = UnixListener::bind_addr(&name).unwrap();
        server.set_nonblocking(true).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        abstract_server.set_nonblocking(true).unwrap();
        let before = listing(&outside);
        Self { folder, victim: Victim(victim), server, datagrams, abstract_server, before, grouped: true }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn fence(&self) -> FenceRules {
        FenceRules {
            write: vec![self.path("scope"), self.path("home")],
            hide: vec![self.path("hidden")],
            network: true,
        }
    }

    /// Starts `program` beneath one who watches. `marker` stands in its arguments, so that all that comes of it is known.
    pub(crate) fn start(&self, program: &[&str], fence: Option<FenceRules>, quota: Quota) -> Child {
        let order = WatchOrder {
            stage: WatchStage::Watch,
            parent: std::process::id(),
            again: Vec::new(),
            program: program[0].into(),
            arguments: program[1..].iter().map(|&one| one.to_owned()).collect(),
            mark: ("ENGROSS_AGENT".to_owned(), "test.1".to_owned()),
            fence,
            quota,
            grouped: self.grouped,
        };
        Command::new(WATCHER)
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("home"))
            .env(VARIABLE, order.text().unwrap())
            .current_dir(self.path("scope"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs a program of Python to its end, and gives back its exit code and its words.
    pub(crate) fn python(&self, code: &str, fence: Option<FenceRules>, quota: Quota) -> (i32, String) {
        let told = format!(
            "OUT, SCOPE, TOP, VICTIM, MARK = {:?}, {:?}, {:?}, {}, {:?}\n{}\n{code}",
            self.path("outside"),
            self.path("scope"),
            self.path(""),
            self.victim.0.id(),
            self.marker(),
            super::attempts::PRELUDE,
        );
        let child = self.start(&[&python(), "-c", &told, &self.marker()], fence, quota);
        let said = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(!text.contains("cannot be started"), "{text}");
        (said.status.code().unwrap_or_else(|| -said.status.signal().unwrap_or(0)), text)
    }

    /// What stands in the command line of everything that was started here.
    pub(crate) fn marker(&self) -> String {
        format!("of-{}", self.path("").file_name().unwrap().to_str().unwrap())
    }

    /// Processes that were started here and are alive.
    pub(crate) fn left(&self) -> Vec<i32> {
        let marker = self.marker();
        let is_ours = |pid: &i32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).split('\0').any(|word| word == marker) && is_alive(*pid)
        };
        let all = std::fs::read_dir("/proc").unwrap();
        all.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok()).filter(is_ours).collect()
    }

    /// What came of it outside; empty when nothing did.
    pub(crate) fn harm(&mut self) -> Vec<String> {
        let mut harm = Vec::new();
        let now = listing(&self.path("outside"));
        if now != self.before {
            harm.push(format!("outside: {:?} became {now:?}", self.before));
        }
        if self.path("got").exists() || self.path("scope/got").exists() {
            harm.push("it says that it got what it wanted".to_owned());
        }
        for (_, content) in listing(&self.path("scope")) {
            if content.contains(SECRET) {
                harm.push("the secret was read".to_owned());
            }
        }
        if let Some(ended) = self.victim.0.try_wait().unwrap() {
            harm.push(format!("somebody else's process ended: {ended}"));
        } else if state(self.victim.0.id()) != "S" {
            harm.push("somebody else's process was stopped".to_owned());
        }
        let limits =
            std::fs::read_to_string(format!("/proc/{}/limits", self.victim.0.id())).unwrap_or_default();
        if limits.lines().any(|line| line.starts_with("Max open files") && line.contains(" 3 ")) {
            harm.push("somebody else's limits were changed".to_owned());
        }
        if self.server.accept().is_ok() || self.abstract_server.accept().is_ok() {
            harm.push("a service of this machine was called".to_owned());
        }
        if self.datagrams.recv(&mut [0; 16]).is_ok() {
            harm.push("a service of this machine was sent something".to_owned());
        }
        let left = self.left();
        if !left.is_empty() {
            harm.push(format!("{} processes are left", left.len()));
        }
        harm
    }

    /// Ends what is left, which only a process without a fence can leave.
    pub(crate) fn clean_up(&self) {
        for pid in self.left() {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    }
}

/// What is in a folder: names, kinds, modes, owners, times, contents and numbers of links.
fn listing(folder: &Path) -> BTreeMap<PathBuf, String> {
    let about = folder.metadata().unwrap();
    let itself = format!("{:o} {}.{:09}", about.mode(), about.mtime(), about.mtime_nsec());
    let mut found = BTreeMap::from([(folder.to_owned(), itself)]);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let about = path.symlink_metadata().unwrap();
        let is_text = about.is_file() && about.len() < 1 << 20;
        let content = if is_text { std::fs::read(&path).unwrap_or_default() } else { Vec::new() };
        let content = String::from_utf8_lossy(&content).into_owned();
        let links = if about.is_dir() { 0 } else { about.nlink() };
        let told = format!(
            "{:?} {:o} {}:{} {}.{:09} {links} {content}",
            about.file_type(),
            about.mode(),
            about.uid(),
            about.gid(),
            about.mtime(),
            about.mtime_nsec()
        );
        found.insert(path, told);
    }
    found
}

fn state(pid: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let rest = stat.rsplit(')').next().unwrap_or_default();
    rest.split_whitespace().next().unwrap_or_default().to_owned()
}

/// Whether a process is there and is no corpse.
pub(crate) fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with(['Z', 'X']))
}

/// Waits until `done`, as long as a busy machine may take.
pub(crate) fn soon(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < until, "not in a minute: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Python itself, and no script that looks for it by the home folder.
pub(crate) fn python() -> String {
    let found = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    String::from_utf8(found.expect("python3 is needed for this test").stdout).unwrap().trim().to_owned()
}
