//! The methods of an agent: which is asked for, of which session, and who answers.
//!
//! Must never leave a request without an answer, or end while a turn could still write.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    AuthenticateRequest, AuthenticateResponse, CancelNotification, CloseSessionRequest, CloseSessionResponse,
    DeleteSessionRequest, DeleteSessionResponse, Error as RpcError, ListSessionsRequest,
    ListSessionsResponse, LoadSessionRequest, LoadSessionResponse, NewSessionRequest, NewSessionResponse,
    PromptRequest, PromptResponse, RequestId, ResumeSessionRequest, ResumeSessionResponse, SessionInfo,
    SetSessionModeRequest, SetSessionModeResponse, StopReason,
};
use engross_agent::session::Settings;
use engross_protocol::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::codes;
use super::command::{self, DocumentCommand};
use super::connection::Connection;
use super::host::{EditorHost, PRINCIPAL};
use super::mentioned;
use super::profile::{self, SETUP};
use super::prompt::{self, PersonPrompt, Prompt};
use super::session::{EditorSession, TurnGuard, id_in, id_of, is_id, name_of};
use super::{refusal, replay, turn};
use crate::transport::line::{PipeMessage, keep_reading, keep_writing};
use crate::transport::wire::{self, Message};

/// The most bytes of a message of the editor.
const MESSAGE_BYTES: usize = 64 << 20;

/// Messages that wait, in either direction.
const WAITING: usize = 64;

/// Sessions in a page of a list.
const PAGE: usize = 50;

/// The most characters of a session's title.
const TITLE_LETTERS: usize = 80;

/// How long turns may take to stop when the editor has gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the last words may be on their way.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// An answer, or why there is none.
type Answer = Result<Value, RpcError>;

/// Speaks with an editor until it closes `input`.
pub async fn serve(
    host: Arc<dyn EditorHost>,
    input: impl AsyncRead + Unpin + Send + 'static,
    output: impl AsyncWrite + Unpin + Send + 'static,
) {
    let (lines, said) = mpsc::channel(WAITING);
    let (hear, mut heard) = mpsc::channel(WAITING);
    let (mut writing, mut reading) = (JoinSet::new(), JoinSet::new());
    writing.spawn(keep_writing(output, said));
    reading.spawn(keep_reading(BufReader::new(input), MESSAGE_BYTES, hear));
    let connection = Connection::new(lines);
    let mut server = EditorServer {
        host,
        connection,
        sessions: HashMap::new(),
        turns: TaskTracker::new(),
        is_greeted: false,
    };
    while let Some(message) = heard.recv().await {
        match message {
            PipeMessage::Line(line) => server.line(&line).await,
            PipeMessage::TooLong => {
                let error = refusal::of_code(
                    codes::EDITOR_PROMPT_INVALID,
                    "a message is longer than 64 MiB; name files instead of embedding them",
                );
                server.connection.answer(&RequestId::Null, &Err(error)).await;
                break;
            }
            PipeMessage::End => break,
        }
    }
    reading.abort_all();
    server.leave().await;
    // With the server the last way to the editor is gone, so the writer ends behind what is on its way.
    drop(server);
    let _ = timeout(LAST_WORDS, writing.join_next()).await;
}

/// An agent with one editor.
struct EditorServer {
    host: Arc<dyn EditorHost>,
    connection: Connection,
    sessions: HashMap<String, Arc<EditorSession>>,
    turns: TaskTracker,
    is_greeted: bool,
}

impl EditorServer {
    async fn line(&mut self, line: &[u8]) {
        match wire::parse(line) {
            Ok(Message::Answer(id, answer)) => self.connection.answered(&id, answer),
            Ok(Message::Notification { method, params }) => self.notified(&method, params),
            Ok(Message::Request { id, method, params }) => self.request(id, &method, params).await,
            Err(problem) => {
                let is_json = serde_json::from_slice::<Value>(line).is_ok();
                let base = if is_json { RpcError::invalid_request() } else { RpcError::parse_error() };
                self.connection.answer(&RequestId::Null, &Err(base.data(Value::String(problem)))).await;
            }
        }
    }

