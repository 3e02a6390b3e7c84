//! A whole session: messages, calls and results, in the file's order, with results at their calls.
//!
//! Must never shorten anything (what is long may stand elsewhere, [`SessionText`]), and never take the order of a file for the course of a conversation.

use serde::{Serialize, Serializer};

use super::findings::Findings;
use super::foreign::GivenOutcome;
use super::outcome::CallOutcome;
use super::session_text::SessionText;
use super::short_text::{SharedName, ShortText, StepTime};
use super::speaker::Speaker;

/// A session.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Transcript {
    /// Its id by its header, if it has one.
    pub id: Option<String>,
    /// The format's version by its header.
    pub version: Option<u32>,
    /// The folder it worked in.
    pub cwd: Option<String>,
    /// The session it was forked from, or that it helps.
    pub parent: Option<String>,
    /// Whether it is of a helper: what stands in a person's place was written by a model.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_helper: bool,
    /// When it began, as its header says.
    pub begun: Option<String>,
    /// What happened, in the file's order.
    pub steps: Vec<TranscriptStep>,
    /// The models that spoke, in the order of their first words.
    pub models: Vec<String>,
    /// What could not be read, or only by a guess.
    pub findings: Findings,
    /// How far the file was read.
    pub end: ReadProgress,
    /// What somebody says about how it went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<GivenOutcome>,
}

/// How far a file was read. What stands behind is not whole yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ReadProgress {
    /// Bytes up to the end of the last whole line.
    pub offset: u64,
    /// Lines up to there.
    pub lines: u64,
    /// Lines that hold anything.
    pub used_lines: u64,
    /// Lines that are no JSON object.
    pub bad_lines: u64,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TranscriptStep {
    /// The line it stands in, counted from 1.
    pub line: u64,
    /// The id of its entry.
    pub entry: Option<ShortText>,
    /// ISO date, as it stands.
    pub timestamp: Option<StepTime>,
    /// Whether it is on the way from the leaf to the root. What is not was tried and left.
    pub is_on_path: bool,
    /// What it is.
    pub what: StepKind,
}

/// What a step is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Words of a user, or of a program in the user's place.
    User {
        /// As a person typed them.
        text: SessionText,
        /// Who said them.
        origin: Speaker,
    },
    /// Thoughts of a model.
    Thinking(SessionText),
    /// Words of a model, or of a program in its place.
    Assistant {
        /// The words.
        text: SessionText,
        /// Who said them.
        origin: Speaker,
    },
    /// The model was stopped, or failed.
    Stopped {
        /// `aborted`, `error` or `length`.
        reason: String,
        /// What went wrong.
        message: String,
    },
    /// A call of a tool.
    Call(CallStep),
    /// A result that answers no call of this file, or a further one.
    StrayResult(StrayResult),
    /// A command that a person ran beside the model.
    Command {
        /// The command.
        command: String,
        /// What it printed.
        output: SessionText,
        /// Its exit code.
        exit: Option<i64>,
    },
    /// A picture: what it was, not what it showed.
    Image {
        /// Its kind.
        mime: String,
        /// Characters of its data in base64.
        size: usize,
        /// Beginning of the data's hash.
        sha: String,
    },
}

/// A call of a tool, with its result.
#[derive(Debug, Clone, PartialEq)]
pub struct CallStep {
    /// Its id, as the model gave it.
    pub id: ShortText,
    /// The tool.
    pub tool: SharedName,
    /// What it was called with, as JSON, as it stands.
    pub arguments: SessionText,
    /// What came back.
    pub result: Option<StepResult>,
}

/// What came back from a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// The line it stands in.
    pub line: u64,
    /// The tool, if the result says so.
    pub tool: SharedName,
    /// Its text, whole.
    pub text: SessionText,
    /// How the call ended.
    pub outcome: CallOutcome,
}

/// A call as it is printed: its result names it.
#[derive(Serialize)]
struct PrintedCall<'a> {
    id: &'a ShortText,
    tool: &'a SharedName,
    arguments: &'a SessionText,
    result: Option<PrintedResult<'a>>,
}

#[derive(Serialize)]
struct PrintedResult<'a> {
    line: u64,
    call_id: &'a ShortText,
    tool: &'a SharedName,
    text: &'a SessionText,
    outcome: CallOutcome,
}

impl Serialize for CallStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { id, tool, arguments, result } = self;
        let result = result.as_ref().map(|result| PrintedResult {
            line: result.line,
            call_id: id,
            tool: &result.tool,
            text: &result.text,
            outcome: result.outcome,
        });
        PrintedCall { id, tool, arguments, result }.serialize(serializer)
    }
}

/// A result without its call.
#[derive(Debug, Clone, PartialEq)]
pub struct StrayResult {
    /// The call it names.
    pub call_id: String,
    /// What came back.
    pub result: StepResult,
}

impl Serialize for StrayResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let StepResult { line, tool, text, outcome } = &self.result;
        let call_id = &ShortText::from(self.call_id.as_str());
        PrintedResult { line: *line, call_id, tool, text, outcome: *outcome }.serialize(serializer)
    }
}

impl Transcript {
    /// Whether the file holds lines, and nothing in them is of a session.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.steps.is_empty() && self.id.is_none() && self.end.used_lines > 0
    }

    /// The steps on the way from the root to the leaf.
    pub fn path(&self) -> impl Iterator<Item = &TranscriptStep> {
        self.steps.iter().filter(|step| step.is_on_path)
    }
}
