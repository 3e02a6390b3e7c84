//! A model provider on a loopback port that answers from a script, in the three formats that engross speaks, with the
//! faults that real ones have. The script's JSON is that of `script:` models; besides, a turn may have `echo` in place of `text`,
//! and with `record: false` the requests are not kept.
//!
//! Must never share code with the client it tests, nor listen beyond loopback.
#![expect(clippy::expect_used, reason = "a test that cannot set up its server has failed")]

mod formats;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use formats::{Api, event, fits, last_text};

/// The server; it stops when dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<ServerState>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCall {
    /// Path and query.
    pub path: String,
    /// Headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// JSON body.
    pub body: Value,
}

struct ServerState {
    script: Value,
    /// Bytes per HTTP chunk; a whole event when `None`.
    split: Option<usize>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    requests: Vec<RecordedCall>,
    /// How many came, also where they are not kept.
    asked: usize,
    /// How often each turn was given.
    given: BTreeMap<usize, u64>,
    hang_ups: usize,
}

impl ModelServer {
    /// Serves `script`, one HTTP chunk per event.
    #[must_use]
    pub fn start(script: Value) -> Self {
        Self::serve(script, None)
    }

    /// Serves `script` in HTTP chunks of `bytes` bytes, which cut events and characters anywhere.
    #[must_use]
    pub fn start_splitting(script: Value, bytes: usize) -> Self {
        Self::serve(script, Some(bytes))
    }

    /// `http://127.0.0.1:PORT`
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedCall> {
        self.shared.state().requests.clone()
    }

    /// How many clients closed the connection while an answer hung.
    #[must_use]
    pub fn hang_ups(&self) -> usize {
        self.shared.state().hang_ups
    }

    fn serve(script: Value, split: Option<usize>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a non-blocking listener");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(ServerState { script, split, state: Mutex::default() });
        let (stop, stopped) = oneshot::channel();
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(accept(listener, for_thread, stopped));
        });
        Self { address, shared, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl ServerState {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no test thread died holding it")
    }

    fn turn(&self, api: Api, body: &Value) -> (Value, usize) {
        let mut state = self.state();
        let count = state.asked;
        let turns = self.script["turns"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (index, turn) in turns.iter().enumerate() {
            let times = turn["times"].as_u64().unwrap_or(1);
            let given = state.given.entry(index).or_default();
            if (times == 0 || *given < times) && fits(&turn["when"], api, body) {
                *given += 1;
                return (echoed(turn.clone(), api, body), count);
            }
        }
        let usual = self.script.get("default").cloned().unwrap_or_else(|| json!({"text": "ok"}));
        (echoed(usual, api, body), count)
    }
}

impl State {
    fn hear(&mut self, request: &RecordedCall, keeps: bool) {
        self.asked += 1;
        if keeps {
            self.requests.push(request.clone());
        }
    }
}

/// A turn with `echo` says that, and then what it was told last.
fn echoed(mut turn: Value, api: Api, body: &Value) -> Value {
    if let Some(before) = turn["echo"].as_str() {
        turn["text"] = json!(format!("{before}{}", last_text(api, body)));
    }
    turn
}

async fn accept(
    listener: std::net::TcpListener,
    shared: Arc<ServerState>,
    mut stopped: oneshot::Receiver<()>,
) {
    let listener = TcpListener::from_std(listener).expect("a listener");
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    connections.spawn(connection(stream, Arc::clone(&shared)));
                }
            }
        }
    }
}

async fn connection(mut stream: TcpStream, shared: Arc<ServerState>) {
    let _ = stream.set_nodelay(true);
    let mut buffer = Vec::new();
    while let Some(request) = read_request(&mut stream, &mut buffer).await {
        shared.state().hear(&request, shared.script["record"] != json!(false));
        let is_open = answer(&mut stream, &shared, &request).await;
        if !is_open {
            return;
        }
    }
}

async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<RecordedCall> {
    let head_end = loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let rest = buffer.split_off(head_end + 4);
    let head = String::from_utf8(std::mem::replace(buffer, rest)).ok()?;
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while buffer.len() < length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let rest = buffer.split_off(length);
    let body = serde_json::from_slice(&std::mem::replace(buffer, rest)).unwrap_or(Value::Null);
    Some(RecordedCall { path, headers, body })
}

