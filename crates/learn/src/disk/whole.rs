//! Whole files: read within bounds, written whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use engross_store::files::{PathError, by_path};

use crate::Error;

/// Bytes of the largest file that is read at once.
const LARGEST: u64 = 1 << 30;

pub(super) fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> Error {
    Error::ReadFailed { path: path.display().to_string(), reason: reason.to_string() }
}

pub(super) fn unwritable(path: &Path, reason: &dyn std::fmt::Display) -> Error {
    Error::WriteFailed { path: path.display().to_string(), reason: reason.to_string() }
}

/// The bytes of a file; `None` when there is none.
#[expect(clippy::disallowed_methods, reason = "this is the module that touches paths")]
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    // Opening a pipe would wait for its writer.
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(unreadable(path, &"it is no ordinary file"));
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    };
    let metadata = file.metadata().map_err(|error| unreadable(path, &error))?;
    if !metadata.is_file() {
        return Err(unreadable(path, &"it is no ordinary file"));
    }
    if metadata.len() > LARGEST {
        return Err(unreadable(path, &format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    Ok(Some(bytes))
}

/// The text of a file; `None` when there is none.
///
/// # Errors
/// [`Error::ReadFailed`], for text that is no UTF-8 too.
pub fn read_text(path: &Path) -> Result<Option<String>, Error> {
    let Some(bytes) = read(path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| unreadable(path, &"it is no UTF-8 text"))
}

/// Writes a file whole, in a folder that is made if it is missing: see [`by_path::write`].
///
/// # Errors
/// [`Error::WriteFailed`]; the old file is whole then.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = by_path::make_folder(folder_of(&by_path::absolute(path)))
        .and_then(|()| by_path::write(path, bytes, None));
    written.map_err(|error| match error {
        PathError::WriteFailed { reason, .. } | PathError::DiskFull { reason, .. } => {
            unwritable(path, &reason)
        }
        other => unwritable(path, &other),
    })
}

/// As [`write()`], for a file that only its owner may read.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = by_path::make_folder(folder_of(&by_path::absolute(path)))
        .and_then(|()| by_path::write_private(path, bytes));
    written.map_err(|error| match error {
        PathError::WriteFailed { reason, .. } | PathError::DiskFull { reason, .. } => {
            unwritable(path, &reason)
        }
        other => unwritable(path, &other),
    })
}

/// Keeps bytes beside a file under a new name such as `AGENTS.md.edited-1`, and gives that name.
///
/// # Errors
/// [`Error::WriteFailed`].
pub fn write_beside(path: &Path, suffix: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("file").to_owned();
    for number in 1..10_000u32 {
        let beside = path.with_file_name(format!("{name}.{suffix}-{number}"));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(mut file) => {
                file.write_all(bytes)
                    .and_then(|()| file.sync_all())
                    .map_err(|error| unwritable(&beside, &error))?;
                return Ok(beside);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unwritable(&beside, &error)),
        }
    }
    Err(unwritable(path, &"no name is free beside it"))
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}
