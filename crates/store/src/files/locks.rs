//! One writer for each file within this process, and one process for a folder.
//!
//! Must never wait: a caller that does not get a lock is told so. [`Locks`] keep no other process away; the conditions of a
//! write do.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::{File, OpenOptions};

use super::error::{FileAction, FileError};
use super::read::no_follow;
use super::root::{Folder, LockKey};
use super::temporary::{Lock, lock};

/// The locks that are held; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Locks(Arc<Mutex<HashSet<LockKey>>>);

impl Locks {
    /// None is held.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the lock, or gives `None` while somebody holds it. It is free again when the guard is dropped.
    #[must_use]
    pub fn lock(&self, key: &LockKey) -> Option<LockGuard> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.insert(key.clone()).then(|| LockGuard { locks: self.clone(), key: key.clone() })
    }
}

/// A lock that is held. It may move between threads and be held while waiting.
#[derive(Debug)]
pub struct LockGuard {
    locks: Locks,
    key: LockKey,
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        self.locks.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

/// Keeps other processes out of a folder, or from a file, while it lives. The system lets go of it when the process is killed.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
    is_exclusive: bool,
}

impl FolderLock {
    /// Takes the lock on the open file `file`; `None` while another handle has it.
    pub(super) fn of(file: File) -> Option<Self> {
        match lock(file) {
            (_, Lock::Elsewhere) => None,
            (file, taken) => Some(Self { _file: file, is_exclusive: taken == Lock::Taken }),
        }
    }

    /// Whether others are really kept out: some file systems have no locks.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }
}

impl Folder {
    /// Takes this folder by the lock on the file `lock` in it; `None` while another process, or another caller in this one, has
    /// it.
    ///
    /// # Errors
    /// As the system says.
    pub fn lock(&self) -> Result<Option<FolderLock>, FileError> {
        const NAME: &str = "lock";
        let failed = |error: io::Error| FileError::io(NAME, FileAction::Writing, &error);
        let mut options = OpenOptions::new();
        options.create(true).write(true);
        Ok(FolderLock::of(self.dir.open_with(NAME, no_follow(&mut options)).map_err(failed)?))
    }
}
