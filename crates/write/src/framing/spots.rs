//! Where in many lines is one that may matter?
//!
//! Most lines are neither terminators nor fences. Blocks of them are passed over without a look at each line, which is what
//! makes the engine fast; the loop over a block is written so that the compiler turns it into vector instructions.

use memchr::{memchr_iter, memchr3_iter, memrchr};
use serde::{Deserialize, Serialize};

use super::terminator::Framing;

const BLOCK: usize = 128;
/// Below this length a plain loop is faster than a search by vector instructions.
const SHORT: usize = 16;
/// A byte that no UTF-8 text has.
const NEVER: u8 = 0xFF;

/// The two bytes that each terminator begins with; behind a backslash anything may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spots {
    done: [u8; 2],
    marker: [u8; 2],
    escape: u8,
}

/// The start of a line that may matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    Terminator(usize),
    Fence(usize),
}

impl Spots {
    pub(super) fn new(framing: &Framing) -> Self {
        let known = |start: [u8; 2]| if framing.may_begin(start[0]) { start } else { [NEVER; 2] };
        let marker = framing.marker.as_bytes().first_chunk().copied().unwrap_or([NEVER; 2]);
        let [escape, _] = known([b'\\'; 2]);
        Self { done: known(*b"DO"), marker: known(marker), escape }
    }

    /// The first line that may matter, found at a byte from `from` to before `to`.
    #[inline]
    fn within(self, lines: &[u8], from: usize, to: usize) -> Option<Spot> {
        let bytes = lines.get(from..to)?;
        memchr3_iter(b'\n', b'`', b'~', bytes).find_map(|index| self.at(lines, from + index))
    }

    /// A bit for each byte of a block at which a line may matter.
    #[inline]
    fn marked(self, [first, second, third]: [&[u8; BLOCK]; 3]) -> u128 {
        let (mut flags, mut any) = ([0; BLOCK], 0);
        for (index, flag) in flags.iter_mut().enumerate() {
            *flag = self.flag(first[index], second[index], third[index]);
            any |= *flag;
        }
        if any == 0 { 0 } else { bits(&flags) }
    }

    /// 1 if a line that may matter begins at the second byte, or a run of marks at the first, else 0. Without a branch, so
    /// that many are done at once.
    #[inline(always)]
    fn flag(self, byte: u8, next: u8, after: u8) -> u8 {
        let Self { done, marker, escape } = self;
        let is_done = u8::from(next == done[0]) & u8::from(after == done[1]);
        let is_marker = u8::from(next == marker[0]) & u8::from(after == marker[1]);
        let begins = is_done | is_marker | u8::from(next == escape);
        let marks = u8::from(byte == b'`') | u8::from(byte == b'~');
        let is_run = marks & u8::from(byte == next) & u8::from(next == after);
        (u8::from(byte == b'\n') & begins) | is_run
    }

    #[inline]
    fn at(self, lines: &[u8], at: usize) -> Option<Spot> {
        match (lines[at], lines[at + 1]) {
            (b'\n', next) if next == self.escape => Some(Spot::Terminator(at + 1)),
            (b'\n', _) => {
                let start = lines.get(at + 1..at + 3)?;
                let may_end = start == self.done || start == self.marker;
                may_end.then_some(Spot::Terminator(at + 1))
            }
            (b'`', b'`') | (b'~', b'~') => {
                let spaces = lines[..at].iter().rev().take(3).take_while(|byte| **byte == b' ').count();
                let start = at - spaces;
                (start > 0 && lines[start - 1] == b'\n').then_some(Spot::Fence(start))
            }
            _ => None,
        }
    }
}

/// Goes through whole lines, from one that may matter to the next.
pub(super) struct Search<'a> {
    spots: Spots,
    lines: &'a [u8],
    /// Where the current block begins, and what of it is still to be looked at.
    block: usize,
    marked: u128,
    /// Where the next block begins.
    next: usize,
}

impl<'a> Search<'a> {
    /// A search in `lines`, all of which have their LF, from the byte `from` on.
    #[inline]
    pub(super) fn new(spots: Spots, lines: &'a [u8], from: usize) -> Self {
        Self { spots, lines, block: from, marked: 0, next: from }
    }

    /// The next line that may matter and begins behind the byte `from`.
    #[inline]
    pub(super) fn next(&mut self, from: usize) -> Option<Spot> {
        loop {
            while self.marked != 0 {
                let index = self.block + self.marked.trailing_zeros() as usize;
                self.marked &= self.marked - 1;
                if index >= from {
                    let found = self.spots.at(self.lines, index);
                    if found.is_some() {
                        return found;
                    }
                }
            }
            self.block = self.next.max(from);
            let Some(blocks) = blocks(self.lines, self.block) else { break };
            self.next = self.block + BLOCK;
            self.marked = self.spots.marked(blocks);
        }
        self.spots.within(self.lines, self.block, self.lines.len().saturating_sub(1))
    }
}

/// One bit for each byte, all of which are 0 or 1.
fn bits(flags: &[u8; BLOCK]) -> u128 {
    let (words, _) = flags.as_chunks::<8>();
    words.iter().rev().fold(0, |bits, word| {
        // The product brings the lowest bit of each byte into the highest byte.
        let byte = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        (bits << 8) | u128::from(byte)
    })
}

/// A block of `text`, and the blocks one and two bytes further on.
#[inline]
fn blocks(text: &[u8], at: usize) -> Option<[&[u8; BLOCK]; 3]> {
    let third = text.get(at + 2..)?.first_chunk()?;
    Some([text[at..].first_chunk()?, text[at + 1..].first_chunk()?, third])
}

#[inline]
pub(super) fn count_newlines(text: &[u8]) -> u64 {
    if text.len() < SHORT {
        text.iter().map(|byte| u64::from(*byte == b'\n')).sum()
    } else {
        memchr_iter(b'\n', text).count() as u64
    }
}

#[inline]
pub(super) fn last_newline(text: &[u8]) -> Option<usize> {
    if text.len() < SHORT { text.iter().rposition(|byte| *byte == b'\n') } else { memrchr(b'\n', text) }
}
