//! Joins a continuation to the file: removes what it repeats, refuses what is not of the file.
//!
//! The beginning is held back until that is known: some five thousand bytes at most, or to the end of the turn.

use memchr::memchr;
use serde::{Deserialize, Serialize};

use super::recent::{HEAD, RecentContent};
use super::{Continuation, Overlap, RestartDetection};
use crate::cleaning::is_opening;

/// The longest first line that may be chatter, in bytes.
const CHATTER: usize = 200;
/// What a model says before it goes on, in lower case, besides what it says before any file.
const CONTINUINGS: &[&str] =
    &["continued", "(continu", "[continu", "let's continue", "resuming", "picking up", "apologies"];

/// What came before, to be compared with.
pub trait EarlierContent {
    /// Whether the bytes from `offset` on are `bytes`.
    fn matches(&mut self, offset: u64, bytes: &[u8]) -> bool;
}

/// A continuation that does not join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum JoinError {
    /// It begins with words to the reader.
    #[error("the continuation begins with words that are not of the file")]
    Chatter,
    /// It is wrapped in a fence.
    #[error("the continuation begins with a fence that is not of the file")]
    Fence,
    /// It begins the file anew, but not as it was.
    #[error("the continuation begins the file anew and differs from it at byte {0}")]
    Restarted(u64),
    /// It repeats the last lines, then goes on from another place.
    #[error("the continuation repeats the last lines and then does not go on from them")]
    Elsewhere,
    /// It does not repeat what it was asked to, so nobody knows where it belongs.
    #[error(
        "the continuation does not begin with the text that was to be repeated, so its place in the file is not certain"
    )]
    Unanchored,
    /// It repeats that with changes, or goes on behind it from another place.
    #[error("the continuation repeats the text with changes, or does not go on from its end")]
    Altered,
    /// It ends a file that was cut.
    #[error("the file was cut off in the middle of an answer, and the continuation is nothing but its end")]
    OnlyEnd,
}

/// Joins one continuation to what came before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Joiner {
    stage: Stage,
    held: Vec<u8>,
    removed: u64,
    chatter: Option<String>,
    #[serde(default)]
    doubt: Option<JoinDoubt>,
}

/// The end of the file repeats itself, so that more than one part of it may be what the continuation repeats. What was
/// removed is what the model was asked to repeat, if it begins with that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinDoubt {
    /// Bytes that were removed.
    pub removed: u64,
    /// Bytes that could have been removed as well.
    pub other: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
enum Stage {
    /// All is content.
    #[default]
    Through,
    /// The beginning is held.
    Deciding,
    /// The file is repeated from the beginning; so much has been compared.
    Restarting(u64),
    /// Nothing of this turn is content.
    Refused(JoinError),
}

/// What the surroundings tell about the end of the file so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JoinContext {
    /// Whether it ends inside an open fence.
    pub(crate) in_fence: bool,
    /// Whether the file is Markdown, where a fence may begin anywhere.
    pub(crate) markdown: bool,
}

impl Joiner {
    /// A continuation begins.
    pub fn begin(&mut self, options: &Continuation) {
        let decides = options.overlap == Overlap::Dedupe || options.restart == RestartDetection::Detect;
        *self = Self { stage: if decides { Stage::Deciding } else { Stage::Through }, ..Self::default() };
    }

    /// Whether nothing is held and all is content.
    #[must_use]
    pub fn is_through(&self) -> bool {
        self.stage == Stage::Through
    }

    /// Bytes that were removed as repeated.
    #[must_use]
    pub fn removed(&self) -> u64 {
        self.removed
    }

    /// A first line that was removed, because the repeated text follows it. Given once.
    pub fn take_chatter(&mut self) -> Option<String> {
        self.chatter.take()
    }

    /// Whether what was removed was in doubt. Given once.
    pub fn take_doubt(&mut self) -> Option<JoinDoubt> {
        self.doubt.take()
    }

