//! What the tests of the service share: a model that says what it is told to, and a world around it.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engross_journal::Log;
use engross_llm::{Error, Event, FinishReason, Message, Model, ModelInfo, Request, ToolCall, ToolSpec};
use engross_protocol::{CountingIds, FixedClock, SessionId};
use engross_store::{MemoryStore, Store};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::json;

use super::event::{AnswerFinish, PositionedEvent, TurnEvent};
use super::log::LogEvent;
use super::request::{ClientTool, SessionName, TurnRequest};
use super::{
    AnswerStream, Briefing, BriefingFuture, Models, NoToolboxes, RequestError, ServerTool, SessionState,
    Sessions, SessionsConfig, Settings, ToolResult, ToolResultsFuture, ToolRound, Toolbox, ToolboxFuture,
    Toolboxes, TurnRules, record,
};

pub(crate) type Pieces = Vec<Result<Event, Error>>;

/// A model that gives the answers it was told to, and remembers what it was asked.
#[derive(Default)]
pub(crate) struct ScriptedModel {
    pub(super) answers: Mutex<VecDeque<Pieces>>,
    pub(super) asked: Mutex<Vec<Request>>,
    /// Whether its answers have no end.
    pub(super) hangs: AtomicBool,
    /// What it waits for after the first piece of an answer.
    pub(super) going_on: Option<Arc<tokio::sync::Notify>>,
}

impl ScriptedModel {
    pub(crate) fn new(answers: impl IntoIterator<Item = Pieces>) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers.into_iter().collect()),
            asked: Mutex::default(),
            hangs: AtomicBool::new(false),
            going_on: None,
        })
    }

    /// One that gives the first piece of an answer, and the others when it is told to go on.
    pub(super) fn slow(
        answers: impl IntoIterator<Item = Pieces>,
        going_on: &Arc<tokio::sync::Notify>,
    ) -> Arc<Self> {
        let answers = Mutex::new(answers.into_iter().collect());
        Arc::new(Self { answers, going_on: Some(Arc::clone(going_on)), ..Self::default() })
    }

    pub(super) fn asked(&self) -> Vec<Vec<Message>> {
        self.asked.lock().unwrap().iter().map(|request| request.messages.clone()).collect()
    }
}

impl Model for ScriptedModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: "told".to_owned(), language_model: false }
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        self.asked.lock().unwrap().push(request);
        match self.answers.lock().unwrap().pop_front() {
            Some(pieces) if self.hangs.load(Ordering::SeqCst) => {
                stream::iter(pieces).chain(stream::pending()).boxed()
            }
            Some(mut pieces) if self.going_on.is_some() => {
                let going_on = self.going_on.clone();
                let rest = pieces.split_off(1);
                let told = stream::once(async move {
                    if let Some(going_on) = going_on {
                        going_on.notified().await;
                    }
                    stream::iter(rest)
                });
                stream::iter(pieces).chain(told.flatten()).boxed()
            }
            Some(pieces) => stream::iter(pieces).boxed(),
            // Nobody told it anything: it never answers.
            None => stream::pending().boxed(),
        }
    }
}

pub(super) fn text(words: &str) -> Pieces {
    let pieces = words.split_inclusive(' ').map(|word| Ok(Event::Text(word.to_owned())));
    pieces.chain([Ok(Event::Finish(FinishReason::Stop))]).collect()
}

pub(super) fn calls(words: &str, calls: &[(&str, &str, &str)]) -> Pieces {
    let mut pieces = vec![Ok(Event::Text(words.to_owned()))];
    for (index, (id, name, arguments)) in calls.iter().enumerate() {
        pieces.push(Ok(Event::ToolCallStart { index, id: (*id).to_owned(), name: (*name).to_owned() }));
        pieces.push(Ok(Event::ToolCallArguments { index, delta: (*arguments).to_owned() }));
    }
    pieces.push(Ok(Event::Finish(FinishReason::ToolCalls)));
    pieces
}

pub(super) struct World {
    pub(super) sessions: Sessions,
    pub(super) store: Arc<MemoryStore>,
    pub(super) model: Arc<ScriptedModel>,
}

pub(crate) fn config(store: &Arc<MemoryStore>, model: &Arc<ScriptedModel>) -> SessionsConfig {
    SessionsConfig {
        store: Arc::<MemoryStore>::clone(store),
        models: Models::one(Arc::<ScriptedModel>::clone(model)),
        rules: TurnRules::default(),
        settings: Settings::default(),
        client_tools: Vec::new(),
        toolboxes: Arc::new(NoToolboxes),
        observers: Vec::new(),
        grace: Duration::from_millis(20),
        queue: 2,
        turns: 100,
        working: 8,
        node: None,
        clock: Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap())),
        ids: Arc::new(CountingIds::default()),
    }
}

pub(super) fn world(answers: impl IntoIterator<Item = Pieces>) -> World {
    let (store, model) = (Arc::new(MemoryStore::default()), ScriptedModel::new(answers));
    World { sessions: Sessions::new(config(&store, &model)), store, model }
}

