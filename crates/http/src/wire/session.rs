//! `/v1/sessions/{key}`: a session as it is shown, and settings as they come.

use engross_agent::session::{CallSide, SessionView, Settings, TurnPhase};
use engross_llm::{Message, ToolCall};
use serde_json::{Value, json};

use super::fields;
use crate::error::Error;

/// Reads settings.
///
/// # Errors
/// [`Error::InvalidJson`], or [`Error::InvalidRequest`] naming what cannot be set.
pub(crate) fn settings_request(bytes: &[u8]) -> Result<Settings, Error> {
    let body = fields::body(bytes)?;
    serde_json::from_value(Value::Object(body)).map_err(|error| {
        Error::invalid(
            "settings",
            format!("cannot be read: {error}; send an object with the settings to be set"),
        )
    })
}

/// The body: the session with its conversation in the shape of chat messages.
pub(crate) fn session_body(view: &SessionView) -> Value {
    let session = &view.session;
    let open: Vec<Value> = session
        .turn
        .iter()
        .flat_map(|turn| turn.open(CallSide::Client))
        .map(|open| call(&open.call))
        .collect();
    let state = match session.turn.as_ref().map(|turn| turn.phase) {
        None => "idle",
        Some(TurnPhase::Suspended { .. }) => "awaiting_client",
        Some(TurnPhase::Asking | TurnPhase::Calling) => "running",
    };
    json!({
        "id": view.id,
        "object": "engross.session",
        "key": session.key,
        "created": view.created / 1000,
        "turns": session.turns,
        "state": state,
        "open_calls": open,
        "settings": session.settings,
        "workspace": session.workspace,
        "messages": session.messages.iter().map(message).collect::<Vec<Value>>(),
    })
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { content } => json!({"role": "user", "content": content}),
        Message::Assistant { content, tool_calls } if tool_calls.is_empty() => {
            json!({"role": "assistant", "content": content})
        }
        Message::Assistant { content, tool_calls } => {
            json!({"role": "assistant", "content": content, "tool_calls": tool_calls.iter().map(call).collect::<Vec<Value>>()})
        }
        Message::Tool { tool_call_id, name, content, is_error } => json!({
            "role": "tool", "tool_call_id": tool_call_id, "name": name, "content": content, "is_error": is_error,
        }),
    }
}

fn call(call: &ToolCall) -> Value {
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
}
