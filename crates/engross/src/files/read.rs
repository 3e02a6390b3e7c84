//! Reading whole files within bounds.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Error;

/// Bytes of a largest document: Word's own limit.
const DOCUMENT_BYTES: u64 = 512 << 20;

/// Bytes of a largest text: operations, a script, settings.
const TEXT_BYTES: u64 = 64 << 20;

/// A document that was read.
#[derive(Debug)]
pub(crate) struct Input {
    /// As it was named.
    pub(crate) path: PathBuf,
    /// Size and time of change when it was read.
    pub(super) state: FileState,
}

impl Input {
    /// Its absolute path without links, which names it from wherever it is looked at.
    pub(crate) fn absolute(&self) -> PathBuf {
        absolute(&self.path)
    }
}

/// A path that is absolute and without links, as far as there is something at it.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Tells whether a file was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileState {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl FileState {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), modified: metadata.modified().ok() }
    }
}

/// Reads a document.
pub(crate) fn read_input(path: &Path) -> Result<(Input, Vec<u8>), Error> {
    let (bytes, metadata) = read(path, DOCUMENT_BYTES)?;
    Ok((Input { path: path.to_owned(), state: FileState::of(&metadata) }, bytes))
}

/// Reads a text. `-` is standard input.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    let bytes = if path == Path::new("-") {
        read_bounded(std::io::stdin().lock(), Path::new("standard input"), TEXT_BYTES)?
    } else {
        read(path, TEXT_BYTES)?.0
    };
    String::from_utf8(bytes).map_err(|_| Error::NotUtf8 { path: path.to_owned() })
}

/// Reads a file of any kind, up to `limit` bytes.
pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    Ok(read(path, limit)?.0)
}

/// Reads a text that need not be there.
pub(crate) fn read_optional_text(path: &Path) -> Result<Option<String>, Error> {
    match read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the file module that the ban points to")]
fn read(path: &Path, limit: u64) -> Result<(Vec<u8>, Metadata), Error> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Error::NotFound { path: path.to_owned() },
        _ => Error::ReadFailed { path: path.to_owned(), reason: error.to_string() },
    };
    // Opening a pipe would wait for whoever writes to it, so the kind of file is asked for first.
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(Error::IsADirectory { path: path.to_owned() });
    }
    if metadata.len() > limit {
        return Err(Error::TooLarge { path: path.to_owned(), limit });
    }
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    Ok((read_bounded(file, path, limit)?, metadata))
}

fn read_bounded(source: impl Read, path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    source
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::ReadFailed { path: path.to_owned(), reason: error.to_string() })?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
        return Err(Error::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}
