//! The one trait behind which every model lives, and the vocabulary of a conversation with one.
//!
//! Must never know a provider, a document or a session.

use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;
use crate::attachment::{MessageAttachment, attachment_refusal};
use crate::options::{AnswerOptions, OptionTreatment, Provider, treatment};
use crate::thought::Thought;

/// A model that answers a conversation, piece by piece.
pub trait Model: Send + Sync {
    /// What it is, for people and logs.
    fn info(&self) -> ModelInfo;

    /// Starts one answer.
    ///
    /// Invariant: a complete answer ends with exactly one [`Event::Finish`], after which the stream ends. A stream that
    /// ends without one yields [`Error::Truncated`] first, so that a cut answer can never pass for a whole one. After
    /// an error the stream ends. Dropping the stream cancels the request.
    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>>;

    /// Whether it can search the web by means of its provider, see [`Request::web_search`].
    fn searches(&self) -> bool {
        false
    }

    /// What it makes of an option with this value, see [`Request::options`].
    fn treats(&self, option: &str, value: &Value) -> OptionTreatment {
        treatment(Provider::Embedded, option, value)
    }

    /// Why it cannot be given something beside text; nothing when it can.
    fn refuses(&self, attachment: &MessageAttachment) -> Option<&'static str> {
        attachment_refusal(Provider::Embedded, attachment)
    }
}

/// What a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The spec that was asked for, such as `openai/gpt-5` or `rules`.
    pub spec: String,
    /// Whether it is a language model: `false` for `rules` and `script:`.
    pub language_model: bool,
}

/// One question to a model: the whole conversation so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// Standing instructions.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Tools that may be called.
    pub tools: Vec<ToolSpec>,
    /// Whether one must be; without tools it means nothing.
    pub tool_choice: ToolChoice,
    /// Upper bound of the answer in tokens; the provider's default when `None`.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature; the provider's default when `None`.
    pub temperature: Option<f64>,
    /// What else is asked of the answer. What the provider does not take is left out, see [`Model::treats`].
    pub options: AnswerOptions,
    /// Whether the answer shall be found in the web, with sources. Only for a model that [searches](Model::searches);
    /// others answer as usual. Not together with `tools`, which some providers refuse.
    pub web_search: bool,
    /// What the text of the answer is.
    pub text: AnswerText,
}

/// What the text of an answer is: it says where calls that a model prints are meant as calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AnswerText {
    /// Words for a person.
    #[default]
    Words,
    /// Content of a file, in which nothing is a call.
    Content {
        /// The lines that end it. Behind one of them there may be calls.
        ends: Vec<String>,
        /// The tools that may be called in its place.
        calls: Vec<String>,
    },
}

/// Whether a tool must be called. Models that cannot be forced (`rules`, `script:`) decide for themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// From the person, or from the program on the person's behalf.
    User {
        /// Its text.
        content: String,
        /// What it carries beside its text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<MessageAttachment>,
    },
    /// From the model.
    Assistant {
        /// Its text, possibly empty.
        content: String,
        /// Its calls, in the order it made them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// What it thought before its calls, for itself; nothing once the turn is over.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        thoughts: Vec<Thought>,
    },
    /// The result of a call.
    Tool {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        name: String,
        /// What the model reads.
        content: String,
        /// Whether the tool failed.
        #[serde(default)]
        is_error: bool,
        /// What it carries beside its text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<MessageAttachment>,
    },
}

impl Message {
    /// What a person says, in words alone.
    pub fn user(content: impl Into<String>) -> Self {
        Self::User { content: content.into(), attachments: Vec::new() }
    }

    /// A message in which words stand for whatever `left_out` names of what it carries.
    #[must_use]
    pub fn without_attachments(mut self, left_out: impl Fn(&MessageAttachment) -> bool) -> Self {
        if let Self::User { content, attachments } | Self::Tool { content, attachments, .. } = &mut self {
            let (gone, stay): (Vec<MessageAttachment>, Vec<MessageAttachment>) =
                std::mem::take(attachments).into_iter().partition(|attachment| left_out(attachment));
            *attachments = stay;
            for attachment in gone {
                if !content.is_empty() {
                    content.push('\n');
                }
                content.push_str(&attachment.told());
            }
        }
        self
    }

    /// What it carries beside its text.
    #[must_use]
    pub fn attachments(&self) -> &[MessageAttachment] {
        match self {
            Self::User { attachments, .. } | Self::Tool { attachments, .. } => attachments,
            Self::Assistant { .. } => &[],
        }
    }
}

/// A call the model wants made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call; its result carries the same id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them: JSON, unless the model erred.
    pub arguments: String,
}

/// A tool on offer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name to call it by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments; `null` for a tool that takes free text. Where the provider has such tools, the text comes
    /// without any escapes; the call's arguments are `{"input": TEXT}` all the same. It is not offered to other models.
    pub parameters: Value,
    /// Whether the arguments must fit the schema exactly, where the provider sees to it; as it likes when `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
}

impl ToolSpec {
    /// The argument that the text of a free-text tool becomes.
    pub const INPUT: &'static str = "input";

    /// Whether it takes free text.
    #[must_use]
    pub fn is_free_text(&self) -> bool {
        self.parameters.is_null()
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// More text.
    Text(String),
    /// More of the model's reasoning, where the provider shows it.
    Reasoning(String),
    /// A whole piece of reasoning that goes back to the model with the results of its calls.
    Thought(Thought),
    /// How likely each piece of the text was that has just come, in the form of chat completions: asked for by `logprobs`.
    Likelihoods(Vec<Value>),
    /// A call begins. `index` counts the calls of this answer from 0.
    ToolCallStart {
        /// Which call.
        index: usize,
        /// Its id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// More of a call's arguments: a piece of JSON text.
    ToolCallArguments {
        /// Which call.
        index: usize,
        /// The piece.
        delta: String,
    },
    /// A page that the answer rests on. One may come more than once.
    Source(Source),
    /// What the answer cost, where the provider tells; the last one counts.
    Usage(Usage),
    /// The answer is whole.
    Finish(FinishReason),
}

/// A page of the web that an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Source {
    /// Its address.
    pub url: String,
    /// Its title; empty when the provider gives none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The words of the page that are meant, where the provider gives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

/// Tokens used by one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// It wants tools called.
    ToolCalls,
    /// The length limit cut it.
    Length,
    /// The provider's filter cut it.
    ContentFilter,
    /// The provider cut it because it came too near to a text that is somebody's: other words may pass.
    Recitation,
    /// The provider names a reason that is not known here: nobody knows whether it was done.
    Other,
}

impl FinishReason {
    /// Whether the answer was cut, perhaps within a call.
    #[must_use]
    pub fn is_cut(self) -> bool {
        matches!(self, Self::Length | Self::ContentFilter | Self::Recitation)
    }
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// All text.
    pub text: String,
    /// All calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// What goes back to the model with the results of its calls.
    pub thoughts: Vec<Thought>,
    /// Why it stopped.
    pub finish: FinishReason,
    /// What it cost, if known.
    pub usage: Option<Usage>,
    /// What it rests on, in the order of the answer, each once.
    pub sources: Vec<Source>,
}
