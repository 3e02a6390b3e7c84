//! A thread that touches the disk for those who may not wait.
//!
//! Must never be one of the runtime's own: each of those may be waiting for what is read here.

use std::sync::mpsc;

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// Does one job after the other. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct ReadingThread(mpsc::Sender<Job>);

impl ReadingThread {
    pub(super) fn start() -> std::io::Result<Self> {
        let (sender, jobs) = mpsc::channel::<Job>();
        let work = move || {
            for job in jobs {
                job();
            }
        };
        std::thread::Builder::new().name("files".to_owned()).spawn(work)?;
        Ok(Self(sender))
    }

    /// Does `job`; nothing when that cannot be said, as the thread is gone.
    pub(super) async fn run<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, result) = oneshot::channel();
        let job = Box::new(move || drop(done.send(job())));
        self.0.send(job).ok()?;
        result.await.ok()
    }
}
