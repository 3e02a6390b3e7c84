//! Drives a session in memory, one input at a time, and shows others its state meanwhile.
//!
//! Must never hold the session while its file is looked at: it can be cancelled then.

use std::sync::{Mutex, MutexGuard, TryLockError};

use bytes::Bytes;
use engross_store::Millis;

use super::WriteSessionId;
use super::caller::WriteCaller;
use super::deliver::Inspection;
use super::environment::{Environment, locked};
use super::hub::{EventHub, Notice};
use super::record;
use super::work::Work;
use crate::error::{Error, WriteFailure};
use crate::session::{BeginOptions, Pause, Prompt, State, WriteInput, WriteReceipt, WriteSession};

/// A session as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteSessionView {
    /// Which one.
    pub id: WriteSessionId,
    /// What was asked for.
    pub options: BeginOptions,
    /// Its end line.
    pub marker: String,
    /// How the content is to be sent.
    pub instruction: String,
    /// Where it stands.
    pub state: State,
    /// Bytes received that are durable: the offset of the next one.
    pub offset: u64,
    /// Bytes of content.
    pub bytes: u64,
    /// Lines of content.
    pub lines: u64,
    /// What is wrong, if it is.
    pub problem: Option<WriteFailure>,
    /// The proof, once the file is written.
    pub receipt: Option<WriteReceipt>,
    /// What is asked, while nobody has answered.
    pub prompt: Option<Prompt>,
    /// When it began, in milliseconds since 1970.
    pub created: Millis,
    /// When it was last heard of.
    pub updated: Millis,
    /// When it expires if nothing more is heard.
    pub expires: Millis,
}

/// How long an answer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Until all that came is durable.
    Durable,
    /// Not at all: more follows.
    AtOnce,
}

/// One session.
pub(super) struct LoadedSession {
    pub(super) id: WriteSessionId,
    /// Who has begun it; since a restart nobody knows, and it counts as the only client's.
    pub(super) caller: WriteCaller,
    pub(super) hub: EventHub,
    /// Locked by the thread that feeds the session, until all that follows is done. Cancelling does not need it.
    driver: Mutex<()>,
    /// `None` once it is over.
    work: Mutex<Option<Work>>,
    view: Mutex<WriteSessionView>,
}

impl LoadedSession {
    pub(super) fn new(work: Work, id: WriteSessionId, shared: &Environment) -> Self {
        let running = Self {
            id,
            caller: WriteCaller::default(),
            hub: EventHub::after_event(work.events),
            driver: Mutex::new(()),
            view: Mutex::new(WriteSessionView::of(&work.session, id, work.created, shared)),
            work: Mutex::new(None),
        };
        running.update_view(&work);
        *locked(&running.work) = Some(work);
        running
    }

    /// The same, begun by one of several callers.
    pub(super) fn of_caller(self, caller: &WriteCaller) -> Self {
        Self { caller: caller.clone(), ..self }
    }

    /// One that is over.
    pub(super) fn finished(
        session: &WriteSession,
        id: WriteSessionId,
        at: &StoredTimes,
        shared: &Environment,
    ) -> Self {
        let mut view = WriteSessionView::of(session, id, at.created, shared);
        view.updated = at.updated;
        let hub = EventHub::after_event(at.events);
        if let Some(receipt) = session.receipt() {
            hub.publish(at.updated, session.offset(), Notice::Committed(receipt.clone()));
        } else {
            let news = Notice::Over { state: session.state(), error: session.problem().cloned() };
            hub.publish(at.updated, session.offset(), news);
        }
        let (work, view) = (Mutex::new(None), Mutex::new(view));
        Self { id, caller: WriteCaller::default(), hub, driver: Mutex::new(()), work, view }
    }

    /// As it stands.
    pub(super) fn view(&self) -> WriteSessionView {
        locked(&self.view).clone()
    }

    /// Its content so far, as [`WriteSession::shown`] says.
    pub(super) fn content_so_far(&self, limit: u64) -> Option<Vec<u8>> {
        let held = locked(&self.work);
        let work = held.as_ref()?;
        let part = work.content.now.as_ref().filter(|part| part.print.length <= limit)?;
        Some(work.session.shown(part.read().ok()?))
    }

    /// Whether it is not over.
    pub(super) fn is_live(&self) -> bool {
        !locked(&self.view).state.is_final()
    }

    /// Whether somebody works on it: content comes or may come at once, or its file is looked at. What waits to be gone on with
    /// does not count.
    pub(super) fn is_active(&self) -> bool {
        let state = locked(&self.view).state;
        let waits = matches!(state, State::Incomplete | State::Ambiguous | State::NeedsRepair)
            || matches!(state, State::Paused(Pause::Length | Pause::Disconnect));
        !state.is_final() && !waits
    }

    /// Whether it expects content and nothing was heard of it since `moment`.
    pub(super) fn is_silent_since(&self, moment: Millis) -> bool {
        let view = locked(&self.view);
        view.state.takes_content() && view.updated <= moment
    }

