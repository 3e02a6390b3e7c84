//! A thread as its log tells it: a fold over entries that does nothing else.
//!
//! Must never grow with what its runs said: of a run that has ended only the place of its end is kept.

use std::collections::BTreeMap;

use engross_protocol::hex;
use engross_store::Millis;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::claims::KnownNames;
use super::log::{AskedPermissions, PermissionQuestion, RunEvent};
use super::request::{RequestContext, RunRequest};
use super::status::RunStatus;
use crate::runner::{Policy, ProviderId};
use engross_artifacts::{RunId, SessionKey};

/// A thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct RunThread {
    /// Whose it is.
    pub principal: String,
    /// Its key.
    pub key: String,
    /// The key of its session.
    pub session_key: Option<SessionKey>,
    /// Who has the conversation that a follow-up goes on with.
    pub conversation: Option<ProviderId>,
    /// What it calls that.
    pub agent_session: Option<String>,
    /// Its runs, in the order they were accepted.
    pub runs: Vec<Run>,
    /// The number of its last entry.
    pub head: u64,
}

/// A run of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// Its turn.
    pub turn: String,
    /// The number of the last entry that is about it.
    pub seq: u64,
    /// Where it stands.
    pub phase: Phase,
}

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Accepted; it waits for its place.
    Queued(Box<RunRequest>),
    /// Somebody else carries it out, until this moment.
    Prepared(Box<RequestContext>, Millis),
    /// With its agent.
    Running(Box<Active>),
    /// The agent is done; the files are being listed.
    Exporting(Box<Exporting>),
    /// Ended: how, and whether only the wait for its files was cancelled.
    Done {
        /// How.
        status: RunStatus,
        /// Its code, if it failed.
        code: Option<String>,
    },
}

/// A run that is with its agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Active {
    /// What it was asked.
    pub order: RunRequest,
    /// When it got its place.
    pub started: Millis,
    /// When it has to be done.
    pub deadline: Millis,
    /// What the agent calls the session, once it has begun.
    pub agent_session: Option<String>,
    /// Whether the agent has begun.
    pub begun: bool,
    /// Questions that nobody has answered.
    pub open: Vec<PermissionQuestion>,
    /// Questions that were answered.
    pub decided: Vec<String>,
    /// Whether somebody wants an end.
    pub cancelling: bool,
    /// Why the line to the agent is broken.
    pub degraded: Option<String>,
    /// How often it asked, and was allowed.
    #[serde(default, skip_serializing_if = "AskedPermissions::is_none")]
    pub permissions: AskedPermissions,
}

/// A run whose agent is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exporting {
    /// What it was asked.
    pub face: RequestContext,
    /// When it got its place.
    pub started: Millis,
    /// The agent's words.
    pub text: String,
    /// Whether it said that it was done.
    pub said_so: bool,
    /// Files elsewhere that it names.
    pub files: Vec<String>,
    /// What was not as it should be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The files that the request names.
    #[serde(default, skip_serializing_if = "KnownNames::is_empty")]
    pub known: KnownNames,
    /// How often it asked, and was allowed.
    #[serde(default, skip_serializing_if = "AskedPermissions::is_none")]
    pub permissions: AskedPermissions,
    /// The hash of what the agent was told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt_sha256: String,
    /// Questions that were answered.
    pub decided: Vec<String>,
}

impl Run {
    /// How it stands, in one word.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        match &self.phase {
            Phase::Queued(_) => RunStatus::Queued,
            Phase::Prepared(..) | Phase::Running(_) => RunStatus::Running,
            Phase::Exporting(_) => RunStatus::SyncingArtifacts,
            Phase::Done { status, .. } => *status,
        }
    }

    /// Who it is, as long as it has not ended.
    #[must_use]
    pub fn face(&self) -> Option<&RequestContext> {
        match &self.phase {
            Phase::Queued(order) => Some(&order.face),
            Phase::Prepared(face, _) => Some(face),
            Phase::Running(active) => Some(&active.order.face),
            Phase::Exporting(exporting) => Some(&exporting.face),
            Phase::Done { .. } => None,
        }
    }

    /// Whether it holds the thread: no other run of it may begin.
    #[must_use]
    pub fn holds(&self) -> bool {
        matches!(self.phase, Phase::Running(_) | Phase::Exporting(_))
    }
}

impl RunThread {
    /// The run of this id.
    #[must_use]
    pub fn run(&self, id: &RunId) -> Option<&Run> {
        // The one that is asked for is nearly always among the last.
        self.runs.iter().rev().find(|run| run.id == *id)
    }

    /// The newest run.
    #[must_use]
    pub fn newest(&self) -> Option<&Run> {
        self.runs.last()
    }