    /// What is not known is passed over: a notification has no answer.
    fn notified(&self, method: &str, params: Value) {
        if method == "session/cancel"
            && let Ok(cancel) = serde_json::from_value::<CancelNotification>(params)
            && let Some(session) = self.sessions.get(&*cancel.session_id.0)
        {
            session.cancel();
        }
    }

    async fn request(&mut self, id: RequestId, method: &str, params: Value) {
        if method == "initialize" {
            self.is_greeted = true;
            // Whatever version is asked for, this one is offered; the editor decides.
            return self.connection.answer(&id, &answer_of(&profile::greeting())).await;
        }
        if !self.is_greeted {
            let error =
                refusal::of_code(codes::EDITOR_ORDER_INVALID, format!("'{method}' came before 'initialize'"));
            return self.connection.answer(&id, &Err(error)).await;
        }
        if method == "session/prompt" {
            return self.prompt(id, params).await;
        }
        let mut opened = None;
        let answer = match method {
            "authenticate" => self.authenticate(params),
            "session/new" => self.new_session(params, &mut opened).await,
            "session/load" => self.load(params, &mut opened).await,
            "session/resume" => self.resume(params, &mut opened).await,
            "session/list" => self.list(params).await,
            "session/close" => self.close(params),
            "session/delete" => self.delete(params).await,
            "session/set_mode" => self.set_mode(params),
            _ => Err(RpcError::method_not_found().data(Value::String(method.to_owned()))),
        };
        self.connection.answer(&id, &answer).await;
        // The editor knows the session from here on.
        if let Some(session) = opened {
            self.connection.update(&session, profile::commands()).await;
        }
    }

    fn authenticate(&self, params: Value) -> Answer {
        let request: AuthenticateRequest = read(params)?;
        if &*request.method_id.0 != SETUP {
            let message =
                format!("there is no way to log in called '{}'; there is '{SETUP}'", request.method_id);
            return Err(invalid(&message));
        }
        self.host.check_model().map_err(|failure| refusal::of_failure(&failure))?;
        answer_of(&AuthenticateResponse::new())
    }

    async fn new_session(&mut self, params: Value, opened: &mut Option<String>) -> Answer {
        let request: NewSessionRequest = read(params)?;
        let id = id_of(&self.host.new_name());
        let session = self.open(&id, &request.cwd).await?;
        // It is in the store from its beginning, so that another process of the editor finds it.
        let made = session.opened.sessions.configure(PRINCIPAL, &session.name(), Settings::default()).await;
        made.map_err(|error| refusal::of_request(&error))?;
        let modes = profile::modes(session.mode.name());
        self.sessions.insert(id.clone(), session);
        *opened = Some(id.clone());
        answer_of(&NewSessionResponse::new(id).modes(modes))
    }

    async fn load(&mut self, params: Value, opened: &mut Option<String>) -> Answer {
        let request: LoadSessionRequest = read(params)?;
        let session = self.take_up(&request.session_id.0, &request.cwd).await?;
        let view = session.opened.sessions.get(PRINCIPAL, &session.name()).await;
        let view = view.map_err(|error| refusal::of_request(&error))?;
        for update in replay::updates(&view.session.messages) {
            self.connection.update(&session.id, update).await;
        }
        *opened = Some(session.id.clone());
        answer_of(&LoadSessionResponse::new().modes(profile::modes(session.mode.name())))
    }

    async fn resume(&mut self, params: Value, opened: &mut Option<String>) -> Answer {
        let request: ResumeSessionRequest = read(params)?;
        let session = self.take_up(&request.session_id.0, &request.cwd).await?;
        *opened = Some(session.id.clone());
        answer_of(&ResumeSessionResponse::new().modes(profile::modes(session.mode.name())))
    }