/// Answers, and says whether the connection can be used again.
async fn answer(stream: &mut TcpStream, shared: &ServerState, request: &RecordedCall) -> bool {
    let Some(api) = Api::of(&request.path) else {
        return plain(stream, 404, "", &json!({"error": {"message": "there is nothing here"}})).await;
    };
    let (turn, count) = shared.turn(api, &request.body);
    let fault = &turn["fault"];
    let kind = fault["kind"].as_str().unwrap_or_default();
    pause(&turn["first_delay_ms"]).await;
    if kind == "status" {
        let code = fault["code"].as_u64().unwrap_or(500);
        let mut headers = String::new();
        if let Some(seconds) = fault["retry_after"].as_u64() {
            headers = format!("retry-after: {seconds}\r\n");
        }
        if let Some(location) = fault["location"].as_str() {
            headers = format!("location: {location}\r\n");
        }
        return plain(stream, code, &headers, &api.error(fault, "scripted failure")).await;
    }
    if kind == "empty" {
        return plain(stream, 200, "", &json!({"choices": []})).await;
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    if stream.write_all(head.as_bytes()).await.is_err() {
        return false;
    }
    let after = fault["after"].as_u64().unwrap_or(2);
    for (number, piece) in api.pieces(&turn, &request.body, count).into_iter().enumerate() {
        if number as u64 == after && fail(stream, shared, api, fault, &piece).await {
            return false;
        }
        let says_the_end = ["\"finish_reason\":\"", "\"stop_reason\":\"", "finishReason"];
        let twice = kind == "duplicate_finish" && says_the_end.iter().any(|field| piece.contains(field));
        for _ in 0..=usize::from(twice) {
            if !send(stream, &piece, shared.split).await {
                return false;
            }
        }
        pause(&turn["delay_ms"]).await;
    }
    stream.write_all(b"0\r\n\r\n").await.is_ok()
}

/// Lets go wrong what shall in place of `piece`; `false` if the fault is of another sort.
async fn fail(stream: &mut TcpStream, shared: &ServerState, api: Api, fault: &Value, piece: &str) -> bool {
    let last_words = match fault["kind"].as_str().unwrap_or_default() {
        "truncate" => String::new(),
        "bad_sse" => "data: {\"choices\":[{\"delta\":\n\n".to_owned(),
        "error_event" => event("", &api.error(fault, "scripted in-stream failure")),
        "disconnect" => {
            let _ = stream.set_zero_linger();
            return true;
        }
        "cut" => {
            let half = &piece.as_bytes()[..piece.len() / 2];
            let _ = stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await;
            let _ = stream.write_all(half).await;
            return true;
        }
        "hang" => {
            let patience = Duration::from_secs(fault["seconds"].as_u64().unwrap_or(3600));
            if let Ok(Ok(0) | Err(_)) = tokio::time::timeout(patience, stream.read(&mut [0; 64])).await {
                shared.state().hang_ups += 1;
            }
            return true;
        }
        _ => return false,
    };
    send(stream, &last_words, shared.split).await;
    let _ = stream.write_all(b"0\r\n\r\n").await;
    let _ = stream.shutdown().await;
    true
}

async fn send(stream: &mut TcpStream, text: &str, split: Option<usize>) -> bool {
    for part in text.as_bytes().chunks(split.unwrap_or(usize::MAX)) {
        let mut chunk = format!("{:x}\r\n", part.len()).into_bytes();
        chunk.extend_from_slice(part);
        chunk.extend_from_slice(b"\r\n");
        if stream.write_all(&chunk).await.is_err() {
            return false;
        }
    }
    true
}

async fn plain(stream: &mut TcpStream, status: u64, headers: &str, body: &Value) -> bool {
    let body = body.to_string();
    let length = body.len();
    let response = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(response.as_bytes()).await.is_ok()
}

async fn pause(milliseconds: &Value) {
    if let Some(milliseconds) = milliseconds.as_u64() {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
}
