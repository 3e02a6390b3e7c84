//! From JSON to operations, strictly.

use engross_xml::is_character;
use serde_json::Value;

use crate::error::{Error, Refusal, RefusalCode};
use crate::ops::address::parse_place;
use crate::ops::edit::Edit;
use crate::ops::fields::{check_fields, flag, nearest, optional_text};
use crate::ops::language;
use crate::ops::language::{OPERATIONS, operation_names};
use crate::ops::operation::{Operation, ReferencePolicy};
use crate::ops::rows::reader::Fields;
use crate::ops::rows::row::COMMON_FIELDS;

/// Which pending revisions of the author, from before this session, are merged with what the batch does.
///
/// They are the same redline then: ten to twenty to thirty is one deletion and one insertion, and rejecting gives the ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OwnPolicy {
    /// Those that the caller has a record of ([`WordDocument::recall`](crate::WordDocument::recall)).
    #[default]
    Recorded,
    /// All of that author.
    Author,
    /// None: they are history, like those of other people.
    History,
}

/// Operations that are applied together, all addressed in the document as it was before them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// In order.
    pub operations: Vec<Operation>,
    /// Author of the revisions, if the batch says.
    pub author: Option<String>,
    /// Date of the revisions, RFC 3339, if the batch says.
    pub date: Option<String>,
    /// Whether one refusal takes back all.
    pub atomic: bool,
    /// The revision of the document that the addresses mean.
    pub expected_revision: Option<String>,
    /// Whether the document shall say from now on that changes are tracked.
    pub track_revisions: bool,
    /// Which earlier revisions are one's own.
    pub own: OwnPolicy,
}

const BATCH_FIELDS: &[&str] =
    &["operations", "author", "date", "atomic", "expectedRevision", "trackRevisions", "own"];

/// Reads a batch: an object with `operations`, or a bare array of operations.
///
/// ```
/// use engross_docx::ops::parse_batch;
/// use serde_json::json;
///
/// let batch = parse_batch(&json!({"atomic": true, "operations": [{"op": "delete_paragraph", "target": "last"}]}));
/// assert!(batch.is_ok_and(|batch| batch.atomic));
///
/// let error = parse_batch(&json!([{"op": "delete_paragraf", "target": "last"}])).unwrap_err();
/// assert!(error.to_string().contains("did you mean 'delete_paragraph'?"));
/// ```
///
/// An operation that is not in the language costs itself: it is refused when the batch is applied, and takes back an atomic one. A
/// batch of such operations alone is an error.
///
/// # Errors
/// [`Error::InvalidOperation`], naming the operation and the nearest thing that would be right.
pub fn parse_batch(json: &Value) -> Result<Batch, Error> {
    let invalid = |message: String| Error::InvalidOperation { index: None, message };
    if json.is_array() {
        return Ok(Batch { operations: parse_leniently(json)?, ..Batch::default() });
    }
    let Some(object) = json.as_object() else {
        return Err(invalid("the batch is no object; give {\"operations\": […]}".to_owned()));
    };
    check_fields(object, BATCH_FIELDS, &[], "the batch").map_err(invalid)?;
    let Some(operations) = object.get("operations") else {
        return Err(invalid("the batch has no 'operations'; give {\"operations\": […]}".to_owned()));
    };
    Ok(Batch {
        operations: parse_leniently(operations)?,
        author: author_of(object).map_err(invalid)?,
        date: optional_text(object, "date").map_err(invalid)?.map(str::to_owned),
        atomic: flag(object, "atomic").map_err(invalid)?,
        expected_revision: optional_text(object, "expectedRevision").map_err(invalid)?.map(str::to_owned),
        track_revisions: flag(object, "trackRevisions").map_err(invalid)?,
        own: own_policy(object).map_err(invalid)?,
    })
}

fn author_of(object: &serde_json::Map<String, Value>) -> Result<Option<String>, String> {
    let author = optional_text(object, "author")?;
    match author.and_then(|author| author.chars().find(|c| !is_character(*c))) {
        Some(bad) => Err(Refusal::unwritable("'author' of the batch", bad).message),
        None => Ok(author.map(str::to_owned)),
    }
}

impl OwnPolicy {
    /// The policy of that name: `recorded`, `author` or `history`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "recorded" => Some(Self::Recorded),
            "author" => Some(Self::Author),
            "history" => Some(Self::History),
            _ => None,
        }
    }
}

fn own_policy(object: &serde_json::Map<String, Value>) -> Result<OwnPolicy, String> {
    let Some(name) = optional_text(object, "own")? else { return Ok(OwnPolicy::default()) };
    OwnPolicy::named(name)
        .ok_or_else(|| format!("'own' is '{name}'; give \"recorded\", \"author\" or \"history\""))
}

