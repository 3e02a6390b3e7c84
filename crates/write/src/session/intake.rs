//! Takes a chunk: drops bytes that were received before, frames and joins the rest.

use super::machine::{WriteSession, framer};
use super::resent::Mismatch;
use super::state::{Pause, Spool, State, WriteAction, WriteEvent};
use crate::cleaning::said_at_end;
use crate::codes;
use crate::continuation::{
    Continuation, EarlierContent, JoinContext, JoinDoubt, JoinError, JoinedText, RestartDetection,
    SeamContext, joint_in,
};
use crate::error::{Error, WriteFailure};
use crate::framing::{Terminator, TextEncoding};
use crate::joint::Joint;
use crate::validate::FileKind;

/// Content is taken in pieces of this many bytes, so that a limit is noticed at once.
const PIECE: usize = 64 << 10;
/// So much content is made durable at a time.
const SYNC: u64 = 256 << 10;
/// So many joints are looked at.
const JOINTS: usize = 64;
/// All bytes of a session may be so many times its content, and a little more.
const RAW_TIMES: u64 = 4;
const RAW_MORE: u64 = 1 << 20;

/// The content so far: what the spool has, then what is held back.
struct ChunkOutcome<'a, S> {
    spool: &'a mut S,
    released: u64,
    held: Vec<u8>,
}

impl<S: Spool> EarlierContent for ChunkOutcome<'_, S> {
    fn matches(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let in_spool =
            usize::try_from(self.released.saturating_sub(offset)).unwrap_or(usize::MAX).min(bytes.len());
        let (before, behind) = bytes.split_at(in_spool);
        let from = usize::try_from(offset.saturating_sub(self.released)).unwrap_or(usize::MAX);
        let held = self.held.get(from..).unwrap_or_default();
        (before.is_empty() || self.spool.matches(offset, before)) && held.starts_with(behind)
    }
}

impl WriteSession {
    pub(super) fn chunk(
        &mut self,
        offset: Option<u64>,
        bytes: &[u8],
        spool: &mut impl Spool,
        actions: &mut Vec<WriteAction>,
    ) -> Result<(), WriteFailure> {
        if !self.state.takes_content() {
            return Ok(());
        }
        let new = self.new_bytes(offset, bytes)?;
        // Who names the right offset after a lost connection knows what has come.
        let confirms = self.state == State::Paused(Pause::Disconnect) && offset == Some(self.received);
        if new.is_empty() && confirms {
            self.resume(spool, actions);
        }
        if new.is_empty() {
            return Ok(());
        }
        self.resume(spool, actions);
        self.resent.push(new);
        self.received += new.len() as u64;
        if self.received > self.options.max_bytes.saturating_mul(RAW_TIMES).saturating_add(RAW_MORE) {
            self.fail(Error::TooLarge { limit: self.options.max_bytes }, actions);
            return Ok(());
        }
        for piece in new.chunks(PIECE) {
            if self.state != State::Receiving {
                // The file has ended: the engine only counts what follows.
                let after = self.framer.push(piece, &mut |_| {});
                if after.is_err() {
                    break;
                }
                continue;
            }
            if !self.seam.is_through() {
                self.seek_seam(piece, spool, actions);
            } else if self.joiner.is_through() {
                self.take(piece, spool, actions);
            } else if self.unclean.is_none() {
                let options = self.joining();
                let (at, mut earlier) = (self.surroundings(), self.so_far(spool));
                match self.joiner.push(piece, &options, &self.recent, at, &mut earlier) {
                    Ok(new) => self.take(&new, spool, actions),
                    Err(unclean) => self.unclean = Some(unclean),
                }
            }
        }
        self.tell_progress(actions);
        Ok(())
    }

    /// The sender knows that the content has come to `offset`, and no further.
    pub(super) fn confirm(
        &mut self,
        offset: u64,
        spool: &mut impl Spool,
        actions: &mut Vec<WriteAction>,
    ) -> Result<(), WriteFailure> {
        if offset != self.received {
            let problem = "is not all that has come";
            return Err(Error::OffsetMismatch { offset, expected: self.received, problem }.into());
        }
        self.chunk(Some(offset), &[], spool, actions)
    }

