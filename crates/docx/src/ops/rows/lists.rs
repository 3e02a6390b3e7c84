//! Operations on lists, sections and cells: their rows in the language. How they are read is in `edits`.

use crate::ops::rows::edits;
use crate::ops::rows::row::{
    END, INDEX, NUMBER, OCCURRENCE, OperationRow, PLAIN, REFERENCES, Shape, TARGET, field,
};

const NUMBER_STYLES: Shape =
    Shape::Word(&["decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman"]);

pub(crate) const EDIT_LIST: OperationRow = OperationRow {
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
};

pub(crate) const INSERT_LIST_ITEM: OperationRow = OperationRow {
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
};

pub(crate) const CONVERT_HEADERS_TO_LIST: OperationRow = OperationRow {
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
        REFERENCES,
    ],
    parse: edits::convert_headers,
};

pub(crate) const EDIT_SECTION: OperationRow = OperationRow {
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
        field(
            "newHeaderText",
            Shape::Text,
            "The heading's text.",
            "its new text; its number stays, Word's or typed",
        ),
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
        PLAIN,
        REFERENCES,
    ],
    parse: edits::edit_section,
};

pub(crate) const EDIT_TABLE: OperationRow = OperationRow {
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
        REFERENCES,
    ],
    parse: edits::edit_table,
};
