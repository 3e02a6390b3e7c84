//! One turn being carried out: asks the model, runs tools, writes the log, notifies listeners.
//!
//! Must never publish what is not stored, but for text on its way.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engross_llm::{Event, Limits, Message, MessageAttachment, Model, Request, ToolCall, collect_within};
use engross_protocol::{SessionId, WriteSessionId};
use tokio::sync::Notify;
use tracing::Instrument;

use super::channel::Channel;
use super::config::SessionsConfig;
use super::decide::{Action, Input, Offer, PartialAnswer, RetryState, decide};
use super::error::RequestError;
use super::event::{PositionedEvent, ToolStep, TurnEvent};
use super::log::{LogEvent, SeenFile, ToolResult};
use super::record::{self, SessionGuard, SessionJournal};
use super::render::Renderer;
use super::spans::{self, TurnSpan};
use super::state::SessionState;
use super::summary;
use super::toolbox::{ToolRound, Toolbox};
use super::work_queue::SharedWorkQueue;
use crate::codes;
use crate::tools::PERFORM_RESEARCH;
use crate::writing::{ArgumentStreams, Writer, recall};

mod behind;
mod thoughts;
mod write;

use behind::{ContentBehind, TextBehind};
use thoughts::Thoughts;

/// So many bytes of an answer that streams may be lost by a crash, and no more.
const UNSTORED_BYTES: usize = 4 << 10;

/// So long may text of an answer that streams be in memory only.
const UNSTORED_FOR: Duration = Duration::from_secs(1);

/// The work on one answer.
pub(super) struct TurnTask {
    config: Arc<SessionsConfig>,
    journal: SessionJournal,
    /// Whom the session belongs to.
    principal: String,
    channel: Arc<Channel>,
    working: SharedWorkQueue,
    toolbox: Option<Arc<dyn Toolbox>>,
    writer: Option<Writer>,
    offer: Offer,
    /// Files as the model's instructions show them.
    shown: Vec<SeenFile>,
    renderer: Renderer,
    tries: RetryState,
    /// Content that came in one answer with the calls that begin its files.
    behind: ContentBehind,
}

impl TurnTask {
    pub(super) fn new(
        (config, journal): (Arc<SessionsConfig>, SessionJournal),
        principal: String,
        channel: Arc<Channel>,
        working: SharedWorkQueue,
        toolbox: Option<Arc<dyn Toolbox>>,
    ) -> Self {
        let writer = toolbox.as_ref().and_then(|toolbox| toolbox.writer());
        let mut tools = toolbox.as_ref().map_or_else(Vec::new, |toolbox| toolbox.tools());
        tools.extend(writer.iter().flat_map(Writer::tools));
        let offer = Offer {
            tools,
            client: config.client_tools.clone(),
            said: Vec::new(),
            instructions: String::new(),
            settings: config.settings.clone(),
        };
        let (renderer, tries) = (Renderer::default(), RetryState::default());
        let (shown, behind) = (Vec::new(), ContentBehind::default());
        Self {
            config,
            journal,
            principal,
            channel,
            working,
            toolbox,
            writer,
            offer,
            shown,
            renderer,
            tries,
            behind,
        }
    }

    /// Tells what was noted when the request was taken in, which is stored.
    pub(super) fn tell(&mut self, taken_in: &[LogEvent], session: &SessionState) {
        for event in taken_in.iter().filter(|event| matches!(event, LogEvent::Noted { .. })) {
            self.channel.publish(self.renderer.entry(event, session));
        }
    }

    /// Runs until the answer is over. Leaves the session in memory unless the log could not be written.
    pub(super) async fn run(self, session: SessionGuard) {
        let traced = TurnSpan::new(session.id(), session.turns);
        let span = traced.span();
        self.carry_out(session, traced).instrument(span).await;
    }

