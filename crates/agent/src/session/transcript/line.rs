//! What the lines hold: the header, ids, moments and messages in the words of the format.
//!
//! Must never let an address or a secret of a provider into a transcript.

use engross_llm::{MessageAttachment, ToolCall, Usage};
use engross_protocol::SessionId;
use serde_json::{Map, Value, json};

/// The version of the format.
const VERSION: u32 = 3;

/// Sessions have no folder of their own, but readers of the format want one.
const FOLDER: &str = "/";

/// Under this name stand arguments that are no JSON object.
const RAW: &str = "_raw";

/// The names of a line: unlike all others of its session, the same each time the log is transcribed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineId(u32);

impl LineId {
    /// The id of a session's line, counted from 0. Each step can be undone, so two lines never share an id.
    pub(super) fn new(session: SessionId, count: u32) -> Self {
        let bytes = session.to_bytes();
        let word = |at: usize| {
            let part = bytes.get(at..at + 4).and_then(|part| part.try_into().ok());
            part.map_or(0, u32::from_be_bytes)
        };
        let mut id = count ^ word(12);
        for factor in [0x85eb_ca6b_u32, 0xc2b2_ae35] {
            id = (id ^ (id >> 16)).wrapping_mul(factor) ^ word(8);
        }
        Self(id ^ (id >> 16))
    }

    pub(super) fn json(self) -> Value {
        Value::String(format!("{:08x}", self.0))
    }
}

/// The first line.
pub(super) fn header(session: SessionId, at: u64) -> Value {
    let digits = format!("{:032x}", u128::from_be_bytes(session.to_bytes()));
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| digits.get(part).unwrap_or_default());
    json!({
        "type": "session",
        "version": VERSION,
        "id": parts.join("-"),
        "timestamp": moment(at),
        "cwd": FOLDER,
    })
}

/// A moment in UTC, to the millisecond.
pub(super) fn moment(at: u64) -> String {
    let at = i64::try_from(at).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    at.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker<'a> {
    /// The model of this name.
    Model(&'a str),
    /// The session itself.
    Session,
    /// A speaker in a conversation that the client brought along.
    Adopted,
}

impl<'a> Speaker<'a> {
    /// Who answered as the log names it.
    pub(super) fn of(model: &'a str) -> Self {
        if model.is_empty() { Self::Session } else { Self::Model(model) }
    }

    /// Provider and model. The address of a provider is left out: there may be a key in it.
    pub(super) fn names(self) -> (&'a str, &'a str) {
        match self {
            Self::Session => ("engross", "session"),
            Self::Adopted => ("engross", "adopted"),
            Self::Model(spec) => match spec.split_once(['/', ':']) {
                Some(("openai-compatible", rest)) => {
                    ("openai-compatible", rest.rsplit_once('#').map_or("", |(_, name)| name))
                }
                Some(names) => names,
                None => ("engross", spec),
            },
        }
    }

    fn api(self) -> &'static str {
        match self.names().0 {
            "openai" | "openai-compatible" | "ollama" => "openai-completions",
            "anthropic" => "anthropic-messages",
            "gemini" => "google-generative-ai",
            _ => "engross",
        }
    }
}

/// A message of the person.
pub(super) fn user(content: &str, attachments: &[MessageAttachment], at: u64) -> Value {
    json!({"role": "user", "content": spoken(content, attachments), "timestamp": at})
}

/// Text, and words for what stands beside it: a transcript holds no bytes of files.
fn spoken(content: &str, attachments: &[MessageAttachment]) -> Vec<Value> {
    let told = attachments.iter().map(|attachment| text(&attachment.told()));
    std::iter::once(text(content)).chain(told).collect()
}

/// A message of the model.
pub(super) struct ModelMessage<'a> {
    pub(super) by: Speaker<'a>,
    pub(super) text: &'a str,
    pub(super) calls: Vec<&'a ToolCall>,
    pub(super) usage: Option<Usage>,
    pub(super) stop: &'static str,
    pub(super) error: Option<String>,
}

impl ModelMessage<'_> {
    pub(super) fn json(&self, at: u64) -> Value {
        let mut content: Vec<Value> = Vec::new();
        if !self.text.is_empty() {
            content.push(text(self.text));
        }
        content.extend(self.calls.iter().map(|call| {
            json!({"type": "toolCall", "id": call.id, "name": call.name, "arguments": arguments(&call.arguments)})
        }));
        let (provider, model) = self.by.names();
        let mut message = json!({
            "role": "assistant",
            "content": content,
            "api": self.by.api(),
            "provider": provider,
            "model": model,
            "usage": usage(self.usage),
            "stopReason": self.stop,
            "timestamp": at,
        });
        if let (Some(error), Some(fields)) = (&self.error, message.as_object_mut()) {
            fields.insert("errorMessage".to_owned(), Value::String(error.clone()));
        }
        message
    }
}

/// A call's result.
pub(super) fn result(
    (id, name): (&str, &str),
    (content, attachments): (&str, &[MessageAttachment]),
    is_error: bool,
    details: Option<&Value>,
    at: u64,
) -> Value {
    json!({
        "role": "toolResult",
        "toolCallId": id,
        "toolName": name,
        "content": spoken(content, attachments),
        "details": details.cloned().unwrap_or_else(|| Value::Object(Map::new())),
        "isError": is_error,
        "timestamp": at,
    })
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Arguments as the object that the format wants; what is none stands in one, as it came.
fn arguments(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(arguments @ Value::Object(_)) => arguments,
        _ if text.trim().is_empty() => json!({}),
        _ => json!({ RAW: text }),
    }
}

/// Tokens; prices are not known here.
fn usage(usage: Option<Usage>) -> Value {
    let Usage { input_tokens, output_tokens } = usage.unwrap_or_default();
    json!({
        "input": input_tokens,
        "output": output_tokens,
        "cacheRead": 0,
        "cacheWrite": 0,
        "totalTokens": input_tokens.saturating_add(output_tokens),
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
    })
}
