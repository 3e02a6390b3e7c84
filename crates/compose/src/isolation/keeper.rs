//! The thread that begins workers, and ends those that take too long.
//!
//! A worker ends with the thread that began it (that is how the system tells it of the end of its parent), so it is one that lasts as long
//! as the server. Must never wait for a worker.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::worker_process::{WorkerLife, WorkerProcess, WorkerProgram};

/// How long it waits for something to do when no worker works.
const IDLE: Duration = Duration::from_secs(3600);

/// What the thread is asked for.
enum KeeperOrder {
    /// A worker.
    Begin(Sender<io::Result<WorkerProcess>>),
    /// To end the worker of this job at that time, if it still works then.
    Watch(Weak<WatchedJob>, Instant),
    /// To end.
    Close,
}

/// Asks the thread. Clones ask the same one.
#[derive(Debug, Clone)]
pub(super) struct Keeper(Sender<KeeperOrder>);

/// A job that is to be done in time: until this is dropped.
#[derive(Debug)]
pub(super) struct WatchedJob(Arc<WorkerLife>);

impl Keeper {
    /// Begins the thread.
    pub(super) fn start(program: WorkerProgram) -> io::Result<(Self, JoinHandle<()>)> {
        let (orders, asked) = mpsc::channel();
        let name = "document-workers".to_owned();
        let thread = std::thread::Builder::new().name(name).spawn(move || keep(&program, &asked))?;
        Ok((Self(orders), thread))
    }

    /// Begins a worker.
    pub(super) fn begin(&self) -> io::Result<WorkerProcess> {
        let gone = || io::Error::other("the server is about to stop");
        let (answer, answered) = mpsc::channel();
        self.0.send(KeeperOrder::Begin(answer)).map_err(|_| gone())?;
        answered.recv().map_err(|_| gone())?
    }

    /// Has a worker ended after `time`, unless what this gives is dropped before.
    pub(super) fn watch(&self, life: &Arc<WorkerLife>, time: Duration) -> Arc<WatchedJob> {
        let job = Arc::new(WatchedJob(Arc::clone(life)));
        let _ = self.0.send(KeeperOrder::Watch(Arc::downgrade(&job), Instant::now() + time));
        job
    }

    /// Ends the thread.
    pub(super) fn close(&self) {
        let _ = self.0.send(KeeperOrder::Close);
    }
}

/// Does what is asked, until it is asked to end or nobody is left who could ask.
fn keep(program: &WorkerProgram, asked: &Receiver<KeeperOrder>) {
    let mut watched: Vec<(Weak<WatchedJob>, Instant)> = Vec::new();
    loop {
        let next = watched.iter().map(|(_, until)| until.saturating_duration_since(Instant::now())).min();
        match asked.recv_timeout(next.unwrap_or(IDLE)) {
            // One who does not wait any more has dropped the other end, and the worker ends with its pipes.
            Ok(KeeperOrder::Begin(answer)) => drop(answer.send(program.begin())),
            Ok(KeeperOrder::Watch(job, until)) => watched.push((job, until)),
            Ok(KeeperOrder::Close) | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = Instant::now();
        watched.retain(|(job, until)| {
            let Some(job) = job.upgrade() else { return false };
            if *until > now {
                return true;
            }
            job.0.kill_late();
            false
        });
    }
}
