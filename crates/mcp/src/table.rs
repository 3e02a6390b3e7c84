//! The tools: one row each, from which their definitions and the reading of their arguments are made.
//!
//! Definitions cost every conversation tokens, so they are short, and the operation language is told by a tool. Schemas are plain typed
//! fields: clients drop alternatives and mangle what is nested.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

/// A tool.
#[derive(Debug)]
pub(crate) struct ToolRow {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    pub(crate) arguments: &'static [ArgumentRow],
    pub(crate) effect: ToolEffect,
}

/// What a tool does to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolEffect {
    Reads,
    Writes,
}

/// An argument of a tool.
#[derive(Debug)]
pub(crate) struct ArgumentRow {
    pub(crate) name: &'static str,
    pub(crate) kind: ArgumentKind,
    pub(crate) about: &'static str,
    pub(crate) is_required: bool,
}

/// What an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentKind {
    /// The path of a document.
    Path,
    Text,
    Flag,
    Count,
    Texts,
    Operations,
    Word(&'static [&'static str]),
}

const fn argument(name: &'static str, kind: ArgumentKind, about: &'static str) -> ArgumentRow {
    ArgumentRow { name, kind, about, is_required: false }
}

const PATH: ArgumentRow =
    ArgumentRow { name: "path", kind: ArgumentKind::Path, about: "The .docx file.", is_required: true };

const OUTPUT: ArgumentRow = argument("output", ArgumentKind::Path, "File to write; usually chosen for you.");

const AUTHOR: ArgumentRow =
    argument("author", ArgumentKind::Text, "In whose name; leave out unless the user says.");

/// What `read_document` may read.
pub(crate) const MODES: &[&str] =
    &["text", "outline", "comments", "revisions", "controls", "styles", "properties"];

