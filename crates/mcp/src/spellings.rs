//! Operations in the words of other tools: `old_string` and `new_string` of editors of code, `find` and `replace`, a text under another name.
//!
//! Models know those tools and send what they take. Must never guess: a field is renamed only where its operation lacks just that one and
//! a single other can be it; all else stays as it is, and is refused by name.

use engross_docx::ops::is_same_name;
use serde_json::{Map, Value, json};

/// What others call the words that go.
const OLD: &[&str] = &[
    "old_string",
    "old_str",
    "old_text",
    "old",
    "find",
    "find_text",
    "search",
    "search_text",
    "original",
    "from_text",
    "target_text",
    "text_to_find",
    "text_to_replace",
];

/// What others call the words that come.
const NEW: &[&str] = &[
    "new_string",
    "new_str",
    "new_text",
    "new",
    "replace",
    "replace_with",
    "replacement",
    "replace_text",
    "to_text",
    "with",
];

/// What others call a whole text.
const TEXT: &[&str] = &["text", "new_text", "content", "new_content", "paragraph_text", "value"];

/// What others call the number of a paragraph.
const NUMBER: &[&str] =
    &["paragraph", "paragraph_number", "paragraph_id", "paragraph_address", "address", "index"];

/// What others call a replacing of words.
const REPLACING: &[&str] = &[
    "replace",
    "replace_text",
    "find_replace",
    "find_and_replace",
    "search_and_replace",
    "search_replace",
    "str_replace",
    "edit",
    "edit_text",
    "modify",
    "replace_words",
    "update_text",
];

/// Under which names the word for an operation stands.
const NAMES: &[&str] = &["op", "operation", "type", "action", "name", "command"];

/// A field of an operation, and what others call it.
struct Spelling {
    operation: &'static str,
    field: &'static str,
    others: &'static [&'static str],
    /// Fields that say the same in another way: where one is, this one is not lacking.
    instead: &'static [&'static str],
}

const fn spelling(operation: &'static str, field: &'static str, others: &'static [&'static str]) -> Spelling {
    Spelling { operation, field, others, instead: &[] }
}

/// Of the operations that the definition of the tool names.
const SPELLINGS: &[Spelling] = &[
    Spelling { instead: &["pattern"], ..spelling("modify_text", "originalText", OLD) },
    spelling("modify_text", "replacementText", NEW),
    Spelling { instead: &["target"], ..spelling("modify_text", "paragraphIndex", NUMBER) },
    Spelling { instead: &["append", "prepend"], ..spelling("edit_paragraph", "newContent", TEXT) },
    Spelling { instead: &["target"], ..spelling("edit_paragraph", "paragraphIndex", NUMBER) },
    spelling("insert_paragraph", "content", TEXT),
    Spelling { instead: &["target"], ..spelling("delete_paragraph", "paragraphIndex", NUMBER) },
    spelling("insert_comment", "commentContent", &["comment", "comment_text", "text", "content"]),
    Spelling { instead: &["target"], ..spelling("insert_comment", "paragraphIndex", NUMBER) },
];

/// Whether fields are those of a replacing of words: one name of the words that go, one of those that come.
pub(crate) fn is_replacing(fields: &Map<String, Value>) -> bool {
    let has = |own: &str, others: &[&str]| {
        fields.iter().any(|(key, value)| value.is_string() && (is_same_name(key, own) || is_any(key, others)))
    };
    has("originalText", OLD) && has("replacementText", NEW)
}

/// Brings operations that came as a list into the words of the language; says what was renamed.
pub(crate) fn respelled(operations: Value, remarks: &mut Vec<String>) -> Value {
    let Value::Array(items) = operations else { return operations };
    let items = items.into_iter().enumerate().map(|(index, item)| match item {
        Value::Object(fields) => Value::Object(operation(fields, index, remarks)),
        other => other,
    });
    Value::Array(items.collect())
}

fn operation(mut fields: Map<String, Value>, index: usize, remarks: &mut Vec<String>) -> Map<String, Value> {
    let named = NAMES.iter().find(|key| fields.get(**key).is_some_and(Value::is_string));
    let name = named.and_then(|key| fields.get(*key)?.as_str()).map(str::to_owned);
    let is_meant = name.as_deref().is_none_or(|name| is_any(name, REPLACING));
    if is_meant && is_replacing(&fields) {
        if let Some(key) = named {
            fields.remove(*key);
        }
        fields.insert("op".to_owned(), json!("modify_text"));
        remarks.push(format!("operation {index} is taken for modify_text"));
    }
    let op = fields.get("op").or_else(|| fields.get("operation")).and_then(Value::as_str).unwrap_or_default();
    let op = op.to_owned();
    for spelling in SPELLINGS.iter().filter(|spelling| is_same_name(spelling.operation, &op)) {
        let lacks = |name: &str| !fields.keys().any(|key| is_same_name(key, name));
        if !lacks(spelling.field) || !spelling.instead.iter().all(|name| lacks(name)) {
            continue;
        }
        let mut found = fields.iter().filter(|(key, value)| !value.is_null() && is_any(key, spelling.others));
        let (Some((key, _)), None) = (found.next(), found.next()) else { continue };
        let key = key.clone();
        if let Some(value) = fields.remove(&key) {
            remarks.push(format!("operation {index}: '{key}' is '{}'", spelling.field));
            fields.insert(spelling.field.to_owned(), value);
        }
    }
    fields
}

fn is_any(key: &str, names: &[&str]) -> bool {
    names.iter().any(|name| is_same_name(name, key))
}
