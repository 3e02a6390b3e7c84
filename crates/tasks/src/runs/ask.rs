//! What can be asked of runs that are there: which one is meant, cancel it, answer it, close its thread.
//!
//! Must never find a run of another principal, nor say that a worker has stopped before it has.

use std::sync::atomic::Ordering;
use std::time::Duration;

use engross_store::{Name, NameRow};

use super::answer_text::AnswerText;
use super::decide::{Action, Input, Reply};
use super::error::RunError;
use super::journal::LoadedThread;
use super::log::PermissionQuestion;
use super::names::{Kind, key_name, name};
use super::request::{RequestContext, Target};
use super::service::Runs;
use super::state::Phase;
use super::status::RunStatus;
use super::ticket::Ticket;
use crate::runner::CancelReceipt;
use engross_artifacts::{RunId, SessionKey};

/// How long an agent has to confirm that it was asked to stop.
const CONFIRM: Duration = Duration::from_secs(5);

/// Threads that are listed at once.
const LISTED: usize = 500;

/// Which run is meant: by any of its ids, which must agree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lookup {
    /// The session as the client calls it.
    pub session_id: Option<String>,
    /// The thread.
    pub thread: Option<String>,
    /// The turn.
    pub turn: Option<String>,
    /// The run.
    pub run: Option<String>,
    /// The key of the session.
    pub session_key: Option<String>,
    /// Who carries it out.
    pub provider: Option<String>,
}

/// What a lookup found.
pub enum LookupResult {
    /// This run.
    Run(Ticket),
    /// Nothing of this principal.
    Nothing,
    /// The thread, but no such run; the key of its session.
    NoRun(Option<SessionKey>),
    /// Ids that do not belong together.
    Mismatch,
    /// A run id that several threads have, and nothing that says which is meant.
    Several,
}

/// What became of a request to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CancelResult {
    /// It never began.
    InQueue,
    /// Only the wait for its files was cancelled.
    Wait,
    /// It had ended before.
    AlreadyTerminal,
    /// Nobody here carries it out.
    NotOurs,
    /// The agent was asked, and says this.
    Asked(CancelReceipt),
    /// The agent was asked, and did not confirm.
    Unconfirmed,
}

