//! The session that a chat is about, and what can be asked of it.
//!
//! Must never print: the terminal and the pipe say what came of it, each in its way.

use std::sync::Arc;
use std::time::Duration;

use engross_agent::session::{
    AnswerStream, RequestError, SessionLine, SessionName, SessionView, Sessions, TurnRequest,
};
use engross_llm::{Message, Model, Usage};
use engross_protocol::{Exit, Failure};
use tokio_util::task::TaskTracker;

use super::document::ChatDocument;
use super::requests::{AGENT, refusal};
use super::written::WrittenFiles;
use engross_compose::sessions::SessionParts;

/// What the workspace of a chat without a document is called.
const FILES: &str = "files";

/// Sessions that are listed.
const LISTED: usize = 12;

/// The end of an answer on its way: a task that runs whether or not anyone waits for it.
pub(super) struct Stopping(tokio::task::JoinHandle<Result<bool, RequestError>>);

impl Stopping {
    /// Waits until the end is durable. Can be broken off and called again, until it has given its result.
    pub(super) async fn finish(&mut self) -> Result<(), RequestError> {
        match (&mut self.0).await {
            // That there was nothing to stop any more is no failure, and a task is only broken off with the program.
            Ok(Ok(_)) | Err(_) => Ok(()),
            Ok(Err(error)) => Err(error),
        }
    }
}

/// A chat's session.
pub(super) struct Conversation {
    parts: SessionParts,
    sessions: Sessions,
    key: String,
    pub(super) document: Option<ChatDocument>,
    /// The model's name.
    pub(super) spec: String,
}

impl Conversation {
    pub(super) fn new(
        parts: SessionParts,
        model: Arc<dyn Model>,
        key: String,
        document: Option<ChatDocument>,
    ) -> Self {
        let spec = model.info().spec;
        Self { sessions: parts.open(model), parts, key, document, spec }
    }

    fn name(&self) -> SessionName {
        SessionName::Named(self.key.clone())
    }

    /// The session's name as people write it.
    pub(super) fn short_key(&self) -> &str {
        self.key.strip_prefix(AGENT).unwrap_or(&self.key)
    }

    fn workspace(&self) -> &str {
        self.document.as_ref().map_or(FILES, ChatDocument::name)
    }

    /// The session as it stands; `None` when it has not begun.
    pub(super) async fn view(&self) -> Result<Option<SessionView>, Failure> {
        match self.sessions.get("", &self.name()).await {
            Ok(view) => Ok(Some(view)),
            Err(error) if error.code == "SESSION_UNKNOWN" => Ok(None),
            Err(error) => Err(refusal(&error)),
        }
    }

    /// Sends a message; the answer follows.
    pub(super) async fn send(&self, text: String) -> Result<AnswerStream, RequestError> {
        self.submit(vec![Message::user(text)], false).await
    }

    async fn submit(&self, messages: Vec<Message>, is_whole: bool) -> Result<AnswerStream, RequestError> {
        let request = TurnRequest {
            key: Some(self.name()),
            messages,
            is_whole,
            // What a client over HTTP once offered cannot be carried out here.
            tools: Some(Vec::new()),
            workspace: Some(self.workspace().to_owned()),
            ..TurnRequest::default()
        };
        self.sessions.submit(request).await
    }

    /// Has the model read a message with its next question, while an answer is made.
    pub(super) async fn steer(&self, text: String) -> Result<bool, RequestError> {
        self.sessions.steer("", &self.name(), text).await
    }

    /// Stops the answer that is being made.
    ///
    /// It waits for its turn at the session's log, and the answer hands its end on to what waits there. A future that nobody polls
    /// would keep both for ever, so it is a task.
    pub(super) fn stop(&self) -> Stopping {
        let (sessions, name) = (self.sessions.clone(), self.name());
        Stopping(TaskTracker::new().spawn(async move { sessions.cancel("", &name).await }))
    }

    /// Asks for another answer to the last message; `None` when there is none. The first answer leaves the conversation.
    pub(super) async fn retry(&self) -> Result<Option<AnswerStream>, Failure> {
        let Some(view) = self.view().await? else { return Ok(None) };
        let mut messages = view.session.messages;
        let last = messages.iter().rposition(|message| matches!(message, Message::User { .. }));
        let Some(last) = last else { return Ok(None) };
        messages.truncate(last + 1);
        self.submit(messages, true).await.map(Some).map_err(|error| refusal(&error))
    }

    /// Takes back the last file of the session that is not taken back yet, and gives its name.
    pub(super) async fn undo_file(&self, files: &WrittenFiles) -> Result<Option<String>, Failure> {
        let Some(view) = self.view().await? else { return Ok(None) };
        let files = files.clone();
        let taken = tokio::task::spawn_blocking(move || files.take_back(&view.session.messages)).await;
        taken.unwrap_or_else(|_| {
            Err(Failure::new(Exit::Io, "SERVER_STOPPING", "the undoing was broken off; try again"))
        })
    }

    /// Goes on with another model.
    pub(super) async fn set_model(&mut self, model: Arc<dyn Model>) {
        self.spec = model.info().spec;
        let before = std::mem::replace(&mut self.sessions, self.parts.open(model));
        before.drain(Duration::ZERO).await;
    }

    /// The sessions that this chat can go on with, the newest first.
    pub(super) async fn list(&self) -> Result<Vec<SessionLine>, Failure> {
        let all = self.sessions.list("", 10 * LISTED).await.map_err(|error| refusal(&error))?;
        let fits = |line: &SessionLine| line.workspace.as_deref().is_none_or(|name| name == self.workspace());
        Ok(all.into_iter().filter(fits).take(LISTED).collect())
    }

    /// Goes on with the session of that canonical key.
    pub(super) fn resume(&mut self, key: String) {
        self.key = key;
    }

    /// The tokens that the session has used.
    pub(super) async fn usage(&self) -> Result<Usage, Failure> {
        match self.sessions.usage("", &self.name()).await {
            Ok(usage) => Ok(usage),
            Err(error) if error.code == "SESSION_UNKNOWN" => Ok(Usage::default()),
            Err(error) => Err(refusal(&error)),
        }
    }

    /// Stops what runs.
    pub(super) async fn close(&self) {
        self.sessions.drain(Duration::ZERO).await;
    }
}
