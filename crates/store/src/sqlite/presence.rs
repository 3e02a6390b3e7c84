//! Whether other processes have the file open. As long as none has, leases are kept in memory and cost nothing.
//!
//! Two lock files stand for this. `FILE-lock` is held as long as the file is open: exclusively by a process that is alone,
//! otherwise shared. `FILE-join` is held by a process that opens the file or changes its hold on the first one; a process that
//! is alone looks at it every now and then, stores its leases when it finds it held, and lets the other one in.
//! Must never let two processes believe that each is alone.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::fault::Fault;
use super::locks::{Locks, PAUSE, refusal};
use super::threads::Threads;
use super::write::{self, Lease};
use crate::Error;
use crate::types::{Fence, Millis, SessionId};

/// How long a process waits for the others to let it in.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a process that is alone looks for others.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How often a process looks whether it is alone again.
const REGAIN_EVERY: Duration = Duration::from_secs(1);

/// Leases that are remembered though they are free.
const REMEMBERED: usize = 4096;

/// What is known of other processes, and the leases that were given out since there was none.
#[derive(Debug)]
pub(super) struct Presence(Mutex<Table>);

#[derive(Debug)]
struct Table {
    /// Whether leases are kept here. Otherwise they are in the file.
    in_memory: bool,
    /// Whether no more are given out.
    is_closed: bool,
    /// Since when no other process can have written; `None` while one can.
    sole_since: Option<u64>,
    epochs: u64,
    leases: HashMap<SessionId, RememberedLease>,
}

#[derive(Debug)]
struct RememberedLease {
    lease: Lease,
    /// The newest fence in the file.
    stored: u64,
    /// Whether the lease is somebody's as far as the file knows.
    is_taken_in_file: bool,
}

impl RememberedLease {
    /// Whether others would read something else in the file.
    fn is_unstored(&self) -> bool {
        self.lease.holder.is_some() || self.is_taken_in_file || self.stored != self.lease.fence
    }
}

/// What becomes of a request for a lease.
pub(super) enum Answer {
    /// It is answered.
    Done(Option<Fence>),
    /// The session's row has to be read first.
    Unread,
    /// Leases are in the file.
    InFile,
}

impl Presence {
    /// For a file that belongs to one process: its leases are in the file.
    pub(super) fn exclusive() -> Self {
        Self(Mutex::new(Table {
            in_memory: false,
            is_closed: false,
            sole_since: Some(0),
            epochs: 0,
            leases: HashMap::new(),
        }))
    }

    /// For a file that others may open.
    pub(super) fn joint(is_alone: bool) -> Self {
        let sole_since = is_alone.then_some(0);
        Self(Mutex::new(Table {
            in_memory: is_alone,
            is_closed: false,
            sole_since,
            epochs: 0,
            leases: HashMap::new(),
        }))
    }

    pub(super) fn sole_since(&self) -> Option<u64> {
        self.table().sole_since
    }

    /// Takes or renews a lease in memory. `row` is the session's row, where that was read.
    pub(super) fn lease(
        &self,
        session: SessionId,
        holder: &str,
        (now, ttl): (Millis, Millis),
        row: Option<Lease>,
    ) -> Answer {
        let mut table = self.table();
        if !table.in_memory || table.is_closed {
            return Answer::InFile;
        }
        if let Some(lease) = row {
            table.remember(session, lease);
        }
        let Some(known) = table.leases.get_mut(&session) else { return Answer::Unread };
        Answer::Done(known.lease.take(holder, now, ttl))
    }

    /// Renews a lease in memory, and tells whether it is still the holder's; `None` when it is not there.
    pub(super) fn renew(
        &self,
        (session, fence): (SessionId, Fence),
        holder: &str,
        (now, ttl): (Millis, Millis),
    ) -> Option<bool> {
        let mut table = self.table();
        if !table.in_memory || table.is_closed {
            return None;
        }
        Some(table.leases.get_mut(&session)?.lease.renew(fence, holder, now, ttl))
    }

    /// Releases a lease in memory; `false` when it is not there.
    pub(super) fn release(&self, session: SessionId, fence: Fence) -> bool {
        let mut table = self.table();
        if !table.in_memory || table.is_closed {
            return false;
        }
        let Some(known) = table.leases.get_mut(&session) else { return false };
        known.lease.release(fence);
        true
    }

    /// Remembers a session that was created just now: nobody has leased it.
    pub(super) fn created(&self, session: SessionId) {
        let mut table = self.table();
        if table.in_memory {
            table.remember(session, Lease::default());
        }
    }

    /// Forgets a session that was deleted.
    pub(super) fn forget(&self, session: SessionId) {
        self.table().leases.remove(&session);
    }

    /// The newest fence of a session, where it is in memory and may be newer than that in the file.
    pub(super) fn newest(&self, session: SessionId) -> Option<u64> {
        let table = self.table();
        let known = table.leases.get(&session).filter(|_| table.in_memory)?;
        Some(known.lease.fence)
    }

