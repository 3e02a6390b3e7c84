//! Files: the only place of this program that touches paths.
//!
//! Must never leave a half-written file, never write over the document that was read unless asked to, and never report a
//! failure without the path.

mod lines;
mod lock;
mod read;
mod write;

pub(crate) use lines::LineFile;
pub(crate) use lock::{FolderLock, lock_folder};
pub(crate) use read::{Input, absolute, read_bytes, read_input, read_optional_text, read_text};
pub(crate) use write::{Destination, Target, make_folder, temporary_folder_is_writable, write_private};

use std::path::PathBuf;

/// A file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("there is no file {path}; check the name and the folder", path = .path.display())]
    NotFound { path: PathBuf },
    #[error("{path} is a folder; name a file in it", path = .path.display())]
    IsADirectory { path: PathBuf },
    #[error("{path} cannot be read: {reason}; check its permissions", path = .path.display())]
    ReadFailed { path: PathBuf, reason: String },
    #[error("{path} is larger than {} MiB, which is the most that is opened; split it", .limit >> 20, path = .path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("{path} is no UTF-8 text; save it as UTF-8", path = .path.display())]
    NotUtf8 { path: PathBuf },
    #[error("{path} cannot be written: {reason}; nothing was changed there", path = .path.display())]
    WriteFailed { path: PathBuf, reason: String },
    #[error("{path} cannot be written: {reason}; make room there or write elsewhere with -o; nothing was changed", path = .path.display())]
    DiskFull { path: PathBuf, reason: String },
    #[error(
        "{path} is the document itself; choose another name for -o, or use --in-place to replace it",
        path = .path.display()
    )]
    OutputIsInput { path: PathBuf },
    #[error(
        "{path} was changed by someone else in the meantime, so it was not replaced; run the command again, or write \
         elsewhere with -o",
        path = .path.display()
    )]
    InputChanged { path: PathBuf },
}

impl Error {
    /// The stable code, explained in `docs/errors/CODE.md`.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "NOT_FOUND",
            Self::IsADirectory { .. } => "IS_A_DIRECTORY",
            Self::ReadFailed { .. } => "READ_FAILED",
            Self::TooLarge { .. } => "FILE_TOO_LARGE",
            Self::NotUtf8 { .. } => "NOT_UTF8",
            Self::WriteFailed { .. } => "WRITE_FAILED",
            Self::DiskFull { .. } => "DISK_FULL",
            Self::OutputIsInput { .. } => "OUTPUT_IS_INPUT",
            Self::InputChanged { .. } => "INPUT_CHANGED",
        }
    }
}
