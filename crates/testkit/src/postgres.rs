//! A Postgres server for tests, which ends with the process that started it, however that ends.
//!
//! A shell stands between: it starts the server, kills it and starts it again on command, and takes everything down when
//! its standard input closes. Must never need a port or a password: the server listens on a private Unix socket.
#![expect(clippy::unwrap_used, reason = "a server that cannot be started fails the test")]

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::setting;

/// $1 is the folder with the programs, $2 the one for the server, $3 that of the server it is to be a replica of.
const KEEPER: &str = r#"
cd "$2" || exit 1
if [ -n "$3" ]; then
    "$1/pg_basebackup" -h "$3" -U engross -D data -R -X stream -c fast --no-sync >initdb.log 2>&1 || exit 1
else
    "$1/initdb" -D data -U engross -A trust -E UTF8 --locale=C --no-sync >initdb.log 2>&1 || exit 1
fi
start() {
    # After a kill the old server's processes may still be going.
    until "$1/pg_ctl" -D data -W start -l server.log \
        -o "-k $2 -c listen_addresses='' -c max_connections=200 -c shared_buffers=16MB -c wal_retrieve_retry_interval=100ms" >start.log 2>&1
    do sleep 0.05; done
}
start "$1" "$2"
while read -r word; do
    case "$word" in
        kill) kill -9 "$(head -n 1 data/postmaster.pid)"; while [ -e data/postmaster.pid ] \
            && kill -0 "$(head -n 1 data/postmaster.pid)" 2>/dev/null; do sleep 0.01; done ;;
        start) start "$1" "$2" ;;
        promote) "$1/pg_ctl" -D data -w promote >>start.log 2>&1 ;;
    esac
done
"$1/pg_ctl" -D data -m immediate stop >/dev/null 2>&1
rm -rf "$2"
"#;

/// How long a server may take to come up on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The address of a server that the tests of this process share; `None`, told on standard error, when there is none.
///
/// `ENGROSS_TEST_POSTGRES` names one that runs already. Where `ENGROSS_REQUIRE` holds `postgres` there must be one.
#[must_use]
pub fn shared() -> Option<&'static str> {
    static SHARED: OnceLock<(Option<PostgresServer>, Option<String>)> = OnceLock::new();
    let (_, url) = SHARED.get_or_init(|| {
        let given = setting("ENGROSS_TEST_POSTGRES");
        let server = if given.is_some() { None } else { PostgresServer::start() };
        let url = given.or_else(|| server.as_ref().map(PostgresServer::url));
        (server, url)
    });
    if url.is_none() {
        skip();
    }
    url.as_deref()
}

/// Tells that a test is skipped, or fails it where it is required.
pub fn skip() {
    let required = setting("ENGROSS_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(',').any(|part| part.trim() == "postgres"),
        "postgres is required, but not there"
    );
    let mut error = std::io::stderr();
    writeln!(error, "skipped: postgres is not there; install it, or name a server in ENGROSS_TEST_POSTGRES")
        .unwrap();
}

/// A server of this process's own.
#[derive(Debug)]
pub struct PostgresServer {
    folder: PathBuf,
    keeper: Child,
    /// The process that was killed last: its file stays, and says that it is ready.
    killed: Option<String>,
}

impl PostgresServer {
    /// Starts one with the programs of the system; `None` when there are none.
    #[must_use]
    pub fn start() -> Option<Self> {
        Self::begin(None)
    }

    /// Starts a replica of this one, which follows it until [`Self::promote`].
    #[must_use]
    pub fn replica(&self) -> Option<Self> {
        Self::begin(Some(&self.folder))
    }

    fn begin(primary: Option<&Path>) -> Option<Self> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let programs = programs()?;
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("engross-postgres-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        let mut command = Command::new("sh");
        command.arg("-c").arg(KEEPER).arg("keeper").arg(programs).arg(&folder);
        command.arg(primary.unwrap_or(Path::new("")));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // The programs refuse to be run by root.
        if number_of("-u", None) == Some(0) {
            let (user, group) =
                (number_of("-u", Some("nobody")).unwrap(), number_of("-g", Some("nobody")).unwrap());
            chown(&folder, Some(user), Some(group)).unwrap();
            command.uid(user).gid(group);
        }
        // A group of its own, so that an interrupt from the keyboard leaves it to clean up.
        let keeper = command.process_group(0).spawn().unwrap();
        let mut server = Self { folder, keeper, killed: None };
        server.wait_until_ready();
        Some(server)
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> String {
        let folder = self.folder.to_str().unwrap().replace('/', "%2F");
        format!("postgres://engross@{folder}/postgres")
    }

    /// The Unix socket that it listens at.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
    }