    /// Whether nothing has come to it, and nothing was heard of it since `moment`.
    pub(super) fn is_empty_since(&self, moment: Millis) -> bool {
        let view = locked(&self.view);
        view.state == State::Open && view.offset == 0 && view.updated <= moment
    }

    /// Takes an input, and does all that follows from it.
    pub(super) fn drive(
        &self,
        input: WriteInput<'_>,
        answer: Answer,
        shared: &Environment,
    ) -> Result<WriteSessionView, WriteFailure> {
        self.drive_part(input, None, answer, shared)
    }

    /// The same for content that is a part of `source`.
    pub(super) fn drive_part(
        &self,
        input: WriteInput<'_>,
        source: Option<&Bytes>,
        answer: Answer,
        shared: &Environment,
    ) -> Result<WriteSessionView, WriteFailure> {
        let _driver = locked(&self.driver);
        locked(&self.view).touch(shared);
        self.driven(input, source, answer, shared)
    }

    /// The same, unless somebody drives it already.
    pub(super) fn try_drive(
        &self,
        input: WriteInput<'_>,
        shared: &Environment,
    ) -> Option<Result<WriteSessionView, WriteFailure>> {
        let _driver = match self.driver.try_lock() {
            Ok(driver) => driver,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(self.driven(input, None, Answer::Durable, shared))
    }

    /// Gives up for the sake of another session, unless content has come, or it is over: whether it did.
    pub(super) fn give_way(&self, shared: &Environment) -> Result<bool, WriteFailure> {
        let held = locked(&self.work);
        let is_empty = held.as_ref().is_some_and(|work| work.session.state() == State::Open);
        if is_empty {
            self.cancel_held(held, shared)?;
        }
        Ok(is_empty)
    }

    /// Lets others write the file until it is gone on with: nobody works on it.
    pub(super) fn leave(&self) {
        if let Some(work) = locked(&self.work).as_mut().filter(|work| !work.session.state().is_final()) {
            work.unlock();
        }
    }

    /// Gives up, also while its file is looked at.
    pub(super) fn cancel(&self, shared: &Environment) -> Result<WriteSessionView, WriteFailure> {
        self.cancel_held(locked(&self.work), shared)
    }

    fn cancel_held(
        &self,
        mut held: MutexGuard<'_, Option<Work>>,
        shared: &Environment,
    ) -> Result<WriteSessionView, WriteFailure> {
        let Some(work) = held.as_mut() else { return Ok(self.view()) };
        if work.session.state().is_final() {
            // It could have been written once more; now it cannot.
            held.take().into_iter().for_each(Work::remove);
            return Ok(self.view());
        }
        let actions = work.feed(WriteInput::Cancel)?;
        let look = work.carry_out(actions);
        debug_assert!(look.is_none(), "what is cancelled is not looked at");
        self.finish(&mut held, Answer::Durable, shared);
        Ok(self.view())
    }

    fn driven(
        &self,
        input: WriteInput<'_>,
        source: Option<&Bytes>,
        answer: Answer,
        shared: &Environment,
    ) -> Result<WriteSessionView, WriteFailure> {
        let is_content = matches!(
            input,
            WriteInput::Chunk { .. } | WriteInput::TurnEnd(_) | WriteInput::Whole(_) | WriteInput::Patch(_)
        );
        let mut held = locked(&self.work);
        let Some(work) = held.as_mut() else { return self.over() };
        let is_over = work.session.state().is_final();
        if is_over && is_content {
            return self.over();
        }
        if is_content || matches!(input, WriteInput::Finalise | WriteInput::FinaliseAt(_)) {
            work.relock()?;
        }
        work.content.source = source.cloned();
        let fed = work.feed(input);
        work.content.source = None;
        let look = work.carry_out(fed?);
        drop(held);
        self.follow(look, answer, shared);
        Ok(self.view())
    }

    /// Does what was left to do when the session was stored.
    pub(super) fn resume(&self, shared: &Environment) {
        let _driver = locked(&self.driver);
        let mut held = locked(&self.work);
        let Some(work) = held.as_mut() else { return };
        let actions = work.session.left_to_do();
        let look = work.carry_out(actions);
        drop(held);
        self.follow(look, Answer::Durable, shared);
    }

    /// Looks at the file as often as that is asked for, then makes durable what came of it.
    fn follow(&self, mut look: Option<Inspection>, answer: Answer, shared: &Environment) {
        while let Some(taken) = look.take() {
            self.publish(shared);
            let report = {
                let _permit = shared.validations.take();
                taken.validate()
            };
            let mut held = locked(&self.work);
            let Some(work) = held.as_mut() else { return };
            let mut agrees = true;
            if let Some(reviewer) = &shared.reviewer
                && work.session.refusal(&report).is_none()
            {
                drop(held);
                agrees = reviewer.agrees(&taken.proposal());
                held = locked(&self.work);
            }
            let Some(work) = held.as_mut() else { return };
            // What is only a part, or more than one file, is not what the next one is compared with.
            let is_all = report.missing_part().is_none() && !work.session.has_done_within();
            if is_all && work.session.refusal(&report).is_some() {
                work.refused = taken.into_text();
            }
            let validated = if agrees {
                work.feed(WriteInput::Validated(report))
            } else {
                work.lose(Error::Declined.into())
            };
            look = work.carry_out(validated.unwrap_or_default());
        }
        self.finish(&mut locked(&self.work), answer, shared);
    }

    /// Makes durable what is to be, then tells it.
    fn finish(&self, held: &mut Option<Work>, answer: Answer, shared: &Environment) {
        let Some(work) = held.as_mut() else { return };
        let stored = match answer {
            Answer::AtOnce if work.session.state() == State::Receiving => {
                work.receive_more();
                Ok(())
            }
            _ => work.persist(),
        };
        let is_written = work.session.state() == State::Committed;
        if let Err(problem) = stored
            && !is_written
        {
            // Nobody knows what of it a restart would find.
            let actions = work.lose(problem).unwrap_or_default();
            let look = work.carry_out(actions);
            debug_assert!(look.is_none(), "what is lost is not looked at");
        }
        self.publish_all(work, shared);
        self.update_view(work);
        let state = work.session.state();
        if work.session.may_be_written_again() && work.content.now.is_some() {
            work.unlock();
        } else if state.is_final() {
            let Some(mut work) = held.take() else { return };
            match state {
                State::Cancelled => work.remove(),
                // Its content is kept for a while, so that its sender can have it back.
                State::Expired => {}
                _ => work.content.discard(),
            }
        }
    }

    fn publish(&self, shared: &Environment) {
        if let Some(work) = locked(&self.work).as_mut() {
            self.publish_all(work, shared);
            self.update_view(work);
        }
    }

    fn publish_all(&self, work: &mut Work, shared: &Environment) {
        for news in work.news.drain(..) {
            shared.counters.count(&news);
            record::record(self.id, self.caller.name(), &news);
            self.hub.publish(shared.now(), work.session.offset(), news);
        }
        work.events = self.hub.last();
    }

    fn update_view(&self, work: &Work) {
        let session = &work.session;
        let mut view = locked(&self.view);
        view.state = session.state();
        view.offset = if session.state().is_final() { session.offset() } else { work.durable };
        view.bytes = session.content_bytes();
        view.lines = session.content_lines();
        view.problem = session.problem().cloned();
        view.receipt = session.receipt().cloned();
        view.prompt.clone_from(&work.prompt);
    }

    /// What an input to a session that is over gets.
    fn over(&self) -> Result<WriteSessionView, WriteFailure> {
        let view = self.view();
        match (&view.problem, view.state) {
            (_, State::Committed) => Ok(view),
            (Some(problem), _) => Err(problem.clone()),
            (None, _) => Err(Error::SessionExpired.into()),
        }
    }

    /// How long it has been silent, and whether it may be asked why; `None` while somebody feeds it.
    pub(super) fn silence(&self, shared: &Environment) -> Option<Silence> {
        let held = self.work.try_lock().ok()?;
        let view = self.view();
        let asked = held.as_ref().map_or(0, |work| work.asked);
        Some(Silence {
            since: shared.now().saturating_sub(view.updated),
            state: view.state,
            is_held: held.is_some(),
            asked,
        })
    }

    /// Asks whether the file is finished.
    pub(super) fn ask(&self, shared: &Environment) {
        if let Some(work) = locked(&self.work).as_mut() {
            work.asked += 1;
        }
        self.try_drive(WriteInput::Idle, shared);
    }

    /// Gives up what could have been written again.
    pub(super) fn discard_content(&self) {
        locked(&self.work).take().into_iter().for_each(|mut work| work.content.discard());
    }

    pub(super) fn publish_opened(&self, shared: &Environment) {
        shared.counters.count(&Notice::Opened);
        record::record(self.id, self.caller.name(), &Notice::Opened);
        self.hub.publish(shared.now(), 0, Notice::Opened);
        if let Some(work) = locked(&self.work).as_mut() {
            work.events = self.hub.last();
        }
    }
}

/// How silent a session is.
pub(super) struct Silence {
    pub(super) since: Millis,
    pub(super) state: State,
    /// Whether its files are held.
    pub(super) is_held: bool,
    /// How often it was asked since it was last heard of.
    pub(super) asked: u64,
}

/// What is known of a session that is over.
pub(super) struct StoredTimes {
    pub(super) created: Millis,
    pub(super) updated: Millis,
    pub(super) events: u64,
}

impl WriteSessionView {
    fn of(session: &WriteSession, id: WriteSessionId, created: Millis, shared: &Environment) -> Self {
        Self {
            id,
            options: session.options().clone(),
            marker: session.marker().to_owned(),
            instruction: session.instruction().text,
            state: session.state(),
            offset: session.offset(),
            bytes: session.content_bytes(),
            lines: session.content_lines(),
            problem: session.problem().cloned(),
            receipt: session.receipt().cloned(),
            prompt: None,
            created,
            updated: shared.now(),
            expires: shared.now() + shared.limits.expire,
        }
    }

    fn touch(&mut self, shared: &Environment) {
        self.updated = shared.now();
        self.expires = self.updated + shared.limits.expire;
    }
}
