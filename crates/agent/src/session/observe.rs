//! Who else hears of what was stored: transcripts, traces.

use engross_protocol::SessionId;

use super::log::LogEvent;

/// Entries that were stored just now.
#[derive(Debug, Clone, Copy)]
pub struct StoredEntries<'a> {
    /// The session.
    pub session: SessionId,
    /// Its canonical key.
    pub key: &'a str,
    /// The number of the first entry.
    pub first: u64,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The entries, in order.
    pub events: &'a [LogEvent],
}

/// Hears of entries once they are durable, in the order of their session. Must return at once: whatever takes time is done
/// elsewhere. What an observer fails at is its own matter, never the session's.
pub trait Observer: Send + Sync {
    /// Entries were stored.
    fn stored(&self, stored: StoredEntries<'_>);

    /// A session was deleted, and what was made of it has to go.
    fn deleted(&self, _session: SessionId) {}
}
