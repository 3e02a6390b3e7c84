//! Lists of messages as providers take them: chat completions, items of responses, and blocks of Anthropic's messages.

use serde_json::{Value, json};

use super::lines::{SessionLines, call, text, words};

pub(super) fn retell(messages: &[Value]) -> Option<SessionLines> {
    let is_role =
        |role: &str| matches!(role, "system" | "developer" | "user" | "assistant" | "tool" | "function");
    let is_item =
        |kind: &str| matches!(kind, "function_call" | "function_call_output" | "reasoning" | "message");
    let is_one = |message: &Value| match (message["role"].as_str(), message["type"].as_str()) {
        (Some(role), None | Some("message")) => is_role(role),
        (None, Some(kind)) => is_item(kind),
        _ => false,
    };
    if messages.is_empty() || !messages.iter().all(is_one) {
        return None;
    }
    let mut lines = SessionLines::default();
    lines.header(&Value::Null, &Value::Null, &Value::Null);
    for message in messages {
        one(&mut lines, message);
    }
    (!lines.is_empty()).then_some(lines)
}

fn one(lines: &mut SessionLines, message: &Value) {
    let at = &Value::Null;
    let content = &message["content"];
    match message["role"].as_str().or_else(|| message["type"].as_str()).unwrap_or_default() {
        "system" | "developer" => lines.program(at, json!(words(content))),
        // Anthropic's results stand in the user's messages, as blocks that the reader knows.
        "user" => lines.message(at, json!({"role": "user", "content": known(content)})),
        "assistant" => {
            let mut blocks = match known(content) {
                Value::Array(blocks) => blocks,
                Value::String(said) if !said.is_empty() => vec![text(&said)],
                _ => Vec::new(),
            };
            for one in message["tool_calls"].as_array().into_iter().flatten() {
                let function = &one["function"];
                let (id, name) =
                    (one["id"].as_str().unwrap_or_default(), function["name"].as_str().unwrap_or("tool"));
                blocks.push(call(id, name, &function["arguments"]));
            }
            let function = &message["function_call"];
            if let Some(name) = function["name"].as_str() {
                blocks.push(call(name, name, &function["arguments"]));
            }
            lines.message(at, json!({"role": "assistant", "content": blocks}));
        }
        "tool" | "function" => {
            let name = message["name"].as_str().unwrap_or_default();
            let id = message["tool_call_id"].as_str().unwrap_or(name);
            lines.result(at, (id, name), &words(content), false);
        }
        "function_call" => {
            let (id, name) =
                (message["call_id"].as_str().unwrap_or_default(), message["name"].as_str().unwrap_or("tool"));
            lines.message(
                at,
                json!({"role": "assistant", "content": [call(id, name, &message["arguments"])]}),
            );
        }
        "function_call_output" => {
            let id = message["call_id"].as_str().unwrap_or_default();
            lines.result(at, (id, ""), &words(&message["output"]), false);
        }
        _ => {}
    }
}

/// Content whose blocks of words are called as the reader calls them.
fn known(content: &Value) -> Value {
    let Some(blocks) = content.as_array() else { return content.clone() };
    let blocks = blocks.iter().map(|block| match block["type"].as_str() {
        Some("input_text" | "output_text") => text(block["text"].as_str().unwrap_or_default()),
        _ => block.clone(),
    });
    Value::Array(blocks.collect())
}
