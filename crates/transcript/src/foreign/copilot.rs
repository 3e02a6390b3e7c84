//! Copilot CLI: `~/.copilot/session-state/ID/events.jsonl`, an event a line.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::lines::{SessionLines, call, text, thinking, words};

pub(super) fn retell(events: &[Value]) -> Option<SessionLines> {
    let is_event = |event: &Value| {
        event["type"].as_str().is_some_and(|kind| kind.contains('.')) && event["data"].is_object()
    };
    let is_known = |event: &Value| {
        matches!(event["type"].as_str(), Some("session.start" | "user.message" | "assistant.message"))
    };
    if !events.iter().all(is_event) || !events.iter().any(is_known) {
        return None;
    }
    let mut lines = SessionLines::default();
    let start = events.iter().find(|event| event["type"] == "session.start").map(|event| &event["data"]);
    let start = start.unwrap_or(&Value::Null);
    lines.header(&start["sessionId"], &start["context"]["cwd"], &start["startTime"]);
    let mut tools: HashMap<&str, &str> = HashMap::new();
    for event in events {
        let (at, data) = (&event["timestamp"], &event["data"]);
        // What a helper does hangs at a call of the main conversation.
        if data["parentToolCallId"].is_string() {
            continue;
        }
        match event["type"].as_str().unwrap_or_default() {
            "user.message" => lines.message(at, json!({"role": "user", "content": words(&data["content"])})),
            "assistant.message" => {
                let mut blocks = Vec::new();
                for (name, block) in [("reasoningText", thinking as fn(&str) -> Value), ("content", text)] {
                    let said = words(&data[name]);
                    if !said.is_empty() {
                        blocks.push(block(&said));
                    }
                }
                for request in data["toolRequests"].as_array().into_iter().flatten() {
                    let (id, name) = (id_of(request), request["name"].as_str().unwrap_or("tool"));
                    tools.insert(id, name);
                    blocks.push(call(id, name, &request["arguments"]));
                }
                lines.message(at, json!({"role": "assistant", "content": blocks}));
            }
            "tool.execution_start" if !tools.contains_key(id_of(data)) => {
                let (id, name) = (id_of(data), data["toolName"].as_str().unwrap_or("tool"));
                tools.insert(id, name);
                lines.message(
                    at,
                    json!({"role": "assistant", "content": [call(id, name, &data["arguments"])]}),
                );
            }
            "tool.execution_complete" => {
                let id = id_of(data);
                // A command that ended badly is a success to the tool that ran it.
                let is_bad = data["shellExecution"]["exitCode"].as_i64().is_some_and(|code| code != 0);
                let is_error = data["success"] == false || data["error"].is_object() || is_bad;
                let said = match data["error"]["message"].as_str() {
                    Some(message) => message.to_owned(),
                    None => words(data["result"].get("content").unwrap_or(&data["result"])),
                };
                lines.result(at, (id, tools.get(id).copied().unwrap_or_default()), &said, is_error);
            }
            _ => {}
        }
    }
    Some(lines)
}

fn id_of(data: &Value) -> &str {
    data["toolCallId"].as_str().unwrap_or_default()
}
