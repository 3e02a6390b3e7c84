//! What a rule is tried on, and short ways to ask.

use std::sync::Arc;

use engross_store::{
    Append, Entry, Error, MemoryStore, Name, NewEntry, NewSession, Pending, Session, SessionId, Store,
};
use tokio::runtime::Runtime;

/// An empty place for one store.
pub trait Fixture {
    /// Opens the store of this place. Close the one before first.
    fn open(&self) -> Arc<dyn Store>;

    /// Whether the place keeps what it holds while no store is open.
    fn keeps(&self) -> bool;

    /// Where futures run.
    fn runtime(&self) -> &Runtime;
}

impl dyn Fixture + '_ {
    /// Waits for an answer.
    pub fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.runtime().block_on(answer)
    }

    /// Waits for an answer that must be good.
    pub fn get<T>(&self, answer: Pending<'_, T>) -> T {
        self.wait(answer).unwrap()
    }

    /// Waits for an answer that must be bad.
    pub fn error<T: std::fmt::Debug>(&self, answer: Pending<'_, T>) -> Error {
        self.wait(answer).unwrap_err()
    }

    /// The session as it is now.
    pub fn session(&self, store: &dyn Store, session: SessionId) -> Session {
        self.get(store.load_by_id(session)).unwrap()
    }
}

/// Memory.
pub struct InMemory(Runtime);

impl InMemory {
    pub fn new() -> Self {
        Self(runtime())
    }
}

impl Fixture for InMemory {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(MemoryStore::new())
    }

    fn keeps(&self) -> bool {
        false
    }

    fn runtime(&self) -> &Runtime {
        &self.0
    }
}

pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

pub fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

pub fn id(number: u8) -> SessionId {
    SessionId::from_bytes([number; 16])
}

/// A session `number` under `key`, without entries, created at 1000.
pub fn new(number: u8, key: &str) -> NewSession {
    NewSession {
        id: id(number),
        at: 1000,
        key: name(key),
        names: Vec::new(),
        entries: Vec::new(),
        snapshot: None,
        wake_at: None,
    }
}

/// An append of nothing to session `number` at `head`.
pub fn at(number: u8, head: u64) -> Append {
    Append {
        session: id(number),
        fence: None,
        expected_head: head,
        entries: Vec::new(),
        names: Vec::new(),
        snapshot: None,
        wake_at: None,
    }
}

pub fn note(at: u64, body: &str) -> NewEntry {
    NewEntry { kind: "note", at, body: body.into() }
}

pub fn written(seq: u64, at: u64, body: &str) -> Entry {
    Entry { seq, kind: "note".to_owned(), at, body: body.into() }
}

/// What [`new`] makes.
pub fn empty(number: u8, key: &str) -> Session {
    Session {
        id: id(number),
        key: name(key),
        head: 0,
        created_at: 1000,
        wake_at: None,
        snapshot: None,
        entries: Vec::new(),
    }
}
