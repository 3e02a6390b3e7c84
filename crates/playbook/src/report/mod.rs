//! What became of each position, for people and programs.
//!
//! Must never say more than was found: a verdict of a model stands beside the words it cites, and one that was not taken says why.

mod html;
mod markdown;
mod text;

use engross_docx::ops::{OperationResult, Proof};
use serde::Serialize;

pub use html::html;
pub use markdown::markdown;
pub use text::{asked, text, verdicts};

/// A playbook, answered for a document.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewReport {
    /// The document as it was named.
    pub document: String,
    /// The playbook as it was named.
    pub playbook: String,
    /// Its title; empty without one.
    pub title: String,
    /// The model that was asked, as it is named.
    pub model: String,
    /// How often it was asked: at most twice.
    pub rounds: u32,
    /// How many positions have which verdict.
    pub summary: VerdictCounts,
    /// In the order of the playbook.
    pub positions: Vec<PositionReport>,
    /// What is wrong with the answers as such: positions that nobody asked for.
    pub warnings: Vec<String>,
    /// The file with changes and comments.
    pub output: Option<String>,
    /// SHA-256 of it.
    pub sha256: Option<String>,
    /// What was proven of it.
    pub proof: Proof,
}

/// How many positions have which verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct VerdictCounts {
    /// As wanted.
    pub standard: usize,
    /// Acceptable.
    pub fallback: usize,
    /// Neither.
    pub deviates: usize,
    /// Across a red line.
    pub never: usize,
    /// Not there.
    pub missing: usize,
    /// Without an answer that holds.
    pub unanswered: usize,
}

/// What a clause is, by the playbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClauseVerdict {
    /// As wanted.
    Standard,
    /// Acceptable.
    Fallback,
    /// Neither as wanted nor acceptable.
    Deviates,
    /// Across a red line.
    Never,
    /// The document does not have it.
    Missing,
    /// There is no answer that holds.
    Unanswered,
}

/// Who gave a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictSource {
    /// The words of the document, compared with those of the playbook.
    Words,
    /// The model, with a citation that is in the document.
    Model,
    /// Nobody.
    Nobody,
}

/// A position, and what became of it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PositionReport {
    /// The clause.
    pub position: String,
    /// Its line in the playbook.
    pub line: usize,
    /// Where the document has it.
    pub clause: Option<ClausePlace>,
    /// What it is.
    pub verdict: ClauseVerdict,
    /// Who says so.
    pub source: VerdictSource,
    /// The words of the document that it rests on.
    pub citation: Option<Citation>,
    /// Why.
    pub reason: String,
    /// What was changed or commented, and how that ended.
    pub operations: Vec<OperationResult>,
    /// What was not taken, and why.
    pub problems: Vec<PositionProblem>,
}

/// Where a document has a clause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClausePlace {
    /// Its first paragraph: `P12`.
    pub from: String,
    /// Its last.
    pub to: String,
    /// Its heading, or the words by which it was found.
    pub title: String,
}

/// Words of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Citation {
    /// Their paragraph: `P12`.
    pub address: String,
    /// The words, as the document has them.
    pub quote: String,
}

/// Something that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PositionProblem {
    /// Stable code.
    pub code: String,
    /// What and why.
    pub message: String,
}

impl ClauseVerdict {
    /// The word for it, for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Fallback => "fallback",
            Self::Deviates => "deviates",
            Self::Never => "never",
            Self::Missing => "missing",
            Self::Unanswered => "unanswered",
        }
    }

    /// Whether nothing has to be done about it.
    #[must_use]
    pub fn is_acceptable(self) -> bool {
        matches!(self, Self::Standard | Self::Fallback)
    }
}

impl VerdictCounts {
    /// Counts verdicts.
    #[must_use]
    pub fn of(positions: &[PositionReport]) -> Self {
        let mut counts = Self::default();
        for position in positions {
            *match position.verdict {
                ClauseVerdict::Standard => &mut counts.standard,
                ClauseVerdict::Fallback => &mut counts.fallback,
                ClauseVerdict::Deviates => &mut counts.deviates,
                ClauseVerdict::Never => &mut counts.never,
                ClauseVerdict::Missing => &mut counts.missing,
                ClauseVerdict::Unanswered => &mut counts.unanswered,
            } += 1;
        }
        counts
    }

    /// The counts that are not zero, for people: "3 standard, 1 deviates".
    #[must_use]
    pub fn sentence(&self) -> String {
        let rows = [
            (self.standard, ClauseVerdict::Standard),
            (self.fallback, ClauseVerdict::Fallback),
            (self.deviates, ClauseVerdict::Deviates),
            (self.never, ClauseVerdict::Never),
            (self.missing, ClauseVerdict::Missing),
            (self.unanswered, ClauseVerdict::Unanswered),
        ];
        let rows = rows.iter().filter(|(count, _)| *count > 0);
        rows.map(|(count, verdict)| format!("{count} {}", verdict.word())).collect::<Vec<_>>().join(", ")
    }
}

impl PositionReport {
    /// What was done about it, in a line for each operation.
    fn done(&self) -> impl Iterator<Item = String> {
        use engross_docx::ops::Status;
        self.operations.iter().map(|operation| {
            let place =
                operation.address.as_deref().map(|address| format!(" at {address}")).unwrap_or_default();
            let what = match (operation.op.as_str(), operation.status) {
                ("insert_comment", Status::Applied) => "comment".to_owned(),
                (_, Status::Applied) => "tracked change".to_owned(),
                (op, status) => {
                    let status = match status {
                        Status::NoChange => "nothing to change",
                        Status::Refused => "refused",
                        _ => "failed",
                    };
                    let why = operation.message.as_deref().unwrap_or_default();
                    format!("{op} {status}: {why}")
                }
            };
            format!("{what}{place}")
        })
    }
}
