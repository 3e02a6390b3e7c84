//! The operations: one row each, from which the parser, the JSON schema and the tables of the guide are made.
//!
//! To add an operation: a row here, its `Edit` with the function that reads it (`edits`) and its plan (`edit/plan`), a page in
//! `docs/guide/operations`, whose table `cargo xtask docs` writes, and a scenario.

use crate::ops::edits::{self, Fields};
use crate::ops::operation::Edit;
use crate::revisions::Side;

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
    /// One of these words.
    Word(&'static [&'static str]),
}

const fn field(name: &'static str, shape: Shape, about: &'static str, guide: &'static str) -> Field {
    Field { name, shape, about, guide, is_required: false, is_content: false }
}

impl Field {
    const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    const fn content(self) -> Self {
        Self { is_content: true, ..self }
    }

    /// The same with other words for people.
    const fn for_people(self, guide: &'static str) -> Self {
        Self { guide, ..self }
    }
}

const NUMBER: &str = "The N of PN in the reading.";
const SWITCH: &str = "`true` or `false`";
const COLOURS: &str = "a colour, as in [highlight_text](highlight_text.md)";

const INDEX: Field = field(
    "paragraphIndex",
    Shape::Paragraph,
    NUMBER,
    "number of the paragraph, from 1, as `engross read` counts",
);
const TARGET: Field =
    field("target", Shape::Place, "", "any other [place](../editing.md#places), instead of `paragraphIndex`");
const END: Field = field(
    "endParagraphIndex",
    Shape::Paragraph,
    "The last paragraph of the range.",
    "the last paragraph, if several are meant",
);
const OCCURRENCE: Field = field(
    "occurrence",
    Shape::Occurrence,
    "Which of several hits: a number from 1, \"first\", \"last\" or \"all\".",
    "which of several hits: a number from 1, `\"first\"`, `\"last\"` or `\"all\"`",
);
const PLAIN: Field = field(
    "plain",
    Shape::Flag,
    "true: take the text literally, without Markdown.",
    "`true`: new text is taken as it stands, without Markdown",
);
const AFTER: Field = field("after", Shape::Place, "", "the paragraph before them: a number or any place");
const BEFORE: Field = field("before", Shape::Place, "", "the paragraph behind them");
const BLOCKS: Field = field(
    "content",
    Shape::Text,
    "Markdown: paragraphs, # headings, lists and tables.",
    "the blocks; blank lines part them",
)
.required()
.content();
const PATTERN: Field = field(
    "pattern",
    Shape::Text,
    "Instead of words: a regular expression for each paragraph.",
    "instead of the words: a [regular expression](../editing.md#searching), which is tried on each paragraph",
);
const SCOPE: Field = field(
    "scope",
    Shape::Scope,
    "\"body\" (default), \"everywhere\", or stories and kinds: [\"body\", \"headers\", \"footnote:3\"].",
    "the stories to look in: `\"body\"`, which it is without, `\"everywhere\"`, or a list such as `[\"body\", \"headers\", \"footnote:3\"]`",
);
const MATCH_CASE: Field = field(
    "matchCase",
    Shape::Flag,
    "false: capital and small letters are alike.",
    "`false`: capital and small letters are alike",
);
const WHOLE_WORD: Field = field(
    "wholeWord",
    Shape::Flag,
    "true: Term fits Term's, not Terms.",
    "`true`: not within longer words: `Term` is not found in `Termination` or `Terms`, but in `Term's`",
);
const FIELDS: Field = field(
    "fields",
    Shape::Word(&["skip", "refuse"]),
    "Hits in fields or a table of contents are left and reported (skip, default), or refuse it.",
    "hits in results of fields and lines of a table of contents: `skip`, which it is without, leaves and reports them, `refuse` refuses the operation",
);
const NUMBERING: Field = field(
    "numbering",
    Shape::Word(&["own", "continue"]),
    "continue: items count on in the list that is there; own: they are a list of their own.",
    "`continue`: items in the content count on in the list that is there; else they are a list of their own",
);
const PHRASE: &str = "The words, exactly as they stand; the whole paragraph without.";
const COMMENT_ID: Field = field(
    "commentId",
    Shape::Id,
    "The N of c:N in the reading.",
    "the number of any comment of the thread: `c:1` of a reading",
)
.required();
const NUMBER_STYLES: Shape =
    Shape::Word(&["decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman"]);

