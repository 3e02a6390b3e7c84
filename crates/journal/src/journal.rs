//! The logs that a process has in memory, the names that lead to them, and who may change which.
//!
//! Must never hand one log out twice, forget one that somebody works on, or keep a lease that nobody needs.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engross_protocol::{Clock, SessionId};
use engross_store::{Append, Fence, Millis, Name, NameRow, Store};
use tokio::runtime::Handle;
use tokio::sync::OwnedMutexGuard;
use tokio_util::task::TaskTracker;

use super::carried::CarriedEntries;
use super::error::Error;
use super::lease::Leases;
use super::log::{Creation, Log, Machine, NewLog, entries};

/// This part of what logs may take up stays in memory, also when nobody asks for it.
const SMALL: usize = 16;

/// How many uses lie between two looks at how much memory the logs take up.
const TRIM_EVERY: u64 = 16;

/// What a journal is made of.
#[derive(Clone)]
pub struct Options {
    /// Where the logs are stored.
    pub store: Arc<dyn Store>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// The name of this process where others work on the same store: then a lease says who works on a log. `None` where
    /// the store is its own.
    pub holder: Option<String>,
    /// How many logs stay in memory when nobody works on them.
    pub logs: usize,
    /// How many bytes they may take up.
    pub bytes: usize,
    /// How many names are remembered.
    pub names: usize,
    /// Where leases are released that were dropped.
    pub tasks: TaskTracker,
}

impl Options {
    /// A journal in a store that belongs to this process, with 1,024 logs or 16 MiB in memory.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        let tasks = TaskTracker::new();
        Self { store, clock, holder: None, logs: 1024, bytes: 16 << 20, names: 8 * 1024, tasks }
    }
}

/// The logs of one kind. `X` is what the process keeps beside each log in memory. Clones are the same one.
pub struct Journal<M, X = ()> {
    inner: Arc<Inner<M, X>>,
}

struct Inner<M, X> {
    leases: Arc<Leases>,
    logs: Mutex<HashMap<SessionId, Arc<LoadedLog<M, X>>>>,
    names: Mutex<HashMap<Name, NameRow>>,
    most_logs: usize,
    most_bytes: usize,
    /// Counts how often a log was asked for.
    uses: AtomicU64,
    most_names: usize,
}

/// A log in memory.
pub struct LoadedLog<M, X = ()> {
    id: SessionId,
    /// The log, and the right to change it. Those who wait are served in the order they came.
    log: Arc<tokio::sync::Mutex<LogPlace<M>>>,
    waiting: AtomicUsize,
    /// When it was asked for last, as the journal counts.
    used: AtomicU64,
    /// What the process keeps beside it.
    pub extra: X,
}

/// What of a log is in memory while nobody changes it.
pub(crate) struct LogPlace<M> {
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

impl<M: Machine, X: Default> Journal<M, X> {
    /// A journal without logs in memory.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let Options { store, clock, holder, logs, bytes, names, tasks } = options;
        let leases = Arc::new(Leases { store, clock, holder, tasks });
        let (most_logs, most_bytes, most_names) = (logs, bytes, names);
        let (logs, names) = (Mutex::default(), Mutex::default());
        let uses = AtomicU64::new(0);
        Self { inner: Arc::new(Inner { leases, logs, names, most_logs, most_bytes, uses, most_names }) }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.inner.leases.store
    }

    /// The log of this id, whether it exists or not. Nothing is read.
    #[must_use]
    pub fn get(&self, id: SessionId) -> Arc<LoadedLog<M, X>> {
        let mut logs = lock(&self.inner.logs);
        if !logs.contains_key(&id) {
            // Who works on a log holds it or its guard.
            make_room(&mut logs, self.inner.most_logs, |log| log.spare_bytes().is_some());
        }
        let new = || LoadedLog {
            id,
            log: Arc::default(),
            waiting: AtomicUsize::new(0),
            used: AtomicU64::new(0),
            extra: X::default(),
        };
        let log = Arc::clone(logs.entry(id).or_insert_with(|| Arc::new(new())));
        let use_number = self.inner.uses.fetch_add(1, Ordering::Relaxed);
        log.used.store(use_number, Ordering::Relaxed);
        if use_number % TRIM_EVERY == TRIM_EVERY - 1 {
            self.trim_all(&mut logs);
        }
        log
    }

