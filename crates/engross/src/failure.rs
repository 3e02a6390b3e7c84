//! Every way to fail, as the one error shape with its exit code.
//!
//! Must never lose the code that a lower layer gave.

use std::path::Path;

use engross_docx::Error as DocumentError;
use engross_protocol::{Exit, Failure};
use serde_json::json;

use crate::{files, settings};

/// The codes that this crate adds, each explained in `docs/errors/CODE.md`.
#[cfg(test)]
pub(crate) const CODES: &[&str] = &[
    "CHECKPOINT_DAMAGED",
    "CONFIG_INVALID",
    "DISK_FULL",
    "FILE_TOO_LARGE",
    "INPUT_CHANGED",
    "INTERRUPTED",
    "INVALID_AUTHOR",
    "INVALID_DATE",
    "INVALID_JSON",
    "IS_A_DIRECTORY",
    "LISTEN_FAILED",
    "NOT_FOUND",
    "NOT_UTF8",
    "NOTHING_APPLIED",
    "NOT_ALL_APPLIED",
    "OUTPUT_IS_INPUT",
    "READ_FAILED",
    "USAGE",
    "WRITE_FAILED",
];

/// The engine's failure about the document at `path`.
pub(crate) fn of_document(path: &Path, error: &DocumentError) -> Failure {
    let exit = match error {
        DocumentError::StaleRevision { .. } | DocumentError::ProofFailed { .. } => Exit::Refused,
        DocumentError::InvalidOperation { .. }
        | DocumentError::UnknownStory { .. }
        | DocumentError::UnknownRevision { .. }
        | DocumentError::InvalidCursor { .. } => Exit::Usage,
        _ => Exit::NotADocument,
    };
    let details = match error {
        DocumentError::InvalidOperation { index: Some(index), .. } => json!({ "index": index }),
        DocumentError::StaleRevision { expected, actual } => json!({"expected": expected, "actual": actual}),
        DocumentError::Xml { part, source } => {
            json!({"part": part, "line": source.at.line, "column": source.at.column})
        }
        _ => json!({}),
    };
    Failure::new(exit, error.code(), format!("{}: {error}", path.display())).with_details(details)
}

/// A command line that cannot be carried out.
pub(crate) fn usage(code: &'static str, message: impl Into<String>) -> Failure {
    Failure::new(Exit::Usage, code, message)
}

impl From<files::Error> for Failure {
    fn from(error: files::Error) -> Self {
        let exit = match error {
            files::Error::IsADirectory { .. } | files::Error::TooLarge { .. } => Exit::NotADocument,
            files::Error::OutputIsInput { .. } => Exit::Usage,
            _ => Exit::Io,
        };
        Self::new(exit, error.code(), error.to_string())
    }
}

impl From<settings::Error> for Failure {
    fn from(error: settings::Error) -> Self {
        match error {
            settings::Error::File(error) => error.into(),
            settings::Error::Invalid { .. } => usage("CONFIG_INVALID", error.to_string()),
        }
    }
}
