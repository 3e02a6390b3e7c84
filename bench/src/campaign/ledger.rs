//! What clients were promised: each message that was acknowledged, and its answer. At the end all of it is held against the
//! sessions as the servers show them.
//!
//! Must never ask the servers what they think they have promised: only clients write here.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::working::Promise;
use crate::Result;
use crate::faults::server::{ServerReply, failed, messages, say};

/// Upper ends of the classes of a histogram, in seconds.
const CLASSES: [f64; 12] = [0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0];

/// A message and what was said to it, as (role, text).
pub(super) type Exchange = Vec<(&'static str, String)>;

/// A request whose answer was whole, as it can be sent again.
struct SettledTurn {
    session: String,
    once: String,
    text: String,
    answer: String,
}

/// What all clients were told.
#[derive(Default)]
pub(super) struct Ledger {
    /// What each session must hold, in this order and nothing else.
    sessions: Mutex<BTreeMap<String, Exchange>>,
    /// Requests that must give the same answer when they are sent again; one of each session.
    settled: Mutex<Vec<SettledTurn>>,
    /// What was promised of files, documents and tasks.
    promises: Mutex<Vec<Promise>>,
    /// How long it took from the first trouble to the answer, by what the trouble was.
    waits: Mutex<BTreeMap<&'static str, Vec<Duration>>>,
    /// How often each code came.
    codes: Mutex<BTreeMap<String, usize>>,
    /// What went wrong beyond repair, as it was seen.
    broken: Mutex<Vec<String>>,
}

impl Ledger {
    /// A turn of a session is over: what was said, and what was answered.
    pub(super) fn settle(&self, session: &str, once: &str, exchange: Exchange) {
        let (text, answer) = match &exchange[..] {
            [(_, text), (_, answer)] => (text.clone(), answer.clone()),
            _ => (String::new(), String::new()),
        };
        if !text.is_empty() && once.ends_with("-0") {
            let (session, once) = (session.to_owned(), once.to_owned());
            lock(&self.settled).push(SettledTurn { session, once, text, answer });
        }
        lock(&self.sessions).entry(session.to_owned()).or_default().extend(exchange);
    }

    /// A file, a document or a task is as a client was told.
    pub(super) fn promise(&self, promise: Promise) {
        lock(&self.promises).push(promise);
    }

    /// An answer came `waited` after the first sign of trouble.
    pub(super) fn waited(&self, trouble: &'static str, waited: Duration) {
        lock(&self.waits).entry(trouble).or_default().push(waited);
    }

    /// A client was told to come again.
    pub(super) fn told(&self, code: &str) {
        *lock(&self.codes).entry(code.to_owned()).or_default() += 1;
    }

    /// How many turns are settled, and what clients were told besides.
    pub(super) fn so_far(&self) -> String {
        let of_user = |exchange: &Exchange| exchange.iter().filter(|(role, _)| *role == "user").count();
        let turns: usize = lock(&self.sessions).values().map(of_user).sum();
        let codes: Vec<String> =
            lock(&self.codes).iter().map(|(code, count)| format!("{code} {count}")).collect();
        format!("{turns} turns settled; told to come again: {}", codes.join(", "))
    }

    /// Something was promised and not held.
    pub(super) fn broke(&self, what: String) {
        lock(&self.broken).push(what);
    }

    /// Whether something was promised and not held, as far as clients have seen by themselves.
    pub(super) fn is_broken(&self) -> bool {
        !lock(&self.broken).is_empty()
    }

    /// Holds the servers to what was told; each is asked for its part. Gives lines of figures.
    pub(super) fn judge(&self, servers: &[SocketAddr]) -> Result<Vec<String>> {
        let mut broken = lock(&self.broken).clone();
        let (sessions, settled) = (lock(&self.sessions), lock(&self.settled));
        let mut exchanged = 0;
        for (number, (session, expected)) in sessions.iter().enumerate() {
            let server = servers[number % servers.len()];
            exchanged += expected.iter().filter(|(role, _)| *role == "user").count();
            let found = messages(server, session)?;
            if let Some(difference) = difference(expected, &found) {
                broken.push(format!("the session {session}: {difference}"));
            }
        }
        for (number, settled) in settled.iter().enumerate() {
            let SettledTurn { session, once, text, answer } = settled;
            match say(servers[number % servers.len()], session, once, text, false) {
                ServerReply::Answer(again) if text_of(&again) == *answer => {}
                other => {
                    broken.push(format!("{once} of {session} had the answer {answer:?}, and now {other:?}"));
                }
            }
        }
        for (number, session) in sessions.keys().enumerate() {
            let server = servers[(number + 1) % servers.len()];
            match say(server, session, &format!("{session}-after"), "go on", false) {
                ServerReply::Answer(answer) if text_of(&answer) == "heard: go on" => {}
                other => broken.push(format!("the session {session} is stuck: {other:?}")),
            }
        }
        let promises = lock(&self.promises);
        for (number, promise) in promises.iter().enumerate() {
            if let Some(problem) = promise.problem(servers[number % servers.len()]) {
                broken.push(problem);
            }
        }
        if !broken.is_empty() {
            let first: Vec<&str> = broken.iter().take(10).map(String::as_str).collect();
            return Err(failed(format!("{} promises were not held:\n{}", broken.len(), first.join("\n"))));
        }
        let told =
            lock(&self.codes).iter().map(|(code, count)| format!("{code} {count}")).collect::<Vec<_>>();
        let mut lines = vec![
            format!(
                "{} sessions, {exchanged} turns acknowledged, all there once and in their order with their answers; \
                 {} answers given again alike; every session goes on; lost 0, doubled 0, stuck 0",
                sessions.len(),
                settled.len(),
            ),
            Promise::summary(&promises),
            format!("told to come again: {}", told.join(", ")),
        ];
        lines.extend(lock(&self.waits).iter().map(|(trouble, waits)| histogram(trouble, waits)));
        Ok(lines)
    }
}

/// The text of a whole answer, streamed or not.
pub(super) fn text_of(answer: &Value) -> String {
    let text = answer.as_str().or_else(|| answer["choices"][0]["message"]["content"].as_str());
    text.unwrap_or_default().to_owned()
}

/// How a session differs from what it must hold.
fn difference(expected: &Exchange, found: &[Value]) -> Option<String> {
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|message| (message["role"].as_str().unwrap_or(""), message["content"].as_str().unwrap_or("")))
        .collect();
    let expected: Vec<(&str, &str)> = expected.iter().map(|(role, text)| (*role, text.as_str())).collect();
    let at = expected.iter().zip(&found).position(|(expected, found)| expected != found);
    match at {
        Some(at) => Some(format!("message {at} is {:?} and must be {:?}", found[at], expected[at])),
        None if expected.len() == found.len() => None,
        None => Some(format!(
            "it holds {} messages and must hold {}: {:?} {:?}",
            found.len(),
            expected.len(),
            found.last(),
            expected.last()
        )),
    }
}

/// How many waits fall into each class, and the longest.
fn histogram(trouble: &str, waits: &[Duration]) -> String {
    let mut seconds: Vec<f64> = waits.iter().map(Duration::as_secs_f64).collect();
    seconds.sort_by(f64::total_cmp);
    let at = |share: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a place in a list of figures"
        )]
        let place = (share * (seconds.len().saturating_sub(1)) as f64) as usize;
        seconds.get(place).copied().unwrap_or(0.0)
    };
    let mut from = 0;
    let mut classes = Vec::new();
    for class in CLASSES.iter().copied().chain([f64::INFINITY]) {
        let to = seconds.partition_point(|second| *second <= class);
        if to > from {
            classes.push(if class.is_finite() {
                format!("≤ {class} s: {}", to - from)
            } else {
                format!("longer: {}", to - from)
            });
        }
        from = to;
    }
    format!(
        "{trouble}: {} turns went on after {:.2} s (median), {:.2} s (99 of 100), {:.2} s (longest); {}",
        seconds.len(),
        at(0.5),
        at(0.99),
        at(1.0),
        classes.join(", ")
    )
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
