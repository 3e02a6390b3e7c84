//! A thread that touches the disk for those who may not wait, and files that are read on it.
//!
//! Must never be one of the runtime's own: each of those may be waiting for what is read here.

use std::io::{Read, Seek, SeekFrom};
use std::sync::mpsc;

use tokio::sync::oneshot;

use crate::files::Reader;

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

/// A file that is read from front to back.
pub(super) struct FileSource {
    pub(super) reader: Reader,
    pub(super) at: u64,
}

impl FileSource {
    /// The next `length` bytes; fewer at the end.
    pub(super) fn read(mut self, length: u64) -> std::io::Result<(Self, Vec<u8>)> {
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default().min(8 << 20));
        self.reader.seek(SeekFrom::Start(self.at))?;
        (&mut self.reader).take(length).read_to_end(&mut bytes)?;
        self.at += bytes.len() as u64;
        Ok((self, bytes))
    }
}
