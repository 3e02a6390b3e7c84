//! The product's own agent as a provider of tasks: a turn is a background turn of a session whose workspace is the scope of
//! the run.
//!
//! Must never begin a second turn for a run: the turn's name is the key of an idempotent request, so that a run that is taken
//! up again hears the turn it had.

use std::sync::Arc;
use std::time::Duration;

use engross_agent::session::{
    AnswerFinish, AnswerStream, Parameters, RequestError, SessionName, Sessions, ToolStep, TurnEvent,
    TurnRequest,
};
use engross_artifacts::ArtifactScope;
use engross_llm::Message;
use engross_protocol::shared;
use engross_tasks::runner::{
    AgentError, AgentEvent, CancelReceipt, Control, Health, How, RunnerFuture, RunningTurn, TaskRunner, Turn,
    TurnEnd,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;

use super::toolboxes::workspace_of;

/// What the model is told beside its tools.
const BRIEFING: &str = "You carry out a task whose results are files. Your workspace is the artifact directory of this run: \
whatever is to be delivered must be written there with your tools. A file that is only mentioned does not count as delivered.";

/// How long a turn is asked for again while the store is away or another server has its session.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long is waited in between.
const PAUSE: Duration = Duration::from_millis(500);

/// Whether a turn that ended with this code, or was refused with it, goes on when it is asked for again.
fn passes(code: &str) -> bool {
    let passing = [
        engross_agent::codes::ANSWER_INTERRUPTED,
        engross_agent::codes::SESSION_BUSY,
        engross_agent::codes::SESSION_TAKEN,
        engross_store::codes::STORE_CONFLICT,
        engross_store::codes::STORE_FENCED,
        engross_store::codes::STORE_NEWER,
        engross_store::codes::STORE_UNAVAILABLE,
        shared::SERVER_BUSY,
    ];
    passing.iter().any(|passing| passing.name == code)
}

/// Events that may wait for the run.
const AHEAD: usize = 64;

/// Turns of sessions.
#[derive(Clone)]
pub struct OwnRunner {
    sessions: Sessions,
    hearing: TaskTracker,
}

/// A turn that can be asked for again.
struct AskedTurn {
    runner: OwnRunner,
    request: TurnRequest,
}

struct OwnControl {
    sessions: Sessions,
    principal: String,
    key: SessionName,
    run: String,
}

impl OwnRunner {
    /// The product's own agent, with these sessions.
    pub fn new(sessions: Sessions) -> Self {
        Self { sessions, hearing: TaskTracker::new() }
    }

    /// Submits a request, again where it may only have come at the wrong moment: it has a key, so that nothing is begun twice.
    async fn submit(&self, request: &TurnRequest) -> Result<AnswerStream, RequestError> {
        let begun = Instant::now();
        loop {
            match self.sessions.submit(request.clone()).await {
                Err(error) if passes(error.code) && begun.elapsed() < PATIENCE => sleep(PAUSE).await,
                submitted => return submitted,
            }
        }
    }

    async fn begin(&self, turn: Turn, known: Option<String>) -> Result<RunningTurn, AgentError> {
        if turn.sandbox.network == Some(false) || turn.sandbox.has_quota() {
            return Err(AgentError::unfenced(
                "the agent `engross` runs no programs, and its tools reach nothing but the folder of the run; it has no quota, and its model may be elsewhere",
            ));
        }
        // A conversation is a session; a run that does not continue one has a new one, named after it.
        let key = known.or(turn.conversation).unwrap_or_else(|| format!("agent:tasks:{}", turn.run));
        let named = SessionName::Named(key.clone());
        let scope = ArtifactScope::of(&turn.session_key, &turn.run);
        let mut prompt = turn.prompt;
        for file in &turn.attachments {
            // Its tools name files by their paths beneath the workspace.
            let path = file.path.strip_prefix(&turn.directory).unwrap_or(&file.path);
            prompt.push_str(&format!("\n\nAttached: {} ({})", file.name, path.display()));
        }
        let request = TurnRequest {
            principal: turn.principal.clone(),
            key: Some(named.clone()),
            system: Some(BRIEFING.to_owned()),
            messages: vec![Message::user(prompt)],
            tools: Some(Vec::new()),
            parameters: Parameters { model: turn.model, ..Parameters::default() },
            workspace: Some(workspace_of(scope.as_str())),
            idempotency_key: Some(turn.turn),
            background: true,
            ..TurnRequest::default()
        };
        let answering = self.submit(&request).await.map_err(|error| refused(&error))?;
        let (sender, events) = mpsc::channel(AHEAD);
        let control = OwnControl {
            sessions: self.sessions.clone(),
            principal: turn.principal,
            key: named,
            run: turn.run.as_str().to_owned(),
        };
        let control = Arc::new(control);
        let begun = AgentEvent::Started { agent_session: Some(key) };
        let asked = AskedTurn { runner: self.clone(), request };
        self.hearing.spawn(hear(answering, asked, sender, begun, Arc::clone(&control)));
        Ok(RunningTurn { events, control })
    }
}

impl TaskRunner for OwnRunner {
    fn health(&self) -> RunnerFuture<'_, Health> {
        Box::pin(async {
            match self.sessions.failing().await.as_slice() {
                [] => Health::Ready,
                failing => Health::Failing { message: format!("not ready: {}", failing.join(", ")) },
            }
        })
    }

    fn start(&self, turn: Turn) -> RunnerFuture<'_, Result<RunningTurn, AgentError>> {
        Box::pin(self.begin(turn, None))
    }

    fn resume(
        &self,
        turn: Turn,
        agent_session: Option<String>,
    ) -> RunnerFuture<'_, Result<Option<RunningTurn>, AgentError>> {
        Box::pin(async move { self.begin(turn, agent_session).await.map(Some) })
    }

    fn knows_turns(&self) -> bool {
        true
    }

    fn close(&self, _principal: &str, _thread: &str) -> RunnerFuture<'_, ()> {
        // The next turn that does not continue has a session of its own.
        Box::pin(std::future::ready(()))
    }
}

