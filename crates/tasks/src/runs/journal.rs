//! Threads of runs as the journal keeps them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use engross_artifacts::RunId;
use engross_journal::{Error, Journal, LoadedLog, LogGuard, Machine};
use engross_store::Millis;
use serde_json::Value;

use super::error::RunError;
use super::handle::{Handle, lock};
use super::log::RunEvent;
use super::state::RunThread;
use super::updates::Updates;

/// All threads that this process has in memory.
pub(super) type ThreadJournal = Journal<RunThread, ThreadExtra>;

/// A thread in memory.
pub(super) type LoadedThread = LoadedLog<RunThread, ThreadExtra>;

/// The right to change a thread.
pub(super) type ThreadGuard = LogGuard<RunThread>;

/// The bytes of the largest state that is kept; with attachments that wait it can be larger, and is read from the log then.
const LARGEST: usize = 4 << 20;

/// A state is kept with its version; one of another version is not read.
const VERSION: u8 = 1;

impl Machine for RunThread {
    type Event = RunEvent;

    fn kind(event: &RunEvent) -> &'static str {
        event.kind()
    }

    fn apply(&mut self, event: &RunEvent, at: Millis) {
        Self::apply(self, event, at);
    }

    /// A thread with a run that has not ended is always due.
    fn wake_at(&self, _now: Millis) -> Option<Millis> {
        self.open().next().map(|_| 0)
    }

    fn snapshot(&self) -> Result<Option<Vec<u8>>, serde_json::Error> {
        let state = serde_json::to_vec(&(VERSION, self))?;
        Ok((state.len() <= LARGEST).then_some(state))
    }

    fn restore(snapshot: &[u8], seq: u64) -> Option<Self> {
        let (version, thread): (u8, Self) = serde_json::from_slice(snapshot).ok()?;
        (version == VERSION && thread.head == seq).then_some(thread)
    }
}

/// What the process keeps beside a thread.
#[derive(Default)]
pub(super) struct ThreadExtra {
    pub(super) updates: Updates,
    /// Runs that are with their agents.
    handles: Mutex<HashMap<RunId, Arc<Handle>>>,
    /// Ends as they were published, by run and address.
    pub(super) ends: Mutex<HashMap<(RunId, String), PublishedEnd>>,
}

/// An end as it was published.
#[derive(Clone)]
pub(super) struct PublishedEnd {
    pub(super) at: Millis,
    pub(super) revision: String,
    pub(super) body: Arc<Value>,
}

impl ThreadExtra {
    pub(super) fn handle(&self, run: &RunId) -> Option<Arc<Handle>> {
        lock(&self.handles).get(run).cloned()
    }

    pub(super) fn put_handle(&self, run: &RunId, handle: Arc<Handle>) {
        lock(&self.handles).insert(run.clone(), handle);
    }

    pub(super) fn drop_handle(&self, run: &RunId) {
        lock(&self.handles).remove(run);
    }
}

impl From<Error> for RunError {
    fn from(error: Error) -> Self {
        match error {
            Error::Store(error) => Self::Store(error),
            error => Self::Damaged { problem: error.to_string() },
        }
    }
}
