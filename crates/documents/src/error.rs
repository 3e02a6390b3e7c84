//! What can go wrong with a document between its file and its file.

use std::path::PathBuf;

use engross_docx::Error as DocumentError;
use engross_docx::codes::CodeRow;
use engross_protocol::{Exit, Failure};
use engross_store::files::{FileError, PathError};
use serde_json::json;

use crate::codes;

/// What follows the reason when a checkpoint could not be made.
const NOT_KEPT: &str = "; nothing was changed, since it could not be taken back; write to another file";

/// A document was not read or not changed. Its file is what it was before.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that a person named could not be read or written.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A file beneath a root could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is no document, or the document cannot be edited like this.
    #[error("{file}: {error}")]
    Document {
        /// The file.
        file: String,
        /// What is wrong.
        error: DocumentError,
    },
    /// The result would replace the document that it was made from.
    #[error("{path} is the document itself; choose another file, or replace the document in place", path = .path.display())]
    OutputIsInput {
        /// The file.
        path: PathBuf,
    },
    /// The name tells another kind of document than the result is.
    #[error("{path} would not open in Word: the result is a .{kind}; end its name in .{kind}", path = .path.display())]
    OutputKind {
        /// The file.
        path: PathBuf,
        /// The ending of the result's kind.
        kind: &'static str,
    },
    /// The state before the change could not be kept, so nothing was changed.
    #[error("{0}{NOT_KEPT}")]
    NotKept(Box<Error>),
    /// Another writer has the document.
    #[error("'{file}' is being written by somebody else; try again in a moment")]
    Busy {
        /// The file.
        file: String,
    },
    /// It is not what it was when it was read.
    #[error("'{file}' has changed since it was read; read it again, then edit what is there now")]
    Changed {
        /// The file.
        file: String,
    },
    /// The work on it was broken off.
    #[error("the work on the document was broken off, as if it had not begun; try again")]
    Stopped,
    /// Working on it took more than it may, or ended the process that did.
    #[error("{file}: {problem}")]
    Limits {
        /// The file.
        file: String,
        /// Which limit, and what can be done.
        problem: String,
    },
    /// No process could work on it.
    #[error("{file}: {problem}")]
    NoWorker {
        /// The file.
        file: String,
        /// Why.
        problem: String,
    },
    /// There is no such checkpoint.
    #[error("'{file}' has no checkpoint '{id}'; list its checkpoints")]
    CheckpointUnknown {
        /// The file.
        file: String,
        /// The identifier that was given.
        id: String,
    },
    /// The bytes of a checkpoint are not those that were kept.
    #[error("checkpoint {id} cannot be read: {reason}; the document itself was not touched")]
    CheckpointDamaged {
        /// Which one.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// The stable code, explained in `docs/errors/CODE.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Path(error) => error.code(),
            Self::File(error) => error.code(),
            Self::Document { error, .. } => error.code(),
            Self::OutputIsInput { .. } => codes::OUTPUT_IS_INPUT.name,
            Self::OutputKind { .. } => codes::OUTPUT_KIND.name,
            Self::NotKept(error) => error.code(),
            Self::Busy { .. } | Self::Stopped => codes::DOCUMENT_BUSY.name,
            Self::Changed { .. } => codes::DOCUMENT_CHANGED.name,
            Self::Limits { .. } => codes::DOCUMENT_LIMITS.name,
            Self::NoWorker { .. } => codes::DOCUMENT_WORKER_UNAVAILABLE.name,
            Self::CheckpointUnknown { .. } => codes::CHECKPOINT_UNKNOWN.name,
            Self::CheckpointDamaged { .. } => codes::CHECKPOINT_DAMAGED.name,
        }
    }

    /// What is wrong with the document in `file`.
    #[must_use]
    pub fn document(file: impl Into<String>, error: DocumentError) -> Self {
        Self::Document { file: file.into(), error }
    }
}

/// The row of a code of `docx`, which has its table in its own words.
#[must_use]
pub fn document_row(code: &str) -> Option<&'static CodeRow> {
    engross_docx::codes::ALL.iter().find(|row| row.name == code)
}

/// The engine's failure about the document in `file`.
#[must_use]
pub fn document_failure(file: &str, error: &DocumentError) -> Failure {
    let exit = match document_row(error.code()).map(|row| row.exit) {
        Some(1) => Exit::Refused,
        Some(3) => Exit::NotADocument,
        _ => Exit::Usage,
    };
    let details = match error {
        DocumentError::InvalidOperation { index: Some(index), .. } => json!({ "index": index }),
        DocumentError::StaleRevision { expected, actual } => json!({"expected": expected, "actual": actual}),
        DocumentError::Xml { part, source } => {
            json!({"part": part, "line": source.at.line, "column": source.at.column})
        }
        _ => json!({}),
    };
    Failure::new(exit, error.code(), format!("{file}: {error}")).with_details(details)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = match error {
            Error::Path(error) => return error.into(),
            Error::File(error) => return error.into(),
            Error::Document { file, error } => return document_failure(&file, &error),
            Error::NotKept(inner) => {
                let message = format!("{inner}{NOT_KEPT}");
                return Self { message, ..(*inner).into() };
            }
            Error::OutputIsInput { .. } | Error::OutputKind { .. } => Exit::Usage,
            Error::CheckpointDamaged { .. } | Error::NoWorker { .. } => Exit::Io,
            Error::Busy { .. }
            | Error::Changed { .. }
            | Error::Limits { .. }
            | Error::Stopped
            | Error::CheckpointUnknown { .. } => Exit::Refused,
        };
        Self::new(exit, error.code(), error.to_string())
    }
}
