//! How many write sessions began, and how they ended, since the process began.
//!
//! Must never count what an earlier process did: who reads it adds up over restarts.

use std::sync::atomic::{AtomicU64, Ordering};

use super::hub::Notice;
use crate::session::State;

/// What is counted of all write sessions of a runner.
#[derive(Debug, Default)]
pub struct WriteCounters {
    begun: AtomicU64,
    committed: AtomicU64,
    failed: AtomicU64,
    expired: AtomicU64,
    cancelled: AtomicU64,
    repairs: AtomicU64,
    bytes: AtomicU64,
}

impl WriteCounters {
    pub(super) fn count(&self, news: &Notice) {
        let counter = match news {
            Notice::Opened => &self.begun,
            Notice::Committed(receipt) => {
                self.bytes.fetch_add(receipt.bytes, Ordering::Relaxed);
                &self.committed
            }
            Notice::RepairNeeded(_) => &self.repairs,
            Notice::Over { state: State::Expired, .. } => &self.expired,
            Notice::Over { state: State::Cancelled, .. } => &self.cancelled,
            Notice::Over { .. } => &self.failed,
            _ => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// The names of what is counted, and how often it happened.
    #[must_use]
    pub fn all(&self) -> [(&'static str, u64); 7] {
        let counted = [
            ("begun", &self.begun),
            ("committed", &self.committed),
            ("failed", &self.failed),
            ("expired", &self.expired),
            ("cancelled", &self.cancelled),
            ("repairs", &self.repairs),
            ("bytes", &self.bytes),
        ];
        counted.map(|(name, counter)| (name, counter.load(Ordering::Relaxed)))
    }
}