    /// Lets go of the logs that were not asked for the longest, when those that nobody works on take up more bytes than they
    /// may: down to half of it.
    pub fn trim(&self) {
        self.trim_all(&mut lock(&self.inner.logs));
    }

    /// How often a log was asked for so far: a mark for [`Journal::let_go`].
    #[must_use]
    pub fn uses(&self) -> u64 {
        self.inner.uses.load(Ordering::Relaxed)
    }

    /// Lets go of the logs that nobody works on and nobody has asked for since `uses`, unless all of them together are small: what a
    /// burst has brought into memory does not stay there.
    pub fn let_go(&self, uses: u64) {
        let mut logs = lock(&self.inner.logs);
        let mut unused = Vec::new();
        let mut bytes = 0;
        for (id, loaded) in logs.iter() {
            if loaded.used.load(Ordering::Relaxed) < uses
                && let Some(spare) = loaded.spare_bytes()
            {
                bytes += spare;
                unused.push(*id);
            }
        }
        if bytes > self.inner.most_bytes / SMALL {
            for id in unused {
                logs.remove(&id);
            }
            // The table itself has grown with the burst.
            logs.shrink_to_fit();
        }
    }

    fn trim_all(&self, logs: &mut HashMap<SessionId, Arc<LoadedLog<M, X>>>) {
        let mut spare: Vec<(u64, SessionId, usize)> = Vec::new();
        for (id, loaded) in logs.iter() {
            if let Some(bytes) = loaded.spare_bytes() {
                spare.push((loaded.used.load(Ordering::Relaxed), *id, bytes));
            }
        }
        let mut bytes: usize = spare.iter().map(|(.., bytes)| bytes).sum();
        if bytes <= self.inner.most_bytes {
            return;
        }
        spare.sort_unstable();
        for (_, id, freed) in spare {
            if bytes <= self.inner.most_bytes / 2 {
                return;
            }
            logs.remove(&id);
            bytes -= freed;
        }
    }

