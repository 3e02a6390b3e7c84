//! A session that was retold, and what somebody says about it.

use serde::Serialize;

/// A session that was retold.
#[derive(Debug, Clone, PartialEq)]
pub struct RetoldSession {
    /// The lines.
    pub lines: Vec<u8>,
    /// What somebody says about how it went.
    pub given: Option<GivenOutcome>,
}

/// What somebody, or a program that checks answers, says about how a session went.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct GivenOutcome {
    /// In words.
    pub feedback: String,
    /// The right answer.
    pub ground_truth: Option<String>,
    /// Whether it went well, where these tell.
    pub went_well: Option<bool>,
}
