//! The JSON Schema of the operation language, for models and clients.

use serde_json::{Map, Value, json};

use crate::ops::format::HIGHLIGHTS;
use crate::ops::language::{OPERATIONS, RESEARCH};

/// Schema of `{"operations": […]}`.
#[must_use]
pub fn operations_schema() -> Value {
    let operations: Vec<Value> = OPERATIONS
        .iter()
        .filter(|(name, _)| *name != RESEARCH)
        .map(|(name, fields)| operation(name, fields))
        .collect();
    json!({
        "type": "object",
        "required": ["operations"],
        "additionalProperties": false,
        "properties": {"operations": {"type": "array", "items": {"anyOf": operations}}}
    })
}

fn operation(name: &str, fields: &[&str]) -> Value {
    let mut properties = Map::new();
    properties.insert("op".to_owned(), json!({"const": name, "description": purpose(name)}));
    for field in fields {
        properties.insert((*field).to_owned(), field_schema(name, field));
    }
    if fields.iter().any(|field| matches!(*field, "paragraphIndex" | "after" | "sectionHeaderIndex")) {
        let description =
            "Optional guard: the paragraph's whole current text; the edit is refused if it differs.";
        properties.insert("expectedText".to_owned(), json!({"type": "string", "description": description}));
    }
    let required: Vec<&str> = std::iter::once("op").chain(required(name).iter().copied()).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// What an operation is for, in a line.
fn purpose(name: &str) -> &'static str {
    match name {
        "modify_text" => "Replaces words.",
        "edit_paragraph" => "Gives a paragraph new text.",
        "insert_paragraph" => "Puts new paragraphs beside one.",
        "delete_paragraph" => "Removes a paragraph.",
        "replace_paragraph" => "Puts Markdown blocks (lists, tables, headings) in the place of a paragraph.",
        "replace_range" => "The same for several paragraphs, or a whole table.",
        "move_paragraph" => "Moves paragraphs.",
        "restore_paragraph" => "Inserts again what somebody's pending revision deletes.",
        "format_text" => "Changes the look of words.",
        "highlight_text" => "Marks words with a colour.",
        "format_paragraph" => "Changes style, alignment, spacing or indents of paragraphs.",
        "edit_list" => "Makes paragraphs a list, or changes the items of one.",
        "insert_list_item" => "Puts an item behind an item.",
        "convert_headers_to_list" => "Makes one numbered list of headings that stand apart.",
        "edit_section" => "Changes a numbered heading and the text below it.",
        "edit_table" => "Changes rows, columns or cells of a table.",
        "insert_comment" => "Comments on words, or on a paragraph.",
        "comment_reply" => "Answers a comment.",
        "comment_resolve" => "Marks a thread as done, or as open again.",
        "comment_delete" => "Removes a comment with its answers.",
        "navigate_to_section" => "Finds a paragraph; changes nothing.",
        "accept" => "Accepts tracked changes; only beside accept and reject.",
        _ => "Rejects tracked changes; only beside accept and reject.",
    }
}

fn required(name: &str) -> &'static [&'static str] {
    match name {
        "modify_text" => &["originalText", "replacementText"],
        "insert_paragraph" | "replace_paragraph" => &["content"],
        "replace_range" => &["endParagraphIndex", "content"],
        "edit_list" => &["newItems", "listType"],
        "insert_list_item" => &["text"],
        "convert_headers_to_list" => &["paragraphIndices"],
        "edit_table" => &["action"],
        "insert_comment" => &["commentContent"],
        "comment_reply" => &["commentId", "content"],
        "comment_resolve" | "comment_delete" => &["commentId"],
        "navigate_to_section" => &["instruction"],
        _ => &[],
    }
}

