//! What can happen to a chat at a terminal, and what can follow.
//!
//! Must never hold more than `screen` needs to decide and its caller to act.

use engross_agent::session::{TurnEvent, WriteReport};
use serde_json::Value;

use super::styled::StyledLine;
use crate::approvals::Change;
use crate::commands::Command;

/// Something that happens.
#[derive(Debug)]
pub(super) enum ScreenEvent {
    /// A line was typed.
    Line(String),
    /// Ctrl-C, with the line that is being typed.
    Interrupt(String),
    /// Ctrl-D on an empty line.
    EndOfInput,
    /// A key that answers the question.
    Choice(Choice),
    /// Something in the answer that is being made.
    Answer(TurnEvent),
    /// No more of it comes.
    AnswerOver,
    /// A round of tools has its results; their particulars.
    Edited(Value),
    /// What became of a file.
    Wrote(WriteReport),
    /// A tool refused; what the model reads.
    Refused(String),
    /// The model has read the oldest message that waits.
    Steered,
    /// A change is about to be made; whether somebody waits for an answer.
    Proposed(Change, bool),
    /// What a command came to.
    Report(Vec<StyledLine>),
    /// An answer begins that no typed message asked for.
    Begun,
    /// What could not be done: message and code.
    Failed(String, String),
}

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Yes,
    No,
    Always,
}

impl Choice {
    /// What follows its key in its word.
    pub(super) fn rest(self) -> &'static str {
        match self {
            Self::Yes => "es",
            Self::No => "o",
            Self::Always => "lways",
        }
    }

    /// What a key or a word means.
    pub(super) fn of(text: &str) -> Option<Self> {
        match text.trim().to_lowercase().as_str() {
            "y" | "yes" => Some(Self::Yes),
            "n" | "no" => Some(Self::No),
            "a" | "always" => Some(Self::Always),
            _ => None,
        }
    }
}

/// Something to be done.
#[derive(Debug, PartialEq)]
pub(super) enum ScreenAction {
    /// Lines to be shown, each with its end.
    Print(String),
    /// A message for the model.
    Send(String),
    /// A message that the model may read before its answer is over.
    Steer(String),
    /// The answer is to stop.
    Stop,
    /// A command to be carried out.
    Run(Command),
    /// The answer to the oldest question.
    Reply(bool),
    /// From here on nothing is asked.
    AgreeToAll,
    Bell,
    /// The chat ends.
    End(ChatEnd),
}

/// How the chat ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChatEnd {
    Quit,
    /// In the middle of an answer.
    Interrupted,
}

/// A change that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UndoStep {
    /// Of the document, which knows its checkpoints.
    Document,
    /// Of a text file: what it was, and the hash of what it is.
    File { path: String, before: Option<String>, sha256: String },
}
