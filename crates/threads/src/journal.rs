//! Task threads in the store: one log for each, and one that lists them.
//!
//! Must never hand out a thread that its log does not tell, or write behind an entry that it has not read.

use std::sync::Arc;

use engross_protocol::{Clock, IdSource, SessionId};
use engross_store::{Append, Error as StoreError, Name, NewEntry, NewSession, Session, Store};

use super::error::ThreadError;
use super::record::ThreadRecord;
use super::state::{Entry, Thread};

/// The log that lists all threads.
const INDEX: &str = "threads:index";

/// How many entries of the list are read at once.
const PAGE: usize = 1_000;

/// How often an append to the list is tried while others append.
const TRIES: usize = 20;

/// The threads of one store. Cheap to clone.
#[derive(Clone)]
pub struct Journal {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

/// A thread as its log tells it up to an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    id: SessionId,
    head: u64,
    /// The thread.
    pub thread: Thread,
}

impl Journal {
    /// The threads of `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        Self { store, clock, ids }
    }

    /// The moment, in milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        self.clock.millis()
    }

    /// Something that was never named before.
    pub(super) fn new_id(&self) -> String {
        SessionId::new(&*self.ids, self.now()).to_string()
    }

    /// The thread of this key.
    ///
    /// # Errors
    /// As the store says, and [`ThreadError::Record`] when its log cannot be read.
    pub async fn load(&self, key: &str) -> Result<Option<Held>, ThreadError> {
        self.store.load(&name(key)?).await?.as_ref().map(held).transpose()
    }

    /// Makes a thread of a record; the one that there is, if there is one.
    ///
    /// # Errors
    /// As [`Journal::load`].
    pub async fn open(&self, record: ThreadRecord) -> Result<(Held, bool), ThreadError> {
        let key = record.thread_id.clone();
        let new = NewSession {
            id: SessionId::new(&*self.ids, self.now()),
            at: self.now(),
            key: name(&key)?,
            names: Vec::new(),
            entries: vec![self.line(&Entry::Opened { record: Box::new(record) })?],
            snapshot: None,
            wake_at: None,
        };
        let (session, is_new) = self.store.create(new).await?;
        // Listed also when it was there: the process that made it may have ended before it listed it.
        if is_new || session.head == 1 {
            self.list_it(&key).await?;
        }
        Ok((held(&session)?, is_new))
    }

    /// Stores what happened, and takes it into the thread. `false` when somebody else was first: then nothing was stored, and
    /// the thread is as it is now.
    ///
    /// # Errors
    /// As the store says.
    pub async fn append(&self, held: &mut Held, entries: &[Entry]) -> Result<bool, ThreadError> {
        if entries.is_empty() {
            return Ok(true);
        }
        let lines = entries.iter().map(|entry| self.line(entry)).collect::<Result<Vec<NewEntry>, _>>()?;
        let at = lines.first().map_or(0, |line| line.at);
        let append = Append {
            session: held.id,
            fence: None,
            expected_head: held.head,
            entries: lines,
            names: Vec::new(),
            snapshot: None,
            wake_at: None,
        };
        match self.store.append(append).await {
            Ok(head) => {
                held.head = head;
                for entry in entries {
                    held.thread.apply(entry, at);
                }
                Ok(true)
            }
            Err(StoreError::Conflict { .. }) => {
                self.refresh(held).await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads what others have stored since; whether there was anything.
    ///
    /// # Errors
    /// As [`Journal::load`].
    pub async fn refresh(&self, held: &mut Held) -> Result<bool, ThreadError> {
        let new = self.store.entries(held.id, held.head, PAGE).await?;
        for entry in &new {
            let told = parse(&entry.body)?;
            held.thread.apply(&told, entry.at);
            held.head = entry.seq;
        }
        Ok(!new.is_empty())
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

    async fn list_it(&self, key: &str) -> Result<(), ThreadError> {
        let line = || NewEntry { kind: "thread", at: self.now(), body: key.as_bytes().to_vec() };
        for _ in 0..TRIES {
            let new = NewSession {
                id: SessionId::new(&*self.ids, self.now()),
                at: self.now(),
                key: Name::new(INDEX)?,
                names: Vec::new(),
                entries: vec![line()],
                snapshot: None,
                wake_at: None,
            };
            let (index, is_new) = self.store.create(new).await?;
            if is_new || index.entries.iter().any(|entry| entry.body == key.as_bytes()) {
                return Ok(());
            }
            let append = Append {
                session: index.id,
                fence: None,
                expected_head: index.head,
                entries: vec![line()],
                names: Vec::new(),
                snapshot: None,
                wake_at: None,
            };
            match self.store.append(append).await {
                Ok(_) => return Ok(()),
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(ThreadError::Record { problem: "the list of threads is being written by too many".to_owned() })
    }

    fn line(&self, entry: &Entry) -> Result<NewEntry, ThreadError> {
        let body = serde_json::to_vec(entry)
            .map_err(|error| ThreadError::Record { problem: format!("it cannot be written: {error}") })?;
        Ok(NewEntry { kind: "thread", at: self.now(), body })
    }
}

fn name(key: &str) -> Result<Name, StoreError> {
    Name::new(format!("thread:{key}"))
}

fn parse(body: &[u8]) -> Result<Entry, ThreadError> {
    serde_json::from_slice(body)
        .map_err(|error| ThreadError::Record { problem: format!("its journal cannot be read: {error}") })
}

fn held(session: &Session) -> Result<Held, ThreadError> {
    let mut thread: Option<Thread> = None;
    for entry in &session.entries {
        let told = parse(&entry.body)?;
        match &mut thread {
            Some(thread) => thread.apply(&told, entry.at),
            none => {
                *none = Thread::opened(&told);
                if let Some(thread) = none {
                    thread.record.created_at_ms = thread.record.created_at_ms.max(1).min(entry.at);
                }
            }
        }
    }
    let thread = thread
        .ok_or_else(|| ThreadError::Record { problem: "its journal does not begin with it".to_owned() })?;
    Ok(Held { id: session.id, head: session.head, thread })
}
