//! A stored session as the editor shows it again: what was asked and said, and which tools were called.
//!
//! Pure. Must never tell what is not in the session.

use agent_client_protocol_schema::v1::{SessionUpdate, ToolCall, ToolCallStatus};
use engross_llm::Message;
use serde_json::Value;

use super::progress::{kind_of, shown_id, text_chunk};
use super::prompt::words_of_person;

/// The updates that show a conversation.
pub(super) fn updates(messages: &[Message]) -> Vec<SessionUpdate> {
    // An id may come again in another turn; the result of a call is the first behind it.
    let result_of = |id: &str, from: usize| {
        messages.iter().skip(from).find_map(|message| match message {
            Message::Tool { tool_call_id, is_error, .. } if tool_call_id == id => Some(*is_error),
            _ => None,
        })
    };
    let (mut updates, mut turn) = (Vec::new(), 0);
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::User { content, .. } => {
                turn += 1;
                updates.push(SessionUpdate::UserMessageChunk(text_chunk(words_of_person(content))));
            }
            Message::Assistant { content, tool_calls, .. } => {
                if !content.is_empty() {
                    updates.push(SessionUpdate::AgentMessageChunk(text_chunk(content)));
                }
                for call in tool_calls {
                    let status = match result_of(&call.id, at) {
                        Some(false) => ToolCallStatus::Completed,
                        Some(true) | None => ToolCallStatus::Failed,
                    };
                    let input: Option<Value> = serde_json::from_str(&call.arguments).ok();
                    let shown = ToolCall::new(shown_id(turn, &call.id), call.name.replace('_', " "))
                        .kind(kind_of(&call.name))
                        .status(status)
                        .raw_input(input);
                    updates.push(SessionUpdate::ToolCall(shown));
                }
            }
            Message::Tool { .. } => {}
        }
    }
    updates
}
