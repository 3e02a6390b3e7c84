//! Arbitrary operations on the sample document.

use std::sync::LazyLock;

use engross_docx::ops::{OperationResult, Status, operations_schema, parse_batch};
use engross_docx::read::{ReadOptions, View};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use serde_json::{Map, Value, json};

use super::sample::sample;

/// The operations of any kind that these bytes choose for another document, which has these paragraphs.
#[must_use]
pub fn operations_for(data: &[u8], lines: &[String]) -> Value {
    let mut choices = Choices(data);
    if choices.next().is_multiple_of(2) { choices.objects_on(lines) } else { choices.batch_on(lines) }
}

/// The operations that these bytes choose.
#[must_use]
pub fn batch(data: &[u8]) -> Value {
    Choices(data).batch()
}

/// What becomes of a batch on the sample document, operation by operation.
#[must_use]
pub fn outcomes(batch: &Value) -> Vec<OperationResult> {
    let Ok(batch) = parse_batch(batch) else { return Vec::new() };
    sample().apply(&batch, &options()).unwrap_or_default()
}

pub(crate) fn options() -> EditOptions {
    EditOptions { author: "F".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() }
}

/// Operations are applied and proven or refused, and what is saved can be opened.
///
/// Bytes that are no JSON choose operations, places and texts, so that most of them mean something.
pub fn apply(data: &[u8]) {
    hold(&serde_json::from_slice(data).unwrap_or_else(|_| Choices(data).batch()));
}

/// The same of eight operations on references, objects, controls, pages and tables, which `apply` chooses more seldom.
pub fn objects(data: &[u8]) {
    hold(&Choices(data).objects());
}

/// Applies a batch to a small document and holds it to the laws of every batch; panics where one is broken.
pub fn hold(json: &Value) {
    hold_on(sample(), json);
}

/// The same on another document.
pub fn hold_on(mut document: WordDocument, json: &Value) {
    let Ok(batch) = parse_batch(json) else { return };
    let before = document.revision();
    let Ok(results) = document.apply(&batch, &options()) else { return };
    assert!(results.len() == batch.operations.len());
    for result in &results {
        assert!(result.status != Status::Failed, "an operation is done or refused: {result:?} of {json}");
    }
    if results.iter().all(|result| result.status != Status::Applied) {
        assert!(document.revision() == before, "refused operations leave nothing: {json}");
    }
    for tracking in [Tracking::Tracked, Tracking::Untracked] {
        let saved = match document.save(tracking) {
            Ok(saved) => saved,
            Err(error) => {
                assert!(error.code() != "PROOF_FAILED", "{error} of {json}");
                continue;
            }
        };
        let again =
            WordDocument::open(saved.bytes, &Limits::default()).expect("a saved document can be opened");
        if tracking == Tracking::Tracked {
            assert!(lines_of(&again) == lines_of(&document), "{json}");
        }
    }
}

/// What the paragraphs say once all revisions are accepted.
pub(crate) fn lines_of(document: &WordDocument) -> Vec<String> {
    let options = ReadOptions { view: View::Accepted, ..ReadOptions::default() };
    let reading = document.read(&options);
    reading.map(|reading| reading.paragraphs.into_iter().map(|p| p.text).collect()).unwrap_or_default()
}

/// Texts that have broken editors before.
const TEXTS: &[&str] = &[
    "",
    " ",
    "x",
    "sixty",
    "**bold** and *slanted*",
    "one\n\ntwo",
    "one\ntwo",
    "\ttab\t",
    "a\u{301}e\u{301}",
    "\u{1F600}",
    "  padded  ",
    "“quoted”",
    "- item\n- item",
    "# Heading",
    "\u{FFFC}",
    "[[1]]",
    "<&>",
    "| a | b |",
    "\u{202E}right",
    "\u{1}",
    "The Buyer shall pay within sixty (60) days of the invoice.",
    "`code` and ~~gone~~",
    "\\*plain\\*",
    "...",
    "days",
    "e",
];

