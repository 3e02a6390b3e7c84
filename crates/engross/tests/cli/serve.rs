//! The server as a process: it starts, answers, is killed, and nothing is lost.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub(crate) const SCRIPT: &str = r#"{
  "turns": [
    {"when": {"last_role": "user", "contains": "look"}, "times": 0, "text": "I look.",
     "tool_calls": [{"name": "look", "args": {}}], "delay_ms": 1},
    {"when": {"last_role": "tool"}, "times": 0, "text": "I have seen it.", "delay_ms": 1}
  ],
  "default": {"text": "so be it then", "delay_ms": 1}
}"#;

/// A server that dies with the test.
pub(crate) struct Server {
    /// `None` where the test itself keeps the process.
    pub(crate) child: Option<Child>,
    address: String,
}

impl Server {
    /// A server that the test has started itself.
    pub(crate) fn of(address: String) -> Self {
        Self { child: None, address }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        self.child.as_mut().unwrap()
    }

    fn start(folder: &Path) -> Self {
        let script = folder.join("script.json");
        std::fs::write(&script, SCRIPT).unwrap();
        Self::try_start(folder, &["--model", &format!("script:{}", script.display())]).unwrap()
    }

    pub(crate) fn try_start(folder: &Path, arguments: &[&str]) -> Result<Self, String> {
        Self::try_start_with(folder, arguments, &[])
    }

    pub(crate) fn try_start_with(
        folder: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<Self, String> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_engross"))
            .args(["serve", "--data"])
            .arg(folder.join("data"))
            .args(if arguments.contains(&"--listen") { &[][..] } else { &["--listen", "127.0.0.1:0"] })
            .args(arguments)
            .env_remove("ENGROSS_TOKEN")
            .env("ENGROSS_CONFIG", config(folder))
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        for line in BufReader::new(child.stderr.take().unwrap()).lines() {
            let line = line.unwrap();
            if let Some(rest) = line.strip_prefix("Listening at http://") {
                let address = rest.split('/').next().unwrap().to_owned();
                return Ok(Self { child: Some(child), address });
            }
            said.push_str(&line);
        }
        let _ = child.wait();
        Err(said)
    }

    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> std::io::Result<(u16, Value)> {
        let (status, body) = self.send("POST", path, headers, body.to_string().as_bytes())?;
        let cut = |_| std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        Ok((status, serde_json::from_slice(&body).map_err(cut)?))
    }

    pub(crate) fn get(&self, path: &str) -> std::io::Result<(u16, Value)> {
        let (status, body) = self.send("GET", path, &[], b"")?;
        let cut = |_| std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        Ok((status, serde_json::from_slice(&body).map_err(cut)?))
    }

    /// The body as it came.
    pub(crate) fn get_text(&self, path: &str) -> std::io::Result<String> {
        let (_, body) = self.send("GET", path, &[], b"")?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// Sends a request over a connection of its own; gives status and body.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<(u16, Vec<u8>)> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.address);
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let cut = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").ok_or_else(cut)?;
        let head = String::from_utf8_lossy(&answer[..end]);
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
        Ok((status, answer[end + 4..].to_vec()))
    }

    pub(crate) fn chat(&self, session: &str, once: &str, messages: &Value) -> std::io::Result<(u16, Value)> {
        let tool = json!({"type": "function", "function": {"name": "look", "parameters": {}}});
        let body = json!({"model": "engross", "messages": messages, "tools": [tool]});
        self.post(
            "/v1/chat/completions",
            &[("x-engross-session-key", session), ("idempotency-key", once)],
            &body,
        )
    }

    pub fn kill(mut self) {
        self.child().kill().unwrap();
        self.child().wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn config(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("config.toml");
    std::fs::write(&path, "").unwrap();
    path
}

pub(crate) fn said(text: &str) -> Value {
    json!([{"role": "user", "content": text}])
}

#[test]
fn a_conversation_over_two_servers() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path());
    let (status, first) = server.chat("s", "1", &said("look")).unwrap();
    assert_eq!((status, &first["choices"][0]["finish_reason"]), (200, &json!("tool_calls")));
    let id = &first["choices"][0]["message"]["tool_calls"][0]["id"];
    server.kill();
    let server = Server::start(folder.path());
    let result = json!([{"role": "tool", "tool_call_id": id, "content": "a house"}]);
    let (status, second) = server.chat("s", "2", &result).unwrap();
    assert_eq!((status, &second["choices"][0]["message"]["content"]), (200, &json!("I have seen it.")));
    assert_eq!(server.chat("s", "1", &said("look")).unwrap(), (200, first), "the same answer, from the log");
}

