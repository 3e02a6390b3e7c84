//! Threads in the store: read as a fold over their log, written one decision at a time.
//!
//! Must never keep a state that the log does not tell.

use engross_protocol::SessionId;
use engross_store::{Append, Entry, Millis, Name, Session, Store};

use super::error::RunError;
use super::log::RunEvent;
use super::state::Thread;

/// After so many entries the state is kept beside the log, so that reading it stays short.
const SNAPSHOT_EVERY: u64 = 64;

/// The bytes of the largest state that is kept; with attachments that wait it can be larger, and is read from the log then.
const LARGEST: usize = 4 << 20;

/// A state is kept with its version; one of another version is not read.
const VERSION: u8 = 1;

pub(super) fn read(entry: &Entry) -> Result<RunEvent, RunError> {
    serde_json::from_slice(&entry.body)
        .map_err(|error| RunError::Damaged { problem: format!("entry {}: {error}", entry.seq) })
}

/// The thread of a loaded log.
pub(super) async fn replay(store: &dyn Store, session: Session) -> Result<Thread, RunError> {
    let kept = session.snapshot.as_ref().and_then(|snapshot| {
        let (version, thread): (u8, Thread) = serde_json::from_slice(&snapshot.state).ok()?;
        (version == VERSION && thread.head == snapshot.seq).then_some(thread)
    });
    let (mut thread, entries) = match (kept, session.snapshot) {
        (Some(thread), _) => (thread, session.entries),
        (None, None) => (Thread::default(), session.entries),
        (None, Some(_)) => (Thread::default(), store.entries(session.id, 0, usize::MAX >> 1).await?),
    };
    for entry in &entries {
        thread.apply(&read(entry)?, entry.at);
    }
    Ok(thread)
}

/// Stores entries, and takes them into `thread`.
pub(super) async fn append(
    store: &dyn Store,
    id: SessionId,
    thread: &mut Thread,
    events: &[RunEvent],
    names: Vec<(Name, Vec<u8>)>,
    now: Millis,
) -> Result<(), RunError> {
    let damaged = |error: serde_json::Error| RunError::Damaged { problem: error.to_string() };
    let entries =
        events.iter().map(|event| event.to_entry(now)).collect::<Result<_, _>>().map_err(damaged)?;
    let mut after = thread.clone();
    for event in events {
        after.apply(event, now);
    }
    let due = after.head / SNAPSHOT_EVERY > thread.head / SNAPSHOT_EVERY;
    let snapshot = if due { Some(serde_json::to_vec(&(VERSION, &after)).map_err(damaged)?) } else { None };
    let snapshot = snapshot.filter(|state| state.len() <= LARGEST);
    let (was, is) = (thread.open().next().is_some(), after.open().next().is_some());
    let wake_at = (was != is).then_some(is.then_some(0));
    let append =
        Append { session: id, fence: None, expected_head: thread.head, entries, names, snapshot, wake_at };
    store.append(append).await?;
    *thread = after;
    Ok(())
}
