//! The names of operations and of their fields.

/// Fields that every operation takes.
pub(super) const COMMON_FIELDS: &[&str] = &["op", "operation", "expectedText", "author"];

/// A tool of the paper that is no edit: known, so that it is refused with a reason, and told to nobody.
pub(super) const RESEARCH: &str = "perform_research";

/// The field of an operation that holds its text, if it has one; for those who take that from elsewhere.
#[must_use]
pub fn text_field(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "modify_text" => "replacementText",
        "edit_paragraph" => "newContent",
        "insert_paragraph" | "replace_paragraph" | "replace_range" | "comment_reply" => "content",
        "insert_comment" => "commentContent",
        "insert_list_item" => "text",
        _ => return None,
    })
}

/// Operations with their own fields.
pub(super) const OPERATIONS: &[(&str, &[&str])] = &[
    ("modify_text", &["paragraphIndex", "target", "originalText", "replacementText", "occurrence", "plain"]),
    (
        "edit_paragraph",
        &["paragraphIndex", "target", "newContent", "append", "prepend", "occurrence", "plain"],
    ),
    ("insert_paragraph", &["after", "before", "content", "style", "occurrence", "plain"]),
    ("delete_paragraph", &["paragraphIndex", "target", "occurrence"]),
    ("replace_paragraph", &["paragraphIndex", "target", "content", "occurrence", "plain"]),
    ("replace_range", &["paragraphIndex", "target", "endParagraphIndex", "content", "occurrence", "plain"]),
    ("move_paragraph", &["paragraphIndex", "target", "endParagraphIndex", "after", "before", "occurrence"]),
    ("restore_paragraph", &["paragraphIndex", "target", "occurrence"]),
    (
        "format_text",
        &[
            "paragraphIndex",
            "target",
            "textToFormat",
            "occurrence",
            "bold",
            "italic",
            "underline",
            "strike",
            "caps",
            "smallCaps",
            "verticalAlign",
            "highlight",
            "color",
            "size",
            "font",
            "style",
        ],
    ),
    ("highlight_text", &["paragraphIndex", "target", "textToFind", "occurrence", "color"]),
    (
        "format_paragraph",
        &[
            "paragraphIndex",
            "target",
            "endParagraphIndex",
            "occurrence",
            "style",
            "alignment",
            "spaceBefore",
            "spaceAfter",
            "lineSpacing",
            "indentLeft",
            "indentRight",
            "firstLine",
            "keepNext",
            "keepLines",
            "pageBreakBefore",
        ],
    ),
    (
        "edit_list",
        &[
            "startParagraphIndex",
            "endParagraphIndex",
            "target",
            "newItems",
            "listType",
            "numberingStyle",
            "plain",
        ],
    ),
    ("insert_list_item", &["afterParagraphIndex", "target", "text", "indentLevel", "occurrence", "plain"]),
    ("convert_headers_to_list", &["paragraphIndices", "newHeaderTexts", "numberingFormat", "plain"]),
    (
        "edit_section",
        &[
            "sectionHeaderIndex",
            "target",
            "newHeaderText",
            "newBodyParagraphs",
            "preserveSubsections",
            "occurrence",
            "plain",
        ],
    ),
    (
        "edit_table",
        &[
            "paragraphIndex",
            "target",
            "action",
            "content",
            "targetRow",
            "targetColumn",
            "occurrence",
            "plain",
        ],
    ),
    ("insert_comment", &["paragraphIndex", "target", "textToFind", "commentContent", "occurrence", "plain"]),
    ("comment_reply", &["commentId", "content", "plain"]),
    ("comment_resolve", &["commentId", "resolved"]),
    ("comment_delete", &["commentId"]),
    ("navigate_to_section", &["instruction"]),
    ("accept", &["id", "ids", "by", "kind", "range"]),
    ("reject", &["id", "ids", "by", "kind", "range"]),
    (RESEARCH, &["instruction"]),
];

/// The names, for messages.
pub(super) fn operation_names() -> String {
    OPERATIONS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}
