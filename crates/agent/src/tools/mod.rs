//! The tools on offer: `read_document`, `apply_redlines`, and with a model that can, `perform_research`.
//!
//! Must never let a call of the model end the run: what is wrong with a call is told to the model as its result. Results
//! are bounded in bytes, whatever the document or the call holds.

mod apply;
mod arguments;
mod moved;
mod proposals;
mod question;
mod read;
mod research;
mod result;
mod round;
mod salvage;

#[cfg(test)]
mod apply_tests;
#[cfg(test)]
mod arguments_tests;
#[cfg(test)]
mod moved_tests;
#[cfg(test)]
mod read_tests;
#[cfg(test)]
mod salvage_tests;

use engross_docx::ops::Operation;
use engross_docx::read::ReadOptions;
use engross_llm::ToolSpec;
use serde_json::{Value, json};

pub(crate) use apply::apply_together;
pub(crate) use arguments::{ParsedCall, parse_call};
pub(crate) use proposals::proposals;
pub(crate) use question::{Question, QuestionAnswer};
pub(crate) use read::read_document;
pub(crate) use research::{PERFORM_RESEARCH, Research, spec as research_spec};
pub(crate) use result::{ROUND_CALLS, cut, share_of_round};
pub(crate) use round::{Round, RoundResult};
pub(crate) use salvage::{complete_operations, tell_cut};

/// Name of the tool that reads.
pub(crate) const READ_DOCUMENT: &str = "read_document";

/// Name of the tool that edits; the rules model knows it, too.
pub(crate) const APPLY_REDLINES: &str = "apply_redlines";

/// A call that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolUse {
    /// Read a part of the document.
    Read(ReadOptions),
    /// Apply operations.
    Apply(Vec<Proposal>),
}

/// An operation that the model proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// As the model wrote it.
    pub json: Value,
    /// The same with the texts of files that it names, where it names one.
    pub filled: Option<Value>,
    /// The operation, or what is wrong with it.
    pub operation: Result<Operation, ToolError>,
}

/// What the model reads in answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// Its text.
    pub content: String,
    /// Whether the call failed as a whole.
    pub is_error: bool,
}

/// Why a call was not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// Stable code.
    pub code: &'static str,
    /// What is wrong and what to do instead.
    pub message: String,
}

impl ToolError {
    /// The error with `code`.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<ToolError> for CallResult {
    fn from(error: ToolError) -> Self {
        let content = json!({"error": {"code": error.code, "message": cut(&error.message, 2 << 10)}});
        Self { content: content.to_string(), is_error: true }
    }
}

/// The tools as they are offered to a model.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let mut operations = engross_docx::ops::operations_schema()["properties"]["operations"].take();
    operations["description"] = json!("All edits of this step, in order. Prefer this to 'instruction'.");
    vec![
        ToolSpec {
            name: READ_DOCUMENT.to_owned(),
            description: "Reads paragraphs of the document as it is now. A closing line names the place to read on from."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "from": {"type": "string", "description": "Where to begin, such as P201."},
                    "limit": {"type": "integer", "minimum": 1, "description": "At most so many paragraphs; 100 without."},
                    "search": {"type": "string", "description": "Only paragraphs that contain this text."},
                    "view": {
                        "enum": ["accepted", "original", "markup"],
                        "description": "accepted (usual): all changes count as done. original: none does. \
                                        markup: {++inserted++} and {--deleted--} text are both shown."
                    }
                }
            }), strict: None },
        ToolSpec {
            name: APPLY_REDLINES.to_owned(),
            description: "Edits the document by tracked changes. Give 'operations'. All paragraph numbers mean the document \
                          as you last read it, also when one operation inserts paragraphs before another's place. Each \
                          operation is applied or refused by itself; the result says which, and shows the changed text."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "operations": operations,
                    "instruction": {
                        "type": "string",
                        "description": "Instead of operations: the edit in plain words. It costs another model call."
                    }
                }
            }), strict: None },
    ]
}
