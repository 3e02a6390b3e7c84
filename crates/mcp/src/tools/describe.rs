//! `describe_operations`: the operation language, as much of it as is asked for.

use std::fmt::Write as _;

use engross_docx::ops::{is_same_name, operations_schema};
use engross_protocol::Failure;
use serde_json::Value;

use crate::answer::Answer;
use crate::arguments::{CallArguments, invalid};

/// What holds of all operations.
const COMMON: &str = "Each takes 'expectedText' (the paragraph's whole text; refused if it differs) and 'author'. A paragraph is named by \
     'paragraphIndex' (the N of PN) or 'target' (an address such as \"P7\", \"last\", \"§4.2\", {\"text\": …}, \"footnote:3/P1\").";

pub(super) fn run(arguments: &CallArguments) -> Result<Answer, Failure> {
    let names = arguments.texts("names");
    if names.is_empty() {
        let mut text = String::from("Operations of edit_document; call again with names for their fields.\n");
        for (name, purpose) in operation_names() {
            let _ = writeln!(text, "{name}: {purpose}");
        }
        return Ok(Answer::of(text));
    }
    let mut text = format!("{COMMON}\n");
    for name in names {
        let Some((name, schema)) = operation_schema(&name) else {
            let known: Vec<String> = operation_names().into_iter().map(|(name, _)| name).collect();
            return Err(invalid(format!("there is no operation '{name}'; known are {}", known.join(", "))));
        };
        let _ = writeln!(text, "{name}: {schema}");
    }
    Ok(Answer::of(text))
}

fn schemas() -> Vec<Value> {
    let all = operations_schema().pointer("/properties/operations/items/anyOf").cloned();
    match all {
        Some(Value::Array(operations)) => operations,
        _ => Vec::new(),
    }
}

fn text_at<'a>(schema: &'a Value, pointer: &str) -> &'a str {
    schema.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The operations, each with what it is for.
pub(crate) fn operation_names() -> Vec<(String, String)> {
    let all = schemas();
    let named = all.iter().map(|schema| {
        let purpose = text_at(schema, "/properties/op/description");
        (text_at(schema, "/properties/op/const").to_owned(), purpose.to_owned())
    });
    named.collect()
}

/// The schema of an operation, whatever the spelling of its name.
pub(crate) fn operation_schema(name: &str) -> Option<(String, Value)> {
    let named =
        schemas().into_iter().map(|schema| (text_at(&schema, "/properties/op/const").to_owned(), schema));
    named.into_iter().find(|(known, _)| is_same_name(known, name))
}
