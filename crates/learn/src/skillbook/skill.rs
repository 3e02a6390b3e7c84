//! One skill with its votes, its evidence and its score; the dates of skillbook files.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::observation::{LessonRevision, SkillSource, independent};

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
    /// A model wrote it down, and it is about nothing that a person said or a call did.
    Unwitnessed,
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
    /// It names something to install, or where software comes from.
    Package,
    /// It speaks of permissions.
    Permission,
    /// It speaks of passwords, keys or the like.
    Credential,
    /// It hides what it says.
    Disguise,
    /// Somebody wrote it into a skill file that was exported.
    Proposal,
    /// Nobody knows whether a person did it.
    UnknownActor,
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
    /// First word of the section and digits of the hash of its first words; never changed, never given twice.
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
    /// Other words that wait for a second observation, or for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<LessonRevision>,
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
        independent(&self.sources)
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

/// After so many days a vote counts half.
pub const HALF_LIFE_DAYS: f64 = 90.0;

/// How far below the mean the bound lies, in standard deviations.
const CAUTION: f64 = 1.0;

const DAY: f64 = 86_400_000.0;

/// From 0 to 1: a careful guess at how often the skill helps where it is used. Votes fade; without any it is the guess about
/// a skill nobody has tried. `now` is in milliseconds since 1970.
#[must_use]
pub fn score(skill: &Skill, now: u64) -> f64 {
    let (mut good, mut bad) = (1.0, 1.0);
    for vote in skill.votes.values().chain([&skill.brought]) {
        let weight = weight(vote, now);
        good += weight * f64::from(vote.helpful);
        bad += weight * f64::from(vote.harmful);
    }
    let all: f64 = good + bad;
    let mean = good / all;
    let deviation = (mean * (1.0 - mean) / (all + 1.0)).sqrt();
    (mean - CAUTION * deviation).clamp(0.0, 1.0)
}

/// What is left of a vote.
#[expect(clippy::cast_precision_loss, reason = "times in milliseconds are far below the limit")]
fn weight(vote: &Vote, now: u64) -> f64 {
    if vote.at == 0 {
        return 1.0;
    }
    let days = now.saturating_sub(vote.at) as f64 / DAY;
    0.5f64.powf(days / HALF_LIFE_DAYS)
}

/// Milliseconds since 1970 as `2026-02-27T15:30:05+00:00`; empty when unknown.
#[must_use]
pub fn to_iso(millis: u64) -> String {
    let at = i64::try_from(millis / 1000).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    match at {
        Some(at) if millis > 0 => format!("{}+00:00", at.to_string().trim_end_matches('Z')),
        _ => String::new(),
    }
}

/// An ISO date in milliseconds since 1970; 0 when it is none. A date without an offset is UTC.
#[must_use]
pub fn from_iso(text: &str) -> u64 {
    let at: Option<Timestamp> = text.parse().ok().or_else(|| format!("{text}Z").parse().ok());
    at.and_then(|at| u64::try_from(at.as_millisecond()).ok()).unwrap_or_default()
}
