//! Operations as the clients of agents really send them, brought into the language: JSON in a text, a missing list, an operation
//! within a wrapper, names in another spelling, numbers in quotes, `null` for what is not meant.
//!
//! Must never guess: only what can mean one thing is brought into its form, each time with a remark; all else stays as it is, for the
//! parser to refuse by name.

use serde_json::{Map, Value};

use crate::ops::language::{offered, row};
use crate::ops::rows::row::{COMMON_FIELDS, Field, OperationRow, Shape};

/// How deep texts and wrappers are looked into.
const DEPTH: usize = 4;

/// What clients call the name of an operation besides `op` and `operation`.
const NAME_KEYS: &[&str] = &["type", "action", "name", "command", "tool"];

/// What clients wrap the fields of an operation in.
const WRAPPERS: &[&str] = &["params", "parameters", "args", "arguments", "fields", "input"];

/// Operations in the form that the parser takes, as far as they could be brought into it.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairedOperations {
    /// The operations.
    pub operations: Value,
    /// What was brought into another form.
    pub remarks: Vec<String>,
}

/// Brings a list of operations into the form of the language. See the module for what is repaired.
///
/// ```
/// use engross_docx::ops::{parse_operations, repair_operations};
/// use serde_json::json;
///
/// let sent = json!("[{\"op\": \"deleteParagraph\", \"paragraph_index\": \"4\", \"target\": null}]");
/// let repaired = repair_operations(sent);
/// assert_eq!(repaired.operations, json!([{"op": "delete_paragraph", "paragraphIndex": 4}]));
/// assert!(parse_operations(&repaired.operations).is_ok());
/// ```
#[must_use]
pub fn repair_operations(sent: Value) -> RepairedOperations {
    let mut remarks = Vec::new();
    let list = list(sent, DEPTH, &mut remarks);
    let operations = match list {
        Value::Array(items) => {
            items.into_iter().enumerate().map(|(index, item)| operation(item, index, &mut remarks)).collect()
        }
        other => other,
    };
    remarks.dedup();
    RepairedOperations { operations, remarks }
}

/// Whether two names are the same but for case and what parts their words.
#[must_use]
pub fn is_same_name(one: &str, other: &str) -> bool {
    fold(one).eq(fold(other))
}

fn fold(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(char::is_ascii_alphanumeric).map(|character| character.to_ascii_lowercase())
}

fn list(sent: Value, depth: usize, remarks: &mut Vec<String>) -> Value {
    match sent {
        Value::String(text) if depth > 0 => match serde_json::from_str(text.trim()) {
            Ok(inner @ (Value::Array(_) | Value::Object(_) | Value::String(_))) => {
                remarks.push("the operations came as a text".to_owned());
                list(inner, depth - 1, remarks)
            }
            _ => Value::String(text),
        },
        Value::Object(mut fields) if depth > 0 && !names_operation(&fields) => {
            match fields.remove("operations") {
                Some(inner) if fields.is_empty() => {
                    remarks.push("'operations' stood within 'operations'".to_owned());
                    list(inner, depth - 1, remarks)
                }
                Some(inner) => {
                    fields.insert("operations".to_owned(), inner);
                    Value::Object(fields)
                }
                None if is_wrapped_operation(&fields) => {
                    remarks.push("one operation came without its list".to_owned());
                    Value::Array(vec![Value::Object(fields)])
                }
                None => Value::Object(fields),
            }
        }
        Value::Object(fields) => {
            remarks.push("one operation came without its list".to_owned());
            Value::Array(vec![Value::Object(fields)])
        }
        other => other,
    }
}

fn names_operation(fields: &Map<String, Value>) -> bool {
    let mut names = ["op", "operation"].iter().chain(NAME_KEYS).filter_map(|key| fields.get(*key)?.as_str());
    names.any(|name| known(name).is_some())
}

/// Whether it is `{"modify_text": {…}}`.
fn is_wrapped_operation(fields: &Map<String, Value>) -> bool {
    fields.len() == 1 && fields.iter().all(|(key, value)| known(key).is_some() && value.is_object())
}

/// The operation that a name means in whatever spelling.
fn known(name: &str) -> Option<&'static OperationRow> {
    row(name).or_else(|| offered().find(|row| is_same_name(row.name, name)))
}

fn operation(sent: Value, index: usize, remarks: &mut Vec<String>) -> Value {
    let parsed = match &sent {
        Value::String(text) => serde_json::from_str(text.trim()).ok(),
        _ => None,
    };
    if parsed.is_some() {
        remarks.push(format!("operation {index} came as a text"));
    }
    let Value::Object(mut fields) = parsed.unwrap_or_else(|| sent.clone()) else { return sent };
    // What a client has no value for, it sends as null.
    fields.retain(|_, value| !value.is_null());
    if !fields.contains_key("op") && !fields.contains_key("operation") {
        fields = named(fields, index, remarks);
    }
    let name =
        fields.get("op").or_else(|| fields.get("operation")).and_then(Value::as_str).map(str::to_owned);
    let Some((name, row)) = name.and_then(|name| known(&name).map(|row| (name, row))) else {
        return Value::Object(fields);
    };
    if name != row.name {
        remarks.push(format!("operation {index} is {}, not '{name}'", row.name));
    }
    let said = if fields.contains_key("op") { "op" } else { "operation" };
    fields.insert(said.to_owned(), Value::String(row.name.to_owned()));
    let fields = unwrapped(fields, row, index, remarks);
    let fields = fields.into_iter().map(|(key, value)| {
        let field = row.fields.iter().find(|field| field.name == key).or_else(|| {
            let field = row.fields.iter().find(|field| is_same_name(field.name, &key))?;
            remarks.push(format!("operation {index}: '{key}' is '{}'", field.name));
            Some(field)
        });
        match field {
            Some(field) => (field.name.to_owned(), of_shape(value, field, index, remarks)),
            None => (common(&key).map_or(key.clone(), str::to_owned), value),
        }
    });
    Value::Object(fields.collect())
}

