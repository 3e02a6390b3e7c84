//! Why a request was not accepted. Nothing of it is stored then.

use engross_protocol::{Code, ErrorBody, shared};
use serde_json::{Value, json};

use crate::codes;

/// The class of a refusal; a transport maps it to its own status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// The request itself is wrong.
    Invalid,
    /// It does not fit the state of the session.
    Conflict,
    /// It names something that is not there.
    NotFound,
    /// Too much is going on; later it may be accepted.
    Busy,
    /// The server is about to stop, or its store cannot be reached.
    Unavailable,
}

/// A request that was not accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    /// Its class.
    pub kind: RefusalKind,
    /// Stable code, explained in `docs/errors/CODE.md`.
    pub code: &'static str,
    /// What is wrong with which thing, and what to do instead.
    pub message: String,
    /// Seconds to wait before the next try; only of [`RefusalKind::Busy`] and [`RefusalKind::Unavailable`].
    pub retry_after: Option<u64>,
    /// Machine-readable particulars.
    pub details: Box<Value>,
}

impl RequestError {
    /// There is no such workspace.
    #[must_use]
    pub fn no_workspace(name: &str) -> Self {
        let name: String = name.chars().take(80).collect();
        Self::of(
            codes::WORKSPACE_UNKNOWN,
            format!("there is no workspace '{name}'; put a file into it first, or leave the workspace out"),
        )
    }

    /// The workspaces of the one who asks are at another node, which may be asked the same.
    #[must_use]
    pub fn home_away() -> Self {
        let message = "the node that has the workspaces cannot be reached now: send the request again";
        Self::of(shared::HOME_AWAY, message).retry_after(1)
    }

    /// Whether it is [`RequestError::home_away`].
    #[must_use]
    pub fn is_home_away(&self) -> bool {
        self.code == shared::HOME_AWAY.name
    }

    /// A refusal without particulars, whose class follows from the status of its code.
    pub fn of(code: &'static Code, message: impl Into<String>) -> Self {
        let kind = match code.status {
            400 => RefusalKind::Invalid,
            404 => RefusalKind::NotFound,
            409 => RefusalKind::Conflict,
            429 => RefusalKind::Busy,
            _ => RefusalKind::Unavailable,
        };
        Self::new(kind, code.name, message)
    }

    /// A refusal without particulars that passes on the code of a lower layer, with a class of its own.
    pub fn new(kind: RefusalKind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), retry_after: None, details: Box::new(json!({})) }
    }

    pub(crate) fn with_details(mut self, details: Value) -> Self {
        self.details = Box::new(details);
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The error object of every surface.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        let kind = match self.kind {
            RefusalKind::Invalid => "invalid_request_error",
            RefusalKind::Conflict => "conflict_error",
            RefusalKind::NotFound => "not_found_error",
            RefusalKind::Busy => "rate_limit_error",
            RefusalKind::Unavailable => "unavailable_error",
        };
        ErrorBody {
            code: self.code.to_owned(),
            message: self.message.clone(),
            kind: kind.to_owned(),
            details: (*self.details).clone(),
        }
    }
}