    async fn carry_out(mut self, mut session: SessionGuard, mut traced: TurnSpan) {
        let mut input = self.catch_up(&session).await;
        loop {
            let config = Arc::clone(&self.config);
            let now = config.clock.millis();
            let moment = i64::try_from(now).unwrap_or(i64::MAX);
            if matches!(input, Input::Continue | Input::Ran { .. }) {
                self.brief().await;
            }
            self.offer.said = self.channel.said();
            let decision = decide(&mut session, &mut self.tries, input, &self.offer, config.rules, moment);
            if decision.action == Action::Rest && self.journal.is_awaited(&session) {
                return self.hand_on(session, decision.events, now, traced).await;
            }
            let events = &decision.events;
            if let Err(error) = record::append(&config, &mut session, events, Vec::new(), now).await {
                return self.lose(session.id(), error, &mut traced);
            }
            self.was_stored(&decision.events, &mut traced);
            let mut published = Vec::new();
            for event in &decision.events {
                published.extend(self.renderer.entry(event, &session));
            }
            if decision.action == Action::Rest {
                self.leave(session.left.values().copied());
                // A client that hears the end may ask again at once.
                session.release().await;
                return self.rest(published);
            }
            self.channel.publish(published);
            let next = match decision.action {
                Action::Ask(mut request, model) => {
                    let model = config.models.get(&self.principal, model.as_deref());
                    if !model.searches() {
                        request.tools.retain(|tool| tool.name != PERFORM_RESEARCH);
                    }
                    self.recall(&mut request, &session).await;
                    let span = spans::model_call(|| model.info().spec);
                    if session.turn.as_ref().is_some_and(|turn| turn.writing.is_some()) {
                        self.write(request, &*model, &mut session).instrument(span).await
                    } else {
                        self.ask(request, &*model, &mut session).instrument(span).await
                    }
                }
                Action::Summarise(request, model, until) => {
                    let model = config.models.get(&self.principal, model.as_deref());
                    let span = spans::model_call(|| model.info().spec);
                    Ok(self.summarise(request, &*model, until).instrument(span).await)
                }
                Action::Run(calls) => {
                    let span = spans::tool_round(calls.len());
                    Ok(self.run_tools(calls, &session).instrument(span).await)
                }
                Action::Rest => return,
            };
            input = match next {
                Ok(input) => input,
                Err(error) => return self.lose(session.id(), error, &mut traced),
            };
        }
    }

    /// Ends the answer with entries that are stored together with the beginning of the next one, for which somebody waits.
    async fn hand_on(mut self, session: SessionGuard, events: Vec<LogEvent>, now: u64, mut traced: TurnSpan) {
        let id = session.id();
        let left: Vec<_> = session.left.values().copied().collect();
        let before = self.renderer.clone();
        let mut published = Vec::new();
        for event in &events {
            published.extend(self.renderer.entry(event, &session));
        }
        let events = Arc::new(events);
        if let Err(error) = record::hand_on(&self.config, &self.journal, session, &events, now).await {
            self.renderer = before;
            return self.lose(id, error, &mut traced);
        }
        self.was_stored(&events, &mut traced);
        self.leave(left);
        self.rest(published);
    }

    /// Frees the names of files that the answer has left incomplete.
    fn leave(&self, files: impl IntoIterator<Item = WriteSessionId>) {
        if let Some(writer) = &self.writer {
            writer.leave(files);
        }
    }

    /// What follows from entries once they are stored, beside what is published.
    fn was_stored(&self, events: &[LogEvent], traced: &mut TurnSpan) {
        let is_read = |event: &&LogEvent| matches!(event, LogEvent::Steered { .. });
        self.channel.read(events.iter().filter(is_read).count());
        traced.record(events);
    }

    /// The answer is over.
    fn rest(mut self, mut published: Vec<PositionedEvent>) {
        if !self.renderer.is_over() {
            published.push(self.renderer.failed(
                codes::ANSWER_MISSING.name.to_owned(),
                "the session had nothing to answer; send a new message".to_owned(),
                None,
            ));
        }
        self.channel.publish(published);
    }

    /// Gives the model its own text back.
    async fn recall(&self, request: &mut Request, session: &SessionState) {
        let Some(writer) = self.writer.clone() else { return };
        let writing = session.turn.as_ref().and_then(|turn| turn.writing.clone());
        let mut asked = std::mem::take(request);
        let recalled = tokio::task::spawn_blocking(move || {
            recall(&writer, &mut asked, writing.as_ref());
            asked
        });
        // A request that is lost with its thread is one of a server that stops.
        *request = recalled.await.unwrap_or_default();
    }

    /// Has the model see its workspace as it is now.
    async fn brief(&mut self) {
        if let Some(toolbox) = &self.toolbox {
            let briefing = toolbox.briefing().await;
            self.offer.instructions = briefing.text;
            self.shown = briefing.seen;
        }
    }

    /// What is in memory is not in the log: the next request reads it anew.
    fn lose(mut self, session: SessionId, error: RequestError, traced: &mut TurnSpan) {
        traced.ended(error.code);
        tracing::error!(%session, code = error.code, "the log was not written: {}", error.message);
        let failed = self.renderer.failed(error.code.to_owned(), error.message, error.retry_after);
        self.channel.lose(failed);
    }

