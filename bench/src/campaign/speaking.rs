//! Clients as they are: they speak to any node, lose patience, lose connections, and send the same request again elsewhere until
//! they have an answer.
//!
//! Must never send the next message of a session before the last one is settled.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::board::Board;
use super::ledger::{Exchange, Ledger, text_of};
use crate::faults::Dice;
use crate::faults::server::{ServerReply, send};

/// How long a client hears nothing before it goes elsewhere.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// How long a turn may take with all faults together, before the session counts as stuck.
pub(super) const STUCK: Duration = Duration::from_secs(90);

/// The turns of a session, before the client begins another one.
const TURNS: usize = 6;

/// Codes that tell a client to try again.
pub(super) const PASSING: [&str; 12] = [
    // The node that has the files is gone, and the next one has not taken them up yet.
    "HOME_AWAY",
    // The request before, which was cut off, is still under way.
    "DOCUMENT_BUSY",
    // The node that it followed has died.
    "ANSWER_INTERRUPTED",
    // A node that was not upgraded yet has not understood what one wrote that was.
    "STORE_NEWER",
    "STORE_UNAVAILABLE",
    "STORE_CONFLICT",
    "STORE_FENCED",
    "SESSION_BUSY",
    "SESSION_TAKEN",
    "SERVER_BUSY",
    "SERVER_STOPPING",
    "ANSWER_ELSEWHERE",
];

/// A tool that the client has.
fn tools() -> Value {
    json!([{"type": "function", "function": {
        "name": "look_up", "description": "Looks something up.",
        "parameters": {"type": "object", "properties": {}}
    }}])
}

/// One client.
pub(super) struct Client<'a> {
    pub(super) number: u64,
    pub(super) rest: Duration,
    pub(super) nodes: &'a [SocketAddr],
    pub(super) ledger: &'a Ledger,
    pub(super) board: &'a Board,
    pub(super) over: &'a AtomicBool,
}

impl Client<'_> {
    /// Speaks until it is `over`, or something is broken. The last turn is settled before.
    pub(super) fn speak(&self) {
        let mut dice = Dice(self.number * 7919 + 1);
        for session in 0.. {
            let session = format!("c{}-{session}", self.number);
            for turn in 0..TURNS {
                if self.over.load(Ordering::Relaxed) || self.ledger.is_broken() {
                    return;
                }
                let Some(exchange) = self.turn(&mut dice, &session, turn) else { return };
                self.ledger.settle(&session, &format!("{session}-{turn}"), exchange);
                std::thread::sleep(self.rest);
            }
        }
    }

    /// One message, and all that belongs to it. Nothing when it came to nothing, which the ledger knows by then.
    fn turn(&self, dice: &mut Dice, session: &str, turn: usize) -> Option<Exchange> {
        let text = format!("message {turn} of {session}");
        let user = json!({"role": "user", "content": text});
        // The first one is sent again at the end, in the same form.
        let stream = turn > 0 && dice.below(2) == 0;
        let once = format!("{session}-{turn}");
        if turn == 0 || dice.below(4) > 0 {
            let body = json!({"messages": [user], "stream": stream});
            let answer = self.settle(dice, (session, &once), &body)?;
            return Some(vec![("user", text), ("assistant", text_of(&answer))]);
        }
        // The model asks for something that the client has, and the result may reach another node.
        let asked = format!("please look up: {text}");
        let user = json!({"role": "user", "content": asked});
        let body = json!({"messages": [user], "tools": tools(), "stream": false});
        let answer = self.settle(dice, (session, &once), &body)?;
        let Some(call) = answer["choices"][0]["message"]["tool_calls"][0]["id"].as_str() else {
            self.ledger.broke(format!("{once} was to call a tool, and says {answer}"));
            return None;
        };
        let result = format!("found {turn} of {session}");
        let body = json!({
            "messages": [{"role": "tool", "tool_call_id": call, "content": result}],
            "tools": tools(), "stream": stream
        });
        let last = self.settle(dice, (session, &format!("{once}-result")), &body)?;
        let called = text_of(&answer);
        Some(vec![("user", asked), ("assistant", called), ("tool", result), ("assistant", text_of(&last))])
    }

    /// Sends a request, to one node after the other, until there is a whole answer.
    fn settle(&self, dice: &mut Dice, (session, once): (&str, &str), body: &Value) -> Option<Value> {
        let begun = Instant::now();
        let mut trouble: Option<(&'static str, Instant)> = None;
        let mut node = usize::try_from(dice.below(self.nodes.len() as u64)).unwrap_or(0);
        loop {
            let told = send(self.nodes[node], (session, once), body, PATIENCE);
            match &told {
                ServerReply::Answer(answer) => {
                    if let Some((what, since)) = trouble {
                        self.ledger.waited(what, since.elapsed());
                    }
                    return Some(answer.clone());
                }
                ServerReply::Refused(..) if PASSING.contains(&told.code()) => self.ledger.told(told.code()),
                ServerReply::Refused(status, error) => {
                    self.ledger.broke(format!("{once} was refused for good: {status} {error}"));
                    return None;
                }
                ServerReply::Cut { .. } => self.ledger.told("cut"),
            }
            trouble.get_or_insert_with(|| (self.board.trouble(node), Instant::now()));
            if begun.elapsed() > STUCK {
                self.ledger.broke(format!("{once} has no answer after {} s: {told:?}", STUCK.as_secs()));
                return None;
            }
            std::thread::sleep(Duration::from_millis(20 + dice.below(60)));
            node = (node + 1) % self.nodes.len();
        }
    }
}
