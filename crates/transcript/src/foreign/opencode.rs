//! opencode: what `opencode export ID` prints, messages with their parts; a call and its result are one part.

use serde_json::{Value, json};

use super::lines::{SessionLines, call, text, thinking};

pub(super) fn retell(value: &Value) -> Option<SessionLines> {
    let messages = value["messages"].as_array()?;
    let mut lines = SessionLines::default();
    lines.header(&value["info"]["id"], &value["info"]["directory"], &Value::Null);
    value["info"].is_object().then(|| all(&mut lines, messages)).flatten()?;
    Some(lines)
}

/// The messages of a session without what stands round them.
pub(super) fn of_messages(messages: &[Value]) -> Option<SessionLines> {
    let mut lines = SessionLines::default();
    lines.header(&messages.first()?["info"]["sessionID"], &Value::Null, &Value::Null);
    all(&mut lines, messages)?;
    Some(lines)
}

fn all(lines: &mut SessionLines, messages: &[Value]) -> Option<()> {
    let is_one = |message: &Value| message["info"]["role"].is_string() && message["parts"].is_array();
    if messages.is_empty() || !messages.iter().all(is_one) {
        return None;
    }
    for message in messages {
        let info = &message["info"];
        let at = &info["time"]["created"];
        let parts = message["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of = |kind: &'static str| parts.iter().filter(move |part| part["type"] == kind);
        if info["role"] == "user" {
            for part in of("text") {
                let words = unquoted(part["text"].as_str().unwrap_or_default());
                match part["synthetic"].as_bool() {
                    Some(true) => lines.program(at, json!(words)),
                    _ => lines.message(at, json!({"role": "user", "content": words})),
                }
            }
            continue;
        }
        let mut blocks = Vec::new();
        for part in parts {
            let words = part["text"].as_str().unwrap_or_default();
            match part["type"].as_str().unwrap_or_default() {
                "text" if !words.is_empty() => blocks.push(text(words)),
                "reasoning" if !words.is_empty() => blocks.push(thinking(words)),
                "tool" => blocks.push(call(id_of(part), tool_of(part), &part["state"]["input"])),
                _ => {}
            }
        }
        let error = info["error"]["data"]["message"].as_str().or_else(|| info["error"]["name"].as_str());
        let stop = error.map(|_| "error");
        lines.message(
            at,
            json!({"role": "assistant", "model": info["modelID"], "content": blocks, "stopReason": stop, "errorMessage": error}),
        );
        for part in of("tool") {
            let state = &part["state"];
            let names = (id_of(part), tool_of(part));
            match state["status"].as_str().unwrap_or_default() {
                "completed" => {
                    let exit = state["metadata"]["exit"].as_i64().filter(|exit| *exit != 0);
                    let words = state["output"].as_str().unwrap_or_default();
                    lines.result(&state["time"]["end"], names, words, exit.is_some());
                }
                "error" => {
                    let words = state["error"].as_str().unwrap_or_default();
                    lines.result(&state["time"]["end"], names, words, true);
                }
                _ => {}
            }
        }
    }
    Some(())
}

/// The words without the quotation marks that `opencode run` puts round an argument with spaces.
fn unquoted(words: &str) -> &str {
    let inner = words.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(words)
}

fn id_of(part: &Value) -> &str {
    part["callID"].as_str().or_else(|| part["id"].as_str()).unwrap_or_default()
}

fn tool_of(part: &Value) -> &str {
    part["tool"].as_str().unwrap_or("tool")
}
