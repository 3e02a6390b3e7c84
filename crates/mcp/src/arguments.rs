//! What a client meant by the arguments of a call.
//!
//! Clients send JSON in texts, wrappers around wrappers, `null` for what they have no value for, and names in their own spelling. Must
//! never guess: what can mean one thing is brought into its form and remarked on; all else is refused with the field named.

use engross_docx::ops::{is_same_name, repair_operations};
use engross_protocol::{Failure, shared};
use serde_json::{Map, Value, json};

use crate::spellings::{is_replacing, respelled};
use crate::table::{ArgumentKind, ArgumentRow, ToolRow};

/// What clients wrap arguments in.
const WRAPPERS: &[&str] = &["arguments", "input", "params", "parameters", "args", "kwargs"];

/// What clients call a path.
const PATH_NAMES: &[&str] =
    &["file", "filename", "file_path", "document", "document_path", "doc", "docx", "uri"];

/// What clients call other arguments.
const OTHER_NAMES: &[(&str, &[&str])] = &[
    ("operations", &["edits", "changes", "ops", "edit"]),
    ("before", &["original", "old", "base", "first"]),
    ("after", &["modified", "new", "revised", "second"]),
    ("by_author", &["author", "reviewer"]),
    ("from_markdown", &["markdown", "content", "text"]),
    ("search", &["query", "find"]),
    ("max_tokens", &["tokens", "budget"]),
    ("from", &["cursor"]),
];

/// How many wrappers are opened.
const DEPTH: usize = 4;

/// The arguments of a call in their form.
#[derive(Debug, Default)]
pub struct CallArguments {
    fields: Map<String, Value>,
    /// What was brought into another form.
    pub(crate) remarks: Vec<String>,
}

impl CallArguments {
    /// Reads what a client sent to a tool.
    pub(crate) fn read(sent: Value, tool: &ToolRow) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        let mut sent = arguments.unwrapped(sent, tool)?;
        // What a client has no value for, it sends as null or as an empty text.
        sent.retain(|_, value| !value.is_null());
        // Some fill in every argument that there is.
        if sent.contains_key("from_markdown")
            && sent.get("operations").and_then(Value::as_array).is_some_and(Vec::is_empty)
        {
            sent.remove("operations");
        }
        arguments.gather_operation(&mut sent, tool);
        for (key, value) in sent {
            let row = match arguments.row(&key, tool) {
                Ok(row) => row,
                // Nothing is lost of what says nothing.
                Err(_) if is_blank(&value) => {
                    arguments.remark(format!("'{key}' is no argument, and empty"));
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if matches!(row.kind, ArgumentKind::Operations) {
                arguments.operations(unfenced(value)?, tool);
                continue;
            }
            if let Some(value) = arguments.of_kind(value, row)? {
                arguments.fields.insert(row.name.to_owned(), value);
            }
        }
        match tool.arguments.iter().find(|row| row.is_required && !arguments.fields.contains_key(row.name)) {
            Some(missing) => {
                Err(invalid(format!("{} needs '{}'; it takes {}", tool.name, missing.name, takes(tool))))
            }
            None => Ok(arguments),
        }
    }

    /// A text that must be there; the table says which must.
    #[must_use]
    pub fn required(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// A text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// Whether a flag is set.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// A number.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<usize> {
        self.fields.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok())
    }

