//! Particulars that every database takes: a JSON object of bounded depth and size, without NUL or half characters.

use std::borrow::Cow;

use engross_protocol::hex;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Levels of a deepest object, itself included.
const DEPTH: usize = 32;

/// Bytes of the longest JSON text.
const BYTES: usize = 64 << 10;

/// Bytes that are shown of a longer text.
const PREVIEW: usize = 2 << 10;

/// What stands for what is deeper.
const TOO_DEEP: &str = "[deeper than 32 levels]";

/// Characters of a longest name of a field.
const FIELD: usize = 255;

/// Particulars of an event. Text of more than 2 KiB is there as its beginning, its length and its SHA-256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details(String);

impl Default for Details {
    fn default() -> Self {
        Self("{}".to_owned())
    }
}

impl From<Value> for Details {
    /// An object as it is, an array as `{"items": …}`, nothing as `{}`, anything else as `{"message": …}`.
    fn from(value: Value) -> Self {
        let object = match value {
            Value::Null => return Self::default(),
            object @ Value::Object(_) => object,
            items @ Value::Array(_) => wrapped("items", items),
            scalar => wrapped("message", scalar),
        };
        let text = clean(object, DEPTH).to_string();
        Self(if text.len() > BYTES { shown(&text).to_string() } else { text })
    }
}

impl From<&str> for Details {
    fn from(message: &str) -> Self {
        Self::from(Value::from(message))
    }
}

impl Details {
    /// Reads JSON text of any origin. Half characters, as `\ud83d` without its other half or as bytes, become visible text;
    /// what is no JSON becomes a message.
    #[must_use]
    pub fn from_json(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(&escaped_halves(text)).into_owned();
        match serde_json::from_str::<Value>(&visible_halves(&text)) {
            Ok(value) => Self::from(value),
            Err(_) => Self::from(text.as_str()),
        }
    }

    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The macro for this would walk through the whole value, however deep.
fn wrapped(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

/// The first characters of a text, without NUL.
pub(super) fn short(text: &str, most: usize) -> String {
    visible_nul(text).chars().take(most).collect()
}

fn clean(value: Value, depth: usize) -> Value {
    match value {
        Value::String(text) if text.len() > PREVIEW => shown(&text),
        Value::String(text) => Value::String(visible_nul(&text).into_owned()),
        nested @ (Value::Array(_) | Value::Object(_)) if depth == 0 => {
            dismantle(nested);
            Value::from(TOO_DEEP)
        }
        Value::Array(items) => items.into_iter().map(|item| clean(item, depth - 1)).collect(),
        Value::Object(fields) => {
            let fields =
                fields.into_iter().map(|(name, value)| (short(&name, FIELD), clean(value, depth - 1)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        scalar => scalar,
    }
}

/// Drops a value level by level: one that is deep enough would overflow the stack.
fn dismantle(value: Value) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(fields) => left.extend(fields.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}

/// A long text in short.
fn shown(text: &str) -> Value {
    let preview = text.get(..text.floor_char_boundary(PREVIEW)).unwrap_or_default();
    let hash = hex::encode(Sha256::digest(text.as_bytes()));
    json!({"preview": visible_nul(preview), "bytes": text.len(), "sha256": hash})
}

fn visible_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\\u0000")) } else { Cow::Borrowed(text) }
}

/// Halves of characters that stand in the text as bytes (as some programs write them) become escapes.
fn escaped_halves(text: &[u8]) -> Cow<'_, [u8]> {
    let is_half = |at: usize| matches!(text.get(at..at + 3), Some([0xed, 0xa0..=0xbf, 0x80..=0xbf]));
    if !(0..text.len()).any(is_half) {
        return Cow::Borrowed(text);
    }
    let mut escaped = Vec::with_capacity(text.len() + 3);
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match text.get(at..at + 3) {
            Some([0xed, second, third]) if is_half(at) => {
                let unit = 0xd000 | (u16::from(second & 0x3f) << 6) | u16::from(third & 0x3f);
                escaped.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                at += 3;
            }
            _ => {
                escaped.push(*byte);
                at += 1;
            }
        }
    }
    Cow::Owned(escaped)
}

/// Escapes of half characters whose other half is missing become text that shows them.
fn visible_halves(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        visible.push_str(before);
        let taken = match unit(escape) {
            Some(0xd800..=0xdbff) if matches!(escape.get(6..).and_then(unit), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                visible.push('\\');
                6
            }
            Some(_) => 6,
            // A backslash and what it escapes.
            None => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (taken, after) = escape.split_at(taken);
        visible.push_str(taken);
        rest = after;
    }
    visible.push_str(rest);
    visible
}

/// The number of the `\uXXXX` that a text begins with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
}
