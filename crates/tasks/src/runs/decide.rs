//! What happens next to a run: a pure function from the thread and an input to entries of its log and an action.
//!
//! Must never do anything itself, end a run twice, begin one of a thread while another is under way, or take a run's word that
//! it was cancelled for the agent's.

use engross_store::Millis;

use super::answer_text::AnswerText;
use super::log::{PermissionQuestion, RecordedToolCall, RunEvent};
use super::outcome::{Evidence, Failing, fail, judge};
use super::request::{RequestContext, RunRequest};
use super::state::{Active, Phase, Run, RunThread};
use super::status::RunStatus;
use crate::codes;
use crate::runner::{AgentEvent, How, PermissionOption, Policy};
use engross_artifacts::{Manifest, RunId};

/// How long a question waits for a person, in milliseconds.
const QUESTION: Millis = 10 * 60_000;

/// The files of a run, and what its answer says of others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ExportedFiles {
    pub(super) manifest: Manifest,
    /// Files that the answer says were made and that are not there.
    pub(super) named_only: Vec<String>,
    /// The root over all files.
    pub(super) merkle_root: String,
}

/// What has happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Input {
    /// A request for a new run, which has been found good.
    Submit(Box<RunRequest>),
    /// A request for the scope of a run that somebody else carries out.
    Prepare(Box<RequestContext>, Millis),
    /// There is a place for the run.
    Admit,
    /// Nobody had a place for it in time, or there is no agent to give it to.
    Refuse(&'static str, String),
    /// The agent tells something.
    Event(AgentEvent),
    /// The agent is gone, or never began: code and message.
    Lost(String, String),
    /// Time is over.
    Deadline,
    /// The files of the run are listed.
    Exported(Box<ExportedFiles>),
    /// They cannot be: code and message.
    ExportFailed(String, String),
    /// Somebody wants an end.
    Cancel,
    /// The agent was stopped by force after somebody wanted an end.
    Stopped,
    /// Somebody answers a question: with one of its options, or no.
    Answer(String, Option<String>),
    /// The process has begun anew; `true` when the agent has the run still.
    Restarted(bool),
    /// The thread's conversation is to be forgotten.
    Close,
}

/// What to do once the entries are stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    /// Nothing.
    Rest,
    /// Find the run a place.
    Enqueue,
    /// Give the run to its agent.
    Start(Box<RunRequest>),
    /// Ask the agent to stop.
    AskToStop,
    /// Give the agent an answer: which question, and which option.
    AnswerPermission(String, Option<String>),
    /// List the files.
    Export,
    /// Reply what became of it.
    Reply(Reply),
}

/// What somebody who wants something of a run is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// It was taken back before it began.
    CancelledInQueue,
    /// Only the wait for its files was cancelled, now or before.
    CancelledWait,
    /// It had ended before.
    AlreadyTerminal,
    /// There is no such question.
    QuestionUnknown,
    /// It was answered before.
    QuestionDecided,
    /// It is none of its answers.
    OptionNotOffered,
    /// Nobody here carries it out.
    NotOurs,
    /// It is not the moment for that.
    Ignored,
}

/// What an input leads to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decision {
    pub(super) events: Vec<RunEvent>,
    pub(super) action: Action,
}

impl Decision {
    fn reply(reply: Reply) -> Self {
        Self { events: Vec::new(), action: Action::Reply(reply) }
    }

    fn ignored() -> Self {
        Self::reply(Reply::Ignored)
    }

    fn new(events: Vec<RunEvent>, action: Action) -> Self {
        Self { events, action }
    }
}

