//! How a run is accepted: durable before anything is begun, and once only.
//!
//! Must never accept half of a request, or take a thread or a session key for another one's.

use std::collections::BTreeMap;

use engross_journal::{Creation, NewLog};
use engross_protocol::{SessionId, hex};
use engross_store::{Millis, Name, Session};
use sha2::{Digest, Sha256};

use super::answer_text::AnswerText;
use super::decide::{Action, Input, decide};
use super::error::RunError;
use super::log::RunEvent;
use super::names::{Kind, check_thread, key_name, name, run_name};
use super::request::{
    Contract, Hints, Inline, LONGEST_BUDGET, LoadClass, RequestContext, RunRequest, Target,
};
use super::service::Runs;
use super::state::RunThread;
use super::ticket::Ticket;
use crate::runner::{Policy, ProviderId, ViewerEnvironment};
use crate::sandbox_request::SandboxRequest;
use engross_artifacts::{RunId, SessionKey};

/// What is asked of a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// Who asks.
    pub principal: String,
    /// The thread.
    pub thread: String,
    /// The session as the client calls it; often the thread.
    pub session_id: String,
    /// The key of its session, if the client chooses it.
    pub session_key: Option<String>,
    /// Whether it goes on with the thread's conversation.
    pub continues: bool,
    /// Where it is to be carried out.
    pub target: Target,
    /// By whom.
    pub provider: ProviderId,
    /// The model.
    pub model: Option<String>,
    /// Skills, as they are named.
    pub skills: Vec<String>,
    /// Its class.
    pub class: LoadClass,
    /// Its budget in milliseconds, if it is not that of its class.
    pub budget: Option<Millis>,
    /// How long it may wait for a place, in milliseconds.
    pub patience: Millis,
    /// Which files it has to deliver.
    pub contract: Contract,
    /// What the agent is told.
    pub prompt: String,
    /// What of it the person wrote.
    pub user_text: String,
    /// What may be done without asking.
    pub permissions: Policy,
    /// Files of the request.
    pub inline: Vec<Inline>,
    /// Where the client believes that the thread works.
    pub hints: Hints,
    /// A key that makes repeating it harmless, and what it stands for.
    pub idempotency: Option<(String, String)>,
    /// What was asked of the sandbox around it.
    pub sandbox: SandboxRequest,
    /// The environment of who asks, for agents that are given it. It is not stored.
    pub viewer: Option<ViewerEnvironment>,
    /// For jobs: their id.
    pub job: Option<String>,
}

/// A scope for a run that somebody else carries out.
#[derive(Debug, Clone, PartialEq)]
pub struct Preparation {
    /// Who asks.
    pub principal: String,
    /// The thread.
    pub thread: String,
    /// The key of its session.
    pub session_key: String,
    /// The run.
    pub run: String,
    /// By whom it is carried out.
    pub provider: ProviderId,
    /// Which files it has to deliver.
    pub contract: Contract,
}

impl Runs {
    /// Accepts a run. Resolves when it is durable; it begins when it has its place.
    ///
    /// # Errors
    /// When it is wrong, does not fit its thread, or there is no room. Nothing of it is stored then.
    pub async fn submit(&self, submission: Submission) -> Result<Ticket, RunError> {
        if self.inner.stopping.is_cancelled() {
            return Err(RunError::Stopping);
        }
        check_thread("threadId", &submission.thread)?;
        check_thread("sessionId", &submission.session_id)?;
        if let Some(earlier) = self.earlier(&submission).await? {
            self.note_viewer(&submission);
            return Ok(earlier);
        }
        let (full, active, queued) = self.fullness(submission.target);
        if full {
            return Err(RunError::Busy { active, queued });
        }
        let ticket = match self.accept(&submission).await {
            // The thread may have come to be while its session key was looked for.
            Err(
                RunError::Conflict { .. }
                | RunError::Store(
                    engross_store::Error::NameTaken { .. } | engross_store::Error::Conflict { .. },
                ),
            ) => {
                // Somebody was faster: perhaps with this very request.
                match self.earlier(&submission).await? {
                    Some(earlier) => {
                        self.note_viewer(&submission);
                        return Ok(earlier);
                    }
                    None => self.accept(&submission).await?,
                }
            }
            accepted => accepted?,
        };
        self.note_viewer(&submission);
        self.pump();
        Ok(ticket)
    }

