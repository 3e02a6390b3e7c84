//! The state machine of a session: what each input leads to.
//!
//! Must never reach `Committed` but through the end of the content, a look at it, and a file that was written.

use serde::{Deserialize, Serialize};

use super::options::{BeginOptions, Escape};
use super::prompts;
use super::resent::ResentBytes;
use super::state::{
    Pause, Prompt, Spool, State, WriteAction, WriteEvent, WriteInput, WriteReceipt, WriteWarning,
};
use crate::codes;
use crate::continuation::{JoinError, Joiner, PlainDigest, ProgressGuard, RecentContent, SeamJoiner};
use crate::error::{Error, WriteFailure};
use crate::framing::{Framer, Framing, Terminator, TurnFinish, TurnStart, TurnVerdict};
use crate::joint::Joint;
use crate::patch::PatchSpec;

/// One write session. Its serialised form is a checkpoint; bytes kept for comparison are not in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteSession {
    pub(super) options: BeginOptions,
    pub(super) marker: String,
    pub(super) state: State,
    pub(super) problem: Option<WriteFailure>,
    /// All bytes sent that were taken, whatever became of them.
    pub(super) received: u64,
    #[serde(skip)]
    pub(super) resent: ResentBytes,
    pub(super) framer: Framer,
    pub(super) joiner: Joiner,
    #[serde(default, skip_serializing_if = "SeamJoiner::is_unused")]
    pub(super) seam: SeamJoiner,
    pub(super) recent: RecentContent,
    pub(super) guard: ProgressGuard,
    /// How the next turn joins, once it begins.
    pub(super) next_turn: Option<TurnStart>,
    /// Whether the next turn was asked to go on with the file.
    #[serde(rename = "asked_to_go_on")]
    pub(super) continuation_requested: bool,
    /// Why the current turn is not taken.
    pub(super) unclean: Option<JoinError>,
    pub(super) asked_again: bool,
    /// Whether the next content takes the place of what has come.
    pub(super) replace: bool,
    /// The patch that the next content, or the current one, is.
    pub(super) patch: Option<PatchSpec>,
    pub(super) repairs: u32,
    /// Where the content was gone on with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) joints: Vec<Joint>,
    /// Continuations of content that was replaced.
    pub(super) earlier_rounds: u32,
    pub(super) synced: u64,
    pub(super) told: u64,
    pub(super) validators: Vec<String>,
    pub(super) warnings: Vec<WriteWarning>,
    pub(super) receipt: Option<WriteReceipt>,
    /// What was asked last, while nothing has come since.
    #[serde(default)]
    pub(super) asked: Option<Prompt>,
    /// The content that was refused last for what may be meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<PlainDigest>,
}

impl WriteSession {
    /// A session for `options`, whose content may end with the line `marker` ([`super::marker`]).
    #[must_use]
    pub fn begin(options: BeginOptions, marker: impl Into<String>) -> Self {
        let marker = marker.into();
        Self {
            framer: framer(&options, options.terminator, &marker),
            options,
            marker,
            state: State::Open,
            problem: None,
            received: 0,
            resent: ResentBytes::default(),
            joiner: Joiner::default(),
            seam: SeamJoiner::default(),
            recent: RecentContent::default(),
            guard: ProgressGuard::default(),
            next_turn: None,
            continuation_requested: false,
            unclean: None,
            asked_again: false,
            replace: false,
            patch: None,
            repairs: 0,
            joints: Vec::new(),
            earlier_rounds: 0,
            synced: 0,
            told: 0,
            validators: Vec::new(),
            warnings: Vec::new(),
            receipt: None,
            asked: None,
            refused: None,
        }
    }

    /// How the content is to be sent.
    #[must_use]
    pub fn instruction(&self) -> Prompt {
        prompts::begin(&self.options, &self.marker)
    }

    /// What the model is told of the file that is written.
    #[must_use]
    pub fn receipt_prompt(&self) -> Option<Prompt> {
        self.receipt.as_ref().map(prompts::receipt)
    }

    /// What was asked for.
    #[must_use]
    pub fn options(&self) -> &BeginOptions {
        &self.options
    }

