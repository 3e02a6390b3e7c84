//! JSON-RPC 2.0 as ACP puts it on a pipe: one message a line.
//!
//! Must never wait, and never judge what a method means.

use agent_client_protocol_schema::v1::{Error as RpcError, RequestId};
use serde::Serialize;
use serde_json::{Value, json};

/// A message of an agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// An answer to the request with this id.
    Answer(RequestId, Result<Value, RpcError>),
    /// Something that it asks.
    Request {
        /// To be repeated in the answer.
        id: RequestId,
        /// What.
        method: String,
        /// With what.
        params: Value,
    },
    /// Something that it tells.
    Notification {
        /// What.
        method: String,
        /// With what.
        params: Value,
    },
}

/// Reads one line.
///
/// # Errors
/// What is wrong with it, for people.
pub(crate) fn parse(line: &[u8]) -> Result<Message, String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| format!("a line is no JSON: {error}"))?;
    let Value::Object(mut object) = value else { return Err("a message is no object".to_owned()) };
    let id = match object.remove("id") {
        Some(id) => Some(
            serde_json::from_value::<RequestId>(id)
                .map_err(|_| "the id of a message is neither number nor text".to_owned())?,
        ),
        None => None,
    };
    let params = object.remove("params").unwrap_or(Value::Null);
    match (object.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => Ok(Message::Request { id, method, params }),
        (Some(Value::String(method)), None) => Ok(Message::Notification { method, params }),
        (Some(_), _) => Err("the method of a message is no text".to_owned()),
        (None, Some(id)) => match (object.remove("result"), object.remove("error")) {
            (_, Some(error)) if !error.is_null() => {
                let error = serde_json::from_value(error)
                    .map_err(|_| "the error of an answer has no code and message".to_owned())?;
                Ok(Message::Answer(id, Err(error)))
            }
            (Some(result), _) => Ok(Message::Answer(id, Ok(result))),
            (None, _) => Err("an answer has neither result nor error".to_owned()),
        },
        (None, None) => Err("a message has neither method nor id".to_owned()),
    }
}

pub(crate) fn request(id: i64, method: &str, params: &impl Serialize) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

pub(crate) fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

pub(crate) fn answer(id: &RequestId, result: &Result<Value, RpcError>) -> Vec<u8> {
    match result {
        Ok(result) => line(&json!({ "jsonrpc": "2.0", "id": id, "result": result })),
        Err(error) => line(&json!({ "jsonrpc": "2.0", "id": id, "error": error })),
    }
}

fn line(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}
