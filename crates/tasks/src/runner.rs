//! The one trait between runs and the agents that carry them out.
//!
//! Must never know how an agent is reached, nor what becomes of its files: that is decided by the run.

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use engross_store::Millis;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use engross_artifacts::{RunId, SessionKey};

use crate::codes;
use crate::sandbox_request::SandboxRequest;

/// An answer of an agent that is still to come.
pub type RunnerFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The id of a provider, such as `codex`: 1 to 64 lower-case letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProviderId(String);

impl ProviderId {
    /// Checks `text`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        let good =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
        if (1..=64).contains(&text.len()) && text.bytes().all(good) {
            Ok(Self(text))
        } else {
            Err("a provider is named by 1 to 64 lower-case letters, digits, - and _".to_owned())
        }
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ProviderId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::new(text)
    }
}

impl From<ProviderId> for String {
    fn from(id: ProviderId) -> Self {
        id.0
    }
}

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a provider is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It can be given turns.
    Ready,
    /// It is not installed, or not set up. `help` says what would bring it, such as a command.
    Missing {
        /// What to do.
        help: String,
    },
    /// It is there and does not work.
    Failing {
        /// What it says.
        message: String,
    },
}

/// What an agent may do without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// A person is asked; this is the default.
    #[default]
    Ask,
    /// Everything is allowed.
    Allow,
    /// What has to be asked for is refused.
    Deny,
}

/// Variables of somebody who looks on at a task: those that an agent may see, and their values.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct ViewerEnvironment(pub Vec<(String, String)>);

impl fmt::Debug for ViewerEnvironment {
    // A value may be a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// A file that came with the request, already on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, as the person gave it.
    pub name: String,
    /// Its media type; empty when nobody says.
    pub mime_type: String,
    /// Where it is, beneath the run's scope. It is removed when the turn ends.
    pub path: PathBuf,
}

/// One turn of an agent: a prompt, and where it is to work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Whose it is. Two principals with one thread are two threads.
    pub principal: String,
    /// The thread. An agent that keeps a conversation keeps it by principal and thread.
    pub thread: String,
    /// The key of the thread's session at a gateway; never the thread itself.
    pub session_key: SessionKey,
    /// The run.
    pub run: RunId,
    /// The turn; also good as the key of an idempotent request.
    pub turn: String,
    /// All that the agent is told.
    pub prompt: String,
    /// What of it the person wrote.
    pub user_text: String,
    /// Whether the thread had turns before which the agent must know of. If it does not, the turn fails with
    /// [`AgentError::continuation`]; it is never begun anew silently.
    pub continues: bool,
    /// What the agent called the session of those turns, in its last [`AgentEvent::Started`]; only of a turn that continues.
    pub conversation: Option<String>,
    /// The scope of the run: absolute, and the only folder that the agent is to write to.
    pub directory: PathBuf,
    /// The `XWORKMATE_…` names.
    pub environment: Vec<(String, String)>,
    /// Files of the request.
    pub attachments: Vec<Attachment>,
    /// The model, if one is asked for.
    pub model: Option<String>,
    /// What it may do without asking.
    pub permissions: Policy,
    /// What was asked of the sandbox around it.
    pub sandbox: SandboxRequest,
    /// The environment of the one who asked for it, which the agent is given instead of ours; nothing where tasks do not wait for
    /// somebody to look on.
    pub viewer: Option<Arc<ViewerEnvironment>>,
    /// When the run stops waiting, in milliseconds since 1970. The run sees to it; an agent may use it to hurry.
    pub deadline: Millis,
}

/// An answer that a person may give to an agent's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    /// Its id, as the agent gave it.
    #[serde(rename = "optionId")]
    pub id: String,
    /// `allow_once`, `allow_always`, `reject_once` or `reject_always`.
    pub kind: String,
    /// For people.
    pub name: String,
}

/// A step of an agent's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanStep {
    /// What is to be done.
    pub content: String,
    /// `pending`, `in_progress` or `completed`.
    pub status: String,
}

