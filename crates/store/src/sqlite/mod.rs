//! One SQLite file: one thread that writes, two that read, and a lock against processes that would not expect each other.
//!
//! Must never answer a writer before its transaction is on the disk. `docs/design/store.md` says why it is built so.

mod fault;
mod open;
mod read;
mod threads;
mod write;

#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod open_tests;
#[cfg(test)]
mod threads_tests;

use std::path::Path;

use rusqlite::Connection;

use self::fault::Fault;
use self::open::Owners;
use self::threads::Threads;
use crate::Error;
use crate::store::{Pending, Store};
use crate::types::{
    Append, Entry, Fence, Millis, Name, NameRow, NewSession, Session, SessionId, SessionSummary,
};

/// Keeps sessions in one file. Dropping it finishes what was asked for and closes.
#[derive(Debug)]
pub struct SqliteStore {
    threads: Threads,
}

impl SqliteStore {
    /// Opens the file at `path`, or begins one; its folder must exist. Two more files stand beside it while it is open
    /// (`-wal`, `-shm`), and one for good (`-lock`).
    ///
    /// # Errors
    /// [`Error::InUse`], [`Error::Damaged`], [`Error::Newer`], [`Error::Full`], and [`Error::Unusable`] where the file
    /// cannot be opened or belongs to another program.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { threads: Threads::start(open::open(path, Owners::One)?)? })
    }

    /// As [`SqliteStore::open`], for a file that several processes have open at once, each of which opens it in this way. An
    /// append that another process was before fails with [`Error::Conflict`], as it does within one.
    ///
    /// # Errors
    /// As [`SqliteStore::open`]; [`Error::InUse`] while a process has it alone.
    pub fn open_shared(path: &Path) -> Result<Self, Error> {
        Ok(Self { threads: Threads::start(open::open(path, Owners::Many)?)? })
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
        self.write(move |connection| write::create(connection, &new))
    }

    fn append(&self, append: Append) -> Pending<'_, u64> {
        self.write(move |connection| write::append(connection, &append))
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
        let holder = holder.to_owned();
        self.write(move |connection| write::lease(connection, session, &holder, now, ttl))
    }

    fn release(&self, session: SessionId, fence: Fence) -> Pending<'_, ()> {
        self.write(move |connection| write::release(connection, session, fence))
    }

    fn due(&self, until: Millis, limit: usize) -> Pending<'_, Vec<SessionId>> {
        self.read(move |connection| read::due(connection, until, limit))
    }

    fn list(&self, after: Option<SessionId>, limit: usize) -> Pending<'_, Vec<SessionSummary>> {
        self.read(move |connection| read::list(connection, after, limit))
    }

    fn value(&self, name: &Name) -> Pending<'_, Option<NameRow>> {
        let name = name.clone();
        self.read(move |connection| read::value(connection, &name))
    }

    fn healthy(&self) -> Pending<'_, ()> {
        // The writer is asked: the readers may well live while it does not.
        self.write(|connection| read::due(connection, 0, 1).map(drop))
    }

    fn close(&self) -> Pending<'_, ()> {
        let ended = self.threads.stop();
        Box::pin(async {
            // The writer drops its end when the file is closed.
            ended?.await.unwrap_or(());
            Ok(())
        })
    }
}
