use serde_json::{Map, Value, json};

use super::language::OPERATIONS;
use super::rows::row::{Field, Shape};
use super::{operations_schema, parse_operations, text_field};

/// Models and clients read it; what it says is changed on purpose only.
#[test]
#[expect(clippy::disallowed_methods, reason = "reads and writes the pinned schema")]
fn the_schema_is_pinned() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/operations_schema.json");
    let text = serde_json::to_string_pretty(&operations_schema()).unwrap() + "\n";
    if std::env::var_os("ENGROSS_UPDATE_SCENARIOS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert!(text == std::fs::read_to_string(path).unwrap(), "the schema differs from {path}");
}

/// A value that a field of that shape takes.
fn sample(field: &Field) -> Value {
    match field.shape {
        Shape::Text if field.name == "color" => json!("C00000"),
        Shape::Text if field.name == "range" => json!("P3-P9"),
        Shape::Text if field.name == "note" => json!("footnote:1"),
        Shape::Text => json!("words"),
        Shape::Texts => json!(["words"]),
        Shape::TextOrTexts => json!(["ins", "move"]),
        Shape::Flag => json!(true),
        Shape::Points | Shape::LineSpacing => json!(9.5),
        Shape::Count | Shape::Paragraph | Shape::Id | Shape::Occurrence | Shape::Level => json!(1),
        Shape::Paragraphs | Shape::Ids => json!([1, 2]),
        Shape::Place => json!("P1"),
        Shape::Cells => json!(["words"]),
        Shape::ControlValue => json!("words"),
        Shape::Properties => json!({"name": "value"}),
        Shape::Scope => json!(["body", "headers"]),
        Shape::Lengths => json!([72, 90.5]),
        Shape::CellRange => json!({"fromRow": 0, "fromColumn": 0, "toRow": 0, "toColumn": 1}),
        Shape::CellPlace => json!({"row": 0, "column": 1}),
        Shape::Margins => json!({"top": 72}),
        Shape::Highlight => json!("yellow"),
        Shape::LevelRange => json!("1-3"),
        Shape::Name => json!("Fee"),
        Shape::Instruction => json!("PAGE"),
        Shape::ReferenceTarget => json!({"bookmark": "Fee"}),
        Shape::References => json!({"retarget": "P2"}),
        Shape::Word(words) => json!(words.get(1).unwrap_or(&words[0])),
    }
}

fn parse(fields: &Map<String, Value>) -> Result<&'static str, String> {
    let parsed = parse_operations(&json!([fields])).map_err(|error| error.to_string())?;
    Ok(parsed[0].edit.name())
}

/// Fields that say what to look for.
const WORDS: [&str; 5] = ["originalText", "textToFormat", "textToFind", "textToLink", "linkText"];

/// What the table says of a field, the function that reads the operation holds.
#[test]
fn what_the_table_says_is_what_is_read() {
    for row in OPERATIONS {
        let mut least = Map::new();
        least.insert("op".to_owned(), json!(row.name));
        let mut one_of: Vec<&str> = Vec::new();
        for field in row.fields {
            let is_place = matches!(field.shape, Shape::Paragraph if !field.name.starts_with("end"));
            if field.is_required || is_place || WORDS.contains(&field.name) {
                least.insert(field.name.to_owned(), sample(field));
            } else if [
                "after",
                "newContent",
                "newHeaderText",
                "bold",
                "alignment",
                "headerRow",
                "orientation",
                "control",
                "subject",
                "url",
                "file",
            ]
            .contains(&field.name)
            {
                one_of.push(field.name);
                least.insert(field.name.to_owned(), sample(field));
            }
        }
        // A picture stands in a paragraph or beside one.
        if row.name == "insert_image" {
            least.remove("paragraphIndex");
        }
        assert_eq!(parse(&least), Ok(row.name), "{least:?}");
        for field in row.fields {
            let instead = match field.name {
                "paragraphIndex" | "target" | "afterText" if row.name == "insert_image" => {
                    row.fields.iter().find(|field| field.name == "after")
                }
                "anchor" => row.fields.iter().find(|field| field.name == "url"),
                "content" if row.name == "replace_document" => {
                    row.fields.iter().find(|field| field.name == "file")
                }
                "data" => row.fields.iter().find(|field| field.name == "file"),
                "target" | "scope" => row.fields.iter().find(|field| field.shape == Shape::Paragraph),
                "before" | "append" => row.fields.iter().find(|field| one_of.contains(&field.name)),
                "pattern" => row.fields.iter().find(|field| WORDS.contains(&field.name)),
                "tag" | "title" => row.fields.iter().find(|field| field.name == "control"),
                "prepend" => row.fields.iter().find(|field| field.name == "newContent"),
                _ => None,
            };
            let mut more = least.clone();
            instead.map(|field| more.remove(field.name));
            more.insert(field.name.to_owned(), sample(field));
            assert_eq!(parse(&more), Ok(row.name), "{more:?}");
            let wrong =
                if field.shape == Shape::Properties { json!("no value") } else { json!({"no": "value"}) };
            more.insert(field.name.to_owned(), wrong);
            assert!(parse(&more).is_err(), "{more:?}");
            let mut less = least.clone();
            less.remove(field.name);
            assert!(!field.is_required || parse(&less).is_err(), "{less:?}");
        }
    }
}

#[test]
fn the_text_of_an_operation_is_a_text() {
    for row in OPERATIONS {
        let texts = row.fields.iter().filter(|field| field.is_content);
        assert!(texts.clone().all(|field| field.shape == Shape::Text), "{}", row.name);
        assert!(texts.count() <= 1, "{}", row.name);
    }
    assert_eq!(text_field("modify_text"), Some("replacementText"));
    assert_eq!(text_field("edit_paragraph"), Some("newContent"));
    assert_eq!(text_field("insert_list_item"), Some("text"));
    assert_eq!((text_field("edit_table"), text_field("edit_list"), text_field("none")), (None, None, None));
}
