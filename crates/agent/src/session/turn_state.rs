//! The turn that is not over, as the log tells it: its calls, and the file that it writes.
//!
//! Must never be changed but by the session that it belongs to.

use engross_llm::{MessageAttachment, ToolCall};
use engross_protocol::WriteSessionId;
use serde::{Deserialize, Serialize};

use super::log::{CallSide, OpenedFile};
use super::request::Parameters;

/// A turn that is not over: from a user message to its final answer, over as many requests as it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnState {
    /// Counts the session's turns from 1.
    pub number: u64,
    /// Where it stands.
    pub phase: TurnPhase,
    /// Calls of the last answer, each with its result once there is one.
    pub calls: Vec<OpenCall>,
    /// How often the model was called since the client's last request.
    pub asked: u32,
    /// How often the client was given calls.
    pub client_rounds: u32,
    /// Where the turn's messages begin.
    pub start: usize,
    /// From which message on the client sent the conversation itself.
    pub sent_from: usize,
    /// Standing instructions of the last request.
    pub system: Option<String>,
    /// Bounds and sampling of the last request.
    pub parameters: Parameters,
    /// Whether the turn goes on when nobody listens.
    pub background: bool,
    /// The file that is being written: the model's text is its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writing: Option<FileInProgress>,
    /// Calls that begin files and wait for the one that is being written, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<ToolCall>,
    /// What was heard of an answer that is not whole yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub partial: String,
}

/// A file that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileInProgress {
    /// The write session.
    pub id: WriteSessionId,
    /// The file.
    pub file: String,
    /// The call that opened it: its result is that of the file in the end.
    pub call: String,
    /// How often the model was asked for more.
    pub rounds: u32,
    /// Bytes so far.
    pub bytes: u64,
    /// Lines so far.
    pub lines: u64,
    /// What stands for the content in the conversation, and what the model is asked; nothing before its first answer.
    pub asked: Option<(String, String)>,
}

impl FileInProgress {
    /// A file of which nothing has come.
    #[must_use]
    pub fn new(opens: OpenedFile, call: String) -> Self {
        let OpenedFile { id, file } = opens;
        Self { id, file, call, rounds: 0, bytes: 0, lines: 0, asked: None }
    }
}

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnPhase {
    /// The model is to answer.
    Asking,
    /// Calls are being carried out.
    Calling,
    /// The client has calls to carry out, until the deadline in milliseconds since 1970.
    Suspended {
        /// When calls without a result become errors.
        deadline: i64,
    },
}

/// A call of the last answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCall {
    /// Id, tool and arguments.
    pub call: ToolCall,
    /// Who carries it out.
    pub side: CallSide,
    /// Whether the server began to change something for it.
    pub began: bool,
    /// Its result: text, and whether it failed.
    pub result: Option<(String, bool)>,
    /// What its result carries beside its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<MessageAttachment>,
}

impl TurnState {
    /// Whether anything was heard of an answer that is not whole.
    #[must_use]
    pub fn has_part(&self) -> bool {
        !self.partial.trim().is_empty()
    }

    /// Calls of one side without a result, in order.
    pub fn open(&self, side: CallSide) -> impl Iterator<Item = &OpenCall> {
        self.calls.iter().filter(move |call| call.side == side && call.result.is_none())
    }
}
