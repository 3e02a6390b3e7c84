//! The workers: as many as may be, one job at a time each, and why one did not do its own.
//!
//! A worker is kept for the next job unless it holds much memory. Must never start more than is allowed, nor give a job to one that another
//! job has harmed.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engross_documents::{DocumentJob, JobInterruption, JobReply, JobRunner};

use super::keeper::Keeper;
use super::worker_process::{WorkerBounds, WorkerLife, WorkerProcess, WorkerProgram};

/// A worker that holds more than this after a job is not kept.
const KEPT_BYTES: u64 = 64 << 20;

/// A worker that has done so many jobs is not kept.
const KEPT_JOBS: usize = 1_000;

/// The time on the clock, in times of what a job may compute: other programs need the processor, too.
const PATIENCE: u32 = 2;

/// How many may wait for each worker.
const WAITING: usize = 32;

/// How long a process that was ended from outside may seem to be alive.
const DYING: Duration = Duration::from_millis(100);

/// The signals that tell why a worker ended, by number.
const SIGNALS: [(i32, &str); 4] = [
    (4, "by an instruction that there is not"),
    (7, "by memory that there is not"),
    (11, "by nesting that is too deep"),
    (31, "by a call that it may not make"),
];

/// What a process is ended with that needs too long.
const TOO_LONG: i32 = 24;

/// What a process is ended with from outside.
const KILLED: i32 = 9;

/// What the C library, Rust and the kernel say when there is no memory.
const NO_MEMORY: &str = "memory allocation of";

/// Workers.
#[derive(Debug)]
pub struct WorkerPool {
    bounds: WorkerBounds,
    keeper: Keeper,
    state: Mutex<PoolState>,
    freed: Condvar,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct PoolState {
    idle: Vec<WorkerProcess>,
    /// Those at work, or about to begin.
    busy: usize,
    /// How many wait for one.
    waiting: usize,
    /// All that may be alive.
    all: Vec<Weak<WorkerLife>>,
    is_closed: bool,
}

/// The right to have one worker, given back when it is dropped.
struct WorkerSlot<'a>(&'a WorkerPool);

impl Drop for WorkerSlot<'_> {
    fn drop(&mut self) {
        self.0.state().busy -= 1;
        self.0.freed.notify_one();
    }
}

impl WorkerPool {
    /// Begins with no worker.
    pub(super) fn new(program: WorkerProgram, bounds: WorkerBounds) -> io::Result<Self> {
        let (keeper, thread) = Keeper::start(program)?;
        let thread = Mutex::new(Some(thread));
        Ok(Self { bounds, keeper, state: Mutex::default(), freed: Condvar::new(), thread })
    }

    /// Begins with one worker, which shows that there can be some.
    pub(super) fn start(program: WorkerProgram, bounds: WorkerBounds) -> Result<Self, String> {
        let pool = Self::new(program, bounds).map_err(|error| error.to_string())?;
        let first = DocumentJob::Compose { markdown: "# Work".to_owned() };
        match pool.run(&first, &[]) {
            Ok(_) => Ok(pool),
            Err(JobInterruption::Limit(problem) | JobInterruption::Unavailable(problem)) => Err(problem),
            Err(JobInterruption::Stopped) => Err("it was ended".to_owned()),
        }
    }

    /// Ends all workers, those at work, too. There are none any more then.
    pub fn close(&self) {
        let (idle, all) = {
            let mut state = self.state();
            state.is_closed = true;
            (std::mem::take(&mut state.idle), std::mem::take(&mut state.all))
        };
        all.iter().filter_map(Weak::upgrade).for_each(|life| life.kill());
        self.freed.notify_all();
        for worker in idle {
            worker.end();
        }
        let state = self.state();
        // Those at work have no worker any more, and give back their slots.
        let patience = Duration::from_secs(5);
        drop(self.freed.wait_timeout_while(state, patience, |state| state.busy > 0));
        self.keeper.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the right to have a worker.
    fn slot(&self) -> Result<WorkerSlot<'_>, JobInterruption> {
        let until = Instant::now() + self.bounds.time * PATIENCE;
        let mut state = self.state();
        loop {
            if state.is_closed {
                return Err(JobInterruption::Stopped);
            }
            if state.busy < self.bounds.workers {
                state.busy += 1;
                return Ok(WorkerSlot(self));
            }
            let left = until.saturating_duration_since(Instant::now());
            let workers = self.bounds.workers;
            // Each that waits holds a thread, which others need, too.
            if left.is_zero() || state.waiting >= workers * WAITING {
                return Err(JobInterruption::Unavailable(format!(
                    "all {workers} processes for documents are busy; try again in a moment, or raise document_workers"
                )));
            }
            state.waiting += 1;
            let waited = self.freed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.waiting -= 1;
        }
    }