/// What the paragraphs of the sample say once its revisions are accepted.
fn sample_lines() -> &'static [String] {
    static LINES: LazyLock<Vec<String>> = LazyLock::new(|| lines_of(&sample()));
    &LINES
}

/// Bytes as a row of choices. An exhausted row chooses the first of everything.
pub(crate) struct Choices<'a>(pub(crate) &'a [u8]);

impl Choices<'_> {
    pub(crate) fn batch(self) -> Value {
        self.batch_on(sample_lines())
    }

    fn batch_on(mut self, lines: &[String]) -> Value {
        let mut operations = Vec::new();
        while !self.0.is_empty() && operations.len() < 8 {
            operations.push(self.operation(lines));
        }
        json!({"operations": operations, "atomic": self.next() % 4 == 1})
    }

    fn objects(self) -> Value {
        self.objects_on(sample_lines())
    }

    fn objects_on(mut self, lines: &[String]) -> Value {
        let mut operations = Vec::new();
        while !self.0.is_empty() && operations.len() < 8 {
            let (kind, place) = (self.next(), usize::from(self.next()) % (lines.len() + 2));
            operations.push(self.object(lines, kind, place));
        }
        json!({"operations": operations, "atomic": false})
    }

    fn operation(&mut self, lines: &[String]) -> Value {
        let mut operation = Map::new();
        let kind = self.next();
        let place = usize::from(self.next()) % (lines.len() + 2);
        let line = lines.get(place.saturating_sub(1)).map_or("", String::as_str);
        let mut set = |key: &str, value: Value| operation.insert(key.to_owned(), value);
        match kind {
            0..112 => {}
            112..160 => return self.other(kind, place),
            _ => return self.object(lines, kind, place),
        }
        match kind % 8 {
            0..=2 => {
                set("op", json!("modify_text"));
                let original = self.part_of(line);
                if kind & 8 == 0 {
                    set("paragraphIndex", json!(place));
                }
                set("replacementText", json!(self.text(&original)));
                set("originalText", json!(original));
            }
            3 | 4 => {
                set("op", json!("edit_paragraph"));
                set("paragraphIndex", json!(place));
                let field = ["newContent", "newContent", "append", "prepend"][usize::from(kind >> 3) % 4];
                set(field, json!(self.text(line)));
            }
            5 | 6 => {
                set("op", json!("insert_paragraph"));
                set(if kind & 8 == 0 { "after" } else { "before" }, json!(place));
                set("content", json!(self.text(line)));
                if kind & 16 != 0 {
                    set("style", json!("Heading1"));
                }
            }
            _ => {
                set("op", json!("delete_paragraph"));
                set("paragraphIndex", json!(place));
            }
        }
        if kind & 32 != 0 {
            set("plain", json!(true));
        }
        if kind & 64 != 0 && kind % 8 < 3 {
            set("occurrence", json!(["first", "last", "all"][usize::from(self.next()) % 3]));
        }
        Value::Object(operation)
    }

    /// Operations on formatting, lists, tables and comments, and any of the language.
    fn other(&mut self, kind: u8, place: usize) -> Value {
        let (end, row) = (place + usize::from(self.next() % 4), self.next() % 3);
        let text = self.text("one");
        match kind % 20 {
            0 => json!({"op": "format_text", "paragraphIndex": place, "bold": row > 0, "size": 12}),
            1 => json!({"op": "highlight_text", "textToFind": text, "occurrence": "all"}),
            2 => {
                json!({"op": "format_paragraph", "paragraphIndex": place, "endParagraphIndex": end, "alignment": "right"})
            }
            3 => json!({"op": "insert_comment", "paragraphIndex": place, "commentContent": text}),
            4 => {
                json!({"op": "edit_list", "startParagraphIndex": place, "endParagraphIndex": end, "listType": "bullet", "newItems": [text, "b"]})
            }
            5 => {
                json!({"op": "insert_list_item", "afterParagraphIndex": place, "text": text, "indentLevel": 1})
            }
            6 => json!({"op": "convert_headers_to_list", "paragraphIndices": [place, end]}),
            7 => {
                json!({"op": "edit_section", "sectionHeaderIndex": place, "newHeaderText": text, "newBodyParagraphs": [text, "b"]})
            }
            8 => {
                json!({"op": "edit_table", "paragraphIndex": place, "action": "add_row", "targetRow": row, "content": [text]})
            }
            9 => {
                json!({"op": "edit_table", "paragraphIndex": place, "action": "delete_row", "targetRow": row})
            }
            10 => {
                json!({"op": "edit_table", "paragraphIndex": place, "action": "add_column", "targetColumn": row, "content": [text]})
            }
            11 => {
                json!({"op": "edit_table", "paragraphIndex": place, "action": "delete_column", "targetColumn": row})
            }
            12 => {
                json!({"op": "edit_table", "paragraphIndex": place, "action": "replace_content", "content": [["a", text], ["c", "d"]]})
            }
            13 => json!({"op": "replace_paragraph", "paragraphIndex": place, "content": text}),
            14 => {
                json!({"op": "replace_range", "paragraphIndex": place, "endParagraphIndex": end, "content": text})
            }
            15 => {
                json!({"op": "move_paragraph", "paragraphIndex": place, "endParagraphIndex": end, "after": end + 2})
            }
            16 => json!({"op": "restore_paragraph", "paragraphIndex": place}),
            17 | 18 => self.described(place),
            _ => {
                json!({"op": "edit_table", "paragraphIndex": place, "action": "update_cell", "targetRow": row, "targetColumn": 0, "content": text})
            }
        }
    }

    /// Any operation of the language, with the fields that it needs and some others, as its schema describes them.
    fn described(&mut self, place: usize) -> Value {
        static SCHEMA: LazyLock<Value> = LazyLock::new(operations_schema);
        let all =
            SCHEMA["properties"]["operations"]["items"]["anyOf"].as_array().map_or(&[][..], Vec::as_slice);
        let schema = &all[usize::from(self.next()) % all.len()];
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let mut operation = Map::new();
        for (field, shape) in schema["properties"].as_object().into_iter().flatten() {
            let is_place = shape["minimum"] == 1;
            if is_place || required.iter().any(|known| known == field) || self.next() % 4 == 3 {
                operation.insert(field.clone(), self.value(shape, place));
            }
        }
        Value::Object(operation)
    }

    /// A value that fits a schema.
    fn value(&mut self, shape: &Value, place: usize) -> Value {
        if let Some(only) = shape.get("const") {
            return only.clone();
        }
        if let Some(choices) = shape["enum"].as_array().or(shape["anyOf"].as_array()) {
            let chosen = &choices[usize::from(self.next()) % choices.len()];
            return if chosen.is_object() { self.value(chosen, place) } else { chosen.clone() };
        }
        match shape["type"].as_str().unwrap_or("integer") {
            "string" => json!(self.text("one")),
            "boolean" => json!(self.next().is_multiple_of(2)),
            "number" => json!(f64::from(self.next()) / 4.0),
            "array" => (0..=self.next() % 3).map(|_| self.value(&shape["items"], place)).collect(),
            "object" => json!({"text": self.text("one")}),
            _ => json!(place),
        }
    }

    /// A stretch of a line.
    pub(crate) fn part_of(&mut self, line: &str) -> String {
        let characters: Vec<char> = line.chars().collect();
        let start = usize::from(self.next()) % (characters.len() + 1);
        let length = usize::from(self.next()) % 24 + 1;
        characters.iter().skip(start).take(length).collect()
    }

    /// A given text, the line with a stretch of it replaced, or the raw bytes that follow.
    pub(crate) fn text(&mut self, line: &str) -> String {
        let choice = usize::from(self.next());
        if choice < 128 {
            return TEXTS[choice % TEXTS.len()].to_owned();
        }
        if choice < 224 {
            let old = self.part_of(line);
            let new = TEXTS[usize::from(self.next()) % TEXTS.len()];
            return if old.is_empty() { format!("{line}{new}") } else { line.replacen(&old, new, 1) };
        }
        let length = usize::from(self.next()) % 32;
        let (raw, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        String::from_utf8_lossy(raw).into_owned()
    }

    pub(crate) fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }
}
