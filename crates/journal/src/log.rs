//! One log and its state: read as a fold of the entries, written one append at a time.
//!
//! Must never keep a state that is ahead of the log beyond one append: after a failure it is read anew.

use engross_protocol::SessionId;
use engross_store::{Append, Entry, Fence, Millis, Name, NewEntry, NewSession, Session, Store};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::error::Error;
use super::rehearsal::{read_kind, read_snapshot, stored_kind, stored_snapshot};

/// How many entries are read at once.
const PAGE: usize = 1000;

/// The fewest entries between two snapshots. With a long log they are rarer, one each time it has grown by a quarter: a
/// snapshot holds the whole state, so that at even distances each entry would cost more than the one before.
const SNAPSHOT_EVERY: u64 = 64;

/// A state that is a fold of its entries.
pub trait Machine: Default + Send + 'static {
    /// What an entry says, as it is stored: JSON.
    type Event: Serialize + DeserializeOwned + Send + Sync;

    /// The kind of an entry, for indexes and people.
    fn kind(event: &Self::Event) -> &'static str;

    /// Takes an entry in, which was stored at `at`.
    fn apply(&mut self, event: &Self::Event, at: Millis);

    /// When the store is to name the log as due, if at all.
    fn wake_at(&self, _now: Millis) -> Option<Millis> {
        None
    }

    /// The state as it is stored beside the log; none when it is not to be stored.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    fn snapshot(&self) -> Result<Option<Vec<u8>>, serde_json::Error> {
        Ok(None)
    }

    /// The state of a snapshot that was taken at the entry `seq`; none when it cannot be used.
    fn restore(_snapshot: &[u8], _seq: u64) -> Option<Self> {
        None
    }
}

/// An entry as it was read back.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry<E> {
    /// Its number, from 1.
    pub seq: u64,
    /// When it was stored.
    pub at: Millis,
    /// What it says.
    pub event: E,
}

/// A log to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLog {
    /// Its id, never used before.
    pub id: SessionId,
    /// When.
    pub at: Millis,
    /// The name it is found by.
    pub key: Name,
    /// More names, and their values.
    pub names: Vec<(Name, Vec<u8>)>,
}

/// What became of a request to create a log.
#[derive(Debug)]
pub enum Creation<T> {
    /// It is new.
    New(T),
    /// One of its names is taken: the session that has it. Nothing was written.
    Known(Session),
}

/// A state in memory, as of the entry [`Log::head`].
#[derive(Debug, PartialEq)]
pub struct Log<M> {
    id: SessionId,
    head: u64,
    state: M,
    since_snapshot: u64,
    /// Bytes of what the state was read from, about as many as it takes up.
    bytes: usize,
    /// When the store names it as due, as far as that is known here.
    wake_at: Option<Option<Millis>>,
    is_ahead: bool,
    /// What [`Store::sole_since`] was when the whole log was known.
    sole_since: Option<u64>,
}

impl<M: Machine> Log<M> {
    /// A log of which nothing is known.
    pub(crate) fn unread(id: SessionId) -> Self {
        Self {
            id,
            head: 0,
            state: M::default(),
            since_snapshot: 0,
            bytes: 0,
            wake_at: None,
            is_ahead: true,
            sole_since: None,
        }
    }

    /// Reads a log.
    ///
    /// # Errors
    /// When the store fails, or an entry cannot be read.
    pub async fn load(store: &dyn Store, id: SessionId) -> Result<Option<Self>, Error> {
        match store.load_by_id(id).await? {
            Some(stored) => Self::replay(store, stored).await.map(Some),
            None => Ok(None),
        }
    }

