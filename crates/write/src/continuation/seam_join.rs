//! Joins a continuation at its seam: holds its beginning until the seam is found in it, and refuses it when it is not.
//!
//! Must never let anything of an answer through whose place in the file is not proven.

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::JoinError;
use super::digest::PlainDigest;
use super::lines::{plain, weight};
use super::recent::RecentContent;
use super::seam::{Seam, SeamPlace, SeamSearch};
use crate::cleaning::is_closing;
use crate::patch::LineEndStyle;

/// So much of an answer is held at most before it is decided.
const HELD: usize = 16 << 10;
/// Up to so much, each piece is looked at.
const EAGER: usize = 2 << 10;
/// Bytes at the end of a long line that are looked for.
const ANCHOR: usize = 96;

/// What a continuation adds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct JoinedText {
    /// Bytes of the content that it has anew.
    pub(crate) back: usize,
    /// What is new.
    pub(crate) new: Vec<u8>,
    /// Whether the seam is only as good as the model's word.
    pub(crate) is_doubtful: bool,
}

/// Joins one continuation after the other. Its serialised form is part of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct SeamJoiner {
    stage: Stage,
    held: Vec<u8>,
    /// Of all content.
    all: PlainDigest,
    /// Whether the model may have been done: its answer ended by itself.
    may_have_ended: bool,
    /// What becomes of the line ends of the answer.
    #[serde(default)]
    ends: AnswerEnds,
    /// Whether its last byte is a carriage return that is held.
    #[serde(default)]
    holds_return: bool,
    /// Whether it was asked for the second time.
    is_again: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
enum Stage {
    #[default]
    Through,
    /// The seam is looked for.
    Seeking,
    /// The file comes once more from its beginning.
    Restating(PlainDigest),
    Refused,
}

/// The line ends of a continuation become those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
enum AnswerEnds {
    /// The file has none.
    #[default]
    Same,
    /// The file has LF.
    ToLf,
    /// The file has CRLF.
    ToCrLf,
}

/// What an answer is compared with.
#[derive(Clone, Copy)]
pub(crate) struct SeamContext<'a> {
    pub(crate) recent: &'a RecentContent,
    pub(crate) marker: &'a str,
}

impl SeamJoiner {
    /// Whether nothing has come to it.
    pub(crate) fn is_unused(&self) -> bool {
        *self == Self::default()
    }

    /// A continuation was asked for.
    pub(crate) fn ask(&mut self, may_have_ended: bool, is_again: bool) {
        (self.may_have_ended, self.is_again) = (may_have_ended, is_again);
    }

    /// A continuation begins.
    pub(crate) fn begin(&mut self, recent: &RecentContent) {
        self.stage = Stage::Seeking;
        self.ends = match LineEndStyle::of(recent.tail()) {
            LineEndStyle::None => AnswerEnds::Same,
            LineEndStyle::Lf => AnswerEnds::ToLf,
            LineEndStyle::CrLf => AnswerEnds::ToCrLf,
        };
        self.holds_return = false;
        self.held.clear();
    }

    /// Whether all is content, as it is.
    pub(crate) fn is_through(&self) -> bool {
        self.stage == Stage::Through && self.ends == AnswerEnds::Same
    }

    /// The hash of all content.
    pub(crate) fn digest(&self) -> PlainDigest {
        self.all
    }

    pub(crate) fn may_have_ended(&self) -> bool {
        self.may_have_ended
    }

    pub(crate) fn is_again(&self) -> bool {
        self.is_again
    }

    /// Takes content.
    pub(crate) fn track(&mut self, text: &[u8]) {
        self.all.push(text);
    }

    /// Takes back content that came last.
    pub(crate) fn untrack(&mut self, text: &[u8]) {
        self.all = self.all.without(text);
    }

    /// Takes a piece of the continuation, and gives what of it is new.
    pub(crate) fn push(&mut self, piece: &[u8], at: SeamContext<'_>) -> Result<JoinedText, JoinError> {
        let piece = &self.with_ends(piece);
        match self.stage {
            Stage::Through => Ok(JoinedText { new: piece.clone(), ..JoinedText::default() }),
            Stage::Refused => Ok(JoinedText::default()),
            Stage::Restating(digest) => self.restate(digest, piece, at),
            Stage::Seeking => {
                self.held.extend_from_slice(piece);
                let is_full = self.held.len() >= HELD;
                if self.held.len() > EAGER && !piece.contains(&b'\n') && !is_full {
                    return Ok(JoinedText::default());
                }
                self.seek(at, is_full, false)
            }
        }
    }

    /// The answer has ended.
    pub(crate) fn end(&mut self, at: SeamContext<'_>) -> Result<JoinedText, JoinError> {
        let mut ended = match self.stage {
            Stage::Seeking if self.held.trim_ascii().is_empty() => Ok(JoinedText::default()),
            Stage::Seeking => self.seek(at, true, true),
            // As much as it has come to is there already.
            Stage::Through | Stage::Refused | Stage::Restating(_) => Ok(JoinedText::default()),
        };
        self.stage = Stage::Through;
        self.held.clear();
        let is_held = std::mem::take(&mut self.holds_return) && self.ends == AnswerEnds::ToLf;
        self.ends = AnswerEnds::Same;
        if is_held && let Ok(joined) = &mut ended {
            joined.new.push(b'\r');
        }
        ended
    }

