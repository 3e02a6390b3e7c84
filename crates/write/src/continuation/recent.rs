//! Keeps the beginning and the end of a file, and the place from which the model continues.

use memchr::memrchr;
use serde::{Deserialize, Serialize};

/// Bytes that tell a new beginning.
pub(super) const HEAD: usize = 200;
/// The longest repetition that is found, in bytes.
pub(super) const TAIL: usize = 4096;
/// Bytes shown to the model.
const SHOWN: usize = 160;

/// The beginning and the end of what came so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecentContent {
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
}

/// Where a continuation goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// Bytes so far.
    pub offset: u64,
    /// The line that they end in, from 1.
    pub line: u64,
    /// The last 160 bytes at most, beginning with a whole character.
    pub text: String,
    /// What the model is to repeat: whole lines at the end, and the unfinished one, of 24 bytes or more together if there
    /// are so many among the last 160.
    pub repeat: String,
}

impl RecentContent {
    /// Takes what has come next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        if self.head.len() < HEAD {
            let missing = (HEAD - self.head.len()).min(bytes.len());
            self.head.extend_from_slice(&bytes[..missing]);
        }
        if bytes.len() >= TAIL {
            self.tail.clear();
        }
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        if self.tail.len() > 2 * TAIL {
            self.tail.drain(..self.tail.len() - TAIL);
        }
    }

    /// Bytes so far.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The last `bytes`, as far as the tail has them.
    pub(crate) fn end(&self, bytes: usize) -> &[u8] {
        self.tail.get(self.tail.len().saturating_sub(bytes)..).unwrap_or_default()
    }

    /// The last `bytes`, which are within the tail, are taken back.
    pub(crate) fn take_back(&mut self, bytes: usize) {
        self.total = self.total.saturating_sub(bytes as u64);
        self.tail.truncate(self.tail.len().saturating_sub(bytes));
        let head = usize::try_from(self.total).unwrap_or(usize::MAX).min(self.head.len());
        self.head.truncate(head);
    }

    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    pub(crate) fn tail(&self) -> &[u8] {
        &self.tail[self.tail.len().saturating_sub(TAIL)..]
    }

    /// Where to go on, at line `line`. `least` is the shortest repetition that counts, in bytes.
    #[must_use]
    pub fn anchor(&self, line: u64, least: usize) -> Anchor {
        let tail = self.tail();
        let mut start = tail.len().saturating_sub(SHOWN);
        while start < tail.len() && tail[start] & 0xC0 == 0x80 {
            start += 1;
        }
        let text = &tail[start..];
        let repeat = &text[self.repeat_start(text, least)..];
        Anchor {
            offset: self.total,
            line,
            text: String::from_utf8_lossy(text).into_owned(),
            repeat: String::from_utf8_lossy(repeat).into_owned(),
        }
    }

    /// Where in `text`, the end of the file, the lines to be repeated begin.
    fn repeat_start(&self, text: &[u8], least: usize) -> usize {
        let mut start = text.len();
        loop {
            let lines = &text[..start.saturating_sub(1)];
            match memrchr(b'\n', lines) {
                Some(newline) if text.len() - (newline + 1) >= least => return newline + 1,
                Some(newline) => start = newline + 1,
                None => return 0,
            }
        }
    }
}