/// Clients that send messages while the server is killed again and again. What was answered stays answered, and what was
/// not is answered when it is sent once more; no session is stuck.
#[test]
fn a_server_that_is_killed_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let answered: Mutex<Vec<(String, String, Value)>> = Mutex::default();
    let unanswered: Mutex<Vec<(String, String)>> = Mutex::default();
    for round in 0..8u64 {
        let server = Server::start(folder.path());
        std::thread::scope(|scope| {
            for client in 0..4 {
                let (server, answered, unanswered) = (&server, &answered, &unanswered);
                scope.spawn(move || {
                    for n in 0.. {
                        let (session, once) = (format!("s{client}"), format!("{round}-{client}-{n}"));
                        match server.chat(&session, &once, &said(&format!("say {once}"))) {
                            Ok((200, answer)) => answered.lock().unwrap().push((session, once, answer)),
                            Ok((status, answer)) => panic!("{status} {answer}"),
                            // Killed in the middle.
                            Err(_) => return unanswered.lock().unwrap().push((session, once)),
                        }
                    }
                });
            }
            // Another moment each time, once clients are answered; on a busy machine that takes a while.
            let before = answered.lock().unwrap().len();
            crate::owners::until("clients are answered", || answered.lock().unwrap().len() >= before + 3);
            std::thread::sleep(Duration::from_millis(20 + round * 37 % 110));
            let pid = server.child.as_ref().unwrap().id().to_string();
            assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
        });
    }
    let server = Server::start(folder.path());
    let (answered, unanswered) = (answered.into_inner().unwrap(), unanswered.into_inner().unwrap());
    assert!(answered.len() > 20 && unanswered.len() >= 32, "{} {}", answered.len(), unanswered.len());
    for (session, once, answer) in &answered {
        let again = server.chat(session, once, &said(&format!("say {once}"))).unwrap();
        assert_eq!(again, (200, answer.clone()), "{once}");
    }
    for (session, once) in &unanswered {
        let (status, answer) = server.chat(session, once, &said(&format!("say {once}"))).unwrap();
        // A message that was stored may have been overtaken by a later one before its answer was there.
        let overtaken =
            answer["error"]["code"] == "TURN_SUPERSEDED" || answer["error"]["code"] == "ANSWER_INTERRUPTED";
        assert!(status == 200 || overtaken, "{once}: {status} {answer}");
        let (status, _) = server.chat(session, &format!("after {once}"), &said("go on")).unwrap();
        assert_eq!(status, 200, "the session goes on");
    }
}

#[cfg(unix)]
#[test]
fn a_server_that_is_asked_to_stop_ends_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path());
    server.chat("s", "1", &said("hello")).unwrap();
    let pid = server.child().id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let started = Instant::now();
    let status = server.child().wait().unwrap();
    assert!(
        status.success() && started.elapsed() < Duration::from_secs(3),
        "{status} {:?}",
        started.elapsed()
    );
}

#[test]
fn what_cannot_be_served_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| Server::try_start(folder.path(), arguments).err().unwrap_or_default();
    assert!(refused(&["--listen", "0.0.0.0:0"]).contains("token"));
    assert!(refused(&["--store", "floppy"]).contains("'floppy' is no store"));
    let traces = refused(&["--store", "memory", "--traces", "postgres://nobody@127.0.0.1:1/none"]);
    if cfg!(feature = "cluster") {
        assert!(traces.contains("traces cannot be kept") && traces.contains("127.0.0.1:1"), "{traces}");
    } else {
        assert!(traces.contains("FEATURE_LEFT_OUT"), "{traces}");
    }
    let first = Server::start(folder.path());
    let taken = refused(&["--listen", &first.address, "--store", "memory"]);
    assert!(taken.contains("--listen"), "{taken}");
    let locked = refused(&[]);
    assert!(locked.contains("[STORE_IN_USE]"), "two servers on one file: {locked}");
}

