//! A finding: what is wrong, and where.

use serde::{Deserialize, Serialize};

/// The longest line of context, in characters.
const LINE: usize = 200;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// It may be as meant.
    Hint,
    /// It is probably not as meant.
    Warning,
    /// It is not what the file says it is.
    Error,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentFinding {
    /// Stable, upper snake case; explained in `docs/errors/CODE.md`.
    pub code: String,
    /// How bad it is.
    pub severity: FindingSeverity,
    /// From 1; 0 when it concerns the file as a whole.
    pub line: u64,
    /// From 1, in characters; 0 when it concerns the whole line.
    pub column: u64,
    /// What is wrong.
    pub message: String,
    /// The line with one before and one after, at most 200 characters of each.
    pub context: Vec<String>,
}

impl ContentFinding {
    /// Something about the file as a whole.
    pub(crate) fn new(code: &'static str, severity: FindingSeverity, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            severity,
            line: 0,
            column: 0,
            message: message.into(),
            context: Vec::new(),
        }
    }

    /// The same at a line and column of `bytes`.
    pub(crate) fn at(mut self, bytes: &[u8], line: usize, column: usize) -> Self {
        (self.line, self.column) = (line as u64, column as u64);
        let lines = bytes.split(|byte| *byte == b'\n').skip(line.saturating_sub(2));
        let shown = lines.take(if line > 1 { 3 } else { 2 });
        self.context =
            shown.map(|line| String::from_utf8_lossy(line).trim_end().chars().take(LINE).collect()).collect();
        self
    }

    /// The same at a byte of `bytes`.
    pub(crate) fn at_byte(self, bytes: &[u8], offset: usize) -> Self {
        let before = &bytes[..offset.min(bytes.len())];
        let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        self.at(bytes, line, column)
    }
}
