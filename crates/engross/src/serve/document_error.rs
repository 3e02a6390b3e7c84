//! From what is wrong with a file or a document to a status.
//!
//! Must never change the code that a lower layer gave.

use std::path::Path;

use engross_agent::ToolError;
use engross_documents::Error as WorkspaceError;
use engross_docx::Error as DocumentError;
use engross_protocol::{Exit, Failure};
use engross_store::files::{FileError, RelPath};

use super::error::Error;
use crate::failure;

impl Error {
    /// What is wrong with operations that were sent.
    pub(super) fn of_operations(error: &DocumentError) -> Self {
        of_document("operations", error)
    }

    /// What is wrong with a text that an operation takes from a write session.
    pub(super) fn of_text(error: ToolError) -> Self {
        let status = match error.code {
            "INVALID_OPERATION" => 400,
            "SESSION_NOT_FOUND" => 404,
            "CONTENT_NOT_WRITTEN" | "CONTENT_CHANGED" => 409,
            "TOO_LARGE" => 413,
            _ => 422,
        };
        with(status, Failure::new(Exit::Refused, error.code, error.message))
    }

    /// What is wrong with the document at `path`.
    pub(super) fn of_document(path: &RelPath, error: &DocumentError) -> Self {
        of_document(path.as_str(), error)
    }
}

fn of_document(file: &str, error: &DocumentError) -> Error {
    let status = match error {
        DocumentError::StaleRevision { .. } => 409,
        DocumentError::InvalidOperation { .. }
        | DocumentError::UnknownStory { .. }
        | DocumentError::UnknownRevision { .. }
        | DocumentError::InvalidCursor { .. } => 400,
        _ => 422,
    };
    with(status, failure::of_document(Path::new(file), error))
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        let status = match error {
            FileError::TargetRequired
            | FileError::PathOutsideRoot { .. }
            | FileError::PathInvalid { .. }
            | FileError::TargetIsDir { .. } => 400,
            FileError::ProtectedPath { .. } | FileError::PermissionDenied { .. } => 403,
            FileError::TargetMissing { .. } => 404,
            FileError::TargetExists { .. } | FileError::TargetChanged { .. } => 409,
            FileError::TooLarge { .. } => 413,
            FileError::Unreadable { .. } | FileError::NotWritten { .. } => 500,
            FileError::NoSpace { .. } => 507,
        };
        with(status, error.into())
    }
}

impl From<WorkspaceError> for Error {
    fn from(error: WorkspaceError) -> Self {
        let status = match error {
            WorkspaceError::File(error) => return error.into(),
            WorkspaceError::Document { file, error } => return of_document(&file, &error),
            WorkspaceError::CheckpointUnknown { .. } => 404,
            WorkspaceError::Changed { .. } => 409,
            WorkspaceError::Busy { .. } => 429,
            WorkspaceError::Stopped => 503,
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