/// The tools.
pub(crate) const TOOLS: &[ToolRow] = &[
    ToolRow {
        name: "read_document",
        title: "Read a Word document",
        about: "Reads a .docx as numbered paragraphs, [P7|style|…] text; the P numbers are addresses for edits. A long document answers with \
                its outline and a cursor: read on with 'from', or find places with 'search'.",
        arguments: &[
            PATH,
            argument("mode", ArgumentKind::Word(MODES), "What to read; text by default."),
            argument("from", ArgumentKind::Text, "Begin here: a cursor or an address such as P40."),
            argument("limit", ArgumentKind::Count, "At most so many paragraphs."),
            argument("search", ArgumentKind::Text, "Only paragraphs with these words."),
            argument(
                "story",
                ArgumentKind::Text,
                "Instead of the body: footnotes, footnote:3, header:default@1, comments, everywhere.",
            ),
            argument(
                "view",
                ArgumentKind::Word(&["accepted", "original", "markup"]),
                "Tracked changes as done (default), undone, or both marked.",
            ),
            argument("max_tokens", ArgumentKind::Count, "Room for the answer; 8000 by default."),
        ],
        effect: ToolEffect::Reads,
    },
    ToolRow {
        name: "edit_document",
        title: "Edit a Word document with tracked changes",
        about: "Applies operations as proven tracked changes; formatting around them stays. An untouched original is never overwritten: \
                changes go to NAME.redline.docx, which later edits then name as 'path'. Each operation is applied or refused on its own, \
                with the reason; all mean the document as last read. The most used: \
                {op:modify_text, originalText, replacementText, paragraphIndex?} replaces words; \
                {op:edit_paragraph, paragraphIndex, newContent} rewrites one, only changed words are marked; \
                {op:insert_paragraph, after, content} and {op:delete_paragraph, paragraphIndex}; \
                {op:insert_comment, paragraphIndex, textToFind?, commentContent}. More (tables, lists, formatting, notes, headers, links, sections): \
                describe_operations.",
        arguments: &[
            PATH,
            ArgumentRow {
                name: "operations",
                kind: ArgumentKind::Operations,
                about: "In order; each with 'op' and its fields. Numbers are those of the last reading.",
                is_required: false,
            },
            argument(
                "expected_revision",
                ArgumentKind::Text,
                "Refuse if the document is no longer this revision.",
            ),
            OUTPUT,
            AUTHOR,
            argument("dry_run", ArgumentKind::Flag, "Try and prove, write nothing."),
            argument("atomic", ArgumentKind::Flag, "All or none."),
            argument(
                "from_markdown",
                ArgumentKind::Text,
                "Instead of operations: make a new document of this Markdown.",
            ),
        ],
        effect: ToolEffect::Writes,
    },
    ToolRow {
        name: "describe_operations",
        title: "Look up edit operations",
        about: "Lists the operations of edit_document; with names, tells their fields as JSON Schema.",
        arguments: &[argument("names", ArgumentKind::Texts, "Such as [\"edit_table\", \"format_text\"].")],
        effect: ToolEffect::Reads,
    },
    ToolRow {
        name: "resolve_changes",
        title: "Accept or reject tracked changes",
        about: "Accepts or rejects tracked changes: all, or those that fit every filter given. Writes a new file. \
                read_document with mode=revisions lists them.",
        arguments: &[
            PATH,
            ArgumentRow {
                name: "action",
                kind: ArgumentKind::Word(&["accept", "reject"]),
                about: "",
                is_required: true,
            },
            argument("ids", ArgumentKind::Texts, "Ids of changes."),
            argument("by_author", ArgumentKind::Text, "Only changes of this author."),
            argument(
                "kind",
                ArgumentKind::Word(&["ins", "del", "move", "format", "row", "cell", "paragraph"]),
                "Only changes of this kind.",
            ),
            argument("range", ArgumentKind::Text, "Only in these paragraphs, such as P3-P9."),
            OUTPUT,
        ],
        effect: ToolEffect::Writes,
    },
    ToolRow {
        name: "compare_documents",
        title: "Compare two Word documents",
        about: "Writes a redline: 'before' with tracked changes that make it 'after'. Answers with what changed.",
        arguments: &[
            ArgumentRow { name: "before", about: "The older .docx file.", ..PATH },
            ArgumentRow { name: "after", about: "The newer .docx file.", ..PATH },
            OUTPUT,
            AUTHOR,
        ],
        effect: ToolEffect::Writes,
    },
    ToolRow {
        name: "check_document",
        title: "Check a Word document",
        about: "Looks for damage, broken references, and what would not survive accepting or rejecting. Changes nothing.",
        arguments: &[PATH],
        effect: ToolEffect::Reads,
    },
];

/// The tool of that name.
pub(crate) fn tool(name: &str) -> Option<&'static ToolRow> {
    TOOLS.iter().find(|row| row.name == name)
}

impl ToolRow {
    /// Its definition in the protocol.
    pub(crate) fn definition(&self) -> Tool {
        let reads = self.effect == ToolEffect::Reads;
        // No file is replaced that somebody else has written, so nothing is destroyed; the same edit twice is refused.
        let annotations = ToolAnnotations::new().read_only(reads).destructive(false).open_world(false);
        let annotations = if reads { annotations.idempotent(true) } else { annotations };
        Tool::new(self.name, self.about, Arc::new(self.schema()))
            .with_title(self.title)
            .with_annotations(annotations)
    }

    fn schema(&self) -> JsonObject {
        let properties: Map<String, Value> =
            self.arguments.iter().map(|row| (row.name.to_owned(), row.schema())).collect();
        let required: Vec<&str> =
            self.arguments.iter().filter(|row| row.is_required).map(|row| row.name).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
    }
}

impl ArgumentRow {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            ArgumentKind::Path | ArgumentKind::Text => json!({"type": "string"}),
            ArgumentKind::Flag => json!({"type": "boolean"}),
            ArgumentKind::Count => json!({"type": "integer"}),
            ArgumentKind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            ArgumentKind::Operations => json!({
                "type": "array",
                "items": {"type": "object", "properties": {"op": {"type": "string"}}, "required": ["op"]}
            }),
            ArgumentKind::Word(words) => json!({"type": "string", "enum": words}),
        };
        if let (Some(schema), false) = (schema.as_object_mut(), self.about.is_empty()) {
            schema.insert("description".to_owned(), json!(self.about));
        }
        schema
    }
}
