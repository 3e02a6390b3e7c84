//! Splits chunks into content and what is held back because it may be a terminator.
//!
//! Must never release a byte that may still belong to a terminator. Content in a chunk comes out as slices of it; only
//! what is held back is copied, some 300 bytes at most.

use memchr::memchr;
use serde::{Deserialize, Serialize};

use super::ends::{Candidate, ContentEnd, EndKind, TurnStart};
use super::fence::{CodeFence, FenceTracker};
use super::spots::{Spot, Spots, count_newlines, last_newline};
use super::terminator::{BLANKS, Framing, LineKind, Terminator, is_blank};
use super::utf8::{InvalidUtf8, Next, PartialCharacter, TextEncoding, next};

/// The terminator engine of one session. Its serialised form is a checkpoint: an engine read from one goes on at
/// [`Framer::received`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Framer {
    pub(super) framing: Framing,
    pub(super) spots: Spots,
    pub(super) carry: PartialCharacter,
    pub(super) received: u64,
    pub(super) replaced: u64,
    pub(super) released: u64,
    pub(super) newlines: u64,
    pub(super) blank: bool,
    pub(super) last: u8,
    pub(super) fences: FenceTracker,
    /// Whether the current line can be no terminator any more.
    pub(super) free: bool,
    /// Whole lines that may be dropped, then the current line.
    pub(super) held: Vec<u8>,
    /// Where the current line begins in `held`.
    pub(super) line: usize,
    /// Set while the first line of a turn is held that stands for a line of its own.
    pub(super) virtual_start: Option<TurnStart>,
    pub(super) candidate: Option<Candidate>,
    /// The last `DONE` line outside a fence that text followed.
    pub(super) passed: Option<Candidate>,
    /// The `DONE` line that was asked about: an answer of `DONE` alone means that one.
    pub(super) asked: Option<Candidate>,
    pub(super) ended: Option<ContentEnd>,
    pub(super) after_end: u64,
}

/// Chunks up to this size, in bytes, are looked at byte by byte before all else.
const SHORT: usize = 16;

/// Whether a chunk of at most [`SHORT`] bytes has nothing but ASCII, and no line end. It is read as two words that may
/// overlap, as a loop over so few bytes costs more than all else that is done with them.
#[inline]
fn is_plain(chunk: &[u8]) -> bool {
    if let (Some(first), Some(last)) = (chunk.first_chunk(), chunk.last_chunk()) {
        is_plain_word(u64::from_le_bytes(*first)) && is_plain_word(u64::from_le_bytes(*last))
    } else if let (Some(first), Some(last)) = (chunk.first_chunk(), chunk.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        is_plain_word(u64::from(first) | (u64::from(last) << 32))
    } else {
        chunk.iter().all(|byte| byte.is_ascii() && *byte != b'\n')
    }
}

/// Whether the eight bytes are ASCII and none is an LF.
#[inline]
fn is_plain_word(word: u64) -> bool {
    const LOW: u64 = u64::from_le_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    // A byte that is an LF is zero here; what is borrowed for it shows in its highest bit.
    let others = word ^ (LOW * b'\n' as u64);
    (word | (others.wrapping_sub(LOW) & !others)) & HIGH == 0
}

impl Framer {
    /// An engine at the start of a file.
    #[must_use]
    pub fn new(framing: Framing) -> Self {
        Self {
            spots: Spots::new(&framing),
            framing,
            carry: PartialCharacter::default(),
            received: 0,
            replaced: 0,
            released: 0,
            newlines: 0,
            blank: true,
            last: b'\n',
            fences: FenceTracker::default(),
            free: false,
            held: Vec::new(),
            line: 0,
            virtual_start: None,
            candidate: None,
            passed: None,
            asked: None,
            ended: None,
            after_end: 0,
        }
    }

    /// Takes a chunk and gives `out` the content that is certain, in order. Returns the end when the file has ended;
    /// what comes after it is dropped and counted.
    ///
    /// # Errors
    /// [`InvalidUtf8`] when the encoding is strict. All content before it has been released.
    pub fn push(
        &mut self,
        chunk: &[u8],
        out: &mut impl FnMut(&[u8]),
    ) -> Result<Option<ContentEnd>, InvalidUtf8> {
        let is_short = chunk.len() <= SHORT && self.carry.is_empty();
        if is_short && self.free && self.ended.is_none() && !self.fences.active() && is_plain(chunk) {
            self.received += chunk.len() as u64;
            self.release(chunk, out);
            return Ok(None);
        }
        if is_short && chunk.is_ascii() {
            self.received += chunk.len() as u64;
            self.text(chunk, out);
            return Ok(self.ended);
        }
        self.decode(chunk, out)?;
        Ok(self.ended)
    }

