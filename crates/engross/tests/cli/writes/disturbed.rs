//! What happens around a write while something fails: the process is killed, nobody takes the traces, the disk is not as it
//! was left.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::desk::TestBench;
use crate::serve::Server;

fn lines(count: usize) -> String {
    (0..count)
        .map(|at| format!("Line {at} of a file that is written while servers die, ünï © 漢.\n"))
        .collect()
}

/// A model that writes `file` slowly, and from the beginning again when it is asked to go on.
fn slow_model(file: &str) -> ModelServer {
    ModelServer::start(json!({"turns": [
        {"when": {"last_role": "user", "contains": "Write"}, "times": 0,
         "tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": "a.md", "operation": "create"}}]},
        {"when": {"last_role": "tool", "contains": "awaiting_content"}, "times": 0, "delay_ms": 2,
         "text": format!("{file}DONE\n")},
        {"when": {"last_role": "user", "contains": "is not complete"}, "times": 0, "text": format!("{file}DONE\n")},
        {"when": {"last_role": "tool", "contains": "\"complete\""}, "times": 0, "text": "It is written."}
    ]}))
}

/// The durable bytes of the one write session there is.
fn durable(server: &Server) -> u64 {
    let (_, list) = server.get("/v1/write-sessions").unwrap();
    list["data"][0]["offset"].as_u64().unwrap_or_default()
}

/// Sends a message and does not wait for the answer.
fn post(server: &Server, headers: &str, body: &Value) -> TcpStream {
    let body = body.to_string();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\n{headers}content-length: {}\r\n\r\n{body}",
        server.address(),
        body.len()
    )
    .unwrap();
    stream
}

/// Case 46, through the whole program: the server dies while its model writes, and the same message, sent again, ends in
/// the exact file.
#[test]
fn case_46_a_server_that_is_killed_while_a_model_writes_goes_on_behind_what_is_durable() {
    let content = lines(1_500);
    let body = json!({"messages": [{"role": "user", "content": "Write it."}]});
    for (least, streams) in [(100, true), (6_000, false)] {
        let desk = TestBench::new();
        let model = slow_model(&content);
        let spec = format!("openai-compatible:{}/v1#m", model.url());
        let start = || Server::try_start(desk.path("").as_path(), &["--model", &spec]).unwrap();
        let server = start();
        assert_eq!(server.send("PUT", "/v1/workspaces/w/files/there.txt", &[], b"x").unwrap().0, 201);
        let mut streamed = body.clone();
        streamed["stream"] = json!(streams);
        let headers = "x-engross-session-key: s\r\nx-engross-workspace: w\r\nidempotency-key: k\r\n";
        let open = post(&server, headers, &streamed);
        let since = Instant::now();
        let mut seen = 0;
        while seen < least {
            assert!(since.elapsed() < Duration::from_secs(20), "only {seen} bytes are durable");
            std::thread::sleep(Duration::from_millis(10));
            seen = durable(&server);
        }
        server.kill();
        drop(open);
        let server = start();
        let kept = durable(&server);
        assert!((seen..content.len() as u64).contains(&kept), "{seen} bytes were durable, {kept} are there");
        assert_eq!(server.send("GET", "/v1/workspaces/w/files/a.md", &[], b"").unwrap().0, 404);
        let headers =
            [("x-engross-session-key", "s"), ("x-engross-workspace", "w"), ("idempotency-key", "k")];
        let (status, answer) = server.post("/v1/chat/completions", &headers, &body).unwrap();
        assert_eq!((status, &answer["choices"][0]["message"]["content"]), (200, &json!("It is written.")));
        let (status, file) = server.send("GET", "/v1/workspaces/w/files/a.md", &[], b"").unwrap();
        assert_eq!(status, 200);
        assert!(file == content.as_bytes(), "{} bytes of {}", file.len(), content.len());
        let asked = model.requests();
        let again = asked.iter().filter(|asked| asked.body.to_string().contains("is not complete")).count();
        assert!(again >= 1, "the model was asked to go on");
    }
}