const fn switch(name: &'static str) -> Field {
    field(name, Shape::Flag, "", SWITCH)
}

const fn points(name: &'static str) -> Field {
    field(name, Shape::Points, "Points.", "points")
}

const CHOICE: &[Field] = &[
    field("id", Shape::Id, "Of rev:N in the reading.", "one change, as `engross revisions` lists it"),
    field("ids", Shape::Ids, "", "several"),
    field("by", Shape::Text, "Author of the changes.", "an author; case and outer spaces do not count"),
    field(
        "kind",
        Shape::TextOrTexts,
        "ins, del, move, format, row, cell or paragraph.",
        "`ins`, `del`, `move`, `format`, `row`, `cell`, `paragraph`, or a kind as listed; or a list of them",
    ),
    field(
        "range",
        Shape::Text,
        "Such as P3-P9.",
        "paragraphs, such as `P3-P9`, `footnote:3/P1` or `footnote:3`",
    ),
];

/// Fields that every operation takes.
pub(super) const COMMON_FIELDS: &[&str] = &["op", "operation", "expectedText", "author"];

/// A tool that models have, and a batch has not: known, so that it is refused with a reason, and offered to nobody.
const RESEARCH: &str = "perform_research";

/// The operations.
pub(super) const OPERATIONS: &[OperationRow] = &[
    OperationRow {
        name: "modify_text",
        purpose: "Replaces words.",
        fields: &[
            INDEX,
            TARGET,
            field(
                "originalText",
                Shape::Text,
                "The words to replace, exactly as they stand in the document.",
                "the words as they are in the document; quotes, dashes and spaces of other kinds count as equal",
            ),
            PATTERN,
            field(
                "replacementText",
                Shape::Text,
                "What takes their place; inline Markdown, with $1 for a group of the pattern. Empty: the words go.",
                "what stands there then; empty to delete; with a pattern `$1` is its first group, `$0` all of it, `$$` a dollar",
            )
            .required()
            .content(),
            OCCURRENCE,
            SCOPE,
            MATCH_CASE,
            WHOLE_WORD,
            FIELDS,
            PLAIN,
        ],
        parse: edits::modify_text,
    },
    OperationRow {
        name: "edit_paragraph",
        purpose: "Gives a paragraph new text.",
        fields: &[
            INDEX,
            TARGET,
            field(
                "newContent",
                Shape::Text,
                "The paragraph's whole new text; inline Markdown. Words that stay are not touched. A blank line begins a new paragraph.",
                "the whole text that the paragraph shall have; a blank line begins another paragraph",
            )
            .content(),
            field("append", Shape::Text, "Instead of newContent: text to add at the end.", "text for the end"),
            field(
                "prepend",
                Shape::Text,
                "Instead of newContent: text to add at the start.",
                "text for the start",
            ),
            OCCURRENCE,
            PLAIN,
        ],
        parse: edits::edit_paragraph,
    },
    OperationRow {
        name: "insert_paragraph",
        purpose: "Puts new paragraphs beside one.",
        fields: &[
            AFTER,
            BEFORE,
            field(
                "content",
                Shape::Text,
                "Markdown: paragraphs, parted by blank lines, # headings, lists, tables, quotes, code.",
                "their text; a blank line begins another; headings, lists, tables and other blocks of Markdown are made",
            )
            .required()
            .content(),
            field(
                "style",
                Shape::Text,
                "Id or name of its paragraph style; like the paragraph beside it when left out.",
                "their style; without it they are like the paragraph they stand beside",
            ),
            NUMBERING,
            OCCURRENCE,
            PLAIN,
        ],
        parse: edits::insert_paragraph,
    },
    OperationRow {
        name: "delete_paragraph",
        purpose: "Removes a paragraph.",
        fields: &[INDEX, TARGET, OCCURRENCE],
        parse: |fields| Ok(Edit::DeleteParagraph { place: fields.required_place()? }),
    },
    OperationRow {
        name: "replace_paragraph",
        purpose: "Puts Markdown blocks (lists, tables, headings) in the place of a paragraph.",
        fields: &[INDEX, TARGET, BLOCKS, NUMBERING, OCCURRENCE, PLAIN],
        parse: edits::replace_paragraph,
    },
    OperationRow {
        name: "replace_range",
        purpose: "The same for several paragraphs, or a whole table.",
        fields: &[INDEX, TARGET, END.required().for_people("the last paragraph"), BLOCKS, NUMBERING, OCCURRENCE, PLAIN],
        parse: edits::replace_range,
    },
    OperationRow {
        name: "move_paragraph",
        purpose: "Moves paragraphs.",
        fields: &[
            INDEX,
            TARGET,
            END,
            AFTER.for_people("the paragraph they stand behind then"),
            BEFORE.for_people("the paragraph they stand before then"),
            OCCURRENCE,
        ],
        parse: edits::move_paragraph,
    },
    OperationRow {
        name: "restore_paragraph",
        purpose: "Inserts again what somebody's pending revision deletes.",
        fields: &[INDEX, TARGET, OCCURRENCE],
        parse: |fields| Ok(Edit::Restore { place: fields.required_place()? }),
    },
    OperationRow {
        name: "format_text",
        purpose: "Changes the formatting of words.",
        fields: &[
            INDEX,
            TARGET,
            field("textToFormat", Shape::Text, PHRASE, "the words"),
            PATTERN,
            OCCURRENCE,
            SCOPE,
            MATCH_CASE,
            WHOLE_WORD,
            FIELDS,
            switch("bold"),
            switch("italic"),
            switch("underline"),
            switch("strike"),
            switch("caps"),
            switch("smallCaps"),
            field(
                "verticalAlign",
                Shape::Word(&["baseline", "superscript", "subscript"]),
                "",
                "`superscript`, `subscript` or `baseline`",
            ),
            field("highlight", Shape::Highlight, "", COLOURS),
            field(
                "color",
                Shape::Text,
                "Six hexadecimal digits, or auto.",
                "six hexadecimal digits, or `auto`",
            ),
            points("size"),
            field("font", Shape::Text, "Name of the font.", "name of a font"),
            field("style", Shape::Text, "Id or name of a character style.", "a character style"),
        ],
        parse: edits::format_text,
    },
    OperationRow {
        name: "highlight_text",
        purpose: "Marks words with a colour.",
        fields: &[
            INDEX,
            TARGET,
            field("textToFind", Shape::Text, PHRASE, "the words; all of the paragraph without"),
            PATTERN,
            OCCURRENCE,
            SCOPE,
            MATCH_CASE,
            WHOLE_WORD,
            FIELDS,
            field(
                "color",
                Shape::Highlight,
                "",
                "one of the sixteen of Word: yellow, green, cyan, magenta, blue, red, their dark kinds, gray25, gray50, black, white; yellow without",
            ),
        ],
        parse: edits::highlight_text,
    },
    OperationRow {
        name: "format_paragraph",
        purpose: "Changes style, alignment, spacing or indents of paragraphs.",
        fields: &[
            INDEX,
            TARGET,
            END,
            OCCURRENCE,
            field("style", Shape::Text, "Id or name of a paragraph style.", "a paragraph style"),
            field(
                "alignment",
                Shape::Word(&["left", "center", "right", "justify"]),
                "",
                "`left`, `center`, `right` or `justify`",
            ),
            points("spaceBefore"),
            points("spaceAfter"),
            field(
                "lineSpacing",
                Shape::LineSpacing,
                "1.5 for lines, \"14pt\" for a height.",
                "a multiple such as `1.5`, or a height such as `\"14pt\"`",
            ),
            points("indentLeft"),
            points("indentRight"),
            field(
                "firstLine",
                Shape::Points,
                "Points; negative: the other lines are indented.",
                "points; less than 0 hangs",
            ),
            switch("keepNext"),
            switch("keepLines"),
            switch("pageBreakBefore"),
        ],
        parse: edits::format_paragraph,
    },
    OperationRow {
        name: "edit_list",
        purpose: "Makes paragraphs a list, or changes the items of one.",
        fields: &[
            field("startParagraphIndex", Shape::Paragraph, NUMBER, "the first paragraph"),
            END.for_people("the last; the same without"),
            TARGET.for_people("any other place of the first"),
            field(
                "newItems",
                Shape::Texts,
                "The items; four spaces before one put it a level deeper.",
                "the items; four spaces or a tab before one put it a level deeper, nine levels in all; a marker before it is left out",
            )
            .required(),
            field("listType", Shape::Word(&["bullet", "numbered"]), "", "`bullet` or `numbered`").required(),
            field(
                "numberingStyle",
                NUMBER_STYLES,
                "",
                "`decimal`, `lowerAlpha`, `upperAlpha`, `lowerRoman`, `upperRoman`; decimal without",
            ),
            PLAIN,
        ],
        parse: edits::edit_list,
    },
    OperationRow {
        name: "insert_list_item",
        purpose: "Puts an item behind an item.",
        fields: &[
            field("afterParagraphIndex", Shape::Paragraph, NUMBER, "the item before it"),
            TARGET.for_people("any other place of that item"),
            field(
                "text",
                Shape::Text,
                "The item's text, without a marker.",
                "its text; a marker before it is left out",
            )
            .required()
            .content(),
            field(
                "indentLevel",
                Shape::Level,
                "",
                "1 for a level deeper, -1 for one less, 0 for the same; more is brought within, and told",
            ),
            OCCURRENCE,
            PLAIN,
        ],
        parse: edits::insert_list_item,
    },
    OperationRow {
        name: "convert_headers_to_list",
        purpose: "Makes one numbered list of headings that stand apart.",
        fields: &[
            field("paragraphIndices", Shape::Paragraphs, "", "the headings").required(),
            field(
                "newHeaderTexts",
                Shape::Texts,
                "Their texts in the same order; as they are without.",
                "their new texts, in the same order",
            ),
            field(
                "numberingFormat",
                NUMBER_STYLES,
                "",
                "`arabic`, `lowerLetter`, `upperLetter`, `lowerRoman` or `upperRoman`; arabic without",
            ),
            PLAIN,
        ],
        parse: edits::convert_headers,
    },
    OperationRow {
        name: "edit_section",
        purpose: "Changes a numbered heading and the text below it.",
        fields: &[
            field("sectionHeaderIndex", Shape::Paragraph, NUMBER, "the heading, a numbered paragraph"),
            TARGET.for_people("any other place of it"),
            field("newHeaderText", Shape::Text, "The heading's text.", "its new text; its number stays Word's"),
            field(
                "newBodyParagraphs",
                Shape::Texts,
                "The paragraphs below it.",
                "what takes the place of the paragraphs below it, up to the next number of the same level",
            ),
            field(
                "preserveSubsections",
                Shape::Flag,
                "true: what begins with the first sub-item stays.",
                "`true`: only up to the first number below it",
            ),
            OCCURRENCE,
            PLAIN,
        ],
        parse: edits::edit_section,
    },
    OperationRow {
        name: "edit_table",
        purpose: "Changes rows, columns or cells of a table.",
        fields: &[
            INDEX.for_people("any paragraph of the table; of a nested one, one in it"),
            TARGET.for_people("any other place of it"),
            field(
                "action",
                Shape::Word(&[
                    "replace_content",
                    "add_row",
                    "delete_row",
                    "update_cell",
                    "add_column",
                    "delete_column",
                ]),
                "",
                "`update_cell`, `add_row`, `delete_row`, `add_column`, `delete_column` or `replace_content`",
            )
            .required(),
            field(
                "content",
                Shape::Cells,
                "replace_content: rows of texts. add_row, add_column: texts. update_cell: one text.",
                "a text for a cell; a list of texts for a row or column; a list of rows for `replace_content`",
            ),
            field(
                "targetRow",
                Shape::Count,
                "Counted from 0; of T:row,column in the reading.",
                "the row; a new one stands before the row that has this number, last without",
            ),
            field(
                "targetColumn",
                Shape::Count,
                "Counted from 0; of T:row,column in the reading.",
                "the column, in the same way",
            ),
            OCCURRENCE,
            PLAIN,
        ],
        parse: edits::edit_table,
    },
    OperationRow {
        name: "insert_comment",
        purpose: "Comments on words, or on a paragraph.",
        fields: &[
            INDEX,
            TARGET,
            field("textToFind", Shape::Text, PHRASE, "the words; the paragraph without"),
            PATTERN,
            SCOPE,
            MATCH_CASE,
            WHOLE_WORD,
            field(
                "commentContent",
                Shape::Text,
                "What the comment says.",
                "what it says; a blank line begins another paragraph",
            )
            .required()
            .content(),
            OCCURRENCE,
            PLAIN,
        ],
        parse: edits::insert_comment,
    },
    OperationRow {
        name: "comment_reply",
        purpose: "Answers a comment.",
        fields: &[
            COMMENT_ID,
            field("content", Shape::Text, "What the answer says.", "what the answer says")
                .required()
                .content(),
            PLAIN,
        ],
        parse: |fields| {
            Ok(Edit::CommentReply { comment: fields.comment()?, content: fields.text("content")? })
        },
    },
    OperationRow {
        name: "comment_resolve",
        purpose: "Marks a thread as done, or as open again.",
        fields: &[
            COMMENT_ID,
            field("resolved", Shape::Flag, "false: it is open again.", "`false` opens it again; `true` without"),
        ],
        parse: edits::comment_resolve,
    },
    OperationRow {
        name: "comment_delete",
        purpose: "Removes a comment with its answers.",
        fields: &[COMMENT_ID.for_people("the number of the comment: `c:1` of a reading")],
        parse: |fields| Ok(Edit::CommentDelete { comment: fields.comment()? }),
    },
    OperationRow {
        name: "navigate_to_section",
        purpose: "Finds a paragraph; changes nothing.",
        fields: &[field(
            "instruction",
            Shape::Text,
            "A number as shown, a heading, or words of the text.",
            "a number as shown, a heading, or words of it",
        )
        .required()],
        parse: |fields| Ok(Edit::Navigate { description: fields.text("instruction")? }),
    },
    OperationRow {
        name: "accept",
        purpose: "Accepts tracked changes; only beside accept and reject.",
        fields: CHOICE,
        parse: |fields| edits::resolve(fields, Side::Accept),
    },
    OperationRow {
        name: "reject",
        purpose: "Rejects tracked changes; only beside accept and reject.",
        fields: CHOICE,
        parse: |fields| edits::resolve(fields, Side::Reject),
    },
    OperationRow {
        name: RESEARCH,
        purpose: "Searches the web.",
        fields: &[field("instruction", Shape::Text, "What to search for.", "what to search for").required()],
        parse: |fields| fields.text("instruction").map(|_| Edit::Research),
    },
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
