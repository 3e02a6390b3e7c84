//! The one trait behind which every store lives. Every store passes `tests/store/`.

use std::pin::Pin;
use std::sync::Arc;

use engross_protocol::Clock;

use crate::Error;
use crate::types::{
    Append, Entry, Fence, Millis, Name, NameRow, NewSession, Session, SessionId, SessionSummary,
};

/// An answer of a store that is still to come. Dropping it does not take the request back.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Keeps sessions: for each a log without gaps, names that lead to it, a snapshot and a lease.
///
/// Every request is done wholly or not at all, and what it did is durable once its answer is there. Requests that name a
/// session which does not exist fail with [`Error::UnknownSession`], unless their answer is an `Option`. After
/// [`Error::Unavailable`] a request may have been done all the same: load the session again before repeating it.
pub trait Store: Send + Sync {
    /// The session that a name leads to, with its snapshot and every entry behind it.
    fn load(&self, name: &Name) -> Pending<'_, Option<Session>>;

    /// The session with its snapshot and every entry behind it.
    fn load_by_id(&self, session: SessionId) -> Pending<'_, Option<Session>>;

    /// Creates a session under names; `true` says that it is new.
    ///
    /// If one of the names exists, nothing is written and the session it leads to is loaded: that of the key first, then
    /// that of the first name that is known.
    ///
    /// # Errors
    /// [`Error::Conflict`] when no name is known but the id is.
    fn create(&self, new: NewSession) -> Pending<'_, (Session, bool)>;

    /// Appends entries, names and perhaps a snapshot as one; gives the new head.
    ///
    /// # Errors
    /// In this order: [`Error::Fenced`] when the fence is not the newest one, [`Error::Conflict`] when the head is another
    /// one, [`Error::NameTaken`] when a name exists, be it for this very session.
    fn append(&self, append: Append) -> Pending<'_, u64>;

    /// Deletes a session with its entries, its snapshot and all its names, for good; tells whether there was one. Its id is never
    /// used again, its names may be.
    fn delete(&self, session: SessionId) -> Pending<'_, bool>;

    /// At most `limit` entries with a greater number than `after`, oldest first.
    fn entries(&self, session: SessionId, after: u64, limit: usize) -> Pending<'_, Vec<Entry>>;

    /// Takes the lease until `now + ttl`, or renews it; `None` while somebody else holds it. A lease that would hold more than
    /// [`LEASE_REACH`](crate::LEASE_REACH) longer than the one asked for counts as run out.
    ///
    /// Renewing gives the same fence. Taking a lease that was released or has run out gives a greater one, and every
    /// older fence is void from then on.
    fn lease(&self, session: SessionId, holder: &str, now: Millis, ttl: Millis)
    -> Pending<'_, Option<Fence>>;

    /// Renews leases of `holder` until `now + ttl`, as one; gives the sessions whose lease is not theirs any more: it has run out,
    /// was given back or taken by somebody else, or the session is gone. None is taken anew.
    fn renew(
        &self,
        leases: &[(SessionId, Fence)],
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Vec<SessionId>>;

    /// Gives the lease back. Does nothing when the fence is not the newest one.
    fn release(&self, session: SessionId, fence: Fence) -> Pending<'_, ()>;

    /// At most `limit` sessions that asked to be woken at `until` or before, soonest first.
    fn due(&self, until: Millis, limit: usize) -> Pending<'_, Vec<SessionId>>;

    /// At most `limit` sessions, newest id first; the next page is what comes behind the last id of this one. With `group` only those
    /// whose key is of that [group](Name::group): others cost nothing.
    fn list(
        &self,
        group: Option<&str>,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>>;

    /// At most `limit` sessions that were last changed at `until` or before, oldest id first; the next page is what comes behind the
    /// last id of this one. A store of many machines does not look at those whose id was made after `until` by
    /// [`RandomIds`](engross_protocol::RandomIds): ids sort by the time they were made, and younger sessions cost nothing so.
    fn unchanged(
        &self,
        until: Millis,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>>;

    /// Deletes those sessions, as [`Store::delete`] does, whose last entry is still the one that is told, and whose lease nobody has
    /// at `now`; gives those that were deleted. A few hundred at once cost little more than one.
    fn delete_idle(&self, sessions: &[(SessionId, u64)], now: Millis) -> Pending<'_, Vec<SessionId>>;

    /// The bytes of entries and snapshots of all sessions whose key is of a group.
    fn group_size(&self, group: &str) -> Pending<'_, u64>;

    /// The bytes of a session's entries and of its snapshot.
    fn size(&self, session: SessionId) -> Pending<'_, u64>;

    /// Where a name leads, and the value it was given.
    fn value(&self, name: &Name) -> Pending<'_, Option<NameRow>>;

    /// All names that lead to a session, and the values that they were given, in the order of the names.
    fn names(&self, session: SessionId) -> Pending<'_, Vec<(Name, Vec<u8>)>>;

    /// A number as long as no other process can write here, and another one whenever others could have written in between;
    /// `None` while they can, or when that is not known.
    fn sole_since(&self) -> Option<u64> {
        None
    }

    /// The clock that all reckon by who share this store; `None` where the machine's own is that clock. Leases and deadlines that
    /// several machines compare need it: their own clocks differ.
    fn clock(&self) -> Option<Arc<dyn Clock>> {
        None
    }

    /// Whether it answers now.
    fn healthy(&self) -> Pending<'_, ()>;

    /// Finishes what was asked for and closes. Whatever comes later fails with [`Error::Closed`].
    fn close(&self) -> Pending<'_, ()>;
}
