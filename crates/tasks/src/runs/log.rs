//! What happens to a thread and its runs: the entries of its log, in the words they are stored in.
//!
//! Must never lose a meaning: entries that were written once are read for ever.

use engross_store::Millis;
use serde::{Deserialize, Serialize};

use super::request::{RequestContext, RunRequest};
use super::status::{RunStatus, RunSyncStatus};
use crate::runner::{PermissionOption, PlanStep};
use engross_artifacts::{Manifest, RequirementOutcome, RunId, SessionKey};

/// One entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum RunEvent {
    /// The thread began. Always the first entry.
    Opened {
        /// Whose it is.
        principal: String,
        /// Its key.
        thread: String,
        /// The key of its session, which never changes.
        session_key: SessionKey,
    },
    /// A run was accepted; from here on it is not lost.
    Accepted(Box<RunRequest>),
    /// A scope was made for a run that somebody else carries out.
    Prepared {
        /// Who it is.
        face: Box<RequestContext>,
        /// When nobody waits for it any more.
        deadline: Millis,
    },
    /// The run has its place, and is about to be given to its agent.
    Started {
        /// The run.
        run: RunId,
        /// When it has to be done.
        deadline: Millis,
    },
    /// The agent has begun.
    Bound {
        /// The run.
        run: RunId,
        /// What the agent calls the session.
        agent_session: Option<String>,
    },
    /// The agent asks for a permission.
    Asked(PermissionQuestion),
    /// It was answered, once and for all.
    Decided {
        /// The run.
        run: RunId,
        /// Which question.
        request: String,
        /// The chosen answer; none is a denial.
        option: Option<String>,
    },
    /// The line to the agent is broken, or good again.
    Degraded {
        /// The run.
        run: RunId,
        /// Why; none when it is good again.
        code: Option<String>,
    },
    /// The agent uses a tool, or is done with it. Of many uses only the first are here, of each the beginning and the end.
    Tool {
        /// The run.
        run: RunId,
        /// Which use, and how it stands.
        call: RecordedToolCall,
    },
    /// The agent has another plan.
    Planned {
        /// The run.
        run: RunId,
        /// All of its steps.
        steps: Vec<PlanStep>,
    },
    /// Somebody wants an end. What the agent makes of it is seen from what follows.
    CancelAsked {
        /// The run.
        run: RunId,
    },
    /// The agent is done; its files are still to be listed.
    Finished {
        /// The run.
        run: RunId,
        /// Its words.
        text: String,
        /// Whether it said itself that it was done.
        said_so: bool,
        /// Files elsewhere that it names.
        files: Vec<String>,
        /// What was not as it should be.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    },
    /// The run has ended. Nothing comes after it, and it never changes.
    Ended {
        /// The run.
        run: RunId,
        /// All that is told of it from now on.
        end: Box<RunEnd>,
    },
    /// The thread's conversation is forgotten; its runs are not.
    Closed,
}

/// How a use of a tool stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedToolCall {
    /// Which use.
    pub id: String,
    /// For people.
    pub title: String,
    /// `read`, `edit`, `execute` and so on; empty when the agent does not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// `pending`, `in_progress`, `completed` or `failed`.
    pub status: String,
}

/// A permission that an agent asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionQuestion {
    /// The run.
    pub run: RunId,
    /// The question, as clients name it.
    pub request: String,
    /// The question, as the agent names it.
    pub permission: String,
    /// What it is about.
    pub tool: String,
    /// The answers it takes.
    pub options: Vec<PermissionOption>,
    /// When it was asked.
    pub asked: Millis,
    /// When it counts as denied.
    pub until: Millis,
}

/// How often an agent asked whether it may do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AskedPermissions {
    /// Questions.
    pub asked: u32,
    /// Those that were answered with an allowance.
    pub allowed: u32,
}

impl AskedPermissions {
    /// Whether it never asked.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.asked == 0
    }
}

/// The end of a run, with all that is needed to tell of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunEnd {
    /// Who it was.
    pub face: RequestContext,
    /// When it got its place; none when it never did.
    pub started: Option<Millis>,
    /// When it ended.
    pub ended: Millis,
    /// How.
    pub status: RunStatus,
    /// Whether it is a success.
    pub success: bool,
    /// Whether nobody but its text and files says so.
    #[serde(default)]
    pub inferred: bool,
    /// Stable code of a failure.
    pub code: Option<String>,
    /// For people.
    pub message: Option<String>,
    /// The agent's words.
    pub text: String,
    /// `lastResultCode` of the thread.
    pub result_code: String,
    /// `lastArtifactSyncStatus` of the thread.
    pub sync: RunSyncStatus,
    /// Its files: of a success only.
    pub manifest: Option<Manifest>,
    /// What was held back of a run that failed, and why; those of a success are in its manifest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Files that the agent's words name and that the run did not make.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named_only: Vec<String>,
    /// The root over its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merkle_root: Option<String>,
    /// The hash of what the agent was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_sha256: Option<String>,
    /// What an agent asked for, and what it was answered: how often, not what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedPermissions>,
    /// What is missing of what was required.
    pub missing: Option<RequirementOutcome>,
    /// Who knew of the end first.
    pub source: String,
}

impl RunEvent {
    /// The run that the entry is of.
    #[must_use]
    pub fn run(&self) -> Option<&RunId> {
        match self {
            Self::Opened { .. } | Self::Closed => None,
            Self::Accepted(order) => Some(&order.face.run),
            Self::Prepared { face, .. } => Some(&face.run),
            Self::Asked(question) => Some(&question.run),
            Self::Started { run, .. }
            | Self::Bound { run, .. }
            | Self::Decided { run, .. }
            | Self::Degraded { run, .. }
            | Self::Tool { run, .. }
            | Self::Planned { run, .. }
            | Self::CancelAsked { run }
            | Self::Finished { run, .. }
            | Self::Ended { run, .. } => Some(run),
        }
    }

    /// The kind of entry, for indexes and people.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Opened { .. } => "task_opened",
            Self::Accepted(_) => "task_accepted",
            Self::Prepared { .. } => "task_prepared",
            Self::Started { .. } => "task_started",
            Self::Bound { .. } => "task_bound",
            Self::Asked(_) => "task_asked",
            Self::Decided { .. } => "task_decided",
            Self::Degraded { .. } => "task_degraded",
            Self::Tool { .. } => "task_tool",
            Self::Planned { .. } => "task_planned",
            Self::CancelAsked { .. } => "task_cancel_asked",
            Self::Finished { .. } => "task_finished",
            Self::Ended { .. } => "task_ended",
            Self::Closed => "task_closed",
        }
    }
}