    /// What `psql` prints for a command.
    #[must_use]
    pub fn psql(&self, command: &str) -> String {
        let program = programs().unwrap().join("psql");
        let mut asked = Command::new(program);
        asked
            .args(["-X", "-A", "-t", "-U", "engross", "-d", "postgres", "-c", command, "-h"])
            .arg(&self.folder);
        let output = asked.output().unwrap();
        let told =
            String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
        told.trim().to_owned()
    }

    /// CPU time of all its processes so far, in steps of 10 ms; those of ended connections count. Linux only.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        let first = state(&self.folder).into_iter().next().unwrap_or_default();
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ticks = processes.map(|process| ticks(&process.path().join("stat"), &first)).sum::<u64>();
        Duration::from_millis(10 * ticks)
    }

    /// Makes a replica a server of its own.
    pub fn promote(&mut self) {
        self.tell("promote");
        let folder = self.folder.clone();
        wait(|| state(&folder).get(7).is_some_and(|line| line.trim() == "ready"), &folder);
    }

    /// Kills it with SIGKILL.
    pub fn kill(&mut self) {
        let process = state(&self.folder).swap_remove(0);
        self.killed = Some(process.clone());
        self.tell("kill");
        let ended = || {
            let alive = Command::new("kill").args(["-0", &process]).stderr(Stdio::null()).status();
            !alive.unwrap().success()
        };
        wait(ended, &self.folder);
    }

    /// Starts it again after [`Self::kill`].
    pub fn restart(&mut self) {
        self.tell("start");
        self.wait_until_ready();
    }

    fn tell(&mut self, word: &str) {
        writeln!(self.keeper.stdin.as_mut().unwrap(), "{word}").unwrap();
    }

    fn wait_until_ready(&mut self) {
        let folder = self.folder.clone();
        wait(
            || {
                assert!(self.keeper.try_wait().unwrap().is_none(), "no server: {}", logs(&folder));
                // The server's own word for it stands in the eighth line.
                let state = state(&folder);
                state.first() != self.killed.as_ref()
                    && state.get(7).is_some_and(|line| ["ready", "standby"].contains(&line.trim()))
            },
            &folder,
        );
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        drop(self.keeper.wait());
    }
}

/// The folder with the server's programs.
fn programs() -> Option<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut installed: Vec<PathBuf> = installed.flatten().map(|entry| entry.path().join("bin")).collect();
    installed.sort();
    let path = path();
    let on_path = std::env::split_paths(&path);
    let complete =
        |folder: &PathBuf| ["initdb", "pg_ctl", "postgres"].iter().all(|name| folder.join(name).exists());
    installed.into_iter().rev().chain(on_path).find(complete)
}

#[expect(clippy::disallowed_methods, reason = "the test looks for programs")]
fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// What `id` says of the user.
pub(crate) fn number_of(what: &str, user: Option<&str>) -> Option<u32> {
    let output = Command::new("id").arg(what).args(user).output().ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// The ticks of a process that is `first` or its child, and for `first` those of its children that have ended, too.
#[expect(clippy::disallowed_methods, reason = "the test reads what the system tells of a process")]
fn ticks(stat: &Path, first: &str) -> u64 {
    let text = std::fs::read_to_string(stat).unwrap_or_default();
    let Some((number, rest)) = text.split_once(' ') else { return 0 };
    // The name stands in brackets and may hold anything; behind it come state, parent, and as the 12th to the 15th the times.
    let fields: Vec<&str> = rest.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let taken = match (number == first, fields.get(1) == Some(&first)) {
        (true, _) => 4,
        (_, true) => 2,
        _ => return 0,
    };
    fields.iter().skip(11).take(taken).filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// The lines in which the server says how it is.
#[expect(clippy::disallowed_methods, reason = "the test reads the server's file")]
fn state(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("data/postmaster.pid")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[expect(clippy::disallowed_methods, reason = "the test reads the server's logs")]
fn logs(folder: &Path) -> String {
    let read = |name| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    ["initdb.log", "start.log", "server.log"].map(read).concat()
}

fn wait(mut done: impl FnMut() -> bool, folder: &Path) {
    let since = Instant::now();
    while !done() {
        assert!(since.elapsed() < PATIENCE, "the server does not answer: {}", logs(folder));
        std::thread::sleep(Duration::from_millis(10));
    }
}