    /// A list of texts.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<String> {
        let list = self.fields.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// A value as it is.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    fn remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    /// The object of the arguments, out of the texts and wrappers that it came in.
    fn unwrapped(&mut self, mut sent: Value, tool: &ToolRow) -> Result<Map<String, Value>, Failure> {
        for _ in 0..DEPTH {
            sent = match sent {
                Value::Null => return Ok(Map::new()),
                Value::String(text) if text.trim().is_empty() => return Ok(Map::new()),
                Value::String(text) => {
                    let parsed = serde_json::from_str(&text).map_err(|error| {
                        invalid(format!(
                            "the arguments are a text that is not valid JSON ({error}); send one object"
                        ))
                    })?;
                    self.remark("the arguments came as a text".to_owned());
                    parsed
                }
                Value::Object(fields) => match wrapped(&fields, tool) {
                    None => return Ok(fields),
                    Some((key, inner)) => {
                        self.remark(format!("the arguments stood within '{key}'"));
                        inner
                    }
                },
                _ => break,
            };
        }
        Err(invalid(format!(
            "the arguments of {} are no object; send one object with {}",
            tool.name,
            takes(tool)
        )))
    }

    /// Makes a list of an operation whose fields stand among the arguments.
    fn gather_operation(&mut self, sent: &mut Map<String, Value>, tool: &ToolRow) {
        let takes_operations = tool.arguments.iter().any(|row| row.kind == ArgumentKind::Operations);
        let has_list = sent.keys().any(|key| is_same_name(key, "operations"));
        let is_one = sent.contains_key("op") || sent.contains_key("operation") || is_replacing(sent);
        if !takes_operations || has_list || !is_one {
            return;
        }
        // By their own names alone: what an argument is called elsewhere, a field of an operation may be called here.
        let is_argument = |key: &str| {
            let is_path = PATH_NAMES.iter().any(|name| is_same_name(name, key));
            is_path || tool.arguments.iter().any(|row| is_same_name(row.name, key))
        };
        let keys: Vec<String> = sent.keys().filter(|key| !is_argument(key)).cloned().collect();
        let operation: Map<String, Value> =
            keys.into_iter().filter_map(|key| Some((key.clone(), sent.remove(&key)?))).collect();
        self.remark("the fields of one operation stood beside 'path'".to_owned());
        sent.insert("operations".to_owned(), json!([operation]));
    }

