//! Which error the editor gets: a number of the protocol, with the product's own code in its data.

use agent_client_protocol_schema::v1::Error as RpcError;
use engross_agent::session::{RefusalKind, RequestError};
use engross_protocol::{Code, ErrorBody, Exit, Failure};
use serde_json::{Value, json};

use super::codes;

/// Codes of models that a login would help.
const LOGINS: &[&str] = &["MODEL_AUTH", "MODEL_KEY_MISSING"];

/// The error of a row of the table.
pub(super) fn of_code(code: &'static Code, message: impl Into<String>) -> RpcError {
    let message = message.into();
    let number = code.rpc.and_then(|number| i32::try_from(number).ok());
    let base = number.map_or_else(RpcError::internal_error, |number| RpcError::new(number, ""));
    with(base, &Failure::of(code, message).body())
}

/// The error of a failure.
pub(super) fn of_failure(failure: &Failure) -> RpcError {
    let base = match failure.exit {
        _ if LOGINS.contains(&failure.code) => RpcError::auth_required(),
        Exit::Usage | Exit::Refused | Exit::NotADocument => RpcError::invalid_params(),
        Exit::Done | Exit::Model | Exit::Io => RpcError::internal_error(),
    };
    with(base, &failure.body())
}

/// The error of a request that a session has refused.
pub(super) fn of_request(error: &RequestError) -> RpcError {
    let base = match error.kind {
        RefusalKind::Invalid => RpcError::invalid_params(),
        RefusalKind::Conflict => RpcError::invalid_request(),
        RefusalKind::NotFound => RpcError::resource_not_found(None),
        RefusalKind::Busy | RefusalKind::Unavailable => RpcError::internal_error(),
    };
    with(base, &error.body())
}

/// The error of a turn that has failed.
pub(super) fn of_turn(code: &str, message: &str, retry_after: Option<u64>) -> RpcError {
    let base = if LOGINS.contains(&code) { RpcError::auth_required() } else { RpcError::internal_error() };
    let mut data = json!({"code": code, "message": message});
    if let (Some(seconds), Some(data)) = (retry_after, data.as_object_mut()) {
        data.insert("retryAfter".to_owned(), Value::from(seconds));
    }
    let mut error = base.data(data);
    error.message = format!("{message} [{code}]");
    error
}

/// There is no such session.
pub(super) fn no_session(id: &str) -> RpcError {
    let shown: String = id.chars().take(80).flat_map(char::escape_debug).collect();
    of_code(
        codes::EDITOR_SESSION_UNKNOWN,
        format!(
            "there is no session '{shown}' here; open it with session/load, or begin one with session/new"
        ),
    )
}

fn with(mut error: RpcError, body: &ErrorBody) -> RpcError {
    error.message = format!("{} [{}]", body.message, body.code);
    match serde_json::to_value(body) {
        Ok(body) => error.data(body),
        Err(_) => error,
    }
}
