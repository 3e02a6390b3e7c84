//! Why a chore failed.

use std::path::{Path, PathBuf};

/// A chore that failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be used.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A command could not be started or failed.
    #[error("`{command}` {how}")]
    Command {
        /// Which.
        command: String,
        /// What became of it.
        how: String,
    },
    /// Parts that were required are not installed.
    #[error("required, but not there: {}", .0.join(", "))]
    Missing(Vec<String>),
    /// A bar was missed.
    #[error("{0}")]
    Missed(String),
    /// A server that is measured did not do what it was asked.
    #[error("{0}")]
    Server(String),
    /// A file is not Rust.
    #[error("{path}: {source}")]
    Rust {
        /// Which.
        path: PathBuf,
        /// Why.
        source: syn::Error,
    },
    /// The container of a document could not be used.
    #[error(transparent)]
    Zip(#[from] zip::result::ZipError),
}

impl Error {
    /// The error of the file at `path`, for `map_err`.
    pub fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::File { path: path.to_owned(), source }
    }
}
