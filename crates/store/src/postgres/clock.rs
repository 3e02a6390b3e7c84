//! The database's clock, as one node reckons it: what leases and deadlines go by that several machines compare.
//!
//! Must never ask the machine for the time of day, which may be wrong and may jump: between two statements that tell the
//! database's time it goes by the time that has passed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use engross_protocol::{Clock, Timestamp};

/// Goes by what the database tells. Right to half of what a statement takes that tells the time, at worst to all of it.
#[derive(Debug)]
pub(super) struct DatabaseClock {
    begun: Instant,
    /// What the database's clock showed when this one was begun, in milliseconds since 1970, as far as is known.
    origin: AtomicU64,
}

impl DatabaseClock {
    /// The milliseconds since this clock was begun.
    pub(super) fn elapsed(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Takes in that the database's clock showed `told` at some moment between `asked` and `heard`, both as [`Self::elapsed`] has
    /// them. What was reckoned stays as it is where it agrees with that, so that a slow statement does no harm.
    pub(super) fn hear(&self, told: u64, asked: u64, heard: u64) {
        // Milliseconds are rounded down, here and there.
        let earliest = told.saturating_sub(heard).saturating_sub(1);
        let latest = told.saturating_sub(asked).saturating_add(1);
        let known = self.origin.load(Ordering::Relaxed);
        let better = match known {
            0 => earliest.midpoint(latest),
            known => known.clamp(earliest, latest.max(earliest)),
        };
        self.origin.store(better, Ordering::Relaxed);
    }

    fn at(&self, elapsed: u64) -> u64 {
        self.origin.load(Ordering::Relaxed).saturating_add(elapsed)
    }
}

impl Default for DatabaseClock {
    fn default() -> Self {
        Self { begun: Instant::now(), origin: AtomicU64::new(0) }
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis())
    }

    fn millis(&self) -> u64 {
        self.at(self.elapsed())
    }
}