    /// Tools that change something run to their end: nobody would know how far they came.
    async fn run_tools(&mut self, calls: Vec<ToolCall>, session: &SessionGuard) -> Input {
        let Some(toolbox) = self.toolbox.clone() else {
            // The workspace that the turn began with cannot be reached any more.
            let gone = |call: ToolCall| {
                (call.id, ToolResult::error(format!("The tool '{}' is not at hand any more.", call.name)))
            };
            return Input::Ran { results: calls.into_iter().map(gone).collect(), stop: false };
        };
        let _place = self.working.place().await;
        for call in &calls {
            self.channel.publish([self.renderer.status(
                self.status(&*toolbox, call),
                call,
                ToolStep::Started,
            )]);
        }
        let of_files = |call: &ToolCall| self.writer.as_ref().is_some_and(|writer| writer.knows(&call.name));
        let (files, others): (Vec<ToolCall>, Vec<ToolCall>) = calls.iter().cloned().partition(of_files);
        let mut results =
            if others.is_empty() { Vec::new() } else { self.run_toolbox(&*toolbox, others, session).await };
        results.extend(self.open_files(files, session).await);
        let mut in_order = Vec::with_capacity(results.len());
        for call in &calls {
            if let Some(place) = results.iter().position(|(id, _)| *id == call.id) {
                in_order.push(results.swap_remove(place));
            }
        }
        for (call, (_, result)) in calls.iter().zip(&in_order) {
            let step = match result {
                // How far the file is, is published as it grows.
                ToolResult { opens: Some(_), .. } => continue,
                ToolResult { is_error: true, .. } => ToolStep::Failed,
                _ => ToolStep::Done,
            };
            self.channel.publish([self.renderer.status(self.status(&*toolbox, call), call, step)]);
        }
        Input::Ran { results: in_order, stop: self.channel.is_cancelled() }
    }

    fn status(&self, toolbox: &dyn Toolbox, call: &ToolCall) -> String {
        match &self.writer {
            Some(writer) if writer.knows(&call.name) => Writer::status(call),
            _ => toolbox.status(call),
        }
    }

    /// Has the toolbox carry out calls; gives each with its result.
    async fn run_toolbox(
        &self,
        toolbox: &dyn Toolbox,
        calls: Vec<ToolCall>,
        session: &SessionGuard,
    ) -> Vec<(String, ToolResult)> {
        let asked = session.turn.as_ref().and_then(|turn| turn.parameters.model.as_deref());
        let settings = session.settings.or(&self.config.settings);
        let mut seen = session.seen.clone();
        seen.extend(self.shown.iter().map(|shown| (shown.file.clone(), shown.revision.clone())));
        let round = ToolRound {
            session: session.id(),
            calls: calls.clone(),
            seen,
            model: self.config.models.get(&self.principal, asked.or(settings.model.as_deref())),
            settings,
            cancelled: self.channel.cancelling(),
        };
        let mut running = toolbox.run(round);
        let results = tokio::select! {
            results = &mut running => results,
            () = session.lease_lost() => running.await,
        };
        let mut results = results.into_iter();
        let missing = || ToolResult::error("The tool gave no result.");
        calls.into_iter().map(|call| (call.id, results.next().unwrap_or_else(missing))).collect()
    }

    /// Asks the model what the beginning of the conversation said.
    async fn summarise(&self, request: Request, model: &dyn Model, until: usize) -> Input {
        let answer = async {
            let _place = self.working.place().await;
            summary::answer_of(model, request).await
        };
        let answer = tokio::select! {
            answer = answer => answer,
            () = self.channel.cancelled() => {
                let nothing = PartialAnswer::default();
                return Input::Cancel(codes::TURN_CANCELLED.name, "the turn was cancelled", nothing);
            }
        };
        Input::Summarised(until, answer)
    }