/// Decides. `run` is the one that the input is about; of [`Input::Submit`], [`Input::Prepare`] and [`Input::Close`] it is
/// not looked at. `said` is what was heard of the
/// run's answer so far.
pub(super) fn decide(
    thread: &RunThread,
    id: &RunId,
    input: Input,
    said: &AnswerText,
    now: Millis,
) -> Decision {
    match input {
        Input::Submit(order) => return Decision::new(vec![RunEvent::Accepted(order)], Action::Enqueue),
        Input::Prepare(face, deadline) => {
            return Decision::new(vec![RunEvent::Prepared { face, deadline }], Action::Rest);
        }
        Input::Close => return Decision::new(vec![RunEvent::Closed], Action::Rest),
        _ => {}
    }
    let Some(run) = thread.run(id) else { return Decision::ignored() };
    match &run.phase {
        Phase::Queued(order) => queued(thread, run, order, input, now),
        Phase::Prepared(face, deadline) => prepared(face, *deadline, &input, now),
        Phase::Running(active) => running(active, input, said, now),
        Phase::Exporting(exporting) => {
            let face = &exporting.face;
            let failing = |status, code: &str, message: String, source| {
                let text = exporting.text.clone();
                let failing = Failing { status, code: code.to_owned(), message, text, source };
                ended(fail(face, Some(exporting.started), failing, now))
            };
            match input {
                Input::Exported(files) => {
                    let ExportedFiles { manifest, named_only, merkle_root } = *files;
                    let evidence = Evidence {
                        text: exporting.text.clone(),
                        said_so: exporting.said_so,
                        named_only,
                        manifest,
                    };
                    let mut end = judge(face, Some(exporting.started), evidence, now);
                    end.merkle_root = Some(merkle_root).filter(|_| end.success);
                    end.asked = Some(exporting.permissions);
                    end.prompt_sha256 = Some(exporting.prompt_sha256.clone()).filter(|hash| !hash.is_empty());
                    ended(end)
                }
                Input::ExportFailed(code, message) => {
                    failing(RunStatus::Failed, &code, message, "bridge_export")
                }
                Input::Cancel => {
                    let message = "the wait for its files was cancelled; the agent had ended before";
                    let mut decision = failing(
                        RunStatus::Cancelled,
                        codes::ARTIFACT_WAIT_CANCELLED.name,
                        message.to_owned(),
                        "bridge_artifact_wait_cancel",
                    );
                    decision.action = Action::Reply(Reply::CancelledWait);
                    decision
                }
                Input::Restarted(_) => Decision::new(Vec::new(), Action::Export),
                Input::Answer(request, _) => Decision::reply(answered(&exporting.decided, &request)),
                _ => Decision::ignored(),
            }
        }
        Phase::Done { code, .. } => match input {
            Input::Cancel if code.as_deref() == Some(codes::ARTIFACT_WAIT_CANCELLED.name) => {
                Decision::reply(Reply::CancelledWait)
            }
            Input::Cancel => Decision::reply(Reply::AlreadyTerminal),
            Input::Answer(..) => Decision::reply(Reply::QuestionUnknown),
            _ => Decision::ignored(),
        },
    }
}

fn ended(end: super::log::RunEnd) -> Decision {
    let run = end.face.run.clone();
    Decision::new(vec![RunEvent::Ended { run, end: Box::new(end) }], Action::Rest)
}

fn cancelled(
    face: &RequestContext,
    started: Option<Millis>,
    text: &str,
    source: &'static str,
    now: Millis,
) -> Decision {
    let failing = Failing {
        status: RunStatus::Cancelled,
        code: codes::TASK_CANCELLED.name.to_owned(),
        message: "the task was cancelled".to_owned(),
        text: text.to_owned(),
        source,
    };
    ended(fail(face, started, failing, now))
}

fn queued(thread: &RunThread, run: &Run, order: &RunRequest, input: Input, now: Millis) -> Decision {
    let face = &order.face;
    match input {
        Input::Admit if thread.next().is_some_and(|next| next.face.run == run.id) => {
            let deadline = now.saturating_add(face.budget);
            let started = RunEvent::Started { run: run.id.clone(), deadline };
            Decision::new(vec![started], Action::Start(Box::new(order.clone())))
        }
        Input::Refuse(code, message) => {
            let failing = Failing {
                status: RunStatus::Failed,
                code: code.to_owned(),
                message,
                text: String::new(),
                source: "bridge_queue",
            };
            ended(fail(face, None, failing, now))
        }
        Input::Cancel => {
            let mut decision = cancelled(face, None, "", "bridge_queue", now);
            decision.action = Action::Reply(Reply::CancelledInQueue);
            decision
        }
        Input::Restarted(_) => Decision::new(Vec::new(), Action::Enqueue),
        Input::Answer(..) => Decision::reply(Reply::QuestionUnknown),
        _ => Decision::ignored(),
    }
}

fn prepared(face: &RequestContext, deadline: Millis, input: &Input, now: Millis) -> Decision {
    match input {
        Input::Deadline if now >= deadline => {
            let failing = Failing {
                status: RunStatus::Interrupted,
                code: codes::OPENCLAW_RUN_DEADLINE_EXCEEDED.name.to_owned(),
                message: "nobody told of an end of this run in time".to_owned(),
                text: String::new(),
                source: "bridge_deadline",
            };
            ended(fail(face, None, failing, now))
        }
        Input::Cancel => Decision::reply(Reply::NotOurs),
        Input::Answer(..) => Decision::reply(Reply::QuestionUnknown),
        _ => Decision::ignored(),
    }
}