impl World {
    /// Two processes on one store.
    pub(super) fn nodes(answers: impl IntoIterator<Item = Pieces>) -> [Self; 2] {
        let (store, model) = (Arc::new(MemoryStore::default()), ScriptedModel::new(answers));
        ["one", "two"].map(|name| {
            let config = SessionsConfig { node: Some(name.to_owned()), ..config(&store, &model) };
            Self { sessions: Sessions::new(config), store: Arc::clone(&store), model: Arc::clone(&model) }
        })
    }

    /// Another process on the same store.
    pub(super) fn restarted(&self) -> Self {
        Self {
            sessions: Sessions::new(config(&self.store, &self.model)),
            store: Arc::clone(&self.store),
            model: Arc::clone(&self.model),
        }
    }

    pub(super) async fn log(&self, id: SessionId) -> Vec<LogEvent> {
        let log = record::read_log(&*self.store, id).await.unwrap();
        log.into_iter().map(|recorded| recorded.event).collect()
    }

    pub(super) async fn messages(&self, id: SessionId) -> Vec<Message> {
        load(&*self.store, id).await.messages
    }
}

/// A session as its log tells it.
pub(super) async fn load(store: &dyn Store, id: SessionId) -> SessionState {
    Log::load(store, id).await.unwrap().unwrap().into_state()
}

pub(super) fn user(text: &str) -> Message {
    Message::User { content: text.to_owned(), attachments: Vec::new() }
}

pub(super) fn said(text: &str) -> Message {
    Message::Assistant { content: text.to_owned(), tool_calls: Vec::new(), thoughts: Vec::new() }
}

pub(super) fn called(text: &str, id: &str, name: &str) -> Message {
    let call = ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: "{}".to_owned() };
    Message::Assistant { content: text.to_owned(), tool_calls: vec![call], thoughts: Vec::new() }
}

pub(super) fn result(id: &str, name: &str, content: &str) -> Message {
    Message::Tool {
        tool_call_id: id.to_owned(),
        name: name.to_owned(),
        content: content.to_owned(),
        is_error: false,
        attachments: Vec::new(),
    }
}

pub(super) fn tool(name: &str) -> ClientTool {
    let spec =
        ToolSpec { name: name.to_owned(), description: String::new(), parameters: json!({}), strict: None };
    ClientTool { spec, read_only: false, idempotent: false }
}

pub(super) fn request(messages: Vec<Message>) -> TurnRequest {
    TurnRequest { key: Some(SessionName::Named("doc".to_owned())), messages, ..TurnRequest::default() }
}

pub(super) fn with_tools(messages: Vec<Message>) -> TurnRequest {
    TurnRequest { tools: Some(vec![tool("read_document"), tool("look")]), ..request(messages) }
}

/// All text, the calls with their ids, and the end.
pub(super) async fn heard(mut answer: AnswerStream) -> (String, Vec<(String, String)>, TurnEvent) {
    let (mut text, mut calls) = (String::new(), Vec::new());
    while let Some(PositionedEvent { event, .. }) = answer.next().await {
        match event {
            TurnEvent::Text(delta) => text.push_str(&delta),
            TurnEvent::Call { id, name, .. } => calls.push((id, name)),
            TurnEvent::Status { .. } | TurnEvent::Warning { .. } => {}
            end => return (text, calls, end),
        }
    }
    panic!("an answer has an end");
}

pub(super) fn done(finish: AnswerFinish) -> TurnEvent {
    TurnEvent::Done { finish, usage: None }
}

/// A toolbox of one tool that changes something.
pub(super) struct Hammer(pub(super) Mutex<u32>);

impl Toolbox for Hammer {
    fn tools(&self) -> Vec<ServerTool> {
        let spec = ToolSpec {
            name: "hammer".to_owned(),
            description: String::new(),
            parameters: json!({}),
            strict: None,
        };
        vec![ServerTool { spec, read_only: false }]
    }

    fn briefing(&self) -> BriefingFuture<'_> {
        Box::pin(async { Briefing { text: "You have a hammer.".to_owned(), seen: Vec::new() } })
    }

    fn status(&self, _call: &ToolCall) -> String {
        "Hammering".to_owned()
    }

    fn run(&self, round: ToolRound) -> ToolResultsFuture<'_> {
        *self.0.lock().unwrap() += u32::try_from(round.calls.len()).unwrap();
        Box::pin(async move { round.calls.iter().map(|_| ToolResult::text("bang")).collect() })
    }
}

/// One workspace, `shed`, with a hammer in it.
pub(super) struct Shed(pub(super) Arc<Hammer>);

impl Shed {
    pub(super) fn with_hammer() -> (Arc<Hammer>, Arc<dyn Toolboxes>) {
        let hammer = Arc::new(Hammer(Mutex::new(0)));
        (Arc::clone(&hammer), Arc::new(Self(hammer)))
    }
}

impl Toolboxes for Shed {
    fn open<'a>(&'a self, _: &'a str, workspace: &'a str) -> ToolboxFuture<'a> {
        let hammer = Arc::clone(&self.0);
        Box::pin(async move {
            if workspace == "shed" {
                return Ok(hammer as Arc<dyn Toolbox>);
            }
            Err(RequestError::no_workspace(workspace))
        })
    }
}

pub(super) fn in_shed(request: TurnRequest) -> TurnRequest {
    TurnRequest { workspace: Some("shed".to_owned()), ..request }
}
