//! One writer for each file, within this process.
//!
//! Must never wait: who does not get a lock is told so. Other processes are not kept away; the conditions of a write are.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The identity of a file that may not exist yet: two paths that some file system takes for one have the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LockKey {
    /// Device and inode of the root.
    pub(super) root: (u64, u64),
    /// The folded path beneath the root.
    pub(super) path: String,
}

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
