//! Asks for the rest of a file: where it was cut, and whether another answer makes sense.

use super::machine::WriteSession;
use super::prompts;
use super::state::{State, WriteAction};
use crate::continuation::{Anchor, JoinError, Limit, Overlap, ProgressGuard, Seam};
use crate::error::Error;
use crate::framing::TextEncoding;

/// So many answers in a row may add nothing to a file.
const FRUITLESS: u32 = 4;

impl WriteSession {
    /// Asks for the rest of the file.
    pub(super) fn request_continuation(
        &mut self,
        unclean: Option<JoinError>,
        may_have_ended: bool,
        actions: &mut Vec<WriteAction>,
    ) {
        self.continuation_requested = true;
        if self.has_seam() {
            self.seam.ask(may_have_ended, unclean.is_some());
            let prompt = prompts::resume_at_seam(
                &self.options,
                &self.marker,
                (self.anchor(), self.cut()),
                may_have_ended,
                unclean,
            );
            actions.push(WriteAction::Ask(prompt));
            return;
        }
        let anchor = self.anchor();
        actions.push(WriteAction::Ask(prompts::resume(&self.options, &self.marker, &anchor, unclean)));
    }

    /// The content as the model is shown it: `spooled`, which the spool has, and what is held back, without the line that is
    /// to be written again.
    pub(crate) fn shown(&self, mut spooled: Vec<u8>) -> Vec<u8> {
        spooled.extend_from_slice(&self.framer.held_bytes());
        let cut = self.cut().filter(|_| self.has_seam() && self.continuation_requested);
        let again = cut.map_or(&[][..], |seam| seam.unfinished());
        if spooled.ends_with(again) {
            spooled.truncate(spooled.len() - again.len());
        }
        spooled
    }

    /// The end of the content.
    pub(super) fn anchor(&self) -> Anchor {
        let least = self.options.continuation.min_overlap_bytes as usize;
        self.recent.anchor(self.framer.lines().max(1), least)
    }

    /// Whether continuations are joined at the line that was cut.
    pub(super) fn has_seam(&self) -> bool {
        self.options.continuation.overlap == Overlap::Seam
            && self.options.escape.is_none()
            && self.options.encoding != TextEncoding::Replace
    }

    /// Where the file was cut; nothing where its last line is too long to be taken back.
    pub(super) fn cut(&self) -> Option<Seam<'_>> {
        Seam::of(&self.recent, &self.marker, self.seam.is_again())
    }

    pub(super) fn may_continue(
        &mut self,
        round: impl FnOnce(&mut ProgressGuard, u32) -> Result<(), Limit>,
        actions: &mut Vec<WriteAction>,
    ) -> bool {
        let limit = if self.has_seam() {
            self.guard.next_fruitful_round(FRUITLESS)
        } else {
            round(&mut self.guard, self.options.continuation.max_rounds)
        };
        if let Err(limit) = limit {
            self.go_to(State::Incomplete, Some(Error::from(limit).into()), actions);
        }
        limit.is_ok()
    }
}
