//! A pgbouncer before a Postgres server of the tests, which gives each transaction another connection.
//!
//! Must never outlive the process that started it: a shell stands between and ends it when its standard input closes.
#![expect(clippy::unwrap_used, reason = "a pooler that cannot be started fails the test")]

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::postgres::{PostgresServer, number_of};
use crate::setting;

/// How long it may take to come up on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pooler; it ends when dropped.
#[derive(Debug)]
pub struct Pooler {
    keeper: Child,
    url: String,
}

impl Pooler {
    /// Starts one before `server`, with so many connections to it; `None` where none is installed, unless `ENGROSS_REQUIRE` holds
    /// `pgbouncer`.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "a test writes the pooler's settings")]
    pub fn start(server: &PostgresServer, connections: usize) -> Option<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"];
        let Some(program) = program.into_iter().find(|program| Path::new(program).exists()) else {
            let required = setting("ENGROSS_REQUIRE").unwrap_or_default();
            assert!(!required.contains("pgbouncer"), "pgbouncer is required, but not there");
            return None;
        };
        let folder = server.socket().parent().unwrap().to_owned();
        let place = folder.to_str().unwrap();
        let settings = folder.join("pooler.ini");
        std::fs::write(
            &settings,
            format!(
                "[databases]\npostgres = host={place} user=engross\n[pgbouncer]\nunix_socket_dir = {place}\n\
                 listen_port = 6432\nauth_type = any\npool_mode = transaction\ndefault_pool_size = {connections}\n\
                 max_client_conn = 200\n"
            ),
        )
        .unwrap();
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg("\"$1\" -q \"$2\" & read -r _; kill $!")
            .arg("keeper")
            .arg(program)
            .arg(&settings);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        // As the server, it refuses to be run by root.
        if number_of("-u", None) == Some(0) {
            command
                .uid(number_of("-u", Some("nobody")).unwrap())
                .gid(number_of("-g", Some("nobody")).unwrap());
        }
        let mut keeper = command.spawn().unwrap();
        let socket = folder.join(".s.PGSQL.6432");
        let since = Instant::now();
        while !socket.exists() {
            let mut said = String::new();
            if keeper.try_wait().unwrap().is_some() || since.elapsed() > PATIENCE {
                let _ = keeper.kill();
                let _ = keeper.stderr.take().unwrap().read_to_string(&mut said);
            }
            assert!(said.is_empty(), "no pooler: {said}");
            std::thread::sleep(Duration::from_millis(10));
        }
        let url = format!("postgres://engross@{}:6432/postgres", place.replace('/', "%2F"));
        Some(Self { keeper, url })
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}
