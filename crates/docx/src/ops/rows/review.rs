//! Operations on comments and tracked changes, and what only looks: their rows in the language. How they are read is in `edits`.

use crate::ops::edit::Edit;
use crate::ops::rows::edits;
use crate::ops::rows::row::{
    Field, INDEX, MATCH_CASE, OCCURRENCE, OperationRow, PATTERN, PHRASE, PLAIN, RESEARCH, SCOPE, Shape,
    TARGET, WHOLE_WORD, field,
};
use crate::revisions::Side;

const CHOICE: &[Field] = &[
    field("id", Shape::Id, "Of rev:N in the reading.", "one change, as `engross revisions` lists it"),
    field("ids", Shape::Ids, "", "several"),
    field("by", Shape::Text, "Author of the changes.", "an author; case and outer spaces do not count"),
    field(
        "kind",
        Shape::TextOrTexts,
        "ins, del, move, format, row, cell, control or paragraph.",
        "`ins`, `del`, `move`, `format`, `row`, `cell`, `control`, `paragraph`, or a kind as listed; or a list of them",
    ),
    field(
        "range",
        Shape::Text,
        "Such as P3-P9.",
        "paragraphs, such as `P3-P9`, `footnote:3/P1` or `footnote:3`",
    ),
];

const COMMENT_ID: Field = field(
    "commentId",
    Shape::Id,
    "The N of c:N in the reading.",
    "the number of any comment of the thread: `c:1` of a reading",
)
.required();

pub(crate) const INSERT_COMMENT: OperationRow = OperationRow {
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
};

pub(crate) const COMMENT_REPLY: OperationRow = OperationRow {
    name: "comment_reply",
    purpose: "Answers a comment.",
    fields: &[
        COMMENT_ID,
        field("content", Shape::Text, "What the answer says.", "what the answer says").required().content(),
        PLAIN,
    ],
    parse: |fields| Ok(Edit::CommentReply { comment: fields.comment()?, content: fields.text("content")? }),
};

pub(crate) const COMMENT_RESOLVE: OperationRow = OperationRow {
    name: "comment_resolve",
    purpose: "Marks a thread as done, or as open again.",
    fields: &[
        COMMENT_ID,
        field("resolved", Shape::Flag, "false: it is open again.", "`false` opens it again; `true` without"),
    ],
    parse: edits::comment_resolve,
};

pub(crate) const COMMENT_DELETE: OperationRow = OperationRow {
    name: "comment_delete",
    purpose: "Removes a comment with its answers.",
    fields: &[COMMENT_ID.for_people("the number of the comment: `c:1` of a reading")],
    parse: |fields| Ok(Edit::CommentDelete { comment: fields.comment()? }),
};

pub(crate) const NAVIGATE_TO_SECTION: OperationRow = OperationRow {
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
};

pub(crate) const ACCEPT: OperationRow = OperationRow {
    name: "accept",
    purpose: "Accepts tracked changes; only beside accept and reject.",
    fields: CHOICE,
    parse: |fields| edits::resolve(fields, Side::Accept),
};

pub(crate) const REJECT: OperationRow = OperationRow {
    name: "reject",
    purpose: "Rejects tracked changes; only beside accept and reject.",
    fields: CHOICE,
    parse: |fields| edits::resolve(fields, Side::Reject),
};

pub(crate) const PERFORM_RESEARCH: OperationRow = OperationRow {
    name: RESEARCH,
    purpose: "Searches the web.",
    fields: &[field("instruction", Shape::Text, "What to search for.", "what to search for").required()],
    parse: |fields| fields.text("instruction").map(|_| Edit::Research),
};
