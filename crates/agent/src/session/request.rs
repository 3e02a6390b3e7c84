//! What a client asks of a session, whatever the wire it came by.

use engross_llm::{AnswerOptions, Message, ToolSpec};
use engross_protocol::SessionId;
use serde::{Deserialize, Serialize};

/// One request: everything the client sent, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnRequest {
    /// Whom the session belongs to; sessions of others cannot be reached. Empty when the server knows no principals.
    pub principal: String,
    /// The session's key as the client gave it; a new session without.
    pub key: Option<SessionName>,
    /// The answer that the request goes on from. Where its session has gone on since, a new session begins with what was said up
    /// to there: a branch.
    pub after: Option<AnswerPlace>,
    /// Whether `messages` are the whole conversation: what the session has beyond them leaves it, and the last is answered anew.
    pub is_whole: bool,
    /// Standing instructions of this request; not stored as part of the conversation.
    pub system: Option<String>,
    /// The conversation as far as the client sent it, oldest first.
    pub messages: Vec<Message>,
    /// Tools that the client carries out. `None`: those of the session's last request.
    pub tools: Option<Vec<ClientTool>>,
    /// Bounds and sampling.
    pub parameters: Parameters,
    /// The workspace whose tools the model is to have; that of the session without.
    pub workspace: Option<String>,
    /// Makes a repeated request answer the same without a second model call.
    pub idempotency_key: Option<String>,
    /// Whether the turn goes on when nobody listens.
    pub background: bool,
    /// Whether nothing of it may be stored for good.
    pub is_passing: bool,
}

/// An answer of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AnswerPlace {
    /// The session.
    pub session: SessionId,
    /// The number of its answer.
    pub answer: u64,
}

/// How a client names a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SessionName {
    /// By a key of its own: a header.
    Named(String),
    /// By the person it speaks for: the field `user`.
    User(String),
}

/// A tool that the client carries out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientTool {
    /// The tool as the model sees it.
    #[serde(flatten)]
    pub spec: ToolSpec,
    /// Whether it changes nothing, so that the same call may be made again.
    #[serde(default)]
    pub read_only: bool,
    /// Whether the same call twice does no more than once, so that a repeated one need not be made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
}

/// Bounds and sampling of a request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Parameters {
    /// Name of the model, one of those that the server offers; the session's without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Upper bound of each answer, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// What else is asked of the answers.
    #[serde(default, skip_serializing_if = "AnswerOptions::is_empty")]
    pub options: AnswerOptions,
    /// Whether tools may or must be called.
    #[serde(default)]
    pub tool_choice: ClientToolChoice,
    /// Whether listeners hear the content of files that are being written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub write_content: bool,
}

/// Whether tools may or must be called.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool is offered.
    None,
    /// The first answer must call one.
    Required,
    /// The first answer must call this one.
    Named(String),
}