    /// How many logs are in memory, and how many bytes those that nobody works on take up.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        let logs = lock(&self.inner.logs);
        let bytes = |loaded: &Arc<LoadedLog<M, X>>| Some(loaded.log.try_lock().ok()?.log.as_ref()?.bytes());
        (logs.len(), logs.values().filter_map(bytes).sum())
    }

    /// Forgets a log that came to nothing, or is gone, with the names that led to it.
    pub fn forget(&self, id: SessionId) {
        lock(&self.inner.logs).remove(&id);
        lock(&self.inner.names).retain(|_, row| row.session != id);
    }

    /// All logs in memory.
    #[must_use]
    pub fn loaded(&self) -> Vec<Arc<LoadedLog<M, X>>> {
        lock(&self.inner.logs).values().cloned().collect()
    }

    /// Takes the lease of a log and reads it, unless it is in memory. Waits a while for another process to be done.
    ///
    /// # Errors
    /// [`Error::Leased`], [`Error::Unknown`], and when the store fails or an entry cannot be read. The lease is free then.
    pub async fn open(&self, lock: LogLock<M>) -> Result<LogGuard<M>, Error> {
        self.open_waiting(lock, true).await
    }

    /// As [`Journal::open`], for who appends next: entries that the one before has handed on ([`Journal::hand_on`]) are not stored
    /// by themselves, but with these.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub async fn open_to_append(&self, lock: LogLock<M>) -> Result<LogGuard<M>, Error> {
        self.finish(LogGuard::open(Arc::clone(&self.inner.leases), lock, true)).await
    }

    /// Whether somebody of this process waits for the log behind the one who has it, and nobody else writes to the store: then
    /// [`Journal::hand_on`] saves an append.
    #[must_use]
    pub fn is_awaited(&self, guard: &LogGuard<M>) -> bool {
        let is_awaited = |loaded: &Arc<LoadedLog<M, X>>| loaded.waiting.load(Ordering::SeqCst) > 0;
        (guard.fence.is_none() || self.store().sole_since().is_some())
            && lock(&self.inner.logs).get(&guard.id()).is_some_and(is_awaited)
    }

    /// Hands the right to change a log on to who waits for it, with entries that the state has taken in already. They are stored
    /// with what the next one appends, or by themselves where that comes to nothing. `stored` is called with the number of
    /// the first one once they are durable, before anything behind them is told. Resolves then, too.
    ///
    /// # Errors
    /// As the store says: then none of them is in the log, nor what was appended with them.
    pub async fn hand_on(
        &self,
        mut guard: LogGuard<M>,
        events: &[M::Event],
        now: Millis,
        stored: impl FnOnce(u64) + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let id = guard.id();
        // What the guard before has left to it goes first.
        guard.store_carried().await?;
        let (carried, mut outcome) = CarriedEntries::new(entries::<M>(events, now)?, now, stored);
        guard.carried = Some(carried);
        guard.log.is_handed_on();
        let Some(log) = guard.lock.as_ref().map(|lock| Arc::clone(OwnedMutexGuard::mutex(lock))) else {
            return Err(Error::Unknown);
        };
        drop(guard);
        // Whoever waits may go away, or not append: so this one stands behind them.
        let alone = async {
            let lock = LogLock { id, log: log.lock_owned().await };
            self.open(lock).await?.release().await;
            Ok::<(), Error>(())
        };
        let closed = || Err(Error::Store(engross_store::Error::Closed));
        tokio::select! {
            biased;
            outcome = &mut outcome => return outcome.unwrap_or_else(|_| closed()),
            opened = alone => opened?,
        }
        outcome.await.unwrap_or_else(|_| closed())
    }

    /// As [`Journal::open`], but `None` while another process works on the log.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub async fn open_if_free(&self, lock: LogLock<M>) -> Result<Option<LogGuard<M>>, Error> {
        match self.open_waiting(lock, false).await {
            Ok(guard) => Ok(Some(guard)),
            Err(Error::Leased) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn open_waiting(&self, lock: LogLock<M>, waits: bool) -> Result<LogGuard<M>, Error> {
        let leases = Arc::clone(&self.inner.leases);
        if lock.log.carried.is_none() {
            return self.finish(LogGuard::open(leases, lock, waits)).await;
        }
        // A caller that goes away must not leave entries behind of which nobody knows whether they are stored.
        let opening = async move {
            let mut guard = LogGuard::open(leases, lock, waits).await?;
            match guard.store_carried().await {
                Ok(()) => Ok(guard),
                Err(error) => {
                    guard.release().await;
                    Err(error)
                }
            }
        };
        self.to_the_end(opening).await.unwrap_or(Err(Error::Store(engross_store::Error::Closed)))
    }

    /// Awaits something that goes on to its end when its caller goes away.
    ///
    /// # Errors
    /// When it panics.
    pub async fn to_the_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, tokio::task::JoinError> {
        self.inner.leases.tasks.spawn(work).await
    }

    /// Awaits something that takes a lease: a caller that goes away must not leave it behind.
    async fn finish(
        &self,
        opening: impl Future<Output = Result<LogGuard<M>, Error>> + Send + 'static,
    ) -> Result<LogGuard<M>, Error> {
        if self.inner.leases.holder.is_none() {
            return opening.await;
        }
        self.to_the_end(opening).await.unwrap_or(Err(Error::Store(engross_store::Error::Closed)))
    }

    /// Creates a log with its first entries.
    ///
    /// # Errors
    /// As the store says.
    pub async fn create(
        &self,
        lock: LogLock<M>,
        new: NewLog,
        events: &[M::Event],
    ) -> Result<Creation<LogGuard<M>>, Error> {
        let (id, key) = (new.id, new.key.clone());
        let leases = Arc::clone(&self.inner.leases);
        let sole_since = self.store().sole_since();
        let mut log = match Log::create(self.store(), new, events).await? {
            Creation::New(log) => log,
            Creation::Known(known) => {
                if known.key == key {
                    self.remember(key, NameRow { session: known.id, value: Vec::new() });
                }
                return Ok(Creation::Known(known));
            }
        };
        self.remember(key, NameRow { session: id, value: Vec::new() });
        let opening = async move {
            // Nobody else knows the log yet, so that its lease is free.
            let fence = leases.take(id, true).await?;
            let sole_still = leases.store.sole_since() == sole_since;
            log.read_while(sole_since.filter(|_| sole_still));
            Ok(LogGuard { leases, lock: Some(lock.log), log, fence, carried: None })
        };
        Ok(Creation::New(self.finish(opening).await?))
    }

    /// Where a name leads. Names never change, so that one which is remembered is not looked up again.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn find(&self, name: &Name) -> Result<Option<NameRow>, engross_store::Error> {
        if let Some(row) = self.remembered(name) {
            return Ok(Some(row));
        }
        let row = self.store().value(name).await?;
        if let Some(row) = &row {
            self.remember(name.clone(), row.clone());
        }
        Ok(row)
    }

    /// Where a name leads, if that is remembered.
    #[must_use]
    pub fn remembered(&self, name: &Name) -> Option<NameRow> {
        lock(&self.inner.names).get(name).cloned()
    }

    fn remember(&self, name: Name, row: NameRow) {
        let mut names = lock(&self.inner.names);
        make_room(&mut names, self.inner.most_names, |_| true);
        names.insert(name, row);
    }
}

