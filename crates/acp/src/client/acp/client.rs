//! Speaks with an initialised agent process: requests and their answers, sessions.
//!
//! Must never wait without a limit, nor take an answer for one to another request.

use std::path::Path;
use std::time::Duration;

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AuthMethod, ClientCapabilities, Error as RpcError, ErrorCode, FileSystemCapabilities, Implementation,
    InitializeRequest, InitializeResponse, LoadSessionRequest, LoadSessionResponse, NewSessionRequest,
    NewSessionResponse, RequestId, ResumeSessionRequest, ResumeSessionResponse, SessionConfigOption,
    SessionId,
};
use engross_sandbox::WatchVerdict;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::client::error::{AgentFault, shown};
use crate::client::limits::Limits;
use crate::client::process::{Launch, Process, WatchedProcesses};
use crate::transport::line::{PipeMessage, Pipes};
use crate::transport::wire::{self, Message};

/// How long the last words of a process may be on their way when it has ended.
const WORDS: Duration = Duration::from_millis(50);

/// How often it is looked whether a process that says nothing is still there.
const LOOK: Duration = Duration::from_millis(250);

/// A process that has been greeted. Dropping it kills it.
pub(in crate::client) struct Client {
    process: Process,
    /// Whether it can write for one run only.
    is_fenced: bool,
    gap: Option<String>,
    line: Pipes,
    about: InitializeResponse,
    next: i64,
    noise: usize,
    limits: Limits,
}

/// A session in a process.
#[derive(Debug, Clone)]
pub(in crate::client) struct Session {
    pub(super) id: SessionId,
    pub(super) options: Vec<SessionConfigOption>,
}

impl Session {
    pub(in crate::client) fn id(&self) -> &str {
        &self.id.0
    }
}

