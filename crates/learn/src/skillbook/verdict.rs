//! What settling an operation needs to know, and what it comes to.

use serde::Serialize;

use super::journal::Record;
use super::observation::Observation;
use super::operation::SkillRefusal;
use super::skill::{Author, Quarantine, Skill, SkillStatus};

/// Where an operation comes from.
#[derive(Clone, Copy)]
pub struct SettleContext<'a> {
    /// Who asks for it.
    pub by: Author,
    /// The trace it was learnt from.
    pub trace: &'a str,
    /// The session as far as independence goes.
    pub session: &'a str,
    /// What was observed there.
    pub seen: &'a Observation,
    /// The moment, in milliseconds since 1970.
    pub now: u64,
    /// What is doubtful about a lesson with these words.
    pub doubts: &'a dyn Fn(&str) -> Vec<Quarantine>,
}

/// What an operation did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "effect")]
pub enum Effect {
    /// A lesson is new.
    Added {
        /// Its id.
        id: String,
        /// How far it has come.
        status: SkillStatus,
    },
    /// The lesson was there; it was seen once more.
    Confirmed {
        /// Its id.
        id: String,
        /// How far it has come now.
        status: SkillStatus,
    },
    /// Its words changed.
    Updated {
        /// Its id.
        id: String,
    },
    /// Other words wait for a second observation, or for a person.
    Proposed {
        /// Its id.
        id: String,
    },
    /// A vote was counted.
    Voted {
        /// Its id.
        id: String,
    },
    /// It was taken out.
    Retired {
        /// Its id.
        id: String,
    },
    /// Several became one.
    Merged {
        /// The one that stays.
        id: String,
    },
    /// Similar skills are kept.
    KeptApart,
    /// It was so before.
    Unchanged,
    /// It was not done.
    Refused(SkillRefusal),
}

/// What is to be kept of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What it did.
    pub effect: Effect,
    /// What is so from now on.
    pub records: Vec<Record>,
}

impl Verdict {
    pub(super) fn of(effect: Effect, records: Vec<Record>) -> Self {
        Self { effect, records }
    }

    pub(super) fn put(effect: Effect, skill: Skill) -> Self {
        Self::of(effect, vec![Record::Put(Box::new(skill))])
    }

    /// Nothing is to be kept.
    #[must_use]
    pub fn refused(refused: SkillRefusal) -> Self {
        Self::of(Effect::Refused(refused), Vec::new())
    }
}
