//! Every way to fail, as the one error shape with its exit code.
//!
//! Must never lose the code that a lower layer gave.

use std::path::Path;

use engross_docx::Error as DocumentError;
use engross_docx::codes::CodeRow;
use engross_protocol::{Exit, Failure};
use serde_json::json;

use crate::{files, settings};

/// The engine's failure about the document at `path`.
pub(crate) fn of_document(path: &Path, error: &DocumentError) -> Failure {
    let exit = document_exit(error.code());
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

/// The row of a code of `docx`, which has its table in its own words.
pub(crate) fn document_row(code: &str) -> Option<&'static CodeRow> {
    engross_docx::codes::ALL.iter().find(|row| row.name == code)
}

fn document_exit(code: &str) -> Exit {
    match document_row(code).map(|row| row.exit) {
        Some(1) => Exit::Refused,
        Some(3) => Exit::NotADocument,
        _ => Exit::Usage,
    }
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
