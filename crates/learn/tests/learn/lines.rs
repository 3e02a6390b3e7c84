//! Lines of transcripts in OpenClaw's form.

use serde_json::{Value, json};

/// A transcript: its header and messages, each following the one before.
pub fn transcript(id: &str, messages: &[Value]) -> String {
    let mut text = json!({"type": "session", "version": 3, "id": id, "cwd": "/w"}).to_string();
    text.push('\n');
    for (at, message) in messages.iter().enumerate() {
        text.push_str(&entry(id, at, message));
    }
    text
}

/// One further line.
pub fn entry(id: &str, at: usize, message: &Value) -> String {
    let parent = at.checked_sub(1).map(|before| format!("{id}-{before}"));
    let entry =
        json!({"type": "message", "id": format!("{id}-{at}"), "parentId": parent, "message": message});
    format!("{entry}\n")
}

pub fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

pub fn said(text: &str) -> Value {
    json!({"role": "assistant", "model": "m", "content": [{"type": "text", "text": text}]})
}