    /// A worker that waits, or a new one.
    fn worker(&self) -> Result<WorkerProcess, JobInterruption> {
        loop {
            let idle = self.state().idle.pop();
            match idle {
                Some(worker) if worker.life.is_alive() => return Ok(worker),
                // Somebody has ended it while it had nothing to do.
                Some(worker) => drop(worker.end()),
                None => break,
            }
        }
        let begun = self.keeper.begin().map_err(|error| {
            tracing::warn!(%error, "no process for documents could be started");
            JobInterruption::Unavailable(format!("no process for documents could be started: {error}"))
        })?;
        let mut state = self.state();
        state.all.retain(|life| life.strong_count() > 0);
        state.all.push(Arc::downgrade(&begun.life));
        let is_closed = state.is_closed;
        drop(state);
        if is_closed {
            begun.end();
            return Err(JobInterruption::Stopped);
        }
        Ok(begun)
    }

    /// Keeps a worker that has answered for the next job, if it is none the worse for it.
    fn keep(&self, worker: WorkerProcess, resident: u64) {
        let mut state = self.state();
        if resident <= KEPT_BYTES && worker.jobs < KEPT_JOBS && !state.is_closed {
            state.idle.push(worker);
        } else {
            drop(state);
            worker.end();
        }
    }

    /// Why a worker has not answered.
    fn why(&self, worker: WorkerProcess, error: &io::Error) -> JobInterruption {
        let life = Arc::clone(&worker.life);
        let (status, last) = worker.end();
        if self.state().is_closed {
            return JobInterruption::Stopped;
        }
        #[cfg(unix)]
        let signal = status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status));
        #[cfg(not(unix))]
        let signal = None;
        tracing::warn!(?status, last, %error, "a process for documents ended before its job");
        let (seconds, mib) = (self.bounds.time.as_secs(), self.bounds.memory >> 20);
        let limit = if life.was_late() || signal == Some(TOO_LONG) {
            format!(
                "working on it took longer than {seconds} seconds; send a smaller document, or raise document_seconds"
            )
        } else if last.contains(NO_MEMORY) {
            format!(
                "working on it took more than {mib} MiB of memory; send a smaller document, or raise document_memory_mib"
            )
        } else if error.kind() == io::ErrorKind::FileTooLarge {
            format!(
                "what comes of it is larger than {mib} MiB; send a smaller document, or raise document_memory_mib"
            )
        } else if error.kind() == io::ErrorKind::InvalidData {
            "what the process that worked on it answered cannot be used; save the document again in Word"
                .to_owned()
        } else if signal == Some(KILLED) {
            return JobInterruption::Unavailable(
                "the process that worked on it was ended from outside; try again".to_owned(),
            );
        } else if let Some(code) = status.and_then(|status| status.code()).filter(|_| signal.is_none())
            && code != 0
        {
            let last = if last.is_empty() { format!("exit code {code}") } else { last };
            format!("the process that worked on it gave up ({last}); save the document again in Word")
        } else {
            let known = SIGNALS.iter().find(|(number, _)| Some(*number) == signal);
            let how = known.map_or("without a word", |(_, how)| how);
            format!("the process that worked on it was ended {how}; save the document again in Word")
        };
        JobInterruption::Limit(limit)
    }
}

impl JobRunner for WorkerPool {
    fn run(&self, job: &DocumentJob, files: &[&[u8]]) -> Result<(JobReply, Vec<Vec<u8>>), JobInterruption> {
        let _slot = self.slot()?;
        let mut is_again = false;
        loop {
            let mut worker = self.worker()?;
            let is_used = worker.jobs > 0;
            let began = Instant::now();
            let watched = self.keeper.watch(&worker.life, self.bounds.time * PATIENCE);
            let answer = worker.ask(job, files, self.bounds.memory);
            drop(watched);
            let error = match answer {
                Ok((answer, files)) => {
                    self.keep(worker, answer.resident);
                    return Ok((answer.reply, files));
                }
                Err(error) => error,
            };
            let why = self.why(worker, &error);
            let was_dying = is_used && !is_again && began.elapsed() < DYING;
            if !(was_dying && matches!(why, JobInterruption::Unavailable(_))) {
                return Err(why);
            }
            // Somebody ended it just before it was asked.
            is_again = true;
        }
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.close();
    }
}