    /// The end line of this session.
    #[must_use]
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// What is wrong, if it is.
    #[must_use]
    pub fn problem(&self) -> Option<&WriteFailure> {
        self.problem.as_ref()
    }

    /// What was asked last, while nothing has come since.
    #[must_use]
    pub fn asked(&self) -> Option<&Prompt> {
        self.asked.as_ref()
    }

    /// All bytes that were received: the offset of the next one.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.received
    }

    /// Bytes of content that went to the spool.
    #[must_use]
    pub fn content_bytes(&self) -> u64 {
        self.framer.released()
    }

    /// Whether what was refused may be two files.
    pub(crate) fn has_done_within(&self) -> bool {
        self.framer.done_within().is_some()
    }

    /// Where the content was gone on with.
    pub(crate) fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The proof, once the file is written.
    #[must_use]
    pub fn receipt(&self) -> Option<&WriteReceipt> {
        self.receipt.as_ref()
    }

    /// Lines of content that went to the spool.
    #[must_use]
    pub fn content_lines(&self) -> u64 {
        self.framer.lines()
    }

    /// Whether it failed only in being written, so that finalising tries that again.
    #[must_use]
    pub fn may_be_written_again(&self) -> bool {
        self.state == State::Failed && self.framer.ended().is_some() && !self.validators_failed()
    }

    /// What is still to be done in a session that was read from a checkpoint.
    #[must_use]
    pub(crate) fn left_to_do(&self) -> Vec<WriteAction> {
        match self.state {
            State::Validating => vec![WriteAction::Validate(self.assembly())],
            State::Committing => vec![WriteAction::Commit],
            _ => Vec::new(),
        }
    }

    /// Takes bytes that came before the checkpoint, in order, so that they are known when they come again.
    pub(crate) fn remember(&mut self, bytes: &[u8]) {
        self.resent.push(bytes);
    }

    /// Takes an input. Content goes to `spool` at once; what is returned is to be done in order afterwards.
    ///
    /// # Errors
    /// When the input itself is refused. The session is as it was then.
    pub fn step(
        &mut self,
        input: WriteInput<'_>,
        spool: &mut impl Spool,
    ) -> Result<Vec<WriteAction>, WriteFailure> {
        let mut actions = Vec::new();
        let before = self.state;
        match input {
            WriteInput::Chunk { offset, bytes } => self.chunk(offset, bytes, spool, &mut actions)?,
            WriteInput::Whole(bytes) => self.whole(bytes, spool, &mut actions)?,
            WriteInput::TurnEnd(finish) if self.state.takes_content() => {
                self.turn_end(finish, spool, &mut actions);
            }
            WriteInput::Idle => self.idle(spool, &mut actions),
            WriteInput::Disconnect if matches!(self.state, State::Receiving | State::Paused(Pause::Idle)) => {
                actions.push(WriteAction::Sync);
                self.go_to(State::Paused(Pause::Disconnect), None, &mut actions);
            }
            WriteInput::Finalise => self.finalise(spool, &mut actions)?,
            WriteInput::FinaliseAt(offset) => {
                if !self.state.is_final() {
                    self.confirm(offset, spool, &mut actions)?;
                }
                self.finalise(spool, &mut actions)?;
            }
            WriteInput::Patch(spec) => self.take_patch(spec)?,
            WriteInput::Validated(report) if self.state == State::Validating => {
                self.validated(report, &mut actions);
            }
            WriteInput::PatchFailed(error) if self.state == State::Validating => {
                self.patch_failed(error, &mut actions);
            }
            WriteInput::Committed(written) if self.state == State::Committing => {
                self.committed(written, &mut actions);
            }
            WriteInput::CommitFailed(problem) if self.state == State::Committing => {
                self.go_to(State::Failed, Some(problem), &mut actions);
            }
            WriteInput::Lost(problem) if !self.state.is_final() => {
                self.go_to(State::Failed, Some(problem), &mut actions);
                actions.push(WriteAction::Discard);
            }
            WriteInput::Cancel if self.state.takes_content() || self.state == State::Validating => {
                self.go_to(State::Cancelled, Some(Error::Cancelled.into()), &mut actions);
                actions.push(WriteAction::Discard);
            }
            WriteInput::Expire if self.state.takes_content() => {
                self.go_to(State::Expired, Some(Error::SessionExpired.into()), &mut actions);
            }
            // They come too late, or once more.
            WriteInput::TurnEnd(_)
            | WriteInput::Disconnect
            | WriteInput::Validated(_)
            | WriteInput::PatchFailed(_)
            | WriteInput::Committed(_)
            | WriteInput::CommitFailed(_)
            | WriteInput::Lost(_)
            | WriteInput::Cancel
            | WriteInput::Expire => {}
        }
        if self.state != before && !matches!(self.state, State::Paused(_)) {
            self.asked = None;
        }
        for action in &actions {
            if let WriteAction::Ask(prompt) = action {
                self.asked = Some(prompt.clone());
            }
        }
        Ok(actions)
    }

    pub(super) fn go_to(
        &mut self,
        state: State,
        problem: Option<WriteFailure>,
        actions: &mut Vec<WriteAction>,
    ) {
        if self.state != state || self.problem != problem {
            self.state = state;
            self.problem.clone_from(&problem);
            actions.push(WriteAction::Publish(WriteEvent::State {
                state,
                offset: self.received,
                error: problem,
            }));
        }
    }

    pub(super) fn fail(&mut self, error: Error, actions: &mut Vec<WriteAction>) {
        self.go_to(State::Failed, Some(error.into()), actions);
        actions.push(WriteAction::Discard);
    }

    /// Begins the content anew: what has come is replaced, or set aside for a patch.
    pub(super) fn begin_again(&mut self, spool: &mut impl Spool) {
        if self.patch.is_some() {
            spool.set_aside();
        } else {
            spool.truncate(0);
        }
        self.framer = framer(&self.options, self.options.terminator, &self.marker);
        self.earlier_rounds += self.guard.rounds();
        (self.joiner, self.seam, self.recent, self.guard) = Default::default();
        (self.next_turn, self.unclean) = (None, None);
        (self.continuation_requested, self.asked_again, self.replace) = (false, false, false);
        (self.synced, self.told) = (0, 0);
        self.joints.clear();
    }

    fn turn_end(&mut self, finish: TurnFinish, spool: &mut impl Spool, actions: &mut Vec<WriteAction>) {
        // A turn without content mends nothing.
        if self.replace || !self.end_joining(spool, actions) {
            return;
        }
        if finish.is_whole() && !self.end_character(spool, actions) {
            return;
        }
        actions.push(WriteAction::Sync);
        if let Some(unclean) = self.unclean.take() {
            let again = !std::mem::replace(&mut self.asked_again, true);
            self.next_turn = Some(TurnStart::Cut);
            self.go_to(State::Incomplete, Some(Error::from(unclean).into()), actions);
            if again && self.may_continue(ProgressGuard::again, actions) {
                let may_have_ended = self.seam.may_have_ended();
                self.request_continuation(Some(unclean), may_have_ended, actions);
            }
            return;
        }
        match self.framer.turn_end(finish, &mut |content| spool.append(content)) {
            TurnVerdict::Ended(end) => self.close(end, spool, actions),
            TurnVerdict::Ambiguous(question) => {
                self.next_turn = Some(TurnStart::Reply);
                let problem = Error::AmbiguousEnd { line: question.line };
                self.go_to(State::Ambiguous, Some(problem.into()), actions);
                if self.may_continue(ProgressGuard::next_round, actions) {
                    actions.push(WriteAction::Ask(prompts::ambiguous(&self.options, &self.marker, question)));
                }
            }
            TurnVerdict::Unfinished => {
                if !matches!(finish, TurnFinish::ContentFilter | TurnFinish::Error) {
                    self.take_back_said(spool);
                }
                self.unfinished(finish, actions);
            }
        }
    }

    fn unfinished(&mut self, finish: TurnFinish, actions: &mut Vec<WriteAction>) {
        let (state, cause) = match finish {
            TurnFinish::Length => (State::Paused(Pause::Length), "output limit"),
            TurnFinish::Stop => (State::Incomplete, "no end line"),
            TurnFinish::ToolCalls => (State::Incomplete, "tool call"),
            TurnFinish::Other => (State::Incomplete, "unknown reason"),
            TurnFinish::ContentFilter => (State::Incomplete, "content filter"),
            TurnFinish::Recitation => (State::Incomplete, "recitation"),
            TurnFinish::Error => (State::Incomplete, "error"),
        };
        // Whatever the label says, the next turn may go on in the middle of a line.
        self.next_turn = Some(TurnStart::Cut);
        let problem = (state == State::Incomplete).then(|| self.incomplete(cause).into());
        self.go_to(state, problem, actions);
        let ask = !matches!(finish, TurnFinish::ContentFilter | TurnFinish::Error);
        if ask && self.may_continue(ProgressGuard::next_round, actions) {
            self.request_continuation(None, finish == TurnFinish::Stop, actions);
            if finish == TurnFinish::Recitation
                && let Some(WriteAction::Ask(prompt)) = actions.last_mut()
            {
                prompts::in_own_words(prompt);
            }
        }
    }

    pub(super) fn incomplete(&self, cause: &'static str) -> Error {
        Error::Incomplete { bytes: self.framer.released(), line: self.framer.lines().max(1), cause }
    }

    fn idle(&mut self, spool: &mut impl Spool, actions: &mut Vec<WriteAction>) {
        if !matches!(self.state, State::Receiving | State::Paused(Pause::Idle)) {
            return;
        }
        if let Some(end) = self.framer.idle(&mut |content| spool.append(content)) {
            return self.close(end, spool, actions);
        }
        actions.push(WriteAction::Sync);
        self.next_turn = self.next_turn.or(Some(TurnStart::Cut));
        self.go_to(State::Paused(Pause::Idle), None, actions);
        actions.push(WriteAction::Ask(prompts::idle(&self.options, &self.marker)));
    }

    pub(super) fn finalise(
        &mut self,
        spool: &mut impl Spool,
        actions: &mut Vec<WriteAction>,
    ) -> Result<(), WriteFailure> {
        match self.state {
            State::Open | State::Receiving | State::Paused(Pause::Idle) => {}
            State::Validating | State::Committing | State::Committed => return Ok(()),
            State::Failed if self.may_be_written_again() => {
                self.go_to(State::Committing, None, actions);
                actions.push(WriteAction::Commit);
                return Ok(());
            }
            State::Paused(Pause::Length) => return Err(self.incomplete("output limit").into()),
            State::Paused(Pause::Disconnect) => return Err(self.incomplete("connection lost").into()),
            State::Incomplete
            | State::Ambiguous
            | State::NeedsRepair
            | State::Cancelled
            | State::Expired
            | State::Failed => {
                return Err(self.problem.clone().unwrap_or_else(|| self.incomplete("no end").into()));
            }
        }
        if !self.end_joining(spool, actions) || !self.end_character(spool, actions) {
            return Ok(());
        }
        if let Some(unclean) = self.unclean.take() {
            self.go_to(State::Incomplete, Some(Error::from(unclean).into()), actions);
            return Ok(());
        }
        match self.framer.finalise(&mut |content| spool.append(content)) {
            Ok(end) => self.close(end, spool, actions),
            Err(question) => {
                self.next_turn = Some(TurnStart::Reply);
                let problem = Error::AmbiguousEnd { line: question.line };
                self.go_to(State::Ambiguous, Some(problem.into()), actions);
                actions.push(WriteAction::Ask(prompts::ambiguous(&self.options, &self.marker, question)));
            }
        }
        Ok(())
    }

    /// Whether it failed before it came to writing.
    fn validators_failed(&self) -> bool {
        let stopped = [
            codes::VALIDATION_FAILED.name,
            codes::MARKER_IN_CONTENT.name,
            codes::PATCH_NO_MATCH.name,
            codes::PATCH_AMBIGUOUS.name,
            codes::ENCODING_INVALID.name,
            codes::PATCH_INVALID.name,
        ];
        self.problem.as_ref().is_none_or(|problem| stopped.contains(&problem.code.as_str()))
    }
}

pub(super) fn framer(options: &BeginOptions, terminator: Terminator, marker: &str) -> Framer {
    let framing = Framing::new(terminator, marker);
    let escape = options.escape == Some(Escape::Backslash);
    Framer::new(Framing { escape, encoding: options.encoding, ..framing })
}
