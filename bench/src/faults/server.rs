//! A server as a process that can be killed, and a client that knows what it was told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{Error, Result, root, run_command};

/// How long a client waits for a word.
const PATIENCE: Duration = Duration::from_secs(60);

/// What clients say who they are; servers without a token do not look at it.
pub(crate) const TOKEN: &str = "campaign";

/// A server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    /// Where it listens.
    pub(crate) address: SocketAddr,
}

/// What became of a request.
#[derive(Debug)]
pub(crate) enum ServerReply {
    /// A whole answer.
    Answer(Value),
    /// An error with its status.
    Refused(u16, Value),
    /// Nothing whole came; whether the head of an answer did.
    Cut { accepted: bool },
}

impl ServerReply {
    /// The code of an error; empty for anything else.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Refused(_, error) => error["code"].as_str().unwrap_or_default(),
            _ => "",
        }
    }
}

impl Server {
    /// Starts `engross serve` with a store, and the model at `model`.
    pub(crate) fn start(folder: &Path, store: &str, model: &str) -> Result<Self> {
        write(&folder.join("config.toml"), "")?;
        Self::start_with(folder, store, &format!("openai-compatible:{model}/v1#scripted"))
    }

    /// The same with a token, on a store in a file.
    pub(crate) fn start_locked(folder: &Path, token: &str, model: &str) -> Result<Self> {
        write(&folder.join("config.toml"), &format!("[serve]\ntoken = \"{token}\"\n"))?;
        Self::start_with(folder, "sqlite", &format!("openai-compatible:{model}/v1#scripted"))
    }

    /// Starts `engross serve` with the settings in `config.toml` of the folder, and a model that nobody asks.
    pub(crate) fn start_as_set(folder: &Path) -> Result<Self> {
        Self::start_with(folder, "sqlite", "rules")
    }

    fn start_with(folder: &Path, store: &str, model: &str) -> Result<Self> {
        let engine = root().join("target/ci").join(format!("engross{}", std::env::consts::EXE_SUFFIX));
        let mut command = Command::new(engine);
        command.args(["serve", "--listen", "127.0.0.1:0", "--store", store, "--data"]);
        command.arg(folder).args(["--model", model]);
        Self::start_command(command, folder)
    }

