//! What can go wrong with the documents of a workspace.

use engross_store::files::FileError;

use crate::codes;

/// A document was not read or not changed. Nothing of it is written then.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The file could not be reached.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is no document, or cannot be edited.
    #[error("{file}: {error}")]
    Document {
        /// The file.
        file: String,
        /// What is wrong.
        error: engross_docx::Error,
    },
    /// Somebody else is writing it.
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
    /// There is no such checkpoint.
    #[error("'{file}' has no checkpoint '{id}'; list its checkpoints")]
    CheckpointUnknown {
        /// The file.
        file: String,
        /// What was asked for.
        id: String,
    },
}

impl WorkspaceError {
    /// The stable code, explained in `docs/errors/CODE.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::Document { error, .. } => error.code(),
            Self::Stopped => codes::DOCUMENT_BUSY.name,
            Self::Busy { .. } => codes::DOCUMENT_BUSY.name,
            Self::Changed { .. } => codes::DOCUMENT_CHANGED.name,
            Self::CheckpointUnknown { .. } => codes::CHECKPOINT_UNKNOWN.name,
        }
    }
}
