//! One SQLite file: one thread that writes, two that read, and what processes that share it must know of each other.
//!
//! Must never answer a writer before its transaction is on the disk. `docs/design/store.md` says why it is built so.

mod fault;
mod locks;
mod open;
mod presence;
mod read;
mod threads;
mod write;

#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod open_tests;
#[cfg(test)]
mod threads_tests;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use self::fault::Fault;
use self::locks::Locks;
use self::presence::{Answer, Presence, Watch};
use self::threads::Threads;
use crate::Error;
use crate::store::{Pending, Store};
use crate::types::{
    Append, Entry, Fence, Millis, Name, NameRow, NewSession, Session, SessionId, SessionSummary,
};

/// With less room than this on its disk a store is not well, whether or not a request has met that yet.
#[cfg(unix)]
const ROOM: u64 = 1 << 20;

/// Keeps sessions in one file. Dropping it finishes what was asked for and closes.
#[derive(Debug)]
pub struct SqliteStore {
    presence: Arc<Presence>,
    watch: Mutex<Option<Watch>>,
    threads: Arc<Threads>,
    path: PathBuf,
}

impl SqliteStore {
    /// Opens the file at `path` for this process alone, or begins one; its folder must exist. Two more files stand beside it
    /// while it is open (`-wal`, `-shm`), and one for good (`-lock`).
    ///
    /// # Errors
    /// [`Error::InUse`], [`Error::Damaged`], [`Error::Newer`], [`Error::Full`], and [`Error::Unusable`] where the file
    /// cannot be opened or belongs to another program.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::start(path, Locks::exclusive(path)?, Presence::exclusive())
    }

    /// As [`SqliteStore::open`], for a file that several processes have open at once, each of which opens it in this way
    /// (one more file stands beside it, `-join`). Who writes a session holds its lease; without one, an append that another
    /// process was before fails with [`Error::Conflict`], as it does within one process.
    ///
    /// # Errors
    /// As [`SqliteStore::open`]; [`Error::InUse`] while a process has it alone.
    pub fn open_shared(path: &Path) -> Result<Self, Error> {
        let (locks, is_alone) = Locks::join(path)?;
        Self::start(path, locks, Presence::joint(is_alone))
    }

    fn start(path: &Path, locks: Locks, presence: Presence) -> Result<Self, Error> {
        let opened = open::open(path, locks)?;
        let (locks, presence) = (opened.locks.copy(path)?, Arc::new(presence));
        let threads = Arc::new(Threads::start(opened)?);
        let watch = Watch::start(path, locks, &presence, &threads)?;
        Ok(Self { presence, watch: Mutex::new(watch), threads, path: path.to_owned() })
    }

    /// Ends the search for other processes, and stores leases that are only in memory.
    fn settle(&self) {
        drop(self.watch.lock().unwrap_or_else(PoisonError::into_inner).take());
        if self.presence.has_unstored() {
            let presence = Arc::clone(&self.presence);
            // What cannot be stored now was given out by a process that ends: nobody writes by it any more.
            drop(self.threads.write(move |connection| presence.store(connection, false)));
        }
        self.presence.close();
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Pending<'_, T> {
        let answer = self.threads.write(work);
        Box::pin(async { answer?.await.unwrap_or(Err(Error::Closed)) })
    }

    fn read<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Pending<'_, T> {
        let answer = self.threads.read(work);
        Box::pin(async { answer?.await.unwrap_or(Err(Error::Closed)) })
    }
}

