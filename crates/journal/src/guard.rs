//! The right to change one log, and what of it is in memory while nobody does.
//!
//! Must never keep a lease that nobody needs, nor let a state out of memory that has taken in what is not stored.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use engross_protocol::SessionId;
use engross_store::{Append, Fence, Millis, Name};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use super::carried::CarriedEntries;
use super::error::Error;
use super::lease::Leases;
use super::log::{Log, Machine, entries};

/// What of a log is in memory while nobody changes it.
pub(super) struct LogPlace<M> {
    log: Option<Log<M>>,
    /// Entries that the log in memory has taken in and that are stored with the next ones.
    carried: Option<CarriedEntries>,
}

/// The right to change a log, as far as this process is concerned.
pub struct LogLock<M> {
    id: SessionId,
    log: OwnedMutexGuard<LogPlace<M>>,
}

/// The right to change a log, and its state. Where several processes share the store, it holds the log's lease and releases
/// it when it is dropped; [`LogGuard::release`] also waits for that.
pub struct LogGuard<M: Machine> {
    leases: Arc<Leases>,
    /// None once it was given back.
    lock: Option<OwnedMutexGuard<LogPlace<M>>>,
    log: Log<M>,
    fence: Option<Fence>,
    /// Entries of the one before, to be stored with the next ones. While there are some, the lease is not released.
    carried: Option<CarriedEntries>,
}

impl<M: Machine> LogPlace<M> {
    /// The bytes of the log in memory; `None` where its state is ahead of the store.
    pub(super) fn spare_bytes(&self) -> Option<usize> {
        self.carried.is_none().then(|| self.log.as_ref().map_or(0, Log::bytes))
    }

    /// The bytes of the log in memory; `None` where none is.
    pub(super) fn bytes(&self) -> Option<usize> {
        self.log.as_ref().map(Log::bytes)
    }
}

impl<M> LogLock<M> {
    pub(super) fn new(id: SessionId, log: OwnedMutexGuard<LogPlace<M>>) -> Self {
        Self { id, log }
    }

    /// Whether entries were handed on with it that are not stored yet.
    pub fn has_carried(&self) -> bool {
        self.log.carried.is_some()
    }
}

impl<M: Machine> LogGuard<M> {
    /// Takes the lease and reads the log, unless it is in memory.
    pub(super) async fn open(leases: Arc<Leases>, lock: LogLock<M>, waits: bool) -> Result<Self, Error> {
        let LogLock { id, log: mut lock } = lock;
        let fence = leases.take(id, waits).await?;
        let store = Arc::clone(leases.store());
        if lock.carried.is_some() && lock.log.is_none() {
            // The state was spoilt by who had it last: what was handed on stands behind the log again.
            let loaded = Log::load(&*store, id).await.and_then(|log| {
                let mut log = log.ok_or(Error::Unknown)?;
                log.take_in(lock.carried.as_ref().map_or(&[], CarriedEntries::entries))?;
                Ok(log)
            });
            match loaded {
                Ok(log) => lock.log = Some(log),
                Err(error) => {
                    if let Some(fence) = fence {
                        leases.release(id, fence).await;
                    }
                    return Err(error);
                }
            }
        }
        let log = lock.log.take().unwrap_or_else(|| Log::unread(id));
        let carried = lock.carried.take();
        let has_carried = carried.is_some();
        let mut guard = Self { leases, lock: Some(lock), log, fence, carried };
        if has_carried {
            // Nobody else has written since, or the store refuses the next entries by their number.
            return Ok(guard);
        }
        let sole_since = store.sole_since();
        // Without a lease nobody else writes; with one nobody does from here on.
        let is_current = fence.is_none() || (sole_since.is_some() && guard.log.was_read_while(sole_since));
        if (guard.log.is_ahead() || !is_current)
            && let Err(error) = guard.log.refresh(&*store).await
        {
            guard.log = Log::unread(guard.id());
            guard.release().await;
            return Err(error);
        }
        guard.log.read_while(sole_since);
        Ok(guard)
    }

    /// The right to change a log that was just created.
    pub(super) fn of_new(leases: Arc<Leases>, lock: LogLock<M>, log: Log<M>, fence: Option<Fence>) -> Self {
        Self { leases, lock: Some(lock.log), log, fence, carried: None }
    }

    /// Gives the right back with entries that the state has taken in already, to be stored by the next one. Gives the log's place, to
    /// stand behind those who wait for it, and what becomes of the entries.
    pub(super) async fn hand_over(
        mut self,
        events: &[M::Event],
        now: Millis,
        stored: impl FnOnce(u64) + Send + Sync + 'static,
    ) -> Result<(Arc<Mutex<LogPlace<M>>>, oneshot::Receiver<Result<(), Error>>), Error> {
        // What the guard before has left to it goes first.
        self.store_carried().await?;
        let (carried, outcome) = CarriedEntries::new(entries::<M>(events, now)?, now, stored);
        self.carried = Some(carried);
        self.log.is_handed_on();
        let place = self.lock.as_ref().map(|lock| Arc::clone(OwnedMutexGuard::mutex(lock)));
        Ok((place.ok_or(Error::Unknown)?, outcome))
    }

