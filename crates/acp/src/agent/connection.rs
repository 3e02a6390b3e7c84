//! The way to the editor: answers, updates, and requests of our own with the answers to them.
//!
//! Must never take an answer for one to another request, nor keep a question open when the editor has gone.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol_schema::v1::{Error as RpcError, RequestId, SessionNotification, SessionUpdate};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::transport::wire;

/// What the editor answers.
type Answer = Result<Value, RpcError>;

/// The way to the editor. Cheap to clone.
#[derive(Clone)]
pub(super) struct Connection {
    lines: mpsc::Sender<Vec<u8>>,
    next: Arc<AtomicI64>,
    questions: Arc<Mutex<HashMap<RequestId, oneshot::Sender<Answer>>>>,
}

impl Connection {
    /// What is said goes into `lines`.
    pub(super) fn new(lines: mpsc::Sender<Vec<u8>>) -> Self {
        Self { lines, next: Arc::default(), questions: Arc::default() }
    }

    /// Answers a request of the editor.
    pub(super) async fn answer(&self, id: &RequestId, answer: &Answer) {
        self.say(wire::answer(id, answer)).await;
    }

    /// Shows something in a session.
    pub(super) async fn update(&self, session: &str, update: SessionUpdate) {
        let update = SessionNotification::new(session.to_owned(), update);
        self.say(wire::notification("session/update", &update)).await;
    }

    /// Asks the editor. The receiver fails when the editor goes away.
    pub(super) async fn ask(&self, method: &str, params: &impl Serialize) -> oneshot::Receiver<Answer> {
        let id = self.next.fetch_add(1, Ordering::SeqCst);
        let (sender, receiver) = oneshot::channel();
        self.questions().insert(RequestId::Number(id), sender);
        self.say(wire::request(id, method, params)).await;
        receiver
    }

    /// Takes an answer of the editor; one that nobody waits for is dropped.
    pub(super) fn answered(&self, id: &RequestId, answer: Answer) {
        let asked = self.questions().remove(id);
        if let Some(asked) = asked {
            let _ = asked.send(answer);
        }
    }

    /// Nothing will be answered any more.
    pub(super) fn hang_up(&self) {
        self.questions().clear();
    }

    fn questions(&self) -> MutexGuard<'_, HashMap<RequestId, oneshot::Sender<Answer>>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn say(&self, line: Vec<u8>) {
        // An editor that has closed our output is found out by its input.
        let _ = self.lines.send(line).await;
    }
}
