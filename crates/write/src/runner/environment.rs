//! What all sessions of a runner share: the root, the spool, locks, the clock, bounds.
//!
//! Must never hold a session: `sessions` keeps those.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use engross_protocol::{Clock, IdSource};
use engross_store::Millis;
use engross_store::files::{Folder, Locks, Root};

use super::config::{Composer, FileKeeper, Limits, Reviewer};
use super::counters::WriteCounters;

/// What all sessions of a runner share.
pub(super) struct Environment {
    pub(super) root: Root,
    pub(super) spool: Folder,
    pub(super) locks: Locks,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
    pub(super) composer: Option<Arc<dyn Composer>>,
    pub(super) keeper: Option<Arc<dyn FileKeeper>>,
    pub(super) reviewer: Option<Arc<dyn Reviewer>>,
    pub(super) limits: Limits,
    pub(super) counters: Arc<WriteCounters>,
    /// Bounds how many files are validated at once.
    pub(super) validations: Permits,
}

impl Environment {
    pub(super) fn now(&self) -> Millis {
        self.clock.millis()
    }
}

/// Bounds how many threads do something at once; the others wait.
pub(super) struct Permits {
    free: Mutex<usize>,
    freed: Condvar,
}

pub(super) struct Permit<'a>(&'a Permits);

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        Self { free: Mutex::new(count.max(1)), freed: Condvar::new() }
    }

    pub(super) fn take(&self) -> Permit<'_> {
        let free = locked(&self.free);
        let waited = self.freed.wait_while(free, |free| *free == 0);
        *waited.unwrap_or_else(PoisonError::into_inner) -= 1;
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *locked(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

/// Locks a mutex, also one that a panic has poisoned: what it guards is whole between two statements.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
