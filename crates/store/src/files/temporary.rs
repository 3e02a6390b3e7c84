//! A file under a name of its own until it takes its place.
//!
//! Must never be left behind by an error: it is removed when it is dropped. What a killed process leaves is swept later; the
//! lock on a file that is being written keeps it from being swept.

use std::fs::TryLockError;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, File, OpenOptions};
use engross_protocol::hex;
use sha2::{Digest, Sha256};

use super::error::{FileAction, FileError};
use super::path::RelPath;
use super::read::{BLOCK, no_follow};
use super::reserved::TEMPORARY;

/// How many names are tried.
const TRIES: usize = 10_000;

/// A new file in a folder, locked.
pub(super) struct TemporaryFile {
    pub(super) dir: Arc<Dir>,
    pub(super) name: String,
    pub(super) file: File,
    placed: bool,
}

impl TemporaryFile {
    /// Makes it.
    pub(super) fn create(dir: &Arc<Dir>, access: Access) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut error = io::Error::from(ErrorKind::AlreadyExists);
        for _ in 0..TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{TEMPORARY}{}-{number}", std::process::id());
            match create(dir, &name, access) {
                Ok((file, _)) => return Ok(Self { dir: dir.clone(), name, file, placed: false }),
                // A process of this number has left it, or has it in another container.
                Err(taken) if taken.kind() == ErrorKind::AlreadyExists => error = taken,
                Err(other) => {
                    error = other;
                    break;
                }
            }
        }
        Err(error)
    }

    /// Writes all of `content` to it; gives its hash.
    pub(super) fn fill(&mut self, content: &mut dyn Read, path: &RelPath) -> Result<String, FileError> {
        let mut digest = Sha256::new();
        let mut block = vec![0; BLOCK];
        loop {
            let count = match content.read(&mut block) {
                Ok(0) => return Ok(hex::encode(digest.finalize())),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    let reason = format!("its content cannot be read: {error}");
                    return Err(FileError::not_written(path.as_str(), &reason));
                }
            };
            let bytes = block.get(..count).unwrap_or_default();
            digest.update(bytes);
            self.file
                .write_all(bytes)
                .map_err(|error| FileError::io(path.as_str(), FileAction::Writing, &error))?;
        }
    }

    /// It has another name now.
    pub(super) fn placed(mut self) {
        self.placed = true;
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.placed {
            // What cannot be removed now is swept later.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Its owner alone.
    Owner,
    /// Everyone whom the process's mask does not exclude.
    Usual,
}

/// Makes the file `name`, which must not be there in any form, and locks it.
pub(super) fn create(dir: &Dir, name: &str, access: Access) -> io::Result<(File, Lock)> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(true);
    #[cfg(unix)]
    if access == Access::Owner {
        use cap_std::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = access;
    Ok(lock(dir.open_with(name, no_follow(&mut options))?))
}

/// What came of locking a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lock {
    /// It is locked by this handle, as long as that is open.
    Taken,
    /// Somebody else has it locked.
    Elsewhere,
    /// The file system has no locks.
    Unknown,
}

/// Tries to lock `file`.
pub(super) fn lock(file: File) -> (File, Lock) {
    let file = file.into_std();
    let lock = match file.try_lock() {
        Ok(()) => Lock::Taken,
        Err(TryLockError::WouldBlock) => Lock::Elsewhere,
        Err(TryLockError::Error(_)) => Lock::Unknown,
    };
    (File::from_std(file), lock)
}