    /// Takes a chunk of the continuation of `recent`, and gives back what of it is new.
    ///
    /// # Errors
    /// When it does not join: nothing of this turn is content then.
    pub(crate) fn push(
        &mut self,
        chunk: &[u8],
        options: &Continuation,
        recent: &RecentContent,
        at: JoinContext,
        earlier: &mut impl EarlierContent,
    ) -> Result<Vec<u8>, JoinError> {
        if self.stage == Stage::Deciding {
            self.held.extend_from_slice(chunk);
            if self.held.len() < recent.tail().len() + CHATTER + HEAD {
                return Ok(Vec::new());
            }
            return self.decide(options, recent, at, earlier);
        }
        self.follow(chunk.to_vec(), recent, earlier)
    }

    /// The turn has ended: gives back what of the held beginning is new.
    ///
    /// # Errors
    /// When it does not join.
    pub(crate) fn end(
        &mut self,
        options: &Continuation,
        recent: &RecentContent,
        at: JoinContext,
        earlier: &mut impl EarlierContent,
    ) -> Result<Vec<u8>, JoinError> {
        let rest = match self.stage {
            Stage::Deciding => self.decide(options, recent, at, earlier),
            Stage::Refused(unclean) => Err(unclean),
            Stage::Through | Stage::Restarting(_) => Ok(Vec::new()),
        };
        let (chatter, doubt) = (self.chatter.take(), self.doubt.take());
        *self = Self { removed: self.removed, chatter, doubt, ..Self::default() };
        rest
    }

    fn decide(
        &mut self,
        options: &Continuation,
        recent: &RecentContent,
        at: JoinContext,
        earlier: &mut impl EarlierContent,
    ) -> Result<Vec<u8>, JoinError> {
        let held = std::mem::take(&mut self.held);
        let restarts =
            options.restart == RestartDetection::Detect && is_new_beginning(&held, options, recent);
        if options.overlap == Overlap::Dedupe {
            if let Some(repeated) = overlap(recent, &held, options) {
                if restarts && recent.total() > recent.tail().len() as u64 {
                    return self.refuse(JoinError::Restarted(0));
                }
                return Ok(self.without(held, repeated));
            }
            if let Some(line) = first_line(&held).filter(|line| is_chatter(line)) {
                let blank = held[line.len()..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                let rest = held[line.len() + blank..].to_vec();
                let Some(repeated) = overlap(recent, &rest, options) else {
                    return self.refuse(JoinError::Chatter);
                };
                self.chatter = Some(String::from_utf8_lossy(line).trim().to_owned());
                return Ok(self.without(rest, repeated));
            }
            if repeats_lines_only(recent, &held, options) {
                return self.refuse(JoinError::Elsewhere);
            }
            if is_wrapping_fence(&held, recent, at) {
                return self.refuse(JoinError::Fence);
            }
        }
        self.stage = if restarts { Stage::Restarting(0) } else { Stage::Through };
        self.follow(held, recent, earlier)
    }

    /// What of `bytes` is new after the decision.
    fn follow(
        &mut self,
        bytes: Vec<u8>,
        recent: &RecentContent,
        earlier: &mut impl EarlierContent,
    ) -> Result<Vec<u8>, JoinError> {
        match self.stage {
            Stage::Through | Stage::Deciding => Ok(bytes),
            Stage::Refused(_) => Ok(Vec::new()),
            Stage::Restarting(compared) => {
                let left = usize::try_from(recent.total() - compared).unwrap_or(usize::MAX).min(bytes.len());
                if !earlier.matches(compared, &bytes[..left]) {
                    return self.refuse(JoinError::Restarted(compared));
                }
                let compared = compared + left as u64;
                self.removed = compared;
                let done = compared == recent.total();
                self.stage = if done { Stage::Through } else { Stage::Restarting(compared) };
                Ok(bytes[left..].to_vec())
            }
        }
    }

    fn without(&mut self, mut bytes: Vec<u8>, RepeatedText { length, other }: RepeatedText) -> Vec<u8> {
        self.removed = length as u64;
        self.doubt = other.map(|other| JoinDoubt { removed: length as u64, other: other as u64 });
        self.stage = Stage::Through;
        bytes.drain(..length);
        bytes
    }

    fn refuse(&mut self, unclean: JoinError) -> Result<Vec<u8>, JoinError> {
        self.stage = Stage::Refused(unclean);
        Err(unclean)
    }
}

/// What a continuation repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RepeatedText {
    /// So many bytes.
    length: usize,
    /// Or so many, which fit as well.
    other: Option<usize>,
}

