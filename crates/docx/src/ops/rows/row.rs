//! What a row of the language is: an operation with its fields, and the fields that several share.
//!
//! Must never know an operation.

use crate::ops::edit::Edit;
use crate::ops::rows::reader::Fields;

/// An operation of the language.
pub(crate) struct OperationRow {
    pub(crate) name: &'static str,
    /// What it is for, in a line.
    pub(crate) purpose: &'static str,
    pub(crate) fields: &'static [Field],
    /// Reads it from its fields, which are known to be among these.
    pub(crate) parse: fn(&Fields<'_>) -> Result<Edit, String>,
}

/// A field of an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// For models, in the schema; empty where the shape says it all.
    pub(crate) about: &'static str,
    /// For people, in the guide.
    pub(crate) guide: &'static str,
    pub(crate) is_required: bool,
    /// Whether it is the text of the operation, which may be taken from elsewhere.
    pub(crate) is_content: bool,
}

/// What JSON a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
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

pub(crate) const fn field(
    name: &'static str,
    shape: Shape,
    about: &'static str,
    guide: &'static str,
) -> Field {
    Field { name, shape, about, guide, is_required: false, is_content: false }
}

impl Field {
    pub(crate) const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    pub(crate) const fn content(self) -> Self {
        Self { is_content: true, ..self }
    }

    /// The same with other words for people.
    pub(crate) const fn for_people(self, guide: &'static str) -> Self {
        Self { guide, ..self }
    }
}

pub(crate) const NUMBER: &str = "The N of PN in the reading.";

pub(crate) const INDEX: Field = field(
    "paragraphIndex",
    Shape::Paragraph,
    NUMBER,
    "number of the paragraph, from 1, as `engross read` counts",
);
pub(crate) const TARGET: Field =
    field("target", Shape::Place, "", "any other [place](../editing.md#places), instead of `paragraphIndex`");
pub(crate) const END: Field = field(
    "endParagraphIndex",
    Shape::Paragraph,
    "The last paragraph of the range.",
    "the last paragraph, if several are meant",
);
pub(crate) const OCCURRENCE: Field = field(
    "occurrence",
    Shape::Occurrence,
    "Which of several hits: a number from 1, \"first\", \"last\" or \"all\".",
    "which of several hits: a number from 1, `\"first\"`, `\"last\"` or `\"all\"`",
);
pub(crate) const PLAIN: Field = field(
    "plain",
    Shape::Flag,
    "true: take the text literally, without Markdown.",
    "`true`: new text is taken as it stands, without Markdown",
);
pub(crate) const AFTER: Field =
    field("after", Shape::Place, "", "the paragraph before them: a number or any place");
pub(crate) const BEFORE: Field = field("before", Shape::Place, "", "the paragraph behind them");
pub(crate) const REFERENCES: Field = field(
    "references",
    Shape::References,
    "What becomes of cross-references to text that goes; without, the operation is refused (REFERENCE_BROKEN).",
    "what becomes of [references](../editing.md#references) to text that goes: `\"drop\"` or `{\"retarget\": PLACE}`",
);
pub(crate) const PATTERN: Field = field(
    "pattern",
    Shape::Text,
    "Instead of words: a regular expression for each paragraph.",
    "instead of the words: a [regular expression](../editing.md#searching), which is tried on each paragraph",
);
pub(crate) const SCOPE: Field = field(
    "scope",
    Shape::Scope,
    "\"body\" (default), \"everywhere\", or stories and kinds: [\"body\", \"headers\", \"footnote:3\"].",
    "the stories to look in: `\"body\"`, which it is without, `\"everywhere\"`, or a list such as `[\"body\", \"headers\", \"footnote:3\"]`",
);
pub(crate) const MATCH_CASE: Field = field(
    "matchCase",
    Shape::Flag,
    "false: capital and small letters are alike.",
    "`false`: capital and small letters are alike",
);
pub(crate) const WHOLE_WORD: Field = field(
    "wholeWord",
    Shape::Flag,
    "true: Term fits Term's, not Terms.",
    "`true`: not within longer words: `Term` is not found in `Termination` or `Terms`, but in `Term's`",
);
pub(crate) const FIELDS: Field = field(
    "fields",
    Shape::Word(&["skip", "refuse"]),
    "Hits in fields or a table of contents are left and reported (skip, default), or refuse it.",
    "hits in results of fields and lines of a table of contents: `skip`, which it is without, leaves and reports them, `refuse` refuses the operation",
);
pub(crate) const PHRASE: &str = "The words, exactly as they stand; the whole paragraph without.";
/// For operations that may need it; others take it, too, and do not ask for it.
pub(crate) const UNTRACKED: Field = field(
    "untracked",
    Shape::Word(&["allow"]),
    "\"allow\": it may also change what Word cannot track.",
    "`\"allow\"`: it may also change text or layout in ways that [no revision can tell](../editing.md#what-cannot-be-tracked)",
);
pub(crate) const SECTION: Field = field(
    "section",
    Shape::Count,
    "Number of the section, from 1.",
    "the number of the section, from 1; the first without, and with it those that have none of their own",
);

pub(crate) const fn points(name: &'static str) -> Field {
    field(name, Shape::Points, "Points.", "points")
}

/// Fields that every operation takes.
pub(crate) const COMMON_FIELDS: &[&str] = &["op", "operation", "expectedText", "author", "untracked"];

/// A tool that models have, and a batch has not: known, so that it is refused with a reason, and offered to nobody.
pub(crate) const RESEARCH: &str = "perform_research";
