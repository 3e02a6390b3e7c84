//! Documents are worked on in processes of their own, each within bounds of memory and time.
//!
//! | File | Question it answers |
//! |---|---|
//! | `frames` | how do the two processes speak? |
//! | `worker` | what does a process do that works on documents? |
//! | `worker_process` | how is one begun, asked, and ended? |
//! | `keeper` | who begins them, and ends those that take too long? |
//! | `pool` | which of them does a job, and how is it told why one did not? |
//!
//! The server is the parent, the worker this same program, which has given up all but its pipes. What it answers is bounded and parsed as
//! anything that comes from outside. Must never work on a document in the server when a worker could not.

mod frames;
mod keeper;
mod pool;
#[cfg(target_os = "linux")]
mod worker;
mod worker_process;

#[cfg(all(test, target_os = "linux"))]
mod pool_tests;

use std::sync::Arc;
use std::time::Duration;

use engross_documents::DocumentIsolation;
use engross_protocol::{Exit, Failure};

use crate::settings::ServeSettings;

pub use pool::WorkerPool;

/// The command by which this program is a worker.
pub const COMMAND: &str = "document-worker";

/// Is a worker: to be called at once when the program starts, with what stands behind [`COMMAND`]. Gives the exit code of the process.
#[must_use]
pub fn work(arguments: &[String]) -> u8 {
    #[cfg(target_os = "linux")]
    return worker::run(arguments);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = arguments;
        1
    }
}

/// The workers that the settings ask for; `None` when documents are worked on in the server.
pub(crate) fn start(options: &ServeSettings) -> Result<Option<Arc<WorkerPool>>, Failure> {
    if !options.switch("isolate_documents") {
        return Ok(None);
    }
    let count = |key| usize::try_from(options.number(key)).unwrap_or(usize::MAX);
    let bounds = worker_process::WorkerBounds {
        memory: options.number("document_memory_mib") << 20,
        time: Duration::from_secs(options.number("document_seconds")),
        workers: count("document_workers"),
    };
    let missing = engross_sandbox::Support::of_kernel().missing();
    let started = match missing {
        Some(missing) => Err(missing),
        None => WorkerPool::start(worker_process::WorkerProgram::own(&bounds), bounds),
    };
    started.map(|pool| Some(Arc::new(pool))).map_err(|problem| {
        let message = format!(
            "documents cannot be worked on in processes of their own here: {problem}; take isolate_documents away"
        );
        Failure::new(Exit::Io, engross_documents::codes::DOCUMENT_WORKER_UNAVAILABLE.name, message)
    })
}

/// Where documents are worked on, by these workers.
pub(crate) fn isolation(pool: Option<&Arc<WorkerPool>>) -> DocumentIsolation {
    pool.map_or_else(DocumentIsolation::default, |pool| DocumentIsolation::by(Arc::clone(pool) as _))
}
