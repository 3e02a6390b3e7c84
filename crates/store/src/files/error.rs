//! What can go wrong with a file.
//!
//! Must never hold content, or the place of the root: files are named by their path beneath it.

use std::io::{self, ErrorKind};

use engross_protocol::{Code, Failure, shared};
use serde_json::{Value, json};

use super::codes;

/// The characters of a path that an error repeats.
const SHOWN: usize = 200;

/// A file was not read or not written. [`FileError::code`] is stable and explained in `docs/errors/`.
///
/// `path` is beneath the root, shortened to 200 characters and with control characters escaped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// No path was given.
    #[error("no file is named: give a path beneath the root, such as notes/plan.md")]
    TargetRequired,
    /// The path leads, or could lead, out of the root.
    #[error("'{path}' is refused ({problem}): give a path that stays beneath the root")]
    PathOutsideRoot {
        /// The path.
        path: String,
        /// How it could leave.
        problem: String,
    },
    /// No file can have this path here.
    #[error("'{path}' cannot name a file ({problem}): choose another path")]
    PathInvalid {
        /// The path.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The path is not for callers.
    #[error("'{path}' is protected ({problem}): choose another path")]
    ProtectedPath {
        /// The path.
        path: String,
        /// By what.
        problem: String,
    },
    /// It was to be new.
    #[error("'{path}' exists already: overwrite it, or choose another path")]
    TargetExists {
        /// The path.
        path: String,
    },
    /// It was to be there.
    #[error("there is no file '{path}': check the path, or create it")]
    TargetMissing {
        /// The path.
        path: String,
    },
    /// It is a folder.
    #[error("'{path}' is a folder: name a file in it")]
    TargetIsDir {
        /// The path.
        path: String,
    },
    /// It is not what the writer knew.
    #[error("'{path}' was changed by someone else: read it again, then repeat what still applies")]
    TargetChanged {
        /// The path.
        path: String,
        /// The hash that was expected, or an empty text.
        expected: String,
        /// The hash that was found, or an empty text.
        found: String,
    },
    /// The system refuses.
    #[error("'{path}' may not be read or written by engross: correct its permissions or those of its folder")]
    PermissionDenied {
        /// The path.
        path: String,
    },
    /// There is no room.
    #[error("there is no room for '{path}': make room, then repeat the request; what was there is unchanged")]
    NoSpace {
        /// The path.
        path: String,
    },
    /// Another process has taken over the root.
    #[error("'{path}' is another node's by now: send the request again")]
    HomeLost {
        /// The path.
        path: String,
    },
    /// More than the reader takes.
    #[error("'{path}' is larger than {limit} bytes: read a part of it, or make it smaller")]
    TooLarge {
        /// The path.
        path: String,
        /// The most that is taken, in bytes.
        limit: u64,
    },
    /// Reading failed otherwise.
    #[error("'{path}' cannot be read ({reason}): check the disk, then ask again")]
    Unreadable {
        /// The path.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// Writing failed otherwise.
    #[error("'{path}' was not written ({reason}): check the disk, then repeat the request")]
    NotWritten {
        /// The path.
        path: String,
        /// What the system says.
        reason: String,
    },
}

/// What was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileAction {
    Reading,
    Writing,
}

impl FileError {
    /// The stable code, explained in `docs/errors/CODE.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::TargetRequired => codes::TARGET_REQUIRED,
            Self::PathOutsideRoot { .. } => codes::PATH_OUTSIDE_ROOT,
            Self::PathInvalid { .. } => codes::PATH_INVALID,
            Self::ProtectedPath { .. } => codes::PROTECTED_PATH,
            Self::TargetExists { .. } => codes::TARGET_EXISTS,
            Self::TargetMissing { .. } => codes::TARGET_MISSING,
            Self::TargetIsDir { .. } => codes::TARGET_IS_DIR,
            Self::TargetChanged { .. } => codes::TARGET_CHANGED,
            Self::PermissionDenied { .. } => codes::PERMISSION_DENIED,
            Self::NoSpace { .. } => codes::NO_SPACE,
            Self::HomeLost { .. } => shared::HOME_AWAY,
            Self::TooLarge { .. } => shared::TOO_LARGE,
            Self::Unreadable { .. } => codes::FILE_UNREADABLE,
            Self::NotWritten { .. } => codes::FILE_NOT_WRITTEN,
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::TargetRequired => json!({}),
            Self::TargetChanged { path, expected, found } => {
                json!({ "path": path, "expected": expected, "found": found })
            }
            Self::TooLarge { path, limit } => json!({ "path": path, "limit": limit }),
            Self::PathOutsideRoot { path, .. }
            | Self::PathInvalid { path, .. }
            | Self::ProtectedPath { path, .. }
            | Self::TargetExists { path }
            | Self::TargetMissing { path }
            | Self::TargetIsDir { path }
            | Self::PermissionDenied { path }
            | Self::NoSpace { path }
            | Self::HomeLost { path }
            | Self::Unreadable { path, .. }
            | Self::NotWritten { path, .. } => json!({ "path": path }),
        }
    }

    pub(super) fn outside(path: &str, problem: &str) -> Self {
        Self::PathOutsideRoot { path: shown(path), problem: problem.to_owned() }
    }

    pub(super) fn invalid(path: &str, problem: &str) -> Self {
        Self::PathInvalid { path: shown(path), problem: problem.to_owned() }
    }

    pub(super) fn link(path: &str) -> Self {
        Self::outside(path, "a symbolic link is on the way, and links are not followed")
    }

    pub(super) fn exists(path: &str) -> Self {
        Self::TargetExists { path: shown(path) }
    }

    pub(super) fn missing(path: &str) -> Self {
        Self::TargetMissing { path: shown(path) }
    }

    pub(super) fn is_dir(path: &str) -> Self {
        Self::TargetIsDir { path: shown(path) }
    }

    pub(super) fn changed(path: &str, expected: &str, found: &str) -> Self {
        let (expected, found) = (expected.chars().take(64).collect(), found.to_owned());
        Self::TargetChanged { path: shown(path), expected, found }
    }

    pub(super) fn too_large(path: &str, limit: u64) -> Self {
        Self::TooLarge { path: shown(path), limit }
    }

    pub(super) fn not_written(path: &str, reason: &str) -> Self {
        Self::NotWritten { path: shown(path), reason: reason.to_owned() }
    }

    /// What the system's error means for the file at `path`.
    pub(super) fn io(path: &str, doing: FileAction, error: &io::Error) -> Self {
        let path = shown(path);
        match (error.kind(), doing) {
            (ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge, _) => {
                Self::NoSpace { path }
            }
            (ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem, _) => {
                Self::PermissionDenied { path }
            }
            (ErrorKind::IsADirectory, _) => Self::TargetIsDir { path },
            (ErrorKind::NotADirectory, _) => {
                Self::PathInvalid { path, problem: "a folder of it is a file".to_owned() }
            }
            (ErrorKind::InvalidFilename, _) => {
                Self::PathInvalid { path, problem: "the file system does not take such a name".to_owned() }
            }
            (_, FileAction::Reading) => Self::Unreadable { path, reason: error.to_string() },
            (_, FileAction::Writing) => Self::NotWritten { path, reason: error.to_string() },
        }
    }
}

/// Wrong paths are wrong usage, what stands in the way at the target is refused, everything else is the disk.
impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::of(error.row(), error.to_string()).with_details(error.details())
    }
}

/// `path` as errors repeat it.
pub(super) fn shown(path: &str) -> String {
    let mut shown: String = path.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if path.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