#[test]
fn a_token_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::try_start(folder.path(), &["--token", "secret", "--model", "rules"]).unwrap();
    let (status, answer) = server.chat("s", "1", &said("hello")).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (401, &json!("UNAUTHORIZED")));
    let body = json!({"messages": said("delete paragraph 1")});
    let headers = [("authorization", "Bearer secret")];
    assert_eq!(server.post("/v1/chat/completions", &headers, &body).unwrap().0, 200);
}

#[test]
fn a_token_loses_the_line_end_of_its_file_and_a_blank_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let variable = [("ENGROSS_TOKEN", "secret\r\n")];
    let server = Server::try_start_with(folder.path(), &["--model", "rules"], &variable).unwrap();
    assert_eq!(server.post("/v1/responses", &[], &json!({"input": "x"})).unwrap().0, 401);
    let headers = [("authorization", "Bearer secret")];
    let body = json!({"input": "delete paragraph 1"});
    assert_eq!(server.post("/v1/responses", &headers, &body).unwrap().0, 200);
    drop(server);
    for blank in ["", "\n", "  "] {
        let refused = Server::try_start_with(folder.path(), &[], &[("ENGROSS_TOKEN", blank)]).err().unwrap();
        assert!(refused.contains("ENGROSS_TOKEN is blank"), "{blank:?}: {refused}");
        let refused =
            Server::try_start(folder.path(), &["--listen", "0.0.0.0:0", "--token", blank]).err().unwrap();
        assert!(refused.contains("--token is blank"), "{blank:?}: {refused}");
    }
    let refused = Server::try_start(folder.path(), &["--token", "two words"]).err().unwrap();
    assert!(refused.contains("white space"), "{refused}");
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_what_a_server_keeps() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path());
    server.chat("s", "1", &said("hello")).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let data = folder.path().join("data");
    assert_eq!(mode(&data), 0o700);
    for entry in std::fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        assert!(path.is_dir() || mode(&path) == 0o600, "{} {:o}", path.display(), mode(&path));
    }
}

/// What is deleted is gone from the disk: the store, its log, and the transcript.
#[test]
fn nothing_of_a_deleted_session_is_found_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    std::fs::write(&script, SCRIPT).unwrap();
    let (spec, transcripts) = (format!("script:{}", script.display()), folder.path().join("transcripts"));
    let arguments = ["--model", &spec, "--transcripts", transcripts.to_str().unwrap()];
    let server = Server::try_start(folder.path(), &arguments).unwrap();
    let secret = "PRICE-OF-THE-HOUSE-4711";
    for number in 0..3 {
        server.chat("kept", &format!("k{number}"), &said("hello")).unwrap();
        server
            .chat("gone", &format!("g{number}"), &said(&format!("{secret} {}", "x".repeat(9_000))))
            .unwrap();
    }
    let finds = || {
        let mut found = Vec::new();
        let mut folders = vec![folder.path().join("data"), transcripts.clone()];
        while let Some(next) = folders.pop() {
            for entry in std::fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => {
                        let bytes = std::fs::read(&path).unwrap_or_default();
                        if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                            found.push(path);
                        }
                    }
                }
            }
        }
        found
    };
    let until = Instant::now() + Duration::from_secs(10);
    while finds().len() < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(finds().len() >= 2, "it is in the store and in the transcript before: {:?}", finds());
    assert_eq!(server.send("DELETE", "/v1/sessions/gone", &[], b"").unwrap().0, 200);
    let until = Instant::now() + Duration::from_secs(10);
    while !finds().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(finds(), Vec::<std::path::PathBuf>::new());
    assert_eq!(server.get("/v1/sessions/kept").unwrap().0, 200);
}

#[cfg(unix)]
#[test]
fn a_server_goes_on_when_its_terminal_hangs_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path());
    let pid = server.child().id().to_string();
    assert!(Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(200));
    server.chat("s", "1", &said("hello")).unwrap();
}
