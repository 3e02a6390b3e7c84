//! One prompt, from being sent until it is answered, cancelled or given up.
//!
//! Must never wait for ever, and never tell anything of a turn after it was cancelled.

use std::collections::HashMap;
use std::path::Path;

use agent_client_protocol_schema::v1 as schema;
use agent_client_protocol_schema::v1::{
    CancelNotification, ContentBlock, Error as RpcError, PermissionOptionKind, PromptRequest, PromptResponse,
    ReadTextFileRequest, RequestId, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, ResourceLink, SelectedPermissionOutcome, SessionId, SessionNotification,
    StopReason, WriteTextFileRequest,
};
use engross_store::files::Folder;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::client::{Client, Session};
use super::files::{RunFolder, as_value};
use super::updates::{Tools, word};
use crate::client::error::{AgentFault, shown};
use crate::client::limits::Limits;
use crate::transport::wire::Message;
use engross_tasks::runner::{AgentEvent, How, PermissionOption, Policy, Turn};

/// Questions that may be open at once.
const OPEN: usize = 32;

/// What a turn is given.
pub(in crate::client) struct Prompt<'a> {
    pub(in crate::client) turn: &'a Turn,
    /// The folder of the run, whose files it may read and write.
    pub(in crate::client) folder: Folder,
    /// Whether the names of the run have to be told, as the process does not have them in its environment.
    pub(in crate::client) tell_environment: bool,
    /// When the run's time is over.
    pub(in crate::client) deadline: Instant,
}

/// How a turn is influenced and heard.
pub(in crate::client) struct TurnChannels {
    pub(in crate::client) events: mpsc::Sender<AgentEvent>,
    pub(in crate::client) cancelled: CancellationToken,
    /// Answers to questions: which, and the option.
    pub(in crate::client) answers: mpsc::UnboundedReceiver<(String, Option<String>)>,
}

/// The end of a turn.
#[derive(Debug)]
pub(in crate::client) struct TurnResult {
    pub(in crate::client) how: How,
    /// Whether the process is idle again. Otherwise it is to be stopped before the end is told.
    pub(in crate::client) usable: bool,
}

/// A question that waits for its answer.
struct Question {
    id: RequestId,
    options: Vec<PermissionOption>,
    until: Instant,
}

struct TurnDriver<'a> {
    client: &'a mut Client,
    session: SessionId,
    folder: RunFolder,
    policy: Policy,
    limits: Limits,
    events: mpsc::Sender<AgentEvent>,
    cancelled: CancellationToken,
    tools: Tools,
    open: HashMap<String, Question>,
    asked: usize,
}

/// What the turn waited for.
enum TurnSignal {
    Cancel,
    Dropped,
    Answer(String, Option<String>),
    Received(Result<Message, AgentFault>),
    Late,
}

impl Client {
    /// Carries out a turn in `session`.
    pub(in crate::client) async fn prompt(
        &mut self,
        session: &Session,
        prompt: Prompt<'_>,
        mut signals: TurnChannels,
        limits: &Limits,
    ) -> TurnResult {
        let request = PromptRequest::new(session.id.clone(), blocks(&prompt));
        let mut drive = TurnDriver {
            folder: RunFolder::new(prompt.folder, &prompt.turn.directory, limits.file),
            client: self,
            session: session.id.clone(),
            policy: prompt.turn.permissions,
            limits: limits.clone(),
            events: signals.events.clone(),
            cancelled: signals.cancelled.clone(),
            tools: Tools::default(),
            open: HashMap::new(),
            asked: 0,
        };
        drive.tell(AgentEvent::Started { agent_session: Some(session.id().to_owned()) }).await;
        match drive.run(&request, &mut signals.answers, prompt.deadline).await {
            // A cancel stops everything, also what the agent has started besides.
            Ok(how) => TurnResult { how, usable: !signals.cancelled.is_cancelled() },
            // It was asked to end and did not do so in time, or it broke on the way: either way it is stopped.
            Err(_) if signals.cancelled.is_cancelled() => TurnResult { how: How::Cancelled, usable: false },
            Err(fault) => {
                let usable = fault.leaves_agent_usable();
                TurnResult {
                    how: How::Failed { code: fault.code().to_owned(), message: fault.to_string() },
                    usable,
                }
            }
        }
    }
}

