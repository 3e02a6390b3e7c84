//! What can be set for one session; what is not set is as the server has it.

use serde::{Deserialize, Serialize};

/// Settings of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Name of the model, one of those that the server offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// In whose name documents are edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Whether edits are tracked changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redlines: Option<bool>,
    /// Standing instructions, before those of a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Turns of the stored history that the model is given, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_turns: Option<usize>,
    /// Tokens of the conversation that the model is given at most, by estimate; 0 for no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_tokens: Option<usize>,
    /// Whether the model is asked for a summary of what it is not given any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_summary: Option<bool>,
    /// Model calls that the server makes between two requests, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rounds: Option<u32>,
}

/// The longest system prompt in bytes.
const LONGEST_PROMPT: usize = 64 << 10;

/// Bounds in tokens that leave room for anything at all.
const HISTORY_TOKENS: std::ops::RangeInclusive<usize> = 500..=10_000_000;

/// The longest author in bytes.
const LONGEST_AUTHOR: usize = 255;

impl Settings {
    /// What is wrong with them, if anything: the field, and what it must be.
    #[must_use]
    pub fn problem(&self) -> Option<(&'static str, &'static str)> {
        let author_fits = |author: &str| {
            !author.trim().is_empty()
                && author.len() <= LONGEST_AUTHOR
                && !author.chars().any(char::is_control)
        };
        if self.author.as_deref().is_some_and(|author| !author_fits(author)) {
            return Some(("author", "must be 1 to 255 bytes without control characters"));
        }
        if self.system_prompt.as_ref().is_some_and(|prompt| prompt.len() > LONGEST_PROMPT) {
            return Some(("system_prompt", "must have at most 65,536 bytes"));
        }
        if self.history_turns.is_some_and(|turns| !(1..=1000).contains(&turns)) {
            return Some(("history_turns", "must be a whole number from 1 to 1000"));
        }
        if self.history_tokens.is_some_and(|tokens| tokens != 0 && !HISTORY_TOKENS.contains(&tokens)) {
            return Some((
                "history_tokens",
                "must be 0 for no bound, or a whole number from 500 to 10000000",
            ));
        }
        if self.max_rounds.is_some_and(|rounds| !(1..=100).contains(&rounds)) {
            return Some(("max_rounds", "must be a whole number from 1 to 100"));
        }
        None
    }

    /// These, and for what they leave open those of `server`.
    #[must_use]
    pub fn or(&self, server: &Self) -> Self {
        let own = self.clone();
        let server = server.clone();
        Self {
            model: own.model.or(server.model),
            author: own.author.or(server.author),
            redlines: own.redlines.or(server.redlines),
            system_prompt: own.system_prompt.or(server.system_prompt),
            history_turns: own.history_turns.or(server.history_turns),
            history_tokens: own.history_tokens.or(server.history_tokens),
            history_summary: own.history_summary.or(server.history_summary),
            max_rounds: own.max_rounds.or(server.max_rounds),
        }
    }
}