    /// Opens a session that is in the store.
    async fn take_up(&mut self, id: &str, folder: &Path) -> Result<Arc<EditorSession>, RpcError> {
        if self.sessions.get(id).is_some_and(|session| session.runs()) {
            return Err(busy());
        }
        let known = is_id(id) && self.has(id).await?;
        if !known {
            return Err(refusal::no_session(id));
        }
        let session = self.open(id, folder).await?;
        self.sessions.insert(id.to_owned(), Arc::clone(&session));
        Ok(session)
    }

    async fn has(&self, id: &str) -> Result<bool, RpcError> {
        let has = self.host.stored().has(PRINCIPAL, &name_of(id)).await;
        has.map_err(|error| refusal::of_request(&error))
    }

    async fn open(&self, id: &str, folder: &Path) -> Result<Arc<EditorSession>, RpcError> {
        let (host, id, folder) = (Arc::clone(&self.host), id.to_owned(), folder.to_owned());
        let opened = tokio::task::spawn_blocking(move || EditorSession::open(&*host, &id, &folder)).await;
        match opened {
            Ok(opened) => opened.map_err(|failure| refusal::of_failure(&failure)),
            Err(_) => Err(RpcError::internal_error()),
        }
    }

    async fn list(&self, params: Value) -> Answer {
        let request: ListSessionsRequest = read(params)?;
        let start = match &request.cursor {
            None => 0,
            Some(cursor) => cursor
                .parse::<usize>()
                .map_err(|_| invalid("the cursor is none that this agent has given"))?,
        };
        let all = self.host.stored().list(PRINCIPAL, start.saturating_add(PAGE + 1)).await;
        let all = all.map_err(|error| refusal::of_request(&error))?;
        let has_more = all.len() > start.saturating_add(PAGE);
        let rows = all.into_iter().skip(start).take(PAGE).filter_map(|line| {
            let id = id_in(&line.key)?.to_owned();
            let folder = line.workspace?;
            if request.cwd.as_ref().is_some_and(|cwd| *cwd != Path::new(&folder)) {
                return None;
            }
            let changed = Timestamp::from_millis(line.changed).to_string();
            let words = prompt::words_of_person(&line.message);
            let title: String = words.split_whitespace().collect::<Vec<_>>().join(" ");
            let title: String = title.chars().take(TITLE_LETTERS).collect();
            Some(SessionInfo::new(id, folder).title(title).updated_at(changed))
        });
        let response = ListSessionsResponse::new(rows.collect());
        let cursor = has_more.then(|| (start + PAGE).to_string());
        answer_of(&response.next_cursor(cursor))
    }

    fn close(&mut self, params: Value) -> Answer {
        let request: CloseSessionRequest = read(params)?;
        match self.sessions.remove(&*request.session_id.0) {
            None => Err(refusal::no_session(&request.session_id.0)),
            Some(session) => {
                session.cancel();
                answer_of(&CloseSessionResponse::new())
            }
        }
    }

    async fn delete(&mut self, params: Value) -> Answer {
        let request: DeleteSessionRequest = read(params)?;
        let id = request.session_id.0.to_string();
        let open = self.sessions.remove(&id);
        let known = is_id(&id) && self.has(&id).await?;
        if !known {
            return Err(refusal::no_session(&id));
        }
        // Who has it open cancels its turn.
        let sessions = open.as_ref().map_or(self.host.stored(), |session| &session.opened.sessions);
        let deleted = sessions.delete(PRINCIPAL, &name_of(&id)).await;
        deleted.map_err(|error| refusal::of_request(&error))?;
        answer_of(&DeleteSessionResponse::new())
    }

    fn set_mode(&self, params: Value) -> Answer {
        let request: SetSessionModeRequest = read(params)?;
        let session = self.session(&request.session_id.0)?;
        if !session.mode.set(&request.mode_id.0) {
            return Err(invalid("there is no such mode; there are 'suggest' and 'apply'"));
        }
        answer_of(&SetSessionModeResponse::new())
    }

