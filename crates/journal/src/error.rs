//! What can go wrong with a journal.

/// A request that was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] engross_store::Error),
    /// An entry cannot be read.
    #[error("{problem}")]
    Damaged {
        /// Which entry, and why.
        problem: String,
    },
    /// There is no such log.
    #[error("there is no such log")]
    Unknown,
    /// Another process has the lease.
    #[error("another process works on this log")]
    Leased,
    /// Too many wait for the log.
    #[error("{queue} requests wait for this log already")]
    QueueFull {
        /// How many may wait.
        queue: usize,
    },
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged { problem: error.to_string() }
    }
}
