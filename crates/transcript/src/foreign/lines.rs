//! Writes lines of OpenClaw's form: a header, and messages that follow each other.

use serde_json::{Map, Value, json};

use super::retold::{GivenOutcome, RetoldSession};

/// Lines of a session.
#[derive(Debug, Default)]
pub(super) struct SessionLines {
    bytes: Vec<u8>,
    messages: usize,
    given: Option<GivenOutcome>,
}

impl SessionLines {
    /// The header. A part that is no text is left out.
    pub(super) fn header(&mut self, id: &Value, cwd: &Value, begun: &Value) {
        let mut header = Map::new();
        header.insert("type".to_owned(), json!("session"));
        header.insert("version".to_owned(), json!(3));
        for (name, value) in [("id", id), ("cwd", cwd), ("timestamp", begun)] {
            if let Some(text) = value.as_str() {
                header.insert(name.to_owned(), json!(text));
            }
        }
        self.line(&Value::Object(header));
    }

    /// A message, said at some time, which may be a text or a number.
    pub(super) fn message(&mut self, at: &Value, message: Value) {
        let mut entry = self.entry("message", at);
        entry.insert("message".to_owned(), message);
        self.line(&Value::Object(entry));
    }

    /// Words that a program put into the conversation.
    pub(super) fn program(&mut self, at: &Value, content: Value) {
        let mut entry = self.entry("custom_message", at);
        entry.insert("content".to_owned(), content);
        self.line(&Value::Object(entry));
    }

    /// The result of a call.
    pub(super) fn result(&mut self, at: &Value, (id, tool): (&str, &str), text: &str, is_error: bool) {
        let content = json!([{"type": "text", "text": text}]);
        let result = json!({"role": "toolResult", "toolCallId": id, "toolName": tool, "isError": is_error, "content": content});
        self.message(at, result);
    }

    pub(super) fn given(&mut self, given: GivenOutcome) {
        self.given = Some(given);
    }

    /// Whether nobody has said anything.
    pub(super) fn is_empty(&self) -> bool {
        self.messages == 0
    }

    pub(super) fn retold(self) -> RetoldSession {
        RetoldSession { lines: self.bytes, given: self.given }
    }

    fn entry(&mut self, kind: &str, at: &Value) -> Map<String, Value> {
        let mut entry = Map::new();
        entry.insert("type".to_owned(), json!(kind));
        entry.insert("id".to_owned(), json!(format!("m{}", self.messages)));
        let parent = self.messages.checked_sub(1).map(|before| format!("m{before}"));
        entry.insert("parentId".to_owned(), json!(parent));
        match at {
            Value::String(at) => entry.insert("timestamp".to_owned(), json!(at)),
            Value::Number(at) => entry.insert("timestamp".to_owned(), json!(at.to_string())),
            _ => None,
        };
        self.messages += 1;
        entry
    }

    fn line(&mut self, value: &Value) {
        self.bytes.extend_from_slice(value.to_string().as_bytes());
        self.bytes.push(b'\n');
    }
}

/// A block of words.
pub(super) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A block of thoughts.
pub(super) fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text})
}

/// A block with a call.
pub(super) fn call(id: &str, tool: &str, arguments: &Value) -> Value {
    // Some keep arguments as the text that the model wrote.
    let arguments = match arguments {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| json!({"input": text})),
        Value::Null => json!({}),
        other => other.clone(),
    };
    json!({"type": "toolCall", "id": id, "name": tool, "arguments": arguments})
}

/// The words in a text, or in a list of blocks that have a `text`.
pub(super) fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.as_str().or_else(|| block["text"].as_str()));
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other["text"].as_str().map_or_else(|| other.to_string(), str::to_owned),
    }
}
