//! What became of operations.

use serde::{Deserialize, Serialize};

use crate::error::{Refusal, RefusalCode};

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
    /// `w:id` of one's own earlier revisions that are no more: what they held is one with this change, or was taken back by it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub gone_revision_ids: Vec<i64>,
    /// How many more revisions there are, where those named are the first of many.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub more_revisions: usize,
    /// `w:id` of the comments written; of those that are in the way, if it is refused for them.
    pub comment_ids: Vec<i64>,
    /// What was changed without a revision, and so does not go when the revisions are rejected.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub untracked: Vec<String>,
    /// Text before, of the paragraphs concerned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
    /// Text after, as accepted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What an operation did, once it is done and proven.
#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    /// What people should know about it.
    pub(crate) remark: Option<String>,
    /// Text after, as accepted.
    pub(crate) after: Option<String>,
    pub(crate) revision_ids: Vec<i64>,
    pub(crate) gone_revision_ids: Vec<i64>,
    /// The paragraphs of the story that were written to, from 0.
    pub(crate) paragraphs: Vec<usize>,
    pub(crate) comment_ids: Vec<i64>,
    /// What was changed without a revision.
    pub(crate) untracked: Vec<String>,
}

/// How an operation ended. Every result is made of one, by [`OperationResult::new`] alone.
#[derive(Debug, Clone, Default)]
pub(crate) enum Outcome {
    /// Its atomic batch was taken back, or was never carried out so far.
    #[default]
    NotAttempted,
    Applied(Change),
    NoChange {
        remark: Option<String>,
    },
    Refused(Refusal),
    Failed(Refusal),
}

impl Outcome {
    /// Whether an atomic batch can hold with it.
    pub(crate) fn is_done(&self) -> bool {
        match self {
            Self::Applied(_) | Self::NoChange { .. } => true,
            Self::NotAttempted | Self::Refused(_) | Self::Failed(_) => false,
        }
    }

    pub(crate) fn is_applied(&self) -> bool {
        matches!(self, Self::Applied(_))
    }

    /// Adds a remark to a change that was applied.
    pub(crate) fn add_remark(&mut self, remark: &str) {
        if let Self::Applied(change) = self {
            change.remark = Some(match change.remark.take() {
                Some(known) => format!("{known}; {remark}"),
                None => remark.to_owned(),
            });
        }
    }
}

impl Outcome {
    /// Says something that people should know, however it ended. Of refusals only one that found nothing.
    pub(crate) fn tell(&mut self, what: &str) {
        match self {
            Self::NoChange { remark } => {
                *remark = Some(match remark.take() {
                    Some(known) => format!("{known}; {what}"),
                    None => what.to_owned(),
                });
            }
            Self::Refused(refusal) if refusal.code == RefusalCode::TextNotFound => {
                refusal.message = format!("{}; {what}", refusal.message);
            }
            outcome => outcome.add_remark(what),
        }
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        match refusal.code {
            RefusalCode::ProofFailed => Self::Failed(refusal),
            _ => Self::Refused(refusal),
        }
    }
}

/// An outcome with the place that was looked at.
#[derive(Debug, Clone, Default)]
pub(crate) struct OperationOutcome {
    pub(crate) outcome: Outcome,
    pub(crate) address: Option<String>,
    /// Text before, of the paragraphs concerned.
    pub(crate) before: Option<String>,
}

impl<T: Into<Outcome>> From<T> for OperationOutcome {
    fn from(outcome: T) -> Self {
        Self { outcome: outcome.into(), ..Self::default() }
    }
}

impl OperationResult {
    /// Reports the outcome of the operation `op`, the batch's `index`-th.
    pub(crate) fn new(index: usize, op: &str, done: OperationOutcome) -> Self {
        let OperationOutcome { outcome, address, before } = done;
        let refused = |refusal: Refusal| {
            let change =
                Change { remark: Some(refusal.message), comment_ids: refusal.comments, ..Change::default() };
            (Some(refusal.code), change)
        };
        let (status, (code, change)) = match outcome {
            Outcome::Applied(change) => (Status::Applied, (None, change)),
            Outcome::NoChange { remark } => {
                (Status::NoChange, (None, Change { remark, ..Change::default() }))
            }
            Outcome::Refused(refusal) => (Status::Refused, refused(refusal)),
            Outcome::Failed(refusal) => (Status::Failed, refused(refusal)),
            Outcome::NotAttempted => (Status::Refused, refused(Refusal::not_attempted())),
        };
        // What was not done to a long text needs no whole copy of it.
        let before = match status {
            Status::Refused | Status::Failed => before.map(shortened),
            Status::Applied | Status::NoChange => before,
        };
        Self {
            index,
            op: op.to_owned(),
            status,
            code: code.map(|code| code.as_str().to_owned()),
            message: change.remark,
            address,
            revision_ids: change.revision_ids,
            gone_revision_ids: change.gone_revision_ids,
            more_revisions: 0,
            comment_ids: change.comment_ids,
            untracked: change.untracked,
            before,
            after: change.after,
        }
    }
}

/// How much of the text before is told with a refusal, in bytes.
const BEFORE_SHOWN: usize = 800;

fn shortened(mut text: String) -> String {
    if text.len() > BEFORE_SHOWN {
        text.truncate(text.floor_char_boundary(BEFORE_SHOWN));
        text.push('…');
    }
    text
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofState {
    /// It was checked on the bytes written, and holds.
    Holds,
    /// There was nothing to prove: nothing changed, or the edit is untracked.
    #[default]
    NotApplicable,
}

/// Outcome of the proof of the whole part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Proof {
    /// Rejecting what was written gives back the base.
    pub reject: ProofState,
    /// Accepting what was written gives the requested text.
    pub accept: ProofState,
    /// What the redline is compared with.
    #[serde(default, skip_serializing_if = "ProofBase::is_source")]
    pub base: ProofBase,
}

/// What rejecting one's own changes must give back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofBase {
    /// The document as it was opened.
    #[default]
    Source,
    /// The document as it was before all of one's own rounds: as it was opened, one's own pending revisions rejected.
    BeforeOwn,
    /// The document as it was opened, with the tracked changes resolved that the batch accepted or rejected before its edits.
    Resolved,
}

impl ProofBase {
    fn is_source(&self) -> bool {
        *self == Self::Source
    }
}
