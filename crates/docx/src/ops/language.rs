//! The operations: one row each, from which the parser, the JSON schema and the tables of the guide are made.
//!
//! To add an operation: a row in the file of its group, its place in the list here, its `Edit` with the function that reads it
//! (`rows`) and its plan (`edit/plan`), a page in `docs/guide/operations`, whose table `cargo xtask docs` writes, and a scenario.

use crate::ops::rows::row::{OperationRow, RESEARCH};
use crate::ops::rows::{blocks, controls, lists, objects, parts, references, review, text};

/// The operations.
pub(super) const OPERATIONS: &[OperationRow] = &[
    text::MODIFY_TEXT,
    text::EDIT_PARAGRAPH,
    text::INSERT_PARAGRAPH,
    text::DELETE_PARAGRAPH,
    text::REPLACE_PARAGRAPH,
    text::REPLACE_RANGE,
    text::REPLACE_DOCUMENT,
    text::MOVE_PARAGRAPH,
    text::RESTORE_PARAGRAPH,
    text::FORMAT_TEXT,
    text::HIGHLIGHT_TEXT,
    text::FORMAT_PARAGRAPH,
    lists::EDIT_LIST,
    lists::INSERT_LIST_ITEM,
    lists::CONVERT_HEADERS_TO_LIST,
    lists::EDIT_SECTION,
    lists::EDIT_TABLE,
    blocks::SET_TABLE,
    blocks::DELETE_TABLE,
    blocks::INSERT_BREAK,
    blocks::PAGE_SETUP,
    controls::FILL_CONTROL,
    parts::CREATE_HEADER,
    parts::CREATE_FOOTER,
    parts::LINK_HEADER,
    parts::LINK_FOOTER,
    parts::SET_PROPERTIES,
    review::INSERT_COMMENT,
    objects::INSERT_LINK,
    objects::EDIT_LINK,
    objects::REMOVE_LINK,
    objects::INSERT_NOTE,
    objects::EDIT_NOTE,
    objects::INSERT_IMAGE,
    objects::EDIT_IMAGE,
    objects::DELETE_IMAGE,
    review::COMMENT_REPLY,
    review::COMMENT_RESOLVE,
    review::COMMENT_DELETE,
    references::INSERT_BOOKMARK,
    references::INSERT_CROSS_REFERENCE,
    references::INSERT_FIELD,
    references::INSERT_CONTENTS,
    references::UPDATE_REFERENCES,
    references::UPDATE_FIELDS,
    review::NAVIGATE_TO_SECTION,
    review::ACCEPT,
    review::REJECT,
    review::PERFORM_RESEARCH,
];

/// The operations that are offered to models and people.
pub(super) fn offered() -> impl Iterator<Item = &'static OperationRow> {
    OPERATIONS.iter().filter(|row| row.name != RESEARCH)
}

pub(super) fn row(name: &str) -> Option<&'static OperationRow> {
    OPERATIONS.iter().find(|row| row.name == name)
}

/// The names, for messages.
pub(super) fn operation_names() -> String {
    OPERATIONS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

/// The field of an operation that holds its text, if it has one; for callers that take the text from elsewhere.
#[must_use]
pub fn text_field(operation: &str) -> Option<&'static str> {
    row(operation)?.fields.iter().find(|field| field.is_content).map(|field| field.name)
}

/// For each operation its name and the table of its fields, in Markdown, as the guide shows it.
#[must_use]
pub fn field_tables() -> Vec<(&'static str, String)> {
    let table = |row: &OperationRow| {
        let lines = row.fields.iter().map(|field| format!("| `{}` | {} |\n", field.name, field.guide));
        format!("| Field | Meaning |\n|---|---|\n{}", lines.collect::<String>())
    };
    offered().map(|row| (row.name, table(row))).collect()
}