    /// Somebody looks on at the thread of a run: what waited for that goes on.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn look_on(&self, ticket: &Ticket, environment: ViewerEnvironment) -> Result<(), RunError> {
        let thread = self.open(&ticket.loaded).await?;
        let (principal, key) = (thread.principal.clone(), thread.key.clone());
        drop(thread);
        self.viewer_comes(&principal, &key, environment);
        Ok(())
    }

    fn viewer_comes(&self, principal: &str, thread: &str, environment: ViewerEnvironment) {
        let waited = self.inner.viewers.comes(principal, thread, environment);
        if !waited.is_empty() {
            self.come_back(waited);
            self.pump();
        }
    }

    /// Who asks looks on at the thread, too.
    fn note_viewer(&self, submission: &Submission) {
        if let Some(environment) = &submission.viewer {
            self.viewer_comes(&submission.principal, &submission.thread, environment.clone());
        }
    }

    /// Makes the scope of a run that somebody else carries out, and keeps what belongs to what.
    ///
    /// # Errors
    /// [`RunError::Conflict`]: the thread has another session key, or that key another thread.
    pub async fn prepare(&self, preparation: Preparation) -> Result<Ticket, RunError> {
        check_thread("appThreadKey", &preparation.thread)?;
        match self.prepare_once(preparation.clone()).await {
            // Somebody was faster: perhaps with a run of the same id.
            Err(
                RunError::Conflict { .. }
                | RunError::Store(
                    engross_store::Error::NameTaken { .. } | engross_store::Error::Conflict { .. },
                ),
            ) => self.prepare_once(preparation).await,
            prepared => prepared,
        }
    }

    async fn prepare_once(&self, preparation: Preparation) -> Result<Ticket, RunError> {
        let now = self.now();
        let run = RunId::parse(&preparation.run)?;
        let session_key = SessionKey::parse(&preparation.session_key)?;
        let Preparation { principal, thread, provider, contract, .. } = preparation;
        let thread_name = name(Kind::Thread, &principal, &thread)?;
        let own = run_name(&principal, session_key.as_str(), run.as_str())?;
        let bare = name(Kind::Run, &principal, run.as_str())?;
        for found in [&own, &bare] {
            let Some(row) = self.find(found).await? else { continue };
            let loaded = self.thread(row.session);
            let known = self.open(&loaded).await?;
            if known.session_key.as_ref() == Some(&session_key) && known.run(&run).is_some() {
                if known.key != thread {
                    return Err(conflict("the session key belongs to another thread"));
                }
                drop(known);
                return Ok(Ticket { runs: self.clone(), loaded, run, replayed: true });
            }
        }
        let class = LoadClass::ComplexChainTask;
        let face = RequestContext {
            turn: format!("turn-{run}"),
            run: run.clone(),
            session_id: thread.clone(),
            thread: thread.clone(),
            session_key: session_key.clone(),
            target: Target::Gateway,
            provider,
            model: None,
            skills: Vec::new(),
            class,
            budget: class.budget(),
            accepted: now,
            contract,
        };
        let input = Input::Prepare(Box::new(face), now.saturating_add(class.budget()));
        let mut names = BTreeMap::new();
        names.insert(own, run.as_str().as_bytes().to_vec());
        // The first run of an id is found by that alone; of several none is, and that is noted once.
        let shared = name(Kind::SharedRun, &principal, run.as_str())?;
        if self.find(&bare).await?.is_none() {
            names.insert(bare, run.as_str().as_bytes().to_vec());
        } else if self.find(&shared).await?.is_none() {
            names.insert(shared, Vec::new());
        }
        let who = Who { principal: &principal, thread: &thread, session_key, name: thread_name };
        self.put(who, &run, input, names).await
    }

    /// The run that an idempotent request stands for already.
    async fn earlier(&self, submission: &Submission) -> Result<Option<Ticket>, RunError> {
        let Some((key, digest)) = &submission.idempotency else { return Ok(None) };
        let found = name(Kind::Idempotency, &submission.principal, key)?;
        let Some(row) = self.find(&found).await? else { return Ok(None) };
        let value = String::from_utf8_lossy(&row.value).into_owned();
        let (run, known) = value.split_once('\n').unwrap_or((&value, ""));
        if known != digest {
            return Err(RunError::KeyReused);
        }
        let loaded = self.thread(row.session);
        Ok(Some(Ticket { runs: self.clone(), loaded, run: RunId::parse(run)?, replayed: true }))
    }

    async fn accept(&self, submission: &Submission) -> Result<Ticket, RunError> {
        let now = self.now();
        let Submission { principal, thread, .. } = submission;
        let thread_name = name(Kind::Thread, principal, thread)?;
        let session_key = self.session_key(submission, &thread_name).await?;
        let number = u128::from_be_bytes(self.inner.config.ids.next(now));
        let run = RunId::parse(&format!("run-{number:032x}"))?;
        let turn = format!("turn-{number:032x}");
        let mut names = BTreeMap::new();
        names.insert(name(Kind::Run, principal, run.as_str())?, run.as_str().as_bytes().to_vec());
        names.insert(name(Kind::Turn, principal, &turn)?, run.as_str().as_bytes().to_vec());
        if let Some((key, digest)) = &submission.idempotency {
            names.insert(name(Kind::Idempotency, principal, key)?, format!("{run}\n{digest}").into_bytes());
        }
        if let Some(job) = &submission.job {
            names.insert(name(Kind::Job, principal, job)?, run.as_str().as_bytes().to_vec());
        }
        if submission.session_id != *thread {
            let alias = name(Kind::Session, principal, &submission.session_id)?;
            if self.find(&alias).await?.is_none() {
                names.insert(alias, Vec::new());
            }
        }
        let budget = submission.budget.unwrap_or_else(|| submission.class.budget());
        let face = RequestContext {
            run: run.clone(),
            turn,
            session_id: submission.session_id.clone(),
            thread: thread.clone(),
            session_key: session_key.clone(),
            target: submission.target,
            provider: submission.provider.clone(),
            model: submission.model.clone(),
            skills: submission.skills.clone(),
            class: submission.class,
            budget: budget.clamp(1, LONGEST_BUDGET),
            accepted: now,
            contract: submission.contract.clone(),
        };
        let order = RunRequest {
            face,
            continues: submission.continues,
            prompt: submission.prompt.clone(),
            user_text: submission.user_text.clone(),
            permissions: submission.permissions,
            patience: submission.patience,
            inline: submission.inline.clone(),
            hints: submission.hints.clone(),
            sandbox: submission.sandbox.clone(),
            job: submission.job.clone(),
        };
        let who = Who { principal, thread, session_key, name: thread_name };
        self.put(who, &run, Input::Submit(Box::new(order)), names).await
    }

    /// The session key of the thread: the one it has, the one that is asked for, or the one that follows from its key.
    async fn session_key(&self, submission: &Submission, thread: &Name) -> Result<SessionKey, RunError> {
        if let Some(row) = self.find(thread).await? {
            let loaded = self.thread(row.session);
            let thread = self.open(&loaded).await?;
            let known = thread.session_key.clone().ok_or_else(|| damaged("it has no session key"))?;
            if submission.session_key.as_ref().is_some_and(|asked| asked != known.as_str()) {
                return Err(conflict(&format!("the thread has the session key '{known}' already")));
            }
            return Ok(known);
        }
        if let Some(asked) = &submission.session_key {
            return Ok(SessionKey::parse(asked)?);
        }
        let usual = format!("agent:main:{}", submission.thread);
        if self.find(&key_name(&usual)?).await?.is_none() {
            return Ok(SessionKey::parse(&usual)?);
        }
        // Another principal has a thread of this name, and folders are named after keys.
        let digest = Sha256::digest(format!("{}\n{}", submission.principal, submission.thread));
        let short = hex::encode_prefix(digest, 8);
        Ok(SessionKey::parse(&format!("{usual}:{short}"))?)
    }

    /// Stores what an input leads to, in the thread's log, which is made if it is missing.
    async fn put(
        &self,
        who: Who<'_>,
        run: &RunId,
        input: Input,
        names: BTreeMap<Name, Vec<u8>>,
    ) -> Result<Ticket, RunError> {
        let now = self.now();
        let ticket = |loaded| Ticket { runs: self.clone(), loaded, run: run.clone(), replayed: false };
        if let Some(row) = self.find(&who.name).await? {
            let loaded = self.thread(row.session);
            let mut thread = self.open(&loaded).await?;
            if thread.session_key.as_ref() != Some(&who.session_key) {
                return Err(conflict("the thread has another session key already"));
            }
            if let Input::Submit(order) = &input {
                check_continuation(&thread, order)?;
            }
            let decision = decide(&thread, run, input, &AnswerText::default(), now);
            self.store(&loaded, &mut thread, &decision.events, names.into_iter().collect(), now).await?;
            self.follow(&who, &decision.events, &decision.action);
            drop(thread);
            return Ok(ticket(loaded));
        }
        if let Input::Submit(order) = &input
            && order.continues
        {
            return Err(RunError::Continuation { reason: "there is no such thread" });
        }
        let opened = RunEvent::Opened {
            principal: who.principal.to_owned(),
            thread: who.thread.to_owned(),
            session_key: who.session_key.clone(),
        };
        let decision = decide(&RunThread::default(), run, input, &AnswerText::default(), now);
        let events = std::iter::once(opened).chain(decision.events);
        let events: Vec<RunEvent> = events.collect();
        let mut names: Vec<_> = names.into_iter().collect();
        names.push((key_name(who.session_key.as_str())?, Vec::new()));
        let id = SessionId::new(&*self.inner.config.ids, now);
        let new = NewLog { id, at: now, key: who.name.clone(), names };
        let loaded = self.thread(id);
        if let Creation::Known(session) = self.inner.journal.create(loaded.lock().await, new, &events).await?
        {
            self.inner.journal.forget(id);
            if session.key != who.name {
                return Err(conflict("the session key, or the run, belongs to another thread already"));
            }
            // Another request has just made the thread.
            let Session { id: session, head, .. } = session;
            return Err(engross_store::Error::Conflict { session, expected: 0, head }.into());
        }
        for (event, (entry, update)) in
            events.iter().zip(Self::apply(&mut RunThread::default(), &events, now))
        {
            loaded.extra.updates.entry(entry, event.run(), update);
        }
        self.follow(&who, &events, &decision.action);
        Ok(ticket(loaded))
    }

    fn follow(&self, who: &Who<'_>, events: &[RunEvent], action: &Action) {
        if *action == Action::Enqueue {
            for event in events {
                if let RunEvent::Accepted(order) = event {
                    self.enqueue(who.principal, order);
                }
            }
        }
    }
}

/// Whose log an entry goes to.
struct Who<'a> {
    principal: &'a str,
    thread: &'a str,
    session_key: SessionKey,
    name: Name,
}

fn check_continuation(thread: &RunThread, order: &RunRequest) -> Result<(), RunError> {
    if !order.continues {
        return Ok(());
    }
    // A turn that is still to come will leave a conversation behind, if its agent can be reached at all.
    let coming = thread.open().filter_map(|run| run.face()).map(|face| &face.provider).last();
    match coming.or(thread.conversation.as_ref()) {
        None => Err(RunError::Continuation { reason: "it was closed, or no agent has ever begun it" }),
        Some(provider) if *provider != order.face.provider => {
            Err(RunError::Continuation { reason: "another provider has it" })
        }
        Some(_) => Ok(()),
    }
}

fn conflict(message: &str) -> RunError {
    RunError::Conflict {
        message: format!("{message}: use the thread and the session key that belong together"),
    }
}

fn damaged(problem: &str) -> RunError {
    RunError::Damaged { problem: problem.to_owned() }
}
