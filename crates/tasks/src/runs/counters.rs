//! How often something went wrong since the process began, for the operator of a server.
//!
//! Must never decide anything.

use std::sync::atomic::{AtomicU64, Ordering};

use super::log::RunEvent;
use crate::codes;

/// Numbers that only grow.
#[derive(Debug, Default)]
pub struct Counters {
    lost: AtomicU64,
    unconfirmed: AtomicU64,
    overdue: AtomicU64,
}

impl Counters {
    pub(super) fn count(&self, event: &RunEvent) {
        match event {
            RunEvent::Degraded { code: Some(_), .. } => self.lost.fetch_add(1, Ordering::Relaxed),
            RunEvent::Ended { end, .. }
                if end.code.as_deref() == Some(codes::OPENCLAW_RUN_DEADLINE_EXCEEDED.name) =>
            {
                self.overdue.fetch_add(1, Ordering::Relaxed)
            }
            _ => 0,
        };
    }

    /// A run was asked for that only its files tell of.
    pub(crate) fn count_unconfirmed(&self) {
        self.unconfirmed.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the line to a gateway was lost while a run went on.
    #[must_use]
    pub fn gateway_lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// How often a run was asked for that only its files tell of.
    #[must_use]
    pub fn unconfirmed(&self) -> u64 {
        self.unconfirmed.load(Ordering::Relaxed)
    }

    /// How many runs were ended because their time was over.
    #[must_use]
    pub fn overdue(&self) -> u64 {
        self.overdue.load(Ordering::Relaxed)
    }
}
