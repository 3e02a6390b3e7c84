//! Why something that was asked of runs is refused. Nothing of it is stored then.

use serde_json::{Value, json};

use engross_artifacts::ScopeError;

/// The codes of runs and of the protocol around them, each explained in `docs/errors/CODE.md`.
pub const CODES: &[&str] = &[
    "ACP_BRIDGE_RESTART",
    "AGENT_LOST",
    "ARTIFACT_WAIT_CANCELLED",
    "CALLBACK_NOT_ALLOWED",
    "GATEWAY_PROVIDER_REQUIRED",
    "IDEMPOTENCY_KEY_REUSED",
    "NATIVE_CANCEL_UNCONFIRMED",
    "OPENCLAW_ATTACHMENT_FILE_TOO_LARGE",
    "OPENCLAW_ATTACHMENT_INVALID_BASE64",
    "OPENCLAW_ATTACHMENT_TOTAL_TOO_LARGE",
    "OPENCLAW_ATTACHMENT_WRITE_FAILED",
    "OPENCLAW_GATEWAY_BUSY",
    "OPENCLAW_GATEWAY_LOST",
    "OPENCLAW_REQUIRED_ARTIFACT_MISSING",
    "OPENCLAW_RUN_DEADLINE_EXCEEDED",
    "OPENCLAW_TASK_PROMPT_REQUIRED",
    "OPENCLAW_TERMINAL_WITHOUT_EVIDENCE",
    "PERMISSION_ALREADY_DECIDED",
    "PERMISSION_OPTION_NOT_OFFERED",
    "PERMISSION_REQUEST_NOT_FOUND",
    "PERMISSION_SESSION_MISMATCH",
    "PROVIDER_DIRECT_PATH_DISABLED",
    "PROVIDER_NOT_FOUND",
    "PROVIDER_UNAVAILABLE",
    "ROUTING_REQUIRED",
    "ROUTING_UNSUPPORTED",
    "RPC_INVALID",
    "RPC_METHOD_UNKNOWN",
    "RPC_PARAMS_INVALID",
    "RUN_SCOPE_MISMATCH",
    "SERVER_STOPPING",
    "SESSION_CONTINUATION_UNAVAILABLE",
    "TASK_ALREADY_TERMINAL",
    "TASK_CANCELLED",
    "TASK_LOG_DAMAGED",
    "TASK_LOOKUP_FAILED",
    "TASK_NOT_FOUND",
    "TASK_SCOPE_NOT_OWNED_OR_RECOVERED",
    "TASK_SESSION_CONFLICT",
    "TASK_THREAD_INVALID",
];

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
        code: &'static str,
        /// What it says.
        message: String,
    },
}

impl RunError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::ThreadInvalid { .. } => "TASK_THREAD_INVALID",
            Self::Conflict { .. } => "TASK_SESSION_CONFLICT",
            Self::Busy { .. } => "OPENCLAW_GATEWAY_BUSY",
            Self::Continuation { .. } => "SESSION_CONTINUATION_UNAVAILABLE",
            Self::KeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::Stopping => "SERVER_STOPPING",
            Self::Damaged { .. } => "TASK_LOG_DAMAGED",
            Self::Store(error) => error.code(),
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
        Self::Scope { code: error.code(), message: error.to_string() }
    }
}