    /// Takes all of the content, in which nothing ends it.
    pub(super) fn whole(
        &mut self,
        bytes: &[u8],
        spool: &mut impl Spool,
        actions: &mut Vec<WriteAction>,
    ) -> Result<(), WriteFailure> {
        if matches!(self.state, State::Validating | State::Committing | State::Committed) {
            return Ok(());
        }
        if !self.state.takes_content() {
            return Err(self.problem.clone().unwrap_or_else(|| self.incomplete("no end").into()));
        }
        if self.received > 0 && !self.replace {
            let problem = "content has come already: finalise without 'content', or cancel";
            return Err(Error::Options(problem.to_owned()).into());
        }
        self.resume(spool, actions);
        self.framer = framer(&self.options, Terminator::None, &self.marker);
        self.received += bytes.len() as u64;
        for piece in bytes.chunks(PIECE) {
            self.take(piece, spool, actions);
        }
        if self.state == State::Receiving { self.finalise(spool, actions) } else { Ok(()) }
    }

    /// The bytes that did not come before.
    fn new_bytes<'a>(&self, offset: Option<u64>, bytes: &'a [u8]) -> Result<&'a [u8], WriteFailure> {
        let expected = self.received;
        let offset = offset.unwrap_or(expected);
        let mismatch = |problem| WriteFailure::from(Error::OffsetMismatch { offset, expected, problem });
        if bytes.is_empty() && offset <= expected {
            return Ok(bytes);
        }
        let back = expected.checked_sub(offset).ok_or_else(|| mismatch("leave a gap"))?;
        let again = usize::try_from(back).unwrap_or(usize::MAX).min(bytes.len());
        if again > 0 {
            self.resent.check(&bytes[..again], back).map_err(|why| match why {
                Mismatch::Differs => mismatch("are not those that came there before"),
                Mismatch::Forgotten => mismatch("came too long ago to be compared"),
            })?;
        }
        Ok(&bytes[again..])
    }

    /// Content comes again after a pause, a question, or a refusal.
    fn resume(&mut self, spool: &mut impl Spool, actions: &mut Vec<WriteAction>) {
        if self.replace {
            self.begin_again(spool);
        } else if let Some(start) = self.next_turn.take() {
            let asked = std::mem::take(&mut self.continuation_requested);
            let mid_turn = self.state == State::Paused(Pause::Idle);
            if asked && !mid_turn {
                if self.has_seam() {
                    self.seam.begin(&self.recent);
                } else {
                    let options = self.joining();
                    self.joiner.begin(&options);
                }
            }
            self.framer.begin_turn(start, &mut |content| spool.append(content));
        }
        self.go_to(State::Receiving, None, actions);
    }

    /// The options of continuations, without what cannot be compared with the content as it came.
    fn joining(&self) -> Continuation {
        let altered = self.options.escape.is_some() || self.options.encoding == TextEncoding::Replace;
        let restart = if altered { RestartDetection::Off } else { self.options.continuation.restart };
        Continuation { restart, ..self.options.continuation }
    }

    fn surroundings(&self) -> JoinContext {
        JoinContext {
            in_fence: self.framer.fence().is_some(),
            markdown: matches!(self.options.kind(), FileKind::Markdown),
        }
    }

    fn so_far<'a, S: Spool>(&self, spool: &'a mut S) -> ChunkOutcome<'a, S> {
        ChunkOutcome { spool, released: self.framer.released(), held: self.framer.held_bytes() }
    }

    /// Takes text of the file, terminators included.
    fn take(&mut self, text: &[u8], spool: &mut impl Spool, actions: &mut Vec<WriteAction>) {
        if text.is_empty() || self.state != State::Receiving {
            return;
        }
        self.recent.push(text);
        self.guard.add(text);
        if self.has_seam() {
            self.seam.track(text);
        }
        let pushed = self.framer.push(text, &mut |content| spool.append(content));
        if self.framer.released() > self.options.max_bytes {
            return self.fail(Error::TooLarge { limit: self.options.max_bytes }, actions);
        }
        match pushed {
            Ok(Some(end)) => self.close(end, spool, actions),
            Ok(None) => {}
            Err(invalid) => self.fail(invalid.into(), actions),
        }
    }

    /// Looks for the seam in a piece of a continuation.
    fn seek_seam(&mut self, piece: &[u8], spool: &mut impl Spool, actions: &mut Vec<WriteAction>) {
        if self.unclean.is_some() {
            return;
        }
        let at = SeamContext { recent: &self.recent, marker: &self.marker };
        let joined = self.seam.push(piece, at);
        self.take_joined(joined, spool, actions);
    }

    /// Takes what a continuation adds: the line that was cut goes, if it comes anew.
    fn take_joined(
        &mut self,
        joined: Result<JoinedText, JoinError>,
        spool: &mut impl Spool,
        actions: &mut Vec<WriteAction>,
    ) {
        match joined {
            Ok(JoinedText { back, new, is_doubtful }) => {
                let mut joint = Joint::at(0);
                if back > 0 {
                    joint = joint_in(self.recent.end(back), &new);
                    self.take_back(back, spool);
                }
                if (back > 0 || !new.is_empty()) && self.joints.len() < JOINTS {
                    self.joints.push(joint.behind(self.recent.total()));
                }
                if is_doubtful {
                    let message = "the end of the file repeats itself: how many of its lines were meant rests on the continuation's word";
                    self.warn(codes::OVERLAP_AMBIGUOUS.name, message.to_owned());
                }
                if !new.is_empty() {
                    self.asked_again = false;
                }
                self.take(&new, spool, actions);
            }
            Err(unclean) => self.unclean = Some(unclean),
        }
    }

    /// The last bytes, from the beginning of a line on, are not content any more.
    fn take_back(&mut self, bytes: usize, spool: &mut impl Spool) {
        let text = self.recent.end(bytes).to_vec();
        let length = self.framer.take_back(&text, &mut |content| spool.append(content));
        spool.truncate(length);
        self.recent.take_back(bytes);
        self.guard.take_back(bytes as u64);
        self.seam.untrack(&text);
        self.told = self.told.min(length);
        self.synced = self.synced.min(length);
    }

    /// Takes back what the model said to its reader at the end of an answer that does not end the file: that it goes on elsewhere,
    /// whether it is to go on. Who means it as content sends it again with what follows.
    pub(super) fn take_back_said(&mut self, spool: &mut impl Spool) {
        if !self.has_seam() {
            return;
        }
        let (bytes, line) = said_at_end(self.recent.tail());
        if bytes > 0 {
            self.take_back(bytes, spool);
            self.warn(
                codes::CHATTER_REMOVED.name,
                format!("at the end of an answer, this was removed: {line}"),
            );
        }
    }

    /// The turn is over: what is held of its beginning is taken, too. Whether the session still takes content.
    pub(super) fn end_joining(&mut self, spool: &mut impl Spool, actions: &mut Vec<WriteAction>) -> bool {
        if !self.seam.is_through() {
            let at = SeamContext { recent: &self.recent, marker: &self.marker };
            let joined = self.seam.end(at);
            self.take_joined(joined, spool, actions);
        }
        let options = self.joining();
        let (at, mut earlier) = (self.surroundings(), self.so_far(spool));
        let rest: Result<Vec<u8>, JoinError> = self.joiner.end(&options, &self.recent, at, &mut earlier);
        match rest {
            Ok(rest) => self.take(&rest, spool, actions),
            Err(unclean) => self.unclean = Some(unclean),
        }
        if self.joiner.removed() > 0 {
            self.asked_again = false;
        }
        if let Some(line) = self.joiner.take_chatter() {
            self.warn(
                codes::CHATTER_REMOVED.name,
                format!("before the text went on, this line was removed: {line}"),
            );
        }
        if let Some(JoinDoubt { removed, other }) = self.joiner.take_doubt() {
            let message = format!(
                "the end of the file repeats itself: {removed} bytes of a continuation were taken for repeated, {other} would fit too"
            );
            self.warn(codes::OVERLAP_AMBIGUOUS.name, message);
        }
        self.state.takes_content()
    }

    /// No further byte completes a character. Whether the session still takes content.
    pub(super) fn end_character(&mut self, spool: &mut impl Spool, actions: &mut Vec<WriteAction>) -> bool {
        if let Err(invalid) = self.framer.end_character(&mut |content| spool.append(content)) {
            self.fail(invalid.into(), actions);
        }
        self.state.takes_content()
    }

    fn tell_progress(&mut self, actions: &mut Vec<WriteAction>) {
        let bytes = self.framer.released();
        if bytes >= self.synced + SYNC && self.state == State::Receiving {
            self.synced = bytes;
            actions.push(WriteAction::Sync);
        }
        if bytes >= self.told + PIECE as u64 {
            self.told = bytes;
            actions.push(WriteAction::Publish(WriteEvent::Progress { bytes, lines: self.framer.lines() }));
        }
    }
}