    fn decode(&mut self, chunk: &[u8], out: &mut impl FnMut(&[u8])) -> Result<(), InvalidUtf8> {
        let mut rest = chunk;
        while let (false, Some((first, others))) = (self.carry.is_empty(), rest.split_first()) {
            self.carry.push(&[*first]);
            match next(self.carry.bytes()) {
                Next::Unfinished => {}
                Next::Valid(length) => {
                    let whole = std::mem::take(&mut self.carry);
                    self.received += length as u64;
                    self.text(whole.bytes(), out);
                }
                // The byte that came last may begin something new: it is looked at again.
                Next::Invalid(_) => {
                    let broken = self.carry.len() - 1;
                    self.carry = PartialCharacter::default();
                    self.invalid(broken, out)?;
                    continue;
                }
            }
            rest = others;
        }
        while !rest.is_empty() {
            match next(rest) {
                Next::Valid(length) => {
                    self.received += length as u64;
                    self.text(&rest[..length], out);
                    rest = &rest[length..];
                }
                Next::Invalid(length) => {
                    self.invalid(length, out)?;
                    rest = &rest[length..];
                }
                Next::Unfinished => {
                    self.carry.push(rest);
                    rest = &[];
                }
            }
        }
        Ok(())
    }

    fn invalid(&mut self, length: usize, out: &mut impl FnMut(&[u8])) -> Result<(), InvalidUtf8> {
        if self.ended.is_none() && self.framing.encoding == TextEncoding::Strict {
            return Err(InvalidUtf8 { offset: self.received });
        }
        self.received += length as u64;
        self.replaced += u64::from(self.ended.is_none());
        self.text("\u{FFFD}".as_bytes(), out);
        Ok(())
    }

    /// Bytes received and understood: an unfinished code point is not among them.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Whether the last code point is unfinished.
    #[must_use]
    pub fn is_mid_character(&self) -> bool {
        !self.carry.is_empty()
    }

    /// Bytes of content released.
    #[must_use]
    pub fn released(&self) -> u64 {
        self.released
    }

