//! What other requests cost than turns: files that are written in pieces, edits of documents, tasks.
//!
//! Must never count a request that was not done as it was asked: the first one fails the run.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engross_testkit::instant::InstantModel;
use engross_testkit::postgres::PostgresServer;
use serde_json::{Value, json};

use super::{SaturationPoint, fresh_folder, measured, write};
use crate::bench::serve::process::Server;
use crate::{Error, Result, root, say};

/// Clients at once, over all nodes.
pub(super) const CLIENTS: [usize; 3] = [1, 4, 16];

/// Owners, whose homes are at different nodes where there are several.
const OWNERS: usize = 3;

/// A file's pieces, and the bytes of each.
const PIECES: (usize, usize) = (4, 5_000);

/// How long the first request of a client waits for its owner's home.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is asked.
#[derive(Debug, Clone, Copy)]
enum RequestKind {
    /// A look whether the server lives: what any request costs at least.
    Nothing,
    /// A write session with its pieces: six requests.
    File,
    /// One paragraph more in a document of two pages.
    Edit,
    /// A task of our own agent, which answers with one line.
    Task,
}

impl RequestKind {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Nothing, "nothing (the floor of a request)"),
        (Self::File, "a file of 20 kB in four pieces (six requests)"),
        (Self::Edit, "an edit"),
        (Self::Task, "a task"),
    ];

    /// What its curves are called, and their picture.
    fn picture(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Nothing => None,
            Self::File => Some(("Files of 20 kB that are written in four pieces", "files")),
            Self::Edit => Some(("Edits of documents of two pages", "edits")),
            Self::Task => Some(("Tasks of our own agent", "tasks")),
        }
    }
}

/// The curves of one kind of request.
pub(super) struct KindCurves {
    pub(super) title: &'static str,
    pub(super) name: &'static str,
    pub(super) curves: Vec<(String, Vec<SaturationPoint>)>,
}

/// Measures, and prints a table.
pub(super) fn run(engine: &Path, model: &InstantModel, requests: usize) -> Result<Vec<KindCurves>> {
    say("\nother requests, for three owners; CPU is user and system time for each\n");
    say("| nodes | what | clients | a second | p50 ms | p99 ms | nodes µs | database µs |");
    say("|---|---|---:|---:|---:|---:|---:|---:|");
    let example = root().join("examples/nda.docx");
    let document = read(&example)?;
    let mut kinds: Vec<KindCurves> = RequestKind::ALL
        .into_iter()
        .filter_map(|(kind, _)| kind.picture())
        .map(|(title, name)| KindCurves { title, name, curves: Vec::new() })
        .collect();
    for (name, nodes) in [("1, SQLite", 0), ("1", 1), ("2", 2), ("3", 3)] {
        let database = if nodes == 0 { None } else { PostgresServer::start() };
        if nodes > 0 && database.is_none() {
            break;
        }
        let folder = fresh_folder(&format!("kinds-{nodes}"))?;
        write(&folder.join("config.toml"), "")?;
        let keys = (0..OWNERS).map(|owner| add_key(engine, &folder, owner)).collect::<Result<Vec<_>>>()?;
        let servers = (0..nodes.max(1))
            .map(|_| start(engine, model, &folder, database.as_ref()))
            .collect::<Result<Vec<_>>>()?;
        for (kind, what) in RequestKind::ALL {
            let mut points = Vec::new();
            for clients in CLIENTS {
                let prefix = format!("{kind:?}-{clients}").to_lowercase();
                let load = KindLoad { kind, clients, requests, keys: &keys, document: &document, prefix };
                // What is made once is made before.
                let prepared = load.prepare(&servers)?;
                let point = measured(&servers, database.as_ref(), || load.run(prepared))?;
                say(&format!("| {name} | {what} | {clients} | {} |", point.cells()));
                points.push(point);
            }
            let drawn = kind.picture().map(|(_, picture)| picture);
            if let Some(curves) = kinds.iter_mut().find(|curves| Some(curves.name) == drawn) {
                curves.curves.push((name.to_owned(), points));
            }
        }
    }
    Ok(kinds)
}

struct KindLoad<'a> {
    kind: RequestKind,
    clients: usize,
    requests: usize,
    keys: &'a [String],
    document: &'a [u8],
    prefix: String,
}