    /// Folds a log that the store has loaded: its snapshot and the entries behind it, or all entries.
    ///
    /// # Errors
    /// As [`Log::load`].
    pub async fn replay(store: &dyn Store, stored: Session) -> Result<Self, Error> {
        let restored = stored.snapshot.as_ref();
        let restored = restored.and_then(|kept| M::restore(read_snapshot(&kept.state), kept.seq));
        let (mut state, entries) = match restored {
            Some(state) => (state, stored.entries),
            None if stored.snapshot.is_none() => (M::default(), stored.entries),
            // The log is the truth; a snapshot only saves reading it.
            None => (M::default(), all(store, stored.id).await?),
        };
        for entry in &entries {
            state.apply(&read_entry::<M>(stored.id, entry)?, entry.at);
        }
        let snapshot = stored.snapshot.as_ref().map_or(0, |snapshot| snapshot.state.len());
        Ok(Self {
            id: stored.id,
            head: stored.head,
            state,
            since_snapshot: entries.len() as u64,
            bytes: snapshot + entries.iter().map(|entry| entry.body.len()).sum::<usize>(),
            wake_at: Some(stored.wake_at),
            is_ahead: false,
            sole_since: None,
        })
    }

    /// Creates a log with its first entries.
    ///
    /// # Errors
    /// As the store says.
    pub async fn create(
        store: &dyn Store,
        new: NewLog,
        events: &[M::Event],
    ) -> Result<Creation<Self>, Error> {
        let NewLog { id, at, key, names } = new;
        let mut log = Self::unread(id);
        for event in events {
            log.state.apply(event, at);
        }
        let wake_at = log.state.wake_at(at);
        let entries = entries::<M>(events, at)?;
        log.bytes = size(&entries);
        let new = NewSession { id, at, key, names, entries, snapshot: None, wake_at };
        let (stored, is_new) = store.create(new).await?;
        if !is_new {
            return Ok(Creation::Known(stored));
        }
        Ok(Creation::New(Self {
            head: stored.head,
            since_snapshot: stored.head,
            wake_at: Some(wake_at),
            is_ahead: false,
            ..log
        }))
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// The number of its last entry.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.head
    }

    /// Bytes that the state takes up, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The state.
    #[must_use]
    pub fn state(&self) -> &M {
        &self.state
    }

    /// The state, without its log.
    #[must_use]
    pub fn into_state(self) -> M {
        self.state
    }

    /// The state, to take in entries that are appended next. Until they are, it is ahead of the log.
    pub fn state_mut(&mut self) -> &mut M {
        self.is_ahead = true;
        &mut self.state
    }

    /// Whether the state has taken in what the log does not hold, or may not hold.
    #[must_use]
    pub fn is_ahead(&self) -> bool {
        self.is_ahead
    }

    /// Notes that what the state is ahead by stands beside it.
    pub(crate) fn is_handed_on(&mut self) {
        self.is_ahead = false;
    }

    /// Takes in entries that are yet to be stored.
    ///
    /// # Errors
    /// When one cannot be read.
    pub(crate) fn take_in(&mut self, entries: &[NewEntry]) -> Result<(), Error> {
        for (seq, entry) in (self.head + 1..).zip(entries) {
            let entry = Entry { seq, kind: entry.kind.to_owned(), at: entry.at, body: entry.body.clone() };
            self.state.apply(&read_entry::<M>(self.id, &entry)?, entry.at);
        }
        Ok(())
    }

    /// Notes what [`Store::sole_since`] was when the log was known as it is.
    pub(crate) fn read_while(&mut self, sole_since: Option<u64>) {
        self.sole_since = sole_since;
    }

    /// Whether that is what it was.
    pub(crate) fn was_read_while(&self, sole_since: Option<u64>) -> bool {
        self.sole_since == sole_since
    }

    /// Stores entries that the state has taken in already. After a failure the state counts as ahead of the log.
    ///
    /// # Errors
    /// As the store says; [`engross_store::Error::Fenced`] when the lease was lost.
    pub async fn append(
        &mut self,
        store: &dyn Store,
        fence: Option<Fence>,
        events: &[M::Event],
        names: Vec<(Name, Vec<u8>)>,
        now: Millis,
    ) -> Result<(), Error> {
        self.append_behind(store, fence, (Vec::new(), events), names, now).await
    }

