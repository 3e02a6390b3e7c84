//! Clients that speak until they are cut off, and what they were told; at the end all of it is held against the log.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use super::server::{ServerReply, failed, messages, say};
use crate::Result;

/// Clients that speak at once.
pub(super) const CLIENTS: usize = 6;

/// Codes that tell a client to try again.
const PASSING: [&str; 6] =
    ["STORE_UNAVAILABLE", "STORE_CONFLICT", "STORE_FENCED", "SESSION_BUSY", "SERVER_BUSY", "STORE_FULL"];

/// A request as a client sent it.
#[derive(Debug, Clone)]
pub(super) struct SentTurn {
    session: String,
    once: String,
    text: String,
    stream: bool,
}

/// What the clients know.
#[derive(Default)]
pub(super) struct KnownAnswers {
    /// Requests with their whole answers.
    answered: Mutex<Vec<(SentTurn, Value)>>,
    /// Requests that were accepted, for all that was heard, but whose answer was cut.
    accepted: Mutex<Vec<SentTurn>>,
    /// Requests of which nothing was heard.
    unheard: Mutex<Vec<SentTurn>>,
    /// How often each code came.
    codes: Mutex<BTreeMap<String, usize>>,
}

/// A model whose answers tell which message they are for: nothing, and slowly enough to be cut.
pub(super) fn model() -> ModelServer {
    ModelServer::start(json!({"default": {"text": "this is the answer to it", "delay_ms": 2}}))
}

impl KnownAnswers {
    /// Speaks as client `number` in a session of its own until it is cut off, or `over`.
    pub(super) fn speak(&self, server: SocketAddr, number: usize, round: &str, over: &AtomicBool) {
        for n in 0.. {
            if over.load(Ordering::Relaxed) {
                return;
            }
            let once = format!("{round}-{number}-{n}");
            let sent = SentTurn {
                session: format!("s{round}-{number}"),
                text: format!("say {once} now"),
                once,
                stream: number.is_multiple_of(2),
            };
            match sent.send(server) {
                ServerReply::Answer(answer) => lock(&self.answered).push((sent, answer)),
                ServerReply::Cut { accepted: true } => return lock(&self.accepted).push(sent),
                ServerReply::Cut { accepted: false } => return lock(&self.unheard).push(sent),
                told @ ServerReply::Refused(..) => {
                    *lock(&self.codes).entry(told.code().to_owned()).or_default() += 1;
                    lock(&self.unheard).push(sent);
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
        }
    }

    /// Holds the server to what was told. Gives a line of figures.
    pub(super) fn verify(&self, server: SocketAddr, model: &ModelServer) -> Result<String> {
        let (answered, accepted, unheard) = (lock(&self.answered), lock(&self.accepted), lock(&self.unheard));
        let mut said: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        let sessions: BTreeSet<&str> = answered
            .iter()
            .map(|(sent, _)| sent)
            .chain(accepted.iter())
            .chain(unheard.iter())
            .map(|sent| sent.session.as_str())
            .collect();
        for session in &sessions {
            said.insert(session, messages(server, session)?);
        }
        let times = |sent: &SentTurn| {
            let all = said.get(sent.session.as_str()).map(Vec::as_slice).unwrap_or_default();
            all.iter().filter(|message| message["content"] == sent.text.as_str()).count()
        };
        for sent in answered.iter().map(|(sent, _)| sent).chain(accepted.iter()) {
            if times(sent) != 1 {
                return Err(failed(format!("{sent:?} was acknowledged and is there {} times", times(sent))));
            }
        }
        if let Some(sent) = unheard.iter().find(|sent| times(sent) > 1) {
            return Err(failed(format!("{sent:?} is there twice")));
        }
        // The same answer again, and nobody is asked for it.
        let before = model.requests().len();
        for (sent, answer) in answered.iter() {
            match sent.send(server) {
                ServerReply::Answer(again) if again == *answer => {}
                other => return Err(failed(format!("{sent:?} had {answer}, and now {other:?}"))),
            }
        }
        if model.requests().len() != before {
            return Err(failed("a model was asked again for an answer that was whole"));
        }
        // What was not answered is answered now, or was overtaken.
        let mut overtaken = 0;
        for sent in accepted.iter().chain(unheard.iter()) {
            let told = sent.send(server);
            match told {
                ServerReply::Answer(_) => {}
                ServerReply::Refused(..)
                    if ["TURN_SUPERSEDED", "ANSWER_INTERRUPTED", "TURN_CANCELLED", "LISTENER_GONE"]
                        .contains(&told.code()) =>
                {
                    overtaken += 1;
                }
                other => return Err(failed(format!("{sent:?} is not answered: {other:?}"))),
            }
        }
        for (n, session) in sessions.iter().enumerate() {
            match say(server, session, &format!("after-{n}-{session}"), "go on", false) {
                ServerReply::Answer(_) => {}
                other => return Err(failed(format!("the session {session} is stuck: {other:?}"))),
            }
        }
        let codes = lock(&self.codes);
        if let Some((code, _)) = codes.iter().find(|(code, _)| !PASSING.contains(&code.as_str())) {
            return Err(failed(format!("a client was told {code}")));
        }
        let told: Vec<String> = codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
        Ok(format!(
            "{} sessions, {} answered, {} accepted and cut, {} unheard or refused ({}), {overtaken} overtaken; lost 0, stuck 0, asked twice 0",
            sessions.len(),
            answered.len(),
            accepted.len(),
            unheard.len(),
            told.join(", "),
        ))
    }
}

impl SentTurn {
    fn send(&self, server: SocketAddr) -> ServerReply {
        say(server, &self.session, &self.once, &self.text, self.stream)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
