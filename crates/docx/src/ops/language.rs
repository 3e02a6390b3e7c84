//! The operations: one row each, from which the parser, the JSON schema and the tables of the guide are made.
//!
//! To add an operation: a row in the file of its group, its place in the list here, its `Edit` with the function that reads it
//! (`edits`) and its plan (`edit/plan`), a page in `docs/guide/operations`, whose table `cargo xtask docs` writes, and a scenario.

use crate::ops::edits::Fields;
use crate::ops::operation::Edit;
use crate::ops::{blocks, controls, list_rows, objects, parts, references, review_rows, text_rows};

/// An operation of the language.
pub(super) struct OperationRow {
    pub(super) name: &'static str,
    /// What it is for, in a line.
    pub(super) purpose: &'static str,
    pub(super) fields: &'static [Field],
    /// Reads it from its fields, which are known to be among these.
    pub(super) parse: fn(&Fields<'_>) -> Result<Edit, String>,
}

/// A field of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// For models, in the schema; empty where the shape says it all.
    pub(super) about: &'static str,
    /// For people, in the guide.
    pub(super) guide: &'static str,
    pub(super) is_required: bool,
    /// Whether it is the text of the operation, which may be taken from elsewhere.
    pub(super) is_content: bool,
}

/// What JSON a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Texts,
    Flag,
    /// A length in points.
    Points,
    /// A number from 0.
    Count,
    /// The number of a paragraph.
    Paragraph,
    Paragraphs,
    /// Any address of a paragraph.
    Place,
    Occurrence,
    /// The id of a revision or comment.
    Id,
    Ids,
    /// Levels deeper or shallower.
    Level,
    LineSpacing,
    /// Texts of a table: one, a row, or rows.
    Cells,
    /// A text or several.
    TextOrTexts,
    Highlight,
    /// The stories of a search.
    Scope,
    /// Points, several.
    Lengths,
    /// Two corners of cells.
    CellRange,
    /// Row and column.
    CellPlace,
    /// Points by name.
    Margins,
    /// Names and values of properties.
    Properties,
    /// A text, or a state.
    ControlValue,
    /// What becomes of references to text that goes.
    References,
    /// A paragraph, or a bookmark.
    ReferenceTarget,
    /// The first and the last level of headings.
    LevelRange,
    /// The name of a bookmark.
    Name,
    /// The code of a field.
    Instruction,
    /// One of these words.
    Word(&'static [&'static str]),
}

pub(super) const fn field(
    name: &'static str,
    shape: Shape,
    about: &'static str,
    guide: &'static str,
) -> Field {
    Field { name, shape, about, guide, is_required: false, is_content: false }
}

impl Field {
    pub(super) const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    pub(super) const fn content(self) -> Self {
        Self { is_content: true, ..self }
    }

    /// The same with other words for people.
    pub(super) const fn for_people(self, guide: &'static str) -> Self {
        Self { guide, ..self }
    }
}

pub(super) const NUMBER: &str = "The N of PN in the reading.";

pub(super) const INDEX: Field = field(
    "paragraphIndex",
    Shape::Paragraph,
    NUMBER,
    "number of the paragraph, from 1, as `engross read` counts",
);
pub(super) const TARGET: Field =
    field("target", Shape::Place, "", "any other [place](../editing.md#places), instead of `paragraphIndex`");
pub(super) const END: Field = field(
    "endParagraphIndex",
    Shape::Paragraph,
    "The last paragraph of the range.",
    "the last paragraph, if several are meant",
);
pub(super) const OCCURRENCE: Field = field(
    "occurrence",
    Shape::Occurrence,
    "Which of several hits: a number from 1, \"first\", \"last\" or \"all\".",
    "which of several hits: a number from 1, `\"first\"`, `\"last\"` or `\"all\"`",
);
pub(super) const PLAIN: Field = field(
    "plain",
    Shape::Flag,
    "true: take the text literally, without Markdown.",
    "`true`: new text is taken as it stands, without Markdown",
);
pub(super) const AFTER: Field =
    field("after", Shape::Place, "", "the paragraph before them: a number or any place");
