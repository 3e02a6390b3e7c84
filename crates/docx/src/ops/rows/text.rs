//! Operations on text, paragraphs and their formatting: their rows in the language. How they are read is in `edits`.

use crate::ops::edit::Edit;
use crate::ops::rows::edits;
use crate::ops::rows::row::{
    AFTER, BEFORE, END, FIELDS, Field, INDEX, MATCH_CASE, OCCURRENCE, OperationRow, PATTERN, PHRASE, PLAIN,
    REFERENCES, SCOPE, Shape, TARGET, WHOLE_WORD, field, points,
};

const SWITCH: &str = "`true` or `false`";

const fn switch(name: &'static str) -> Field {
    field(name, Shape::Flag, "", SWITCH)
}

const NUMBERING: Field = field(
    "numbering",
    Shape::Word(&["own", "continue"]),
    "continue: items count on in the list that is there; own: they are a list of their own.",
    "`continue`: items in the content count on in the list that is there; else they are a list of their own",
);

const BLOCKS: Field = field(
    "content",
    Shape::Text,
    "Markdown: paragraphs, # headings, lists and tables.",
    "the blocks; blank lines part them",
)
.required()
.content();

const COLOURS: &str = "a colour, as in [highlight_text](highlight_text.md)";

pub(crate) const MODIFY_TEXT: OperationRow = OperationRow {
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
};

pub(crate) const EDIT_PARAGRAPH: OperationRow = OperationRow {
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
};

pub(crate) const INSERT_PARAGRAPH: OperationRow = OperationRow {
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
};

pub(crate) const DELETE_PARAGRAPH: OperationRow = OperationRow {
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
};

pub(crate) const REPLACE_PARAGRAPH: OperationRow = OperationRow {
    name: "replace_paragraph",
    purpose: "Puts Markdown blocks (lists, tables, headings) in the place of a paragraph.",
    fields: &[INDEX, TARGET, BLOCKS, NUMBERING, OCCURRENCE, PLAIN, REFERENCES],
    parse: edits::replace_paragraph,
};

pub(crate) const REPLACE_RANGE: OperationRow = OperationRow {
    name: "replace_range",
    purpose: "The same for several paragraphs, or a whole table.",
    fields: &[
        INDEX,
        TARGET,
        END.required().for_people("the last paragraph"),
        BLOCKS,
        NUMBERING,
        OCCURRENCE,
        PLAIN,
        REFERENCES,
    ],
    parse: edits::replace_range,
};

pub(crate) const REPLACE_DOCUMENT: OperationRow = OperationRow {
    name: "replace_document",
    purpose: "Makes the body say what a whole text says, with as few changes as that takes.",
    fields: &[
        field(
            "content",
            Shape::Text,
            "The whole body as Markdown, as to-markdown tells it, rewritten. What it does not change is not touched.",
            "the whole body as Markdown, as `engross to-markdown` tells it; what it says already is not touched",
        )
        .content(),
        field(
            "file",
            Shape::Text,
            "Instead of content: a Word document whose text it shall have, by its name beside this one.",
            "instead of `content`: the name of a Word document beside this one, whose text it shall have",
        ),
        REFERENCES,
    ],
    parse: edits::replace_document,
};

pub(crate) const MOVE_PARAGRAPH: OperationRow = OperationRow {
    name: "move_paragraph",
    purpose: "Moves paragraphs.",
    fields: &[
        INDEX,
        TARGET,
        END,
        AFTER.for_people("the paragraph they stand behind then"),
        BEFORE.for_people("the paragraph they stand before then"),
        OCCURRENCE,
        REFERENCES,
    ],
    parse: edits::move_paragraph,
};

pub(crate) const RESTORE_PARAGRAPH: OperationRow = OperationRow {
    name: "restore_paragraph",
    purpose: "Inserts again what somebody's pending revision deletes.",
    fields: &[INDEX, TARGET, OCCURRENCE],
    parse: |fields| Ok(Edit::Restore { place: fields.required_place()? }),
};

pub(crate) const FORMAT_TEXT: OperationRow = OperationRow {
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
        field("color", Shape::Text, "Six hexadecimal digits, or auto.", "six hexadecimal digits, or `auto`"),
        points("size"),
        field("font", Shape::Text, "Name of the font.", "name of a font"),
        field("style", Shape::Text, "Id or name of a character style.", "a character style"),
    ],
    parse: edits::format_text,
};

pub(crate) const HIGHLIGHT_TEXT: OperationRow = OperationRow {
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
};

pub(crate) const FORMAT_PARAGRAPH: OperationRow = OperationRow {
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
};
