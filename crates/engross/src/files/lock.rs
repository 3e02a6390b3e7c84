//! A folder for one process at a time.
//!
//! Must never hold up a process whose predecessor was killed: the system itself lets go then.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use super::Error;

/// Keeps other processes out of a folder while it lives.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

/// Takes a folder for this process; `None` while another one has it.
pub(crate) fn lock_folder(folder: &Path) -> Result<Option<FolderLock>, Error> {
    let path = folder.join("lock");
    let failed =
        |error: &std::io::Error| Error::WriteFailed { path: path.clone(), reason: error.to_string() };
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| failed(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(FolderLock { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed(&error)),
    }
}
