//! Why a request is refused, in the numbers and words of the protocol.
//!
//! Must never lose the stable code: it is in `error.data.code` of every refusal.

use serde_json::{Value, json};

use crate::runs::RunError;
use engross_artifacts::ScopeError;

/// A refusal.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// The number.
    pub number: i64,
    /// The stable code, explained in `docs/errors/CODE.md`.
    pub code: String,
    /// For people.
    pub message: String,
    /// Machine-readable particulars.
    pub data: Box<Value>,
}

impl RpcError {
    pub(super) fn new(number: i64, code: &str, message: impl Into<String>) -> Self {
        Self { number, code: code.to_owned(), message: message.into(), data: Box::new(json!({})) }
    }

    pub(super) fn with(mut self, data: Value) -> Self {
        self.data = Box::new(data);
        self
    }

    pub(super) fn parse(problem: &str) -> Self {
        let problem: String = problem.chars().take(200).collect();
        Self::new(
            -32700,
            "RPC_INVALID",
            format!("the request cannot be read ({problem}): send one JSON-RPC 2.0 object"),
        )
    }

    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, "RPC_PARAMS_INVALID", message)
    }

    /// A refusal whose message begins with its code, as clients look for it there.
    pub(super) fn token(number: i64, code: &str, message: &str) -> Self {
        Self::new(number, code, format!("{code}: {message}"))
    }

    /// The error object.
    #[must_use]
    pub fn body(&self) -> Value {
        let mut data = json!({ "code": self.code });
        if let (Value::Object(data), Value::Object(more)) = (&mut data, &*self.data) {
            data.extend(more.clone());
        }
        json!({ "code": self.number, "message": self.message, "data": data })
    }
}

impl From<RunError> for RpcError {
    fn from(error: RunError) -> Self {
        let number = match error {
            RunError::ThreadInvalid { .. }
            | RunError::KeyReused
            | RunError::Scope { .. }
            | RunError::Conflict { .. } => -32602,
            _ => -32002,
        };
        Self::new(number, error.code(), error.to_string()).with(error.details())
    }
}

impl From<ScopeError> for RpcError {
    fn from(error: ScopeError) -> Self {
        Self::new(-32602, error.code(), error.to_string())
    }
}
