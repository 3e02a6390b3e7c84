//! What can go wrong with a task thread.

use engross_protocol::Code;
use engross_store::files::FileError;

use crate::codes;

/// What can go wrong with a task thread.
#[derive(Debug, thiserror::Error)]
pub enum ThreadError {
    /// A record of another program cannot be used.
    #[error("this is no record of a task thread: {problem}")]
    Record {
        /// What is wrong with it.
        problem: String,
    },
    /// Something was asked of a thread that was put away.
    #[error("the task thread `{thread}` is archived; restore it first")]
    Archived {
        /// Its key.
        thread: String,
    },
    /// There is no such thread.
    #[error("there is no task thread `{thread}`; `engross task list` shows those that there are")]
    Unknown {
        /// Its key.
        thread: String,
    },
    /// It cannot be put away or imported while it works.
    #[error("the task thread `{thread}` is {status}; wait for its end or cancel it first")]
    NotIdle {
        /// Its key.
        thread: String,
        /// `queued` or `running`.
        status: &'static str,
    },
    /// The bridge refuses, or cannot be reached.
    #[error("the bridge refuses: {message} ({code})")]
    Bridge {
        /// Its code.
        code: String,
        /// Its words.
        message: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The journal could not be read or written.
    #[error(transparent)]
    Store(#[from] engross_store::Error),
}

impl From<engross_journal::Error> for ThreadError {
    fn from(error: engross_journal::Error) -> Self {
        match error {
            engross_journal::Error::Store(error) => Self::Store(error),
            error => Self::Record { problem: format!("its journal cannot be read: {error}") },
        }
    }
}

impl ThreadError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::Record { .. } => codes::THREAD_RECORD_INVALID,
            Self::Archived { .. } => codes::THREAD_ARCHIVED,
            Self::Unknown { .. } => codes::THREAD_UNKNOWN,
            Self::NotIdle { .. } => codes::THREAD_NOT_IDLE,
            // What another bridge calls it need not be known here.
            Self::Bridge { code, .. } => engross_protocol::codes::find(&[engross_tasks::codes::ALL], code)
                .unwrap_or(codes::BRIDGE_REFUSED),
            Self::File(error) => error.row(),
            Self::Store(error) => error.row(),
        }
    }
}
