//! Observations: what happened, and where, that speaks for a lesson. Two from different work make a lesson a rule.
//!
//! Must never change a serialised name, nor count a copy or a fork of a session as other work.

use serde::{Deserialize, Serialize};

/// Who said what was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Witness {
    /// A model concluded it.
    #[default]
    Model,
    /// A person said it.
    Person,
    /// Calls of tools and how they ended.
    Calls,
}

/// What was observed of a lesson in one place.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// Hash of how the work began, with its times: the same for copies and forks of a session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub work: String,
    /// Id of the entry of the transcript.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub entry: String,
    /// Its line, from 1; 0 when it is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u64,
    /// Hash of the call and its result, or of the words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// Who said it.
    pub by: Witness,
}

static UNKNOWN: Observation = Observation {
    work: String::new(),
    entry: String::new(),
    line: 0,
    hash: String::new(),
    by: Witness::Model,
};

impl Observation {
    /// Nothing is known of it.
    #[must_use]
    pub fn unknown() -> &'static Self {
        &UNKNOWN
    }

    pub(super) fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// Where a lesson comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SkillSource {
    /// The trace: a session, or the part of one that was new.
    pub trace: String,
    /// The session as far as independence goes: forks count as the one they were forked from.
    pub session: String,
    /// What speaks for the lesson there, redacted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// What was observed; journals before 0.2 do not say.
    #[serde(default, skip_serializing_if = "Observation::is_unknown")]
    pub seen: Observation,
    /// When it was learnt, in milliseconds since 1970; 0 where that is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub at: u64,
}

/// From how many pieces of work some sources come.
pub(super) fn independent(sources: &[SkillSource]) -> usize {
    let mut counted: Vec<&SkillSource> = Vec::new();
    for source in sources {
        if !counted.iter().any(|known| is_same_work(known, source)) {
            counted.push(source);
        }
    }
    counted.len()
}

fn is_same_work(one: &SkillSource, other: &SkillSource) -> bool {
    one.session == other.session || !one.seen.work.is_empty() && one.seen.work == other.seen.work
}

/// Other words that were proposed for a lesson which is shown or waits, with what speaks for them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LessonRevision {
    /// The words.
    pub content: String,
    /// What speaks for them.
    pub sources: Vec<SkillSource>,
    /// The folder of skills in which somebody wrote them; without words it is the wish to take the lesson out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub from: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