/// The field of every operation that a key means.
fn common(key: &str) -> Option<&'static str> {
    COMMON_FIELDS.iter().copied().find(|field| is_same_name(field, key))
}

/// Finds the name of an operation that does not say it as `op`.
fn named(mut fields: Map<String, Value>, index: usize, remarks: &mut Vec<String>) -> Map<String, Value> {
    if is_wrapped_operation(&fields)
        && let Some((key, Value::Object(inner))) = fields.clone().into_iter().next()
    {
        remarks.push(format!("operation {index} stood within '{key}'"));
        let mut unwrapped = Map::new();
        unwrapped.insert("op".to_owned(), Value::String(key));
        unwrapped.extend(inner.into_iter().filter(|(_, value)| !value.is_null()));
        return unwrapped;
    }
    let own_key =
        fields.keys().find(|key| is_same_name(key, "op") || is_same_name(key, "operation")).cloned();
    let means = |key: &str| fields.get(key).and_then(Value::as_str).is_some_and(|name| known(name).is_some());
    let key = own_key.or_else(|| NAME_KEYS.iter().find(|key| means(key)).map(|key| (*key).to_owned()));
    if let Some(name) = key.as_deref().and_then(|key| fields.remove(key)) {
        remarks.push(format!("operation {index}: '{}' is 'op'", key.unwrap_or_default()));
        fields.insert("op".to_owned(), name);
    }
    fields
}

/// Takes fields out of the object that they came in.
fn unwrapped(
    mut fields: Map<String, Value>,
    row: &OperationRow,
    index: usize,
    remarks: &mut Vec<String>,
) -> Map<String, Value> {
    let wrapper = WRAPPERS
        .iter()
        .find(|key| fields.contains_key(**key) && !row.fields.iter().any(|field| field.name == **key));
    let Some(wrapper) = wrapper else { return fields };
    let inner = match fields.get(*wrapper) {
        Some(Value::Object(inner)) => Some(inner.clone()),
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        _ => None,
    };
    let Some(inner) = inner else { return fields };
    if inner.keys().any(|key| fields.contains_key(key)) {
        // Two values of one field: which is meant, nobody can tell.
        return fields;
    }
    fields.remove(*wrapper);
    remarks.push(format!("operation {index}: its fields stood within '{wrapper}'"));
    fields.extend(inner.into_iter().filter(|(_, value)| !value.is_null()));
    fields
}

/// A value in the form that its field takes, if it is that value in another form.
fn of_shape(value: Value, field: &Field, index: usize, remarks: &mut Vec<String>) -> Value {
    let repaired = match (field.shape, &value) {
        (Shape::Paragraph, Value::String(text)) => paragraph_number(text),
        (Shape::Paragraph | Shape::Count | Shape::Level, Value::Number(number)) => {
            number.as_f64().filter(|_| !number.is_i64() && !number.is_u64()).and_then(whole)
        }
        (Shape::Count | Shape::Level | Shape::Points, Value::String(text)) => {
            serde_json::from_str(text.trim()).ok().filter(Value::is_number)
        }
        (Shape::Paragraphs, Value::Array(items)) => {
            let numbers = items.iter().map(|item| match item {
                Value::String(text) => paragraph_number(text),
                other => Some(other.clone()),
            });
            numbers.collect::<Option<Vec<_>>>().map(Value::Array).filter(|list| *list != value)
        }
        (Shape::Flag, Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        (Shape::Text, Value::Number(number)) => Some(Value::String(number.to_string())),
        (
            Shape::Texts | Shape::Paragraphs | Shape::Ids | Shape::Lengths | Shape::Cells | Shape::Scope,
            Value::String(text),
        ) if text.trim_start().starts_with('[') => serde_json::from_str(text).ok().filter(Value::is_array),
        (
            Shape::Place
            | Shape::CellRange
            | Shape::CellPlace
            | Shape::Margins
            | Shape::Properties
            | Shape::ReferenceTarget
            | Shape::References,
            Value::String(text),
        ) if text.trim_start().starts_with('{') => serde_json::from_str(text).ok().filter(Value::is_object),
        _ => None,
    };
    match repaired {
        Some(repaired) => {
            remarks.push(format!("operation {index}: '{}' came in another form", field.name));
            repaired
        }
        None => value,
    }
}

/// `7`, `P7` and `[P7]` as a number.
fn paragraph_number(text: &str) -> Option<Value> {
    let bare = text.trim().trim_start_matches('[').trim_end_matches(']').trim_start_matches(['P', 'p']);
    bare.parse::<u32>().ok().filter(|number| *number > 0).map(Value::from)
}

fn whole(number: f64) -> Option<Value> {
    let is_whole = number.fract() == 0.0 && number.abs() < 1e9;
    #[expect(clippy::cast_possible_truncation, reason = "bounded above")]
    let whole = number as i64;
    is_whole.then(|| Value::from(whole))
}
