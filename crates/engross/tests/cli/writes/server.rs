//! A server process, and a client that can break off.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::desk::ENGROSS;

/// A server with a root of its own; it dies with the test.
pub struct Server {
    pub folder: TempDir,
    child: Child,
    address: String,
    limit: Option<u32>,
}

/// Status and body of an answer.
pub type Answer = (u16, Value);

impl Server {
    pub fn start() -> Self {
        Self::limited(None)
    }

    /// No file that it writes may have more than so many KiB.
    pub fn limited(limit: Option<u32>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("root")).unwrap();
        let (child, address) = spawn(folder.path(), limit);
        Self { folder, child, address, limit }
    }

    /// kill -9, and another one.
    pub fn kill_and_restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        (self.child, self.address) = spawn(self.folder.path(), self.limit);
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("root").join(path)
    }

    pub fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        std::fs::write(self.path(path), bytes).unwrap();
    }

    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read(self.path(path)).ok().map(|bytes| String::from_utf8(bytes).unwrap())
    }

    /// The names in the spool, journals left out.
    pub fn spooled(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.path(".engross-writes")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !name.ends_with("-journal")).collect()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// The head of a request whose body has `length` bytes.
    pub fn head(&self, method: &str, path: &str, length: usize) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n",
            self.address
        )
    }

    pub fn text(&self, method: &str, path: &str, body: &[u8]) -> (u16, String) {
        let mut stream = self.connect();
        stream.write_all(self.head(method, path, body.len()).as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    pub fn send(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let (status, text) = self.text(method, path, body);
        (status, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{method} {path}: {text}")))
    }

    pub fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.send(method, path, body.to_string().as_bytes())
    }

    pub fn begin(&self, options: &Value) -> Answer {
        self.json("POST", "/v1/write-sessions", options)
    }

    /// The same for a client that names itself.
    pub fn begin_as(&self, client: &str, options: &Value) -> Answer {
        let body = options.to_string();
        let head = self.head("POST", "/v1/write-sessions", body.len());
        let head = head.replace("\r\n\r\n", &format!("\r\nx-engross-client: {client}\r\n\r\n"));
        let mut stream = self.connect();
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap())
    }

    /// The id and the end line of a session that begins.
    pub fn begun(&self, options: &Value) -> (String, String) {
        let (status, body) = self.begin(options);
        assert_eq!(status, 201, "{body}");
        let text = |name: &str| body[name].as_str().unwrap().to_owned();
        (text("session_id"), text("end_marker"))
    }

    pub fn content(&self, id: &str, offset: usize, bytes: impl AsRef<[u8]>) -> Answer {
        self.send("PATCH", &format!("/v1/write-sessions/{id}?offset={offset}"), bytes.as_ref())
    }

    pub fn turn_end(&self, id: &str, reason: &str) -> Answer {
        self.json("POST", &format!("/v1/write-sessions/{id}/turn-end"), &json!({"finish_reason": reason}))
    }

    pub fn finalise(&self, id: &str) -> Answer {
        self.send("POST", &format!("/v1/write-sessions/{id}/finalize"), b"")
    }

    pub fn look(&self, id: &str) -> Answer {
        self.send("GET", &format!("/v1/write-sessions/{id}"), b"")
    }

    /// Sends only some of the bytes that it announces, and hangs up.
    pub fn break_off(&self, id: &str, offset: usize, announced: usize, sent: &[u8]) {
        let mut stream = self.connect();
        let head = self.head("PATCH", &format!("/v1/write-sessions/{id}?offset={offset}"), announced);
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(sent).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(folder: &Path, limit: Option<u32>) -> (Child, String) {
    let config = folder.join("config.toml");
    std::fs::write(&config, "").unwrap();
    let mut command = match limit {
        None => Command::new(ENGROSS),
        Some(limit) => {
            let mut command = Command::new("bash");
            command.args(["-c", &format!("ulimit -f {limit}; exec \"$0\" \"$@\""), ENGROSS]);
            command
        }
    };
    let mut child = command
        .args(["serve", "--listen", "127.0.0.1:0", "--store", "memory", "--model", "rules", "--root"])
        .arg(folder.join("root"))
        .arg("--data")
        .arg(folder.join("data"))
        .env_remove("ENGROSS_TOKEN")
        .env("ENGROSS_CONFIG", config)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        if let Some(rest) = line.unwrap().strip_prefix("Listening at http://") {
            return (child, rest.split('/').next().unwrap().to_owned());
        }
    }
    panic!("the server did not start: {:?}", child.wait());
}

/// The code of a refusal.
pub fn code(answer: &Answer) -> (u16, &str) {
    (answer.0, answer.1["error"]["code"].as_str().unwrap_or_default())
}