    /// Starts what `command` says, with the settings of the folder, and waits until it listens.
    pub(crate) fn start_command(mut command: Command, folder: &Path) -> Result<Self> {
        let mut child = spawn(command.stderr(Stdio::piped()), folder)?;
        let mut lines = BufReader::new(child.stderr.take().ok_or_else(|| failed("it says nothing"))?);
        let mut said = String::new();
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line).unwrap_or(0) == 0 {
                let _ = child.wait();
                return Err(failed(format!("it does not listen: {said}")));
            }
            if let Some(address) = address_in(&line) {
                // A pipe that nobody empties would stop it.
                std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
                return Ok(Self { child, address });
            }
            said.push_str(&line);
        }
    }

    /// The same, with all that it says in the file `log`, also what it says last.
    #[expect(clippy::disallowed_methods, reason = "a chore keeps what a server says that it tries")]
    pub(crate) fn start_logged(mut command: Command, folder: &Path, log: &Path) -> Result<Self> {
        let file = std::fs::File::create(log).map_err(Error::file(log))?;
        let child = spawn(command.stderr(file), folder)?;
        let mut server = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let begun = Instant::now();
        loop {
            // What it said before it ended is there by the time that its end is seen.
            let end = server.end();
            let said = read_file(log);
            // Only whole lines.
            let lines = said.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            if let Some(address) = lines.filter_map(address_in).next() {
                server.address = address;
                return Ok(server);
            }
            if let Some(end) = end {
                return Err(failed(format!("it does not listen, and ended with {end}: {said}")));
            }
            if begun.elapsed() > PATIENCE {
                return Err(failed(format!("it does not listen after {} s: {said}", PATIENCE.as_secs())));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// How it has ended, if it has.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// The number of its process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal, such as `STOP`.
    pub(crate) fn signal(&self, name: &str) -> Result<()> {
        run_command(Command::new("kill").arg(format!("-{name}")).arg(self.process().to_string()))
    }

    /// Whether it ends within `patience` by itself.
    pub(crate) fn ends_within(&mut self, patience: Duration) -> bool {
        let asked = Instant::now();
        while asked.elapsed() < patience {
            if self.end().is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Says something in a session; `once` makes a repetition safe. A streamed answer that is whole is told as its text.
pub(crate) fn say(server: SocketAddr, session: &str, once: &str, text: &str, stream: bool) -> ServerReply {
    let body = json!({"messages": [{"role": "user", "content": text}], "stream": stream});
    send(server, (session, once), &body, PATIENCE)
}

/// Sends a request for a chat completion; `once` makes a repetition safe. Who hears nothing for `patience` goes away.
pub(crate) fn send(
    server: SocketAddr,
    (session, once): (&str, &str),
    body: &Value,
    patience: Duration,
) -> ServerReply {
    let stream = body["stream"] == true;
    let body = body.to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\
         authorization: Bearer {TOKEN}\r\nx-engross-session-key: {session}\r\nidempotency-key: {once}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let heard = ask(server, &(head + &body), patience);
    read(&heard, stream)
}

/// The messages of a session; none when there is no such session.
pub(crate) fn messages(server: SocketAddr, session: &str) -> Result<Vec<Value>> {
    let head = format!(
        "GET /v1/sessions/{session} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\
         authorization: Bearer {TOKEN}\r\n\r\n"
    );
    match read(&ask(server, &head, PATIENCE), false) {
        ServerReply::Answer(shown) => Ok(shown["messages"].as_array().cloned().unwrap_or_default()),
        told if told.code() == "SESSION_UNKNOWN" => Ok(Vec::new()),
        other => Err(failed(format!("the session {session} cannot be read: {other:?}"))),
    }
}

/// Asks for anything: the status and the body, if all of it came.
pub(crate) fn fetch(
    server: SocketAddr,
    (method, path): (&str, &str),
    headers: &[(&str, &str)],
    body: &[u8],
    patience: Duration,
) -> Option<(u16, Vec<u8>)> {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    let heard = ask_bytes(server, &[head.as_bytes(), body].concat(), patience);
    let at = heard.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, body) = (String::from_utf8_lossy(&heard[..at]).to_ascii_lowercase(), heard[at + 4..].to_vec());
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    (length.trim().parse() == Ok(body.len())).then_some((status, body))
}

/// All that comes in answer to a request.
fn ask(server: SocketAddr, request: &str, patience: Duration) -> String {
    String::from_utf8_lossy(&ask_bytes(server, request.as_bytes(), patience)).into_owned()
}

fn ask_bytes(server: SocketAddr, request: &[u8], patience: Duration) -> Vec<u8> {
    let mut heard = Vec::new();
    if let Ok(mut socket) = TcpStream::connect_timeout(&server, patience) {
        let _ = socket.set_read_timeout(Some(patience));
        if socket.write_all(request).is_ok() {
            let _ = socket.read_to_end(&mut heard);
        }
    }
    heard
}

fn read(heard: &str, stream: bool) -> ServerReply {
    let Some((head, body)) = heard.split_once("\r\n\r\n") else {
        return ServerReply::Cut { accepted: false };
    };
    let status: u16 = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let events =
        || body.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    if status == 200 && stream {
        if let Some(error) = events().find(|event| event["error"].is_object()) {
            return ServerReply::Refused(status, error["error"].clone());
        }
        if !body.contains("data: [DONE]") {
            return ServerReply::Cut { accepted: true };
        }
        let text: String = events()
            .filter_map(|event| Some(event["choices"][0]["delta"]["content"].as_str()?.to_owned()))
            .collect();
        return ServerReply::Answer(json!(text));
    }
    match serde_json::from_str::<Value>(body) {
        Ok(answer) if status == 200 => ServerReply::Answer(answer),
        Ok(answer) => ServerReply::Refused(status, answer["error"].clone()),
        Err(_) => ServerReply::Cut { accepted: status == 200 },
    }
}

/// Starts the process of a server.
fn spawn(command: &mut Command, folder: &Path) -> Result<Child> {
    command
        .env_remove("ENGROSS_TOKEN")
        .env("ENGROSS_CONFIG", folder.join("config.toml"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| Error::Server(format!("engross could not be started: {error}")))
}

/// Where it listens, if it says so in this line.
fn address_in(line: &str) -> Option<SocketAddr> {
    line.strip_prefix("Listening at http://")?.split('/').next()?.trim().parse().ok()
}

pub(crate) fn failed(what: impl Into<String>) -> Error {
    Error::Server(what.into())
}

/// What is in a file by now; a server that is killed may leave half a letter.
#[expect(clippy::disallowed_methods, reason = "a chore reads what a server says that it tries")]
pub(crate) fn read_file(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "a chore writes the settings of what it tries")]
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(Error::file(path))
}
