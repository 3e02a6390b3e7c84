//! The way to a bridge: a request goes out, frames come back.
//!
//! Must never make an answer of its own: a stream that ends without one has no answer.

use std::pin::Pin;

use futures_util::stream::BoxStream;
use serde_json::Value;

use super::sync::FileSource;

/// An answer that is still to come.
pub type LinkFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A call of a method of the bridge.
#[derive(Debug, Clone, PartialEq)]
pub struct BridgeCall {
    /// `session.start`, `xworkmate.tasks.get`, …
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
    /// The id of the last event that was heard of it.
    pub last_event: Option<String>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum BridgeFrame {
    /// Something happened meanwhile: the parameters of a `session.update`, and the event's id.
    Update(Value, Option<String>),
    /// The answer.
    Answer(Value),
    /// The bridge refuses.
    Refused {
        /// Its code.
        code: String,
        /// Its words.
        message: String,
    },
}

/// The connection did not hold, or there is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LinkError {
    /// `ACP_HTTP_CONNECTION_CLOSED`, `ACP_HTTP_401`, …
    pub code: String,
    /// What happened.
    pub message: String,
    /// Whether the same call may have another end later.
    pub is_passing: bool,
}

/// The frames of an answer, as they come.
pub type Frames = BoxStream<'static, Result<BridgeFrame, LinkError>>;

/// A bridge, in this process or elsewhere.
pub trait Link: Send + Sync {
    /// Calls a method.
    fn call(&self, call: BridgeCall) -> LinkFuture<'_, Result<Frames, LinkError>>;

    /// Where the files of runs come from. Used on a thread that may block.
    fn files(&self) -> Box<dyn FileSource + Send>;
}
