//! Gives a model its own text back: what it has written of a file so far, and the files that it wrote before.
//!
//! Must never put content into the log or the session: only the request has it, within a budget.

use engross_llm::{Message, Request};
use engross_protocol::WriteSessionId;
use serde_json::{Value, json};

use super::outline::shortened;
use super::tool::BEGIN;
use super::writer::Writer;
use crate::session::FileInProgress;

/// Bytes of a file in progress that are shown whole; of a longer one its beginning, its outline and its end are.
const IN_PROGRESS: usize = 96 << 10;

/// Bytes of files that were written before, the latest first, together.
const BEFORE: usize = 64 << 10;

/// The largest file that is looked at.
const LARGEST: u64 = 64 << 20;

/// Puts what was written where stubs and receipts stand. It reads files, and blocks.
pub(crate) fn recall(writer: &Writer, request: &mut Request, writing: Option<&FileInProgress>) {
    if let Some((stub, _)) = writing.and_then(|writing| writing.asked.as_ref())
        && let Some(text) =
            writing.and_then(|writing| writer.service().sessions().so_far(writing.id, LARGEST))
        && !text.is_empty()
    {
        let own = request.messages.iter_mut().rev().find_map(|message| match message {
            Message::Assistant { content, .. } if content == stub => Some(content),
            _ => None,
        });
        if let Some(own) = own {
            *own = shortened(&text, IN_PROGRESS);
        }
    }
    let texts = writer.texts();
    let mut left = BEFORE;
    for message in request.messages.iter_mut().rev() {
        let Message::Tool { name, content, is_error: false, .. } = message else { continue };
        if name != BEGIN {
            continue;
        }
        let Ok(Value::Object(mut result)) = serde_json::from_str::<Value>(content) else { continue };
        let id =
            result.get("session_id").and_then(Value::as_str).and_then(|id| id.parse::<WriteSessionId>().ok());
        let Some(id) = id.filter(|_| result.contains_key("receipt")) else { continue };
        // What was changed since, is not here any more.
        let Some(text) = texts.written(id, LARGEST) else { continue };
        let shown = shortened(&text, left);
        left = left.saturating_sub(shown.len());
        result.insert("content".to_owned(), json!(shown));
        *content = Value::Object(result).to_string();
        if left < 1024 {
            return;
        }
    }
}
