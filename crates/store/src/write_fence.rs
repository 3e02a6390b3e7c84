//! How long a process may write what it has taken from others.
//!
//! Must never ask the time of day, which may jump: it goes by the time that has passed, also while the process stood still.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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
    /// Whether it has kept somebody from writing.
    refused: AtomicBool,
}

/// Nothing opens it any more.
const FOR_GOOD: u64 = u64::MAX;

impl WriteFence {
    /// Lets nothing pass.
    #[must_use]
    pub fn closed() -> Self {
        let (until, refused) = (AtomicU64::new(0), AtomicBool::new(false));
        Self(Arc::new(FenceState { begun: Instant::now(), until, refused }))
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

    /// Whether one may write now, who is about to; notes that somebody was refused.
    #[must_use]
    pub fn lets_write(&self) -> bool {
        let is_open = self.is_open();
        if !is_open {
            self.note_refusal();
        }
        is_open
    }

    /// Notes that somebody was refused for another reason.
    pub fn note_refusal(&self) {
        self.0.refused.store(true, Ordering::Release);
    }

    /// Whether it has kept somebody from writing: what that one has in memory may not be what is stored.
    #[must_use]
    pub fn has_refused(&self) -> bool {
        self.0.refused.load(Ordering::Acquire)
    }

    /// Whether one may write now.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let until = self.0.until.load(Ordering::Acquire);
        until != FOR_GOOD && self.0.begun.elapsed().as_millis() < u128::from(until)
    }
}