    fn session(&self, id: &str) -> Result<&Arc<EditorSession>, RpcError> {
        self.sessions.get(id).ok_or_else(|| refusal::no_session(id))
    }

    /// Begins a turn, which answers by itself.
    async fn prompt(&self, id: RequestId, params: Value) {
        match self.begin(params) {
            Err(error) => self.connection.answer(&id, &Err(error)).await,
            Ok((session, guard, prompt)) => {
                let connection = self.connection.clone();
                let call = id_of(&self.host.new_name());
                self.turns.spawn(async move {
                    let ended = carry_out(&session, &connection, &call, prompt, &guard).await;
                    drop(guard);
                    let answer = ended.and_then(|reason| answer_of(&PromptResponse::new(reason)));
                    connection.answer(&id, &answer).await;
                });
            }
        }
    }

    fn begin(&self, params: Value) -> Result<(Arc<EditorSession>, TurnGuard, PersonPrompt), RpcError> {
        let request: PromptRequest = read(params)?;
        let session = self.session(&request.session_id.0)?;
        let prompt = prompt::read(&request.prompt, &session.folder)?;
        let guard = session.begin().ok_or_else(busy)?;
        Ok((Arc::clone(session), guard, prompt))
    }

    /// Stops what runs, and waits until nothing can be written any more.
    async fn leave(&self) {
        for session in self.sessions.values() {
            session.cancel();
        }
        self.connection.hang_up();
        self.turns.close();
        let _ = timeout(PATIENCE, self.turns.wait()).await;
        for session in self.sessions.values() {
            session.opened.sessions.drain(Duration::ZERO).await;
        }
    }
}

async fn carry_out(
    session: &EditorSession,
    connection: &Connection,
    call: &str,
    PersonPrompt { prompt, files }: PersonPrompt,
    guard: &TurnGuard,
) -> Result<StopReason, RpcError> {
    let command = match prompt {
        Prompt::Message { text, system } => {
            let mut system = system.map(str::to_owned);
            let workspace = session.opened.workspace.clone();
            let looked = tokio::task::spawn_blocking(move || mentioned::problems(&files, &workspace)).await;
            let problems = looked.unwrap_or_default().join(" ");
            if !problems.is_empty() {
                let words = super::progress::text_chunk(&format!("{problems}\n\n"));
                let shown = agent_client_protocol_schema::v1::SessionUpdate::AgentMessageChunk(words);
                connection.update(&session.id, shown).await;
                let told = format!("{problems} Edit no other document in its place.");
                system = Some(system.map_or(told.clone(), |system| format!("{system}\n\n{told}")));
            }
            return turn::run(session, connection, (text, system), &guard.cancelled).await;
        }
        Prompt::Incomplete(what) => {
            let words = super::progress::text_chunk(what);
            let shown = agent_client_protocol_schema::v1::SessionUpdate::AgentMessageChunk(words);
            connection.update(&session.id, shown).await;
            return Ok(StopReason::EndTurn);
        }
        Prompt::Compare(files) => DocumentCommand::Compare(files),
        Prompt::Accept(files) => DocumentCommand::Accept(files),
    };
    command::run(session, connection, call, command, &guard.cancelled).await
}

/// The parameters of a method.
fn read<T: DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    serde_json::from_value(params).map_err(|error| invalid(&error.to_string()))
}

fn answer_of(response: &impl Serialize) -> Answer {
    serde_json::to_value(response).map_err(|_| RpcError::internal_error())
}

fn invalid(message: &str) -> RpcError {
    refusal::of_code(codes::EDITOR_PARAMS_INVALID, message)
}

fn busy() -> RpcError {
    let message = "a turn of this session runs; wait for its end, or send session/cancel";
    refusal::of_code(codes::EDITOR_SESSION_BUSY, message)
}