    /// Bytes held back.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.len() + self.carry.len()
    }

    /// What is held back, an unfinished character included.
    #[must_use]
    pub fn held_bytes(&self) -> Vec<u8> {
        [&self.held, self.carry.bytes()].concat()
    }

    /// No further byte completes the last character.
    ///
    /// # Errors
    /// [`InvalidUtf8`] when it is unfinished and the encoding is strict.
    pub fn end_character(&mut self, out: &mut impl FnMut(&[u8])) -> Result<(), InvalidUtf8> {
        let unfinished = std::mem::take(&mut self.carry);
        if unfinished.is_empty() { Ok(()) } else { self.invalid(unfinished.len(), out) }
    }

    /// Lines of content released, a last one without LF included.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.newlines + u64::from(self.last != b'\n')
    }

    /// Whether nothing but blanks was released.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.blank
    }

    /// How often U+FFFD stands for bytes that are not UTF-8.
    #[must_use]
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Bytes other than blanks that came after the end and were dropped.
    #[must_use]
    pub fn after_end(&self) -> u64 {
        self.after_end
    }

    /// The fence that is open.
    #[must_use]
    pub fn fence(&self) -> Option<&CodeFence> {
        self.fences.open()
    }

    /// The end, if the file has ended.
    #[must_use]
    pub fn ended(&self) -> Option<ContentEnd> {
        self.ended
    }

    /// The line of an earlier `DONE`, in a file that a later one has ended: it may have been two files.
    pub(crate) fn done_within(&self) -> Option<u64> {
        let by_done = self.ended.is_some_and(|end| end.by == EndKind::Done);
        self.passed.filter(|_| by_done).map(|passed| passed.line)
    }

    /// Takes whole code points.
    fn text(&mut self, text: &[u8], out: &mut impl FnMut(&[u8])) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.ended.is_some() {
                self.after_end += rest.iter().filter(|byte| !byte.is_ascii_whitespace()).count() as u64;
                return;
            }
            rest = if self.free { self.run_free(rest, out) } else { self.run_held(rest, out) };
        }
    }

    /// Goes on inside a line that is no terminator, to the next line that may be one.
    fn run_free<'a>(&mut self, text: &'a [u8], out: &mut impl FnMut(&[u8])) -> &'a [u8] {
        let Some(last) = last_newline(text) else {
            if self.fences.active() {
                self.fences.feed(text);
            }
            self.release(text, out);
            return &[];
        };
        let (lines, tail) = text.split_at(last + 1);
        let (mut from, mut counted) = (0, 0);
        if self.fences.active() {
            let end = memchr(b'\n', lines).unwrap_or(last);
            self.fences.feed(&lines[..end]);
            self.fences.end_line(self.newlines + 1);
            from = end;
        }
        while let Some(spot) = self.spots.next(lines, from) {
            match spot {
                Spot::Terminator(start) if self.may_end_at(&lines[start..]) => {
                    self.newlines += count_newlines(&lines[counted..start]);
                    self.free = false;
                    self.release(&text[..start], out);
                    return &text[start..];
                }
                Spot::Terminator(start) => from = start,
                Spot::Fence(start) => {
                    from = start + memchr(b'\n', &lines[start..]).unwrap_or_default();
                    if self.fences.whole_line(&lines[start..from]) {
                        self.newlines += count_newlines(&lines[counted..start]);
                        counted = start;
                        self.fences.opened_on(self.newlines + 1);
                    }
                }
            }
        }
        self.newlines += count_newlines(&lines[counted..]);
        match tail.first() {
            None => self.free = false,
            Some(first) if self.framing.may_begin(*first) && self.may_end_at(tail) => {
                self.free = false;
                self.release(lines, out);
                return tail;
            }
            Some(_) => {
                self.fences.begin_line();
                self.fences.feed(tail);
            }
        }
        self.release(text, out);
        &[]
    }

    /// Goes on in a line that may be a terminator, to where that is known.
    fn run_held<'a>(&mut self, text: &'a [u8], out: &mut impl FnMut(&[u8])) -> &'a [u8] {
        for (index, &byte) in text.iter().enumerate() {
            let rest = &text[index + 1..];
            if self.held.is_empty() && self.virtual_start.is_none() && !self.framing.may_begin(byte) {
                self.free = true;
                self.fences.begin_line();
                return &text[index..];
            }
            if byte == b'\n' {
                self.end_line(out);
                if self.ended.is_some() {
                    return rest;
                }
                continue;
            }
            if byte == b'\\' && self.framing.escape && &self.held[self.line..] == b"\\" {
                // Of several backslashes the last one escapes; those before it are content either way.
                self.settle();
                self.release_held(out);
            }
            self.held.push(byte);
            if !self.is_possible() {
                self.free_line(out);
                return rest;
            }
        }
        &[]
    }

    /// The current line, which is held, gets its LF.
    fn end_line(&mut self, out: &mut impl FnMut(&[u8])) {
        match self.framing.classify(&self.held[self.line..]) {
            LineKind::Marker => {
                self.end_before_line(EndKind::Marker, out);
            }
            LineKind::Done => {
                self.nominate(false);
                self.held.push(b'\n');
                let candidate = self.candidate.filter(|at| at.genuine && !at.is_doubtful());
                if let (Some(candidate), Terminator::Done) = (candidate, self.framing.terminator) {
                    self.end_at_candidate(candidate, out);
                    return;
                }
                self.line = self.held.len();
                self.virtual_start = None;
            }
            LineKind::Escaped => {
                self.settle();
                self.held.remove(self.line);
                self.held.push(b'\n');
                self.release_held(out);
            }
            LineKind::Blank if self.may_lead_on() => {
                self.held.push(b'\n');
                self.line = self.held.len();
            }
            LineKind::Blank | LineKind::Text => {
                self.settle();
                self.scan_held_line();
                self.fences.end_line(self.newlines + 1);
                self.held.push(b'\n');
                self.release_held(out);
            }
        }
    }

    /// Whether blank lines are held: behind a candidate, and at the start of a reply.
    fn may_lead_on(&self) -> bool {
        let before = match self.candidate {
            Some(_) => self.held.iter().rev().take_while(|byte| is_blank(**byte) || **byte == b'\n').count(),
            None if self.virtual_start == Some(TurnStart::Reply) => self.held.len(),
            None => return false,
        };
        before < BLANKS
    }

    fn is_possible(&self) -> bool {
        let line = &self.held[self.line..];
        self.framing.possible(line) || (line.iter().all(|byte| is_blank(*byte)) && self.may_lead_on())
    }

    /// Whether the line that begins `text` may be a terminator: a first look, which `run_held` goes into.
    fn may_end_at(&self, text: &[u8]) -> bool {
        let length = text.iter().take(5).position(|byte| *byte == b'\n').unwrap_or(text.len().min(5));
        text.first() == Some(&b'\\') || self.framing.possible(&text[..length])
    }

    /// The held line is content, and goes on.
    fn free_line(&mut self, out: &mut impl FnMut(&[u8])) {
        self.settle();
        self.scan_held_line();
        self.release_held(out);
        self.free = true;
    }

    fn scan_held_line(&mut self) {
        if self.last_is_line_start() {
            self.fences.begin_line();
        }
        self.fences.feed(&self.held[self.line..]);
    }

    /// Whether the current line stands at the start of a line of the stream.
    fn last_is_line_start(&self) -> bool {
        match self.line {
            0 => self.last == b'\n',
            line => self.held[line - 1] == b'\n',
        }
    }
}
