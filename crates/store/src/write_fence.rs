//! How long a process may write what it has taken from others.
//!
//! Must never ask the time of day, which may jump: it goes by the time that has passed, also while the process stood still.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Says whether a process may still write. Clones share one answer.
///
/// One that was made [`WriteFence::closed`] lets nothing pass until it is [extended](WriteFence::extend); when that time is over it
/// is closed again. What asks it writes at once afterwards: a process that is stopped in between can still do that one step.
#[derive(Debug, Clone)]
pub struct WriteFence(Arc<FenceState>);

#[derive(Debug)]
struct FenceState {
    begun: Instant,
    /// Until when, in milliseconds since `begun`; one more than that, so that 0 is never.
    until: AtomicU64,
}

/// Nothing opens it any more.
const FOR_GOOD: u64 = u64::MAX;

impl WriteFence {
    /// Lets nothing pass.
    #[must_use]
    pub fn closed() -> Self {
        Self(Arc::new(FenceState { begun: Instant::now(), until: AtomicU64::new(0) }))
    }

    /// Opens it until `until`, unless it is closed for good.
    pub fn extend(&self, until: Instant) {
        let until = until.saturating_duration_since(self.0.begun).as_millis();
        let until = u64::try_from(until).unwrap_or(u64::MAX).min(FOR_GOOD - 1);
        let still = |now| (now != FOR_GOOD).then(|| until.max(now));
        // Closed for good is what it stays.
        let _ = self.0.until.fetch_update(Ordering::AcqRel, Ordering::Acquire, still);
    }

    /// Closes it for good.
    pub fn shut(&self) {
        self.0.until.store(FOR_GOOD, Ordering::Release);
    }

    /// Whether one may write now.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let until = self.0.until.load(Ordering::Acquire);
        until != FOR_GOOD && self.0.begun.elapsed().as_millis() < u128::from(until)
    }
}
