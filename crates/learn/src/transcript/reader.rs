//! Entries of a transcript, one after the other.
//!
//! Must never stop at a line that is bad.

use std::io::Read;

use memchr::memmem;

use super::entry::Entry;
use super::lines::{Line, Lines};
use super::parse::{Bad, parse};
use crate::json::Notes;

/// The mark at the beginning of some UTF-8 files.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads entries.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
}

/// What stands in a line.
#[derive(Debug)]
pub enum Item<'a> {
    /// Nothing.
    Blank,
    /// No entry.
    Bad(Bad),
    /// An entry.
    Entry(Entry<'a>),
}

/// A line that was read.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The line, without a byte-order mark.
    pub line: Line<'a>,
    /// What stands in it.
    pub item: Item<'a>,
    /// What else is odd about it.
    pub oddities: Oddities,
}

/// What is odd about a line that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Oddities {
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

impl<R: Read> Reader<R> {
    /// Entries of the file that `source` begins.
    pub fn new(source: R) -> Self {
        Self { lines: Lines::new(source) }
    }

    /// Entries of these lines.
    pub fn of_lines(lines: Lines<R>) -> Self {
        Self { lines }
    }

    /// The next line; `None` at the end of the file.
    ///
    /// # Errors
    /// Whatever the source says.
    pub fn next_reading(&mut self) -> std::io::Result<Option<Reading<'_>>> {
        let Some(mut line) = self.lines.next_line()? else { return Ok(None) };
        let mut oddities = Oddities::default();
        let mut text = line.bytes;
        if line.number == 1
            && let Some(rest) = text.strip_prefix(BOM)
        {
            oddities.bom = true;
            text = rest;
        }
        line.bytes = text;
        let item = if line.is_too_long() && !oddities.bom {
            Item::Bad(Bad::TooLong)
        } else if text.iter().all(u8::is_ascii_whitespace) {
            Item::Blank
        } else {
            match parse(text) {
                Ok(parsed) => {
                    oddities.take(parsed.notes, text);
                    Item::Entry(parsed.entry)
                }
                Err(bad) => Item::Bad(bad),
            }
        };
        Ok(Some(Reading { line, item, oddities }))
    }
}

impl Oddities {
    fn take(&mut self, notes: Notes, line: &[u8]) {
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