impl Runs {
    /// Which run is meant.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn look(&self, principal: &str, lookup: &Lookup) -> Result<LookupResult, RunError> {
        let row = match self.row(principal, lookup).await? {
            Some(row) => row,
            None if self.is_shared(principal, lookup).await? => return Ok(LookupResult::Several),
            None => return Ok(LookupResult::Nothing),
        };
        let loaded = self.thread(row.session);
        let thread = self.open(&loaded).await?;
        if thread.principal != principal {
            return Ok(LookupResult::Nothing);
        }
        let differs =
            |given: &Option<String>, known: &str| given.as_deref().is_some_and(|given| given != known);
        let key = thread.session_key.as_ref().map(|key| key.as_str().to_owned()).unwrap_or_default();
        if differs(&lookup.thread, &thread.key) || differs(&lookup.session_key, &key) {
            return Ok(LookupResult::Mismatch);
        }
        let named = match (&lookup.run, &lookup.turn) {
            (Some(run), _) => thread.runs.iter().rev().find(|known| known.id.as_str() == run),
            (None, Some(turn)) => thread.runs.iter().rev().find(|known| known.turn == *turn),
            (None, None) => thread.newest(),
        };
        let Some(run) = named else { return Ok(LookupResult::NoRun(thread.session_key.clone())) };
        if differs(&lookup.turn, &run.turn) {
            return Ok(LookupResult::Mismatch);
        }
        let provider = run.face().map(|face| face.provider.as_str().to_owned());
        if let (Some(asked), Some(provider)) = (&lookup.provider, &provider)
            && asked != provider
        {
            return Ok(LookupResult::Mismatch);
        }
        let run = run.id.clone();
        let key = thread.key.clone();
        drop(thread);
        if let Some(session_id) = lookup.session_id.as_ref().filter(|id| **id != key) {
            let alias = self.find(&name(Kind::Session, principal, session_id)?).await?;
            if alias.is_none_or(|alias| alias.session != loaded.id()) {
                return Ok(LookupResult::Mismatch);
            }
        }
        Ok(LookupResult::Run(Ticket { runs: self.clone(), loaded, run, replayed: true }))
    }

    /// Whether the run is named by an id alone that several threads have.
    async fn is_shared(&self, principal: &str, lookup: &Lookup) -> Result<bool, RunError> {
        let Some(run) = &lookup.run else { return Ok(false) };
        Ok(self.find(&name(Kind::SharedRun, principal, run)?).await?.is_some())
    }

    /// The thread of `names` that has the run.
    async fn row_with_run(
        &self,
        names: [Option<Result<Name, RunError>>; 4],
        run: &str,
    ) -> Result<Option<NameRow>, RunError> {
        for name in names.into_iter().flatten() {
            let Some(row) = self.find(&name?).await? else { continue };
            let loaded = self.thread(row.session);
            if self.open(&loaded).await?.runs.iter().any(|known| known.id.as_str() == run) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The first id that leads somewhere.
    async fn row(&self, principal: &str, lookup: &Lookup) -> Result<Option<NameRow>, RunError> {
        let of = |kind, text: &Option<String>| text.as_deref().map(|text| name(kind, principal, text));
        let mut bare = of(Kind::Run, &lookup.run);
        if let Some(run) = &lookup.run {
            // A run is its session's: who says which session is meant gets no other one's.
            let threads = [
                lookup.session_key.as_deref().map(key_name),
                of(Kind::Thread, &lookup.thread),
                of(Kind::Thread, &lookup.session_id),
                of(Kind::Session, &lookup.session_id),
            ];
            if let Some(row) = self.row_with_run(threads, run).await? {
                return Ok(Some(row));
            }
            if self.is_shared(principal, lookup).await? {
                bare = None;
            }
        }
        let names = [
            bare,
            of(Kind::Turn, &lookup.turn),
            of(Kind::Thread, &lookup.thread),
            of(Kind::Thread, &lookup.session_id),
            of(Kind::Session, &lookup.session_id),
            lookup.session_key.as_deref().map(key_name),
        ];
        for name in names.into_iter().flatten() {
            if let Some(row) = self.find(&name?).await? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The run of a job.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn job(&self, principal: &str, job: &str) -> Result<Option<Ticket>, RunError> {
        let Some(row) = self.find(&name(Kind::Job, principal, job)?).await? else { return Ok(None) };
        let run = RunId::parse(&String::from_utf8_lossy(&row.value))?;
        let loaded = self.thread(row.session);
        Ok(Some(Ticket { runs: self.clone(), loaded, run, replayed: true }))
    }

    /// Asks for the end of a run. It resolves with what is known then.
    ///
    /// # Errors
    /// When the store cannot be written to.
    pub async fn cancel(&self, ticket: &Ticket) -> Result<CancelResult, RunError> {
        let Ticket { loaded, run, .. } = ticket;
        match self.step(loaded, run, Input::Cancel, &AnswerText::default()).await? {
            Action::Reply(Reply::CancelledInQueue) => Ok(CancelResult::InQueue),
            Action::Reply(Reply::CancelledWait) => {
                if let Some(handle) = loaded.extra.handle(run) {
                    handle.unwanted.store(true, Ordering::Relaxed);
                }
                Ok(CancelResult::Wait)
            }
            Action::Reply(Reply::AlreadyTerminal) => Ok(CancelResult::AlreadyTerminal),
            Action::AskToStop => Ok(self.ask_to_stop(loaded, run).await),
            _ => Ok(CancelResult::NotOurs),
        }
    }

    async fn ask_to_stop(&self, loaded: &LoadedThread, run: &RunId) -> CancelResult {
        let handle = loaded.extra.handle(run);
        if let Some(handle) = &handle {
            handle.cancelled.cancel();
        }
        let Some(control) = handle.and_then(|handle| handle.control()) else {
            // The agent has not been reached yet, and is not going to be.
            let runs = vec![run.as_str().to_owned()];
            return CancelResult::Asked(CancelReceipt { method: "start", aborted: true, runs });
        };
        match tokio::time::timeout(CONFIRM, control.cancel()).await {
            Ok(Ok(receipt)) => CancelResult::Asked(receipt),
            Ok(Err(_)) | Err(_) => CancelResult::Unconfirmed,
        }
    }

    /// Cancels all runs of a thread that are with agents of this machine, or wait for one; tells whether there were any.
    ///
    /// # Errors
    /// As [`Runs::cancel`].
    pub async fn cancel_thread(&self, ticket: &Ticket) -> Result<bool, RunError> {
        let thread = self.open(&ticket.loaded).await?;
        let open: Vec<RunId> = thread
            .open()
            .filter(|run| run.face().is_some_and(|face| face.target == Target::Agent))
            .map(|run| run.id.clone())
            .collect();
        drop(thread);
        let mut any = false;
        // The last one first, so that none begins because the one before it ended.
        for run in open.into_iter().rev() {
            let one = Ticket { run, ..ticket.clone() };
            any |= !matches!(self.cancel(&one).await?, CancelResult::AlreadyTerminal | CancelResult::NotOurs);
        }
        Ok(any)
    }

    /// Forgets the conversation of a thread; its runs and their files stay.
    ///
    /// # Errors
    /// When the store cannot be written to.
    pub async fn close(&self, ticket: &Ticket) -> Result<(), RunError> {
        let thread = self.open(&ticket.loaded).await?;
        let (principal, key) = (thread.principal.clone(), thread.key.clone());
        let conversation = thread.conversation.clone();
        drop(thread);
        self.step(&ticket.loaded, &ticket.run, Input::Close, &AnswerText::default()).await?;
        let provider = conversation.and_then(|id| self.inner.config.provider(&id).cloned());
        if let Some(runner) = provider.and_then(|provider| provider.runner) {
            runner.close(&principal, &key).await;
        }
        Ok(())
    }

    /// Answers a question: with one of its options, or no. The reply says what was wrong with it.
    ///
    /// # Errors
    /// When the store cannot be written to.
    pub async fn answer(
        &self,
        ticket: &Ticket,
        request: &str,
        option: Option<String>,
    ) -> Result<Result<(), Reply>, RunError> {
        let input = Input::Answer(request.to_owned(), option);
        match self.step(&ticket.loaded, &ticket.run, input, &AnswerText::default()).await? {
            Action::AnswerPermission(permission, option) => {
                if let Some(control) =
                    ticket.loaded.extra.handle(&ticket.run).and_then(|handle| handle.control())
                {
                    control.answer(&permission, option.as_deref());
                }
                Ok(Ok(()))
            }
            Action::Reply(reply) => Ok(Err(reply)),
            _ => Ok(Err(Reply::QuestionUnknown)),
        }
    }

    /// Questions of a thread that nobody has answered.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn questions(
        &self,
        ticket: &Ticket,
    ) -> Result<Vec<(PermissionQuestion, RequestContext)>, RunError> {
        let thread = self.open(&ticket.loaded).await?;
        let of = |phase: &Phase| match phase {
            Phase::Running(active) => {
                let face = &active.order.face;
                active.open.iter().cloned().map(|question| (question, face.clone())).collect()
            }
            _ => Vec::new(),
        };
        Ok(thread.runs.iter().flat_map(|run| of(&run.phase)).collect())
    }

    /// All runs of a principal, or those of one thread, and how each stands.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn tickets(
        &self,
        principal: &str,
        only: Option<&str>,
    ) -> Result<Vec<(Ticket, RunStatus)>, RunError> {
        let store = &self.inner.config.store;
        let mut ids = Vec::new();
        match only {
            Some(thread) => {
                let row = self.find(&name(Kind::Thread, principal, thread)?).await?;
                ids.extend(row.map(|row| row.session));
            }
            None => loop {
                let page = store.list(None, ids.last().copied(), LISTED).await?;
                let is_last = page.len() < LISTED;
                ids.extend(page.into_iter().map(|row| row.id));
                if is_last {
                    break;
                }
            },
        }
        let mut all = Vec::new();
        for id in ids {
            let loaded = self.thread(id);
            // A log that is no thread's, as that of a list.
            let Ok(thread) = self.open(&loaded).await else { continue };
            if thread.principal != principal || thread.session_key.is_none() {
                continue;
            }
            let runs: Vec<_> = thread.runs.iter().map(|run| (run.id.clone(), run.status())).collect();
            drop(thread);
            for (run, status) in runs {
                let loaded = std::sync::Arc::clone(&loaded);
                all.push((Ticket { runs: self.clone(), loaded, run, replayed: true }, status));
            }
        }
        Ok(all)
    }

    /// All threads of a principal with runs that have not ended.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn open_threads(&self, principal: &str) -> Result<Vec<Ticket>, RunError> {
        let due = self.inner.config.store.due(u64::MAX >> 1, usize::MAX >> 1).await?;
        let mut all = Vec::new();
        for id in due {
            let loaded = self.thread(id);
            let thread = self.open(&loaded).await?;
            let run = thread.open().next().map(|run| run.id.clone());
            let ours = thread.principal == principal;
            drop(thread);
            if let Some(run) = run.filter(|_| ours) {
                all.push(Ticket { runs: self.clone(), loaded, run, replayed: true });
            }
        }
        Ok(all)
    }
}
