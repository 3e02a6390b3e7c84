//! What happens in an answer, as its listeners see it.

use engross_llm::{Thought, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing that happened, with its place in the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionedEvent {
    /// How much of the answer there is with this: bytes of text, and one for each start of a call, piece of arguments, list
    /// of thoughts and the end. The same whether the answer is live or read from the log, so that a client can resume after it.
    pub position: u64,
    /// What happened.
    pub event: TurnEvent,
}

impl PositionedEvent {
    /// Where one who has heard this goes on. A failure may not be in the log, so that what comes in its place, perhaps the end, was not
    /// heard: who goes on behind it hears that, or the failure once more.
    #[must_use]
    pub fn resume_point(&self) -> u64 {
        match self.event {
            TurnEvent::Failed { .. } => self.position.saturating_sub(1),
            _ => self.position,
        }
    }
}

/// What can happen in an answer. Exactly one [`TurnEvent::Done`] or [`TurnEvent::Failed`] comes last.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEvent {
    /// More text.
    Text(String),
    /// What the model thought before the calls that follow, for a client that keeps the conversation itself and brings it back with
    /// their results.
    Thoughts(Vec<Thought>),
    /// The model calls a tool of the client.
    Call {
        /// Counts the client's calls of this answer from 0.
        index: usize,
        /// Names the call from here to its result.
        id: String,
        /// The tool.
        name: String,
        /// All its arguments: JSON text, unless the model erred.
        arguments: String,
    },
    /// What the server is doing for a call of its own tools. Not part of the answer.
    Status {
        /// For people: "Applying edits …".
        message: String,
        /// The call.
        id: String,
        /// The tool.
        tool: String,
        /// How far it is.
        step: ToolStep,
    },
    /// Content of a file that is being written, for a client that asked for it. Not part of the answer, and not kept: who
    /// comes late does not hear it.
    Content {
        /// A piece of it, as the model said it.
        text: String,
        /// The call that opened the file.
        id: String,
    },
    /// The model thinks, apart from its answer. Not part of the answer, and not kept.
    Thinking {
        /// Bytes so far, in the model's present answer.
        bytes: u64,
        /// The last of it.
        latest: String,
        /// What of it no event has told before.
        more: String,
    },
    /// How likely each piece of the text was that has just come, in the form of chat completions. Not part of the answer, and not
    /// kept.
    Likelihoods(Vec<Value>),
    /// Something to know, with a stable code. Not part of the answer.
    Warning {
        /// Stable code.
        code: String,
        /// For people.
        message: String,
    },
    /// The answer is whole, and durable.
    Done {
        /// Why it ended.
        finish: AnswerFinish,
        /// Tokens of all model calls of this answer, where known.
        usage: Option<Usage>,
    },
    /// The answer failed; what came before is only a part.
    Failed {
        /// Stable code.
        code: String,
        /// What happened and what to do next.
        message: String,
        /// Seconds to wait before asking again, where the provider says.
        retry_after: Option<u64>,
    },
}

impl TurnEvent {
    /// Whether it is no part of the answer, and has no place in it.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        matches!(
            self,
            Self::Status { .. }
                | Self::Content { .. }
                | Self::Thinking { .. }
                | Self::Likelihoods(_)
                | Self::Warning { .. }
        )
    }
}

/// How far a tool of the server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStep {
    /// It begins.
    Started,
    /// It goes on; the message says how far it is.
    Running,
    /// It has its result.
    Done,
    /// It failed.
    Failed,
}

/// Why a whole answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFinish {
    /// The model was done.
    Stop,
    /// The client has calls to carry out.
    ToolCalls,
    /// A length limit cut it.
    Length,
    /// The provider's filter cut it.
    ContentFilter,
}
