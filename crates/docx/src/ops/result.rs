//! What became of operations.

use serde::{Deserialize, Serialize};

/// What became of one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Done and proven.
    Applied,
    /// The document already was as wanted.
    NoChange,
    /// Not done, by a rule; the document is as if it had not been given.
    Refused,
    /// Not done, by a fault of engross; the document is as if it had not been given.
    Failed,
}

/// The report on one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationResult {
    /// Its place in the batch, from 0.
    pub index: usize,
    /// The operation's name.
    pub op: String,
    /// What became of it.
    pub status: Status,
    /// Why it was not applied; a stable code.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// The same for people, or a remark on what was applied.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    /// Where, as `P12`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub address: Option<String>,
    /// `w:id` of the revisions that hold what was done, in rising order.
    pub revision_ids: Vec<i64>,
    /// `w:id` of the comments written; of those that are in the way, if it is refused for them.
    pub comment_ids: Vec<i64>,
    /// Text before, of the paragraphs concerned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
    /// Text after, as accepted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
}

/// How many operations ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Done and proven.
    pub applied: usize,
    /// Nothing to do.
    pub no_change: usize,
    /// Refused by a rule.
    pub refused: usize,
    /// Failed by a fault of engross.
    pub failed: usize,
}

impl Summary {
    /// Counts `results`.
    #[must_use]
    pub fn of(results: &[OperationResult]) -> Self {
        let count = |status| results.iter().filter(|result| result.status == status).count();
        Self {
            applied: count(Status::Applied),
            no_change: count(Status::NoChange),
            refused: count(Status::Refused),
            failed: count(Status::Failed),
        }
    }
}

/// Whether edits are written as tracked changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tracking {
    /// As revisions that people accept or reject.
    #[default]
    Tracked,
    /// As plain text, without a trace.
    Untracked,
}

/// Outcome of one side of the proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofState {
    /// It was checked on the bytes written, and holds.
    Holds,
    /// There was nothing to prove: nothing changed, or the edit is untracked.
    NotApplicable,
}

/// Outcome of the proof of the whole part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Rejecting what was written gives back the source.
    pub reject: ProofState,
    /// Accepting what was written gives the requested text.
    pub accept: ProofState,
}