pub(super) const BEFORE: Field = field("before", Shape::Place, "", "the paragraph behind them");
pub(super) const REFERENCES: Field = field(
    "references",
    Shape::References,
    "What becomes of cross-references to text that goes; without, the operation is refused (REFERENCE_BROKEN).",
    "what becomes of [references](../editing.md#references) to text that goes: `\"drop\"` or `{\"retarget\": PLACE}`",
);
pub(super) const PATTERN: Field = field(
    "pattern",
    Shape::Text,
    "Instead of words: a regular expression for each paragraph.",
    "instead of the words: a [regular expression](../editing.md#searching), which is tried on each paragraph",
);
pub(super) const SCOPE: Field = field(
    "scope",
    Shape::Scope,
    "\"body\" (default), \"everywhere\", or stories and kinds: [\"body\", \"headers\", \"footnote:3\"].",
    "the stories to look in: `\"body\"`, which it is without, `\"everywhere\"`, or a list such as `[\"body\", \"headers\", \"footnote:3\"]`",
);
pub(super) const MATCH_CASE: Field = field(
    "matchCase",
    Shape::Flag,
    "false: capital and small letters are alike.",
    "`false`: capital and small letters are alike",
);
pub(super) const WHOLE_WORD: Field = field(
    "wholeWord",
    Shape::Flag,
    "true: Term fits Term's, not Terms.",
    "`true`: not within longer words: `Term` is not found in `Termination` or `Terms`, but in `Term's`",
);
pub(super) const FIELDS: Field = field(
    "fields",
    Shape::Word(&["skip", "refuse"]),
    "Hits in fields or a table of contents are left and reported (skip, default), or refuse it.",
    "hits in results of fields and lines of a table of contents: `skip`, which it is without, leaves and reports them, `refuse` refuses the operation",
);
pub(super) const PHRASE: &str = "The words, exactly as they stand; the whole paragraph without.";
/// For operations that may need it; others take it, too, and do not ask for it.
pub(super) const UNTRACKED: Field = field(
    "untracked",
    Shape::Word(&["allow"]),
    "\"allow\": it may also change what Word cannot track.",
    "`\"allow\"`: it may also change text or layout in ways that [no revision can tell](../editing.md#what-cannot-be-tracked)",
);
pub(super) const SECTION: Field = field(
    "section",
    Shape::Count,
    "Number of the section, from 1.",
    "the number of the section, from 1; the first without, and with it those that have none of their own",
);

pub(super) const fn points(name: &'static str) -> Field {
    field(name, Shape::Points, "Points.", "points")
}

/// Fields that every operation takes.
pub(super) const COMMON_FIELDS: &[&str] = &["op", "operation", "expectedText", "author", "untracked"];

/// A tool that models have, and a batch has not: known, so that it is refused with a reason, and offered to nobody.
pub(super) const RESEARCH: &str = "perform_research";

/// The operations.
pub(super) const OPERATIONS: &[OperationRow] = &[
    text_rows::MODIFY_TEXT,
    text_rows::EDIT_PARAGRAPH,
    text_rows::INSERT_PARAGRAPH,
    text_rows::DELETE_PARAGRAPH,
    text_rows::REPLACE_PARAGRAPH,
    text_rows::REPLACE_RANGE,
    text_rows::REPLACE_DOCUMENT,
    text_rows::MOVE_PARAGRAPH,
    text_rows::RESTORE_PARAGRAPH,
    text_rows::FORMAT_TEXT,
    text_rows::HIGHLIGHT_TEXT,
    text_rows::FORMAT_PARAGRAPH,
    list_rows::EDIT_LIST,
    list_rows::INSERT_LIST_ITEM,
    list_rows::CONVERT_HEADERS_TO_LIST,
    list_rows::EDIT_SECTION,
    list_rows::EDIT_TABLE,
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
    review_rows::INSERT_COMMENT,
    objects::INSERT_LINK,
    objects::EDIT_LINK,
    objects::REMOVE_LINK,
    objects::INSERT_NOTE,
    objects::EDIT_NOTE,
    objects::INSERT_IMAGE,
    objects::EDIT_IMAGE,
    objects::DELETE_IMAGE,
    review_rows::COMMENT_REPLY,
    review_rows::COMMENT_RESOLVE,
    review_rows::COMMENT_DELETE,
    references::INSERT_BOOKMARK,
    references::INSERT_CROSS_REFERENCE,
    references::INSERT_FIELD,
    references::INSERT_CONTENTS,
    references::UPDATE_REFERENCES,
    references::UPDATE_FIELDS,
    review_rows::NAVIGATE_TO_SECTION,
    review_rows::ACCEPT,
    review_rows::REJECT,
    review_rows::PERFORM_RESEARCH,
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
