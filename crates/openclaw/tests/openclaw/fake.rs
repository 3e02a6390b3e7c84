//! A gateway that does what a test says: it checks the login by itself, hands over every request, and sends what it is given.
#![expect(clippy::needless_pass_by_value, reason = "what is sent is written where it is sent")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::{SinkExt, StreamExt};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;

use engross_testkit::task_requests::within;

/// A request that waits for its answer.
#[derive(Debug)]
pub struct RecordedRequest {
    pub id: String,
    pub method: String,
    pub params: Value,
}

pub struct FakeGateway {
    pub url: String,
    asked: mpsc::UnboundedReceiver<RecordedRequest>,
    shared: Arc<GatewayState>,
    _tasks: JoinSet<()>,
}

#[derive(Default)]
struct GatewayState {
    /// To the client; gone when the line is cut.
    line: Mutex<Option<mpsc::UnboundedSender<Message>>>,
    /// Nobody is let in.
    is_shut: AtomicBool,
    /// What a login is answered with instead of a greeting.
    refusal: Mutex<Option<Value>>,
    /// More of the greeting's policy.
    policy: Mutex<Value>,
    lines: AtomicU64,
}

impl FakeGateway {
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}", listener.local_addr().unwrap());
        let (sender, asked) = mpsc::unbounded_channel();
        let shared = Arc::new(GatewayState::default());
        let (mut tasks, state) = (JoinSet::new(), Arc::clone(&shared));
        tasks.spawn(async move {
            let mut lines = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                if !state.is_shut.load(Ordering::SeqCst) {
                    lines.spawn(serve(stream, Arc::clone(&state), sender.clone()));
                }
            }
        });
        Self { url, asked, shared, _tasks: tasks }
    }

    /// The next request, which must be of this method.
    pub async fn asked(&mut self, method: &str) -> RecordedRequest {
        loop {
            let asked = within(self.asked.recv()).await.expect("a request");
            // A line that has just come up may have the standing of a run asked twice.
            if asked.method == "agent.wait" && method != "agent.wait" {
                self.ok(&asked, json!({ "runId": asked.params["runId"], "status": "timeout" }));
                continue;
            }
            assert_eq!(asked.method, method, "{}", asked.params);
            return asked;
        }
    }

    /// Whether nothing was asked so far.
    pub fn is_idle(&mut self) -> bool {
        self.asked.try_recv().is_err()
    }

    pub fn ok(&self, asked: &RecordedRequest, payload: Value) {
        self.send(&json!({ "type": "res", "id": asked.id, "ok": true, "payload": payload }));
    }

    pub fn refuse(&self, asked: &RecordedRequest, error: Value) {
        self.send(&json!({ "type": "res", "id": asked.id, "ok": false, "error": error }));
    }

    pub fn event(&self, name: &str, payload: Value) {
        self.send(&json!({ "type": "event", "event": name, "payload": payload, "seq": 1 }));
    }

    pub fn send(&self, frame: &Value) {
        let line = self.shared.line.lock().unwrap();
        // A line that was cut takes nothing.
        if let Some(line) = &*line {
            let _ = line.send(Message::text(frame.to_string()));
        }
    }

    /// Cuts the line.
    pub fn cut(&self) {
        *self.shared.line.lock().unwrap() = None;
    }

    /// Cuts the line and lets nobody in.
    pub fn shut(&self) {
        self.shared.is_shut.store(true, Ordering::SeqCst);
        self.cut();
    }

    /// Lets clients in again.
    pub fn unshut(&self) {
        self.shared.is_shut.store(false, Ordering::SeqCst);
    }

    pub fn refuse_logins(&self, error: Value) {
        *self.shared.refusal.lock().unwrap() = Some(error);
    }

    pub fn set_policy(&self, policy: Value) {
        *self.shared.policy.lock().unwrap() = policy;
    }

    /// How many lines there were.
    pub fn lines(&self) -> u64 {
        self.shared.lines.load(Ordering::SeqCst)
    }

    /// Says that it does not have the plugin.
    pub async fn without_plugin(&mut self) {
        let asked = self.asked("xworkmate.session.prepare").await;
        self.refuse(
            &asked,
            json!({ "code": "INVALID_REQUEST", "message": format!("unknown method: {}", asked.method) }),
        );
    }

    /// Accepts a turn.
    pub async fn accept(&mut self) -> Value {
        let asked = self.asked("chat.send").await;
        self.ok(&asked, json!({ "runId": asked.params["idempotencyKey"], "status": "started" }));
        asked.params
    }
}

async fn serve(stream: TcpStream, shared: Arc<GatewayState>, asked: mpsc::UnboundedSender<RecordedRequest>) {
    let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
    let nonce = format!("nonce-{}", shared.lines.fetch_add(1, Ordering::SeqCst));
    let challenge =
        json!({ "type": "event", "event": "connect.challenge", "payload": { "nonce": nonce, "ts": 1 } });
    socket.send(Message::text(challenge.to_string())).await.unwrap();
    let Some(Ok(Message::Text(login))) = socket.next().await else { return };
    let login: Value = serde_json::from_str(&login).unwrap();
    check(&login["params"], &nonce);
    let refusal = shared.refusal.lock().unwrap().clone();
    let answer = match refusal {
        Some(error) => json!({ "type": "res", "id": login["id"], "ok": false, "error": error }),
        None => {
            let mut policy =
                json!({ "maxPayload": 26_214_400, "maxBufferedBytes": 52_428_800, "tickIntervalMs": 30_000 });
            if let Value::Object(more) = shared.policy.lock().unwrap().clone() {
                policy.as_object_mut().unwrap().extend(more);
            }
            let hello = json!({ "type": "hello-ok", "protocol": 4, "policy": policy });
            json!({ "type": "res", "id": login["id"], "ok": true, "payload": hello })
        }
    };
    let (sender, mut line) = mpsc::unbounded_channel();
    *shared.line.lock().unwrap() = Some(sender);
    socket.send(Message::text(answer.to_string())).await.unwrap();
    loop {
        tokio::select! {
            message = line.recv() => match message {
                Some(message) => if socket.send(message).await.is_err() { return },
                None => return,
            },
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(frame["type"], "req");
                    let word = |name: &str| frame[name].as_str().unwrap().to_owned();
                    let _ = asked.send(RecordedRequest { id: word("id"), method: word("method"), params: frame["params"].clone() });
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            },
        }
    }
}

/// A login must be signed as a gateway checks it.
fn check(params: &Value, nonce: &str) {
    let device = &params["device"];
    let bytes = |name: &str| URL_SAFE_NO_PAD.decode(device[name].as_str().unwrap()).unwrap();
    let scopes: Vec<&str> =
        params["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap()).collect();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let signed = format!(
        "v2|{}|{}|{}|{}|{}|{}|{}|{nonce}",
        word(&device["id"]),
        word(&params["client"]["id"]),
        word(&params["client"]["mode"]),
        word(&params["role"]),
        scopes.join(","),
        device["signedAt"],
        word(&params["auth"]["token"]),
    );
    let key = UnparsedPublicKey::new(&ED25519, bytes("publicKey"));
    assert!(key.verify(signed.as_bytes(), &bytes("signature")).is_ok(), "the signature");
    assert_eq!(device["nonce"], *nonce);
    assert_eq!(params["auth"]["token"], "secret");
    assert!(params["minProtocol"].as_u64().unwrap() <= 3 && params["maxProtocol"].as_u64().unwrap() >= 4);
}
