//! The threads that own the connections, and what runs on them.
//!
//! The writer commits whatever has queued up as one transaction and answers only then. The more callers there are, the
//! more of them share one wait for the disk.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::fault::{Fault, meaning, place};
use super::open::{OpenDatabase, reader};
use crate::Error;

/// Enough that a slow read does not hold up the others; two is what a small machine can run at once.
const READERS: usize = 2;

/// The requests of one transaction, so that the first of them is not kept waiting for ever.
const GROUP: usize = 256;

/// How long it is waited before the log of a file is emptied again, of which something was deleted while somebody read; and how often that is
/// tried before the file is closed.
const ERASE_AGAIN: (Duration, usize) = (Duration::from_millis(200), 25);

/// The handles of the threads. Dropping them ends the threads after what is queued.
#[derive(Debug)]
pub(super) struct Threads {
    queues: Mutex<Option<Queues>>,
    writer: Option<JoinHandle<()>>,
    erased: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Queues {
    write: Sender<Box<dyn Work>>,
    read: Sender<Box<dyn Work>>,
    /// Closed by the writer as the last thing it does.
    ended: oneshot::Receiver<()>,
}

/// Something to do on a connection, and somebody who waits for it.
trait Work: Send {
    /// Does it, possibly again after its transaction was lost.
    ///
    /// # Errors
    /// When the transaction is lost.
    fn run(&mut self, connection: &Connection) -> Result<(), rusqlite::Error>;

    /// Tells the outcome: that of the last run, or that of its transaction.
    fn answer(self: Box<Self>, lost: Option<Error>);
}

struct Request<T, F> {
    work: F,
    outcome: Result<T, Error>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T: Send, F: FnMut(&Connection) -> Result<T, Fault> + Send> Work for Request<T, F> {
    fn run(&mut self, connection: &Connection) -> Result<(), rusqlite::Error> {
        self.outcome = match (self.work)(connection) {
            Ok(value) => Ok(value),
            Err(Fault::Refused(error)) => Err(error),
            Err(Fault::Sql(error)) => return Err(error),
        };
        Ok(())
    }

    fn answer(self: Box<Self>, lost: Option<Error>) {
        let outcome = lost.map_or(self.outcome, Err);
        // The caller may have gone away.
        drop(self.reply.send(outcome));
    }
}

/// An answer that is still to come.
type Answer<T> = oneshot::Receiver<Result<T, Error>>;

impl Threads {
    /// Starts the threads on an open file.
    pub(super) fn start(opened: OpenDatabase) -> Result<Self, Error> {
        let erased = Arc::new(AtomicBool::new(false));
        let to_erase = Arc::clone(&erased);
        let (write, to_write) = channel();
        let (read, to_read) = channel();
        let (end, ended) = oneshot::channel();
        let to_read = Arc::new(Mutex::new(to_read));
        let place = place(&opened.path);
        let unusable =
            |error: std::io::Error| Error::Unusable { place: place.clone(), message: error.to_string() };
        let mut readers = Vec::new();
        for _ in 0..READERS {
            let connection = reader(&opened.path).map_err(|error| meaning(&error, &place))?;
            let (queue, place) = (to_read.clone(), place.clone());
            let thread = Builder::new().name("store-read".to_owned());
            readers.push(thread.spawn(move || read_all(&connection, &queue, &place)).map_err(unusable)?);
        }
        let thread = Builder::new().name("store-write".to_owned());
        let writer = thread
            .spawn(move || {
                let OpenDatabase { path, writer, locks } = opened;
                write_all(&writer, &to_write, &path, &to_erase);
                // Last of all, so that closing it can remove its files.
                for reader in readers {
                    drop(reader.join());
                }
                drop(writer);
                // Closing alone would not do while a process that is just being started has a copy of it.
                drop(locks.file.unlock());
                drop(end);
            })
            .map_err(unusable)?;
        let queues = Mutex::new(Some(Queues { write, read, ended }));
        Ok(Self { queues, writer: Some(writer), erased })
    }

    /// Set by what erases something: before its answer, the log that the file has beside it is emptied, which still holds what was
    /// erased.
    pub(super) fn erased(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.erased)
    }

    /// Runs `work` on the writer's connection, within a transaction.
    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<Answer<T>, Error> {
        self.send(work, |queues| &queues.write)
    }

