//! goose: `~/.local/share/goose/sessions/*.jsonl`, and what `goose session export --format json` prints. Requests and responses of
//! tools are blocks of messages.

use serde_json::{Value, json};

use super::lines::{SessionLines, call, text, thinking, words};

/// A header, if there is one, and messages.
pub(super) fn of_lines(values: &[Value]) -> Option<SessionLines> {
    let first = values.first()?;
    let has_header = first["working_dir"].is_string() && first["role"].is_null();
    let messages = if has_header { values.get(1..)? } else { values };
    let is_own = |message: &Value| {
        let blocks = message["content"].as_array().into_iter().flatten();
        blocks.into_iter().any(|block| matches!(block["type"].as_str(), Some("toolRequest" | "toolResponse")))
    };
    if !has_header && !messages.iter().any(is_own) {
        return None;
    }
    let mut lines = SessionLines::default();
    lines.header(&first["id"], &first["working_dir"], &first["created_at"]);
    all(&mut lines, messages);
    Some(lines)
}

/// A whole session.
pub(super) fn of_export(value: &Value) -> Option<SessionLines> {
    let messages =
        value["conversation"].as_array().or_else(|| value["conversation"]["messages"].as_array())?;
    value["working_dir"].as_str()?;
    let mut lines = SessionLines::default();
    lines.header(&value["id"], &value["working_dir"], &value["created_at"]);
    all(&mut lines, messages);
    Some(lines)
}

fn all(lines: &mut SessionLines, messages: &[Value]) {
    for message in messages {
        let at = &message["created"];
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_user = message["role"] == "user";
        let mut said = Vec::new();
        let mut results = Vec::new();
        for block in blocks {
            let id = block["id"].as_str().unwrap_or_default();
            match block["type"].as_str().unwrap_or_default() {
                "text" => said.push(text(block["text"].as_str().unwrap_or_default())),
                "thinking" => said.push(thinking(block["thinking"].as_str().unwrap_or_default())),
                "toolRequest" => {
                    let value = &block["toolCall"]["value"];
                    said.push(call(id, value["name"].as_str().unwrap_or("tool"), &value["arguments"]));
                }
                "toolResponse" => {
                    let result = &block["toolResult"];
                    let value = &result["value"];
                    let is_error = result["status"] == "error" || value["isError"] == true;
                    let told = match result["error"].as_str() {
                        Some(error) => error.to_owned(),
                        None => words(value.get("content").unwrap_or(value)),
                    };
                    results.push((id, told, is_error));
                }
                _ => {}
            }
        }
        if !said.is_empty() {
            let role = if is_user { "user" } else { "assistant" };
            lines.message(at, json!({"role": role, "content": said}));
        }
        for (id, told, is_error) in results {
            lines.result(at, (id, ""), &told, is_error);
        }
    }
}
