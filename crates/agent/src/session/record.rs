//! Between the log and the store: entries as bytes, and sessions read back.

use engross_protocol::SessionId;
use engross_store::{Entry, NewEntry, Store};
use serde::{Deserialize, Serialize};

use super::error::{RefusalKind, RequestError};
use super::log::LogEvent;
use super::state::Session;

/// How many entries are read at once.
const PAGE: usize = 1000;

/// A snapshot as it is stored. Another version is not read: the log is.
#[derive(Serialize, Deserialize)]
pub(super) struct Stored<S> {
    pub(super) version: u32,
    session: S,
}

const VERSION: u32 = 3;

/// The entries of some events.
pub(super) fn entries(events: &[LogEvent], at: u64) -> Result<Vec<NewEntry>, RequestError> {
    let entry = |event: &LogEvent| {
        let body = serde_json::to_vec(event).map_err(|error| damaged(&error.to_string()))?;
        Ok(NewEntry { kind: event.kind(), at, body })
    };
    events.iter().map(entry).collect()
}

/// The snapshot of a session.
pub(super) fn snapshot(session: &Session) -> Result<Vec<u8>, RequestError> {
    serde_json::to_vec(&Stored { version: VERSION, session }).map_err(|error| damaged(&error.to_string()))
}

/// Reads a session's state: from its snapshot and what is behind it, or from the whole log. Gives how many entries that
/// took.
pub(super) async fn replay(
    store: &dyn Store,
    stored: &engross_store::Session,
) -> Result<(Session, u64), RequestError> {
    let snapshot = stored.snapshot.as_ref();
    let snapshot = snapshot.map(|snapshot| serde_json::from_slice::<Stored<Session>>(&snapshot.state));
    let whole;
    let (mut session, entries) = match snapshot {
        Some(Ok(known)) if known.version == VERSION => (known.session, &stored.entries),
        None => (Session::default(), &stored.entries),
        // The log is the truth; a snapshot only saves reading it.
        Some(_) => {
            whole = all(store, stored.id).await?;
            (Session::default(), &whole)
        }
    };
    for entry in entries {
        session.apply(&event(entry)?);
    }
    Ok((session, entries.len() as u64))
}

/// The number of the answer that begins with these events, which follow the entry `head`.
pub(super) fn answer_of(events: &[LogEvent], head: u64) -> Option<u64> {
    let at = events.iter().position(|event| matches!(event, LogEvent::Accepted(_)))?;
    Some(head + at as u64 + 1)
}

/// An entry as it was read back.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) seq: u64,
    /// Milliseconds since 1970.
    pub(super) at: u64,
    pub(super) event: LogEvent,
}

/// The number of a session's newest answer.
pub(super) async fn last_answer(store: &dyn Store, id: SessionId) -> Result<Option<u64>, RequestError> {
    let entries = all(store, id).await?;
    Ok(entries.iter().rev().find(|entry| entry.kind == "accepted").map(|entry| entry.seq))
}

/// The whole log.
pub(super) async fn read_all(store: &dyn Store, id: SessionId) -> Result<Vec<Recorded>, RequestError> {
    let entries = all(store, id).await?;
    let recorded = |entry: &Entry| Ok(Recorded { seq: entry.seq, at: entry.at, event: event(entry)? });
    entries.iter().map(recorded).collect()
}

/// The answer that stands for the one with this number: itself, or where it was begun anew after its process died.
pub(super) fn standing(log: &[Recorded], answer: u64) -> u64 {
    let mut answer = answer;
    while !is_whole(log, answer)
        && let Some(next) = log
            .iter()
            .find(|recorded| recorded.seq > answer && matches!(recorded.event, LogEvent::Accepted(_)))
        && matches!(&next.event, LogEvent::Accepted(accepted) if accepted.retake)
    {
        answer = next.seq;
    }
    answer
}

/// Whether the answer with this number has its end in the log.
pub(super) fn is_whole(log: &[Recorded], answer: u64) -> bool {
    let behind = log.iter().filter(|recorded| recorded.seq > answer).map(|recorded| &recorded.event);
    behind
        .take_while(|event| !matches!(event, LogEvent::Accepted(_)))
        .any(|event| matches!(event, LogEvent::Suspended { .. } | LogEvent::Ended(_)))
}

async fn all(store: &dyn Store, id: SessionId) -> Result<Vec<Entry>, RequestError> {
    let mut entries: Vec<Entry> = Vec::new();
    loop {
        let after = entries.last().map_or(0, |entry| entry.seq);
        let page = store.entries(id, after, PAGE).await.map_err(|error| refusal(&error))?;
        let is_last = page.len() < PAGE;
        entries.extend(page);
        if is_last {
            return Ok(entries);
        }
    }
}

fn event(entry: &Entry) -> Result<LogEvent, RequestError> {
    serde_json::from_slice(&entry.body)
        .map_err(|error| damaged(&format!("entry {} of kind {}: {error}", entry.seq, entry.kind)))
}

fn damaged(why: &str) -> RequestError {
    RequestError::new(
        RefusalKind::Unavailable,
        "SESSION_DAMAGED",
        format!(
            "the session's log cannot be read ({why}); a newer version may have written it. Begin a new session"
        ),
    )
}

/// What a client is told of a store that fails.
pub(super) fn refusal(error: &engross_store::Error) -> RequestError {
    let refused = RequestError::new(RefusalKind::Unavailable, error.code(), error.to_string());
    match error {
        engross_store::Error::Unavailable { .. } | engross_store::Error::Conflict { .. } => {
            refused.retry_after(1)
        }
        _ => refused,
    }
}
