//! Texts that operations take from write sessions: `contentFrom` in the place of the text itself.
//!
//! Must never give an operation a text of another workspace, or one that is not whole.

use engross_docx::ops::text_field;
use engross_protocol::WriteSessionId;
use engross_protocol::shared;
use engross_write::Error;
use engross_write::runner::WriteSessions;
use serde_json::{Value, json};

use crate::codes;
use crate::tools::ToolError;

/// The field that names a write session.
const CONTENT_FROM: &str = "contentFrom";

/// Bytes of a text that stands in the operation itself. Longer ones are cut too easily on their way.
const INLINE_BYTES: usize = 64 << 10;

/// Bytes of a text from a write session.
const BYTES: u64 = 8 << 20;

/// Where texts come from. Cheap to clone.
#[derive(Clone, Default)]
pub struct Texts {
    sessions: Option<WriteSessions>,
    folder: Option<String>,
}

impl Texts {
    /// Texts of the write sessions in `folder`.
    #[must_use]
    pub(crate) fn of(sessions: WriteSessions, folder: Option<String>) -> Self {
        Self { sessions: Some(sessions), folder }
    }

    /// The text that the session `id` has written, if it is still there; nothing over `limit` bytes. It reads a file.
    pub(crate) fn written(&self, id: WriteSessionId, limit: u64) -> Option<String> {
        self.sessions.as_ref()?.text(id, self.folder.as_deref(), limit).ok()
    }

    /// Puts the text of its write session into an operation that names one. It reads a file.
    ///
    /// # Errors
    /// What is wrong with the session; `INVALID_OPERATION` for an operation without text, or with two.
    pub fn fill(&self, operation: &mut Value) -> Result<(), ToolError> {
        let Some(fields) = operation.as_object_mut() else { return Ok(()) };
        let name = fields.get("op").or_else(|| fields.get("operation")).and_then(Value::as_str);
        let field = name.and_then(text_field);
        // Some models send null where they mean nothing.
        let Some(from) = fields.remove(CONTENT_FROM).filter(|from| !from.is_null()) else { return Ok(()) };
        let invalid = |message: String| ToolError::new(shared::INVALID_OPERATION.name, message);
        let Some(field) = field else {
            return Err(invalid(format!("'{CONTENT_FROM}' is for operations with a text")));
        };
        if fields.get(field).is_some_and(|text| !text.is_null()) {
            return Err(invalid(format!("give '{field}' or '{CONTENT_FROM}', not both")));
        }
        let Some(id) = from.as_str().and_then(|id| id.parse::<WriteSessionId>().ok()) else {
            return Err(invalid(format!("'{CONTENT_FROM}' is no id of a write session")));
        };
        let Some(sessions) = &self.sessions else {
            let error = Error::SessionNotFound(id.to_string());
            return Err(ToolError::new(error.code(), error.to_string()));
        };
        let text = sessions
            .text(id, self.folder.as_deref(), BYTES)
            .map_err(|error| ToolError::new(error.code(), error.to_string()))?;
        // A file ends with a line end; the text of a paragraph does not.
        fields.insert(field.to_owned(), Value::from(text.trim_end_matches(['\n', '\r'])));
        Ok(())
    }
}

/// Refuses a text within an operation of a model that is too long to come whole as a rule.
pub(crate) fn check_inline(operation: &Value) -> Result<(), ToolError> {
    let mut texts =
        operation.as_object().into_iter().flat_map(|fields| fields.values()).filter_map(Value::as_str);
    if texts.all(|text| text.len() <= INLINE_BYTES) {
        return Ok(());
    }
    Err(ToolError::new(
        codes::CONTENT_TOO_LONG.name,
        format!(
            "a text in an operation has at most {INLINE_BYTES} bytes: write it as a file, and name its write session in '{CONTENT_FROM}'"
        ),
    ))
}

/// Tells of it in the schema of `operations`: what it stands for is not required then.
pub(crate) fn offer(operations: &mut Value) {
    for operation in operations["items"]["anyOf"].as_array_mut().into_iter().flatten() {
        let Some(field) = operation["properties"]["op"]["const"].as_str().and_then(text_field) else {
            continue;
        };
        operation["properties"][CONTENT_FROM] = json!({
            "type": "string",
            "description": format!("Instead of {field}, and always for one of more than 4 KiB: the session_id of a text file that you have written."),
        });
        if let Some(required) = operation["required"].as_array_mut() {
            required.retain(|name| name != field);
        }
    }
}