/// A collector that takes spans; gives their bytes.
fn collector() -> (String, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).is_ok() && !line.trim().is_empty() {
                let lower = line.to_ascii_lowercase();
                if let Some(value) = lower.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            let _ = reader.read_exact(&mut body);
            let _ = sender.send(body);
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _ = reader.into_inner().write_all(answer);
        }
    });
    (address, receiver)
}

const SECRET: &str = "the-words-of-the-file";

/// A server whose model writes a file with the secret in it; the file, and what the server has told meanwhile.
fn written_under(desk: &TestBench, endpoint: &str) -> (String, String) {
    let content = format!("# Title\n\n{}{SECRET}\n{}", lines(20), lines(300));
    let script = json!({"turns": [
        {"when": {"last_role": "user"}, "text": "",
         "tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": "a.md", "operation": "create"}}]},
        {"when": {"last_role": "tool", "contains": "awaiting_content"}, "text": format!("{content}DONE\n")},
        {"when": {"last_role": "tool"}, "text": "It is written."}
    ]});
    desk.put("script.json", script.to_string().as_bytes());
    let spec = format!("script:{}", desk.path("script.json").display());
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint), ("OTEL_TRACES_SAMPLER", "always_on")];
    let mut server =
        Server::try_start_with(desk.path("").as_path(), &["--model", &spec], &variables).unwrap();
    assert_eq!(server.send("PUT", "/v1/workspaces/w/files/there.txt", &[], b"x").unwrap().0, 201);
    let headers = [("x-engross-session-key", "s"), ("x-engross-workspace", "w")];
    let body = json!({"messages": [{"role": "user", "content": "Write it."}]});
    let (status, answer) = server.post("/v1/chat/completions", &headers, &body).unwrap();
    assert_eq!((status, &answer["choices"][0]["message"]["content"]), (200, &json!("It is written.")));
    let (_, file) = server.send("GET", "/v1/workspaces/w/files/a.md", &[], b"").unwrap();
    assert_eq!(String::from_utf8(file).unwrap(), content);
    let mut told = answer.to_string();
    for path in ["/v1/sessions/s", "/v1/sessions/s/events", "/v1/write-sessions"] {
        told.push_str(&server.get_text(path).unwrap());
    }
    let pid = server.child().id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(server.child().wait().unwrap().success());
    (content, told)
}

/// Whether any file below `folder` holds the secret.
fn holds_secret(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() { holds_secret(&path) } else { has_secret(&std::fs::read(&path).unwrap()) }
    })
}

fn has_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|bytes| bytes == SECRET.as_bytes())
}

#[test]
fn case_24_no_row_of_a_trace_and_nothing_that_is_told_holds_content() {
    let desk = TestBench::new();
    let (address, posted) = collector();
    let (_, told) = written_under(&desk, &address);
    assert!(!told.contains(SECRET), "{told}");
    let spans: Vec<Vec<u8>> = posted.try_iter().collect();
    let is_told = |name: &str| spans.iter().any(|span| String::from_utf8_lossy(span).contains(name));
    // Spans are sent only by a program that was built with them.
    if cfg!(feature = "otel") {
        assert!(is_told("turn"), "the turn is in the trace: {spans:?}");
    }
    assert!(!spans.iter().any(|span| has_secret(span)), "{spans:?}");
    // The log of the session neither: the one place is the file.
    for entry in std::fs::read_dir(desk.path("data")).unwrap() {
        let path = entry.unwrap().path();
        let is_secret = if path.is_dir() { false } else { has_secret(&std::fs::read(&path).unwrap()) };
        assert!(!is_secret, "{path:?}");
    }
    assert!(holds_secret(&desk.path("data")), "the file itself is somewhere below");
}

#[test]
fn case_77_a_file_is_written_whether_or_not_somebody_takes_its_trace() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    for endpoint in [&*silent, "http://127.0.0.1:1", "no address"] {
        written_under(&TestBench::new(), endpoint);
    }
}