impl Store for SqliteStore {
    fn load(&self, name: &Name) -> Pending<'_, Option<Session>> {
        let name = name.clone();
        self.read(move |connection| read::load(connection, &name))
    }

    fn load_by_id(&self, session: SessionId) -> Pending<'_, Option<Session>> {
        self.read(move |connection| read::load_by_id(connection, session))
    }

    fn create(&self, new: NewSession) -> Pending<'_, (Session, bool)> {
        let (presence, id) = (Arc::clone(&self.presence), new.id);
        let created = self.write(move |connection| write::create(connection, &new));
        Box::pin(async move {
            let created = created.await?;
            if created.1 {
                presence.created(id);
            }
            Ok(created)
        })
    }

    fn append(&self, append: Append) -> Pending<'_, u64> {
        let (session, fence) = (append.session, append.fence);
        let presence = Arc::clone(&self.presence);
        let appended =
            self.write(move |connection| write::append(connection, &append, presence.newest(session)));
        Box::pin(async move {
            let head = appended.await?;
            if let Some(fence) = fence {
                self.presence.stored(session, fence);
            }
            Ok(head)
        })
    }

    fn delete(&self, session: SessionId) -> Pending<'_, bool> {
        let erased = self.threads.erased();
        let presence = Arc::clone(&self.presence);
        let deleted = self.write(move |connection| {
            erased.store(true, Ordering::SeqCst);
            write::delete(connection, session)
        });
        Box::pin(async move {
            let deleted = deleted.await?;
            presence.forget(session);
            Ok(deleted)
        })
    }

    fn entries(&self, session: SessionId, after: u64, limit: usize) -> Pending<'_, Vec<Entry>> {
        self.read(move |connection| read::entries(connection, session, after, limit))
    }

    fn lease(
        &self,
        session: SessionId,
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Option<Fence>> {
        let in_file = move |holder: String| {
            self.write(move |connection| write::lease(connection, session, &holder, now, ttl))
        };
        match self.presence.lease(session, holder, (now, ttl), None) {
            Answer::Done(fence) => Box::pin(std::future::ready(Ok(fence))),
            Answer::InFile => in_file(holder.to_owned()),
            Answer::Unread => {
                let holder = holder.to_owned();
                let row = self.read(move |connection| write::read_lease(connection, session));
                Box::pin(async move {
                    match self.presence.lease(session, &holder, (now, ttl), Some(row.await?)) {
                        Answer::Done(fence) => Ok(fence),
                        Answer::InFile | Answer::Unread => in_file(holder).await,
                    }
                })
            }
        }
    }

    fn renew(
        &self,
        leases: &[(SessionId, Fence)],
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Vec<SessionId>> {
        let (mut lost, mut in_file) = (Vec::new(), Vec::new());
        for lease in leases {
            match self.presence.renew(*lease, holder, (now, ttl)) {
                Some(true) => {}
                Some(false) => lost.push(lease.0),
                None => in_file.push(*lease),
            }
        }
        if in_file.is_empty() {
            return Box::pin(std::future::ready(Ok(lost)));
        }
        let holder = holder.to_owned();
        let renewed = self.write(move |connection| write::renew(connection, &in_file, &holder, now, ttl));
        Box::pin(async move {
            lost.extend(renewed.await?);
            Ok(lost)
        })
    }

    fn release(&self, session: SessionId, fence: Fence) -> Pending<'_, ()> {
        if self.presence.release(session, fence) {
            return Box::pin(std::future::ready(Ok(())));
        }
        self.write(move |connection| write::release(connection, session, fence))
    }

    fn sole_since(&self) -> Option<u64> {
        self.presence.sole_since()
    }

    fn due(&self, until: Millis, limit: usize) -> Pending<'_, Vec<SessionId>> {
        self.read(move |connection| read::due(connection, until, limit))
    }

    fn list(
        &self,
        group: Option<&str>,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        let group = group.map(str::to_owned);
        self.read(move |connection| read::list(connection, group.as_deref(), after, limit))
    }

    fn unchanged(
        &self,
        until: Millis,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        self.read(move |connection| read::unchanged(connection, until, after, limit))
    }

    fn delete_idle(&self, sessions: &[(SessionId, u64)], now: Millis) -> Pending<'_, Vec<SessionId>> {
        let erased = self.threads.erased();
        let (leased, forgotten) = (Arc::clone(&self.presence), Arc::clone(&self.presence));
        let sessions = sessions.to_vec();
        let deleted = self.write(move |connection| {
            erased.store(true, Ordering::SeqCst);
            let mut deleted = Vec::new();
            for (session, head) in &sessions {
                let lease = leased.known(*session);
                if write::delete_idle(connection, *session, *head, lease, now)? {
                    deleted.push(*session);
                }
            }
            Ok(deleted)
        });
        Box::pin(async move {
            let deleted = deleted.await?;
            for session in &deleted {
                forgotten.forget(*session);
            }
            Ok(deleted)
        })
    }

    fn group_size(&self, group: &str) -> Pending<'_, u64> {
        let group = group.to_owned();
        self.read(move |connection| read::group_size(connection, &group))
    }

    fn size(&self, session: SessionId) -> Pending<'_, u64> {
        self.read(move |connection| read::size(connection, session))
    }

    fn names(&self, session: SessionId) -> Pending<'_, Vec<(Name, Vec<u8>)>> {
        self.read(move |connection| read::names(connection, session))
    }

    fn value(&self, name: &Name) -> Pending<'_, Option<NameRow>> {
        let name = name.clone();
        self.read(move |connection| read::value(connection, &name))
    }

    fn healthy(&self) -> Pending<'_, ()> {
        // The writer is asked: the readers may well live while it does not.
        let path = self.path.clone();
        self.write(move |connection| {
            if !has_room(&path) {
                return Err(Error::Full { place: fault::place(&path) }.into());
            }
            read::due(connection, 0, 1).map(drop)
        })
    }

    fn close(&self) -> Pending<'_, ()> {
        self.settle();
        let ended = self.threads.stop();
        Box::pin(async {
            // The writer drops its end when the file is closed.
            ended?.await.unwrap_or(());
            Ok(())
        })
    }
}

/// Whether the disk of a file has room for more. Where the system does not say, it has.
#[cfg(unix)]
fn has_room(path: &Path) -> bool {
    rustix::fs::statvfs(path).map_or(true, |disk| disk.f_bavail.saturating_mul(disk.f_frsize) >= ROOM)
}

#[cfg(not(unix))]
fn has_room(_: &Path) -> bool {
    true
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.settle();
    }
}
