//! Handles a candidate for the end: keeps it, drops it when more comes, or ends the file at it.

use super::ends::{Candidate, ContentEnd, EndKind, TurnStart};
use super::framer::Framer;
use super::spots::count_newlines;
use super::terminator::{LineKind, Terminator};

impl Framer {
    /// Text has come: what was a candidate is content, and a question is answered.
    pub(super) fn settle(&mut self) {
        self.asked = None;
        self.pass_candidate();
    }

    pub(super) fn pass_candidate(&mut self) {
        let doubtful = |at: &Candidate| at.whole && at.genuine && !at.fenced;
        if self.framing.terminator == Terminator::Auto {
            self.passed = self.candidate.filter(doubtful).or(self.passed);
        }
        self.candidate = None;
    }

    /// The current line is a `DONE` line; whatever came before it is content. Its LF has come or, if `partial`, not yet.
    pub(super) fn nominate(&mut self, partial: bool) {
        let offset = self.released + self.line as u64;
        if self.candidate.is_some_and(|before| before.offset != offset) {
            self.pass_candidate();
        }
        let lines = count_newlines(&self.held[..self.line]);
        self.candidate = Some(Candidate {
            offset,
            line: self.newlines + lines + 1,
            fenced: self.fences.open().is_some(),
            whole: !partial,
            genuine: self.virtual_start != Some(TurnStart::Cut),
            answer: self.virtual_start == Some(TurnStart::Reply),
        });
    }

    /// What the current line is if it ends here.
    pub(super) fn partial_line(&self) -> LineKind {
        if self.free || self.held.len() == self.line {
            LineKind::Blank
        } else {
            self.framing.classify(&self.held[self.line..])
        }
    }

    /// Whether the stream stands inside a line of content that is no terminator.
    pub(super) fn inside_line(&self) -> bool {
        self.free
    }

    /// The next line is held although no LF stands before it.
    pub(super) fn begin_virtual_line(&mut self, start: TurnStart) {
        if self.free && start == TurnStart::Reply && self.fences.active() {
            self.fences.end_line(self.newlines + 1);
        }
        self.free = false;
        self.virtual_start = Some(start);
    }

    pub(super) fn end_before_line(&mut self, by: EndKind, out: &mut impl FnMut(&[u8])) -> ContentEnd {
        let blank = self.virtual_start == Some(TurnStart::Reply) && self.candidate.is_none();
        let keep = if blank { 0 } else { self.line };
        self.held.truncate(keep);
        self.finish(by, None, out)
    }

    pub(super) fn end_at_candidate(
        &mut self,
        candidate: Candidate,
        out: &mut impl FnMut(&[u8]),
    ) -> ContentEnd {
        let at = self.asked.unwrap_or(candidate).offset;
        let keep = usize::try_from(at.saturating_sub(self.released)).unwrap_or(usize::MAX);
        // Blanks that a reply begins with are no content.
        let blank = self.held.iter().take(keep).all(u8::is_ascii_whitespace);
        self.held.truncate(if blank { 0 } else { keep });
        self.finish(EndKind::Done, Some(at).filter(|at| *at < self.released), out)
    }

    pub(super) fn end_with_everything(&mut self, out: &mut impl FnMut(&[u8])) -> ContentEnd {
        if self.partial_line() == LineKind::Escaped {
            self.held.remove(self.line);
        }
        self.finish(EndKind::Request, None, out)
    }

    pub(super) fn finish(
        &mut self,
        by: EndKind,
        length: Option<u64>,
        out: &mut impl FnMut(&[u8]),
    ) -> ContentEnd {
        self.candidate = None;
        self.release_held(out);
        let end = ContentEnd { by, length: length.unwrap_or(self.released) };
        self.ended = Some(end);
        end
    }

    /// Releases what is held; the current line goes on behind it.
    pub(super) fn release_held(&mut self, out: &mut impl FnMut(&[u8])) {
        let held = std::mem::take(&mut self.held);
        self.newlines += count_newlines(&held);
        self.release(&held, out);
        self.held = held;
        self.held.clear();
        self.line = 0;
        self.virtual_start = None;
        self.candidate = None;
    }

    pub(super) fn release(&mut self, content: &[u8], out: &mut impl FnMut(&[u8])) {
        let Some(&last) = content.last() else { return };
        self.released += content.len() as u64;
        self.last = last;
        self.blank = self.blank && content.iter().all(u8::is_ascii_whitespace);
        out(content);
    }
}
