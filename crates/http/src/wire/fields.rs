//! Reads fields of a JSON body, and says exactly which one is wrong. A field that is `null` counts as absent.
//!
//! Must never guess a value.

use std::fmt;

use serde_json::{Map, Value};

use crate::error::Error;

/// A JSON object whose fields are taken out as they are read.
pub(super) type Object = Map<String, Value>;

/// Where a value stands in the body. A chain on the stack: it costs nothing until it is printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Field(&'a str),
    Item(usize),
}

impl<'a> Path<'a> {
    /// A field of the body itself.
    pub(super) const fn root(name: &'a str) -> Self {
        Self { parent: None, step: Step::Field(name) }
    }

    /// A field of the object that stands here.
    pub(super) const fn field(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Field(name) }
    }

    /// An item of the list that stands here, counted from 0.
    pub(super) const fn item(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Item(index) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match (self.step, self.parent) {
            (Step::Field(name), None) => f.write_str(name),
            (Step::Field(name), Some(_)) => write!(f, ".{name}"),
            (Step::Item(index), _) => write!(f, "[{index}]"),
        }
    }
}

impl From<Path<'_>> for String {
    fn from(path: Path<'_>) -> Self {
        path.to_string()
    }
}

/// Most values in a body. Each takes up to a hundred bytes of memory, however short it is.
const MOST_VALUES: usize = 250_000;

/// The body as an object.
pub(super) fn body(bytes: &[u8]) -> Result<Object, Error> {
    if values(bytes) > MOST_VALUES {
        return Err(Error::invalid("body", format!("holds more than {MOST_VALUES} values; send fewer")));
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(Error::invalid("body", expected("an object", &other))),
        Err(problem) => Err(Error::InvalidJson { problem: problem.to_string() }),
    }
}

/// How many values there are about: lists, objects and what commas part, outside of texts.
fn values(json: &[u8]) -> usize {
    let (mut count, mut in_text, mut is_escaped) = (1, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_text,
            b'"' => in_text = !in_text,
            b',' | b'{' | b'[' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

/// A field, unless it is absent or `null`.
pub(super) fn take(object: &mut Object, name: &str) -> Option<Value> {
    object.remove(name).filter(|value| !value.is_null())
}

/// An object.
pub(super) fn object(value: Value, at: Path<'_>) -> Result<Object, Error> {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(Error::invalid(at, expected("an object", &other))),
    }
}

/// A list.
pub(super) fn list(value: Value, at: Path<'_>) -> Result<Vec<Value>, Error> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(Error::invalid(at, expected("a list", &other))),
    }
}

/// A string.
pub(super) fn string(value: Value, at: Path<'_>) -> Result<String, Error> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(Error::invalid(at, expected("a string", &other))),
    }
}

/// A string, if the field is there. `at` is the path of the field.
pub(super) fn text(from: &mut Object, name: &str, at: Path<'_>) -> Result<Option<String>, Error> {
    take(from, name).map(|value| string(value, at)).transpose()
}

/// True or false, if the field is there.
pub(super) fn flag(from: &mut Object, name: &str, at: Path<'_>) -> Result<Option<bool>, Error> {
    match take(from, name) {
        None => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(flag)),
        Some(other) => Err(Error::invalid(at, expected("true or false", &other))),
    }
}

/// A whole number from 1 on, if the field is there.
pub(super) fn count(from: &mut Object, name: &str, at: Path<'_>) -> Result<Option<u32>, Error> {
    let Some(value) = take(from, name) else { return Ok(None) };
    let count = value.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0);
    match count {
        Some(count) => Ok(Some(count)),
        None if value.is_number() => {
            Err(Error::invalid(at, format!("must be a whole number from 1 to {}", u32::MAX)))
        }
        None => Err(Error::invalid(at, expected("a number", &value))),
    }
}

/// A number in a range, if the field is there.
pub(super) fn number(
    from: &mut Object,
    name: &str,
    at: Path<'_>,
    range: std::ops::RangeInclusive<f64>,
) -> Result<Option<f64>, Error> {
    let Some(value) = take(from, name) else { return Ok(None) };
    let Some(number) = value.as_f64() else { return Err(Error::invalid(at, expected("a number", &value))) };
    if range.contains(&number) {
        return Ok(Some(number));
    }
    Err(Error::invalid(at, format!("must be between {} and {}", range.start(), range.end())))
}

/// What to send instead of `found`.
pub(super) fn expected(what: &str, found: &Value) -> String {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("must be {what}, not {found}")
}
