//! What is kept, and what is asked for. Bodies, snapshots and values are bytes that nobody here looks into.

use std::collections::HashSet;

pub use engross_protocol::SessionId;

use crate::Error;
pub use crate::name::{Fence, Name};

/// Milliseconds, since 1970 in UTC where a moment is meant; at most `i64::MAX`.
pub type Millis = u64;

/// How much longer a lease may still hold than one that is taken now, before it counts as run out, in milliseconds: no clock that
/// goes right has given it, so that it is what a clock has left that was set back since.
pub const LEASE_REACH: Millis = 60_000;

/// Whether somebody else's lease until `until` still holds for the one who asks for one from `now` for `ttl`.
pub(crate) fn still_holds(until: Millis, now: Millis, ttl: Millis) -> bool {
    until > now && until <= now.saturating_add(ttl).saturating_add(LEASE_REACH)
}

/// The bytes that one request may write, all bodies, names, values and its snapshot together: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

impl Name {
    /// The bytes of the longest name.
    pub const MAX: usize = 1024;

    /// A name of 1 to 1024 bytes.
    ///
    /// # Errors
    /// [`Error::InvalidName`] when it is empty, longer, or has a NUL in it.
    pub fn new(text: impl Into<String>) -> Result<Self, Error> {
        let text = text.into();
        let problem = match text.len() {
            0 => "it is empty".to_owned(),
            length if length > Self::MAX => format!("it has {length} bytes, allowed are {}", Self::MAX),
            _ if text.contains('\0') => "it holds a NUL".to_owned(),
            _ => return Ok(Self(text)),
        };
        Err(Error::InvalidName { name: text.chars().take(40).collect(), problem })
    }
}

impl Name {
    /// What sessions are listed by together: the text between the first and the second U+0001, or behind the only one; empty where
    /// there is none.
    #[must_use]
    pub fn group(&self) -> &str {
        self.0.split('\u{1}').nth(1).unwrap_or_default()
    }
}

/// The first id that is made after `until`, by its bytes: what stands before it is looked at when old sessions are looked for.
#[cfg(feature = "postgres")]
pub(crate) fn first_id_after(until: Millis) -> [u8; 16] {
    let mut bytes = [0; 16];
    let millis = until.saturating_add(1).min((1 << 48) - 1).to_be_bytes();
    if let (Some(first), Some(millis)) = (bytes.first_chunk_mut::<6>(), millis.last_chunk::<6>()) {
        *first = *millis;
    }
    bytes
}

/// An entry to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// What kind of entry it is.
    pub kind: &'static str,
    /// When it happened.
    pub at: Millis,
    /// What it says.
    pub body: Vec<u8>,
}

/// An entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number: from 1, without gaps.
    pub seq: u64,
    /// What kind of entry it is.
    pub kind: String,
    /// When it happened.
    pub at: Millis,
    /// What it says.
    pub body: Vec<u8>,
}

/// What a session had come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The last entry it takes in; 0 when there was none.
    pub seq: u64,
    /// The state.
    pub state: Vec<u8>,
}

/// A session to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its id, never used before.
    pub id: SessionId,
    /// When.
    pub at: Millis,
    /// Its first name, under which people know it; its value is empty.
    pub key: Name,
    /// More names and their values. Of a name that is given twice the first counts, and the key before all.
    pub names: Vec<(Name, Vec<u8>)>,
    /// Its first entries.
    pub entries: Vec<NewEntry>,
    /// What it has come to by the last of these entries.
    pub snapshot: Option<Vec<u8>>,
    /// When it wants to be woken.
    pub wake_at: Option<Millis>,
}

/// A session as it is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The name it was created under.
    pub key: Name,
    /// The number of its last entry; 0 when there is none.
    pub head: u64,
    /// When it was created.
    pub created_at: Millis,
    /// When it wants to be woken.
    pub wake_at: Option<Millis>,
    /// The newest snapshot.
    pub snapshot: Option<Snapshot>,
    /// Every entry behind the snapshot, or every entry, oldest first.
    pub entries: Vec<Entry>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its id.
    pub id: SessionId,
    /// The name it was created under.
    pub key: Name,
    /// The number of its last entry; 0 when there is none.
    pub head: u64,
    /// When it was created.
    pub created_at: Millis,
    /// When its last entry happened, or when it was created.
    pub changed_at: Millis,
    /// When it wants to be woken.
    pub wake_at: Option<Millis>,
}

/// Where a name leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRow {
    /// The session.
    pub session: SessionId,
    /// The value that the name was given.
    pub value: Vec<u8>,
}

/// What is to be written into a session, as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    /// Which session.
    pub session: SessionId,
    /// The writer's lease; `None` checks the head alone.
    pub fence: Option<Fence>,
    /// The number of the last entry that the writer knows.
    pub expected_head: u64,
    /// The entries, possibly none.
    pub entries: Vec<NewEntry>,
    /// New names and their values. Of a name that is given twice the first counts.
    pub names: Vec<(Name, Vec<u8>)>,
    /// What the session has come to by the new head.
    pub snapshot: Option<Vec<u8>>,
    /// When it wants to be woken; `None` leaves that as it was.
    pub wake_at: Option<Option<Millis>>,
}

impl NewSession {
    /// All its names in order, the key first, none twice.
    pub(crate) fn all_names(&self) -> Vec<(&Name, &[u8])> {
        let key = std::iter::once((&self.key, &[][..]));
        distinct(key.chain(self.names.iter().map(|(name, value)| (name, value.as_slice()))))
    }

    /// The session as it is loaded after this.
    pub(crate) fn into_session(self) -> Session {
        let head = self.entries.len() as u64;
        let behind = if self.snapshot.is_some() { Vec::new() } else { self.entries };
        let entry = |(seq, entry): (u64, NewEntry)| Entry {
            seq,
            kind: entry.kind.to_owned(),
            at: entry.at,
            body: entry.body,
        };
        Session {
            id: self.id,
            key: self.key,
            head,
            created_at: self.at,
            wake_at: self.wake_at,
            snapshot: self.snapshot.map(|state| Snapshot { seq: head, state }),
            entries: (1..).zip(behind).map(entry).collect(),
        }
    }

    pub(crate) fn check_size(&self) -> Result<(), Error> {
        check_size(&self.entries, &self.names, self.snapshot.as_ref())
    }
}

impl Append {
    /// Its names in order, none twice.
    pub(crate) fn distinct_names(&self) -> Vec<(&Name, &[u8])> {
        distinct(self.names.iter().map(|(name, value)| (name, value.as_slice())))
    }

    pub(crate) fn check_size(&self) -> Result<(), Error> {
        check_size(&self.entries, &self.names, self.snapshot.as_ref())
    }
}

fn distinct<'a>(names: impl Iterator<Item = (&'a Name, &'a [u8])>) -> Vec<(&'a Name, &'a [u8])> {
    let mut seen = HashSet::new();
    names.filter(|(name, _)| seen.insert(*name)).collect()
}

fn check_size(
    entries: &[NewEntry],
    names: &[(Name, Vec<u8>)],
    snapshot: Option<&Vec<u8>>,
) -> Result<(), Error> {
    let bodies = entries.iter().map(|entry| entry.body.len());
    let values = names.iter().map(|(name, value)| name.as_str().len() + value.len());
    let bytes = bodies.chain(values).chain(snapshot.map(Vec::len)).sum();
    if bytes > MAX_BYTES { Err(Error::TooLarge { bytes, limit: MAX_BYTES }) } else { Ok(()) }
}
