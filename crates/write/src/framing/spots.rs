//! Finds the lines that may be terminators among many.
//!
//! Most lines are neither terminators nor fences. Long pieces are searched for all that may begin one at once, by vector
//! instructions and without a look at each line, which is what makes the engine fast.

use std::sync::OnceLock;

use aho_corasick::packed::{Config, MatchKind, Searcher};
use memchr::{memchr_iter, memchr3_iter, memrchr};
use serde::{Deserialize, Serialize};

use super::terminator::Framing;

/// Below this length, in bytes, a look at each line is faster than a search for all patterns.
const LONG: usize = 256;
/// Below this length, in bytes, a plain loop is faster than a search by vector instructions.
const SHORT: usize = 16;
/// A byte that no UTF-8 text has.
const NEVER: u8 = 0xFF;

/// The two bytes that each terminator begins with; behind a backslash anything may come.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Spots {
    done: [u8; 2],
    marker: [u8; 2],
    escape: u8,
    /// Made of the others when it is first needed; `None` where the machine has no vector instructions for it.
    #[serde(skip)]
    search: OnceLock<Option<Searcher>>,
}

/// The start of a line that may matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    Terminator(usize),
    Fence(usize),
}

impl PartialEq for Spots {
    fn eq(&self, other: &Self) -> bool {
        (self.done, self.marker, self.escape) == (other.done, other.marker, other.escape)
    }
}

impl Eq for Spots {}

impl Spots {
    pub(super) fn new(framing: &Framing) -> Self {
        let known = |start: [u8; 2]| if framing.may_begin(start[0]) { start } else { [NEVER; 2] };
        let marker = framing.marker.as_bytes().first_chunk().copied().unwrap_or([NEVER; 2]);
        let [escape, _] = known([b'\\'; 2]);
        Self { done: known(*b"DO"), marker: known(marker), escape, search: OnceLock::new() }
    }

    /// The first line in `lines`, all of which have their LF, that may matter and begins behind the byte `from`.
    #[inline]
    pub(super) fn next(&self, lines: &[u8], from: usize) -> Option<Spot> {
        let mut from = from;
        let rest = lines.get(from..)?;
        if rest.len() >= LONG
            && let Some(search) = self.search.get_or_init(|| self.searcher())
        {
            while let Some(found) = search.find_in(lines, (from..lines.len()).into()) {
                let spot = self.at(lines, found.start());
                if spot.is_some() {
                    return spot;
                }
                from = found.start() + 1;
            }
            return None;
        }
        // The last byte is an LF, and no line follows it here.
        let bytes = rest.get(..rest.len().saturating_sub(1))?;
        if bytes.len() < SHORT {
            let is_spot = |byte: &u8| matches!(byte, b'\n' | b'`' | b'~');
            return (from..)
                .zip(bytes)
                .find_map(|(at, byte)| is_spot(byte).then(|| self.at(lines, at)).flatten());
        }
        memchr3_iter(b'\n', b'`', b'~', bytes).find_map(|index| self.at(lines, from + index))
    }

    fn searcher(&self) -> Option<Searcher> {
        let Self { done, marker, escape, .. } = *self;
        let mut patterns = vec![b"```".to_vec(), b"~~~".to_vec()];
        patterns.extend(
            [done, marker].iter().filter(|start| start[0] != NEVER).map(|start| [b"\n", &start[..]].concat()),
        );
        if escape != NEVER {
            patterns.push(vec![b'\n', escape]);
        }
        Config::new().match_kind(MatchKind::LeftmostFirst).builder().extend(patterns).build()
    }

    #[inline]
    fn at(&self, lines: &[u8], at: usize) -> Option<Spot> {
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
