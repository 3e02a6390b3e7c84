//! The SHA-256 of bytes that come one after another: of few where they come, of many on a thread beside.
//!
//! Must never keep more than some blocks of them, nor give a sum that lacks any.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

/// From so many bytes on a thread is worth it.
const MANY: u64 = 1 << 20;
/// Bytes that are handed over at once.
const BLOCK: usize = 128 << 10;
/// Blocks that may wait.
const WAITING: usize = 4;

/// The sum so far.
#[derive(Debug, Default)]
pub(super) struct Digest {
    here: Sha256,
    length: u64,
    beside: Option<DigestThread>,
}

/// The thread that has taken over.
#[derive(Debug)]
struct DigestThread {
    work: SyncSender<Work>,
    /// Blocks that are done with.
    spare: Mutex<Receiver<Vec<u8>>>,
    /// What was not handed over yet.
    pending: Vec<u8>,
}

enum Work {
    Bytes(Vec<u8>),
    Sum(SyncSender<Sha256>),
}

impl Digest {
    /// Takes what comes next. Without the thread, should it be gone, there is no sum.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        if self.beside.is_none() && self.length >= MANY {
            self.beside = DigestThread::start(self.here.clone());
        }
        self.length += bytes.len() as u64;
        match &mut self.beside {
            None => self.here.update(bytes),
            Some(beside) => bytes.chunks(BLOCK).for_each(|bytes| beside.update(bytes)),
        }
    }

    /// The sum of all bytes; `None` when it is not known.
    pub(super) fn sum(&self) -> Option<Sha256> {
        match &self.beside {
            None => Some(self.here.clone()),
            Some(beside) => beside.sum(),
        }
    }
}

impl DigestThread {
    /// Nothing when there can be no further thread.
    fn start(mut sum: Sha256) -> Option<Self> {
        let (work, todo) = sync_channel(WAITING);
        let (done, spare) = sync_channel(WAITING);
        let run = move || {
            for work in todo {
                match work {
                    Work::Bytes(bytes) => {
                        sum.update(&bytes);
                        // One too many is freed.
                        drop(done.try_send(bytes));
                    }
                    // Who asked and went away misses nothing.
                    Work::Sum(answer) => drop(answer.send(sum.clone())),
                }
            }
        };
        std::thread::Builder::new().name("sha256".to_owned()).spawn(run).ok()?;
        Some(Self { work, spare: Mutex::new(spare), pending: Vec::with_capacity(BLOCK) })
    }

    fn update(&mut self, bytes: &[u8]) {
        if self.pending.len() + bytes.len() > BLOCK {
            let mut block =
                self.spare.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv().unwrap_or_default();
            block.clear();
            block.reserve(BLOCK);
            // If the thread is gone, so is the sum: the one who asks for it is not answered.
            drop(self.work.send(Work::Bytes(std::mem::replace(&mut self.pending, block))));
        }
        self.pending.extend_from_slice(bytes);
    }

    fn sum(&self) -> Option<Sha256> {
        let (answer, sum) = sync_channel(1);
        self.work.send(Work::Sum(answer)).ok()?;
        let mut sum = sum.recv().ok()?;
        sum.update(&self.pending);
        Some(sum)
    }
}
