//! Cursor: `~/.cursor/projects/NAME/agent-transcripts/*.jsonl`, messages without ids, times or results.

use serde_json::{Value, json};

use super::lines::{SessionLines, call, text};

pub(super) fn retell(values: &[Value]) -> Option<SessionLines> {
    let is_one = |value: &Value| {
        matches!(value["role"].as_str(), Some("user" | "assistant"))
            && value["message"]["content"].is_array()
            && value["type"].is_null()
    };
    if values.is_empty() || !values.iter().all(is_one) {
        return None;
    }
    let mut lines = SessionLines::default();
    lines.header(&Value::Null, &Value::Null, &Value::Null);
    let mut calls = 0;
    for value in values {
        let mut blocks = Vec::new();
        for block in value["message"]["content"].as_array().into_iter().flatten() {
            match block["type"].as_str().unwrap_or_default() {
                "text" => blocks.push(text(typed(block["text"].as_str().unwrap_or_default()))),
                "tool_use" => {
                    calls += 1;
                    let id = block["id"].as_str().map_or_else(|| format!("call-{calls}"), str::to_owned);
                    blocks.push(call(&id, block["name"].as_str().unwrap_or("tool"), &block["input"]));
                }
                _ => {}
            }
        }
        lines.message(&Value::Null, json!({"role": value["role"], "content": blocks}));
    }
    Some(lines)
}

/// What a person typed, without what the program put round it.
fn typed(text: &str) -> &str {
    let inner = text.split_once("<user_query>").and_then(|(_, rest)| rest.split_once("</user_query>"));
    inner.map_or(text, |(inner, _)| inner.trim())
}
