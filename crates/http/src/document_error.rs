//! From what is wrong with a file or a document to a status.
//!
//! Must never change the code that a lower layer gave.

use engross_agent::ToolError;
use engross_documents::Error as WorkspaceError;
use engross_docx::Error as DocumentError;
use engross_protocol::codes::find;
use engross_protocol::{Exit, Failure, shared};
use engross_store::files::{FileError, RelPath};
use engross_write::codes::UNSUPPORTED_TARGET;

use super::error::Error;

impl Error {
    /// What is wrong with operations that were sent.
    pub(super) fn of_operations(error: &DocumentError) -> Self {
        of_document("operations", error)
    }

    /// What is wrong with a text that an operation takes from a write session.
    pub(super) fn of_text(error: ToolError) -> Self {
        let row = find(&[engross_write::codes::ALL, shared::ALL], error.code);
        // A file of a kind that has no text is a right request here, for a text that cannot be had.
        let status = row.filter(|row| *row != UNSUPPORTED_TARGET).map_or(422, |row| row.status);
        with(status, Failure::new(Exit::Refused, error.code, error.message))
    }

    /// What is wrong with a document that was sent as the part `name` of a form.
    pub(super) fn of_sent(name: &str, error: &DocumentError) -> Self {
        of_document(name, error)
    }

    /// What is wrong with the document at `path`.
    pub(super) fn of_document(path: &RelPath, error: &DocumentError) -> Self {
        of_document(path.as_str(), error)
    }
}

fn of_document(file: &str, error: &DocumentError) -> Error {
    let status = engross_documents::document_row(error.code()).map_or(400, |row| row.status);
    with(status, engross_documents::document_failure(file, error))
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        with(error.row().status, error.into())
    }
}

impl From<WorkspaceError> for Error {
    fn from(error: WorkspaceError) -> Self {
        let status = match error {
            WorkspaceError::File(error) => return error.into(),
            WorkspaceError::Document { file, error } => return of_document(&file, &error),
            WorkspaceError::OutputKind { .. } => 400,
            WorkspaceError::CheckpointUnknown { .. } => 404,
            WorkspaceError::Changed { .. } => 409,
            WorkspaceError::Busy { .. } => 429,
            WorkspaceError::Limits { .. } => 422,
            WorkspaceError::Stopped | WorkspaceError::NoWorker { .. } => 503,
            WorkspaceError::Path(_)
            | WorkspaceError::OutputIsInput { .. }
            | WorkspaceError::NotKept(_)
            | WorkspaceError::CheckpointDamaged { .. } => 500,
        };
        with(status, Failure::new(Exit::Refused, error.code(), error.to_string()))
    }
}

impl From<Failure> for Error {
    /// A value in a request that the program's own rules refuse.
    fn from(failure: Failure) -> Self {
        with(400, failure)
    }
}

fn with(status: u16, failure: Failure) -> Error {
    Error::Document { status, failure: Box::new(failure) }
}
