//! From JSON to operations, strictly.

use serde_json::{Map, Value};

use crate::error::Error;
use crate::ops::operation::{Address, Edit, Occurrence, Operation, Place, Where};

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
}

const BATCH_FIELDS: &[&str] = &["operations", "author", "date", "atomic", "expectedRevision"];
const COMMON_FIELDS: &[&str] = &["op", "operation", "expectedText", "author"];
const OPERATIONS: &[(&str, &[&str])] = &[
    ("modify_text", &["paragraphIndex", "target", "originalText", "replacementText", "occurrence", "plain"]),
    (
        "edit_paragraph",
        &["paragraphIndex", "target", "newContent", "append", "prepend", "occurrence", "plain"],
    ),
    ("insert_paragraph", &["after", "before", "content", "style", "occurrence", "plain"]),
    ("delete_paragraph", &["paragraphIndex", "target", "occurrence"]),
];

/// Reads a batch: an object with `operations`, or a bare array of operations.
///
/// # Errors
/// [`Error::InvalidOperation`], naming the operation and the nearest thing that would be right.
pub fn parse_batch(json: &Value) -> Result<Batch, Error> {
    let invalid = |message: String| Error::InvalidOperation { index: None, message };
    if json.is_array() {
        return Ok(Batch { operations: parse_operations(json)?, ..Batch::default() });
    }
    let Some(object) = json.as_object() else {
        return Err(invalid("the batch is no object; give {\"operations\": […]}".to_owned()));
    };
    check_fields(object, BATCH_FIELDS, &[], "the batch").map_err(invalid)?;
    let Some(operations) = object.get("operations") else {
        return Err(invalid("the batch has no 'operations'; give {\"operations\": […]}".to_owned()));
    };
    Ok(Batch {
        operations: parse_operations(operations)?,
        author: optional_text(object, "author").map_err(invalid)?.map(str::to_owned),
        date: optional_text(object, "date").map_err(invalid)?.map(str::to_owned),
        atomic: flag(object, "atomic").map_err(invalid)?,
        expected_revision: optional_text(object, "expectedRevision").map_err(invalid)?.map(str::to_owned),
    })
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
    let Some((_, fields)) = OPERATIONS.iter().find(|(known, _)| *known == name) else {
        let nearest = nearest(name, OPERATIONS.iter().map(|(known, _)| *known));
        return Err(format!("'{name}' is no operation; {nearest}known are {}", operation_names()));
    };
    check_fields(object, COMMON_FIELDS, fields, name)?;
    Ok(Operation {
        edit: parse_edit(name, object)?,
        expected_text: optional_text(object, "expectedText")?.map(str::to_owned),
        plain: flag(object, "plain")?,
        author: optional_text(object, "author")?.map(str::to_owned),
    })
}

fn parse_edit(name: &str, object: &Map<String, Value>) -> Result<Edit, String> {
    let occurrence = object.get("occurrence").map(parse_occurrence).transpose()?;
    let required = |field: &str| -> Result<String, String> {
        optional_text(object, field)?.map(str::to_owned).ok_or_else(|| format!("{name} needs '{field}'"))
    };
    let place = || -> Result<Option<Place>, String> {
        let address = match (object.get("paragraphIndex"), object.get("target")) {
            (Some(_), Some(_)) => return Err("give 'paragraphIndex' or 'target', not both".to_owned()),
            (Some(address), None) | (None, Some(address)) => parse_address(address)?,
            (None, None) => return Ok(None),
        };
        Ok(Some(Place { address, occurrence }))
    };
    let required_place = || place()?.ok_or_else(|| format!("{name} needs 'paragraphIndex' or 'target'"));
    match name {
        "modify_text" => {
            let original = required("originalText")?;
            if original.is_empty() {
                return Err("'originalText' is empty; give the text to replace".to_owned());
            }
            // Beside a text address the occurrence would mean two things; it picks the phrase.
            let place = place()?.map(|place| Place { occurrence: None, ..place });
            Ok(Edit::ModifyText { place, original, replacement: required("replacementText")?, occurrence })
        }
        "edit_paragraph" => {
            let given: Vec<&str> = ["newContent", "append", "prepend"]
                .into_iter()
                .filter(|field| object.contains_key(*field))
                .collect();
            let place = required_place()?;
            match given.as_slice() {
                ["append"] => Ok(Edit::Append { place, content: required("append")? }),
                ["prepend"] => Ok(Edit::Prepend { place, content: required("prepend")? }),
                ["newContent"] | [] => Ok(Edit::EditParagraph { place, content: required("newContent")? }),
                _ => Err("give one of 'newContent', 'append' and 'prepend'".to_owned()),
            }
        }
        "insert_paragraph" => {
            let (side, address) = match (object.get("after"), object.get("before")) {
                (Some(address), None) => (Where::After, address),
                (None, Some(address)) => (Where::Before, address),
                _ => return Err("insert_paragraph needs either 'after' or 'before'".to_owned()),
            };
            let place = Place { address: parse_address(address)?, occurrence };
            let style = optional_text(object, "style")?.map(str::to_owned);
            Ok(Edit::InsertParagraph { place, side, content: required("content")?, style })
        }
        _ => Ok(Edit::DeleteParagraph { place: required_place()? }),
    }
}

