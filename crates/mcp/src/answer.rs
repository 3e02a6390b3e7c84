//! What a tool answers: a text for the model, and the files it wrote.
//!
//! Must never carry a file's bytes.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{CallToolResult, ContentBlock, Resource};

use engross_protocol::Failure;
use serde_json::Value;

use crate::app;

/// The type of Word documents.
pub(crate) const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/// What of a path is written otherwise in an address.
const IN_PATHS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~').remove(b':');

/// What a tool answers.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// What the model reads. It leads with what happened, in a line.
    pub(crate) text: String,
    /// A file that was written, and its size.
    pub(crate) written: Option<(PathBuf, u64)>,
    /// Whether nothing came of the call.
    pub(crate) is_error: bool,
    /// What the page for reviews shows.
    pub(crate) review: Option<Value>,
}

impl Answer {
    /// A text.
    pub(crate) fn of(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// A call that failed.
    pub(crate) fn failed(failure: &Failure) -> Self {
        Self { text: format!("{}: {}", failure.code, failure.message), is_error: true, ..Self::default() }
    }

    /// The answer as the protocol has it.
    pub(crate) fn into_result(self) -> CallToolResult {
        let mut content = vec![ContentBlock::text(self.text)];
        if let Some((path, size)) = &self.written {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let resource = Resource::new(file_uri(path), name).with_mime_type(DOCX).with_size(*size);
            content.push(ContentBlock::resource_link(resource));
        }
        let mut result =
            if self.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.meta = self.review.map(app::of_result);
        result
    }
}

/// `file:///home/ada/nda.docx`.
pub(crate) fn file_uri(path: &Path) -> String {
    let text = path.display().to_string().replace('\\', "/");
    let slash = if text.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", utf8_percent_encode(&text, IN_PATHS))
}