    /// Asks the model. What streams in is stored from time to time.
    async fn ask(
        &mut self,
        request: Request,
        model: &dyn Model,
        session: &mut SessionGuard,
    ) -> Result<Input, RequestError> {
        let background = session.turn.as_ref().is_some_and(|turn| turn.background);
        let config = Arc::clone(&self.config);
        let channel = Arc::clone(&self.channel);
        let working = Arc::clone(&self.working);
        let unstored = UnstoredText::default();
        let streams = ArgumentStreams::new();
        let mut calling = self.calling(session);
        let renderer = &mut self.renderer;
        let mut request = request;
        // The conversation may hold what another model was given.
        let refused = |attachment: &MessageAttachment| model.refuses(attachment).is_some();
        let carried = request.messages.iter().flat_map(Message::attachments);
        let left_out = carried.filter(|attachment| refused(attachment)).count();
        if left_out > 0 {
            let message = format!(
                "of {left_out} earlier pictures or files {} was given the name only, as it takes none",
                model.info().spec
            );
            let code = codes::HISTORY_LEFT_OUT.name.to_owned();
            channel.publish([renderer.aside(TurnEvent::Warning { code, message })]);
            request.messages =
                request.messages.into_iter().map(|message| message.without_attachments(refused)).collect();
        }
        let mut thoughts = Thoughts::default();
        let mut behind = TextBehind::new(self.writer.is_some());
        let writer = self.writer.clone().filter(Writer::takes_arguments);
        let answer = async {
            let _place = working.place().await;
            let collected = collect_within(Limits::default(), model.answer(request), |event| {
                let thought = match event {
                    Event::Reasoning(delta) => thoughts.add(delta, config.clock.millis()),
                    _ => thoughts.rest(),
                };
                channel.publish(thought.map(|event| renderer.aside(event)));
                match event {
                    _ if behind.takes(event) => {}
                    Event::Text(delta) => {
                        unstored.push(delta);
                        channel.publish(renderer.delta(delta));
                    }
                    Event::Likelihoods(tokens) => {
                        channel.publish([renderer.aside(TurnEvent::Likelihoods(tokens.clone()))]);
                    }
                    _ => {}
                }
                if writer.is_some() {
                    streams.receive(event);
                }
            })
            .await;
            let (content, words) = behind.end(collected.as_ref().ok());
            if !words.is_empty() {
                unstored.push(&words);
                channel.publish(renderer.delta(&words));
            }
            collected.map(|answer| content.part(answer))
        };
        let lost = session.lease_lost();
        let deserted = deserted(&channel, config.grace);
        tokio::pin!(answer, lost, deserted);
        loop {
            tokio::select! {
                answer = &mut answer => return Ok(match (self.behind.keep(answer), &writer) {
                    (Ok(mut answer), Some(writer)) if !streams.is_empty() => {
                        let calls = &mut answer.tool_calls;
                        let results = streams.end(writer, &mut calling, calls, answer.finish).await;
                        Input::ContentStreamed(answer, model.info().spec, results)
                    }
                    (Ok(answer), _) => Input::Answered(answer, model.info().spec),
                    (Err(error), writer) => {
                        abandon(&streams, writer.as_ref()).await;
                        Input::Failed(error, unstored.take())
                    }
                }),
                () = streams.is_due() => {
                    if let Some(writer) = &writer {
                        streams.flush(writer, &calling).await;
                    }
                }
                () = unstored.is_due() => {
                    let PartialAnswer { text, from, .. } = unstored.take();
                    let piece = LogEvent::Streamed { text, from };
                    session.apply(&piece);
                    let piece = [piece];
                    record::append(&config, session, &piece, Vec::new(), config.clock.millis()).await?;
                }
                () = &mut deserted, if !background => {
                    let message = "nobody listened any more, so the turn was stopped";
                    abandon(&streams, writer.as_ref()).await;
                    return Ok(Input::Cancel(codes::LISTENER_GONE.name, message, unstored.take()));
                }
                () = &mut lost => {
                    // Nobody has said that the turn is to stop: it goes on for the one who asks again.
                    abandon(&streams, writer.as_ref()).await;
                    return Err(record::taken_over());
                }
                () = channel.cancelled() => {
                    abandon(&streams, writer.as_ref()).await;
                    return Ok(Input::Cancel(codes::TURN_CANCELLED.name, "the turn was cancelled", unstored.take()));
                }
            }
        }
    }
}

/// Text of the present answer that is in memory only.
#[derive(Default)]
struct UnstoredText {
    partial: Mutex<PartialAnswer>,
    more: Notify,
}

impl UnstoredText {
    fn push(&self, delta: &str) {
        let mut partial = self.lock();
        let is_first = partial.text.is_empty();
        partial.text.push_str(delta);
        let is_much = partial.text.len() >= UNSTORED_BYTES;
        drop(partial);
        if is_first || is_much {
            self.more.notify_one();
        }
    }

    /// What came, which is as good as stored from here on.
    fn take(&self) -> PartialAnswer {
        let mut partial = self.lock();
        let from = partial.from + partial.text.len();
        std::mem::replace(&mut *partial, PartialAnswer { from, ..PartialAnswer::default() })
    }

    /// Resolves when there is text that has to be stored now.
    async fn is_due(&self) {
        while self.lock().text.is_empty() {
            self.more.notified().await;
        }
        let enough = async {
            while self.lock().text.len() < UNSTORED_BYTES {
                self.more.notified().await;
            }
        };
        // Either way it is time.
        let _ = tokio::time::timeout(UNSTORED_FOR, enough).await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PartialAnswer> {
        self.partial.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives up files of an answer that will not be a part of the conversation.
async fn abandon(streams: &ArgumentStreams, writer: Option<&Writer>) {
    if let Some(writer) = writer {
        streams.abandon(writer).await;
    }
}

/// Resolves once nobody has listened for the whole of `grace`.
async fn deserted(channel: &Channel, grace: Duration) {
    loop {
        channel.deserted().await;
        tokio::time::sleep(grace).await;
        if !channel.has_listeners() {
            return;
        }
    }
}
