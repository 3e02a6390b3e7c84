//! The operations: one row each, from which the parser, the JSON schema and the tables of the guide are made.
//!
//! To add an operation: a row here, its `Edit` with the function that reads it (`edits`) and its plan (`edit/plan`), a page in
//! `docs/guide/operations`, whose table `cargo xtask docs` writes, and a scenario.

use crate::ops::blocks;
use crate::ops::controls;
use crate::ops::edits::{self, Fields};
use crate::ops::objects;
use crate::ops::operation::Edit;
use crate::ops::parts::{self, StoryKind};
use crate::ops::references::{self, ReferenceEdit};
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

const NUMBER: &str = "The N of PN in the reading.";
const SWITCH: &str = "`true` or `false`";
const COLOURS: &str = "a colour, as in [highlight_text](highlight_text.md)";

pub(super) const INDEX: Field = field(
    "paragraphIndex",
    Shape::Paragraph,
    NUMBER,
    "number of the paragraph, from 1, as `engross read` counts",
);
pub(super) const TARGET: Field =
    field("target", Shape::Place, "", "any other [place](../editing.md#places), instead of `paragraphIndex`");
const END: Field = field(
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
const AFTER_TEXT: Field = field(
    "afterText",
    Shape::Text,
    "The words behind which it stands; the end of the paragraph without.",
    "the words behind which it stands; the end of the paragraph without",
);
const BLOCKS: Field = field(
    "content",
    Shape::Text,
    "Markdown: paragraphs, # headings, lists and tables.",
    "the blocks; blank lines part them",
)
.required()
.content();
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
/// For operations that may need it; others take it, too, and do not ask for it.
const UNTRACKED: Field = field(
    "untracked",
    Shape::Word(&["allow"]),
    "\"allow\": it may also change what Word cannot track.",
    "`\"allow\"`: it may also change text or layout in ways that [no revision can tell](../editing.md#what-cannot-be-tracked)",
);
const PAGES: Field = field(
    "kind",
    Shape::Word(&["default", "first", "even"]),
    "",
    "the pages that show it: `default`, which it is without, `first` or `even`",
);
const SECTION: Field = field(
    "section",
    Shape::Count,
    "Number of the section, from 1.",
    "the number of the section, from 1; the first without, and with it those that have none of their own",
);
const STORY_FIELDS: &[Field] = &[
    PAGES,
    SECTION,
    field(
        "content",
        Shape::Text,
        "Its text, inline Markdown; a blank line begins another paragraph; {PAGE} and {NUMPAGES} are fields.",
        "its text; a blank line begins another paragraph; `{PAGE}`, `{NUMPAGES}`, `{SECTION}` and `{SECTIONPAGES}` become fields",
    )
    .required()
    .content(),
    field("alignment", Shape::Word(&["left", "center", "right"]), "", "`left`, `center` or `right`; as its style says without"),
    UNTRACKED,
    PLAIN,
];
const LINK_FIELDS: &[Field] = &[
    PAGES,
    SECTION.required().for_people("the number of the section, from 2"),
    field("to", Shape::Word(&["previous"]), "", "`previous`, which it is without"),
    UNTRACKED,
];

const fn property(name: &'static str, guide: &'static str) -> Field {
    field(name, Shape::Text, "", guide)
}

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
pub(super) const COMMON_FIELDS: &[&str] = &["op", "operation", "expectedText", "author", "untracked"];

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
            REFERENCES,
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
            PLAIN, REFERENCES],
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
        purpose: "Removes paragraphs.",
        fields: &[
            INDEX,
            TARGET,
            END,
            field(
                "comments",
                Shape::Word(&["keep", "delete"]),
                "What becomes of comments on it.",
                "what becomes of comments on it: `keep` leaves them beside it, `delete` takes them away; without, it is refused",
            ),
            OCCURRENCE,
            REFERENCES,
        ],
        parse: edits::delete_paragraph,
    },
    OperationRow {
        name: "replace_paragraph",
        purpose: "Puts Markdown blocks (lists, tables, headings) in the place of a paragraph.",
        fields: &[INDEX, TARGET, BLOCKS, NUMBERING, OCCURRENCE, PLAIN, REFERENCES],
        parse: edits::replace_paragraph,
    },
    OperationRow {
        name: "replace_range",
        purpose: "The same for several paragraphs, or a whole table.",
        fields: &[INDEX, TARGET, END.required().for_people("the last paragraph"), BLOCKS, NUMBERING, OCCURRENCE, PLAIN, REFERENCES],
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
            OCCURRENCE, REFERENCES],
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
            PLAIN, REFERENCES],
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
            PLAIN, REFERENCES],
        parse: edits::convert_headers,
    },
    OperationRow {
        name: "edit_section",
        purpose: "Changes a heading and the text of its section.",
        fields: &[
            field(
                "sectionHeaderIndex",
                Shape::Paragraph,
                NUMBER,
                "the heading: a paragraph with a heading style, a number, or a typed number such as `9.` or `Article 4`",
            ),
            TARGET.for_people("any other place of it"),
            field("newHeaderText", Shape::Text, "The heading's text.", "its new text; its number stays, Word's or typed"),
            field(
                "newBodyParagraphs",
                Shape::Texts,
                "The paragraphs below it.",
                "what takes the place of the paragraphs below it, up to the end of the section",
            ),
            field(
                "preserveSubsections",
                Shape::Flag,
                "true: what begins with the first sub-item stays.",
                "`true`: only up to the first number or heading below it",
            ),
            OCCURRENCE,
            PLAIN, REFERENCES],
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
            PLAIN, REFERENCES],
        parse: edits::edit_table,
    },
    blocks::SET_TABLE,
    blocks::DELETE_TABLE,
    blocks::INSERT_BREAK,
    blocks::PAGE_SETUP,
    OperationRow {
        name: "fill_control",
        purpose: "Fills in a content control of a form.",
        fields: &[
            field(
                "control",
                Shape::Id,
                "The N of control:N in the reading.",
                "its number, as `engross read --controls` lists it",
            ),
            field("tag", Shape::Text, "Instead of its number: its tag.", "its tag, instead of the number"),
            field("title", Shape::Text, "Instead of its number: its title.", "its title, instead of the number"),
            OCCURRENCE.for_people("which of several with that tag or title: a number from 1, `\"first\"`, `\"last\"` or `\"all\"`"),
            field(
                "value",
                Shape::ControlValue,
                "Text; an item of its list; a date as 2026-02-28; true or false for a check box.",
                "what it is to say: a text, an item of its list, a date such as `2026-02-28`, or `true` or `false` for a check box; an empty text empties it",
            )
            .required(),
            field(
                "shown",
                Shape::Text,
                "For a date: how it is written there, if not as the control says.",
                "for a date: how it is written there, if not as the control says",
            ),
            UNTRACKED,
            PLAIN,
        ],
        parse: controls::fill_control,
    },
    OperationRow {
        name: "create_header",
        purpose: "Makes a header where there is none.",
        fields: STORY_FIELDS,
        parse: |fields| parts::create_story(fields, StoryKind::Header),
    },
    OperationRow {
        name: "create_footer",
        purpose: "Makes a footer where there is none.",
        fields: STORY_FIELDS,
        parse: |fields| parts::create_story(fields, StoryKind::Footer),
    },
    OperationRow {
        name: "link_header",
        purpose: "Lets a section show the header of the one before.",
        fields: LINK_FIELDS,
        parse: |fields| parts::link_story(fields, StoryKind::Header),
    },
    OperationRow {
        name: "link_footer",
        purpose: "Lets a section show the footer of the one before.",
        fields: LINK_FIELDS,
        parse: |fields| parts::link_story(fields, StoryKind::Footer),
    },
    OperationRow {
        name: "set_properties",
        purpose: "Sets properties of the document: title, author and the like.",
        fields: &[
            property("title", "its title; here and below an empty text takes it away"),
            property("subject", "its subject"),
            property("author", "who wrote it; not the author of revisions"),
            property("keywords", "key words"),
            property("description", "what it is about"),
            property("category", "its category"),
            property("company", "the company"),
            field(
                "custom",
                Shape::Properties,
                "Names and values of one's own; null takes one away.",
                "properties of one's own, by name: texts, numbers, `true` or `false`; `null` takes one away",
            ),
        ],
        parse: parts::set_properties,
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
    objects::INSERT_LINK,
    objects::EDIT_LINK,
    objects::REMOVE_LINK,
    objects::INSERT_NOTE,
    objects::EDIT_NOTE,
    objects::INSERT_IMAGE,
    objects::EDIT_IMAGE,
    objects::DELETE_IMAGE,
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
        name: "insert_bookmark",
        purpose: "Marks a paragraph, or words of it, by a name.",
        fields: &[
            INDEX,
            TARGET,
            field("text", Shape::Text, PHRASE, "the words; all of the paragraph without"),
            field(
                "name",
                Shape::Name,
                "A letter first, then letters, digits and _; 40 in all.",
                "its name: a letter first, then letters, digits and `_`",
            )
            .required(),
        ],
        parse: references::insert_bookmark,
    },
    OperationRow {
        name: "insert_cross_reference",
        purpose: "Puts a reference to a clause, heading or bookmark into a paragraph, with its number, words or page.",
        fields: &[
            INDEX,
            TARGET,
            AFTER_TEXT,
            field(
                "replaceText",
                Shape::Text,
                "Instead: words that it takes the place of, such as a typed number.",
                "words that it takes the place of, such as a typed number",
            ),
            field(
                "to",
                Shape::ReferenceTarget,
                "",
                "the paragraph that it leads to, as any [place](../editing.md#places), or `{\"bookmark\": NAME}`",
            )
            .required(),
            field(
                "show",
                Shape::Word(&["number", "number_full", "text", "page", "above_below"]),
                "",
                "`number` (without), `number_full` with all levels, `text`, `page` or `above_below`",
            ),
            OCCURRENCE,
        ],
        parse: references::insert_cross_reference,
    },
    OperationRow {
        name: "insert_field",
        purpose: "Puts a field such as PAGE or SEQ into a paragraph.",
        fields: &[
            INDEX,
            TARGET,
            AFTER_TEXT,
            field(
                "instruction",
                Shape::Instruction,
                "The field's code, such as PAGE, NUMPAGES, DATE, SEQ Figure.",
                "its code, such as `PAGE`, `NUMPAGES`, `DATE` or `SEQ Figure`",
            )
            .required(),
            field("result", Shape::Text, "What it shows until it is updated.", "what it shows until it is updated"),
            OCCURRENCE,
        ],
        parse: references::insert_field,
    },
    OperationRow {
        name: "update_references",
        purpose: "Lets typed references and fields name the numbers that clauses have once all is accepted.",
        fields: &[],
        parse: |_| Ok(Edit::Reference(ReferenceEdit::Update { typed: true })),
    },
    OperationRow {
        name: "update_fields",
        purpose: "Lets the fields REF and SEQ show what they should; pages and dates are left.",
        fields: &[],
        parse: |_| Ok(Edit::Reference(ReferenceEdit::Update { typed: false })),
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
