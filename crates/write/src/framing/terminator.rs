//! Classifies a line: whether it can still be a terminator, and whether it is one.
//!
//! A line is compared whole: no leading blanks, case exact; one CR and trailing spaces and tabs are left out.

use serde::{Deserialize, Serialize};

use super::utf8::TextEncoding;

/// Trailing blanks that a terminator line may have; also the blanks that are held back behind one.
pub(super) const BLANKS: usize = 64;
const DONE: &[u8] = b"DONE";

/// What ends a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Terminator {
    /// The first `DONE` line outside an open fence, at once; as the last line of a turn inside one too.
    Done,
    /// The marker alone.
    Sentinel,
    /// The marker; or `DONE` when the turn ends, or falls silent, with it.
    #[default]
    Auto,
    /// Nothing in the text: only an explicit end.
    None,
}

/// How a file is framed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Framing {
    /// What ends it.
    pub terminator: Terminator,
    /// The session's own end line, of two bytes or more. It ends the file in every mode but [`Terminator::None`]: at random bits enough, no
    /// file holds it by chance.
    pub marker: String,
    /// Whether `\DONE` stands for a content line `DONE`.
    pub escape: bool,
    /// What to do with bytes that are not UTF-8.
    pub encoding: TextEncoding,
}

impl Framing {
    /// Framing by `terminator` and `marker`, without escapes, refusing what is not UTF-8.
    #[must_use]
    pub fn new(terminator: Terminator, marker: impl Into<String>) -> Self {
        Self { terminator, marker: marker.into(), escape: false, encoding: TextEncoding::Strict }
    }

    /// Whether a line that begins with `byte` may be a terminator.
    #[inline]
    pub(super) fn may_begin(&self, byte: u8) -> bool {
        let marker = self.terminator != Terminator::None && self.marker.as_bytes().first() == Some(&byte);
        marker || (self.knows_done() && byte == b'D') || (self.escape && byte == b'\\')
    }

    /// Whether `line`, without an end so far, may become a terminator line, escaped or not.
    pub(super) fn possible(&self, line: &[u8]) -> bool {
        let body = match line {
            [b'\\', body @ ..] if self.escape => body,
            _ => line,
        };
        self.terminators().any(|terminator| leads_to(body, terminator))
    }

    /// What `line`, without its LF, is.
    pub(super) fn classify(&self, line: &[u8]) -> LineKind {
        let Some(line) = stripped(line) else { return LineKind::Text };
        match line {
            _ if line.iter().all(|byte| is_blank(*byte)) => LineKind::Blank,
            [b'\\', body @ ..] if self.escape && self.terminators().any(|each| each == body) => {
                LineKind::Escaped
            }
            _ if self.knows_done() && line == DONE => LineKind::Done,
            _ if self.terminators().any(|each| each == line) => LineKind::Marker,
            _ => LineKind::Text,
        }
    }

    fn knows_done(&self) -> bool {
        matches!(self.terminator, Terminator::Done | Terminator::Auto)
    }

    fn terminators(&self) -> impl Iterator<Item = &[u8]> {
        let marker = match self.terminator {
            Terminator::None => None,
            _ => Some(self.marker.as_bytes()).filter(|marker| marker.len() > 1),
        };
        marker.into_iter().chain(self.knows_done().then_some(DONE))
    }
}

/// What a whole line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    Marker,
    Done,
    /// A terminator behind a backslash.
    Escaped,
    Text,
}

/// Bytes that may stand behind a terminator on its line.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

fn leads_to(line: &[u8], terminator: &[u8]) -> bool {
    match line.strip_prefix(terminator) {
        Some(rest) => rest.len() <= BLANKS + 1 && rest.iter().all(|byte| is_blank(*byte)),
        None => terminator.starts_with(line),
    }
}

/// The line without one CR and trailing blanks; nothing when there are too many of them.
fn stripped(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let blanks = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    (blanks <= BLANKS).then(|| &line[..line.len() - blanks])
}
