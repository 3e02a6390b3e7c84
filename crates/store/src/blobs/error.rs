//! What can go wrong with bytes that are kept elsewhere.
//!
//! Must never hold a key of the object storage.

use engross_protocol::Code;

use super::codes;

/// What can go wrong. `place` is the address of the storage without its keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// The address or the settings are wrong; asking again will not help.
    #[error("the object storage '{place}' cannot be used: {problem}")]
    Unusable {
        /// The storage.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// It does not answer, or refuses.
    #[error("the object storage '{place}' did not do it: {problem}; ask again, or look at its log")]
    Unavailable {
        /// The storage.
        place: String,
        /// What it said.
        problem: String,
    },
    /// The bytes are not those of the hash.
    #[error(
        "the bytes are not those whose hash was given, so they are not kept: the file was changed meanwhile"
    )]
    Changed,
    /// The bytes cannot be read.
    #[error("the bytes cannot be read: {problem}")]
    Source {
        /// What the system says.
        problem: String,
    },
}

impl BlobError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::Unusable { .. } => codes::BLOBS_UNUSABLE,
            Self::Unavailable { .. } => codes::BLOBS_UNAVAILABLE,
            Self::Changed => codes::BLOB_CHANGED,
            Self::Source { .. } => codes::BLOB_UNREADABLE,
        }
    }
}