    /// The id of the log.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.log.id()
    }

    /// The number of its last entry.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.log.head()
    }

    /// The number of the next entry that is appended: it comes behind those that were handed on.
    #[must_use]
    pub fn next_entry(&self) -> u64 {
        let carried = self.carried.as_ref().map_or(0, |carried| carried.entries().len());
        self.log.head() + carried as u64 + 1
    }

    /// Whether it holds a lease, as other processes work on the same store.
    #[must_use]
    pub fn is_leased(&self) -> bool {
        self.fence.is_some()
    }

    /// Stores entries that the state has taken in already. After a failure the state is not used again, but read anew.
    ///
    /// # Errors
    /// As the store says; [`engross_store::Error::Fenced`] when the lease was lost.
    pub async fn append(
        &mut self,
        events: &[M::Event],
        names: Vec<(Name, Vec<u8>)>,
        now: Millis,
    ) -> Result<(), Error> {
        let store = &**self.leases.store();
        let Some(carried) = self.carried.take() else {
            return self.log.append(store, self.fence, events, names, now).await;
        };
        let (first, before) = (self.log.head() + 1, carried.entries().to_vec());
        let appended = self.log.append_behind(store, self.fence, (before, events), names, now).await;
        let outcome = match &appended {
            Ok(()) => Ok(()),
            // What was handed on must not fail by what came behind it: a name that is taken, an entry that is too large.
            Err(_) => {
                let alone = Append {
                    session: self.log.id(),
                    fence: self.fence,
                    expected_head: first - 1,
                    entries: carried.entries().to_vec(),
                    names: Vec::new(),
                    snapshot: None,
                    wake_at: None,
                };
                store.append(alone).await.map(drop).map_err(Error::from)
            }
        };
        carried.end(outcome.map(|()| first));
        appended
    }

    /// Whether entries were handed on to it that are not stored yet. Then [`LogGuard::append`] has to run to its end, also when its
    /// caller goes away.
    #[must_use]
    pub fn has_carried(&self) -> bool {
        self.carried.is_some()
    }

    /// Stores what was handed on, by itself.
    pub(super) async fn store_carried(&mut self) -> Result<(), Error> {
        match self.carried.as_ref().map(CarriedEntries::at) {
            Some(at) => self.append(&[], Vec::new(), at).await,
            None => Ok(()),
        }
    }

    /// Notes that the log is gone: its state is not used again, and who waits for it finds nothing.
    pub fn discard(&mut self) {
        self.log.state_mut();
    }

    /// Resolves only when the lease is lost. It is renewed for as long as the right is held, whether somebody waits for this or not.
    pub fn lease_lost(&self) -> impl Future<Output = ()> + Send + use<M> {
        self.leases.lost(self.id(), self.fence)
    }

    /// Gives the right back. Resolves when the lease is free.
    pub async fn release(mut self) {
        if self.carried.is_some() {
            // The one who has handed them on stores them, and releases it.
            return;
        }
        if let Some(fence) = self.fence {
            self.leases.release(self.id(), fence).await;
            self.fence = None;
        }
    }
}

impl<M: Machine> Deref for LogGuard<M> {
    type Target = M;

    fn deref(&self) -> &M {
        self.log.state()
    }
}

impl<M: Machine> DerefMut for LogGuard<M> {
    fn deref_mut(&mut self) -> &mut M {
        self.log.state_mut()
    }
}

impl<M: Machine> Drop for LogGuard<M> {
    fn drop(&mut self) {
        let Some(mut lock) = self.lock.take() else { return };
        let id = self.log.id();
        let log = std::mem::replace(&mut self.log, Log::unread(id));
        lock.log = (!log.is_ahead()).then_some(log);
        if let Some(carried) = self.carried.take() {
            lock.carried = Some(carried);
            return;
        }
        let Some(fence) = self.fence.take() else { return };
        // Without a runtime the lease expires.
        self.leases.let_go(id, fence);
        if let Ok(runtime) = Handle::try_current() {
            let leases = Arc::clone(&self.leases);
            let release = async move {
                leases.release(id, fence).await;
                // Until here nobody in this process takes the lease again: it would be the same one.
                drop(lock);
            };
            self.leases.tasks.spawn_on(release, &runtime);
        }
    }
}

impl<M> Default for LogPlace<M> {
    fn default() -> Self {
        Self { log: None, carried: None }
    }
}
