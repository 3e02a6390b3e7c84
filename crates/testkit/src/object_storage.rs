//! Object storage for tests: `moto_server`, which plays S3. `ENGROSS_TEST_MOTO` names the program where it is not on the path; where
//! `ENGROSS_REQUIRE` holds `moto` it must be there.
//!
//! Must never be asked for more than one process at a time could: it keeps everything in memory.
#![expect(clippy::unwrap_used, reason = "storage that cannot be started fails the test")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::setting;

/// How long it may take to come up on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Storage with the bucket `bucket`, which ends when it is dropped.
#[derive(Debug)]
pub struct ObjectStorage {
    server: Child,
    port: u16,
}

impl ObjectStorage {
    /// Starts it; nothing, told on standard error, when there is none.
    #[must_use]
    pub fn start() -> Option<Self> {
        let program = setting("ENGROSS_TEST_MOTO").unwrap_or_else(|| "moto_server".to_owned());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let started = Command::new(&program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(server) = started else {
            let required = setting("ENGROSS_REQUIRE").unwrap_or_default();
            assert!(
                !required.split(',').any(|part| part.trim() == "moto"),
                "moto is required, but not there"
            );
            let mut error = std::io::stderr();
            writeln!(error, "skipped: moto_server is not there; pip install 'moto[server]'").unwrap();
            return None;
        };
        let storage = Self { server, port };
        let since = Instant::now();
        while storage.ask("PUT /bucket").is_none_or(|answer| !answer.contains(" 200 ")) {
            assert!(since.elapsed() < PATIENCE, "the server does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(storage)
    }

    /// What a program that is to use it finds in its environment.
    #[must_use]
    pub fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ACCESS_KEY_ID", "id".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    fn ask(&self, line: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let host = format!("host: 127.0.0.1:{}", self.port);
        write!(stream, "{line} HTTP/1.1\r\n{host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }
}

impl Drop for ObjectStorage {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
