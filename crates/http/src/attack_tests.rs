//! Clients that mean ill, against a server on a loopback socket with bounds small enough for a test: `/healthz` answers within a
//! second throughout.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engross_agent::session::{PositionedEvent, TurnEvent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{BodyBudget, ConnectionLimits, Limits, Token, app, serve};
use crate::testing::fake::{Fake, server, text};

/// Connections that the server has room for.
const ROOM: usize = 24;

struct Victim {
    fake: Fake,
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

fn quick() -> ConnectionLimits {
    ConnectionLimits {
        connections: ROOM,
        head: Duration::from_millis(800),
        idle: Duration::from_secs(2),
        unread: Duration::from_millis(500),
    }
}

async fn victim(connections: ConnectionLimits, token: Option<&str>, limits: Limits) -> Victim {
    let fake = Fake::default();
    let mut server = server(&fake);
    server.limits = limits;
    server.access.token = token.map(Token::new);
    let routes = app(Arc::new(server), axum::Router::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(serve(listener, None, routes, connections, std::future::pending()));
    Victim { fake, address, _tasks: tasks }
}

impl Victim {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends bytes over a connection of its own, and gives what comes back until the server closes it.
    async fn ask(&self, request: &str) -> String {
        let mut socket = self.connect().await;
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = timeout(Duration::from_secs(10), socket.read_to_end(&mut answer)).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    async fn is_well(&self) {
        let began = Instant::now();
        let answer = self.ask("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
        assert!(answer.contains("\"status\":\"live\""), "after {:?}: {answer:?}", began.elapsed());
        assert!(began.elapsed() < Duration::from_secs(1), "it took {:?}", began.elapsed());
    }
}

/// Whether the server closes the connection within `patience`.
async fn is_closed(socket: &mut TcpStream, patience: Duration) -> bool {
    let mut rest = [0; 1024];
    let closed = async {
        // What an answer says does not matter here, nor whether the connection is reset.
        while matches!(socket.read(&mut rest).await, Ok(length) if length > 0) {}
    };
    timeout(patience, closed).await.is_ok()
}

#[tokio::test]
async fn heads_that_never_end_take_nobodys_place() {
    let victim = victim(quick(), Some("t"), Limits::default()).await;
    let mut held = Vec::new();
    for _ in 0..ROOM * 4 {
        let mut socket = victim.connect().await;
        socket.write_all(b"GET / HTTP/1.1\r\nx: ").await.unwrap();
        held.push(socket);
    }
    for _ in 0..3 {
        victim.is_well().await;
        for socket in &mut held {
            let _ = socket.write_all(b"y").await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // A byte now and then does not keep a head open.
    for socket in &mut held {
        assert!(is_closed(socket, Duration::from_secs(4)).await);
    }
}

#[tokio::test]
async fn a_connection_that_asks_nothing_is_closed() {
    let limits = ConnectionLimits { idle: Duration::from_millis(300), ..quick() };
    let victim = victim(limits, None, Limits::default()).await;
    let mut socket = victim.connect().await;
    assert!(is_closed(&mut socket, Duration::from_secs(3)).await, "before the first request");
    let mut socket = victim.connect().await;
    socket.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    assert!(is_closed(&mut socket, Duration::from_secs(3)).await, "and after it");
}

#[tokio::test]
async fn bodies_that_never_end_are_given_up() {
    let limits = Limits {
        body_idle: Duration::from_secs(5),
        body_whole: Duration::from_millis(600),
        ..Limits::default()
    };
    let victim = victim(quick(), None, limits).await;
    let mut held = Vec::new();
    for _ in 0..ROOM - 2 {
        let mut socket = victim.connect().await;
        socket
            .write_all(b"POST /v1/responses HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{")
            .await
            .unwrap();
        held.push(socket);
    }
    victim.is_well().await;
    let until = Instant::now() + Duration::from_secs(2);
    // A byte now and then does not keep a body open either.
    while Instant::now() < until {
        for socket in &mut held {
            let _ = socket.write_all(b" ").await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut answer = String::new();
    let _ = timeout(Duration::from_secs(3), held[0].read_to_string(&mut answer)).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    victim.is_well().await;
}

#[tokio::test]
async fn streams_that_nobody_reads_end_and_health_is_told_meanwhile() {
    let limits = Limits { heartbeat: Duration::from_millis(20), ..Limits::default() };
    let victim = victim(quick(), None, limits).await;
    let body = r#"{"stream":true,"messages":[{"role":"user","content":"Hi"}]}"#;
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut held = Vec::new();
    for _ in 0..ROOM + 6 {
        let play = victim.fake.play();
        let mut socket = victim.connect().await;
        socket.write_all(request.as_bytes()).await.unwrap();
        let piece = "word ".repeat(100_000);
        for number in 1..=12 {
            let event = TurnEvent::Text(piece.clone());
            let _ = play.send(PositionedEvent { position: number * piece.len() as u64, event });
        }
        held.push((socket, play));
    }
    victim.is_well().await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    // Their places are free again: a whole answer comes.
    victim.fake.answer(text("room again"));
    let mut heard = String::new();
    for _ in 0..20 {
        let body = r#"{"messages":[{"role":"user","content":"Hi"}]}"#;
        heard = victim
            .ask(&format!(
                "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            ))
            .await;
        if heard.contains("200 OK") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(heard.contains("200 OK"), "{heard}");
}

#[tokio::test]
async fn bodies_of_many_small_things_are_refused_before_they_become_values() {
    let victim = victim(quick(), None, Limits::default()).await;
    let message = r#"{"role":"user","content":"x"}"#;
    let tool = r#"{"type":"function","function":{"name":"t"}}"#;
    for (field, one, count) in
        [("messages", message, 450_000), ("messages", message, 60_000), ("tools", tool, 100_000)]
    {
        let body = format!("{{\"{field}\":[{}]}}", vec![one; count].join(","));
        let began = Instant::now();
        let answer = victim
            .ask(&format!(
                "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            ))
            .await;
        assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("\"param\":"), "{answer}");
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
    victim.is_well().await;
}

#[tokio::test]
async fn bodies_wait_for_room_and_are_refused_when_there_is_none() {
    let limits = Limits { bodies: BodyBudget::new(256 * 1024), ..Limits::default() };
    let victim = victim(quick(), None, limits).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut socket = victim.connect().await;
        let head = "POST /v1/responses HTTP/1.1\r\nhost: localhost\r\ncontent-length: 200000\r\n\r\n";
        socket.write_all(head.as_bytes()).await.unwrap();
        socket.write_all(&vec![b' '; 120_000]).await.unwrap();
        held.push(socket);
    }
    victim.is_well().await;
    let mut answer = String::new();
    let mut piece = [0; 1024];
    for socket in &mut held {
        if let Ok(Ok(length)) = timeout(Duration::from_secs(7), socket.read(&mut piece)).await {
            answer = String::from_utf8_lossy(&piece[..length]).into_owned();
            break;
        }
    }
    assert!(answer.starts_with("HTTP/1.1 429 ") && answer.contains("SERVER_BUSY"), "{answer}");
}

#[tokio::test]
async fn guessed_tokens_come_slowly() {
    let victim = victim(quick(), Some("right"), Limits::default()).await;
    let request = |token: &str| {
        format!(
            "GET /v1/models HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\r\n"
        )
    };
    let mut refused = 0;
    for guess in 0..40 {
        let answer = victim.ask(&request(&format!("guess{guess}"))).await;
        assert!(answer.starts_with("HTTP/1.1 401 ") || answer.starts_with("HTTP/1.1 429 "), "{answer}");
        refused += usize::from(answer.contains("TOO_MANY_ATTEMPTS"));
    }
    assert_eq!(refused, 20);
    assert!(
        victim.ask(&request("right")).await.starts_with("HTTP/1.1 429 "),
        "a right guess looks like a wrong one"
    );
    victim.is_well().await;
}
