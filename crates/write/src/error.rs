//! The errors of a write session, by code.

use engross_protocol::{Code, shared};
use engross_store::files::FileError;
use serde::{Deserialize, Serialize};

use crate::codes;
use crate::continuation::{JoinError, Limit};
use crate::framing::InvalidUtf8;
use crate::json_field::ArgsError;
use crate::patch::PatchError;

/// What is wrong with a session or a request to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No target.
    #[error("there is no target: name the file in 'target_file'")]
    TargetRequired,
    /// No known operation.
    #[error("'{0}' is no operation: use create, overwrite, append or patch")]
    InvalidOperation(String),
    /// The options are invalid.
    #[error("the options are wrong: {0}")]
    Options(String),
    /// The arguments of a tool call are invalid.
    #[error(transparent)]
    Args(#[from] ArgsError),
    /// A kind of file that cannot be written like this.
    #[error(
        "{0} cannot be written like this: a .docx is made of Markdown with create or overwrite; one that is there is edited, not appended to or patched; of other Word files write the Markdown"
    )]
    UnsupportedTarget(String),
    /// No document can be made of the content.
    #[error("no document can be made of the content: {0}")]
    NotComposed(String),
    /// The person does not want it.
    #[error("the person did not agree to this file, so it was not written: ask what they want instead")]
    Declined,
    /// Nothing but blanks.
    #[error("the content is empty: send the content again, or begin with 'allow_empty'")]
    EmptyContent,
    /// More than allowed.
    #[error("the content is longer than {limit} bytes: write it in several files, or raise 'max_bytes'")]
    TooLarge {
        /// Bytes that are allowed.
        limit: u64,
    },
    /// Not UTF-8.
    #[error(transparent)]
    Encoding(#[from] InvalidUtf8),
    /// Findings that stop the file.
    #[error(
        "the file has {errors} errors, the first in line {line}: {message}: send it again, or a patch of it"
    )]
    ValidationFailed {
        /// How many.
        errors: usize,
        /// Where the first is.
        line: u64,
        /// What it is.
        message: String,
    },
    /// No end.
    #[error(
        "the content breaks off after {bytes} bytes, in line {line} ({cause}): go on from there, or cancel"
    )]
    Incomplete {
        /// Bytes of content.
        bytes: u64,
        /// The line it ends in.
        line: u64,
        /// Why the turn ended.
        cause: &'static str,
    },
    /// A doubtful end.
    #[error(
        "it is not clear whether DONE in line {line} ends the file: answer DONE if it does, or the end marker if all of it is content"
    )]
    AmbiguousEnd {
        /// The line.
        line: u64,
    },
    /// The marker inside a line.
    #[error("the end marker stands in line {line} with other text: send it alone on its line")]
    MarkerInContent {
        /// The line.
        line: u64,
    },
    /// No further continuation.
    #[error("{0}: finish the file in other pieces, or cancel")]
    ContinuationLimit(#[from] Limit),
    /// A continuation that does not join.
    #[error("{0}: go on with the very next character, and nothing around it")]
    ContinuationUnclean(#[from] JoinError),
    /// The wrong place.
    #[error("bytes sent for offset {offset} {problem}: go on at offset {expected}")]
    OffsetMismatch {
        /// Where they were to go.
        offset: u64,
        /// Where the next byte belongs.
        expected: u64,
        /// What is wrong with them.
        problem: &'static str,
    },
    /// No such session.
    #[error("there is no write session {0}: begin one")]
    SessionNotFound(String),
    /// Too late.
    #[error("the write session has expired, nothing was written: begin another")]
    SessionExpired,
    /// Somebody else writes.
    #[error("{0} is being written by another session: wait for it, or cancel it")]
    SessionConflict(String),
    /// Its text is asked for too early.
    #[error("the write session {0} has not written its file: finish it first")]
    ContentNotWritten(String),
    /// Its text is asked for too late.
    #[error("{0} is not any more what the write session wrote: write it anew")]
    ContentChanged(String),
    /// Given up.
    #[error("the write session was cancelled, nothing was written")]
    Cancelled,
    /// A patch that was not applied.
    #[error(transparent)]
    Patch(#[from] PatchError),
}

impl Error {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::TargetRequired => engross_store::files::codes::TARGET_REQUIRED,
            Self::InvalidOperation(_) => shared::INVALID_OPERATION,
            Self::Options(_) => codes::ARGS_INVALID,
            Self::Args(error) => error.row(),
            Self::UnsupportedTarget(_) => codes::UNSUPPORTED_TARGET,
            Self::NotComposed(_) => codes::DOCUMENT_NOT_COMPOSED,
            Self::Declined => codes::WRITE_DECLINED,
            Self::EmptyContent => codes::EMPTY_CONTENT,
            Self::TooLarge { .. } => shared::TOO_LARGE,
            Self::Encoding(_) => codes::ENCODING_INVALID,
            Self::ValidationFailed { .. } => codes::VALIDATION_FAILED,
            Self::Incomplete { .. } => codes::INCOMPLETE,
            Self::AmbiguousEnd { .. } => codes::AMBIGUOUS_END,
            Self::MarkerInContent { .. } => codes::MARKER_IN_CONTENT,
            Self::ContinuationLimit(_) => codes::CONTINUATION_LIMIT,
            Self::ContinuationUnclean(_) => codes::CONTINUATION_UNCLEAN,
            Self::OffsetMismatch { .. } => codes::OFFSET_MISMATCH,
            Self::SessionNotFound(_) => codes::SESSION_NOT_FOUND,
            Self::SessionExpired => codes::SESSION_EXPIRED,
            Self::SessionConflict(_) => codes::SESSION_CONFLICT,
            Self::ContentNotWritten(_) => codes::CONTENT_NOT_WRITTEN,
            Self::ContentChanged(_) => codes::CONTENT_CHANGED,
            Self::Cancelled => codes::CANCELLED,
            Self::Patch(error) => error.row(),
        }
    }
}

/// A code and its sentence, as a session keeps and shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteFailure {
    /// Stable, upper snake case; explained in `docs/errors/CODE.md`.
    pub code: String,
    /// What happened, and what to do next.
    pub message: String,
}

impl From<FileError> for WriteFailure {
    fn from(error: FileError) -> Self {
        Self { code: error.code().to_owned(), message: error.to_string() }
    }
}

impl From<Error> for WriteFailure {
    fn from(error: Error) -> Self {
        Self { code: error.code().to_owned(), message: error.to_string() }
    }
}
