//! One lesson.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How far a lesson has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillStatus {
    /// Seen in one session: kept, not shown.
    #[default]
    Candidate,
    /// Shown.
    Active,
    /// Waits for a person: its evidence or its words are doubtful. Not shown.
    Quarantined,
    /// It did harm, or a person took it out. Not shown, and not learnt again.
    Retired,
}

/// Why a lesson waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quarantine {
    /// Only what a tool said speaks for it.
    ToolTextOnly,
    /// It runs a command.
    Shell,
    /// It names an address on the net.
    Url,
    /// It turns a safeguard off.
    DisablesSafety,
    /// It sends data away.
    Exfiltration,
    /// It speaks to the agent like an order from above.
    Injection,
    /// It says the opposite of another skill.
    Contradiction,
}

/// Who wrote a lesson as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A model, or rules, from transcripts.
    #[default]
    Learnt,
    /// A person.
    Person,
}

/// Where a lesson comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillSource {
    /// The trace: a session, or the part of one that was new.
    pub trace: String,
    /// The session as far as independence goes: forks count as the one they were forked from.
    pub session: String,
    /// What speaks for the lesson there, redacted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

/// What a trace says about a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Vote {
    /// It helped.
    #[serde(rename = "h", default)]
    pub helpful: u32,
    /// It harmed.
    #[serde(rename = "x", default)]
    pub harmful: u32,
    /// Neither.
    #[serde(rename = "n", default)]
    pub neutral: u32,
    /// When, in milliseconds since 1970.
    #[serde(rename = "at", default)]
    pub at: u64,
}

/// One lesson. Times are in milliseconds since 1970, UTC; 0 is unknown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Skill {
    /// First word of the section and a number; never given twice.
    pub id: String,
    /// What it is about.
    pub section: String,
    /// What to do, as an order.
    pub content: String,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub justification: String,
    /// What speaks for it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// What goes wrong without it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub issue: String,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// How far it has come.
    pub status: SkillStatus,
    /// Why it waits for a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quarantine: Vec<Quarantine>,
    /// Never taken out by itself.
    #[serde(skip_serializing_if = "is_false")]
    pub is_pinned: bool,
    /// Who wrote it as it stands.
    pub author: Author,
    /// When it was made.
    pub created: u64,
    /// When its words last changed.
    pub updated: u64,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SkillSource>,
    /// Votes by trace, so that reading a trace again counts nothing twice.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub votes: BTreeMap<String, Vote>,
    /// Votes that came along with a file and have no trace.
    #[serde(skip_serializing_if = "is_no_vote")]
    pub brought: Vote,
    /// Fields of other programs that mean nothing here, as they came.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub other: Map<String, Value>,
}

impl Skill {
    /// All votes together.
    #[must_use]
    pub fn total(&self) -> Vote {
        self.votes.values().fold(self.brought, |total, vote| Vote {
            helpful: total.helpful.saturating_add(vote.helpful),
            harmful: total.harmful.saturating_add(vote.harmful),
            neutral: total.neutral.saturating_add(vote.neutral),
            at: total.at.max(vote.at),
        })
    }

    /// From how many independent sessions it comes.
    #[must_use]
    pub fn sessions(&self) -> usize {
        let mut sessions: Vec<&str> = self.sources.iter().map(|source| source.session.as_str()).collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions.len()
    }

    /// Whether a person has a say in it, so that nothing takes it out by itself.
    #[must_use]
    pub fn is_persons(&self) -> bool {
        self.is_pinned || self.author == Author::Person
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_false(value: &bool) -> bool {
    !value
}

fn is_no_vote(vote: &Vote) -> bool {
    *vote == Vote::default()
}
