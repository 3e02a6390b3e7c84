//! The errors of learning, each with a stable code.

use engross_protocol::{Code, Failure, shared};
use serde_json::json;

use crate::{agents_md, codes};

/// Learning failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A file's markers make no sense.
    #[error("{path}: {source}; nothing was changed there")]
    Markers {
        /// The file.
        path: String,
        /// What is wrong.
        source: agents_md::MarkerError,
    },
    /// The agent's id is none.
    #[error("'{id}' is no id of an agent: give letters, digits, '-', '_' and '.' only")]
    AgentInvalid {
        /// What was given.
        id: String,
    },
    /// The model's answer is none that can be used.
    #[error("the model's answer cannot be used ({reason}); the session is tried again at the next run")]
    AnswerInvalid {
        /// What is wrong with it.
        reason: String,
    },
    /// Someone else is at it.
    #[error("another run is learning into {path}; wait for its end, then run the command again")]
    Busy {
        /// The skillbook's journal.
        path: String,
    },
    /// There is no folder with sessions.
    #[error("there is no folder {path}; name one with --sessions, or an agent with --agent")]
    SessionsMissing {
        /// The folder.
        path: String,
    },
    /// A file or folder cannot be read.
    #[error("{path} cannot be read: {reason}; check its permissions")]
    ReadFailed {
        /// Which.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// A file cannot be written.
    #[error("{path} cannot be written: {reason}; nothing was changed there")]
    WriteFailed {
        /// Which.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// The journal has a line that is no record.
    #[error(
        "{path} is damaged in line {line}; nothing was changed; put the line right, or move the file away"
    )]
    Damaged {
        /// The journal.
        path: String,
        /// The line, counted from 1.
        line: u64,
    },
    /// The file is no skillbook.
    #[error("{path} is no skillbook: {reason}; it was kept as {kept}")]
    Invalid {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
        /// Where it is kept now.
        kept: String,
    },
    /// The model failed.
    #[error(transparent)]
    Model(#[from] engross_llm::Error),
}

impl Error {
    /// The stable code, explained in `docs/errors/CODE.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::Markers { .. } => codes::AGENTS_MD_MARKERS,
            Self::AgentInvalid { .. } => codes::LEARN_AGENT_INVALID,
            Self::AnswerInvalid { .. } => codes::LEARN_ANSWER_INVALID,
            Self::Busy { .. } => codes::LEARN_BUSY,
            Self::SessionsMissing { .. } => codes::LEARN_SESSIONS_MISSING,
            Self::ReadFailed { .. } => shared::READ_FAILED,
            Self::WriteFailed { .. } => shared::WRITE_FAILED,
            Self::Damaged { .. } => codes::SKILLBOOK_DAMAGED,
            Self::Invalid { .. } => codes::SKILLBOOK_INVALID,
            Self::Model(error) => error.row(),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let details = match &error {
            Error::Model(error) => return error.clone().into(),
            Error::Damaged { line, path } => json!({"path": path, "line": line}),
            _ => json!({}),
        };
        Self::of(error.row(), error.to_string()).with_details(details)
    }
}
