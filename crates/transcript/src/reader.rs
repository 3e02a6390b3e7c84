//! Reads the entries of a transcript one after the other.
//!
//! Must never stop at a line that is bad.

use std::io::Read;

use memchr::memmem;

use super::entry::TranscriptEntry;
use super::lines::{LineReader, TranscriptLine};
use super::parse::{LineError, parse};
use crate::json::StringFindings;

/// The mark at the beginning of some UTF-8 files.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads entries.
#[derive(Debug)]
pub struct TranscriptReader<R> {
    lines: LineReader<R>,
}

/// What stands in a line.
#[derive(Debug)]
pub enum LineContent<'a> {
    /// Nothing.
    Blank,
    /// No entry.
    Bad(LineError),
    /// An entry.
    Entry(TranscriptEntry<'a>),
}

/// A line that was read.
#[derive(Debug)]
pub struct LineReading<'a> {
    /// The line, without a byte-order mark.
    pub line: TranscriptLine<'a>,
    /// What stands in it.
    pub item: LineContent<'a>,
    /// What else is odd about it.
    pub oddities: LineFindings,
}

/// What is odd about a line that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineFindings {
    /// It began with a byte-order mark.
    pub bom: bool,
    /// A string holds half a surrogate pair.
    pub lone_surrogate: bool,
    /// A string holds U+2028, U+2029 or U+0085, at which careless readers split.
    pub line_separator: bool,
    /// A string holds NUL, VT, FF or FS.
    pub control: bool,
    /// A key that matters stands twice; the last one won.
    pub duplicate_key: bool,
}

impl<R: Read> TranscriptReader<R> {
    /// Entries of the file that `source` begins.
    pub fn new(source: R) -> Self {
        Self { lines: LineReader::new(source) }
    }

    /// Entries of these lines.
    pub fn of_lines(lines: LineReader<R>) -> Self {
        Self { lines }
    }

    /// The next line; `None` at the end of the file.
    ///
    /// # Errors
    /// Whatever the source says.
    pub fn next_reading(&mut self) -> std::io::Result<Option<LineReading<'_>>> {
        let Some(mut line) = self.lines.next_line()? else { return Ok(None) };
        let mut oddities = LineFindings::default();
        let mut text = line.bytes;
        if line.number == 1
            && let Some(rest) = text.strip_prefix(BOM)
        {
            oddities.bom = true;
            text = rest;
        }
        line.bytes = text;
        let item = if line.is_too_long() && !oddities.bom {
            LineContent::Bad(LineError::TooLong)
        } else if text.iter().all(u8::is_ascii_whitespace) {
            LineContent::Blank
        } else {
            match parse(text) {
                Ok(parsed) => {
                    oddities.take(parsed.notes, text);
                    LineContent::Entry(parsed.entry)
                }
                Err(bad) => LineContent::Bad(bad),
            }
        };
        Ok(Some(LineReading { line, item, oddities }))
    }
}

impl LineFindings {
    fn take(&mut self, notes: StringFindings, line: &[u8]) {
        self.lone_surrogate = notes.lone_surrogate;
        self.control = notes.control;
        self.duplicate_key = notes.duplicate_key;
        self.line_separator = notes.line_separator || (!line.is_ascii() && has_separator(line));
    }
}

/// Whether U+2028, U+2029 or U+0085 stands in UTF-8.
fn has_separator(line: &[u8]) -> bool {
    let is_separator = |at: usize| matches!(line.get(at + 2), Some(0xa8 | 0xa9));
    memmem::find(line, b"\xc2\x85").is_some() || memmem::find_iter(line, b"\xe2\x80").any(is_separator)
}