/// What an agent tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentEvent {
    /// It has begun. Sent once, before everything else.
    Started {
        /// What it calls the session, if it says.
        agent_session: Option<String>,
    },
    /// A piece of its answer: to be appended, blanks and all.
    Text(String),
    /// A piece of its thinking.
    Thought(String),
    /// A tool is used, or has got on. The same `id` means the same use.
    Tool {
        /// Which use.
        id: String,
        /// For people.
        title: String,
        /// `read`, `edit`, `execute` and so on; empty when it does not say.
        kind: String,
        /// `pending`, `in_progress`, `completed` or `failed`.
        status: String,
    },
    /// Its plan as it stands now; it replaces the one before.
    Plan(Vec<PlanStep>),
    /// Something about it that is not as it should be, and does not end the turn.
    Warning(String),
    /// It asks whether it may do something, and waits for [`Control::answer`].
    Permission {
        /// Which question; unique within the turn.
        id: String,
        /// What it is about, for people.
        tool: String,
        /// The answers it takes.
        options: Vec<PermissionOption>,
    },
    /// Files outside the scope that its answer names explicitly.
    Files(Vec<String>),
    /// The line to it is broken, with a code, while its work may go on; or is good again.
    Degraded(Option<String>),
    /// It is over. Sent once, last; what comes later is ignored. A channel that closes without it means that the agent is
    /// gone.
    Ended(TurnEnd),
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    /// How.
    pub how: How,
    /// Its final words where it tells them apart; otherwise the pieces are.
    pub text: Option<String>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It was done.
    Completed,
    /// It ended and does not say whether it was done: text or files speak for it.
    Unstated,
    /// It failed.
    Failed {
        /// Stable code.
        code: String,
        /// For people.
        message: String,
    },
    /// It was cancelled.
    Cancelled,
}

/// Why an agent does not take a turn, or does not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AgentError {
    /// Stable code, such as `PROVIDER_UNAVAILABLE`.
    pub code: String,
    /// What is wrong, and what to do.
    pub message: String,
}

impl AgentError {
    /// An error.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }

    /// What was asked of the sandbox cannot be enforced.
    #[must_use]
    pub fn unfenced(reason: &str) -> Self {
        Self::new(
            codes::SANDBOX_UNAVAILABLE.name,
            format!("what was asked of the sandbox cannot be enforced: {reason}; leave it out"),
        )
    }

    /// The agent does not know the conversation that is to go on.
    #[must_use]
    pub fn continuation(reason: &str) -> Self {
        Self::new(
            codes::SESSION_CONTINUATION_UNAVAILABLE.name,
            format!("the agent does not have this conversation any more ({reason}): start a new session"),
        )
    }
}

/// What an agent says to a request to stop. It is repeated to the person as it is; that the work has stopped is known only
/// from [`AgentEvent::Ended`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelReceipt {
    /// The request that was sent, such as `chat.abort` or `session/cancel`.
    pub method: &'static str,
    /// Whether the agent says that something is being stopped.
    pub aborted: bool,
    /// The runs it names.
    pub runs: Vec<String>,
}

/// How a turn that is under way is influenced.
pub trait Control: Send + Sync {
    /// Asks the agent to stop.
    ///
    /// # Errors
    /// When it cannot be asked, or does not confirm.
    fn cancel(&self) -> RunnerFuture<'_, Result<CancelReceipt, AgentError>>;

    /// Answers the question `permission` with one of its options, or denies it.
    fn answer(&self, permission: &str, option: Option<&str>);
}

/// A turn that is under way. Dropping it ends the turn and everything that belongs to it, processes too.
pub struct RunningTurn {
    /// What the agent tells.
    pub events: mpsc::Receiver<AgentEvent>,
    /// How it is influenced.
    pub control: Arc<dyn Control>,
}

/// Carries out turns: an agent, or a gateway to some.
pub trait TaskRunner: Send + Sync {
    /// How it is now. It may be remembered for some seconds.
    fn health(&self) -> RunnerFuture<'_, Health>;

    /// Begins a turn. Of two turns of one thread the second comes only when the first is over.
    ///
    /// # Errors
    /// When it does not begin.
    fn start(&self, turn: Turn) -> RunnerFuture<'_, Result<RunningTurn, AgentError>>;

    /// Goes on with a turn that was begun before this process was: `None`, the default, when that cannot be. `agent_session`
    /// is what the agent called the session.
    ///
    /// # Errors
    /// As [`TaskRunner::start`].
    fn resume(
        &self,
        turn: Turn,
        agent_session: Option<String>,
    ) -> RunnerFuture<'_, Result<Option<RunningTurn>, AgentError>> {
        drop((turn, agent_session));
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Whether a turn may be begun once more under its name, since the one who has it already goes on with it. Such a turn is resumed
    /// also where nobody knows whether it was begun.
    fn knows_turns(&self) -> bool {
        false
    }

    /// Whether it is given the environment of the one who asked for a task.
    fn takes_environment(&self) -> bool {
        false
    }

    /// Forgets the conversation of a thread.
    fn close(&self, principal: &str, thread: &str) -> RunnerFuture<'_, ()>;
}
