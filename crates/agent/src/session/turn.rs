//! One turn being carried out: asks the model, runs tools, writes the log, tells listeners.
//!
//! Must never tell what is not stored, but for text on its way.

use std::sync::Arc;
use std::time::Duration;

use engross_llm::{Event, Limits, Request, ToolCall, collect_within};
use engross_protocol::SessionId;
use engross_store::Fence;
use tokio::sync::OwnedMutexGuard;

use super::channel::Channel;
use super::config::SessionsConfig;
use super::decide::{Action, Input, ServerTool, Tries, decide};
use super::lease;
use super::live::Live;
use super::render::Renderer;
use super::toolbox::Toolbox;

/// The work on one answer.
pub(super) struct TurnTask {
    config: Arc<SessionsConfig>,
    id: SessionId,
    channel: Arc<Channel>,
    toolbox: Option<Arc<dyn Toolbox>>,
    tools: Vec<ServerTool>,
    renderer: Renderer,
    tries: Tries,
}

impl TurnTask {
    pub(super) fn new(
        config: Arc<SessionsConfig>,
        id: SessionId,
        channel: Arc<Channel>,
        toolbox: Option<Arc<dyn Toolbox>>,
    ) -> Self {
        let tools = toolbox.as_ref().map_or_else(Vec::new, |toolbox| toolbox.tools());
        Self { config, id, channel, toolbox, tools, renderer: Renderer::default(), tries: Tries::default() }
    }

    /// Runs until the answer is over. Leaves the session in memory unless the log could not be written.
    pub(super) async fn run(mut self, mut guard: OwnedMutexGuard<Option<Live>>, mut live: Live) {
        let mut input = Input::Continue;
        loop {
            let config = &self.config;
            let now = config.clock.millis();
            let moment = i64::try_from(now).unwrap_or(i64::MAX);
            let decision =
                decide(&mut live.session, &mut self.tries, input, &self.tools, config.rules, moment);
            let stored = live.append(config, self.id, &decision.events, Vec::new(), now).await;
            if let Err(error) = stored {
                // What is in memory is not in the log: the next request reads it anew.
                tracing::error!(session = %self.id, code = error.code, "the log was not written: {}", error.message);
                let failed = self.renderer.failed(error.code.to_owned(), error.message, error.retry_after);
                self.channel.tell([failed]);
                return;
            }
            let mut told = Vec::new();
            for event in &decision.events {
                told.extend(self.renderer.entry(event, &live.session));
            }
            let rests = decision.action == Action::Rest;
            if rests {
                // Whoever hears the end may ask again at once.
                lease::give_back(&self.config, self.id, live.fence).await;
                *guard = live.keep_unless_shared(&self.config);
                drop(guard);
                if !self.renderer.is_over() {
                    told.push(self.renderer.failed(
                        "ANSWER_MISSING".to_owned(),
                        "the session had nothing to answer; send a new message".to_owned(),
                        None,
                    ));
                }
                self.channel.tell(told);
                return;
            }
            self.channel.tell(told);
            input = match decision.action {
                Action::Ask(request) => {
                    let background = live.session.turn.as_ref().is_some_and(|turn| turn.background);
                    self.ask(request, background, live.fence).await
                }
                Action::Run(call) => self.run_tool(call, live.fence).await,
                Action::Rest => return,
            };
        }
    }

    /// A tool that changes something runs to its end: nobody would know how far it came.
    async fn run_tool(&mut self, call: ToolCall, fence: Option<Fence>) -> Input {
        let id = call.id.clone();
        let Some(toolbox) = &self.toolbox else {
            // The turn began with a workspace that this request does not bring.
            let content = format!("The tool '{}' is not at hand any more.", call.name);
            return Input::Ran { id, content, is_error: true };
        };
        self.channel.tell([self.renderer.status(toolbox.status(&call))]);
        let mut run = toolbox.run(call);
        let (content, is_error) = tokio::select! {
            answer = &mut run => answer,
            () = lease::keep(&self.config, self.id, fence) => run.await,
        };
        if self.channel.is_cancelled() {
            return Input::RanLast { id, content, is_error };
        }
        Input::Ran { id, content, is_error }
    }

    async fn ask(&mut self, request: Request, background: bool, fence: Option<Fence>) -> Input {
        let mut text = String::new();
        let model = Arc::clone(&self.config.model);
        let channel = Arc::clone(&self.channel);
        let renderer = &mut self.renderer;
        let answer = collect_within(Limits::default(), model.answer(request), |event| {
            if let Event::Text(delta) = event {
                text.push_str(delta);
                channel.tell(renderer.delta(delta));
            }
        });
        tokio::select! {
            answer = answer => match answer {
                Ok(answer) => Input::Answered(answer),
                Err(error) => Input::Failed(error, text),
            },
            () = deserted(&channel, self.config.grace), if !background => {
                Input::Cancel("LISTENER_GONE", "nobody listened any more, so the turn was stopped")
            }
            () = lease::keep(&self.config, self.id, fence) => {
                Input::Cancel("TURN_CANCELLED", "another server has taken the session over")
            }
            () = channel.cancelled() => {
                Input::Cancel("TURN_CANCELLED", "the turn was cancelled")
            }
        }
    }
}

/// Resolves once nobody has listened for the whole of `grace`.
async fn deserted(channel: &Channel, grace: Duration) {
    loop {
        channel.deserted().await;
        tokio::time::sleep(grace).await;
        if !channel.is_heard() {
            return;
        }
    }
}
