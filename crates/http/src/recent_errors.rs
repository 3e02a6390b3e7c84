//! The newest requests that failed, for a person who looks after the server.
//!
//! Must never keep what a client wrote, nor grow: a code, a route and a time, of so many.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::route_name::RouteName;

/// How many are kept.
const KEPT: usize = 200;

/// A request that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecentError {
    /// When it was answered, in milliseconds since 1970.
    pub(crate) at: u64,
    /// Where it went.
    pub(crate) route: RouteName,
    /// Its HTTP status; 200 of a stream that failed on its way.
    pub(crate) status: u16,
    /// Its code; empty where there is none.
    pub(crate) code: String,
}

/// The newest of them.
#[derive(Default)]
pub(crate) struct RecentErrors(Mutex<VecDeque<RecentError>>);

impl RecentErrors {
    /// Adds one, and forgets the oldest where there are too many.
    pub(crate) fn add(&self, error: RecentError) {
        let mut errors = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if errors.len() == KEPT {
            errors.pop_front();
        }
        errors.push_back(error);
    }

    /// Those since `moment`, the newest first.
    pub(crate) fn since(&self, moment: u64) -> Vec<RecentError> {
        let errors = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        errors.iter().rev().filter(|error| error.at >= moment).cloned().collect()
    }
}
