//! The SHA-256 of bytes that come one after another: of few where they come, of many on a thread beside.
//!
//! Must never keep more than some blocks of them, nor give a sum that lacks any.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

/// From so many bytes on a thread is worth it.
const MANY: u64 = 1 << 20;
/// Bytes that are handed over at once.
const BLOCK: usize = 128 << 10;
/// What is handed over without being copied has so many bytes at least: it keeps all of its buffer in memory.
const SHARED: usize = 32 << 10;
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
    Shared(Bytes),
    Sum(SyncSender<Sha256>),
}

impl Digest {
    /// Takes what comes next, which may be a part of `source`. Without the thread, should it be gone, there is no sum.
    pub(super) fn update(&mut self, bytes: &[u8], source: Option<&Bytes>) {
        if self.beside.is_none() && self.length >= MANY {
            self.beside = DigestThread::start(self.here.clone());
        }
        self.length += bytes.len() as u64;
        match &mut self.beside {
            None => self.here.update(bytes),
            Some(beside) => match source.and_then(|source| part_of(source, bytes)) {
                Some(part) => beside.share(part),
                None => bytes.chunks(BLOCK).for_each(|bytes| beside.update(bytes)),
            },
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
                    Work::Shared(bytes) => sum.update(&bytes),
                    // Who asked and went away misses nothing.
                    Work::Sum(answer) => drop(answer.send(sum.clone())),
                }
            }
        };
        std::thread::Builder::new().name("sha256".to_owned()).spawn(run).ok()?;
        Some(Self { work, spare: Mutex::new(spare), pending: Vec::with_capacity(BLOCK) })
    }

    /// Hands bytes over as they are, behind what is pending.
    fn share(&mut self, bytes: Bytes) {
        self.hand_over();
        drop(self.work.send(Work::Shared(bytes)));
    }

    fn hand_over(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let mut block =
            self.spare.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv().unwrap_or_default();
        block.clear();
        block.reserve(BLOCK);
        // If the thread is gone, so is the sum: the one who asks for it is not answered.
        drop(self.work.send(Work::Bytes(std::mem::replace(&mut self.pending, block))));
    }

    fn update(&mut self, bytes: &[u8]) {
        if self.pending.len() + bytes.len() > BLOCK {
            self.hand_over();
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

/// `bytes` as a part of `source`, if they lie in it and are worth it.
fn part_of(source: &Bytes, bytes: &[u8]) -> Option<Bytes> {
    let from = bytes.as_ptr().addr().checked_sub(source.as_ptr().addr())?;
    let lies_within = from.checked_add(bytes.len()).is_some_and(|end| end <= source.len());
    (bytes.len() >= SHARED && lies_within).then(|| source.slice(from..from + bytes.len()))
}