    /// Runs `work` on a reader's connection, within a transaction.
    pub(super) fn read<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<Answer<T>, Error> {
        self.send(work, |queues| &queues.read)
    }

    /// Lets the threads end after what is queued; resolves when the file is closed.
    pub(super) fn stop(&self) -> Result<oneshot::Receiver<()>, Error> {
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner).take();
        queues.map(|queues| queues.ended).ok_or(Error::Closed)
    }

    fn send<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, Fault> + Send + 'static,
        choose: impl FnOnce(&Queues) -> &Sender<Box<dyn Work>>,
    ) -> Result<Answer<T>, Error> {
        let (reply, answer) = oneshot::channel();
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = choose(queues.as_ref().ok_or(Error::Closed)?);
        let waited = Request { work, outcome: Err(Error::Closed), reply };
        queue.send(Box::new(waited)).map_err(|_| Error::Closed)?;
        Ok(answer)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        drop(self.stop());
        if let Some(writer) = self.writer.take() {
            drop(writer.join());
        }
    }
}

fn read_all(connection: &Connection, queue: &Mutex<Receiver<Box<dyn Work>>>, place: &str) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut work) = next else { return };
        let lost = in_transaction(connection, "BEGIN", |connection| work.run(connection));
        work.answer(lost.err().map(|error| meaning(&error, place)));
    }
}

fn write_all(connection: &Connection, queue: &Receiver<Box<dyn Work>>, path: &Path, erased: &AtomicBool) {
    let place = place(path);
    let opened = identity(path);
    while let Some(first) = next_write(connection, queue, erased) {
        let mut group = vec![first];
        group.extend(queue.try_iter().take(GROUP - 1));
        let together = in_transaction(connection, "BEGIN IMMEDIATE", |connection| {
            group.iter_mut().try_for_each(|work| work.run(connection))
        });
        empty_log(connection, erased);
        let is_there = identity(path) == opened;
        for mut work in group {
            // What fails together may succeed alone: one large request must not fail its neighbours on a full disk.
            let lost = match &together {
                Ok(()) => None,
                Err(_) => in_transaction(connection, "BEGIN IMMEDIATE", |connection| work.run(connection))
                    .err()
                    .map(|error| meaning(&error, &place)),
            };
            work.answer(lost.or_else(|| (!is_there).then(|| replaced(&place))));
        }
    }
}

/// The next request to write; nothing when there will be none. What was deleted leaves the log of the file also when nobody writes any more.
fn next_write(
    connection: &Connection,
    queue: &Receiver<Box<dyn Work>>,
    erased: &AtomicBool,
) -> Option<Box<dyn Work>> {
    while erased.load(Ordering::SeqCst) {
        match queue.recv_timeout(ERASE_AGAIN.0) {
            Ok(next) => return Some(next),
            Err(RecvTimeoutError::Timeout) => empty_log(connection, erased),
            Err(RecvTimeoutError::Disconnected) => {
                for _ in 0..ERASE_AGAIN.1 {
                    empty_log(connection, erased);
                    if !erased.load(Ordering::SeqCst) {
                        break;
                    }
                    std::thread::sleep(ERASE_AGAIN.0);
                }
                return None;
            }
        }
    }
    queue.recv().ok()
}

/// Empties the log of the file, in which pages stand as they were before something was deleted, if there is need.
fn empty_log(connection: &Connection, erased: &AtomicBool) {
    if erased.swap(false, Ordering::SeqCst) {
        let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        // A reader, perhaps of another process, was in the way.
        erased.fetch_or(emptied != Ok(0), Ordering::SeqCst);
    }
}

/// Which file is at a path.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    // What the numbers are is the system's matter, and differs.
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

/// What is written goes to a file that nobody finds again.
fn replaced(place: &str) -> Error {
    let message = "it was moved, deleted or replaced while it is in use, and what is written now is lost; stop every program that \
                   uses it and put the right file there";
    Error::Unusable { place: place.to_owned(), message: message.to_owned() }
}

/// Does `work` wholly or not at all.
fn in_transaction(
    connection: &Connection,
    begin: &'static str,
    work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let run = |statement| connection.prepare_cached(statement)?.execute([]).map(drop);
    run(begin)?;
    let done = work(connection).and_then(|()| run("COMMIT"));
    // A full disk can have ended the transaction already.
    if done.is_err() && !connection.is_autocommit() {
        run("ROLLBACK")?;
    }
    done
}
