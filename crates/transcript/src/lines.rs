//! Reads lines of a growing file in bounded memory.
//!
//! Must never split at anything but `\n`, and never hold more than one line beyond its limit.

use std::io::{ErrorKind, Read};

use memchr::memchr;

/// Bytes of the longest line that is read; longer ones are counted and passed over.
pub const LONGEST_LINE: usize = 24 << 20;

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// The file ends with it.
    File,
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriptLine<'a> {
    /// Counted from 1.
    pub number: u64,
    /// Bytes of the file before it.
    pub offset: u64,
    /// What it holds, without its end; nothing when it is longer than is read.
    pub bytes: &'a [u8],
    /// Bytes of it without its end.
    pub length: u64,
    /// How it ends.
    pub end: LineEnd,
}

impl TranscriptLine<'_> {
    /// Whether it was longer than is read.
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        self.length > u64::try_from(self.bytes.len()).unwrap_or(u64::MAX)
    }

    /// Bytes of the file up to its end, its end counted.
    #[must_use]
    pub fn next_offset(&self) -> u64 {
        let end = match self.end {
            LineEnd::Lf => 1,
            LineEnd::CrLf => 2,
            LineEnd::File => 0,
        };
        self.offset + self.length + end
    }
}

/// Reads lines.
#[derive(Debug)]
pub struct LineReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// The part of the buffer that is not given yet.
    begin: usize,
    end: usize,
    is_over: bool,
    number: u64,
    offset: u64,
    limit: usize,
}

/// Where the next line stands.
struct LineBounds {
    length: usize,
    has_end: bool,
}

impl<R: Read> LineReader<R> {
    /// Lines of `source`, which begins at the file's beginning.
    pub fn new(source: R) -> Self {
        Self::from_place(source, 0, 0)
    }

    /// Lines of `source`, which begins `offset` bytes and `lines` lines into the file.
    pub fn from_place(source: R, offset: u64, lines: u64) -> Self {
        Self {
            source,
            buffer: vec![0; PIECE],
            begin: 0,
            end: 0,
            is_over: false,
            number: lines,
            offset,
            limit: LONGEST_LINE,
        }
    }

    /// The same with another limit on a line's length, in bytes.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The next line; `None` at the end of the file.
    ///
    /// # Errors
    /// Whatever the source says.
    pub fn next_line(&mut self) -> std::io::Result<Option<TranscriptLine<'_>>> {
        let (mut searched, mut dropped) = (0, 0u64);
        let found = loop {
            let rest = self.buffer.get(self.begin + searched..self.end).unwrap_or_default();
            if let Some(at) = memchr(b'\n', rest) {
                break LineBounds { length: searched + at, has_end: true };
            }
            searched += rest.len();
            if self.is_over {
                if searched == 0 && dropped == 0 {
                    return Ok(None);
                }
                break LineBounds { length: searched, has_end: false };
            }
            if searched > self.limit {
                dropped += u64::try_from(searched).unwrap_or_default();
                self.begin = self.end;
                searched = 0;
            }
            self.fill()?;
        };
        let begin = self.begin;
        self.begin += found.length + usize::from(found.has_end);
        let held = self.buffer.get(begin..begin + found.length).unwrap_or_default();
        let is_crlf = found.has_end && held.last() == Some(&b'\r');
        let held = if is_crlf { held.get(..held.len() - 1).unwrap_or_default() } else { held };
        let length = dropped + u64::try_from(held.len()).unwrap_or_default();
        let is_too_long = dropped > 0 || held.len() > self.limit;
        self.number += 1;
        let line = TranscriptLine {
            number: self.number,
            offset: self.offset,
            bytes: if is_too_long { &[] } else { held },
            length,
            end: match (found.has_end, is_crlf) {
                (false, _) => LineEnd::File,
                (true, false) => LineEnd::Lf,
                (true, true) => LineEnd::CrLf,
            },
        };
        self.offset = line.next_offset();
        Ok(Some(line))
    }

    /// Reads more behind what is held.
    fn fill(&mut self) -> std::io::Result<()> {
        if self.begin > 0 {
            self.buffer.copy_within(self.begin..self.end, 0);
            self.end -= self.begin;
            self.begin = 0;
        }
        if self.end == self.buffer.len() {
            let larger = (self.buffer.len() * 2).min(self.limit.max(PIECE) + PIECE);
            self.buffer.resize(larger.max(self.end + PIECE), 0);
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        loop {
            match self.source.read(room) {
                Ok(0) => self.is_over = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }
}