/// How much of the end of the file `text` begins with, if it is long enough not to be chance.
///
/// In a run of the same lines more than one length fits. What the model was asked to repeat goes before what is longer: the
/// lines behind it may be of the file.
fn overlap(recent: &RecentContent, text: &[u8], options: &Continuation) -> Option<RepeatedText> {
    let tail = recent.tail();
    let (length, shorter) = longest_overlaps(tail, text);
    let least = options.min_overlap_bytes as usize;
    let anchored = recent.anchor(1, least).repeat;
    let asked = anchored.as_bytes();
    let is_anchored = length == asked.len() && asked.contains(&b'\n') && !asked.trim_ascii().is_empty();
    if length == 0 || (length < least && !is_anchored) {
        return None;
    }
    if asked.len() >= least && asked.len() < length && text.starts_with(asked) {
        return Some(RepeatedText { length: asked.len(), other: Some(length) });
    }
    let is_asked = length == asked.len();
    Some(RepeatedText { length, other: Some(shorter).filter(|shorter| *shorter >= least && !is_asked) })
}

/// The lengths of the two longest ends of `tail` that `text` begins with.
fn longest_overlaps(tail: &[u8], text: &[u8]) -> (usize, usize) {
    let text = &text[..text.len().min(tail.len())];
    let Some(last) = text.len().checked_sub(1) else { return (0, 0) };
    // How far each prefix of `text` matches its own beginning (Knuth, Morris, Pratt).
    let mut borders = vec![0; text.len()];
    let mut length = 0;
    for index in 1..=last {
        while length > 0 && text[index] != text[length] {
            length = borders[length - 1];
        }
        length += usize::from(text[index] == text[length]);
        borders[index] = length;
    }
    let mut length = 0;
    for byte in &tail[tail.len() - text.len()..] {
        while length > 0 && *byte != text[length] {
            length = borders[length - 1];
        }
        length += usize::from(*byte == text[length]);
        if length == text.len() {
            // It ends with the tail, since the tail's end is no longer than the text.
            break;
        }
    }
    (length, length.checked_sub(1).map_or(0, |last| borders[last]))
}

fn is_new_beginning(text: &[u8], options: &Continuation, recent: &RecentContent) -> bool {
    let head = recent.head();
    head.len() >= options.min_overlap_bytes as usize && text.starts_with(head)
}

/// Whether the whole lines that were to be repeated are, but what follows them is not.
fn repeats_lines_only(recent: &RecentContent, text: &[u8], options: &Continuation) -> bool {
    let least = options.min_overlap_bytes as usize;
    let anchor = recent.anchor(1, least).repeat;
    let lines = anchor.rfind('\n').map_or(0, |newline| newline + 1);
    lines >= least && text.starts_with(&anchor.as_bytes()[..lines])
}

fn first_line(text: &[u8]) -> Option<&[u8]> {
    memchr(b'\n', text).filter(|newline| *newline <= CHATTER).map(|newline| &text[..=newline])
}

fn is_chatter(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line).trim().to_lowercase();
    let ends = line.ends_with([':', '.', '!', '…', ')', ']']);
    is_opening(&line) || ends && CONTINUINGS.iter().any(|opening| line.starts_with(opening))
}

/// Whether `text` begins with a fence that cannot be of the file, as far as that can be told.
fn is_wrapping_fence(text: &[u8], recent: &RecentContent, at: JoinContext) -> bool {
    let Some(line) = first_line(text) else { return false };
    if !line.starts_with(b"```") && !line.starts_with(b"~~~") {
        return false;
    }
    let has_info = line.trim_ascii().iter().any(|byte| !matches!(byte, b'`' | b'~'));
    let mid_line = recent.tail().last().is_some_and(|last| *last != b'\n');
    mid_line || !at.markdown || (at.in_fence && has_info)
}
