//! What the tests of files that models write share: a folder, a model, and sessions on both.

use std::path::PathBuf;
use std::sync::Arc;

use engross_llm::{Event, FinishReason, Message};
use engross_protocol::{CountingIds, FixedClock};
use engross_store::MemoryStore;
use engross_store::files::{Locks, RelPath, Root};
use engross_write::runner::{Config, Limits, WriteService, WriteSessions};
use serde_json::{Value, json};

use super::event::{PositionedEvent, TurnEvent};
use super::log::{LogEvent, WriteReport};
use super::request::TurnRequest;
use super::service_support::{Pieces, ScriptedModel, calls, config, load, request, text, user};
use super::{AnswerStream, Sessions, SessionsConfig, Toolbox, ToolboxFuture, Toolboxes, record};
use crate::writing::{ContentTools, Writer, WritingTools};

/// A desk in a folder, at which a model writes.
pub(super) struct TestBench {
    pub(super) sessions: Sessions,
    pub(super) store: Arc<MemoryStore>,
    pub(super) model: Arc<ScriptedModel>,
    pub(super) writes: WriteService,
    content: ContentTools,
    folder: Arc<tempfile::TempDir>,
}

struct Room(Writer);

impl Toolboxes for Room {
    fn open<'a>(&'a self, _: &'a str, _: &'a str) -> ToolboxFuture<'a> {
        Box::pin(async move { Ok(Arc::new(WritingTools::new(self.0.clone())) as Arc<dyn Toolbox>) })
    }
}

impl TestBench {
    pub(super) fn new(answers: impl IntoIterator<Item = Pieces>) -> Self {
        Self::with(answers, ContentTools::default())
    }

    /// A desk where calls may hold content.
    pub(super) fn with_content_tools(answers: impl IntoIterator<Item = Pieces>) -> Self {
        Self::with(answers, ContentTools { argument: true, free_text: true })
    }

    fn with(answers: impl IntoIterator<Item = Pieces>, content: ContentTools) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self::open(folder, Arc::new(MemoryStore::default()), ScriptedModel::new(answers), content)
    }

    fn open(
        folder: Arc<tempfile::TempDir>,
        store: Arc<MemoryStore>,
        model: Arc<ScriptedModel>,
        content: ContentTools,
    ) -> Self {
        let root = Root::open(folder.path()).unwrap();
        let writes = WriteSessions::new(Config {
            root: root.clone(),
            spool: Some(root.make_folder(&RelPath::parse(".engross-writes").unwrap()).unwrap()),
            reviewer: None,
            locks: Locks::new(),
            clock: Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap())),
            ids: Arc::new(engross_protocol::RandomIds),
            composer: None,
            keeper: None,
            limits: Limits::default(),
        })
        .unwrap();
        assert_eq!(writes.take_up().unwrap(), []);
        let writes = WriteService::new(writes);
        let toolboxes = Arc::new(Room(Writer::new(writes.clone(), Some("room".to_owned()), content)));
        let config =
            SessionsConfig { toolboxes, ids: Arc::new(CountingIds::default()), ..config(&store, &model) };
        Self { sessions: Sessions::new(config), store, model, writes, content, folder }
    }

    /// Another process on the same disk, after one has died that was sent this and asked its model so often.
    pub(super) async fn killed_in(self, request: TurnRequest, asked: usize) -> Self {
        let (kill, killed) = tokio::sync::oneshot::channel::<()>();
        let sessions = self.sessions.clone();
        // With the runtime all its work is gone, wherever it stands.
        let process = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let _heard = sessions.submit(request).await.unwrap();
                let _ = killed.await;
            });
        });
        while self.model.asked().len() < asked {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        kill.send(()).unwrap();
        process.join().unwrap();
        let Self { sessions, store, model, writes, content, folder } = self;
        drop((sessions, writes));
        Self::open(folder, store, model, content)
    }

    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join("room").join(file)
    }

    #[expect(clippy::disallowed_methods, reason = "a test's own file")]
    pub(super) fn put(&self, file: &str, content: &str) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a test's own file")]
    pub(super) fn file(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.path(file)).ok()
    }

    /// Says something, and hears all of the answer.
    pub(super) async fn say(&self, words: &str) -> HeardAnswer {
        self.submit(at_desk(words)).await
    }

    pub(super) async fn submit(&self, request: TurnRequest) -> HeardAnswer {
        hear(self.sessions.submit(request).await.unwrap()).await
    }

    pub(super) async fn log(&self, heard: &HeardAnswer) -> Vec<LogEvent> {
        let log = record::read_log(&*self.store, heard.session).await.unwrap();
        log.into_iter().map(|recorded| recorded.event).collect()
    }

    pub(super) async fn wrote(&self, heard: &HeardAnswer) -> Vec<WriteReport> {
        let log = self.log(heard).await;
        log.into_iter()
            .filter_map(|event| if let LogEvent::Wrote(wrote) = event { Some(wrote) } else { None })
            .collect()
    }

    pub(super) async fn messages(&self, heard: &HeardAnswer) -> Vec<Message> {
        load(&*self.store, heard.session).await.messages
    }

    /// The last message of each question to the model.
    pub(super) fn asked(&self) -> Vec<String> {
        let last = |messages: Vec<Message>| match messages.last() {
            Some(Message::User { content, .. } | Message::Tool { content, .. }) => content.clone(),
            other => panic!("no model is asked with {other:?} at the end"),
        };
        self.model.asked().into_iter().map(last).collect()
    }

    /// The result that the model has read in the end for the call `id`.
    pub(super) async fn result(&self, heard: &HeardAnswer, id: &str) -> (Value, bool) {
        let found = self.messages(heard).await.into_iter().rev().find_map(|message| match message {
            Message::Tool { tool_call_id, content, is_error, .. } if tool_call_id == id => {
                Some((serde_json::from_str(&content).unwrap_or(Value::String(content)), is_error))
            }
            _ => None,
        });
        found.unwrap()
    }
}

