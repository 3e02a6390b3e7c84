//! How far is the file, for people?

use engross_protocol::hex;
use sha2::{Digest, Sha256};

/// How often progress is told: after so many bytes, or so many milliseconds.
const BYTES: u64 = 64 << 10;
const MILLIS: u64 = 250;

/// The longest heading, in characters.
const HEADING: usize = 80;

/// What came with one answer.
#[derive(Default)]
pub(crate) struct Progress {
    file: String,
    /// Whether lines that begin with `#` are headings.
    is_markdown: bool,
    before: u64,
    lines_before: u64,
    bytes: u64,
    lines: u64,
    hash: Sha256,
    line: String,
    heading: String,
    told_bytes: u64,
    told_at: u64,
}

impl Progress {
    /// Of an answer that goes on with `file` behind so many bytes and lines.
    pub(crate) fn new(file: &str, bytes: u64, lines: u64) -> Self {
        let name = file.to_ascii_lowercase();
        let is_markdown = name.ends_with(".md") || name.ends_with(".markdown");
        Self { file: file.to_owned(), is_markdown, before: bytes, lines_before: lines, ..Self::default() }
    }

    /// Takes text of the answer.
    pub(crate) fn add(&mut self, text: &str) {
        self.bytes += text.len() as u64;
        self.hash.update(text.as_bytes());
        for piece in text.split_inclusive('\n') {
            if self.is_markdown && self.line.len() < 4 * HEADING {
                self.line.push_str(piece);
            }
            if piece.ends_with('\n') {
                self.lines += 1;
                if self.line.starts_with('#') {
                    self.heading =
                        self.line.trim().chars().filter(|c| !c.is_control()).take(HEADING).collect();
                }
                self.line.clear();
            }
        }
    }

    /// Bytes of this answer.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Their hash, in hexadecimal digits.
    pub(crate) fn sha256(&self) -> String {
        hex::encode(self.hash.clone().finalize())
    }

    /// What to tell at `now`, in milliseconds, if it is time.
    pub(crate) fn due(&mut self, now: u64) -> Option<String> {
        let is_much = self.bytes >= self.told_bytes + BYTES;
        if self.bytes == self.told_bytes || !(is_much || now >= self.told_at.saturating_add(MILLIS)) {
            return None;
        }
        (self.told_bytes, self.told_at) = (self.bytes, now);
        let (bytes, lines) = (self.before + self.bytes, self.lines_before + self.lines);
        let at = if self.heading.is_empty() { String::new() } else { format!(", at {}", self.heading) };
        Some(format!("Writing {}: {bytes} bytes, {lines} lines{at} …", self.file))
    }
}
