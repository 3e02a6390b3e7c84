//! Records what could not be read, or only by a guess, with its line.
//!
//! Must never grow without bound: a file can be nothing but findings.

use std::collections::BTreeMap;

use serde::Serialize;

/// How many findings are kept one by one; the others are counted.
const KEPT: usize = 1_000;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The line is no JSON object: it is lost.
    BadLine,
    /// The last line is not whole yet: it is not read.
    TornTail,
    /// The line is longer than is read: it is lost.
    LineTooLong,
    /// The file has no header; its name says which session it is.
    NoHeader,
    /// A further header: ignored.
    SecondHeader,
    /// The entry's parent is nowhere above it; the entry before was taken.
    DanglingParent,
    /// The entry's id was used before.
    DuplicateId,
    /// A key stands twice; the last one was taken.
    DuplicateKey,
    /// Half a surrogate pair became U+FFFD.
    LoneSurrogate,
    /// The message is none: it is passed over.
    MessageMissing,
    /// A piece of the message is of no known kind: it is passed over.
    OddPiece,
    /// A call that was cut while it was written: no call.
    HalfCall,
    /// The entry is of no known kind: it is passed over.
    UnknownEntry,
    /// A call has no result.
    OrphanCall,
    /// A result has no call.
    OrphanResult,
    /// A call has a further result: the first one counts.
    DuplicateResult,
    /// A result stands before its call.
    LateResult,
    /// A result was made up by a program: it proves nothing.
    SyntheticResult,
    /// A program answered in the tool's place that the result is still to come.
    PendingResult,
    /// The entry is on a branch that was left.
    AbandonedBranch,
    /// A summary took the place of what stands above; the originals were read.
    Compaction,
    /// An assistant's words that no model spoke.
    NotFromModel,
}

impl FindingKind {
    /// Whether something of the file could not be read.
    #[must_use]
    pub fn is_loss(self) -> bool {
        matches!(
            self,
            Self::BadLine
                | Self::TornTail
                | Self::LineTooLong
                | Self::MessageMissing
                | Self::OddPiece
                | Self::HalfCall
        )
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TranscriptFinding {
    /// The line, counted from 1.
    pub line: u64,
    /// What it is.
    pub problem: FindingKind,
    /// More about it; often empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// All findings about a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Findings {
    /// How many of each kind there are.
    pub counts: BTreeMap<FindingKind, u64>,
    /// The first ones, by line.
    pub first: Vec<TranscriptFinding>,
}

impl Findings {
    pub(super) fn add(&mut self, line: u64, problem: FindingKind, detail: impl Into<String>) {
        *self.counts.entry(problem).or_default() += 1;
        if self.first.len() < KEPT {
            self.first.push(TranscriptFinding { line, problem, detail: detail.into() });
        }
    }

    /// How many there are of this kind.
    #[must_use]
    pub fn of(&self, problem: FindingKind) -> u64 {
        self.counts.get(&problem).copied().unwrap_or_default()
    }

    pub(super) fn sort(&mut self) {
        self.first.sort_by_key(|finding| (finding.line, finding.problem));
    }
}