    /// As [`Log::append`], with entries before them that the state has taken in earlier: all are stored, or none.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub(crate) async fn append_behind(
        &mut self,
        store: &dyn Store,
        fence: Option<Fence>,
        (mut entries, events): (Vec<NewEntry>, &[M::Event]),
        names: Vec<(Name, Vec<u8>)>,
        now: Millis,
    ) -> Result<(), Error> {
        if entries.is_empty() && events.is_empty() && names.is_empty() {
            self.is_ahead = false;
            return Ok(());
        }
        self.is_ahead = true;
        let wake_at = self.state.wake_at(now);
        entries.extend(self::entries::<M>(events, now)?);
        let since_snapshot = self.since_snapshot + entries.len() as u64;
        let is_due = since_snapshot >= SNAPSHOT_EVERY.max(self.head / 5);
        let snapshot = if is_due { self.state.snapshot()?.map(stored_snapshot) } else { None };
        let bytes = size(&entries);
        let append = Append {
            session: self.id,
            fence,
            expected_head: self.head,
            entries,
            names,
            snapshot,
            wake_at: (Some(wake_at) != self.wake_at).then_some(wake_at),
        };
        self.head = store.append(append).await?;
        self.bytes += bytes;
        self.wake_at = Some(wake_at);
        self.since_snapshot = if is_due { 0 } else { since_snapshot };
        self.is_ahead = false;
        Ok(())
    }

    /// Reads what others have stored since; tells whether the state may be another one.
    ///
    /// # Errors
    /// As [`Log::load`].
    pub async fn refresh(&mut self, store: &dyn Store) -> Result<bool, Error> {
        if self.is_ahead {
            *self = Self::load(store, self.id).await?.ok_or(Error::Unknown)?;
            return Ok(true);
        }
        let before = self.head;
        loop {
            let page = store.entries(self.id, self.head, PAGE).await?;
            for entry in &page {
                self.state.apply(&read_entry::<M>(self.id, entry)?, entry.at);
                self.head = entry.seq;
                self.bytes += entry.body.len();
                self.since_snapshot += 1;
                self.wake_at = None;
            }
            if page.len() < PAGE {
                return Ok(self.head > before);
            }
        }
    }
}

/// What an entry of the log `id` says.
///
/// # Errors
/// [`engross_store::Error::NewerEntry`] for an entry that a newer version has written: it is never passed over, nor taken for
/// one that is known. [`Error::Damaged`] when it is none.
pub fn read_entry<M: Machine>(id: SessionId, entry: &Entry) -> Result<M::Event, Error> {
    let newer = || engross_store::Error::NewerEntry { session: id, seq: entry.seq, kind: entry.kind.clone() };
    match serde_json::from_slice(&entry.body) {
        Ok(event) if M::kind(&event) == read_kind(&entry.kind) => Ok(event),
        Ok(_) => Err(newer().into()),
        // JSON that is whole and says something unknown.
        Err(_) if serde_json::from_slice::<IgnoredAny>(&entry.body).is_ok() => Err(newer().into()),
        Err(error) => {
            let problem = format!("entry {} of kind {}: {error}", entry.seq, entry.kind);
            Err(Error::Damaged { problem })
        }
    }
}

/// All entries of a log, oldest first.
///
/// # Errors
/// As [`Log::load`].
pub async fn read_all<M: Machine>(
    store: &dyn Store,
    id: SessionId,
) -> Result<Vec<LogEntry<M::Event>>, Error> {
    let entries = all(store, id).await?;
    let entry =
        |entry: &Entry| Ok(LogEntry { seq: entry.seq, at: entry.at, event: read_entry::<M>(id, entry)? });
    entries.iter().map(entry).collect()
}

async fn all(store: &dyn Store, id: SessionId) -> Result<Vec<Entry>, Error> {
    let mut entries: Vec<Entry> = Vec::new();
    loop {
        let after = entries.last().map_or(0, |entry| entry.seq);
        let page = store.entries(id, after, PAGE).await?;
        let is_last = page.len() < PAGE;
        entries.extend(page);
        if is_last {
            return Ok(entries);
        }
    }
}

fn size(entries: &[NewEntry]) -> usize {
    entries.iter().map(|entry| entry.body.len()).sum()
}

pub(crate) fn entries<M: Machine>(events: &[M::Event], at: Millis) -> Result<Vec<NewEntry>, Error> {
    let entry = |event: &M::Event| {
        let body = serde_json::to_vec(event)?;
        Ok(NewEntry { kind: stored_kind(M::kind(event)), at, body })
    };
    events.iter().map(entry).collect()
}