impl TurnDriver<'_> {
    async fn run(
        &mut self,
        request: &PromptRequest,
        answers: &mut mpsc::UnboundedReceiver<(String, Option<String>)>,
        deadline: Instant,
    ) -> Result<How, AgentFault> {
        let id = self.client.ask("session/prompt", request)?;
        let mut heard = Instant::now();
        let mut stop: Option<Instant> = None;
        loop {
            let silent = heard + self.limits.silence;
            let waits_for_others = !self.open.is_empty() || self.tools.is_one_running();
            let mut until = stop.unwrap_or(deadline).min(deadline);
            if !waits_for_others {
                until = until.min(silent);
            }
            until = self.open.values().map(|question| question.until).fold(until, Instant::min);
            let next = tokio::select! {
                biased;
                () = self.events.closed() => TurnSignal::Dropped,
                () = self.cancelled.cancelled(), if stop.is_none() => TurnSignal::Cancel,
                // Before what it says: an agent that never stops talking is stopped all the same.
                () = sleep_until(until) => TurnSignal::Late,
                Some((question, option)) = answers.recv() => TurnSignal::Answer(question, option),
                said = self.client.hear() => TurnSignal::Received(said),
            };
            match next {
                TurnSignal::Dropped => return Err(AgentFault::Deadline),
                TurnSignal::Cancel => {
                    self.client.tell("session/cancel", &CancelNotification::new(self.session.clone()))?;
                    for (_, question) in std::mem::take(&mut self.open) {
                        self.client.reply(&question.id, &outcome(None))?;
                    }
                    stop = Some(Instant::now() + self.limits.cancel);
                }
                TurnSignal::Answer(question, option) => self.answer(&question, option.as_deref())?,
                TurnSignal::Received(said) => {
                    heard = Instant::now();
                    match said? {
                        Message::Answer(of, answer) if of == id => {
                            let answer =
                                answer.map_err(|error| self.client.refused("session/prompt", &error))?;
                            return self.over(answer).await;
                        }
                        Message::Answer(..) => {
                            self.client.count_noise("it answered what it was not asked")?;
                        }
                        Message::Notification { method, params } => self.told(&method, params).await,
                        Message::Request { id, method, params } => self.asked(id, &method, params).await?,
                    }
                }
                TurnSignal::Late => {
                    let now = Instant::now();
                    let expired = |question: &Question| question.until <= now;
                    let late: Vec<String> = self
                        .open
                        .iter()
                        .filter(|(_, one)| expired(one))
                        .map(|(name, _)| name.clone())
                        .collect();
                    for question in &late {
                        if let Some(question) = self.open.remove(question) {
                            self.client.reply(&question.id, &outcome(None))?;
                            heard = now;
                        }
                    }
                    if stop.is_some_and(|stop| stop <= now) || deadline <= now {
                        return Err(AgentFault::Deadline);
                    }
                    if late.is_empty() && !waits_for_others && silent <= now {
                        return Err(AgentFault::Silent { limit: self.limits.silence });
                    }
                }
            }
        }
    }

    /// How the turn ended, by the answer to the prompt.
    async fn over(&self, answer: Value) -> Result<How, AgentFault> {
        let reason = answer.get("stopReason").and_then(Value::as_str).map(shown);
        let answer: PromptResponse = match (serde_json::from_value(answer), reason) {
            (Ok(answer), _) => answer,
            // A later version of the protocol knows more ends. What it made speaks for it.
            (Err(_), Some(reason)) => {
                self.tell(AgentEvent::Warning(format!(
                    "the agent ended its turn for a reason that is not known here ({reason}): see whether all was done"
                )))
                .await;
                return Ok(if self.cancelled.is_cancelled() { How::Cancelled } else { How::Unstated });
            }
            (Err(error), None) => {
                return Err(AgentFault::protocol(shown(&format!(
                    "the end of its turn cannot be read: {error}"
                ))));
            }
        };
        if self.cancelled.is_cancelled() {
            return Ok(How::Cancelled);
        }
        match answer.stop_reason {
            StopReason::EndTurn => Ok(How::Completed),
            StopReason::Cancelled => Ok(How::Cancelled),
            StopReason::Refusal => Err(AgentFault::Declined),
            StopReason::MaxTokens => Err(AgentFault::Incomplete { limit: "max_tokens" }),
            StopReason::MaxTurnRequests => Err(AgentFault::Incomplete { limit: "max_turn_requests" }),
            _ => Ok(How::Unstated),
        }
    }

    async fn told(&mut self, method: &str, params: Value) {
        if method != "session/update" {
            return;
        }
        // An update of a later version of the protocol, or of a session that is not ours, tells us nothing.
        let Ok(update) = serde_json::from_value::<SessionNotification>(params) else { return };
        if update.session_id != self.session {
            return;
        }
        if let Some(event) = self.tools.event(update.update) {
            self.tell(event).await;
        }
    }

    async fn asked(&mut self, id: RequestId, method: &str, params: Value) -> Result<(), AgentFault> {
        match method {
            "session/request_permission" => match serde_json::from_value(params) {
                Ok(request) => self.permission(id, request).await,
                Err(_) => self.client.reply(&id, &Err(RpcError::invalid_params())),
            },
            "fs/read_text_file" => {
                let result =
                    self.file(params, |folder, request: ReadTextFileRequest| folder.read(&request)).await;
                self.client.reply(&id, &result)
            }
            "fs/write_text_file" => {
                let result =
                    self.file(params, |folder, request: WriteTextFileRequest| folder.write(&request)).await;
                self.client.reply(&id, &result)
            }
            _ => self.client.reply(&id, &Err(RpcError::method_not_found())),
        }
    }

    async fn file<Q: serde::de::DeserializeOwned + Send + 'static>(
        &self,
        params: Value,
        work: impl FnOnce(&RunFolder, Q) -> Result<Value, RpcError> + Send + 'static,
    ) -> Result<Value, RpcError> {
        if self.cancelled.is_cancelled() {
            return Err(RpcError::request_cancelled());
        }
        if params.get("sessionId").and_then(Value::as_str) != Some(&self.session.0) {
            return Err(RpcError::invalid_params().data("this is not the session of the turn"));
        }
        let request: Q = serde_json::from_value(params)
            .map_err(|error| RpcError::invalid_params().data(shown(&error.to_string())))?;
        let folder = self.folder.clone();
        let done = tokio::task::spawn_blocking(move || work(&folder, request)).await;
        done.unwrap_or_else(|_| Err(RpcError::internal_error()))
    }

    async fn permission(
        &mut self,
        id: RequestId,
        request: RequestPermissionRequest,
    ) -> Result<(), AgentFault> {
        if self.cancelled.is_cancelled() || request.session_id != self.session || self.open.len() >= OPEN {
            return self.client.reply(&id, &outcome(None));
        }
        self.tools.remember(&request.tool_call);
        let options: Vec<PermissionOption> = request.options.iter().map(offered).collect();
        let kinds = match self.policy {
            Policy::Allow => [PermissionOptionKind::AllowOnce, PermissionOptionKind::AllowAlways],
            Policy::Deny => [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways],
            Policy::Ask => {
                let call = &request.tool_call;
                let title = call.fields.title.clone();
                let title = title.or_else(|| self.tools.title(&call.tool_call_id.0).map(str::to_owned));
                self.asked += 1;
                let name = format!("question-{}", self.asked);
                let until = Instant::now() + self.limits.question;
                self.open.insert(name.clone(), Question { id, options: options.clone(), until });
                let tool = title.unwrap_or_else(|| "a tool".to_owned());
                self.tell(AgentEvent::Permission { id: name, tool, options }).await;
                return Ok(());
            }
        };
        let chosen = kinds.iter().find_map(|kind| request.options.iter().find(|option| option.kind == *kind));
        self.client.reply(&id, &outcome(chosen.map(|option| option.option_id.0.to_string())))
    }

    /// A person's answer. One that is not offered is a no.
    fn answer(&mut self, question: &str, option: Option<&str>) -> Result<(), AgentFault> {
        let Some(Question { id, options, .. }) = self.open.remove(question) else { return Ok(()) };
        let of_kind = |kind: &str| options.iter().find(|option| option.kind == kind);
        let chosen = option
            .and_then(|option| options.iter().find(|offered| offered.id == option))
            .or_else(|| of_kind("reject_once"))
            .or_else(|| of_kind("reject_always"));
        self.client.reply(&id, &outcome(chosen.map(|option| option.id.clone())))
    }

    /// Tells an event, unless the turn was cancelled. A listener that is slow makes the agent wait, but not the cancelling.
    async fn tell(&self, event: AgentEvent) {
        if self.cancelled.is_cancelled() {
            return;
        }
        tokio::select! {
            biased;
            () = self.cancelled.cancelled() => {}
            _ = self.events.send(event) => {}
        }
    }
}

