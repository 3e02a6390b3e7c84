//! The logs that a process has in memory, the names that lead to them, and who waits for which.
//!
//! Must never hand one log out twice, forget one that somebody works on, or keep a lease that nobody needs.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engross_protocol::{Clock, SessionId};
use engross_store::{Millis, Name, NameRow, Store};
use tokio_util::task::TaskTracker;

use super::error::Error;
use super::guard::{LogGuard, LogLock, LogPlace};
use super::lease::Leases;
use super::log::{Creation, Log, Machine, NewLog};

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

impl<M: Machine, X: Default> Journal<M, X> {
    /// A journal without logs in memory.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let Options { store, clock, holder, logs, bytes, names, tasks } = options;
        let leases = Arc::new(Leases::new(store, clock, holder, tasks));
        let (most_logs, most_bytes, most_names) = (logs, bytes, names);
        let (logs, names) = (Mutex::default(), Mutex::default());
        let uses = AtomicU64::new(0);
        Self { inner: Arc::new(Inner { leases, logs, names, most_logs, most_bytes, uses, most_names }) }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &**self.inner.leases.store()
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
        let bytes = |loaded: &Arc<LoadedLog<M, X>>| loaded.log.try_lock().ok()?.bytes();
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
        (!guard.is_leased() || self.store().sole_since().is_some())
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
        guard: LogGuard<M>,
        events: &[M::Event],
        now: Millis,
        stored: impl FnOnce(u64) + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let id = guard.id();
        let (log, mut outcome) = guard.hand_over(events, now, stored).await?;
        // Whoever waits may go away, or not append: so this one stands behind them.
        let alone = async {
            let lock = LogLock::new(id, log.lock_owned().await);
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
        if !lock.has_carried() {
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
        if !self.inner.leases.are_needed() {
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
            let sole_still = leases.store().sole_since() == sole_since;
            log.read_while(sole_since.filter(|_| sole_still));
            Ok(LogGuard::of_new(leases, lock, log, fence))
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
        let place = self.log.try_lock().ok()?;
        (Arc::strong_count(self) == 1).then(|| place.spare_bytes())?
    }

    /// Waits for the right to change it.
    pub async fn lock(&self) -> LogLock<M> {
        LogLock::new(self.id, Arc::clone(&self.log).lock_owned().await)
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
        Some(LogLock::new(self.id, log))
    }
}

/// Counts a request for as long as it waits.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
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
