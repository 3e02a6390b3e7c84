//! Why something that was asked of runs is refused. Nothing of it is stored then.

use serde_json::{Value, json};

use engross_artifacts::ScopeError;
use engross_protocol::{Code, shared};

use crate::codes;

/// Something was refused, or could not be done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The thread's key cannot be one.
    #[error("`{field}` cannot name a thread ({problem}): send the key of the thread, such as draft:1811-1")]
    ThreadInvalid {
        /// Where it was given.
        field: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The session key is another thread's, or the thread has another one.
    #[error("{message}")]
    Conflict {
        /// What fits what.
        message: String,
    },
    /// There is neither a place nor room to wait.
    #[error("{active} runs are under way and {queued} wait, which is as many as may: ask again later")]
    Busy {
        /// Under way.
        active: usize,
        /// Waiting.
        queued: usize,
    },
    /// There is no conversation to go on with.
    #[error("the conversation of this thread cannot go on ({reason}): begin a new one with session.start")]
    Continuation {
        /// Why.
        reason: &'static str,
    },
    /// The key of an idempotent request was used for something else.
    #[error(
        "the idempotency key was used for another request: choose a new one, or repeat that request as it was"
    )]
    KeyReused,
    /// The server is about to stop.
    #[error("the server is about to stop and takes no new tasks: ask again in a moment")]
    Stopping,
    /// An entry cannot be read.
    #[error("the log of this thread cannot be read ({problem}): restore the store from a copy")]
    Damaged {
        /// What is wrong.
        problem: String,
    },
    /// The store.
    #[error("{0}")]
    Store(engross_store::Error),
    /// The scope.
    #[error("{message}")]
    Scope {
        /// Its code.
        code: &'static Code,
        /// What it says.
        message: String,
    },
}

impl RunError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::ThreadInvalid { .. } => codes::TASK_THREAD_INVALID,
            Self::Conflict { .. } => codes::TASK_SESSION_CONFLICT,
            Self::Busy { .. } => codes::OPENCLAW_GATEWAY_BUSY,
            Self::Continuation { .. } => codes::SESSION_CONTINUATION_UNAVAILABLE,
            Self::KeyReused => shared::IDEMPOTENCY_KEY_REUSED,
            // Who closes the store ends all that asks it here: the process, or a node whose home is lost.
            Self::Stopping | Self::Store(engross_store::Error::Closed) => shared::SERVER_STOPPING,
            Self::Damaged { .. } => codes::TASK_LOG_DAMAGED,
            Self::Store(error) => error.row(),
            Self::Scope { code, .. } => code,
        }
    }

    /// Machine-readable particulars.
    #[must_use]
    pub fn details(&self) -> Value {
        match self {
            Self::Busy { active, queued } => {
                json!({ "reason": "queue_full", "active": active, "queued": queued })
            }
            Self::Continuation { reason } => json!({ "reason": reason }),
            Self::ThreadInvalid { field, .. } => json!({ "field": field }),
            _ => json!({}),
        }
    }
}

impl From<engross_store::Error> for RunError {
    fn from(error: engross_store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<ScopeError> for RunError {
    fn from(error: ScopeError) -> Self {
        Self::Scope { code: error.row(), message: error.to_string() }
    }
}
