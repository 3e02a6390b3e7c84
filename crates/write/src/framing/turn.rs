//! Decides what the end of a turn means, and how the next one begins.

use serde::{Deserialize, Deserializer, Serialize};

use super::ends::{Candidate, ContentEnd, EndKind, EndQuestion, TurnStart};
use super::framer::Framer;
use super::terminator::{LineKind, Terminator};

/// Why a turn ended, as its host says. The label alone never ends a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnFinish {
    /// The model had no more to say.
    Stop,
    /// It reached its output limit.
    Length,
    /// It called tools.
    ToolCalls,
    /// A filter stopped it.
    ContentFilter,
    /// What it was about to say came too near to a text that is somebody's.
    Recitation,
    /// It failed.
    Error,
    /// A label that is not known here.
    Other,
}

impl TurnFinish {
    /// The reason that a provider calls `label`.
    #[must_use]
    pub fn parse(label: &str) -> Self {
        match label {
            "stop" | "end_turn" | "stop_sequence" | "eos" | "completed" | "STOP" => Self::Stop,
            "length" | "max_tokens" | "max_output_tokens" | "model_length" | "MAX_TOKENS" => Self::Length,
            "tool_calls" | "tool_use" | "function_call" => Self::ToolCalls,
            "content_filter" | "content_filtered" | "refusal" | "safety" | "SAFETY" => Self::ContentFilter,
            "recitation" | "RECITATION" => Self::Recitation,
            "error" | "failed" | "cancelled" | "abort" => Self::Error,
            _ => Self::Other,
        }
    }

    /// Whether the model itself came to an end.
    #[must_use]
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Stop | Self::ToolCalls | Self::Other)
    }
}

impl<'de> Deserialize<'de> for TurnFinish {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|label| Self::parse(&label))
    }
}

/// What a turn's end means for the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnVerdict {
    /// The file has ended.
    Ended(ContentEnd),
    /// It may have ended at a `DONE` line: somebody must be asked.
    Ambiguous(EndQuestion),
    /// It has not ended.
    Unfinished,
}

impl Framer {
    /// The turn has ended. What may still be a terminator stays held back unless the file has ended.
    pub fn turn_end(&mut self, finish: TurnFinish, out: &mut impl FnMut(&[u8])) -> TurnVerdict {
        if let Some(end) = self.ended() {
            return TurnVerdict::Ended(end);
        }
        match self.partial_line() {
            LineKind::Marker => return TurnVerdict::Ended(self.end_before_line(EndKind::Marker, out)),
            LineKind::Done => self.nominate(true),
            _ => {}
        }
        if !finish.is_whole() {
            return TurnVerdict::Unfinished;
        }
        if matches!(self.partial_line(), LineKind::Text | LineKind::Escaped) {
            self.pass_candidate();
        }
        match self.candidate {
            Some(candidate) if self.framing.terminator == Terminator::Auto && candidate.is_doubtful() => {
                TurnVerdict::Ambiguous(self.question(candidate, false))
            }
            Some(candidate) => TurnVerdict::Ended(self.end_at_candidate(candidate, out)),
            None => match self.passed {
                Some(passed) => TurnVerdict::Ambiguous(self.question(passed, true)),
                None => TurnVerdict::Unfinished,
            },
        }
    }

    /// Nothing came for a while. A whole `DONE` line outside a fence, with nothing behind it, ends the file then.
    pub fn idle(&mut self, out: &mut impl FnMut(&[u8])) -> Option<ContentEnd> {
        if let Some(end) = self.ended() {
            return Some(end);
        }
        let candidate = self.candidate.filter(|candidate| candidate.whole && !candidate.is_doubtful())?;
        if self.partial_line() != LineKind::Blank {
            return None;
        }
        Some(self.end_at_candidate(candidate, out))
    }

    /// The file ends here because its sender says so.
    ///
    /// # Errors
    /// The question that is open, when a `DONE` line makes it doubtful where the file ends.
    pub fn finalise(&mut self, out: &mut impl FnMut(&[u8])) -> Result<ContentEnd, EndQuestion> {
        match self.turn_end(TurnFinish::Stop, out) {
            TurnVerdict::Ended(end) => Ok(end),
            TurnVerdict::Ambiguous(question) => Err(question),
            TurnVerdict::Unfinished => Ok(self.end_with_everything(out)),
        }
    }

    /// The last bytes that came, from the beginning of a line on, are not content any more: they come anew. Gives the length of
    /// the content that is left.
    pub fn take_back(&mut self, bytes: &[u8], out: &mut impl FnMut(&[u8])) -> u64 {
        let unread = std::mem::take(&mut self.carry).len() as u64;
        self.settle();
        self.release_held(out);
        self.released = self.released.saturating_sub((bytes.len() as u64).saturating_sub(unread));
        self.newlines = self.newlines.saturating_sub(memchr::memchr_iter(b'\n', bytes).count() as u64);
        self.last = b'\n';
        self.blank = self.blank || self.released == 0;
        self.free = false;
        self.fences.rewind(bytes);
        self.released
    }

    /// A new turn begins.
    pub fn begin_turn(&mut self, start: TurnStart, out: &mut impl FnMut(&[u8])) {
        if self.ended().is_some() {
            return;
        }
        match start {
            TurnStart::Cut if self.inside_line() => self.begin_virtual_line(start),
            TurnStart::Cut => {}
            TurnStart::Reply => {
                self.asked = self.candidate.or(self.passed);
                self.release_held(out);
                self.passed = None;
                self.begin_virtual_line(start);
            }
        }
    }

    fn question(&self, at: Candidate, followed: bool) -> EndQuestion {
        EndQuestion { offset: at.offset, line: at.line, fenced: at.fenced, followed }
    }
}