    /// The argument that a key means.
    fn row(&self, key: &str, tool: &ToolRow) -> Result<&'static ArgumentRow, Failure> {
        let rows: &'static [ArgumentRow] = tool.arguments;
        let exact = rows.iter().find(|row| row.name == key);
        let found = exact.or_else(|| rows.iter().find(|row| is_same_name(row.name, key)));
        let is_path = || PATH_NAMES.iter().any(|name| is_same_name(name, key));
        let found = found.or_else(|| rows.iter().find(|row| row.name == "path").filter(|_| is_path()));
        let found = found.or_else(|| rows.iter().find(|row| is_called(row, key)));
        found.ok_or_else(|| {
            let score = |row: &&ArgumentRow| strsim::jaro_winkler(row.name, &key.to_lowercase());
            let nearest = rows.iter().max_by(|one, other| score(one).total_cmp(&score(other)));
            let nearest = nearest.filter(|row| score(row) > 0.75);
            let nearest =
                nearest.map_or_else(|| "it".to_owned(), |row| format!("did you mean '{}'? It", row.name));
            invalid(format!("{} has no argument '{key}'; {nearest} takes {}", tool.name, takes(tool)))
        })
    }

    /// A value in the form of its kind; nothing for one that is as good as none.
    fn of_kind(&mut self, value: Value, row: &ArgumentRow) -> Result<Option<Value>, Failure> {
        let wrong = |what: &str| invalid(format!("'{}' is no {what}", row.name));
        let repaired = match (row.kind, &value) {
            (ArgumentKind::Exact, Value::String(_)) => return Ok(Some(value)),
            (_, Value::String(text)) if text.trim().is_empty() => return Ok(None),
            // Some have no way to leave a number out.
            (ArgumentKind::Count, Value::Number(number)) if number.as_f64() == Some(0.0) => return Ok(None),
            (ArgumentKind::Path, Value::String(text)) if bare_path(text) != *text => json!(bare_path(text)),
            (ArgumentKind::Flag, Value::Bool(_))
            | (ArgumentKind::Text | ArgumentKind::Path, Value::String(_)) => {
                return Ok(Some(value));
            }
            (ArgumentKind::Text | ArgumentKind::Exact, Value::Number(number)) => json!(number.to_string()),
            (ArgumentKind::Flag, Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" => json!(true),
                "false" | "0" | "no" => json!(false),
                _ => return Err(wrong("true or false")),
            },
            (ArgumentKind::Flag, Value::Number(number)) => match number.as_u64() {
                Some(1) => json!(true),
                Some(0) => json!(false),
                _ => return Err(wrong("true or false")),
            },
            (ArgumentKind::Count | ArgumentKind::Offset, _) => {
                let least = if row.kind == ArgumentKind::Count { 1.0 } else { 0.0 };
                let number = match &value {
                    Value::String(text) => text.trim().parse().ok(),
                    other => other.as_f64(),
                };
                let number =
                    number.filter(|number| number.fract() == 0.0 && (least..f64::INFINITY).contains(number));
                // More than there can be is all.
                let number = number.map(|number| number.min(1e9));
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded above")]
                let number = number.ok_or_else(|| wrong(&format!("whole number from {least}")))? as u64;
                if value == json!(number) {
                    return Ok(Some(value));
                }
                json!(number)
            }
            (ArgumentKind::Word(words), Value::String(text)) => {
                // "accept all" is "accept".
                let text = text.trim();
                let short =
                    text.strip_suffix("all").map_or(text, |short| short.trim_end_matches([' ', '_', '-']));
                let found = words.iter().find(|word| is_same_name(word, text) || is_same_name(word, short));
                let Some(word) = found else {
                    return Err(invalid(format!(
                        "'{}' cannot be '{text}'; it takes {}",
                        row.name,
                        words.join(", ")
                    )));
                };
                if *word == text {
                    return Ok(Some(json!(word)));
                }
                json!(word)
            }
            (ArgumentKind::Texts, _) => {
                let texts = texts(&value).ok_or_else(|| wrong("list of texts"))?;
                if texts.is_empty() || json!(texts) == value {
                    return Ok(Some(json!(texts)));
                }
                json!(texts)
            }
            (ArgumentKind::Objects, _) => {
                let objects = objects(&value).ok_or_else(|| wrong("list of objects"))?;
                if objects == value {
                    return Ok(Some(value));
                }
                objects
            }
            (ArgumentKind::Path | ArgumentKind::Text | ArgumentKind::Exact | ArgumentKind::Word(_), _) => {
                return Err(wrong("text"));
            }
            (ArgumentKind::Flag, _) => return Err(wrong("true or false")),
            (ArgumentKind::Operations, _) => return Err(wrong("list of operations")),
        };
        self.remark(format!("'{}' came in another form", row.name));
        Ok(Some(repaired))
    }

    /// The operations, and what of a batch came within them.
    fn operations(&mut self, value: Value, tool: &ToolRow) {
        let mut repaired = repair_operations(value);
        if let Value::Object(batch) = &mut repaired.operations
            && let Some(inner) = batch.remove("operations")
        {
            for (key, value) in std::mem::take(batch) {
                // What the batch says besides is an argument here; what is none, the parser would have refused, too.
                let row = self.row(&key, tool).ok().filter(|row| row.kind != ArgumentKind::Operations);
                if let Some(row) = row
                    && let Ok(Some(value)) = self.of_kind(value, row)
                {
                    self.fields.entry(row.name).or_insert(value);
                }
            }
            self.remark("a batch stood within 'operations'".to_owned());
            repaired = repair_operations(inner);
        }
        self.remarks.extend(repaired.remarks);
        let before = self.remarks.len();
        let operations = respelled(repaired.operations, &mut self.remarks);
        // Fields that have their names now have forms, too.
        let operations =
            if self.remarks.len() == before { operations } else { repair_operations(operations).operations };
        self.fields.insert("operations".to_owned(), operations);
    }
}

