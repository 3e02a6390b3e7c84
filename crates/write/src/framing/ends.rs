//! The types for ends: what ended a file, what may end it, and how a turn begins after one.
//!
//! Must never know the engine: it, `ending` and `turn` all speak of these.

use serde::{Deserialize, Serialize};

/// What ended a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndKind {
    /// The session's marker.
    Marker,
    /// A `DONE` line.
    Done,
    /// Its sender.
    Request,
}

/// The end of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentEnd {
    /// What ended it.
    pub by: EndKind,
    /// Bytes of content. Less than were released when an answer says that the file had ended earlier: what is beyond
    /// must be cut off.
    pub length: u64,
}

/// It is doubtful whether the file ended at a `DONE` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndQuestion {
    /// Bytes of content before the line.
    pub offset: u64,
    /// Its number, from 1.
    pub line: u64,
    /// Whether it stands inside an open fence.
    pub fenced: bool,
    /// Whether text follows it.
    pub followed: bool,
}

/// A `DONE` line that may be the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub(super) offset: u64,
    pub(super) line: u64,
    pub(super) fenced: bool,
    /// Whether its LF has come.
    pub(super) whole: bool,
    /// Whether it stands at the start of a line of the stream, not only of a turn.
    pub(super) genuine: bool,
    /// Whether a reply begins with it.
    pub(super) answer: bool,
}

impl Candidate {
    /// Whether it may well be content: it stands inside a fence, and answers nothing.
    pub(super) fn is_doubtful(&self) -> bool {
        self.fenced && !self.answer
    }
}

/// How the text of a new turn joins what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TurnStart {
    /// It goes on at the very byte. A terminator at its beginning counts only if it is all of the turn.
    Cut,
    /// It answers a question about a `DONE` line: its first line is a line of its own if it is a terminator.
    Reply,
}
