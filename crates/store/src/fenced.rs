//! A store that is written only as long as a fence is open.
//!
//! Must never keep anybody from reading.

use std::sync::Arc;

use engross_protocol::Clock;

use crate::store::{Pending, Store};
use crate::types::{
    Append, Entry, Fence, Millis, Name, NameRow, NewSession, Session, SessionId, SessionSummary,
};
use crate::{Error, WriteFence};

/// What another process may have taken over. What is on its way when the fence closes meets the head that the other one has moved
/// on, and is refused there.
pub struct FencedStore {
    store: Arc<dyn Store>,
    fence: WriteFence,
}

impl FencedStore {
    /// `store`, for as long as `fence` is open.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, fence: WriteFence) -> Self {
        Self { store, fence }
    }

    fn when_open<'a, T: Send + 'a>(&'a self, write: impl FnOnce() -> Pending<'a, T>) -> Pending<'a, T> {
        if self.fence.lets_write() { write() } else { Box::pin(async { Err(Error::HomeLost) }) }
    }
}

impl Store for FencedStore {
    fn load(&self, name: &Name) -> Pending<'_, Option<Session>> {
        self.store.load(name)
    }

    fn load_by_id(&self, session: SessionId) -> Pending<'_, Option<Session>> {
        self.store.load_by_id(session)
    }

    fn create(&self, new: NewSession) -> Pending<'_, (Session, bool)> {
        self.when_open(|| self.store.create(new))
    }

    fn append(&self, append: Append) -> Pending<'_, u64> {
        self.when_open(|| self.store.append(append))
    }

    fn delete(&self, session: SessionId) -> Pending<'_, bool> {
        self.when_open(|| self.store.delete(session))
    }

    fn entries(&self, session: SessionId, after: u64, limit: usize) -> Pending<'_, Vec<Entry>> {
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
        self.store.renew(leases, holder, now, ttl)
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
        self.when_open(|| self.store.delete_idle(sessions, now))
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

    fn names(&self, session: SessionId) -> Pending<'_, Vec<(Name, Vec<u8>)>> {
        self.store.names(session)
    }

    fn clock(&self) -> Option<Arc<dyn Clock>> {
        self.store.clock()
    }

    fn healthy(&self) -> Pending<'_, ()> {
        self.store.healthy()
    }

    fn close(&self) -> Pending<'_, ()> {
        self.store.close()
    }
}