impl KindLoad<'_> {
    fn prepare(&self, servers: &[Server]) -> Result<Vec<Client>> {
        let addresses = servers.iter().map(|server| server.address).cycle().take(self.clients);
        let client = |(number, address): (usize, SocketAddr)| {
            let key = self.keys.get(number % self.keys.len().max(1)).cloned().unwrap_or_default();
            let name = format!("{}-{number}", self.prefix);
            let document = format!("/v1/workspaces/bench/files/{name}.docx");
            let mut client = Client { address, key, stream: None, name, document };
            let begun = Instant::now();
            loop {
                match client.ask("PUT", &client.document.clone(), self.document)? {
                    (200 | 201, _) => return Ok(client),
                    (503, _) if begun.elapsed() < PATIENCE => {
                        std::thread::sleep(Duration::from_millis(100));
                    }
                    told => return Err(client.wrong(&told)),
                }
            }
        };
        addresses.enumerate().map(client).collect()
    }

    /// How long each took.
    fn run(&self, clients: Vec<Client>) -> Result<Vec<Duration>> {
        let next = AtomicUsize::new(0);
        let work = |mut client: Client| -> Result<Vec<Duration>> {
            let mut latencies = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.requests {
                    return Ok(latencies);
                }
                let begun = Instant::now();
                client.done(self.kind, number)?;
                latencies.push(begun.elapsed());
            }
        };
        let latencies = std::thread::scope(|scope| {
            let working: Vec<_> = clients.into_iter().map(|client| scope.spawn(|| work(client))).collect();
            let joined = working.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined
                .map(|worked| worked.unwrap_or_else(|_| Err(Error::Server("a client died".to_owned()))))
                .collect::<Result<Vec<_>>>()
        })?;
        Ok(latencies.into_iter().flatten().collect())
    }
}

/// A client with a connection that stays open.
struct Client {
    address: SocketAddr,
    key: String,
    stream: Option<TcpStream>,
    name: String,
    document: String,
}

impl Client {
    fn done(&mut self, kind: RequestKind, number: usize) -> Result<()> {
        match kind {
            RequestKind::Nothing => match self.ask("GET", "/healthz", &[])? {
                (200..300, _) => Ok(()),
                told => Err(self.wrong(&told)),
            },
            RequestKind::File => {
                let target = format!("bench/{}-{number}.md", self.name);
                let begin = json!({"target_file": target, "operation": "create", "terminator": "none"});
                let told = self.json("POST", "/v1/write-sessions", &begin)?;
                let session =
                    format!("/v1/write-sessions/{}", told["session_id"].as_str().unwrap_or_default());
                let (pieces, bytes) = PIECES;
                for piece in 0..pieces {
                    let path = format!("{session}?offset={}", piece * bytes);
                    match self.ask("PATCH", &path, &vec![b'a' + piece as u8; bytes])? {
                        (200, _) => {}
                        told => return Err(self.wrong(&told)),
                    }
                }
                let end = json!({"offset": pieces * bytes});
                let told = self.json("POST", &format!("{session}/finalize"), &end)?;
                self.is_right(told["state"] == "committed", &told)
            }
            RequestKind::Edit => {
                let operation =
                    json!({"op": "insert_paragraph", "after": "P3", "content": format!("Edit {number}.")});
                let path = format!("{}/operations", self.document);
                let told = self.json("POST", &path, &json!({"operations": [operation], "author": "Ada"}))?;
                self.is_right(told["revision"].is_string(), &told)
            }
            RequestKind::Task => {
                let key = format!("{}-{number}", self.name);
                let told = self.json(
                    "POST",
                    "/acp/rpc",
                    &json!({"jsonrpc": "2.0", "id": "1", "method": "session.start", "params": {
                        "threadId": key, "taskPrompt": "say ok", "idempotencyKey": key, "waitMs": 20_000,
                        "routing": {"explicitProviderId": "engross"},
                    }}),
                )?;
                self.is_right(told["result"]["status"] == "completed", &told)
            }
        }
    }

    fn json(&mut self, method: &str, path: &str, body: &Value) -> Result<Value> {
        match self.ask(method, path, body.to_string().as_bytes())? {
            (200..300, told) => {
                serde_json::from_slice(&told).map_err(|error| Error::Server(format!("{path}: {error}")))
            }
            told => Err(self.wrong(&told)),
        }
    }

    fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Result<(u16, Vec<u8>)> {
        let failed = |error: std::io::Error| Error::Server(format!("{method} {path}: {error}"));
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => TcpStream::connect(self.address).map_err(failed)?,
        };
        stream.set_nodelay(true).map_err(failed)?;
        let kind = if body.first() == Some(&b'{') { "application/json" } else { "application/octet-stream" };
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: {kind}\r\n\
             content-length: {}\r\n\r\n",
            self.address,
            self.key,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        stream.write_all(&request).map_err(failed)?;
        let answer = answer(&mut stream).map_err(failed)?;
        self.stream = Some(stream);
        Ok(answer)
    }

    fn is_right(&self, is_right: bool, told: &Value) -> Result<()> {
        if is_right { Ok(()) } else { Err(Error::Server(format!("{}: {told}", self.name))) }
    }

    fn wrong(&self, (status, told): &(u16, Vec<u8>)) -> Error {
        Error::Server(format!("{}: {status} {}", self.name, String::from_utf8_lossy(told)))
    }
}

/// One answer, whose length its head says.
fn answer(stream: &mut TcpStream) -> std::io::Result<(u16, Vec<u8>)> {
    let wrong = |what: &str| std::io::Error::other(what.to_owned());
    let mut buffer = Vec::new();
    let mut block = [0; 16 << 10];
    loop {
        let count = stream.read(&mut block)?;
        if count == 0 {
            return Err(wrong("the connection ended"));
        }
        buffer.extend_from_slice(block.get(..count).unwrap_or_default());
        let Some(head) = memchr::memmem::find(&buffer, b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(buffer.get(..head).unwrap_or_default()).to_ascii_lowercase();
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| wrong("no status"))?;
        let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length = match length.map(|length| length.trim().parse::<usize>()) {
            Some(Ok(length)) => length,
            Some(Err(_)) => return Err(wrong("no length")),
            None => {
                // In chunks: what is behind the last one is not needed here.
                if !buffer.ends_with(b"0\r\n\r\n") {
                    continue;
                }
                return Ok((status, without_chunks(buffer.get(head + 4..).unwrap_or_default())));
            }
        };
        if buffer.len() >= head + 4 + length {
            return Ok((status, buffer.split_off(head + 4)));
        }
    }
}

fn without_chunks(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(line) = memchr::memmem::find(body, b"\r\n") {
        let length = std::str::from_utf8(body.get(..line).unwrap_or_default()).unwrap_or_default();
        let Ok(length) = usize::from_str_radix(length.trim(), 16) else { break };
        let Some(chunk) = body.get(line + 2..line + 2 + length) else { break };
        whole.extend_from_slice(chunk);
        body = body.get(line + 4 + length..).unwrap_or_default();
    }
    whole
}

/// Makes a key for an owner, and gives it.
fn add_key(engine: &Path, folder: &Path, owner: usize) -> Result<String> {
    let name = format!("owner{owner}");
    let mut command = Command::new(engine);
    command.args(["keys", "add", &name, "--owner", &name, "--right", "write", "--data"]);
    command.arg(folder.join("data")).env("ENGROSS_CONFIG", folder.join("config.toml"));
    let shown = format!("{command:?}");
    let failed = |how: String| Error::Command { command: shown.clone(), how };
    let told = command.output().map_err(|error| failed(error.to_string()))?;
    let key = String::from_utf8_lossy(&told.stdout).trim().to_owned();
    match told.status.success() && !key.is_empty() {
        true => Ok(key),
        false => Err(failed(String::from_utf8_lossy(&told.stderr).into_owned())),
    }
}

fn start(
    engine: &Path,
    model: &InstantModel,
    folder: &Path,
    database: Option<&PostgresServer>,
) -> Result<Server> {
    let settings = folder.join("config.toml");
    let model = format!("openai-compatible:{}#instant", model.url());
    let mut command = Command::new(engine);
    command.args(["serve", "--model", &model, "--root"]).arg(folder.join("root"));
    command.arg("--data").arg(folder.join("data"));
    command.env_remove("ENGROSS_TOKEN").env("ENGROSS_CONFIG", settings);
    match database {
        Some(database) => {
            let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
            let address = free.map_err(|error| Error::Server(error.to_string()))?;
            let own = format!("http://{address}");
            command.args(["--listen", &address.to_string(), "--node-address", &own]);
            command.args(["--store", &database.url()]);
        }
        None => {
            command.args(["--listen", "127.0.0.1:0"]);
        }
    }
    Server::start(&mut command)
}

#[expect(clippy::disallowed_methods, reason = "a chore reads the example of the repository")]
fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(Error::file(path))
}
