//! A run that is with its agent, as those see it who want something of it.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::runner::Control;

/// What reaches a run that is under way.
#[derive(Default)]
pub(super) struct Handle {
    /// Somebody wants an end.
    pub(super) cancelled: CancellationToken,
    /// Nobody waits for its files any more.
    pub(super) unwanted: AtomicBool,
    control: Mutex<Option<Arc<dyn Control>>>,
}

impl Handle {
    pub(super) fn set(&self, control: Arc<dyn Control>) {
        *lock(&self.control) = Some(control);
    }

    /// How the agent is reached, once it has begun.
    pub(super) fn control(&self) -> Option<Arc<dyn Control>> {
        lock(&self.control).clone()
    }
}

/// Locks for a moment. Must never be held over an await.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic here has changed nothing by halves.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