/// Whether a value says nothing.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What a wrapper holds, if the arguments are nothing but one.
fn wrapped(fields: &Map<String, Value>, tool: &ToolRow) -> Option<(String, Value)> {
    let (key, value) = fields.iter().next().filter(|_| fields.len() == 1)?;
    let is_wrapper = key == tool.name || WRAPPERS.iter().any(|name| is_same_name(name, key));
    let holds = match value {
        Value::Object(_) => true,
        Value::String(text) => text.trim_start().starts_with('{'),
        _ => false,
    };
    let is_argument = tool.arguments.iter().any(|row| row.name == key);
    (is_wrapper && holds && !is_argument).then(|| (key.clone(), value.clone()))
}

/// A list of texts, or one text that is one or holds one.
fn texts(value: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        Value::String(inner) if inner.trim_start().starts_with('[') => {
            serde_json::from_str::<Vec<Value>>(inner).ok()?.iter().map(text).collect()
        }
        // No name in a list has a comma.
        Value::String(inner) if inner.contains(',') => {
            let parts = inner.split(',').map(str::trim).filter(|part| !part.is_empty());
            Some(parts.map(str::to_owned).collect())
        }
        other => Some(vec![text(other)?]),
    }
}

/// Whether a key is another name of an argument, or its singular.
fn is_called(row: &ArgumentRow, key: &str) -> bool {
    let others = OTHER_NAMES.iter().filter(|(name, _)| *name == row.name).flat_map(|(_, others)| *others);
    let singular = row.name.strip_suffix('s').filter(|_| row.kind == ArgumentKind::Texts);
    others.chain(singular.as_ref()).any(|name| is_same_name(name, key))
}

/// A path without what people and shells put around it: quotes, the sign of a mention, signs that keep blanks together. Elsewhere than on
/// Windows a backslash can stand in no name, so one that is left parts folders.
fn bare_path(text: &str) -> String {
    let mut path = text.trim();
    for quote in ['"', '\'', '`'] {
        path = path.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)).unwrap_or(path);
    }
    let path = path.strip_prefix('@').unwrap_or(path);
    if cfg!(windows) || !path.contains('\\') {
        return path.to_owned();
    }
    let mut out = String::with_capacity(path.len());
    let mut letters = path.chars().peekable();
    while let Some(letter) = letters.next() {
        let kept = letters.peek().is_some_and(|next| " ()&'\"[]!$;".contains(*next));
        match letter {
            '\\' if kept => {}
            '\\' => out.push('/'),
            letter => out.push(letter),
        }
    }
    out
}

/// Operations that came as a text, out of the fence of code around it. A text that is no JSON is named as such: often it was cut.
fn unfenced(value: Value) -> Result<Value, Failure> {
    let Value::String(text) = &value else { return Ok(value) };
    let inner = text.trim();
    let inner = match inner.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) {
        Some(fenced) => fenced.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).trim(),
        None => inner,
    };
    if inner.is_empty() {
        return Ok(Value::Null);
    }
    match serde_json::from_str::<Value>(inner) {
        Ok(_) => Ok(json!(inner)),
        Err(error) => Err(invalid(format!(
            "'operations' is a text that is not valid JSON ({error}); send a list of objects, fewer in one call if it was cut"
        ))),
    }
}

/// A list of objects, one object, or a text of either.
fn objects(value: &Value) -> Option<Value> {
    match value {
        Value::Array(items) => items.iter().all(Value::is_object).then(|| value.clone()),
        Value::Object(_) => Some(json!([value])),
        Value::String(text) => {
            let inner: Value = serde_json::from_str(text).ok()?;
            (!inner.is_string()).then(|| objects(&inner)).flatten()
        }
        _ => None,
    }
}

fn takes(tool: &ToolRow) -> String {
    tool.arguments.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

/// The failure of arguments that cannot be used.
pub(crate) fn invalid(message: String) -> Failure {
    Failure::of(shared::INVALID_ARGUMENTS, message)
}