fn parse_address(value: &Value) -> Result<Address, String> {
    if let Some(number) = value.as_u64() {
        return paragraph_number(number);
    }
    if let Some(object) = value.as_object() {
        let known = ["text", "paraId", "fingerprint", "paragraphIndex"];
        check_fields(object, &known, &[], "the address")?;
        let mut entries = object.iter();
        return match (entries.next(), entries.next()) {
            (Some((key, value)), None) => match (key.as_str(), value.as_str(), value.as_u64()) {
                ("text", Some(text), _) if !text.is_empty() => Ok(Address::Text(text.to_owned())),
                ("paraId", Some(id), _) => Ok(Address::ParagraphId(id.to_owned())),
                ("fingerprint", Some(print), _) => Ok(Address::Fingerprint(print.to_owned())),
                ("paragraphIndex", _, Some(number)) => paragraph_number(number),
                _ => Err(format!("the address '{key}' has no usable value")),
            },
            _ => Err("an address object has exactly one of 'text', 'paraId', 'fingerprint'".to_owned()),
        };
    }
    let Some(text) = value.as_str() else {
        return Err("an address is a number, a text such as \"P12\", or an object such as {\"text\": \"…\"}"
            .to_owned());
    };
    let text = text.trim();
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    // A whole marker such as [P12|Heading1] may be quoted back.
    let inner = inner.split('|').next().unwrap_or(inner);
    let digits = inner.strip_prefix(['P', 'p']).unwrap_or(inner);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits
            .parse()
            .map_err(|_| format!("'{text}' is no paragraph number"))
            .and_then(paragraph_number);
    }
    if let Some(id) = inner.strip_prefix("paraId:") {
        return Ok(Address::ParagraphId(id.to_owned()));
    }
    if let Some(print) = inner.strip_prefix("fp:") {
        return Ok(Address::Fingerprint(print.to_owned()));
    }
    match inner {
        "first" => Ok(Address::First),
        "last" => Ok(Address::Last),
        _ if inner.len() == 8 && inner.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Ok(Address::ParagraphId(inner.to_owned()))
        }
        _ if inner.contains('/') || inner.contains(':') => Ok(Address::OtherStory(inner.to_owned())),
        _ => Err(format!(
            "'{text}' is no address; give P and a number, \"first\", \"last\", a paraId, or {{\"text\": \"…\"}}"
        )),
    }
}

fn paragraph_number(number: u64) -> Result<Address, String> {
    match usize::try_from(number) {
        Ok(number) if number > 0 => Ok(Address::Number(number)),
        _ => Err("paragraphs are counted from 1".to_owned()),
    }
}

fn parse_occurrence(value: &Value) -> Result<Occurrence, String> {
    match (value.as_u64().and_then(|number| usize::try_from(number).ok()), value.as_str()) {
        (Some(number), _) if number > 0 => Ok(Occurrence::Nth(number)),
        (_, Some("first")) => Ok(Occurrence::Nth(1)),
        (_, Some("last")) => Ok(Occurrence::Last),
        (_, Some("all")) => Ok(Occurrence::All),
        _ => Err("'occurrence' is a number from 1, \"first\", \"last\" or \"all\"".to_owned()),
    }
}

fn optional_text<'a>(object: &'a Map<String, Value>, field: &str) -> Result<Option<&'a str>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or_else(|| format!("'{field}' is no text")),
    }
}

fn flag(object: &Map<String, Value>, field: &str) -> Result<bool, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| format!("'{field}' is neither true nor false")),
    }
}

fn check_fields(
    object: &Map<String, Value>,
    common: &[&str],
    own: &[&str],
    owner: &str,
) -> Result<(), String> {
    let known = || own.iter().chain(common).copied();
    match object.keys().find(|key| !known().any(|known| known == key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let list = known().filter(|field| *field != "operation").collect::<Vec<_>>().join(", ");
            Err(format!("{owner} has no field '{key}'; {}it takes {list}", nearest(key, known())))
        }
    }
}

fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> String {
    let given = given.to_ascii_lowercase();
    let score = |known: &str| strsim::jaro_winkler(&given, &known.to_ascii_lowercase());
    let best = known.map(|known| (score(known), known)).max_by(|left, right| left.0.total_cmp(&right.0));
    best.filter(|(score, _)| *score > 0.75)
        .map_or_else(String::new, |(_, known)| format!("did you mean '{known}'? "))
}

fn operation_names() -> String {
    OPERATIONS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}
