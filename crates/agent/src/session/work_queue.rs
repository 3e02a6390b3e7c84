//! Places to work: who asks a model or uses tools has one, and who else wants one waits.
//!
//! Must never let anybody wait uncounted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

/// The places of all turns. First come, first served, and a session has one turn: no session waits for another's next.
#[derive(Debug)]
pub(super) struct WorkQueue {
    places: Semaphore,
    waiting: AtomicUsize,
}

impl WorkQueue {
    pub(super) fn new(places: usize) -> Self {
        let places = Semaphore::new(places.clamp(1, Semaphore::MAX_PERMITS));
        Self { places, waiting: AtomicUsize::new(0) }
    }

    /// Waits for a place; `None` when there will be none any more.
    pub(super) async fn place(&self) -> Option<SemaphorePermit<'_>> {
        let _waits = Waiting::new(&self.waiting);
        self.places.acquire().await.ok()
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// Somebody who waits, and is counted as long as that.
pub(super) struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    pub(super) fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The places, as tasks share them.
pub(super) type SharedWorkQueue = Arc<WorkQueue>;
