//! Spans of turns for a collector, and collectors that do not take them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::serve::{SCRIPT, Server, said};

/// A request that a collector got: its first line and its body.
type PostedSpans = (String, Vec<u8>);

/// A collector at the address that is returned, which takes what it gets.
fn collector() -> (String, Receiver<PostedSpans>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = sender.send(take(stream.unwrap()));
        }
    });
    (address, receiver)
}

fn take(mut stream: TcpStream) -> PostedSpans {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
    (first.trim_end().to_owned(), body)
}

fn serve(folder: &Path, endpoint: &str) -> Server {
    let script = folder.join("script.json");
    std::fs::write(&script, SCRIPT).unwrap();
    let model = format!("script:{}", script.display());
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint), ("OTEL_TRACES_SAMPLER", "always_on")];
    Server::try_start_with(folder, &["--model", &model], &variables).unwrap()
}

/// Asks the server to stop; says how long that took.
fn stop(mut server: Server) -> Duration {
    let began = Instant::now();
    let pid = server.child.as_ref().unwrap().id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(server.child().wait().unwrap().success());
    began.elapsed()
}

fn contains(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|bytes| bytes == text.as_bytes())
}

#[test]
fn a_turn_is_told_to_the_collector_before_the_server_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (address, posted) = collector();
    let server = serve(folder.path(), &address);
    assert_eq!(server.chat("s", "1", &said("a word in confidence")).unwrap().0, 200);
    let (_, about) = server.send("GET", "/v1/sessions/s", &[], b"").unwrap();
    let about: Value = serde_json::from_slice(&about).unwrap();
    let session = about["id"].as_str().unwrap();
    let took = stop(server);
    assert!(took < Duration::from_secs(4), "{took:?}");
    let (line, body) = posted.try_recv().unwrap();
    assert_eq!(line, "POST /v1/traces HTTP/1.1");
    let words = ["engross", "turn", "model_call", "finish", "stop", "script:", session];
    let missing: Vec<&&str> = words.iter().filter(|word| !contains(&body, word)).collect();
    assert!(missing.is_empty(), "{missing:?} in {}", String::from_utf8_lossy(&body));
    assert!(!contains(&body, "confidence") && !contains(&body, "so be it"), "nothing that was said");
}

#[test]
fn no_turn_depends_on_the_collector() {
    // One that takes connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    for endpoint in [&*silent, "http://127.0.0.1:1", "no address"] {
        let folder = tempfile::tempdir().unwrap();
        let server = serve(folder.path(), endpoint);
        for n in 0..20 {
            assert_eq!(server.chat("s", &n.to_string(), &said("hello")).unwrap().0, 200);
        }
        let took = stop(server);
        assert!(took < Duration::from_secs(9), "{endpoint}: {took:?}");
    }
}
