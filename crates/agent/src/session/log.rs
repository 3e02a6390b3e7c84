//! The session's log: what happened, in order. It is the truth; everything else is read from it.
//!
//! Must never hold what only one process knows. A variant or field that was ever written stays readable.

use engross_llm::{Message, MessageAttachment, Thought, ToolCall, Usage};
use engross_protocol::WriteSessionId;
use engross_write::WriteFailure;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::AnswerFinish;
use super::request::{ClientTool, Parameters};
use super::settings::Settings;

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LogEvent {
    /// The session begins.
    Opened {
        /// Its canonical key.
        key: String,
    },
    /// A request was accepted. With it an answer begins, whose number is the number of this entry.
    Accepted(AcceptedRequest),
    /// The model has answered.
    Answered {
        /// Its text, possibly empty.
        text: String,
        /// Its calls, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ModelCall>,
        /// What goes back to the model with the results of its calls, as long as the turn goes on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        thoughts: Vec<Thought>,
        /// What it cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// Whether a limit or filter cut it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<AnswerFinish>,
        /// Who answered, such as `anthropic/claude-sonnet-4-5`; empty for the session itself.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        model: String,
    },
    /// Text that was streamed of an answer that is not whole yet, and may never be.
    Streamed {
        /// A piece of it.
        text: String,
        /// The bytes of the answer's text before this piece.
        #[serde(default)]
        from: usize,
    },
    /// A tool of the server begins to change something. Without a result behind it, nobody knows how far it came.
    Began {
        /// The call's id.
        id: String,
    },
    /// A call has its result: exactly one.
    Resulted {
        /// The call's id.
        id: String,
        /// What the model reads.
        content: String,
        /// Whether it failed.
        #[serde(default)]
        is_error: bool,
        /// Who gave it.
        from: ResultSource,
        /// What is known of it beside what the model reads, for people and transcripts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        /// What it carries beside its text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<MessageAttachment>,
        /// Files that the model has seen with it, and in which revision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        seen: Vec<SeenFile>,
        /// The file whose content the model's next answer is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opens: Option<OpenedFile>,
        /// Whether the session makes the call again once the file that is being written is over.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        waits: bool,
    },
    /// The model has answered with content of a file, or the file came to an end. Never the content itself.
    Wrote(WriteReport),
    /// The person said something while the turn went on; the model reads it with its next question.
    Steered {
        /// What was said.
        content: String,
    },
    /// The session told the model something that nobody else said.
    Reminded {
        /// What it was told.
        content: String,
    },
    /// The model was asked what the beginning of the conversation said, which it is not given any more.
    Summarised {
        /// How many messages the summary stands for.
        until: usize,
        /// The summary.
        text: String,
        /// What it cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// Settings of the session, all anew.
    Configured(Settings),
    /// The answer ends with calls of the client open. The turn goes on with their results.
    Suspended {
        /// When calls without a result become errors, in milliseconds since 1970.
        deadline: i64,
    },
    /// The turn is over.
    Ended(TurnEnding),
    /// Something to know.
    Noted {
        /// Stable code.
        code: String,
        /// For people.
        message: String,
    },
}

/// What a request brought.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AcceptedRequest {
    /// The turn it belongs to, counted from 1: a new one, or the suspended one that it goes on with.
    pub turn: u64,
    /// How many messages of the conversation stay; those behind were sent differently this time and leave the active branch.
    /// `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<usize>,
    /// Messages that the session did not know, oldest first; the last is what is to be answered. No results: they come
    /// as [`LogEvent::Resulted`], but for those of an adopted history.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// From which message on the client sent the conversation itself. Nothing of that is left out for the model.
    pub sent_from: usize,
    /// Standing instructions of this request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The client's tools, if they are not those known already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ClientTool>>,
    /// Bounds and sampling.
    #[serde(default)]
    pub parameters: Parameters,
    /// Whether the turn goes on when nobody listens.
    #[serde(default)]
    pub background: bool,
    /// The workspace whose tools the model has from here on. `None`: as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Whether an answer whose process died begins anew here, with nothing new from the client. What was published of the one
    /// before is no part of this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retake: bool,
}

/// A call of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    /// Id, tool and arguments.
    #[serde(flatten)]
    pub call: ToolCall,
    /// Who carries it out.
    pub side: CallSide,
}

/// A file that the model writes from here on: its text is the content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedFile {
    /// The write session.
    pub id: WriteSessionId,
    /// The file, as the model named it.
    pub file: String,
}

