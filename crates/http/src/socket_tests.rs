//! What only shows on a real connection: refused bodies that can be read, heartbeats, and clients that go away.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use engross_agent::session::{AnswerFinish, PositionedEvent, TurnEvent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{ConnectionLimits, Limits, app, serve};
use crate::testing::fake::{Fake, server, text};

/// A server that runs as long as this.
struct Running {
    fake: Fake,
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

async fn run(limits: Limits) -> Running {
    let fake = Fake::default();
    let mut server = server(&fake);
    server.limits = limits;
    let router = app(Arc::new(server), axum::Router::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(serve(listener, None, router, ConnectionLimits::default(), std::future::pending()));
    Running { fake, address, _tasks: tasks }
}

impl Running {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

fn quick() -> Limits {
    Limits { heartbeat: Duration::from_millis(40), ..Limits::default() }
}

fn head(fields: &str) -> String {
    format!("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n{fields}\r\n\r\n")
}

fn request(stream: bool) -> String {
    let body = format!(r#"{{"stream":{stream},"messages":[{{"role":"user","content":"Hi"}}]}}"#);
    head(&format!("content-length: {}", body.len())) + &body
}

async fn read_until(socket: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    let mut piece = [0; 4096];
    let read = async {
        while !text.contains(end) {
            let length = socket.read(&mut piece).await.unwrap();
            assert!(length > 0, "closed before {end:?}: {text}");
            text.push_str(str::from_utf8(&piece[..length]).unwrap());
        }
    };
    timeout(Duration::from_secs(20), read).await.unwrap();
    text
}

#[tokio::test]
async fn a_body_that_is_too_large_gets_an_answer_that_can_be_read() {
    let limit = 1024 * 1024;
    let running = run(Limits { body: limit, ..Limits::default() }).await;
    let piece = vec![b' '; 64 * 1024];
    for (fields, chunked) in [("content-length: 8388608", false), ("transfer-encoding: chunked", true)] {
        let mut socket = running.connect().await;
        socket.write_all(head(fields).as_bytes()).await.unwrap();
        for _ in 0..(8 * limit / piece.len()) {
            if chunked {
                socket.write_all(b"10000\r\n").await.unwrap();
            }
            socket.write_all(&piece).await.unwrap();
            if chunked {
                socket.write_all(b"\r\n").await.unwrap();
            }
        }
        if chunked {
            socket.write_all(b"0\r\n\r\n").await.unwrap();
        }
        let answer = read_until(&mut socket, "}}").await;
        assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("BODY_TOO_LARGE"), "{answer}");
        // The connection goes on.
        running.fake.answer(text("still here"));
        socket.write_all(request(false).as_bytes()).await.unwrap();
        read_until(&mut socket, "still here").await;
    }
}

/// Whatever a route thinks of a request, its client comes to the answer, also one that sends all before it reads.
#[tokio::test]
async fn an_answer_that_came_before_the_body_can_be_read() {
    let running = run(Limits::default()).await;
    let body = vec![b' '; 8 << 20];
    let places = [
        "POST /v1/nowhere",
        "PUT /v1/chat/completions",
        "POST /v1/models",
        "PATCH /v1/write-sessions/w_1/content",
        "PUT /v1/workspaces/a/files/..%2Fb",
        "DELETE /v1/sessions/nobody",
        "POST /nowhere/at/all",
    ];
    for place in places {
        let mut socket = running.connect().await;
        let head = format!("{place} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", body.len());
        socket.write_all(head.as_bytes()).await.unwrap();
        socket.write_all(&body).await.unwrap_or_else(|error| panic!("{place}: {error}"));
        let answer = read_until(&mut socket, "\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 "), "{place}: {answer}");
        // The connection goes on.
        socket.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        read_until(&mut socket, "\"live\"").await;
    }
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_before_it_sends() {
    let running = run(Limits { body: 10, ..Limits::default() }).await;
    for length in ["11", "99999999999999"] {
        let mut socket = running.connect().await;
        let fields = format!("expect: 100-continue\r\ncontent-length: {length}");
        socket.write_all(head(&fields).as_bytes()).await.unwrap();
        assert!(read_until(&mut socket, "}}").await.starts_with("HTTP/1.1 413 "));
    }
}

#[tokio::test]
async fn a_body_that_stops_coming_is_given_up() {
    let running = run(Limits { body_idle: Duration::from_millis(50), ..Limits::default() }).await;
    let mut socket = running.connect().await;
    socket.write_all((head("content-length: 100") + "{").as_bytes()).await.unwrap();
    let answer = read_until(&mut socket, "}}").await;
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("BODY_INCOMPLETE"), "{answer}");
}

#[tokio::test]
async fn a_silent_stream_has_a_heartbeat() {
    let running = run(quick()).await;
    let play = running.fake.play();
    let mut socket = running.connect().await;
    socket.write_all(request(true).as_bytes()).await.unwrap();
    let heard = read_until(&mut socket, ": hb\n\n").await;
    assert!(heard.starts_with("HTTP/1.1 200 ") && heard.contains("\"role\":\"assistant\""), "{heard}");
    read_until(&mut socket, ": hb\n\n").await;
    play.send(PositionedEvent { position: 2, event: TurnEvent::Text("ok".to_owned()) }).unwrap();
    read_until(&mut socket, "\"content\":\"ok\"").await;
    read_until(&mut socket, ": hb\n\n").await;
    play.send(PositionedEvent {
        position: 3,
        event: TurnEvent::Done { finish: AnswerFinish::Stop, usage: None },
    })
    .unwrap();
    read_until(&mut socket, "data: [DONE]\n\n").await;
}

#[tokio::test]
async fn text_is_sent_as_it_comes() {
    let running = run(Limits::default()).await;
    let play = running.fake.play();
    let mut socket = running.connect().await;
    socket.write_all(request(true).as_bytes()).await.unwrap();
    for (position, piece) in [(1, "a"), (2, "b"), (3, "c")] {
        play.send(PositionedEvent { position, event: TurnEvent::Text(piece.to_owned()) }).unwrap();
        read_until(&mut socket, &format!("\"content\":\"{piece}\"")).await;
    }
}

#[tokio::test]
async fn the_service_learns_that_a_client_went_away() {
    let running = run(quick()).await;
    let mut dropped = 0;
    for stream in [true, false] {
        for starts in [true, false] {
            let play = running.fake.play();
            let mut socket = running.connect().await;
            socket.write_all(request(stream).as_bytes()).await.unwrap();
            if starts {
                play.send(PositionedEvent { position: 2, event: TurnEvent::Text("ok".to_owned()) }).unwrap();
            }
            if stream {
                read_until(&mut socket, "\"role\":\"assistant\"").await;
            } else {
                while running.fake.submitted().is_empty() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
            drop(socket);
            dropped += 1;
            running.fake.wait_for_dropped(dropped).await;
            drop(play);
        }
    }
}
