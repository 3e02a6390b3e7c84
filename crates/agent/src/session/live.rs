//! A session in memory, beside its log.
//!
//! Must never be ahead of the log for longer than one append: after a failure it is dropped, and read anew.

use engross_protocol::SessionId;
use engross_store::{Append, Fence, Name, Store};

use super::config::SessionsConfig;
use super::error::RequestError;
use super::log::{Accepted, LogEvent};
use super::observe::Stored;
use super::record;
use super::state::{Session, Turn};

/// A session in memory, as of the entry `head`.
pub(super) struct Live {
    pub(super) session: Session,
    pub(super) head: u64,
    /// The right to write, where others write to the same store.
    pub(super) fence: Option<Fence>,
    /// Entries since the last snapshot.
    since_snapshot: u64,
    /// When the store is to wake it.
    wake_at: Option<u64>,
}

/// The fewest entries between two snapshots. With a long log they are rarer, one each time it has grown by a quarter: a
/// snapshot holds the whole conversation, so that at even distances each entry would cost more than the one before.
const SNAPSHOT_EVERY: u64 = 64;

/// A background turn of which nothing was stored for so many milliseconds may have lost its process.
pub(super) const PATIENCE: u64 = 60_000;

impl Live {
    /// A session that was created just now.
    pub(super) fn new(session: Session, head: u64, wake_at: Option<u64>) -> Self {
        Self { session, head, fence: None, since_snapshot: head, wake_at }
    }

    /// What stays in memory: nothing where others may go on with the session.
    pub(super) fn keep_unless_shared(self, config: &SessionsConfig) -> Option<Self> {
        config.node.is_none().then_some(self)
    }

    /// Stores entries that the session has taken in already.
    pub(super) async fn append(
        &mut self,
        config: &SessionsConfig,
        id: SessionId,
        events: &[LogEvent],
        names: Vec<(Name, Vec<u8>)>,
        now: u64,
    ) -> Result<(), RequestError> {
        let wake_at = self.session.wake_at(now, PATIENCE);
        if events.is_empty() && names.is_empty() {
            return Ok(());
        }
        let count = events.len() as u64;
        let is_due = self.since_snapshot + count >= SNAPSHOT_EVERY.max(self.head / 5);
        let snapshot = if is_due { Some(record::snapshot(&self.session)?) } else { None };
        let append = Append {
            session: id,
            fence: self.fence,
            expected_head: self.head,
            entries: record::entries(events, now)?,
            names,
            snapshot,
            wake_at: (wake_at != self.wake_at).then_some(wake_at),
        };
        let head = config.store.append(append).await.map_err(|error| record::refusal(&error))?;
        tell(config, id, &self.session.key, (self.head + 1, now), events);
        self.head = head;
        self.wake_at = wake_at;
        self.since_snapshot = if is_due { 0 } else { self.since_snapshot + count };
        Ok(())
    }
}

/// Tells the observers what was stored: the number of the first entry, and when.
pub(super) fn tell(
    config: &SessionsConfig,
    session: SessionId,
    key: &str,
    (first, at): (u64, u64),
    events: &[LogEvent],
) {
    for observer in &config.observers {
        observer.stored(Stored { session, key, first, at, events });
    }
}

/// Reads a session.
pub(super) async fn load(store: &dyn Store, id: SessionId) -> Result<Option<Live>, RequestError> {
    let stored = store.load_by_id(id).await.map_err(|error| record::refusal(&error))?;
    let Some(stored) = stored else { return Ok(None) };
    let (session, since_snapshot) = record::replay(store, &stored).await?;
    Ok(Some(Live { session, head: stored.head, fence: None, since_snapshot, wake_at: stored.wake_at }))
}

/// The beginning of another answer to what a turn was last asked.
pub(super) fn retake(turn: &Turn) -> LogEvent {
    LogEvent::Accepted(Accepted {
        turn: turn.number,
        sent_from: turn.sent_from,
        parameters: turn.parameters.clone(),
        background: turn.background,
        retake: true,
        ..Accepted::default()
    })
}
