//! The report of a run, for people and programs.

use std::collections::BTreeMap;

use engross_llm::Usage;
use serde::Serialize;

use crate::skillbook::{Book, Conflict, Effect, SkillStatus};

/// What a run did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LearnReport {
    /// Session files that were found.
    pub found: usize,
    /// Of these, learnt from now.
    pub learnt: usize,
    /// Of these, with nothing to learn from, or nothing new.
    pub skipped: usize,
    /// Of these, failed or not readable.
    pub failed: usize,
    /// Each file that is not merely unchanged, by name.
    pub sessions: Vec<SessionReport>,
    /// The book before.
    pub before: SkillCounts,
    /// The book after.
    pub after: SkillCounts,
    /// Skills that say the opposite of each other.
    pub conflicts: Vec<Conflict>,
    /// What the model cost.
    pub usage: Usage,
    /// How often the model was asked.
    pub calls: u32,
    /// So many secrets and personal data were taken out of what a model was sent, or of lessons.
    pub redacted: u64,
    /// What else was noticed.
    pub notes: Vec<String>,
    /// Whether nothing was written by wish.
    pub dry_run: bool,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
}

/// What became of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionReport {
    /// The file's name.
    pub file: String,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: SessionOutcome,
    /// Lines that could not be read.
    #[serde(skip_serializing_if = "is_none")]
    pub losses: u64,
}

/// What became of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum SessionOutcome {
    /// It was learnt from.
    Learnt {
        /// What each operation did.
        effects: Vec<Effect>,
    },
    /// There was nothing to learn from.
    Skipped {
        /// Why.
        reason: String,
    },
    /// It failed before and is tried later.
    Waiting {
        /// When, in milliseconds since 1970.
        until: u64,
    },
    /// It failed.
    Failed {
        /// Stable code.
        code: String,
        /// What happened.
        message: String,
    },
}

/// How many skills there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SkillCounts {
    /// Shown.
    pub active: usize,
    /// Seen once.
    pub candidate: usize,
    /// Wait for a person.
    pub quarantined: usize,
    /// Taken out.
    pub retired: usize,
}

impl SkillCounts {
    pub(super) fn of(book: &Book) -> Self {
        Self {
            active: book.count(SkillStatus::Active),
            candidate: book.count(SkillStatus::Candidate),
            quarantined: book.count(SkillStatus::Quarantined),
            retired: book.count(SkillStatus::Retired),
        }
    }
}

impl LearnReport {
    /// How often each effect came about, by its name.
    #[must_use]
    pub fn effects(&self) -> BTreeMap<&'static str, usize> {
        let mut effects = BTreeMap::new();
        for session in &self.sessions {
            if let SessionOutcome::Learnt { effects: those } = &session.outcome {
                for effect in those {
                    *effects.entry(name(effect)).or_default() += 1;
                }
            }
        }
        effects
    }
}

fn name(effect: &Effect) -> &'static str {
    match effect {
        Effect::Added { .. } => "new",
        Effect::Confirmed { .. } => "confirmed",
        Effect::Updated { .. } => "updated",
        Effect::Proposed { .. } => "proposed",
        Effect::Voted { .. } => "votes",
        Effect::Retired { .. } => "retired",
        Effect::Merged { .. } => "merged",
        Effect::KeptApart => "kept apart",
        Effect::Unchanged => "unchanged",
        Effect::Refused(_) => "refused",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_none(count: &u64) -> bool {
    *count == 0
}
