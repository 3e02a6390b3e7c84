//! `/v1/sessions/{key}`: a session as it is shown, and settings as they come.

use engross_agent::session::{CallSide, SessionOverview, SessionView, Settings, TurnPhase};
use engross_llm::{AttachmentSource, Message, MessageAttachment, ToolCall};
use engross_protocol::SessionId;
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

/// Messages of a session that are shown at once, unless the client says.
const MESSAGES: usize = 1000;

/// Sessions of a page, unless the client says.
const SESSIONS: usize = 20;

/// A page that a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessagePage {
    /// How many at most.
    limit: usize,
    /// The number of the message before which the page ends; the end of the conversation without.
    before: Option<usize>,
}

/// The query of a session.
pub(crate) fn session_query(query: &str) -> Result<MessagePage, Error> {
    let mut page = MessagePage { limit: MESSAGES, before: None };
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "limit" => page.limit = number("limit", &value, 1..=10_000)?,
            "before" => page.before = Some(number("before", &value, 0..=usize::MAX)?),
            _ => {}
        }
    }
    Ok(page)
}

/// The query of all sessions: how many, and behind which one.
pub(crate) fn sessions_query(query: &str) -> Result<(usize, Option<SessionId>), Error> {
    let (mut limit, mut after) = (SESSIONS, None);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "limit" => limit = number("limit", &value, 1..=1000)?,
            "after" => {
                let id = value.parse().map_err(|_| Error::invalid("after", "must be the id of a session"))?;
                after = Some(id);
            }
            _ => {}
        }
    }
    Ok((limit, after))
}

fn number(field: &str, value: &str, range: std::ops::RangeInclusive<usize>) -> Result<usize, Error> {
    let number = value.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        Error::invalid(field, format!("must be a whole number from {} to {}", range.start(), range.end()))
    })
}

/// The body of a page of all sessions. One more than is shown says that there are more.
pub(crate) fn sessions_body(mut sessions: Vec<SessionOverview>, limit: usize) -> Value {
    let has_more = sessions.len() > limit;
    sessions.truncate(limit);
    let data: Vec<Value> = sessions
        .iter()
        .map(|session| {
            json!({
                "id": session.id, "object": "engross.session", "key": session.key, "created": session.created / 1000,
                "changed": session.changed / 1000, "entries": session.entries,
            })
        })
        .collect();
    json!({"object": "list", "data": data, "has_more": has_more})
}

/// Which messages of a conversation a page shows.
pub(crate) fn page_of_messages(page: &MessagePage, count: usize) -> std::ops::Range<usize> {
    let end = page.before.unwrap_or(count).min(count);
    end.saturating_sub(page.limit)..end
}

/// The body: the session with a page of its conversation in the shape of chat messages.
pub(crate) fn session_body(view: &SessionView, shown: std::ops::Range<usize>) -> Value {
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
        Some(TurnPhase::Asking | TurnPhase::Calling) if view.runs => "running",
        // Its process died: the next request goes on.
        Some(TurnPhase::Asking | TurnPhase::Calling) => "interrupted",
    };
    let count = session.messages.len();
    let mut body = json!({
        "id": view.id,
        "object": "engross.session",
        "key": session.key,
        "created": view.created / 1000,
        "turns": session.turns,
        "state": state,
        "open_calls": open,
        "settings": session.settings,
        "workspace": session.workspace,
        "messages": session.messages.get(shown.clone()).unwrap_or_default().iter().map(message).collect::<Vec<Value>>(),
    });
    if shown.len() < count {
        body["first_message"] = json!(shown.start);
        body["messages_in_all"] = json!(count);
    }
    body
}

/// A message; of what it carries beside text only what it is, since the bytes would make the page long.
fn message(message: &Message) -> Value {
    let mut shown = text_of(message);
    if !message.attachments().is_empty() {
        shown["attachments"] = message.attachments().iter().map(attachment).collect();
    }
    shown
}

fn attachment(attachment: &MessageAttachment) -> Value {
    let mut shown = match &attachment.source {
        AttachmentSource::Inline { media_type, .. } => {
            json!({"kind": attachment.kind, "media_type": media_type, "bytes": attachment.bytes()})
        }
        AttachmentSource::Url(url) => json!({"kind": attachment.kind, "url": url}),
    };
    if let Some(name) = &attachment.name {
        shown["name"] = json!(name);
    }
    shown
}

fn text_of(message: &Message) -> Value {
    match message {
        Message::User { content, .. } => json!({"role": "user", "content": content}),
        Message::Assistant { content, tool_calls, .. } if tool_calls.is_empty() => {
            json!({"role": "assistant", "content": content})
        }
        Message::Assistant { content, tool_calls, .. } => {
            json!({"role": "assistant", "content": content, "tool_calls": tool_calls.iter().map(call).collect::<Vec<Value>>()})
        }
        Message::Tool { tool_call_id, name, content, is_error, .. } => json!({
            "role": "tool", "tool_call_id": tool_call_id, "name": name, "content": content, "is_error": is_error,
        }),
    }
}

fn call(call: &ToolCall) -> Value {
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
}