    /// Runs that have not ended.
    pub fn open(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| !matches!(run.phase, Phase::Done { .. }))
    }

    /// The next run that may begin: the oldest one that waits, when none holds the thread.
    #[must_use]
    pub fn next(&self) -> Option<&RunRequest> {
        if self.runs.iter().any(Run::holds) {
            return None;
        }
        self.runs.iter().find_map(|run| match &run.phase {
            Phase::Queued(order) => Some(&**order),
            _ => None,
        })
    }

    /// Takes an entry in. Entries that say nothing new, or of a run that has ended, change nothing but the count.
    pub fn apply(&mut self, event: &RunEvent, at: Millis) {
        self.head += 1;
        match event {
            RunEvent::Opened { principal, thread, session_key } => {
                principal.clone_into(&mut self.principal);
                thread.clone_into(&mut self.key);
                self.session_key = Some(session_key.clone());
            }
            RunEvent::Accepted(order) => {
                let phase = Phase::Queued(order.clone());
                self.add(&order.face, phase);
            }
            RunEvent::Prepared { face, deadline } => self.add(face, Phase::Prepared(face.clone(), *deadline)),
            RunEvent::Closed => (self.conversation, self.agent_session) = (None, None),
            _ => self.change(event, at),
        }
    }

    fn add(&mut self, face: &RequestContext, phase: Phase) {
        let seq = self.head;
        self.runs.push(Run { id: face.run.clone(), turn: face.turn.clone(), seq, phase });
    }

    fn change(&mut self, event: &RunEvent, at: Millis) {
        let Some(id) = event.run() else { return };
        let head = self.head;
        let Some(run) = self.runs.iter_mut().rev().find(|run| run.id == *id) else { return };
        if matches!(run.phase, Phase::Done { .. }) {
            return;
        }
        run.seq = head;
        let mut conversation = None;
        match (event, &mut run.phase) {
            (RunEvent::Started { deadline, .. }, Phase::Queued(order)) => {
                let active = Active {
                    order: (**order).clone(),
                    started: at,
                    deadline: *deadline,
                    agent_session: None,
                    begun: false,
                    open: Vec::new(),
                    decided: Vec::new(),
                    permissions: AskedPermissions::default(),
                    cancelling: false,
                    degraded: None,
                };
                run.phase = Phase::Running(Box::new(active));
            }
            (RunEvent::Bound { agent_session, .. }, Phase::Running(active)) => {
                active.begun = true;
                active.agent_session.clone_from(agent_session);
                // What was sent along is on the disk now, and the agent has it.
                active.order.inline.clear();
                conversation = Some((active.order.face.provider.clone(), agent_session.clone()));
            }
            (RunEvent::Asked(question), Phase::Running(active)) => active.open.push(question.clone()),
            (RunEvent::Decided { request, option, .. }, Phase::Running(active)) => {
                if let Some(question) = active.open.iter().find(|question| question.request == *request) {
                    active.permissions.asked += 1;
                    let chosen = question.options.iter().find(|known| Some(&known.id) == option.as_ref());
                    let is_allowed = chosen.is_some_and(|chosen| chosen.kind.starts_with("allow"));
                    active.permissions.allowed += u32::from(is_allowed);
                }
                active.open.retain(|question| question.request != *request);
                active.decided.push(request.clone());
            }
            (RunEvent::Degraded { code, .. }, Phase::Running(active)) => active.degraded.clone_from(code),
            (RunEvent::CancelAsked { .. }, Phase::Running(active)) => active.cancelling = true,
            (RunEvent::Finished { text, said_so, files, warnings, .. }, Phase::Running(active)) => {
                let exporting = Exporting {
                    face: active.order.face.clone(),
                    started: active.started,
                    text: text.clone(),
                    said_so: *said_so,
                    files: files.clone(),
                    warnings: warnings.clone(),
                    known: KnownNames::of(
                        &active.order.user_text,
                        active.order.inline.iter().map(|file| file.name.as_str()),
                    ),
                    permissions: active.permissions,
                    prompt_sha256: hex::encode(Sha256::digest(&active.order.prompt)),
                    decided: std::mem::take(&mut active.decided),
                };
                run.phase = Phase::Exporting(Box::new(exporting));
            }
            (RunEvent::Ended { end, .. }, _) => {
                run.phase = Phase::Done { status: end.status, code: end.code.clone() };
            }
            _ => {}
        }
        if let Some((provider, agent_session)) = conversation {
            (self.conversation, self.agent_session) = (Some(provider), agent_session);
        }
    }

    /// How permissions of runs that are with their agents stand: by question, whether it was answered.
    #[must_use]
    pub fn questions(&self) -> BTreeMap<&str, Option<&PermissionQuestion>> {
        let mut all = BTreeMap::new();
        for run in &self.runs {
            match &run.phase {
                Phase::Running(active) => {
                    all.extend(
                        active.open.iter().map(|question| (question.request.as_str(), Some(question))),
                    );
                    all.extend(active.decided.iter().map(|request| (request.as_str(), None)));
                }
                Phase::Exporting(exporting) => {
                    all.extend(exporting.decided.iter().map(|request| (request.as_str(), None)));
                }
                _ => {}
            }
        }
        all
    }

    /// What an agent may do without asking, in the run of this id.
    #[must_use]
    pub fn policy(&self, id: &RunId) -> Policy {
        match self.run(id).map(|run| &run.phase) {
            Some(Phase::Running(active)) => active.order.permissions,
            _ => Policy::Deny,
        }
    }
}
