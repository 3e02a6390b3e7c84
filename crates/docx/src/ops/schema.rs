//! The JSON Schema of the operation language, for models and clients.

use serde_json::{Map, Value, json};

use crate::ops::format::HIGHLIGHTS;
use crate::ops::language::offered;
use crate::ops::rows::row::{Field, OperationRow, Shape};

/// Schema of `{"operations": […]}`.
#[must_use]
pub fn operations_schema() -> Value {
    let operations: Vec<Value> = offered().map(operation).collect();
    json!({
        "type": "object",
        "required": ["operations"],
        "additionalProperties": false,
        "properties": {"operations": {"type": "array", "items": {"anyOf": operations}}}
    })
}

fn operation(row: &OperationRow) -> Value {
    let mut properties = Map::new();
    properties.insert("op".to_owned(), json!({"const": row.name, "description": row.purpose}));
    for field in row.fields {
        properties.insert(field.name.to_owned(), schema_of(field));
    }
    let takes = |field: &Field| matches!(field.name, "paragraphIndex" | "after" | "sectionHeaderIndex");
    if row.fields.iter().any(takes) {
        let description =
            "Optional guard: the paragraph's whole current text; the edit is refused if it differs.";
        properties.insert("expectedText".to_owned(), json!({"type": "string", "description": description}));
    }
    let own = row.fields.iter().filter(|field| field.is_required).map(|field| field.name);
    let required: Vec<&str> = std::iter::once("op").chain(own).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn schema_of(field: &Field) -> Value {
    let schema = match field.shape {
        Shape::Text => json!({"type": "string"}),
        Shape::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Shape::TextOrTexts => {
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
        }
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Points => json!({"type": "number"}),
        Shape::Count => json!({"type": "integer", "minimum": 0}),
        Shape::Paragraph => json!({"type": "integer", "minimum": 1}),
        Shape::Paragraphs => json!({"type": "array", "items": {"type": "integer", "minimum": 1}}),
        Shape::Place => address(),
        Shape::Occurrence => {
            json!({"anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["first", "last", "all"]}]})
        }
        Shape::Scope => {
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
        }
        Shape::Id => json!({"type": ["integer", "string"]}),
        Shape::Ids => json!({"type": "array", "items": {"type": ["integer", "string"]}}),
        Shape::Level => json!({"type": "integer", "minimum": -1, "maximum": 1}),
        Shape::LineSpacing => json!({"type": ["number", "string"]}),
        Shape::Cells => json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"anyOf": [
            {"type": "string"}, {"type": "array", "items": {"type": "string"}}
        ]}}]}),
        Shape::Lengths => json!({"type": "array", "items": {"type": "number"}}),
        Shape::CellRange => numbers(&["fromRow", "fromColumn", "toRow", "toColumn"], "integer"),
        Shape::CellPlace => numbers(&["row", "column"], "integer"),
        Shape::Margins => {
            let names = ["top", "right", "bottom", "left", "header", "footer", "gutter"];
            let mut schema = numbers(&names, "number");
            schema.as_object_mut().map(|schema| schema.remove("required"));
            schema
        }
        Shape::Highlight => json!({"enum": HIGHLIGHTS.iter().map(|(name, _)| *name).collect::<Vec<_>>()}),
        Shape::Properties => json!({"type": "object"}),
        Shape::ControlValue => json!({"type": ["string", "boolean", "number"]}),
        Shape::LevelRange => json!({"type": "string", "pattern": "^[1-9](-[1-9])?$"}),
        Shape::Name | Shape::Instruction => json!({"type": "string"}),
        Shape::ReferenceTarget => json!({"anyOf": [
            address(),
            {"type": "object", "properties": {"bookmark": {"type": "string"}}, "required": ["bookmark"], "additionalProperties": false}
        ]}),
        Shape::References => json!({"anyOf": [
            {"const": "drop"},
            {"type": "object", "properties": {"retarget": address()}, "required": ["retarget"], "additionalProperties": false}
        ]}),
        Shape::Word(words) => json!({"enum": words}),
    };
    let description = (!field.about.is_empty()).then(|| json!({"description": field.about}));
    // A description goes before alternatives and behind a type, as people write them.
    let (first, last) =
        if schema.get("anyOf").is_some() { (description, Some(schema)) } else { (Some(schema), description) };
    let entries = [first, last].into_iter().flatten().filter_map(|part| match part {
        Value::Object(entries) => Some(entries),
        _ => None,
    });
    Value::Object(entries.flatten().collect())
}

/// An object of numbers.
fn numbers(names: &[&str], kind: &str) -> Value {
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": kind}))).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

fn address() -> Value {
    json!({
        "description": "Which paragraph: \"P12\" (from the reading), \"first\", \"last\", \"paraId:1A2B3C4D\", \
                        a number as shown such as \"§4.2\", {\"text\": \"words only this paragraph contains\"}, \
                        or one in another story, as \"footnote:3/P1\" or \"header:default@1/P1\".",
        "anyOf": [
            {"type": "string"},
            {"type": "integer", "minimum": 1},
            {"type": "object", "properties": {"text": {"type": "string"}, "story": {"type": "string"}}}
        ]
    })
}
