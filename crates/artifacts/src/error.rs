//! The errors of scopes and their files.
//!
//! Must never hold content, a secret, a signature, or the place of the workspace.

use engross_protocol::{Code, Failure};
use engross_store::files::FileError;
use serde_json::{Value, json};

use crate::codes;

/// The characters of a path that an error repeats.
const SHOWN: usize = 200;

/// Something about a scope or an artifact was refused or failed. [`ScopeError::code`] is stable and explained in
/// `docs/errors/`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// A session key or run id is none.
    #[error("the {what} is refused ({problem}): send the one that the task was started with")]
    KeyInvalid {
        /// "session key" or "run id".
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The text is no scope.
    #[error("'{scope}' is no artifact scope: it is tasks/SESSION/RUN, as prepare answered it")]
    ScopeInvalid {
        /// The text, shortened.
        scope: String,
    },
    /// The scope belongs to another session or run.
    #[error("artifactScope does not match sessionKey/runId: leave it out, or send the scope of this run")]
    ScopeMismatch,
    /// The scope has no folder.
    #[error("there is no folder '{scope}': prepare the run first")]
    ScopeMissing {
        /// The scope.
        scope: String,
    },
    /// An expected folder is unsafe.
    #[error(
        "the expected folder '{dir}' is refused ({problem}): name a folder beneath the run's own, such as reports/"
    )]
    ExpectedDirInvalid {
        /// The folder, shortened.
        dir: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A path alone says nothing about whose file it is.
    #[error("neither an artifactRef nor an artifactScope with its relativePath is given: send one of them")]
    ScopeRequired,
    /// The path leads, or could lead, out of the scope.
    #[error("'{path}' is no path of an artifact ({problem}): send relativePath as the export answered it")]
    PathInvalid {
        /// The path, shortened.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no such file in the scope.
    #[error("artifact_missing: there is no file '{path}' in this run's scope: export again")]
    NotFound {
        /// The path, shortened.
        path: String,
    },
    /// What is there is no deliverable of this run.
    #[error("'{path}' is not handed out ({problem}): write it into the run's folder as an ordinary file")]
    Refused {
        /// The path, shortened.
        path: String,
        /// Why.
        problem: String,
    },
    /// It is not what was exported.
    #[error("'{path}' was changed: export again for its present size and hash")]
    Changed {
        /// The path, shortened.
        path: String,
    },
    /// The reference was not issued here.
    #[error("the artifactRef is refused ({problem}): export again for a new one")]
    RefInvalid {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The reference is too old.
    #[error("the artifactRef has expired: export again for a new one")]
    RefExpired,
    /// The reference is good, but for something else.
    #[error("the artifactRef is not for this {what}: export again for this run, and send what it answers")]
    RefMismatch {
        /// "workspace", "session and run", "scope" or "path".
        what: &'static str,
    },
    /// The link was not issued here.
    #[error("the download link is refused: export again for a new one")]
    LinkInvalid,
    /// The link is too old.
    #[error("the download link has expired: export again for a new one")]
    LinkExpired,
    /// The file has no such bytes.
    #[error("the file has {size} bytes and none in the range asked for: ask for a range within it")]
    RangeInvalid {
        /// Its length in bytes.
        size: u64,
    },
    /// There is no such place in the list.
    #[error(
        "the cursor is refused: send nextCursor as the last page answered it, or leave it out to begin anew"
    )]
    CursorInvalid,
    /// There is nothing to sign with.
    #[error("the signing key is not usable ({problem}): configure one of at least 16 random bytes")]
    KeyUnusable {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Nobody waits for the result any more.
    #[error("the files were not listed to the end, as the task was cancelled or the server stops: ask again")]
    Stopped,
    /// The file system refuses or fails.
    #[error(transparent)]
    File(#[from] FileError),
}

impl ScopeError {
    /// The stable code, explained in `docs/errors/CODE.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::KeyInvalid { .. } => codes::SCOPE_KEY_INVALID,
            Self::ScopeInvalid { .. } => codes::SCOPE_INVALID,
            Self::ScopeMismatch => codes::SCOPE_MISMATCH,
            Self::ScopeMissing { .. } => codes::SCOPE_MISSING,
            Self::ExpectedDirInvalid { .. } => codes::EXPECTED_DIR_INVALID,
            Self::ScopeRequired => codes::ARTIFACT_SCOPE_REQUIRED,
            Self::PathInvalid { .. } => codes::ARTIFACT_PATH_INVALID,
            Self::NotFound { .. } => codes::ARTIFACT_NOT_FOUND,
            Self::Refused { .. } => codes::ARTIFACT_REFUSED,
            Self::Changed { .. } => codes::ARTIFACT_CHANGED,
            Self::RefInvalid { .. } => codes::ARTIFACT_REF_INVALID,
            Self::RefExpired => codes::ARTIFACT_REF_EXPIRED,
            Self::RefMismatch { .. } => codes::ARTIFACT_REF_MISMATCH,
            Self::LinkInvalid => codes::DOWNLOAD_LINK_INVALID,
            Self::LinkExpired => codes::DOWNLOAD_LINK_EXPIRED,
            Self::RangeInvalid { .. } => codes::RANGE_INVALID,
            Self::CursorInvalid => codes::ARTIFACT_CURSOR_INVALID,
            Self::KeyUnusable { .. } => codes::SIGNING_KEY_UNUSABLE,
            Self::Stopped => codes::ARTIFACT_LISTING_STOPPED,
            Self::File(error) => error.row(),
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::KeyInvalid { what, .. } | Self::RefMismatch { what } => json!({ "what": what }),
            Self::ScopeInvalid { scope } | Self::ScopeMissing { scope } => json!({ "artifactScope": scope }),
            Self::ExpectedDirInvalid { dir, .. } => json!({ "dir": dir }),
            Self::PathInvalid { path, .. }
            | Self::NotFound { path }
            | Self::Refused { path, .. }
            | Self::Changed { path } => json!({ "relativePath": path }),
            Self::RangeInvalid { size } => json!({ "sizeBytes": size }),
            Self::ScopeMismatch
            | Self::ScopeRequired
            | Self::RefInvalid { .. }
            | Self::RefExpired
            | Self::LinkInvalid
            | Self::LinkExpired
            | Self::CursorInvalid
            | Self::KeyUnusable { .. }
            | Self::Stopped
            | Self::File(_) => json!({}),
        }
    }

    pub(super) fn scope_invalid(scope: &str) -> Self {
        Self::ScopeInvalid { scope: shown(scope) }
    }

    pub(super) fn dir(dir: &str, problem: &str) -> Self {
        Self::ExpectedDirInvalid { dir: shown(dir), problem: problem.to_owned() }
    }

    pub(super) fn path(path: &str, problem: &str) -> Self {
        Self::PathInvalid { path: shown(path), problem: problem.to_owned() }
    }

    pub(super) fn not_found(path: &str) -> Self {
        Self::NotFound { path: shown(path) }
    }

    pub(super) fn refused(path: &str, problem: &str) -> Self {
        Self::Refused { path: shown(path), problem: problem.to_owned() }
    }

    pub(super) fn changed(path: &str) -> Self {
        Self::Changed { path: shown(path) }
    }
}

/// What the caller sent wrongly is usage, what the files or the age of a link stand against is refused.
impl From<ScopeError> for Failure {
    fn from(error: ScopeError) -> Self {
        match error {
            ScopeError::File(error) => error.into(),
            error => Self::of(error.row(), error.to_string()).with_details(error.details()),
        }
    }
}

/// `text` as errors and warnings repeat it.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
