//! Locks that are held for a moment.
//!
//! Must never be held over an await.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panicked here had changed nothing by halves.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
