//! Why a request is refused, in the numbers and words of the protocol.
//!
//! Must never lose the stable code: it is in `error.data.code` of every refusal.

use engross_artifacts::ScopeError;
use engross_protocol::Code;
use serde_json::{Value, json};

use crate::codes;
use crate::runs::RunError;

/// The number of what cannot be done now, and of a code without a number of its own.
pub(super) const NOT_NOW: i64 = -32002;

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
    /// A refusal with the number of its code; the default is the one for what cannot be done now.
    pub(super) fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Self::passed_on(code.name, code.rpc.unwrap_or(NOT_NOW), message)
    }

    /// The same with a code that an agent or a stored run gave.
    pub(super) fn passed_on(code: &str, number: i64, message: impl Into<String>) -> Self {
        Self { number, code: code.to_owned(), message: message.into(), data: Box::new(json!({})) }
    }

    pub(super) fn with(mut self, data: Value) -> Self {
        self.data = Box::new(data);
        self
    }

    pub(super) fn parse(problem: &str) -> Self {
        let problem: String = problem.chars().take(200).collect();
        Self::new(
            codes::RPC_INVALID,
            format!("the request cannot be read ({problem}): send one JSON-RPC 2.0 object"),
        )
    }

    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(codes::RPC_PARAMS_INVALID, message)
    }

    /// A refusal whose message begins with its code, as clients look for it there.
    pub(super) fn token(code: &'static Code, message: &str) -> Self {
        Self::new(code, format!("{}: {message}", code.name))
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
        Self::new(error.row(), error.to_string()).with(error.details())
    }
}

impl From<ScopeError> for RpcError {
    fn from(error: ScopeError) -> Self {
        Self::new(error.row(), error.to_string())
    }
}
