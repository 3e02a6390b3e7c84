//! The JSON of a script. What is not known in it is refused, so that a misspelt condition cannot match everything.
//!
//! Must never guess: a script either means one thing or is [`Error::ScriptInvalid`].

use regex_lite::Regex;
use serde::Deserialize;
use serde::de::{self, Deserializer};
use serde_json::Value;

use crate::{Error, FinishReason, Source};

/// A whole script.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// Answers with their conditions; the first that fits is given.
    #[serde(default)]
    pub(super) turns: Vec<Turn>,
    /// The answer when none fits.
    #[serde(default = "default_turn")]
    pub(super) default: Turn,
}

/// One answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turn {
    /// When it fits.
    #[serde(default)]
    pub(super) when: When,
    /// How often it may be given; 0 is without end.
    #[serde(default = "once")]
    pub(super) times: u32,
    #[serde(default)]
    pub(super) text: String,
    #[serde(default)]
    pub(super) reasoning: String,
    /// Pages that the answer of a search names.
    #[serde(default)]
    pub(super) sources: Vec<Source>,
    #[serde(default)]
    pub(super) tool_calls: Vec<Call>,
    pub(super) finish_reason: Option<FinishReason>,
    /// Wait before each piece.
    #[serde(default)]
    pub(super) delay_ms: u64,
    /// Wait before the first.
    #[serde(default)]
    pub(super) first_delay_ms: u64,
    pub(super) fault: Option<Fault>,
}

/// Conditions on a request; all of them must hold.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct When {
    /// Role of the last message: `user`, `assistant` or `tool`.
    pub(super) last_role: Option<Role>,
    /// Text that the last message contains.
    pub(super) contains: Option<String>,
    /// Text that it does not contain.
    pub(super) not_contains: Option<String>,
    /// Text that any message or the instructions contain.
    pub(super) anywhere: Option<String>,
    /// Whether the web shall be searched.
    pub(super) web_search: Option<bool>,
    /// Whether tools are on offer.
    pub(super) has_tools: Option<bool>,
    /// Regular expression for the model's name, which in process is `scripted`.
    #[serde(default, deserialize_with = "regex")]
    pub(super) model: Option<Regex>,
    /// Wire format, which in process is none: a turn with this condition is for servers.
    pub(super) api: Option<String>,
}

/// Who wrote a message.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    User,
    Assistant,
    Tool,
}

/// A tool call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) name: String,
    /// Names to take instead if the tool is on offer; the first counts.
    #[serde(default)]
    pub(super) any_of: Vec<String>,
    #[serde(default = "no_arguments")]
    pub(super) args: Value,
    /// The arguments' text, in place of `args`.
    pub(super) raw_args: Option<String>,
    pub(super) id: Option<String>,
}

/// Something that goes wrong.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    /// How many pieces come before it.
    #[serde(default = "two")]
    pub(super) after: usize,
    /// Of `status`.
    #[serde(default = "server_error")]
    pub(super) code: u16,
    /// Of `status`, in seconds.
    pub(super) retry_after: Option<u64>,
    /// Of `hang`.
    #[serde(default = "an_hour")]
    pub(super) seconds: u64,
}

/// What goes wrong.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum FaultKind {
    /// An HTTP status instead of an answer.
    Status,
    /// A success without an answer in it.
    Empty,
    /// The stream ends early.
    Truncate,
    /// The connection breaks.
    Disconnect,
    /// The stream ends within a chunk.
    Cut,
    /// Nothing comes any more.
    Hang,
    /// An event that is not JSON.
    BadSse,
    /// An error in the stream.
    ErrorEvent,
    /// A call whose arguments are not JSON.
    MalformedJson,
    /// The end is said twice.
    DuplicateFinish,
}

impl Script {
    /// Reads a script; `file` is for messages.
    pub(super) fn parse(file: &str, text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
            Error::ScriptInvalid {
                file: file.to_owned(),
                line: error.line(),
                column: error.column(),
                message: message.to_owned(),
            }
        })
    }
}

fn regex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Regex>, D::Error> {
    let pattern = Option::<String>::deserialize(deserializer)?;
    pattern
        .map(|pattern| Regex::new(&pattern))
        .transpose()
        .map_err(|error| de::Error::custom(format!("'model' is not a regular expression: {error}")))
}

fn default_turn() -> Turn {
    Turn {
        when: When::default(),
        times: 0,
        text: "ok".to_owned(),
        reasoning: String::new(),
        sources: Vec::new(),
        tool_calls: Vec::new(),
        finish_reason: None,
        delay_ms: 0,
        first_delay_ms: 0,
        fault: None,
    }
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

fn once() -> u32 {
    1
}

fn two() -> usize {
    2
}

fn server_error() -> u16 {
    500
}

fn an_hour() -> u64 {
    3600
}