pub(super) fn at_desk(words: &str) -> TurnRequest {
    TurnRequest { workspace: Some("room".to_owned()), ..request(vec![user(words)]) }
}

/// What a client heard.
pub(super) struct HeardAnswer {
    pub(super) session: engross_protocol::SessionId,
    pub(super) text: String,
    pub(super) statuses: Vec<(String, super::ToolStep)>,
    pub(super) content: String,
    pub(super) end: TurnEvent,
}

pub(super) async fn hear(mut answer: AnswerStream) -> HeardAnswer {
    let (mut text, mut statuses, mut content) = (String::new(), Vec::new(), String::new());
    while let Some(PositionedEvent { event, .. }) = answer.next().await {
        match event {
            TurnEvent::Text(delta) => text.push_str(&delta),
            TurnEvent::Status { message, step, .. } => statuses.push((message, step)),
            TurnEvent::Content { text, .. } => content.push_str(&text),
            TurnEvent::Call { .. } | TurnEvent::Thinking { .. } | TurnEvent::Warning { .. } => {}
            end => return HeardAnswer { session: answer.session, text, statuses, content, end },
        }
    }
    panic!("an answer has an end");
}

/// A call that begins a file.
pub(super) fn begin(file: &str, operation: &str) -> Pieces {
    begin_with("call_1", &json!({"target_file": file, "operation": operation}))
}

pub(super) fn begin_with(id: &str, arguments: &Value) -> Pieces {
    calls("", &[(id, "WritePlanTool_begin", &arguments.to_string())])
}

/// An answer of this text in pieces of so many bytes, with the label that its host gives it.
pub(super) fn answer(content: &str, piece: usize, finish: FinishReason) -> Pieces {
    let mut pieces = Vec::new();
    let mut rest = content;
    while !rest.is_empty() {
        let at = rest.ceil_char_boundary(piece.min(rest.len()));
        let (now, later) = rest.split_at(at);
        pieces.push(Ok(Event::Text(now.to_owned())));
        rest = later;
    }
    pieces.push(Ok(Event::Finish(finish)));
    pieces
}

/// An answer of text that ends by itself.
pub(super) fn whole(content: &str) -> Pieces {
    answer(content, 7, FinishReason::Stop)
}

pub(super) fn cut(content: &str) -> Pieces {
    answer(content, 7, FinishReason::Length)
}

/// What a model sends that goes on with `file`, which was cut at `at`: the last lines again, and the rest.
pub(super) fn again(file: &str, at: usize) -> &str {
    let mut from = file.floor_char_boundary(at);
    for _ in 0..10 {
        from = file[..file.floor_char_boundary(from.saturating_sub(1))]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
    }
    &file[from..]
}

/// The last words, after the file.
pub(super) fn bye() -> Pieces {
    text("It is written.")
}