    fn seek(&mut self, at: SeamContext<'_>, is_last: bool, is_ended: bool) -> Result<JoinedText, JoinError> {
        if is_ended && let Some(skip) = self.only_end(at.marker) {
            if !self.may_have_ended {
                return self.refuse(JoinError::OnlyEnd);
            }
            return Ok(self.through(SeamPlace { skip, back: 0, is_doubtful: false }));
        }
        let Some(seam) = Seam::of(at.recent, at.marker, self.is_again) else {
            return self.seek_bytes(at, is_last);
        };
        match seam.search(&self.held, is_last, &self.all.without(seam.unfinished())) {
            SeamSearch::Found(place) => Ok(self.through(place)),
            SeamSearch::Altered => self.refuse(JoinError::Altered),
            SeamSearch::Open if !is_last => Ok(JoinedText::default()),
            SeamSearch::Open => match self.beginning(at.recent) {
                Some(start) if !is_ended => {
                    let held = std::mem::take(&mut self.held);
                    self.restate(PlainDigest::default(), held.get(start..).unwrap_or_default(), at)
                }
                _ => self.refuse(JoinError::Unanchored),
            },
        }
    }

    /// Looks for the end of a line that is too long to be taken back.
    fn seek_bytes(&mut self, at: SeamContext<'_>, is_last: bool) -> Result<JoinedText, JoinError> {
        let tail = at.recent.tail();
        let anchor = tail.get(tail.len().saturating_sub(ANCHOR)..).unwrap_or_default();
        match memmem::find(&self.held, anchor) {
            Some(found) => {
                let skip = found + anchor.len();
                let is_doubtful = memmem::find_iter(tail, anchor).count() > 1;
                Ok(self.through(SeamPlace { skip, back: 0, is_doubtful }))
            }
            None if is_last => self.refuse(JoinError::Unanchored),
            None => Ok(JoinedText::default()),
        }
    }

    /// The file comes once more: nothing of it is new before all of it has come.
    fn restate(
        &mut self,
        mut digest: PlainDigest,
        piece: &[u8],
        at: SeamContext<'_>,
    ) -> Result<JoinedText, JoinError> {
        let Some(seam) = Seam::of(at.recent, at.marker, self.is_again) else {
            return self.refuse(JoinError::Unanchored);
        };
        let before = self.all.without(seam.unfinished());
        let taken = digest.push_up_to(piece, &before);
        if !digest.has_all(&before) {
            self.stage = Stage::Restating(digest);
            return Ok(JoinedText::default());
        }
        if digest != before {
            return self.refuse(JoinError::Restarted(at.recent.total()));
        }
        let rest = piece.get(taken..).unwrap_or_default();
        // The end of what was repeated is what is looked for.
        self.held = seam.repeated().trim_ascii_end().to_vec();
        self.held.extend_from_slice(rest);
        self.stage = Stage::Seeking;
        self.seek(at, false, false)
    }

    /// Where the answer begins the file anew, if it does.
    fn beginning(&self, recent: &RecentContent) -> Option<usize> {
        let first = |text: &[u8]| text.split(|byte| *byte == b'\n').find(|line| weight(line) > 0).map(plain);
        let head = first(recent.head())?;
        let mut start = 0;
        for line in self.held.split_inclusive(|byte| *byte == b'\n').take(16) {
            let line_plain = plain(line);
            if !line_plain.is_empty() && line_plain.starts_with(&head) {
                return Some(start);
            }
            start += line.len();
        }
        None
    }

    /// Where the end line begins, if the answer is nothing else but words that say so.
    fn only_end(&self, marker: &str) -> Option<usize> {
        let end = self.held.trim_ascii_end();
        let start = memchr::memrchr(b'\n', end).map_or(0, |newline| newline + 1);
        let (words, line) = end.split_at(start);
        let is_end = line.trim_ascii() == b"DONE" || line.trim_ascii() == marker.as_bytes();
        let mut words = words.split(|byte| *byte == b'\n').filter(|line| weight(line) > 0);
        (is_end && words.all(|line| is_closing(&String::from_utf8_lossy(line)))).then_some(start)
    }

    fn through(&mut self, place: SeamPlace) -> JoinedText {
        self.stage = Stage::Through;
        let held = std::mem::take(&mut self.held);
        let new = held.get(place.skip..).unwrap_or_default().to_vec();
        JoinedText { back: place.back, new, is_doubtful: place.is_doubtful }
    }

    /// A piece of the answer with the line ends of the file.
    fn with_ends(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(piece.len() + 1);
        match self.ends {
            AnswerEnds::Same => out.extend_from_slice(piece),
            AnswerEnds::ToLf => {
                for byte in piece {
                    if std::mem::take(&mut self.holds_return) && *byte != b'\n' {
                        out.push(b'\r');
                    }
                    self.holds_return = *byte == b'\r';
                    if !self.holds_return {
                        out.push(*byte);
                    }
                }
            }
            AnswerEnds::ToCrLf => {
                for byte in piece {
                    if *byte == b'\n' && !self.holds_return {
                        out.push(b'\r');
                    }
                    self.holds_return = *byte == b'\r';
                    out.push(*byte);
                }
            }
        }
        out
    }

    fn refuse(&mut self, why: JoinError) -> Result<JoinedText, JoinError> {
        self.stage = Stage::Refused;
        self.held.clear();
        Err(why)
    }
}
