//! The Agent2Agent protocol, version 1.0, in front of the same runs: a context is a thread, a task is a run.
//!
//! Must never know HTTP or sockets, or tell of a run what its journal does not hold. `docs/protocol/a2a.md` describes it.
//!
//! | File | Question it answers |
//! |---|---|
//! | `card` | who is here, and how is it spoken to? |
//! | `message` | what does a client's message ask for? |
//! | `task` | how is a run told as a task? |
//! | `events` | how is what happens told as a stream? |
//! | `operations` | what is done for each method? |
//! | `error` | why is a request refused? |

mod card;
mod error;
mod events;
mod message;
mod operations;
mod task;

#[cfg(test)]
mod message_tests;

use serde_json::{Value, json};
use tokio::sync::mpsc;

pub use card::card;
pub use error::A2aError;

use crate::rpc::{Bridge, RpcCall, RpcRequest};

/// The version that is spoken.
pub const VERSION: &str = "1.0";

/// Frames that may wait for a slow client before the call waits for it.
const AHEAD: usize = 64;

/// What goes out.
#[derive(Debug, Clone, PartialEq)]
pub enum A2aFrame {
    /// A piece of a stream.
    Event(Value),
    /// The only answer, or the last frame.
    Answer(Value),
}

/// Whether a client that asks for this version is understood. A client that names none speaks an older one.
#[must_use]
pub fn speaks(version: Option<&str>) -> bool {
    let version = version.unwrap_or_default().trim();
    version == VERSION || version.strip_prefix(VERSION).is_some_and(|patch| patch.starts_with('.'))
}

/// Whether the answer to a method is a stream.
#[must_use]
pub fn is_streamed(method: &str) -> bool {
    matches!(method, "SendStreamingMessage" | "SubscribeToTask")
}

/// A refusal as an envelope.
#[must_use]
pub fn refusal(id: &Value, error: &A2aError) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error.body() })
}

/// Begins to answer a request. Dropping the receiver ends the call and no run.
#[must_use]
pub fn open(bridge: &Bridge, call: RpcCall, request: RpcRequest) -> mpsc::Receiver<A2aFrame> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    let bridge = bridge.clone();
    let calls = bridge.calls.clone();
    calls.spawn(async move {
        let id = request.id.clone().unwrap_or_default();
        let sink = events::EventSink { id: id.clone(), frames: sender.clone() };
        let answered = operations::answer(&bridge, &call, &request, &sink).await;
        let frame = match answered {
            Ok(None) => return,
            Ok(Some(result)) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => refusal(&id, &error),
        };
        let _ = sender.send(A2aFrame::Answer(frame)).await;
    });
    receiver
}
