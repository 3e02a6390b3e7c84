//! What the tests of the crate share: a machine that cannot be copied, and a store that counts and fails as it is asked to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use engross_protocol::SessionId;
use engross_store::{
    Append, Entry, Error, Fence, MemoryStore, Millis, Name, NameRow, NewSession, Pending, Session,
    SessionSummary, Store,
};

use super::{Log, Machine};

/// All numbers that were ever stored. It is no `Clone`, so that nothing in this crate can copy a state.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Numbers(pub(crate) Vec<u64>);

impl Machine for Numbers {
    type Event = u64;

    fn kind(_: &u64) -> &'static str {
        "number"
    }

    fn apply(&mut self, number: &u64, _at: Millis) {
        self.0.push(*number);
    }

    fn wake_at(&self, _now: Millis) -> Option<Millis> {
        self.0.last().copied().filter(|number| number % 7 == 0)
    }

    fn snapshot(&self) -> Result<Option<Vec<u8>>, serde_json::Error> {
        serde_json::to_vec(&(1, &self.0)).map(Some)
    }

    fn restore(snapshot: &[u8], seq: u64) -> Option<Self> {
        let (version, numbers): (u32, Vec<u64>) = serde_json::from_slice(snapshot).ok()?;
        (version == 1 && numbers.len() as u64 == seq).then_some(Self(numbers))
    }
}

/// A store in memory, watched.
#[derive(Default)]
pub(crate) struct WatchedStore {
    store: MemoryStore,
    pub(crate) snapshots: Mutex<Vec<usize>>,
    pub(crate) loads: AtomicUsize,
    pub(crate) fails_to_load: AtomicBool,
    pub(crate) fails_to_append: AtomicBool,
    pub(crate) appends: AtomicUsize,
    pub(crate) renewals: AtomicUsize,
}

fn away<T: Send + 'static>() -> Pending<'static, T> {
    Box::pin(std::future::ready(Err(Error::Full { place: "the test".to_owned() })))
}

impl WatchedStore {
    /// A fold of all entries, without any snapshot.
    pub(crate) async fn fold(&self, id: SessionId) -> Numbers {
        let mut numbers = Numbers::default();
        for entry in super::read_all::<Numbers>(&self.store, id).await.unwrap() {
            numbers.apply(&entry.event, entry.at);
        }
        numbers
    }

    pub(crate) async fn read(&self, id: SessionId) -> Log<Numbers> {
        Log::load(&self.store, id).await.unwrap().unwrap()
    }
}

impl Store for WatchedStore {
    fn load(&self, name: &Name) -> Pending<'_, Option<Session>> {
        self.store.load(name)
    }
    fn load_by_id(&self, session: SessionId) -> Pending<'_, Option<Session>> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        if self.fails_to_load.load(Ordering::SeqCst) { away() } else { self.store.load_by_id(session) }
    }
    fn create(&self, new: NewSession) -> Pending<'_, (Session, bool)> {
        self.store.create(new)
    }
    fn append(&self, append: Append) -> Pending<'_, u64> {
        if self.fails_to_append.load(Ordering::SeqCst) {
            return away();
        }
        self.appends.fetch_add(1, Ordering::SeqCst);
        self.snapshots.lock().unwrap().extend(append.snapshot.as_ref().map(Vec::len));
        self.store.append(append)
    }
    fn delete(&self, session: SessionId) -> Pending<'_, bool> {
        self.store.delete(session)
    }
    fn entries(&self, session: SessionId, after: u64, limit: usize) -> Pending<'_, Vec<Entry>> {
        if self.fails_to_load.load(Ordering::SeqCst) {
            return away();
        }
        self.store.entries(session, after, limit)
    }
    fn lease(
        &self,
        session: SessionId,
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Option<Fence>> {
        self.store.lease(session, holder, now, ttl)
    }
    fn renew(
        &self,
        leases: &[(SessionId, Fence)],
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Vec<SessionId>> {
        self.renewals.fetch_add(1, Ordering::SeqCst);
        self.store.renew(leases, holder, now, ttl)
    }
    fn names(&self, session: SessionId) -> Pending<'_, Vec<(Name, Vec<u8>)>> {
        self.store.names(session)
    }
    fn release(&self, session: SessionId, fence: Fence) -> Pending<'_, ()> {
        self.store.release(session, fence)
    }
    fn due(&self, until: Millis, limit: usize) -> Pending<'_, Vec<SessionId>> {
        self.store.due(until, limit)
    }
    fn list(
        &self,
        group: Option<&str>,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        self.store.list(group, after, limit)
    }
    fn unchanged(
        &self,
        until: Millis,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        self.store.unchanged(until, after, limit)
    }
    fn delete_idle(&self, sessions: &[(SessionId, u64)], now: Millis) -> Pending<'_, Vec<SessionId>> {
        self.store.delete_idle(sessions, now)
    }
    fn group_size(&self, group: &str) -> Pending<'_, u64> {
        self.store.group_size(group)
    }
    fn size(&self, session: SessionId) -> Pending<'_, u64> {
        self.store.size(session)
    }
    fn value(&self, name: &Name) -> Pending<'_, Option<NameRow>> {
        self.store.value(name)
    }
    fn healthy(&self) -> Pending<'_, ()> {
        self.store.healthy()
    }
    fn close(&self) -> Pending<'_, ()> {
        self.store.close()
    }
}