/// What became of a file with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteReport {
    /// The write session.
    pub id: WriteSessionId,
    /// How it stands.
    pub standing: Standing,
    /// Bytes of the file so far.
    pub bytes: u64,
    /// Its lines so far.
    pub lines: u64,
    /// Bytes of this answer.
    #[serde(default)]
    pub part: u64,
    /// Their hash; empty where nothing came.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part_sha256: String,
    /// What the model reads: a request for more, or the result of its call.
    pub say: String,
    /// The code of what is wrong; empty if nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// What the answer cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Who answered; empty when a crash was caught up with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
}

/// How a file stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The model is asked for more of it.
    GoesOn,
    /// It is written.
    Written,
    /// It is incomplete and the turn stops asking; it can be gone on with for a while.
    Left,
    /// Nothing of it is left.
    Failed,
}

impl WriteReport {
    /// A file that cannot be gone on with.
    #[must_use]
    pub fn failed(id: WriteSessionId, problem: &WriteFailure) -> Self {
        let error = serde_json::json!({"code": problem.code, "message": problem.message});
        Self {
            id,
            standing: Standing::Failed,
            bytes: 0,
            lines: 0,
            part: 0,
            part_sha256: String::new(),
            say: serde_json::json!({"success": false, "session_id": id.to_string(), "error": error})
                .to_string(),
            code: problem.code.clone(),
            usage: None,
            model: String::new(),
        }
    }
}

/// A file as a model has seen it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    /// The file, as the tools name it.
    pub file: String,
    /// Its revision then.
    pub revision: String,
}

/// Who carries a call out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallSide {
    /// The client, with its next request. This entry is the command it was issued.
    Client,
    /// The server.
    Server,
    /// Nobody: it was refused, and has a result already.
    Nobody,
}

/// Who gave a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultSource {
    /// The client.
    Client,
    /// A tool of the server.
    Server,
    /// The session, for a call that was refused, repeated, or left open for too long.
    Session,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnding {
    /// What listeners receive.
    pub kind: TurnEndingKind,
    /// Stable code; empty when the model was done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// For people; empty when the model was done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Seconds to wait before asking again, where the provider says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Whether what was heard of an answer that never became whole stays in the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_part: bool,
    /// Whether the provider refused for good what the turn brought, so that no model is given it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_refused: bool,
}

/// What a turn's end means for its listeners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEndingKind {
    /// The answer is whole.
    Whole(AnswerFinish),
    /// The session stopped it, with a report as its last words.
    Stopped,
    /// It failed.
    Failed,
    /// Its listeners went away, or it was cancelled.
    Cancelled,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolResult {
    /// What the model reads.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// What is known of it beside what the model reads, for people and transcripts.
    pub details: Option<Value>,
    /// What it carries beside its text.
    pub attachments: Vec<MessageAttachment>,
    /// Files that the model has seen with it.
    pub seen: Vec<SeenFile>,
    /// The file whose content the model's next answer is.
    pub opens: Option<OpenedFile>,
    /// Whether the session makes the call again once the file that is being written is over.
    pub waits: bool,
}

impl ToolResult {
    /// A result that is nothing but text.
    #[must_use]
    pub fn text(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// A failure that is nothing but text.
    #[must_use]
    pub fn error(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: true, ..Self::default() }
    }
}

impl LogEvent {
    /// The result of the call `id`.
    #[must_use]
    pub fn resulted(id: impl Into<String>, result: ToolResult, from: ResultSource) -> Self {
        let ToolResult { content, is_error, details, attachments, seen, opens, waits } = result;
        Self::Resulted { id: id.into(), content, is_error, from, details, attachments, seen, opens, waits }
    }

    /// The kind of entry, for indexes and people.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Opened { .. } => "opened",
            Self::Accepted(_) => "accepted",
            Self::Answered { .. } => "answered",
            Self::Streamed { .. } => "streamed",
            Self::Began { .. } => "began",
            Self::Resulted { .. } => "resulted",
            Self::Wrote(_) => "wrote",
            Self::Steered { .. } => "steered",
            Self::Reminded { .. } => "reminded",
            Self::Summarised { .. } => "summarised",
            Self::Configured(_) => "configured",
            Self::Suspended { .. } => "suspended",
            Self::Ended(_) => "ended",
            Self::Noted { .. } => "noted",
        }
    }
}
