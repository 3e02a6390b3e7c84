//! `review_playbook`: the positions of a playbook, answered by the session's model and checked against the document.
//!
//! What follows from answers that hold is an ordinary call of `apply_redlines`, so that it is approved, proven and kept as any other edit.
//! Must never take a verdict without words of the clause, or ask a model.

use engross_documents::change::printable;
use engross_docx::WordDocument;
use engross_llm::{ToolCall, ToolSpec};
use engross_playbook::{Playbook, codes, planned, report};
use engross_protocol::shared;
use serde_json::{Map, Value, json};

use crate::tools::{APPLY_REDLINES, CallResult, ToolError, cut};

/// Name of the tool.
pub(super) const REVIEW_PLAYBOOK: &str = "review_playbook";

/// The most bytes of a result: a playbook has at most 256 KiB.
const BYTES: usize = 32 << 10;

/// The tool as it is offered to a model.
pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: REVIEW_PLAYBOOK.to_owned(),
        description: "Reviews the document by a playbook, a Markdown file with positions. Without 'answers' it lists the positions, their \
                      clauses and how to answer; with them it checks the answers and writes what follows as tracked changes and comments."
            .to_owned(),
        parameters: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["playbook"],
            "properties": {
                "playbook": {"type": "string", "description": "The file of the playbook."},
                "answers": {
                    "type": "array",
                    "items": {"type": "object"},
                    "description": "One for each position: {position, verdict, paragraph, quote, reason, …}."
                }
            }
        }),
        strict: None,
    }
}

/// What becomes of a call.
pub(super) enum PlaybookCall {
    /// It is answered.
    Answered(CallResult),
    /// It is these edits, and its result begins with this text.
    Edits(ToolCall, String),
}

/// Looks at a call about `document`; `read` gives the file that it names.
pub(super) fn understand(
    call: &ToolCall,
    document: &WordDocument,
    read: impl FnOnce(&str) -> Result<Vec<u8>, ToolError>,
) -> PlaybookCall {
    reviewed(call, document, read).unwrap_or_else(|error| PlaybookCall::Answered(error.into()))
}

fn reviewed(
    call: &ToolCall,
    document: &WordDocument,
    read: impl FnOnce(&str) -> Result<Vec<u8>, ToolError>,
) -> Result<PlaybookCall, ToolError> {
    let invalid = |message: &str| ToolError::new(shared::INVALID_ARGUMENTS.name, message);
    let arguments: Map<String, Value> = serde_json::from_str(&call.arguments)
        .map_err(|_| invalid("the arguments are no JSON object; give {\"playbook\": FILE}"))?;
    let named = arguments.get("playbook").and_then(Value::as_str);
    let named =
        named.ok_or_else(|| invalid("'playbook' is missing: name the Markdown file of the positions"))?;
    let playbook = Playbook::read(&read(named)?)
        .map_err(|error| ToolError::new(codes::PLAYBOOK_INVALID.name, format!("{named}: {error}")))?;
    // Some models send an empty list, or null, when they want to see the positions first.
    let answers = match arguments.get("answers") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(Value::String(text)) => Some(serde_json::from_str(text).unwrap_or_else(|_| json!(text))),
        Some(Value::Array(list)) if list.is_empty() => None,
        Some(other) => Some(other.clone()),
    };
    let failed = |error: engross_docx::Error| ToolError::new(error.code(), error.to_string());
    let (found, operations) = planned(document, &playbook, answers.as_ref()).map_err(failed)?;
    if answers.is_none() {
        let content = cut(&report::asked(&playbook, &found, printable), BYTES);
        return Ok(PlaybookCall::Answered(CallResult { content, is_error: false }));
    }
    let mut told = cut(&report::verdicts(&found, printable), BYTES);
    if found.summary.unanswered > 0 {
        told.push_str("Positions without an answer that holds: mend these and call again with them alone.\n");
    }
    if operations.is_empty() {
        told.push_str("Nothing has to be changed.\n");
        return Ok(PlaybookCall::Answered(CallResult { content: told, is_error: false }));
    }
    let edits = ToolCall {
        name: APPLY_REDLINES.to_owned(),
        arguments: json!({ "operations": operations }).to_string(),
        ..call.clone()
    };
    Ok(PlaybookCall::Edits(edits, told))
}