impl Client {
    /// Starts a process and greets it.
    ///
    /// # Errors
    /// [`AgentFault::Start`], [`AgentFault::Slow`], [`AgentFault::Protocol`], [`AgentFault::FrameTooLarge`].
    pub(in crate::client) async fn start(launch: &Launch, limits: &Limits) -> Result<Self, AgentFault> {
        let started = Process::start(launch);
        let (process, input, output) = started.map_err(|error| AgentFault::Start {
            problem: format!("`{}`: {error}", launch.program.display()),
        })?;
        let line = Pipes::new(input, output, limits.message);
        let about = InitializeResponse::new(ProtocolVersion::V1);
        let is_fenced = launch.supervised.as_ref().is_some_and(|one| one.fence.is_some());
        let gap = launch.gap.clone();
        let mut client =
            Self { process, is_fenced, gap, line, about, next: 0, noise: 0, limits: limits.clone() };
        let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(true);
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().fs(files).terminal(false))
            .client_info(Implementation::new("engross", env!("CARGO_PKG_VERSION")));
        let about: InitializeResponse =
            client.call("initialize", &hello, limits.start).await.map_err(|fault| match fault {
                AgentFault::Exited { said } => {
                    AgentFault::Start { problem: format!("it ended at once{said}") }
                }
                fault => fault,
            })?;
        if about.protocol_version != ProtocolVersion::V1 {
            return Err(AgentFault::protocol(format!("it wants version {}", about.protocol_version)));
        }
        client.about = about;
        Ok(client)
    }

    /// Whether it can be used. What it said meanwhile is dropped.
    pub(in crate::client) fn is_usable(&mut self) -> bool {
        loop {
            match self.line.heard() {
                None => return !self.process.has_ended(),
                Some(PipeMessage::Line(_)) => {}
                Some(PipeMessage::TooLong | PipeMessage::End) => return false,
            }
        }
    }

    /// Whether it is fenced in, for one run.
    pub(in crate::client) fn is_fenced(&self) -> bool {
        self.is_fenced
    }

    /// What of its sandbox is not there, for people.
    pub(in crate::client) fn gap(&self) -> Option<&str> {
        self.gap.as_deref()
    }

    /// Whether a session can be taken up again, in another process or with another folder.
    pub(in crate::client) fn takes_up(&self) -> bool {
        let can = &self.about.agent_capabilities;
        can.load_session || can.session_capabilities.resume.is_some()
    }

    /// Makes a session that works in `folder`.
    ///
    /// # Errors
    /// [`AgentFault::Login`], [`AgentFault::Refused`] and what a broken process brings.
    pub(in crate::client) async fn open(&mut self, folder: &Path) -> Result<Session, AgentFault> {
        let request = NewSessionRequest::new(folder);
        let response: NewSessionResponse = self.call("session/new", &request, self.limits.session).await?;
        Ok(Session { id: response.session_id, options: response.config_options.unwrap_or_default() })
    }

    /// Takes up the session `id`, which works in `folder` from now on. What was said in it before is not told again.
    ///
    /// # Errors
    /// [`AgentFault::Continuation`] when it does not know it or cannot do so, else as [`Client::open`].
    pub(in crate::client) async fn take_up(
        &mut self,
        id: &str,
        folder: &Path,
    ) -> Result<Session, AgentFault> {
        let limit = self.limits.session;
        let options = if self.about.agent_capabilities.session_capabilities.resume.is_some() {
            let request = ResumeSessionRequest::new(id.to_owned(), folder);
            let response = self.call::<_, ResumeSessionResponse>("session/resume", &request, limit).await;
            response.map(|response| response.config_options)
        } else if self.about.agent_capabilities.load_session {
            let request = LoadSessionRequest::new(id.to_owned(), folder);
            let response = self.call::<_, LoadSessionResponse>("session/load", &request, limit).await;
            response.map(|response| response.config_options)
        } else {
            return Err(AgentFault::Continuation { reason: "it cannot take up a session".to_owned() });
        };
        let options = options.map_err(|fault| match fault {
            AgentFault::Refused { problem, .. } => AgentFault::Continuation { reason: problem },
            fault => fault,
        })?;
        Ok(Session { id: SessionId::new(id.to_owned()), options: options.unwrap_or_default() })
    }

    /// What of it is alive, as far as it counts for [`Client::end_orphans`].
    pub(in crate::client) fn watched(&self) -> WatchedProcesses {
        self.process.watched()
    }

    /// Ends what was started since `before` and has lost its parent: nobody but the turn that started it wants it.
    pub(in crate::client) fn end_orphans(&self, before: &WatchedProcesses) {
        self.process.end_orphans(before);
    }

    /// Ends the process and all that it started.
    pub(in crate::client) async fn stop(self) {
        self.process.stop(self.limits.stop).await;
    }

    /// Sends a request and waits for its answer; what comes before it is passed over.
    pub(super) async fn call<Q: Serialize, A: DeserializeOwned>(
        &mut self,
        method: &'static str,
        params: &Q,
        limit: Duration,
    ) -> Result<A, AgentFault> {
        let id = self.ask(method, params)?;
        let answer = timeout(limit, async {
            loop {
                match self.hear().await? {
                    Message::Answer(of, answer) if of == id => return Ok(answer),
                    Message::Answer(..) => self.count_noise("it answered what it was not asked")?,
                    Message::Request { id, .. } => self.reply(&id, &Err(RpcError::method_not_found()))?,
                    Message::Notification { .. } => {}
                }
            }
        });
        let Ok(answer) = answer.await else {
            return Err(AgentFault::Slow { method, limit, said: self.process.words().in_brackets() });
        };
        let value = answer?.map_err(|error| self.refused(method, &error))?;
        // Some answers with nothing in them are sent as null.
        let value = if value.is_null() { Value::Object(serde_json::Map::new()) } else { value };
        serde_json::from_value(value).map_err(|error| {
            AgentFault::protocol(shown(&format!("its answer to {method} cannot be read: {error}")))
        })
    }

    /// Sends a request; its answer comes among the messages.
    pub(super) fn ask(&mut self, method: &str, params: &impl Serialize) -> Result<RequestId, AgentFault> {
        let id = self.next;
        self.next += 1;
        self.say(wire::request(id, method, params))?;
        Ok(RequestId::Number(id))
    }

    pub(super) fn tell(&self, method: &str, params: &impl Serialize) -> Result<(), AgentFault> {
        self.say(wire::notification(method, params))
    }

    pub(super) fn reply(&self, id: &RequestId, result: &Result<Value, RpcError>) -> Result<(), AgentFault> {
        self.say(wire::answer(id, result))
    }

    fn say(&self, line: Vec<u8>) -> Result<(), AgentFault> {
        self.line.say(line).map_err(|_| AgentFault::protocol("it does not read what it is sent"))
    }

    /// The next message. It loses nothing when it is given up before the end.
    pub(super) async fn hear(&mut self) -> Result<Message, AgentFault> {
        loop {
            match self.hear_line().await {
                PipeMessage::Line(line) => match wire::parse(&line) {
                    Ok(message) => return Ok(message),
                    Err(problem) => self.count_noise(&problem)?,
                },
                PipeMessage::TooLong => return Err(AgentFault::FrameTooLarge { limit: self.limits.message }),
                PipeMessage::End => {
                    sleep(WORDS).await;
                    if let Some(fault) = self.verdict().await {
                        return Err(fault);
                    }
                    return Err(AgentFault::Exited { said: self.process.words().in_brackets() });
                }
            }
        }
    }

    /// What the one who watches over the process says of its end. It says so when nothing is left of the process.
    async fn verdict(&mut self) -> Option<AgentFault> {
        const PATIENCE: Duration = Duration::from_secs(2);
        let until = Instant::now() + PATIENCE;
        while !self.process.has_ended() && Instant::now() < until {
            sleep(WORDS).await;
        }
        Some(match self.process.verdict()? {
            WatchVerdict::Unavailable => AgentFault::Sandbox { problem: self.process.words().line() },
            WatchVerdict::Files => AgentFault::Quota { what: "files" },
            WatchVerdict::Bytes => AgentFault::Quota { what: "bytes" },
            WatchVerdict::Processes => AgentFault::Quota { what: "processes" },
        })
    }

    /// The next line. A process that is gone is noticed also when one that it started holds its output open.
    async fn hear_line(&mut self) -> PipeMessage {
        loop {
            match timeout(LOOK, self.line.hear()).await {
                Ok(heard) => return heard,
                Err(_) if self.process.has_ended() => return self.line.heard().unwrap_or(PipeMessage::End),
                Err(_) => {}
            }
        }
    }

    /// Some agents print a word or two where messages belong; one that does nothing else is given up.
    pub(super) fn count_noise(&mut self, problem: &str) -> Result<(), AgentFault> {
        self.noise += 1;
        if self.noise > self.limits.noise {
            return Err(AgentFault::protocol(shown(problem)));
        }
        Ok(())
    }

    pub(super) fn refused(&self, method: &'static str, error: &RpcError) -> AgentFault {
        // The number is also everybody's for any error of a server: one that offers no login asks for none.
        if error.code == ErrorCode::AuthRequired && !self.about.auth_methods.is_empty() {
            let names: Vec<&str> = self.about.auth_methods.iter().map(AuthMethod::name).collect();
            let words = shown(&error.message);
            let said = if words.is_empty() { String::new() } else { format!(": {words}") };
            return AgentFault::Login { methods: shown(&names.join(", ")), said };
        }
        let data = error.data.as_ref().map(|data| match data {
            Value::String(text) => format!(": {text}"),
            other => format!(": {other}"),
        });
        let problem = shown(&format!("{}{}", error.message, data.unwrap_or_default()));
        AgentFault::Refused { method, problem }
    }
}
