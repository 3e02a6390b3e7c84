//! The errors of a gateway.

use std::time::Duration;

use engross_protocol::{Code, shared};
use engross_tasks::runner::AgentError;

use crate::codes;

/// What can go wrong with a gateway. Texts of the gateway are cut and have no control characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatewayFault {
    /// Its address cannot be used.
    #[error("'{url}' cannot be used as the address of a gateway: {problem}")]
    Address {
        /// What was given.
        url: String,
        /// What is wrong with it, and what to do.
        problem: &'static str,
    },
    /// The key of this device cannot be read or made.
    #[error(
        "the key of this device ({file}) cannot be used: {problem}; correct it, or remove it to be a new device"
    )]
    Identity {
        /// Which file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No connection comes about.
    #[error("no connection to the gateway: {problem}; look whether it runs at this address")]
    Connect {
        /// Why not.
        problem: String,
    },
    /// It does not let us in.
    #[error("the gateway does not let this server in: {problem}; {help}")]
    Login {
        /// What it says.
        problem: String,
        /// What to do.
        help: String,
    },
    /// The connection ended while an answer was outstanding.
    #[error(
        "the connection to the gateway was lost; the work may go on there, and its end is asked for again"
    )]
    Closed,
    /// It does not answer.
    #[error("the gateway did not answer `{method}` within {} s; look whether it is overloaded", limit.as_secs_f32())]
    Slow {
        /// What it was asked.
        method: &'static str,
        /// How long it had.
        limit: Duration,
    },
    /// It answers with an error.
    #[error("the gateway answered `{method}` with an error: {code} {message}; see the gateway's log")]
    Refused {
        /// What it was asked.
        method: &'static str,
        /// Its code.
        code: String,
        /// Its words.
        message: String,
        /// Whether it says that the same may be asked again.
        is_passing: bool,
    },
    /// A request is longer than it takes.
    #[error("`{method}` has {size} bytes, and the gateway takes {limit}: send smaller or fewer files")]
    TooLarge {
        /// What was to be asked.
        method: &'static str,
        /// Bytes of the request.
        size: usize,
        /// What it takes.
        limit: usize,
    },
    /// It answers about another session.
    #[error(
        "the gateway answered for the session '{found}' instead of '{asked}'; use another session key, or look at its configuration"
    )]
    Session {
        /// What was asked for.
        asked: String,
        /// What it says.
        found: String,
    },
    /// It does not know the conversation any more.
    #[error("the gateway does not have this conversation any more ({reason}): start a new session")]
    Continuation {
        /// Why not.
        reason: &'static str,
    },
    /// How a run stands cannot be found out.
    #[error("the gateway does not say how the run stands: {problem}; look at the session there")]
    Wait {
        /// What it says.
        problem: String,
    },
    /// It was asked to stop a run, and gave no receipt for it.
    #[error("the gateway did not confirm that the run is being stopped; it may go on: ask how it stands")]
    Unconfirmed,
    /// A file of the request cannot be sent along.
    #[error("the attachment '{path}' cannot be sent to the gateway: {problem}; send it again")]
    Attachment {
        /// Its name.
        path: String,
        /// Why not.
        problem: String,
    },
    /// A file cannot be fetched.
    #[error("the file '{path}' of the run cannot be fetched from the gateway: {problem}")]
    Unreachable {
        /// Its path there.
        path: String,
        /// Why not.
        problem: String,
    },
}

impl GatewayFault {
    /// Its stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::Address { .. } => shared::CONFIG_INVALID,
            Self::Identity { .. } => codes::GATEWAY_IDENTITY_UNUSABLE,
            Self::Connect { .. } | Self::Login { .. } => codes::GATEWAY_CONNECT_FAILED,
            Self::Closed => engross_tasks::codes::OPENCLAW_GATEWAY_SOCKET_CLOSED,
            Self::Slow { .. } => codes::GATEWAY_UNAVAILABLE,
            Self::Refused { .. } => codes::GATEWAY_EXECUTION_FAILED,
            Self::TooLarge { .. } => shared::TOO_LARGE,
            Self::Session { .. } => codes::OPENCLAW_SESSION_MISMATCH,
            Self::Continuation { .. } => engross_tasks::codes::SESSION_CONTINUATION_UNAVAILABLE,
            Self::Wait { .. } => engross_tasks::codes::OPENCLAW_WAIT_FAILED,
            Self::Unconfirmed => engross_tasks::codes::NATIVE_CANCEL_UNCONFIRMED,
            Self::Attachment { .. } => engross_tasks::codes::OPENCLAW_ATTACHMENT_WRITE_FAILED,
            Self::Unreachable { .. } => engross_tasks::codes::OPENCLAW_ARTIFACT_UNREACHABLE,
        }
    }

    /// Whether the gateway does not know the method, whatever code it gives that.
    pub(super) fn is_unknown_method(&self) -> bool {
        let Self::Refused { code, message, .. } = self else { return false };
        let said = |text: &str| text.to_ascii_lowercase().replace(['_', '-'], " ").contains("unknown method");
        said(message) || said(code) || matches!(code.as_str(), "-32601" | "METHOD_NOT_FOUND")
    }
}

impl From<GatewayFault> for AgentError {
    fn from(fault: GatewayFault) -> Self {
        Self::new(fault.code(), fault.to_string())
    }
}

/// `text` as errors repeat it: one line, at most 300 characters, no control characters.
pub(super) fn shown(text: &str) -> String {
    const SHOWN: usize = 300;
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let text = text.trim();
    let mut shown: String = text.chars().take(SHOWN).map(plain).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
