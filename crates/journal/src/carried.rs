//! The end of one piece of work, to be stored with the beginning of the next: what is in memory of it meanwhile.
//!
//! Must never be told as stored before it is, nor be dropped while its log goes on.

use engross_store::{Millis, NewEntry};
use tokio::sync::oneshot;

use super::error::Error;

/// Entries that a state has taken in and that are yet to be stored.
pub(crate) struct CarriedEntries {
    entries: Vec<NewEntry>,
    at: Millis,
    stored: Box<dyn FnOnce(u64) + Send + Sync>,
    outcome: oneshot::Sender<Result<(), Error>>,
}

impl CarriedEntries {
    /// Entries of the moment `at`, and what becomes of them.
    pub(crate) fn new(
        entries: Vec<NewEntry>,
        at: Millis,
        stored: impl FnOnce(u64) + Send + Sync + 'static,
    ) -> (Self, oneshot::Receiver<Result<(), Error>>) {
        let (outcome, hears) = oneshot::channel();
        (Self { entries, at, stored: Box::new(stored), outcome }, hears)
    }

    /// The entries.
    pub(crate) fn entries(&self) -> &[NewEntry] {
        &self.entries
    }

    /// When they came to be.
    pub(crate) fn at(&self) -> Millis {
        self.at
    }

    /// They are stored, the first one under this number, or cannot be.
    pub(crate) fn end(self, outcome: Result<u64, Error>) {
        let outcome = outcome.map(self.stored);
        // Who has handed them on may be gone with its process only.
        let _ = self.outcome.send(outcome);
    }
}
