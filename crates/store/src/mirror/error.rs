//! Why files are not kept elsewhere.

use crate::Error;
use crate::blobs::BlobError;
use crate::files::FileError;

/// Files are not kept elsewhere, or did not come from there.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    /// The table does not answer.
    #[error(transparent)]
    Table(#[from] Error),
    /// The object storage does not answer.
    #[error(transparent)]
    Objects(#[from] BlobError),
    /// The disk of this node refuses.
    #[error(transparent)]
    Disk(#[from] FileError),
    /// Another node has the owner's files by now.
    #[error("what '{owner}' has is at another node by now: send the request again")]
    Over {
        /// The owner.
        owner: String,
    },
    /// Another node has begun to take in the owner's files from its folders.
    #[error(
        "another node has begun to take in the files of '{owner}' and has not come to the end: start it again; if its disk is lost, set is_whole of '{owner}' in engross_files_terms"
    )]
    HalfTaken {
        /// The owner.
        owner: String,
    },
    /// The storage does not have what the table says.
    #[error(
        "'{path}' cannot be had from object storage, which has not all of its bytes: restore the bucket, or remove the file's row"
    )]
    Missing {
        /// The file.
        path: String,
    },
}

impl MirrorError {
    /// The stable code, explained in `docs/errors/CODE.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Table(error) => error.code(),
            Self::Objects(error) => error.code(),
            Self::Disk(error) => error.code(),
            Self::Over { .. } | Self::HalfTaken { .. } => engross_protocol::shared::HOME_AWAY.name,
            Self::Missing { .. } => crate::blobs::codes::BLOB_MISSING.name,
        }
    }
}
