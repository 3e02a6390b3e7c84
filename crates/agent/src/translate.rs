//! One instruction in plain words to operations, by a model call of its own.
//!
//! Must never act on an answer that is not wholly the JSON that was asked for.

use engross_docx::ops::operations_schema;
use engross_docx::{Error, WordDocument};
use engross_llm::{Answer, Error as ModelError, FinishReason, Message, Request};

use crate::codes;
use crate::prompt::{TRANSLATION_SYSTEM, first_message};
use crate::tools::{Proposal, ToolError, cut, proposals};
use crate::writing::Texts;

/// The question to the model.
pub(crate) fn request(document: &WordDocument, instruction: &str) -> Result<Request, Error> {
    let content = first_message(document, instruction)?;
    Ok(Request {
        system: format!("{TRANSLATION_SYSTEM}{}", operations_schema()),
        messages: vec![Message::User { content, attachments: Vec::new() }],
        ..Request::default()
    })
}

/// The operations in the answer, which may stand in a code fence.
pub(crate) fn read_answer(answer: &Answer) -> Result<Vec<Proposal>, ToolError> {
    if !matches!(answer.finish, FinishReason::Stop) {
        let message = "the instruction was not turned into operations: the answer was cut; give smaller instructions, \
                       or give the operations yourself";
        return Err(ToolError::new(codes::ANSWER_CUT.name, message));
    }
    let text = without_fence(&answer.text);
    serde_json::from_str(text)
        .map_err(|_| no_operations(&answer.text))
        .and_then(|json| proposals(&json, &Texts::default()))
}

/// For an instruction when no model call is left to read it.
pub(crate) fn no_calls_left() -> ToolError {
    ToolError::new(
        codes::ROUNDS_EXHAUSTED.name,
        "no model call is left to read the instruction; give the operations yourself",
    )
}

/// For an instruction when the model failed to read it.
pub(crate) fn failed(error: &ModelError) -> ToolError {
    ToolError::new(error.code(), format!("the instruction was not turned into operations: {error}"))
}

fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    // The word after the fence names the language.
    inner.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, json)| json.trim())
}

fn no_operations(text: &str) -> ToolError {
    ToolError::new(
        engross_protocol::shared::INVALID_ARGUMENTS.name,
        format!(
            "the instruction was not turned into operations; give the operations yourself. The answer was: {}",
            cut(text.trim(), 400)
        ),
    )
}
