//! Tracks whether a line stands inside a Markdown fence.
//!
//! As CommonMark has it: up to three spaces, three or more backticks or tildes, an info string; closed by the same
//! character, as many of them, and nothing else. Lines may come in pieces.

use serde::{Deserialize, Serialize};

/// Bytes of an info string that are kept.
const INFO: usize = 64;

/// A fence that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFence {
    /// A backtick or a tilde.
    pub mark: char,
    /// How many of them.
    pub length: u64,
    /// What stands behind them, at most 64 bytes.
    pub info: String,
    /// The line it opens on, from 1.
    pub line: u64,
}

/// Follows the lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct FenceTracker {
    open: Option<CodeFence>,
    scan: Scan,
    info: Vec<u8>,
}

/// What is known of the current line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
enum Scan {
    /// It is no fence.
    #[default]
    Other,
    /// So many spaces.
    Indent(u8),
    /// So many marks.
    Run(u8, u64),
    /// Something behind the marks: whether there is more than blanks.
    Info(u8, u64, bool),
}

impl FenceTracker {
    /// The fence that is open.
    pub(crate) fn open(&self) -> Option<&CodeFence> {
        self.open.as_ref()
    }

    /// Whether the current line may still be a fence.
    #[inline]
    pub(crate) fn active(&self) -> bool {
        self.scan != Scan::Other
    }

    /// A whole line, without its LF. Whether a fence opens with it; its number is then to be said.
    #[inline]
    pub(crate) fn whole_line(&mut self, line: &[u8]) -> bool {
        let spaces = line.iter().take(3).take_while(|byte| **byte == b' ').count();
        let rest = &line[spaces..];
        let Some(mark) = rest.first().copied().filter(|byte| matches!(byte, b'`' | b'~')) else {
            return false;
        };
        let count = rest.iter().take_while(|byte| **byte == mark).count();
        let info = &rest[count..];
        if count < 3 || (mark == b'`' && info.contains(&b'`')) {
            return false;
        }
        let (mark, length) = (char::from(mark), count as u64);
        match &self.open {
            None => {
                let info = &info[..info.len().min(INFO)];
                let info = String::from_utf8_lossy(info).trim().to_owned();
                self.open = Some(CodeFence { mark, length, info, line: 0 });
                true
            }
            Some(open) => {
                let is_end = open.mark == mark && length >= open.length && info.iter().all(is_blank);
                if is_end {
                    self.open = None;
                }
                false
            }
        }
    }

    /// The open fence opens on this line, from 1.
    #[inline]
    pub(crate) fn opened_on(&mut self, line: u64) {
        if let Some(open) = &mut self.open {
            open.line = line;
        }
    }

    /// Goes back to the beginning of `text`, whole lines and perhaps a piece of one, which came last. Of a fence that was open
    /// there only the mark is known.
    pub(crate) fn rewind(&mut self, text: &[u8]) {
        let is_open = self.open.is_some();
        let after = |start: Option<CodeFence>| {
            let mut fences = Self { open: start, ..Self::default() };
            let lines = text.split_inclusive(|byte| *byte == b'\n');
            lines.filter_map(|line| line.strip_suffix(b"\n")).for_each(|line| _ = fences.whole_line(line));
            fences.open.is_some()
        };
        if after(None) != is_open {
            let mark = if memchr::memchr(b'`', text).is_some() { '`' } else { '~' };
            let fence = CodeFence { mark, length: 3, info: String::new(), line: 1 };
            self.open = Some(fence).filter(|fence| after(Some(fence.clone())) == is_open);
        } else if memchr::memchr2(b'`', b'~', text).is_some() {
            self.open = None;
        }
        self.begin_line();
    }

    /// A new line begins.
    #[inline]
    pub(crate) fn begin_line(&mut self) {
        self.scan = Scan::Indent(0);
        self.info.clear();
    }

    /// A piece of the current line, without its LF.
    #[inline]
    pub(crate) fn feed(&mut self, piece: &[u8]) {
        for &byte in piece {
            self.scan = match (self.scan, byte) {
                (Scan::Other, _) => return,
                (Scan::Indent(spaces), b' ') if spaces < 3 => Scan::Indent(spaces + 1),
                (Scan::Indent(_), b'`' | b'~') => Scan::Run(byte, 1),
                (Scan::Indent(_), _) => Scan::Other,
                (Scan::Run(mark, count), _) if byte == mark => Scan::Run(mark, count + 1),
                (Scan::Run(_, count), _) if count < 3 => Scan::Other,
                (Scan::Run(mark, count), _) => self.tail(mark, count, false, byte),
                (Scan::Info(mark, count, text), _) => self.tail(mark, count, text, byte),
            };
        }
    }

    /// The current line, number `line` from 1, ends.
    #[inline]
    pub(crate) fn end_line(&mut self, line: u64) {
        if !self.active() {
            return;
        }
        let (mark, length, text) = match std::mem::take(&mut self.scan) {
            Scan::Run(mark, count) if count >= 3 => (char::from(mark), count, false),
            Scan::Info(mark, count, text) => (char::from(mark), count, text),
            _ => return,
        };
        match &self.open {
            None => {
                let info = String::from_utf8_lossy(&self.info).trim().to_owned();
                self.open = Some(CodeFence { mark, length, info, line });
            }
            Some(open) if open.mark == mark && length >= open.length && !text => self.open = None,
            Some(_) => {}
        }
    }

    fn tail(&mut self, mark: u8, count: u64, text: bool, byte: u8) -> Scan {
        if mark == b'`' && byte == b'`' {
            return Scan::Other;
        }
        if self.info.len() < INFO {
            self.info.push(byte);
        }
        Scan::Info(mark, count, text || !is_blank(&byte))
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}