impl<M, X> Clone for Journal<M, X> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<M: Machine, X> LoadedLog<M, X> {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// The bytes of it in memory, where nobody needs it there.
    fn spare_bytes(self: &Arc<Self>) -> Option<usize> {
        let slot = self.log.try_lock().ok()?;
        (Arc::strong_count(self) == 1 && slot.carried.is_none())
            .then(|| slot.log.as_ref().map_or(0, Log::bytes))
    }

    /// Waits for the right to change it.
    pub async fn lock(&self) -> LogLock<M> {
        LogLock { id: self.id, log: Arc::clone(&self.log).lock_owned().await }
    }

    /// Waits for the right to change it, behind at most `queue` others.
    ///
    /// # Errors
    /// [`Error::QueueFull`].
    pub async fn lock_behind(&self, queue: usize) -> Result<LogLock<M>, Error> {
        let waiting = Waiting(&self.waiting);
        if waiting.0.fetch_add(1, Ordering::SeqCst) >= queue.max(1) {
            return Err(Error::QueueFull { queue });
        }
        Ok(self.lock().await)
    }

    /// The right to change it, unless somebody has it.
    #[must_use]
    pub fn lock_if_idle(&self) -> Option<LogLock<M>> {
        let log = Arc::clone(&self.log).try_lock_owned().ok()?;
        Some(LogLock { id: self.id, log })
    }
}

/// Counts a request for as long as it waits.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<M: Machine> LogGuard<M> {
    async fn open(leases: Arc<Leases>, lock: LogLock<M>, waits: bool) -> Result<Self, Error> {
        let LogLock { id, log: mut lock } = lock;
        let fence = leases.take(id, waits).await?;
        let store = Arc::clone(&leases.store);
        if lock.carried.is_some() && lock.log.is_none() {
            // The state was spoilt by who had it last: what was handed on stands behind the log again.
            let mut log = Log::load(&*store, id).await?.ok_or(Error::Unknown)?;
            log.take_in(lock.carried.as_ref().map_or(&[], CarriedEntries::entries))?;
            lock.log = Some(log);
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
        let store = &*self.leases.store;
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
    async fn store_carried(&mut self) -> Result<(), Error> {
        match self.carried.as_ref().map(CarriedEntries::at) {
            Some(at) => self.append(&[], Vec::new(), at).await,
            None => Ok(()),
        }
    }

    /// Notes that the log is gone: its state is not used again, and who waits for it finds nothing.
    pub fn discard(&mut self) {
        self.log.state_mut();
    }

    /// Renews the lease for as long as it is polled; resolves only when the lease is lost.
    pub fn lease_lost(&self) -> impl Future<Output = ()> + Send + use<M> {
        let (leases, id, fence) = (Arc::clone(&self.leases), self.id(), self.fence);
        async move { leases.keep(id, fence).await }
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
        // Without a runtime the lease expires.
        if let (Some(fence), Ok(runtime)) = (self.fence.take(), Handle::try_current()) {
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

/// Halves a map that has `most` entries, as far as entries are spare.
fn make_room<K: Hash + Eq, V>(map: &mut HashMap<K, V>, most: usize, is_spare: impl Fn(&V) -> bool) {
    if map.len() < most {
        return;
    }
    let mut surplus = map.len() - most / 2;
    map.retain(|_, value| {
        let stays = surplus == 0 || !is_spare(value);
        surplus -= usize::from(!stays);
        stays
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic leaves the maps whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
