//! What listeners of a thread hear, each with a number that only grows, also over restarts.
//!
//! Must never keep more than a bounded amount, nor give two updates one number.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use engross_artifacts::RunId;

/// The bits of a number that count what is heard between two entries of the log.
const BETWEEN: u32 = 20;

/// The bytes that are kept for those who come later.
const KEPT: usize = 2 << 20;

/// Something that happened in a thread: `params` of a `session.update`.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// Its number: it grows, with gaps. What came of the log's entry `n` has `n · 2²⁰`.
    pub seq: u64,
    /// The run.
    pub run: RunId,
    /// What is told.
    pub params: Arc<Value>,
}

/// The number of what came of an entry.
pub(super) fn seq_of(entry: u64) -> u64 {
    entry << BETWEEN
}

/// The entry at or before a number.
pub(super) fn entry_of(seq: u64) -> u64 {
    seq >> BETWEEN
}

/// The updates of one thread.
#[derive(Debug, Default)]
pub(super) struct Updates {
    kept: Mutex<UpdateBuffer>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct UpdateBuffer {
    updates: VecDeque<(Update, usize)>,
    bytes: usize,
    last: u64,
}

impl Updates {
    /// Numbers go on behind the entry `head`.
    pub(super) fn pass(&self, head: u64) {
        let mut kept = self.lock();
        kept.last = kept.last.max(seq_of(head));
    }

    /// Publishes what came of an entry; `None` only moves the number on.
    pub(super) fn entry(&self, entry: u64, run: Option<&RunId>, update: Option<Value>) {
        let seq = seq_of(entry);
        let mut kept = self.lock();
        kept.last = kept.last.max(seq);
        if let (Some(run), Some(params)) = (run, update) {
            kept.push(Update { seq, run: run.clone(), params: Arc::new(params) });
        }
        drop(kept);
        self.changed.notify_waiters();
    }

    /// Tells what is not in the log.
    pub(super) fn passing(&self, run: &RunId, make: impl FnOnce(u64) -> Value) {
        let mut kept = self.lock();
        let seq = kept.last + 1;
        if entry_of(seq) > entry_of(kept.last) {
            // A million pieces between two entries: those that follow are in the final text.
            return;
        }
        kept.last = seq;
        let params = Arc::new(make(seq));
        kept.push(Update { seq, run: run.clone(), params });
        drop(kept);
        self.changed.notify_waiters();
    }

    /// The first number that is kept, if there is one.
    pub(super) fn first(&self) -> Option<u64> {
        self.lock().updates.front().map(|(update, _)| update.seq)
    }

    /// The first update behind `seq`.
    pub(super) fn after(&self, seq: u64) -> Option<Update> {
        let kept = self.lock();
        let at = kept.updates.partition_point(|(update, _)| update.seq <= seq);
        kept.updates.get(at).map(|(update, _)| update.clone())
    }

    /// Resolves at the next change after it is first polled.
    pub(super) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    fn lock(&self) -> MutexGuard<'_, UpdateBuffer> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UpdateBuffer {
    fn push(&mut self, update: Update) {
        let size = weight(&update.params);
        self.bytes += size;
        self.updates.push_back((update, size));
        while self.bytes > KEPT && self.updates.len() > 1 {
            if let Some((_, size)) = self.updates.pop_front() {
                self.bytes -= size;
            }
        }
    }
}

/// About how many bytes it takes.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 16,
        Value::Array(all) => all.iter().map(weight).sum::<usize>() + 16,
        Value::Object(all) => all.iter().map(|(name, value)| name.len() + weight(value)).sum::<usize>() + 16,
        _ => 16,
    }
}
