//! `read_document`.

use engross_docx::WordDocument;
use engross_docx::read::ReadOptions;

use super::{CallResult, ToolError};
use crate::reading;

/// Reads what `options` ask for into at most `bytes` bytes.
pub(crate) fn read_document(document: &WordDocument, options: &ReadOptions, bytes: usize) -> CallResult {
    match reading::text(document, options, bytes) {
        Ok(reading) if reading.paragraphs == 0 => {
            CallResult { content: "No paragraph fits.".to_owned(), is_error: false }
        }
        Ok(reading) => CallResult { content: reading.text, is_error: false },
        Err(error) => ToolError::new(error.code(), error.to_string()).into(),
    }
}
