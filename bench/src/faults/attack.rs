//! Clients that mean ill, one kind after the other, on loopback and within bounds: heads and bodies that never end, streams that nobody
//! reads, hundreds of thousands of messages and tools, wrong tokens, large bodies. `/healthz` has to answer within a second throughout,
//! and memory has to come back.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engross_testkit::scripted::ModelServer;
use serde_json::json;

use super::Trial;
use super::server::{Server, failed};
use crate::Result;

/// What opens the server.
const TOKEN: &str = "the-right-token";

/// The longest answer of `/healthz`.
const WELL: Duration = Duration::from_secs(1);

/// How long memory may take to come back.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who attacks: a name, and what is done for so many clients.
type Attack = fn(SocketAddr, bool);

const ATTACKS: [(&str, Attack); 7] = [
    ("heads", heads),
    ("bodies", bodies),
    ("unread", unread),
    ("messages", messages),
    ("tools", tools),
    ("tokens", tokens),
    ("large", large),
];

pub(super) fn run(trial: &Trial<'_>) -> Result<String> {
    // More text than any buffer on the way holds.
    let model = ModelServer::start(json!({
        "turns": [{"when": {"contains": "at length"}, "times": 0, "text": "word ".repeat(200_000)}],
        "default": {"text": "ok"},
    }));
    let server = Server::start_locked(trial.folder, TOKEN, &model.url())?;
    let address = server.address;
    // What a server at work has, not what it starts with.
    for _ in 0..50 {
        ask(address, &chat("hello"));
    }
    let before = memory(&server)?;
    let (over, worst) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut figures = Vec::new();
    std::thread::scope(|scope| -> Result<()> {
        scope.spawn(|| watch(address, &over, &worst));
        for (name, attack) in ATTACKS {
            worst.store(0, Ordering::Relaxed);
            attack(address, trial.quick);
            let slowest = worst.load(Ordering::Relaxed);
            figures.push(format!("{name}: healthz {slowest} ms, {} MiB", memory(&server)? >> 10));
            if Duration::from_millis(slowest) > WELL {
                over.store(true, Ordering::Relaxed);
                return Err(failed(format!("/healthz took {slowest} ms; {}", figures.join("; "))));
            }
        }
        over.store(true, Ordering::Relaxed);
        Ok(())
    })?;
    let ended = Instant::now();
    loop {
        let now = memory(&server)?;
        if now <= 2 * before {
            let took = ended.elapsed().as_secs();
            return Ok(format!(
                "{}; before {} MiB, {} MiB after {took} s",
                figures.join("; "),
                before >> 10,
                now >> 10
            ));
        }
        if ended.elapsed() > PATIENCE {
            let problem = format!("{} MiB before, {} MiB a minute after", before >> 10, now >> 10);
            return Err(failed(format!("{problem}; {}", figures.join("; "))));
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Asks for the server's health all the time, and keeps the slowest answer in milliseconds; one that fails counts as ten seconds.
fn watch(address: SocketAddr, over: &AtomicBool, worst: &AtomicU64) {
    while !over.load(Ordering::Relaxed) {
        let began = Instant::now();
        let told =
            ask(address, &format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"));
        let took = if told.contains("\"live\"") { began.elapsed() } else { Duration::from_secs(10) };
        worst.fetch_max(u64::try_from(took.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The kibibytes of memory that the server has.
#[expect(clippy::disallowed_methods, reason = "a chore looks at what the system says of a process")]
fn memory(server: &Server) -> Result<u64> {
    let path = std::path::PathBuf::from(format!("/proc/{}/status", server.process()));
    let status = std::fs::read_to_string(&path).map_err(crate::Error::file(&path))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().map_err(|_| failed("the server's memory is not told"))
}

fn chat(text: &str) -> String {
    post(&json!({"messages": [{"role": "user", "content": text}]}).to_string())
}

fn post(body: &str) -> String {
    format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn ask(address: SocketAddr, request: &str) -> String {
    let mut heard = Vec::new();
    if let Ok(mut socket) = TcpStream::connect(address) {
        let _ = socket.set_read_timeout(Some(Duration::from_secs(30)));
        // It may answer before it has all.
        let _ = socket.write_all(request.as_bytes());
        let _ = socket.read_to_end(&mut heard);
    }
    String::from_utf8_lossy(&heard).into_owned()
}

/// Begins so many requests, and sends a byte of each now and then.
fn trickle(address: SocketAddr, count: usize, beginning: &str, seconds: u64) {
    let mut sockets: Vec<TcpStream> = (0..count).filter_map(|_| TcpStream::connect(address).ok()).collect();
    for socket in &mut sockets {
        let _ = socket.write_all(beginning.as_bytes());
    }
    let until = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < until {
        for socket in &mut sockets {
            let _ = socket.write_all(b"x");
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn heads(address: SocketAddr, quick: bool) {
    trickle(address, 600, "GET / HTTP/1.1\r\nx: ", if quick { 3 } else { 20 });
}

fn bodies(address: SocketAddr, quick: bool) {
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\ncontent-length: 15000000\r\n\r\n"
    );
    trickle(address, 200, &head, if quick { 3 } else { 20 });
}

/// Streams of a megabyte that nobody reads.
fn unread(address: SocketAddr, quick: bool) {
    let body = json!({"stream": true, "messages": [{"role": "user", "content": "at length"}]}).to_string();
    let mut sockets: Vec<TcpStream> = (0..64).filter_map(|_| TcpStream::connect(address).ok()).collect();
    for socket in &mut sockets {
        let _ = socket.write_all(post(&body).as_bytes());
    }
    std::thread::sleep(Duration::from_secs(if quick { 3 } else { 20 }));
}

/// The same request from so many at once.
fn at_once(address: SocketAddr, count: usize, request: &str) {
    std::thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| ask(address, request));
        }
    });
}

fn messages(address: SocketAddr, _: bool) {
    let message = r#"{"role":"user","content":"x"}"#;
    at_once(address, 6, &post(&format!("{{\"messages\":[{}]}}", [message].repeat(450_000).join(","))));
}

fn tools(address: SocketAddr, _: bool) {
    let tools: Vec<String> = (0..100_000)
        .map(|n| format!(r#"{{"type":"function","function":{{"name":"f{n}","parameters":{{}}}}}}"#))
        .collect();
    let body = format!(r#"{{"messages":[{{"role":"user","content":"x"}}],"tools":[{}]}}"#, tools.join(","));
    at_once(address, 6, &post(&body));
}

fn tokens(address: SocketAddr, quick: bool) {
    for n in 0..if quick { 200 } else { 2_000 } {
        let request = format!(
            "GET /v1/models HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer wrong-{n}\r\nconnection: close\r\n\r\n"
        );
        ask(address, &request);
    }
}

/// Requests without a session, of 400 kB each.
fn large(address: SocketAddr, quick: bool) {
    let request = chat(&"word ".repeat(80_000));
    for _ in 0..if quick { 5 } else { 25 } {
        at_once(address, 8, &request);
    }
}