fn field_schema(operation: &str, field: &str) -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let flag = |description: &str| json!({"type": "boolean", "description": description});
    let points = |description: &str| json!({"type": "number", "description": description});
    let count = |description: &str| json!({"type": "integer", "minimum": 0, "description": description});
    match field {
        "paragraphIndex" | "startParagraphIndex" | "afterParagraphIndex" | "sectionHeaderIndex" => {
            json!({"type": "integer", "minimum": 1, "description": "The N of PN in the reading."})
        }
        "endParagraphIndex" => {
            json!({"type": "integer", "minimum": 1, "description": "The last paragraph of the range."})
        }
        "target" | "after" | "before" => address(),
        "occurrence" => json!({
            "description": "Which of several hits: a number from 1, \"first\", \"last\" or \"all\".",
            "anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["first", "last", "all"]}]
        }),
        "plain" => flag("true: take the text literally, without Markdown."),
        "originalText" => text("The words to replace, exactly as they stand in the document."),
        "replacementText" => text("What takes their place; inline Markdown. Empty: the words go."),
        "newContent" => text(
            "The paragraph's whole new text; inline Markdown. Words that stay are not touched. A blank line begins a new paragraph.",
        ),
        "append" => text("Instead of newContent: text to add at the end."),
        "prepend" => text("Instead of newContent: text to add at the start."),
        "content" if operation == "edit_table" => json!({
            "description": "replace_content: rows of texts. add_row, add_column: texts. update_cell: one text.",
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"anyOf": [
                {"type": "string"}, {"type": "array", "items": {"type": "string"}}
            ]}}]
        }),
        "content" if operation == "comment_reply" => text("What the answer says."),
        "content" if operation == "insert_paragraph" => {
            text("The new paragraph's text; a blank line begins another paragraph.")
        }
        "content" => text("Markdown: paragraphs, # headings, lists and tables."),
        "style" if operation == "format_text" => text("Id or name of a character style."),
        "style" if operation == "format_paragraph" => text("Id or name of a paragraph style."),
        "style" => text("Id or name of its paragraph style; like the paragraph beside it when left out."),
        "textToFormat" | "textToFind" => {
            text("The words, exactly as they stand; the whole paragraph without.")
        }
        "commentContent" => text("What the comment says."),
        "bold" | "italic" | "underline" | "strike" | "caps" | "smallCaps" | "keepNext" | "keepLines"
        | "pageBreakBefore" => json!({"type": "boolean"}),
        "verticalAlign" => json!({"enum": ["baseline", "superscript", "subscript"]}),
        "highlight" => highlight(),
        "color" if operation == "highlight_text" => highlight(),
        "color" => text("Six hexadecimal digits, or auto."),
        "size" => points("Points."),
        "font" => text("Name of the font."),
        "alignment" => json!({"enum": ["left", "center", "right", "justify"]}),
        "lineSpacing" => {
            json!({"type": ["number", "string"], "description": "1.5 for lines, \"14pt\" for a height."})
        }
        "spaceBefore" | "spaceAfter" | "indentLeft" | "indentRight" => points("Points."),
        "firstLine" => points("Points; negative: the other lines are indented."),
        "newItems" => strings("The items; four spaces before one put it a level deeper."),
        "listType" => json!({"enum": ["bullet", "numbered"]}),
        "numberingStyle" | "numberingFormat" => {
            json!({"enum": ["decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman"]})
        }
        "text" => text("The item's text, without a marker."),
        "indentLevel" => json!({"type": "integer", "minimum": -1, "maximum": 1}),
        "paragraphIndices" => json!({"type": "array", "items": {"type": "integer", "minimum": 1}}),
        "newHeaderTexts" => strings("Their texts in the same order; as they are without."),
        "newHeaderText" => text("The heading's text."),
        "newBodyParagraphs" => strings("The paragraphs below it."),
        "preserveSubsections" => flag("true: what begins with the first sub-item stays."),
        "action" => json!({"enum":
            ["replace_content", "add_row", "delete_row", "update_cell", "add_column", "delete_column"]}),
        "targetRow" | "targetColumn" => count("Counted from 0; of T:row,column in the reading."),
        "commentId" => json!({"type": ["integer", "string"], "description": "The N of c:N in the reading."}),
        "resolved" => flag("false: it is open again."),
        "instruction" => text("A number as shown, a heading, or words of the text."),
        "id" => json!({"type": ["integer", "string"], "description": "Of rev:N in the reading."}),
        "ids" => json!({"type": "array", "items": {"type": ["integer", "string"]}}),
        "by" => text("Author of the changes."),
        "kind" => text("ins, del, move, format, row, cell or paragraph."),
        "range" => text("Such as P3-P9."),
        _ => json!({}),
    }
}

fn strings(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

fn highlight() -> Value {
    json!({"enum": HIGHLIGHTS.iter().map(|(name, _)| *name).collect::<Vec<_>>()})
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
