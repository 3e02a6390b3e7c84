//! One worker, as the server sees it: begun, asked, ended.
//!
//! Must never leave a process that nobody waits for.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engross_documents::{DocumentJob, JobReply};
use serde::{Deserialize, Serialize};

use super::COMMAND;
use super::frames;

/// Bytes of a worker's stack: less than a thread of the server has, so that what is deep enough to break it breaks the worker first.
pub(super) const STACK: u64 = 3 << 19;

/// How long a worker may take to end that has nobody left to speak with.
const ENDING: Duration = Duration::from_millis(200);

/// Bytes that are read of what a worker said last.
const LAST_BYTES: u64 = 4 << 10;

/// What workers may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkerBounds {
    /// Bytes of memory of each.
    pub(super) memory: u64,
    /// What each may compute for a job.
    pub(super) time: Duration,
    /// How many there may be.
    pub(super) workers: usize,
}

/// What a worker answers; files go with it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WorkerAnswer {
    pub(super) reply: JobReply,
    /// Bytes of it that are in memory.
    pub(super) resident: u64,
}

/// How a worker is begun.
#[derive(Debug, Clone)]
pub(super) struct WorkerProgram {
    pub(super) program: OsString,
    pub(super) arguments: Vec<String>,
}

impl WorkerProgram {
    /// This program, as it runs: also where its file was replaced meanwhile.
    pub(super) fn own(bounds: &WorkerBounds) -> Self {
        let numbers = [bounds.memory, bounds.time.as_secs(), u64::from(std::process::id())];
        let arguments = std::iter::once(COMMAND.to_owned()).chain(numbers.map(|number| number.to_string()));
        Self { program: "/proc/self/exe".into(), arguments: arguments.collect() }
    }

    /// Begins a worker, with nothing of this process's environment.
    pub(super) fn begin(&self) -> io::Result<WorkerProcess> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            // The C library gives back what a document took.
            .envs([("MALLOC_ARENA_MAX", "1"), ("MALLOC_TRIM_THRESHOLD_", "1048576")])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(io::Error::other("it has no pipes"));
        };
        let life = Arc::new(WorkerLife { child: Mutex::new(child), is_late: AtomicBool::new(false) });
        Ok(WorkerProcess { life, stdin, stdout, stderr, jobs: 0 })
    }
}

/// A process that may be ended by several.
#[derive(Debug)]
pub(super) struct WorkerLife {
    child: Mutex<Child>,
    /// Whether it was ended since it took too long.
    is_late: AtomicBool,
}

impl WorkerLife {
    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it.
    pub(super) fn kill(&self) {
        // It has ended already, else.
        let _ = self.child().kill();
    }

    /// Ends it since it takes too long.
    pub(super) fn kill_late(&self) {
        self.is_late.store(true, Ordering::SeqCst);
        self.kill();
    }

    /// Whether it was ended since it took too long.
    pub(super) fn was_late(&self) -> bool {
        self.is_late.load(Ordering::SeqCst)
    }

    /// Whether it can still be asked.
    pub(super) fn is_alive(&self) -> bool {
        matches!(self.child().try_wait(), Ok(None))
    }

    /// Waits for its end, which is made where it does not come; gives how it ended by itself.
    fn ended(&self) -> Option<ExitStatus> {
        // A process that ends lets go of its pipes first.
        let until = Instant::now() + ENDING;
        loop {
            match self.child().try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => {}
                Ok(None) | Err(_) => break,
            }
            std::thread::sleep(ENDING / 200);
        }
        let mut child = self.child();
        let _ = child.kill();
        let _ = child.wait();
        None
    }
}

/// A worker that does one job at a time.
#[derive(Debug)]
pub(super) struct WorkerProcess {
    pub(super) life: Arc<WorkerLife>,
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
    /// Jobs that it has done.
    pub(super) jobs: usize,
}

impl WorkerProcess {
    /// Has it do a job; its answer has at most `most` bytes.
    pub(super) fn ask(
        &mut self,
        job: &DocumentJob,
        files: &[&[u8]],
        most: u64,
    ) -> io::Result<(WorkerAnswer, Vec<Vec<u8>>)> {
        frames::write(&mut self.stdin, job, files)?;
        let answer = frames::read(&mut self.stdout, most)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        self.jobs += 1;
        Ok(answer)
    }

    /// Ends it, and tells how it ended, if it did by itself or by somebody else, and what it said last.
    pub(super) fn end(mut self) -> (Option<ExitStatus>, String) {
        drop((self.stdin, self.stdout));
        let status = self.life.ended();
        let mut last = Vec::new();
        // Whatever can be read is read: nobody writes any more.
        let _ = self.stderr.by_ref().take(LAST_BYTES).read_to_end(&mut last);
        (status, String::from_utf8_lossy(&last).trim().to_owned())
    }
}
