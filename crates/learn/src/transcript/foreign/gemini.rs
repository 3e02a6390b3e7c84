//! Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.json`, one object whose messages hold calls together with their results.

use serde_json::{Value, json};

use super::lines::{SessionLines, call, text, thinking, words};

pub(super) fn retell(value: &Value) -> Option<SessionLines> {
    let messages = value["messages"].as_array()?;
    value["sessionId"].as_str()?;
    // Nobody else calls the model so.
    let is_kind = |message: &Value| {
        matches!(message["type"].as_str(), Some("user" | "gemini" | "info" | "error" | "warning"))
    };
    if value["projectHash"].is_null() && !messages.iter().all(is_kind) {
        return None;
    }
    let mut lines = SessionLines::default();
    lines.header(&value["sessionId"], &Value::Null, &value["startTime"]);
    for message in messages {
        let at = &message["timestamp"];
        match message["type"].as_str().unwrap_or_default() {
            "user" => lines.message(at, json!({"role": "user", "content": words(&message["content"])})),
            "gemini" => model(&mut lines, message),
            _ => {}
        }
    }
    Some(lines)
}

fn model(lines: &mut SessionLines, message: &Value) {
    let at = &message["timestamp"];
    let thoughts = message["thoughts"].as_array().into_iter().flatten().map(|thought| {
        let part = |name: &str| thought[name].as_str().unwrap_or_default();
        thinking(format!("{}: {}", part("subject"), part("description")).trim_matches([':', ' ']))
    });
    let mut blocks: Vec<Value> = thoughts.collect();
    let said = words(&message["content"]);
    if !said.is_empty() {
        blocks.push(text(&said));
    }
    let calls = message["toolCalls"].as_array().map(Vec::as_slice).unwrap_or_default();
    for one in calls {
        blocks.push(call(id_of(one), name_of(one), &one["args"]));
    }
    lines.message(at, json!({"role": "assistant", "model": message["model"], "content": blocks}));
    for one in calls.iter().filter(|call| !call["result"].is_null() || call["status"].is_string()) {
        let is_error = matches!(one["status"].as_str(), Some("error" | "cancelled"));
        lines.result(&one["timestamp"], (id_of(one), name_of(one)), &result_of(one), is_error);
    }
}

fn id_of(call: &Value) -> &str {
    call["id"].as_str().or_else(|| call["callId"].as_str()).unwrap_or_default()
}

fn name_of(call: &Value) -> &str {
    call["name"].as_str().unwrap_or("tool")
}

/// What came back: `functionResponse.response.output` or `.error` of each part, else what was shown.
fn result_of(call: &Value) -> String {
    let parts = call["result"].as_array().map(Vec::as_slice).unwrap_or_default();
    let told = parts.iter().filter_map(|part| {
        let response = &part["functionResponse"]["response"];
        ["error", "output", "result"]
            .iter()
            .find_map(|name| response[*name].as_str())
            .or_else(|| part["text"].as_str())
    });
    let told: Vec<&str> = told.collect();
    match told.is_empty() {
        false => told.join("\n"),
        true if call["result"].is_string() => words(&call["result"]),
        true => words(&call["resultDisplay"]),
    }
}
