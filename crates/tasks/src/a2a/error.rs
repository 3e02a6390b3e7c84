//! Why a request is refused, in the numbers and reasons of the protocol.
//!
//! Must never lose our own code: it is in the particulars.

use serde_json::{Value, json};

use crate::rpc::RpcError;
use crate::runs::RunError;

/// A refusal.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aError {
    number: i64,
    reason: &'static str,
    message: String,
    code: Option<String>,
}

impl A2aError {
    fn new(number: i64, reason: &'static str, message: impl Into<String>) -> Self {
        Self { number, reason, message: message.into(), code: None }
    }

    pub(super) fn task_not_found() -> Self {
        Self::new(-32001, "TASK_NOT_FOUND", "there is no such task: send the id that an answer gave")
    }

    pub(super) fn not_cancelable(status: &str) -> Self {
        Self::new(-32002, "TASK_NOT_CANCELABLE", format!("the task has ended already: it is {status}"))
    }

    pub(super) fn no_push() -> Self {
        let message = "no address is called back: ask with GetTask, or listen with SubscribeToTask";
        Self::new(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", message)
    }

    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(-32004, "UNSUPPORTED_OPERATION", message)
    }

    pub(super) fn content_type(message: impl Into<String>) -> Self {
        Self::new(-32005, "CONTENT_TYPE_NOT_SUPPORTED", message)
    }

    pub(super) fn no_extended_card() -> Self {
        let message = "there is no other card than the public one";
        Self::new(-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", message)
    }

    /// Another version is spoken here.
    #[must_use]
    pub fn version() -> Self {
        let message = "version 1.0 is spoken here: send the header `A2A-Version: 1.0`";
        Self::new(-32009, "VERSION_NOT_SUPPORTED", message)
    }

    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, "INVALID_PARAMS", message)
    }

    pub(super) fn method(method: &str) -> Self {
        let method: String = method.chars().take(80).collect();
        Self::new(-32601, "METHOD_NOT_FOUND", format!("unknown method: {method}"))
    }

    /// The error object.
    #[must_use]
    pub fn body(&self) -> Value {
        let mut particulars = json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": self.reason,
            "domain": "a2a-protocol.org",
            "metadata": {},
        });
        if let Some(code) = &self.code {
            particulars["metadata"] = json!({ "code": code });
        }
        json!({ "code": self.number, "message": self.message, "data": [particulars] })
    }
}

impl From<RpcError> for A2aError {
    fn from(error: RpcError) -> Self {
        let (number, reason) = match error.number {
            -32700 => (-32700, "PARSE_ERROR"),
            -32600 => (-32600, "INVALID_REQUEST"),
            -32602 => (-32602, "INVALID_PARAMS"),
            _ => (-32603, "INTERNAL"),
        };
        Self { number, reason, message: error.message, code: Some(error.code) }
    }
}

impl From<RunError> for A2aError {
    fn from(error: RunError) -> Self {
        RpcError::from(error).into()
    }
}