    /// A session's lease, where it is in memory.
    pub(super) fn known(&self, session: SessionId) -> Option<Lease> {
        let table = self.table();
        let known = table.leases.get(&session).filter(|_| table.in_memory)?;
        Some(known.lease.clone())
    }

    /// The file has this fence of a session.
    pub(super) fn stored(&self, session: SessionId, fence: Fence) {
        if let Some(known) = self.table().leases.get_mut(&session) {
            known.stored = fence.0;
        }
    }

    /// Writes to the file what only the memory knows of leases. With `share`, they are in the file from here on.
    pub(super) fn store(&self, connection: &Connection, share: bool) -> Result<(), Fault> {
        let mut table = self.table();
        for (session, known) in &table.leases {
            if known.is_unstored() {
                write::put_lease(connection, *session, &known.lease)?;
            }
        }
        if share {
            (table.in_memory, table.sole_since) = (false, None);
        }
        Ok(())
    }

    /// Whether the memory knows what the file does not.
    pub(super) fn has_unstored(&self) -> bool {
        let table = self.table();
        table.in_memory && table.leases.values().any(RememberedLease::is_unstored)
    }

    /// No more leases are given out.
    pub(super) fn close(&self) {
        self.table().is_closed = true;
    }

    /// The leases could not be stored: they stay in memory.
    fn stay_alone(&self) {
        let mut table = self.table();
        (table.in_memory, table.sole_since) = (true, Some(table.epochs));
    }

    /// The others are gone.
    fn regain(&self) {
        let mut table = self.table();
        table.leases.clear();
        table.epochs += 1;
        (table.in_memory, table.sole_since) = (true, Some(table.epochs));
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn remember(&mut self, session: SessionId, lease: Lease) {
        if self.leases.len() >= REMEMBERED {
            self.leases.retain(|_, known| known.is_unstored());
        }
        let (stored, is_taken_in_file) = (lease.fence, lease.holder.is_some());
        self.leases.entry(session).or_insert(RememberedLease { lease, stored, is_taken_in_file });
    }
}

/// The thread that looks for other processes. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins to look; `None` for a file that belongs to one process.
    pub(super) fn start(
        path: &Path,
        locks: Locks,
        presence: &Arc<Presence>,
        threads: &Arc<Threads>,
    ) -> Result<Option<Self>, Error> {
        let Locks { file, join: Some(join) } = locks else { return Ok(None) };
        let files = (file, join);
        let (presence, threads) = (Arc::clone(presence), Arc::clone(threads));
        let (stop, stopped) = channel();
        let thread = Builder::new().name("store-watch".to_owned());
        let thread = thread.spawn(move || watch(&files, &presence, &threads, &stopped));
        let thread = thread.map_err(|error| refusal(path, TryLockError::Error(error)))?;
        Ok(Some(Self { stop: Some(stop), thread: Some(thread) }))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn watch((file, join): &(File, File), presence: &Arc<Presence>, threads: &Threads, stopped: &Receiver<()>) {
    let mut looked = Instant::now();
    while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOK_EVERY) {
        if presence.sole_since().is_some() {
            if is_held(join) {
                let_in(file, presence, threads);
            }
        } else if looked.elapsed() >= REGAIN_EVERY {
            looked = Instant::now();
            look_whether_alone(file, join, presence);
        }
    }
}

/// Whether another process wants to join.
fn is_held(join: &File) -> bool {
    match join.try_lock() {
        Ok(()) => {
            // What cannot be unlocked now is when the file is closed.
            let _ = join.unlock();
            false
        }
        Err(error) => matches!(error, TryLockError::WouldBlock),
    }
}

/// Stores the leases, and lets another process in. If that fails the other one gives up.
fn let_in(file: &File, presence: &Arc<Presence>, threads: &Threads) {
    let known = Arc::clone(presence);
    let stored = threads.write(move |connection| known.store(connection, true));
    let stored = stored.and_then(|answer| answer.blocking_recv().unwrap_or(Err(Error::Closed)));
    match stored {
        Ok(()) => share(file),
        Err(_) => presence.stay_alone(),
    }
}

/// Who joins waits for a shared lock only, so that nobody takes the file between the two.
fn share(file: &File) {
    let until = Instant::now() + PATIENCE;
    let _ = file.unlock();
    while file.try_lock_shared().is_err() && Instant::now() < until {
        std::thread::sleep(PAUSE);
    }
}

fn look_whether_alone(file: &File, join: &File, presence: &Presence) {
    if join.try_lock().is_err() {
        return;
    }
    // Nobody joins meanwhile, and nobody else looks.
    let _ = file.unlock();
    match file.try_lock() {
        Ok(()) => presence.regain(),
        Err(_) => share(file),
    }
    let _ = join.unlock();
}