fn running(active: &Active, input: Input, said: &AnswerText, now: Millis) -> Decision {
    let text = said.text.as_str();
    let face = &active.order.face;
    let run = || face.run.clone();
    let failing = |status, code: String, message: String, source| {
        let failing = Failing { status, code, message, text: text.to_owned(), source };
        ended(fail(face, Some(active.started), failing, now))
    };
    match input {
        Input::Event(event) => heard(active, event, said, now),
        Input::Lost(..) | Input::Stopped if active.cancelling => {
            cancelled(face, Some(active.started), text, "bridge_stop", now)
        }
        Input::Lost(code, message) => {
            let begun = if active.begun { RunStatus::Interrupted } else { RunStatus::Failed };
            failing(begun, code, message, "agent_lost")
        }
        Input::Deadline if now >= active.deadline => failing(
            RunStatus::Interrupted,
            codes::OPENCLAW_RUN_DEADLINE_EXCEEDED.name.to_owned(),
            format!(
                "the run was not done within {} minutes: ask for a longer taskLoadClass or timeoutMs",
                face.budget / 60_000
            ),
            "bridge_deadline",
        ),
        Input::Cancel => {
            let mut events = vec![RunEvent::CancelAsked { run: run() }];
            events.extend(active.open.iter().map(denied));
            Decision::new(events, Action::AskToStop)
        }
        Input::Answer(request, option) => {
            let Some(question) = active.open.iter().find(|question| question.request == request) else {
                return Decision::reply(answered(&active.decided, &request));
            };
            if option.as_ref().is_some_and(|option| !question.options.iter().any(|known| known.id == *option))
            {
                return Decision::reply(Reply::OptionNotOffered);
            }
            let decided = RunEvent::Decided { run: run(), request, option: option.clone() };
            Decision::new(vec![decided], Action::AnswerPermission(question.permission.clone(), option))
        }
        Input::Restarted(true) => Decision::new(Vec::new(), Action::Rest),
        Input::Restarted(false) => failing(
            RunStatus::Interrupted,
            codes::ACP_BRIDGE_RESTART.name.to_owned(),
            "the server was restarted while the agent was at work, and the agent with it: ask again"
                .to_owned(),
            "bridge_restart",
        ),
        _ => Decision::ignored(),
    }
}

fn heard(active: &Active, event: AgentEvent, heard: &AnswerText, now: Millis) -> Decision {
    let face = &active.order.face;
    let run = face.run.clone();
    match event {
        AgentEvent::Started { agent_session } if !active.begun => {
            Decision::new(vec![RunEvent::Bound { run, agent_session }], Action::Rest)
        }
        AgentEvent::Permission { id, tool, options } => {
            let number = active.open.len() + active.decided.len() + 1;
            let request = format!("perm-{}-{number}", face.run);
            let until = now.saturating_add(QUESTION);
            let policy = active.order.permissions;
            let chosen = by_policy(policy, &options);
            let question = PermissionQuestion {
                run: run.clone(),
                request: request.clone(),
                permission: id.clone(),
                tool,
                options,
                asked: now,
                until,
            };
            let mut events = vec![RunEvent::Asked(question)];
            if active.cancelling || policy != Policy::Ask {
                let option = if active.cancelling { None } else { chosen };
                events.push(RunEvent::Decided { run, request, option: option.clone() });
                return Decision::new(events, Action::AnswerPermission(id, option));
            }
            Decision::new(events, Action::Rest)
        }
        event @ AgentEvent::Tool { .. } => match RecordedToolCall::of(event) {
            Some(call) => Decision::new(vec![RunEvent::Tool { run, call }], Action::Rest),
            None => Decision::ignored(),
        },
        AgentEvent::Plan(steps) => Decision::new(vec![RunEvent::Planned { run, steps }], Action::Rest),
        AgentEvent::Degraded(code) if active.degraded != code => {
            Decision::new(vec![RunEvent::Degraded { run, code }], Action::Rest)
        }
        AgentEvent::Ended(end) => {
            let said = end.text.unwrap_or_else(|| heard.text.clone());
            let failing = |status, code, message| {
                let failing = Failing { status, code, message, text: said.clone(), source: "agent_end" };
                ended(fail(face, Some(active.started), failing, now))
            };
            match end.how {
                How::Completed | How::Unstated => {
                    let said_so = end.how == How::Completed;
                    let (files, warnings) = (heard.files.clone(), heard.warnings.clone());
                    Decision::new(
                        vec![RunEvent::Finished { run, text: said, said_so, files, warnings }],
                        Action::Export,
                    )
                }
                How::Failed { code, message } => failing(RunStatus::Failed, code, message),
                How::Cancelled => failing(
                    RunStatus::Cancelled,
                    codes::TASK_CANCELLED.name.to_owned(),
                    "the task was cancelled".to_owned(),
                ),
            }
        }
        _ => Decision::ignored(),
    }
}

/// What a policy answers: the narrowest allowance, or no.
fn by_policy(policy: Policy, options: &[PermissionOption]) -> Option<String> {
    let of = |kind: &str| options.iter().find(|option| option.kind == kind).map(|option| option.id.clone());
    match policy {
        Policy::Allow => of("allow_once").or_else(|| of("allow_always")),
        Policy::Deny => of("reject_once").or_else(|| of("reject_always")),
        Policy::Ask => None,
    }
}

fn denied(question: &PermissionQuestion) -> RunEvent {
    RunEvent::Decided { run: question.run.clone(), request: question.request.clone(), option: None }
}

fn answered(decided: &[String], request: &str) -> Reply {
    if decided.iter().any(|known| known == request) { Reply::QuestionDecided } else { Reply::QuestionUnknown }
}
