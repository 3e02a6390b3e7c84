//! Draws lessons from a trace: by a model, or by rules without one.
//!
//! Must never send a trace that was not redacted, take text of a transcript for instructions, or make up evidence.
//! [`rules`] is pure; `ask` speaks with a model through the trait of `llm`.

mod ask;
mod prompts;
pub mod rules;
mod same;
mod vague;

#[cfg(test)]
mod ask_tests;
#[cfg(test)]
mod rules_tests;
#[cfg(test)]
mod vague_tests;

use serde::{Deserialize, Serialize};

pub use ask::{ModelReflector, ModelReply, curate, reflect};
pub use same::join_same;
pub(crate) use vague::is_vague;

/// What was learnt from a trace, before it is held against the book.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reflection {
    /// What happened and why.
    pub reasoning: String,
    /// What went wrong.
    pub error_identification: String,
    /// Why.
    pub root_cause_analysis: String,
    /// What would have been right.
    pub correct_approach: String,
    /// The one thing to take along.
    pub key_insight: String,
    /// Lessons.
    pub extracted_learnings: Vec<Learning>,
    /// How skills did that were used.
    pub skill_tags: Vec<SkillTag>,
}

/// One lesson.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Learning {
    /// What to do.
    pub learning: String,
    /// How far it is one thing, from 0 to 1.
    pub atomicity_score: f64,
    /// What speaks for it.
    pub evidence: String,
    /// Why.
    pub justification: String,
}

/// How a skill did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillTag {
    /// Which.
    pub id: String,
    /// `helpful`, `harmful` or `neutral`.
    pub tag: String,
}