impl Control for OwnControl {
    fn cancel(&self) -> RunnerFuture<'_, Result<CancelReceipt, AgentError>> {
        Box::pin(async {
            let aborted =
                self.sessions.cancel(&self.principal, &self.key).await.map_err(|error| refused(&error))?;
            Ok(CancelReceipt { method: "session.cancel", aborted, runs: vec![self.run.clone()] })
        })
    }

    fn answer(&self, _permission: &str, _option: Option<&str>) {
        // Its tools reach nothing but the scope, so it never asks.
    }
}

/// Tells the run what happens in the session, until its turn ends or nobody listens.
async fn hear(
    mut answering: AnswerStream,
    asked: AskedTurn,
    events: mpsc::Sender<AgentEvent>,
    begun: AgentEvent,
    control: Arc<OwnControl>,
) {
    // What the present answer says, and whether another one was heard before it.
    let (mut said, mut is_anew) = (String::new(), false);
    // Whether the turn cannot come to a good end.
    let mut is_unwanted = false;
    let mut trouble: Option<Instant> = None;
    let mut heard = events.send(begun).await.is_ok();
    while heard {
        let placed = tokio::select! {
            placed = answering.next() => placed,
            () = events.closed() => break,
        };
        let Some(placed) = placed else { return };
        let resume_point = placed.resume_point();
        let event = match placed.event {
            TurnEvent::Text(text) => {
                said.push_str(&text);
                trouble = None;
                AgentEvent::Text(text)
            }
            TurnEvent::Status { message, id, tool, step } => AgentEvent::Tool {
                id,
                title: message,
                kind: tool,
                status: match step {
                    ToolStep::Started | ToolStep::Running => "in_progress",
                    ToolStep::Done => "completed",
                    ToolStep::Failed => "failed",
                }
                .to_owned(),
            },
            TurnEvent::Thinking { more, .. } => AgentEvent::Thought(more),
            TurnEvent::Warning { .. }
            | TurnEvent::Content { .. }
            | TurnEvent::Thoughts(_)
            | TurnEvent::Likelihoods(_) => continue,
            TurnEvent::Call { name, .. } => {
                let message =
                    format!("the model called '{name}', which only a client could carry out: leave it out");
                let how = How::Failed { code: "TOOL_INVALID".to_owned(), message };
                heard = false;
                is_unwanted = true;
                AgentEvent::Ended(TurnEnd { how, text: None })
            }
            TurnEvent::Done { finish, .. } => {
                let how = match finish {
                    AnswerFinish::Stop | AnswerFinish::ToolCalls => How::Completed,
                    AnswerFinish::Length => {
                        failed("ANSWER_INTERRUPTED", "the model's answer was cut at its length limit")
                    }
                    AnswerFinish::ContentFilter => {
                        failed("ANSWER_INTERRUPTED", "the provider's filter cut the answer")
                    }
                };
                let text = is_anew.then_some(said);
                let _ = events.send(AgentEvent::Ended(TurnEnd { how, text })).await;
                return;
            }
            // What was answered until then is stored, or comes again.
            TurnEvent::Failed { code, .. }
                if passes(&code) && trouble.get_or_insert_with(Instant::now).elapsed() < PATIENCE =>
            {
                let since = *trouble.get_or_insert_with(Instant::now);
                let again = async {
                    loop {
                        sleep(PAUSE).await;
                        match asked.runner.submit(&asked.request).await {
                            // Who has the run has the home, or loses both.
                            Err(error) if error.is_home_away() && since.elapsed() < PATIENCE => {}
                            again => return again,
                        }
                    }
                };
                let again = tokio::select! {
                    again = again => again,
                    () = events.closed() => break,
                };
                match again {
                    Ok(again) if again.answer == answering.answer => {
                        answering = again;
                        answering.resume_after(resume_point);
                    }
                    Ok(another) => {
                        answering = another;
                        said.clear();
                        is_anew = true;
                    }
                    Err(error) => {
                        let how = How::Failed { code: error.code.to_owned(), message: error.message };
                        let _ = events.send(AgentEvent::Ended(TurnEnd { how, text: None })).await;
                        return;
                    }
                }
                continue;
            }
            TurnEvent::Failed { code, message, .. } => {
                let how =
                    if code == "TURN_CANCELLED" { How::Cancelled } else { How::Failed { code, message } };
                let _ = events.send(AgentEvent::Ended(TurnEnd { how, text: None })).await;
                return;
            }
        };
        heard &= events.send(event).await.is_ok();
    }
    // Where nobody listens any more, and nobody has said that the turn is to stop, this process is about to end or another one has the
    // run now: it hears the turn that goes on.
    if is_unwanted {
        let _ = control.cancel().await;
    }
}

fn failed(code: &str, message: &str) -> How {
    How::Failed { code: code.to_owned(), message: format!("{message}: ask again for less at once") }
}

fn refused(error: &RequestError) -> AgentError {
    AgentError::new(error.code, error.message.clone())
}