/// Reads an array of operations; some may be invalid, but not all.
fn parse_leniently(json: &Value) -> Result<Vec<Operation>, Error> {
    let strict = parse_operations(json);
    let (Err(_), Some(array)) = (&strict, json.as_array()) else { return strict };
    let parsed: Vec<Result<Operation, String>> = array.iter().map(parse_operation).collect();
    if parsed.iter().all(Result::is_err) {
        return strict;
    }
    let refused = |(value, message): (&Value, String)| {
        let name = value.get("op").or_else(|| value.get("operation")).and_then(Value::as_str);
        let name = name.and_then(language::row).map_or("invalid", |row| row.name);
        Operation::of(Edit::Invalid { name, code: RefusalCode::InvalidOperation, message })
    };
    let operations = array.iter().zip(parsed);
    Ok(operations.map(|(value, parsed)| parsed.unwrap_or_else(|message| refused((value, message)))).collect())
}

/// Reads an array of operations.
///
/// # Errors
/// [`Error::InvalidOperation`] for the first that is not right.
pub fn parse_operations(json: &Value) -> Result<Vec<Operation>, Error> {
    let Some(array) = json.as_array() else {
        let message = "'operations' is no array; give a list of operations".to_owned();
        return Err(Error::InvalidOperation { index: None, message });
    };
    let parse = |(index, value)| {
        parse_operation(value).map_err(|message| Error::InvalidOperation {
            index: Some(index),
            message: format!("operation {index}: {message}"),
        })
    };
    array.iter().enumerate().map(parse).collect()
}

fn parse_operation(value: &Value) -> Result<Operation, String> {
    let object = value.as_object().ok_or("it is no object")?;
    let name = match (optional_text(object, "op")?, optional_text(object, "operation")?) {
        (Some(name), None) | (None, Some(name)) => name,
        (Some(name), Some(alias)) if name == alias => name,
        (Some(_), Some(_)) => return Err("'op' and 'operation' differ; give one of them".to_owned()),
        (None, None) => return Err(format!("it has no 'op'; give one of {}", operation_names())),
    };
    let Some(row) = language::row(name) else {
        let nearest = nearest(name, OPERATIONS.iter().map(|row| row.name));
        return Err(format!("'{name}' is no operation; {nearest}known are {}", operation_names()));
    };
    let own: Vec<&str> = row.fields.iter().map(|field| field.name).collect();
    check_fields(object, COMMON_FIELDS, &own, name)?;
    let edit = (row.parse)(&Fields::new(name, object)?)?;
    let bad = object
        .iter()
        .find_map(|(name, value)| Some((name, unwritable_in(value, RAW_FIELDS.contains(&&**name))?)));
    if let Some((field, bad)) = bad {
        let Refusal { code, message, .. } = Refusal::unwritable(&format!("'{field}'"), bad);
        return Ok(Operation::of(Edit::Invalid { name: row.name, code, message }));
    }
    Ok(Operation {
        edit,
        expected_text: optional_text(object, "expectedText")?.map(str::to_owned),
        plain: flag(object, "plain")?,
        author: optional_text(object, "author")?.map(str::to_owned),
        allows_untracked: allows_untracked(object)?,
        references: parse_policy(object.get("references"))?,
    })
}

/// Fields whose text is written as it stands; in all others a form feed is a page break, and a vertical tab a column break.
const RAW_FIELDS: &[&str] = &[
    "altText",
    "anchor",
    "author",
    "by",
    "category",
    "company",
    "custom",
    "description",
    "file",
    "font",
    "instruction",
    "keywords",
    "name",
    "result",
    "shown",
    "style",
    "subject",
    "tag",
    "title",
    "url",
    "value",
];

/// A character in a value, or in a name in it, that no document can hold (XML 1.0 §2.2).
fn unwritable_in(value: &Value, is_raw: bool) -> Option<char> {
    let is_break = |c: char| !is_raw && matches!(c, '\u{B}' | '\u{C}');
    let in_text = |text: &str| text.chars().find(|c| !is_character(*c) && !is_break(*c));
    match value {
        Value::String(text) => in_text(text),
        Value::Array(values) => values.iter().find_map(|value| unwritable_in(value, is_raw)),
        Value::Object(fields) => {
            fields.iter().find_map(|(name, value)| in_text(name).or_else(|| unwritable_in(value, is_raw)))
        }
        _ => None,
    }
}

fn allows_untracked(object: &serde_json::Map<String, Value>) -> Result<bool, String> {
    match optional_text(object, "untracked")? {
        None => Ok(false),
        Some("allow") => Ok(true),
        Some(word) => Err(format!("'untracked' cannot be '{word}'; give \"allow\", or leave it out")),
    }
}

fn parse_policy(value: Option<&Value>) -> Result<ReferencePolicy, String> {
    let wrong = "'references' is \"drop\" or {\"retarget\": an address}";
    match value {
        None | Some(Value::Null) => Ok(ReferencePolicy::Refuse),
        Some(Value::String(word)) if word == "drop" => Ok(ReferencePolicy::Drop),
        Some(Value::Object(object)) => {
            check_fields(object, &["retarget"], &[], "'references'")?;
            let place = object.get("retarget").ok_or(wrong)?;
            parse_place(place, None).map(ReferencePolicy::Retarget)
        }
        Some(_) => Err(wrong.to_owned()),
    }
}
