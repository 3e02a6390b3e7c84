//! A text with one line end, as patches see it, and the way back to the line ends that it had.
//!
//! Must never change a byte of the old file that a patch does not replace.

use std::ops::Range;

use memchr::memmem;

use super::PatchError;

const BOM: &str = "\u{feff}";

/// Which line end a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEndStyle {
    /// None: it has one line at most.
    None,
    /// LF, or mostly.
    Lf,
    /// CRLF, or mostly.
    CrLf,
}

impl LineEndStyle {
    /// The line end that most lines of `text` have.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        let lines = memchr::memchr_iter(b'\n', text).count();
        let pairs = memmem::find_iter(text, b"\r\n").count();
        match lines {
            0 => Self::None,
            _ if pairs * 2 > lines => Self::CrLf,
            _ => Self::Lf,
        }
    }
}

/// The old file. Its text has LF alone; the carriage returns that it lacks are known by their places.
pub(super) struct OldText<'a> {
    raw: &'a str,
    /// Bytes of a byte order mark.
    mark: usize,
    text: String,
    /// Where in `text` the LF stand that had a carriage return.
    pairs: Vec<usize>,
    pub(super) line_end: LineEndStyle,
}

impl<'a> OldText<'a> {
    /// Reads `bytes`.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, PatchError> {
        let raw = std::str::from_utf8(bytes)
            .map_err(|error| PatchError::Encoding { offset: error.valid_up_to() as u64 })?;
        let mark = if raw.starts_with(BOM) { BOM.len() } else { 0 };
        let body = raw.get(mark..).unwrap_or_default();
        let mut text = String::with_capacity(body.len());
        let mut pairs = Vec::new();
        let mut from = 0;
        for at in memmem::find_iter(body.as_bytes(), b"\r\n") {
            text.push_str(body.get(from..at).unwrap_or_default());
            pairs.push(text.len());
            from = at + 1;
        }
        text.push_str(body.get(from..).unwrap_or_default());
        Ok(Self { raw, mark, text, pairs, line_end: LineEndStyle::of(body.as_bytes()) })
    }

    /// Its text, without byte order mark and carriage returns at line ends.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The old file with `body` in the place of each range of its text. Ranges are in order.
    pub(super) fn replaced<B: AsRef<str>>(&self, places: &[(Range<usize>, B)]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.raw.len());
        let mut from = 0;
        for (place, body) in places {
            out.extend_from_slice(
                self.raw.get(from..self.raw_start(place.start)).unwrap_or_default().as_bytes(),
            );
            push_with(&mut out, body.as_ref(), self.line_end);
            from = self.raw_end(place);
        }
        out.extend_from_slice(self.raw.get(from..).unwrap_or_default().as_bytes());
        out
    }

    /// Where a place of the text is in the file, before the carriage return if it is one of a line end.
    fn raw_start(&self, at: usize) -> usize {
        self.mark + at + self.pairs.partition_point(|pair| *pair < at)
    }

    fn raw_end(&self, place: &Range<usize>) -> usize {
        // Behind the last byte; a carriage return that follows belongs to what follows.
        match place.end.checked_sub(1).filter(|last| *last >= place.start) {
            Some(last) => self.mark + last + 1 + self.pairs.partition_point(|pair| *pair <= last),
            None => self.raw_start(place.start),
        }
    }
}

/// The text without a byte order mark, with LF alone.
pub(super) fn with_lf(text: &str) -> String {
    text.strip_prefix(BOM).unwrap_or(text).replace("\r\n", "\n")
}

/// Adds `text`, which has LF alone, with the line end `line_end`.
fn push_with(out: &mut Vec<u8>, text: &str, line_end: LineEndStyle) {
    if line_end != LineEndStyle::CrLf {
        return out.extend_from_slice(text.as_bytes());
    }
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                out.extend_from_slice(line.as_bytes());
                out.extend_from_slice(b"\r\n");
            }
            None => out.extend_from_slice(line.as_bytes()),
        }
    }
}

/// The bytes with the line end that `style` has, where they have another; as they are where it has none.
#[must_use]
pub fn with_line_end(bytes: &[u8], style: LineEndStyle) -> std::borrow::Cow<'_, [u8]> {
    use std::borrow::Cow;
    let pairs = memmem::find_iter(bytes, b"\r\n").count();
    let lines = memchr::memchr_iter(b'\n', bytes).count();
    match style {
        LineEndStyle::CrLf if pairs < lines => {
            let mut out = Vec::with_capacity(bytes.len() + lines);
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                match line.strip_suffix(b"\n") {
                    Some(line) => {
                        out.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
                        out.extend_from_slice(b"\r\n");
                    }
                    None => out.extend_from_slice(line),
                }
            }
            Cow::Owned(out)
        }
        LineEndStyle::Lf if pairs > 0 => {
            let mut out = Vec::with_capacity(bytes.len());
            let mut from = 0;
            for at in memmem::find_iter(bytes, b"\r\n") {
                out.extend_from_slice(bytes.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            out.extend_from_slice(bytes.get(from..).unwrap_or_default());
            Cow::Owned(out)
        }
        _ => Cow::Borrowed(bytes),
    }
}
