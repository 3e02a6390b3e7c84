//! The text of a file as a model reads it: decoded, and in numbered lines.
//!
//! Must never pass a guess for the file's own words: an encoding other than UTF-8 is said.

use engross_write::patch::LineEndStyle;

/// Bytes of lines that are given at once, and characters of one line.
const BYTES: usize = 48 << 10;
const LINE: usize = 2000;

/// A file that holds text.
pub(super) struct FileText {
    pub(super) text: String,
    encoding: &'static str,
}

impl FileText {
    /// The text of `bytes`.
    ///
    /// # Errors
    /// When they are no text.
    pub(super) fn of(bytes: &[u8]) -> Result<Self, &'static str> {
        let made = |text: String, encoding| Ok(Self { text, encoding });
        if let Some(units) = bytes.strip_prefix(&[0xFF, 0xFE]) {
            return made(
                utf16(units, u16::from_le_bytes),
                "UTF-16 (little endian): it is not patched, only overwritten",
            );
        }
        if let Some(units) = bytes.strip_prefix(&[0xFE, 0xFF]) {
            return made(
                utf16(units, u16::from_be_bytes),
                "UTF-16 (big endian): it is not patched, only overwritten",
            );
        }
        if bytes.contains(&0) {
            return Err("is no text file");
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => match text.strip_prefix('\u{feff}') {
                Some(text) => made(text.to_owned(), "UTF-8 with a byte order mark"),
                None => made(text.to_owned(), "UTF-8"),
            },
            Err(_) => {
                let text = bytes.iter().map(|byte| char::from(*byte)).collect();
                made(text, "not UTF-8, shown as Latin-1: it is not patched, only overwritten")
            }
        }
    }

    pub(super) fn lines(&self) -> u64 {
        self.text.lines().count() as u64
    }

    /// Lines, bytes, line ends and encoding, in words.
    pub(super) fn about(&self, bytes: &[u8]) -> String {
        let ends = line_end(LineEndStyle::of(bytes));
        let last =
            if bytes.is_empty() || bytes.ends_with(b"\n") { "" } else { ", without a line end at the end" };
        format!("{} lines, {} bytes, {ends}{last}, {}", self.lines(), bytes.len(), self.encoding)
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Lines `start` to `end` with their numbers, as many as fit; the first and last of them.
pub(super) fn numbered(text: &str, start: u64, end: u64) -> (String, Option<(u64, u64)>) {
    let mut shown = String::new();
    let mut range = None;
    for (number, line) in (1u64..).zip(text.lines()) {
        if number < start || number > end {
            continue;
        }
        let line: String = line.chars().take(LINE).collect();
        if shown.len() + line.len() > BYTES && range.is_some() {
            break;
        }
        shown.push_str(&format!("{number:>5}\t{line}\n"));
        range = Some((range.map_or(number, |(first, _)| first), number));
    }
    (shown, range)
}

/// The name of a line end, for models.
fn line_end(style: LineEndStyle) -> &'static str {
    match style {
        LineEndStyle::None => "one line",
        LineEndStyle::Lf => "LF",
        LineEndStyle::CrLf => "CRLF",
    }
}
