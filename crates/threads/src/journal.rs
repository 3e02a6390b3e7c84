//! Task threads in the store: one log for each, and one that lists them.
//!
//! Must never hand out a thread that its log does not tell, or write behind an entry that it has not read.

use std::sync::Arc;

use engross_journal::{Creation, Error, ListLine, Log, Machine, NewLog, add_to_list, read_all};
use engross_protocol::{Clock, IdSource, SessionId};
use engross_store::{Error as StoreError, Millis, Name, Store};

use super::error::ThreadError;
use super::record::ThreadRecord;
use super::state::{Thread, ThreadEntry};

/// The log that lists all threads.
const INDEX: &str = "threads:index";

/// How many entries of the list are read at once.
const PAGE: usize = 1_000;

/// A thread as its log tells it up to an entry.
pub type LoadedThread = Log<Thread>;

/// The threads of one store. Cheap to clone.
#[derive(Clone)]
pub struct ThreadJournal {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

impl Machine for Thread {
    type Event = ThreadEntry;

    fn kind(_: &ThreadEntry) -> &'static str {
        "thread"
    }

    fn apply(&mut self, entry: &ThreadEntry, at: Millis) {
        match Self::opened(entry) {
            Some(thread) if !self.is_opened() => {
                *self = thread;
                self.record.created_at_ms = self.record.created_at_ms.max(1).min(at);
            }
            _ => Self::apply(self, entry, at),
        }
    }
}

impl ThreadJournal {
    /// The threads of `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        Self { store, clock, ids }
    }

    /// The moment, in milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        self.clock.millis()
    }

    fn new_session_id(&self) -> SessionId {
        SessionId::new(&*self.ids, self.now())
    }

    /// Something that was never named before.
    pub(super) fn new_id(&self) -> String {
        self.new_session_id().to_string()
    }

    /// The thread of this key.
    ///
    /// # Errors
    /// As the store says, and [`ThreadError::Record`] when its log cannot be read.
    pub async fn load(&self, key: &str) -> Result<Option<LoadedThread>, ThreadError> {
        match self.store.load(&name(key)?).await? {
            Some(stored) => self.replay(stored).await.map(Some),
            None => Ok(None),
        }
    }

    async fn replay(&self, stored: engross_store::Session) -> Result<LoadedThread, ThreadError> {
        let thread = Log::<Thread>::replay(&*self.store, stored).await?;
        if thread.state().is_opened() {
            return Ok(thread);
        }
        Err(ThreadError::Record { problem: "its journal does not begin with it".to_owned() })
    }

    /// Makes a thread of a record; the one that there is, if there is one.
    ///
    /// # Errors
    /// As [`ThreadJournal::load`].
    pub async fn open(&self, record: ThreadRecord) -> Result<(LoadedThread, bool), ThreadError> {
        let thread_id = record.thread_id.clone();
        let (id, at, key) = (self.new_session_id(), self.now(), name(&thread_id)?);
        let new = NewLog { id, at, key, names: Vec::new() };
        let opened = [ThreadEntry::Opened { record: Box::new(record) }];
        let (thread, is_new) = match Log::create(&*self.store, new, &opened).await? {
            Creation::New(thread) => (thread, true),
            Creation::Known(stored) => (self.replay(stored).await?, false),
        };
        // Listed also when it was there: the process that made it may have ended before it listed it.
        if is_new || thread.head() == 1 {
            let line = ListLine { kind: "thread", at: self.now(), text: &thread_id, is_unique: true };
            add_to_list(&*self.store, self.new_session_id(), &Name::new(INDEX)?, line).await?;
        }
        Ok((thread, is_new))
    }

    /// Stores what happened, and takes it into the thread. `false` when another process was first: then nothing was stored,
    /// and the thread is as it is now.
    ///
    /// # Errors
    /// As the store says.
    pub async fn append(
        &self,
        thread: &mut LoadedThread,
        entries: &[ThreadEntry],
    ) -> Result<bool, ThreadError> {
        let at = self.now();
        for entry in entries {
            Machine::apply(thread.state_mut(), entry, at);
        }
        match thread.append(&*self.store, None, entries, Vec::new(), at).await {
            Ok(()) => Ok(true),
            Err(Error::Store(StoreError::Conflict { .. })) => {
                self.refresh(thread).await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads what others have stored since; whether there was anything.
    ///
    /// # Errors
    /// As [`ThreadJournal::load`].
    pub async fn refresh(&self, thread: &mut LoadedThread) -> Result<bool, ThreadError> {
        Ok(thread.refresh(&*self.store).await?)
    }

    /// The entries of a thread with their moments, oldest first.
    pub(super) async fn entries(&self, key: &str) -> Result<Vec<(Millis, ThreadEntry)>, ThreadError> {
        let Some(stored) = self.store.load(&name(key)?).await? else { return Ok(Vec::new()) };
        let entries = read_all::<Thread>(&*self.store, stored.id).await?;
        Ok(entries.into_iter().map(|entry| (entry.at, entry.event)).collect())
    }

    /// The keys of all threads, oldest first.
    ///
    /// # Errors
    /// As the store says.
    pub async fn keys(&self) -> Result<Vec<String>, ThreadError> {
        let Some(index) = self.store.load(&Name::new(INDEX)?).await? else { return Ok(Vec::new()) };
        let mut keys: Vec<String> = Vec::new();
        let mut after = 0;
        loop {
            let page = self.store.entries(index.id, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(keys) };
            after = last.seq;
            for entry in page {
                let key = String::from_utf8_lossy(&entry.body).into_owned();
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
    }
}

fn name(key: &str) -> Result<Name, StoreError> {
    Name::new(format!("thread:{key}"))
}