fn offered(option: &schema::PermissionOption) -> PermissionOption {
    PermissionOption {
        id: option.option_id.0.to_string(),
        kind: word(&option.kind),
        name: option.name.clone(),
    }
}

/// The answer to a question; without an option it is `cancelled`.
fn outcome(option: Option<String>) -> Result<Value, RpcError> {
    let outcome = match option {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option)),
        None => RequestPermissionOutcome::Cancelled,
    };
    as_value(&RequestPermissionResponse::new(outcome))
}

/// What the agent is told.
fn blocks(prompt: &Prompt<'_>) -> Vec<ContentBlock> {
    let turn = prompt.turn;
    let mut blocks: Vec<ContentBlock> = vec![turn.prompt.clone().into()];
    if prompt.tell_environment && !turn.environment.is_empty() {
        let lines: Vec<String> =
            turn.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let text = format!(
            "These names hold for this task, although they are not in the environment of your process:\n{}\n\
             The current folder of this task is {}. Write every file beneath it.",
            lines.join("\n"),
            turn.directory.display()
        );
        blocks.push(text.into());
    }
    blocks.extend(turn.attachments.iter().map(|file| {
        let link = ResourceLink::new(file.name.clone(), address(&file.path));
        let mime = Some(file.mime_type.clone()).filter(|mime| !mime.is_empty());
        ContentBlock::ResourceLink(link.mime_type(mime))
    }));
    blocks
}

/// The `file:` address of a path.
fn address(path: &Path) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');
    format!("file://{}", utf8_percent_encode(&path.to_string_lossy(), PLAIN))
}
