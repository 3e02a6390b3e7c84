//! The tools: one row each, from which their definitions and the reading of their arguments are made.
//!
//! Definitions cost every conversation tokens, so they are short, and the operation language is told by a tool. Schemas are plain typed
//! fields: clients drop alternatives and mangle what is nested.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::app;

/// A tool.
#[derive(Debug)]
pub struct ToolRow {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What a model is told of it.
    pub about: &'static str,
    /// What it takes.
    pub arguments: &'static [ArgumentRow],
    /// What it does to files.
    pub effect: ToolEffect,
    /// Whether its result is one that the page for reviews shows.
    pub has_page: bool,
}

/// What a tool does to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// It changes nothing.
    Reads,
    /// It makes files, and replaces none that somebody else has written.
    Writes,
    /// It does more than that.
    Acts,
}

/// An argument of a tool.
#[derive(Debug)]
pub struct ArgumentRow {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: ArgumentKind,
    /// What a model is told of it.
    pub about: &'static str,
    /// Whether a call must have it.
    pub is_required: bool,
}

/// What an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// The path of a document.
    Path,
    /// A text; a blank one is none.
    Text,
    /// A text that is taken as it is, blanks too.
    Exact,
    /// True or false.
    Flag,
    /// A whole number from 1.
    Count,
    /// A whole number from 0.
    Offset,
    /// A list of texts.
    Texts,
    /// A list of operations of the engine.
    Operations,
    /// A list of objects.
    Objects,
    /// One of these words.
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
            ArgumentRow {
                about: "The .docx file; of a folder, such as '.', its documents are listed.",
                ..PATH
            },
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
        has_page: false,
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
        has_page: true,
    },
    ToolRow {
        name: "describe_operations",
        title: "Look up edit operations",
        about: "Lists the operations of edit_document; with names, tells their fields as JSON Schema.",
        arguments: &[argument("names", ArgumentKind::Texts, "Such as [\"edit_table\", \"format_text\"].")],
        effect: ToolEffect::Reads,
        has_page: false,
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
                ArgumentKind::Word(&["ins", "del", "move", "format", "row", "cell", "control", "paragraph"]),
                "Only changes of this kind.",
            ),
            argument("range", ArgumentKind::Text, "Only in these paragraphs, such as P3-P9."),
            OUTPUT,
        ],
        effect: ToolEffect::Writes,
        has_page: true,
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
        has_page: true,
    },
    ToolRow {
        name: "check_document",
        title: "Check a Word document",
        about: "Looks for damage, broken references, and what would not survive accepting or rejecting. Changes nothing.",
        arguments: &[PATH],
        effect: ToolEffect::Reads,
        has_page: false,
    },
];

/// The tool that only clients are told of which show its page.
const REVIEW_CHANGES: ToolRow = ToolRow {
    name: "review_changes",
    title: "Review tracked changes",
    about: "Shows the user the tracked changes of a .docx with buttons to accept and reject each.",
    arguments: &[PATH],
    effect: ToolEffect::Reads,
    has_page: true,
};

/// The tool for playbooks, for who asks for it (`--with playbooks`).
pub(crate) const REVIEW_PLAYBOOK: ToolRow = ToolRow {
    name: "review_playbook",
    title: "Review a document by a playbook",
    about: "Without 'answers': the positions of a playbook (Markdown) with their clauses in a .docx, and what to answer. With them: checks each \
            verdict and its quotation against the document, and writes tracked changes and comments with the reasons.",
    arguments: &[
        PATH,
        ArgumentRow {
            name: "playbook",
            kind: ArgumentKind::Text,
            about: "The playbook, a .md file.",
            is_required: true,
        },
        argument("answers", ArgumentKind::Objects, "One for each position; a call without tells how."),
        OUTPUT,
        AUTHOR,
    ],
    effect: ToolEffect::Writes,
    has_page: true,
};

/// The tools on documents that a client is told of.
pub(crate) fn tools(shows_pages: bool) -> impl Iterator<Item = &'static ToolRow> {
    TOOLS.iter().chain(shows_pages.then_some(&REVIEW_CHANGES))
}

impl ToolRow {
    /// Its definition in the protocol; with its page for a client that may show one.
    pub(crate) fn definition(&self, may_show_pages: bool) -> Tool {
        let reads = self.effect == ToolEffect::Reads;
        // No file is replaced that somebody else has written, so nothing is destroyed; the same edit twice is refused.
        let acts = self.effect == ToolEffect::Acts;
        let annotations = ToolAnnotations::new().read_only(reads).destructive(acts).open_world(acts);
        let annotations = if reads { annotations.idempotent(true) } else { annotations };
        let tool = Tool::new(self.name, self.about, Arc::new(self.schema()))
            .with_title(self.title)
            .with_annotations(annotations);
        if self.has_page && may_show_pages { tool.with_meta(app::of_tool()) } else { tool }
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
            ArgumentKind::Path | ArgumentKind::Text | ArgumentKind::Exact => json!({"type": "string"}),
            ArgumentKind::Flag => json!({"type": "boolean"}),
            ArgumentKind::Count | ArgumentKind::Offset => json!({"type": "integer"}),
            ArgumentKind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            ArgumentKind::Operations => json!({
                "type": "array",
                "items": {"type": "object", "properties": {"op": {"type": "string"}}, "required": ["op"]}
            }),
            ArgumentKind::Objects => json!({"type": "array", "items": {"type": "object"}}),
            ArgumentKind::Word(words) => json!({"type": "string", "enum": words}),
        };
        if let (Some(schema), false) = (schema.as_object_mut(), self.about.is_empty()) {
            schema.insert("description".to_owned(), json!(self.about));
        }
        schema
    }
}
