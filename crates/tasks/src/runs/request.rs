//! What a run was asked to do, as it is kept.
//!
//! Must never be guessed from a prompt: what a request does not say has the one default that is written here.

use std::collections::BTreeMap;

use engross_store::Millis;
use serde::{Deserialize, Serialize};

use crate::runner::{Policy, ProviderId};
use crate::sandbox_request::SandboxRequest;
use engross_artifacts::{Requirements, RunId, SessionKey};

/// A minute in milliseconds.
const MINUTE: Millis = 60_000;

/// The longest budget of a run, in milliseconds: a day.
pub const LONGEST_BUDGET: Millis = 24 * 60 * MINUTE;

/// Where a run is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// By an agent of this machine.
    Agent,
    /// By a gateway, whose lane has few places.
    Gateway,
}

impl Target {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Gateway => "gateway",
        }
    }
}

/// How long a task is expected to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadClass {
    /// 10 minutes.
    ShortTask,
    /// 30 minutes; what holds when the request does not say.
    #[default]
    LongTask,
    /// 60 minutes.
    ComplexChainTask,
}

impl LoadClass {
    /// The class of this name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "short_task" => Some(Self::ShortTask),
            "long_task" => Some(Self::LongTask),
            "complex_chain_task" | "complex_long_chain_task" => Some(Self::ComplexChainTask),
            _ => None,
        }
    }

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ShortTask => "short_task",
            Self::LongTask => "long_task",
            Self::ComplexChainTask => "complex_chain_task",
        }
    }

    /// Its budget in milliseconds.
    #[must_use]
    pub fn budget(self) -> Millis {
        match self {
            Self::ShortTask => 10 * MINUTE,
            Self::LongTask => 30 * MINUTE,
            Self::ComplexChainTask => 60 * MINUTE,
        }
    }
}

/// Which files a run has to deliver.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Contract {
    /// Whether files are asked for in general.
    pub export: bool,
    /// Extensions of which there must be a file.
    pub extensions: Vec<String>,
    /// How many files there must be of an extension.
    pub counts: BTreeMap<String, u64>,
    /// Folders that are expected, as they were given: hints.
    pub expected_dirs: Vec<String>,
    /// Whether files are delivered, too, that agents keep for themselves and programs act on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub include_hidden: bool,
}

impl Contract {
    /// What the files are judged by.
    #[must_use]
    pub fn requirements(&self) -> Requirements {
        let counts = self.counts.iter().map(|(extension, count)| (extension.as_str(), *count));
        Requirements::new(self.extensions.iter().map(String::as_str), counts).with_hidden(self.include_hidden)
    }
}

/// What everything that is said of a run carries: who it is, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestContext {
    /// The run.
    pub run: RunId,
    /// The turn.
    pub turn: String,
    /// The session, as the client calls it.
    pub session_id: String,
    /// The thread.
    pub thread: String,
    /// The key of the thread's session.
    pub session_key: SessionKey,
    /// Where it is carried out.
    pub target: Target,
    /// By whom.
    pub provider: ProviderId,
    /// The model that was asked for.
    pub model: Option<String>,
    /// Skills that were asked for.
    pub skills: Vec<String>,
    /// Its class.
    pub class: LoadClass,
    /// How long it may run, in milliseconds.
    pub budget: Millis,
    /// When it was accepted, in milliseconds since 1970.
    pub accepted: Millis,
    /// Which files it has to deliver.
    pub contract: Contract,
}

/// A file that came inside the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Inline {
    /// Its name.
    pub name: String,
    /// Its media type; empty when it was not said.
    pub mime_type: String,
    /// Its bytes in base64.
    pub content: String,
}

/// A run as it was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRequest {
    /// Who it is.
    pub face: RequestContext,
    /// Whether it goes on with the thread's conversation.
    pub continues: bool,
    /// What the agent is told.
    pub prompt: String,
    /// What of it the person wrote.
    pub user_text: String,
    /// What may be done without asking.
    pub permissions: Policy,
    /// How long it may wait for a place, in milliseconds.
    pub patience: Millis,
    /// Files of the request.
    #[serde(default)]
    pub inline: Vec<Inline>,
    /// Where the client believes that the thread works.
    #[serde(default, skip_serializing_if = "Hints::is_empty")]
    pub hints: Hints,
    /// What was asked of the sandbox around it.
    #[serde(default, skip_serializing_if = "SandboxRequest::is_empty")]
    pub sandbox: SandboxRequest,
    /// For jobs: their id.
    #[serde(default)]
    pub job: Option<String>,
}

/// Where the client believes that a thread works: passed on to the agent, and never a place that anything is written to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hints {
    /// `remoteWorkingDirectoryHint`.
    pub working_directory: Option<String>,
    /// `remoteWorkspaceHint`.
    pub workspace: Option<String>,
}

impl Hints {
    /// Whether the client said nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
