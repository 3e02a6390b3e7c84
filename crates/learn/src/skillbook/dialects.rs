//! Reads six dialects of skillbook files as one.
//!
//! Must never lose a field: what means nothing here is kept with its skill, or with the book.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::observation::SkillSource;
use super::operation::section_name;
use super::skill::{Author, Quarantine, Skill, SkillStatus, Vote, from_iso};
use engross_transcript::stats::sha;

/// Which dialect a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Up to 0.6: `bullets`.
    Bullets,
    /// 0.7.0: skills without reasons.
    Plain,
    /// 0.7.3: with `justification` and `evidence`.
    Reasons,
    /// 0.8 to 0.9.0: with `sources` and counters.
    Counters,
    /// 0.9.3 to 0.10: without counters.
    NoCounters,
    /// 0.12 on: `schema_version` 2, alone or together with the fields of 0.8.
    Schema2,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// How it is written.
    pub dialect: Dialect,
    /// Its skills, in its order.
    pub skills: Vec<Skill>,
    /// The last number it gave.
    pub last_number: u64,
    /// Pairs that were judged.
    pub decisions: Map<String, Value>,
    /// Everything else at its top.
    pub other: Map<String, Value>,
    /// What had to be mended.
    pub repairs: Vec<String>,
    /// For each id the hash of the words that we wrote, where the file is ours.
    pub(super) hashes: HashMap<String, String>,
}

impl Import {
    /// Whether the words of a skill are others than those that we wrote into the file.
    pub(super) fn is_edited(&self, skill: &Skill) -> bool {
        self.hashes.get(&skill.id).is_some_and(|hash| *hash != hash_of(&skill.content))
    }
}

/// Hash of the words of a skill, to notice that someone changed them.
pub(super) fn hash_of(content: &str) -> String {
    sha(content.as_bytes())
}

/// The field under which our own particulars stand in the hybrid.
pub(super) const OWN: &str = "engross";

/// Reads a file of any dialect.
///
/// # Errors
/// Why it is no skillbook.
pub fn import(text: &str) -> Result<Import, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))?;
    let Value::Object(mut top) = value else { return Err("it is no JSON object".to_owned()) };
    let is_2 = top.get("schema_version").is_some_and(|version| version == "2" || version == 2);
    let (held, has_bullets) = match (top.shift_remove("skills"), top.shift_remove("bullets")) {
        (Some(Value::Object(skills)), _) => (skills, false),
        (_, Some(Value::Object(bullets))) => (bullets, true),
        (Some(_), _) | (_, Some(_)) => return Err("its skills are no object".to_owned()),
        (None, None) => return Err("it has neither 'skills' nor 'bullets'".to_owned()),
    };
    let has = |name: &str| held.values().any(|skill| skill.get(name).is_some());
    let dialect = match (has_bullets, is_2) {
        (true, _) => Dialect::Bullets,
        (_, true) => Dialect::Schema2,
        _ if has("sources") && has("helpful") => Dialect::Counters,
        _ if has("sources") => Dialect::NoCounters,
        _ if has("justification") || has("evidence") => Dialect::Reasons,
        _ => Dialect::Plain,
    };
    let mut repairs = Vec::new();
    let mut skills = Vec::with_capacity(held.len());
    let mut hashes = HashMap::new();
    for (id, value) in held {
        if let Some(hash) = value.pointer("/engross/hash").and_then(Value::as_str) {
            hashes.insert(id.clone(), hash.to_owned());
        }
        match value {
            Value::Object(fields) => skills.push(skill(&id, fields, &mut repairs)),
            _ => repairs.push(format!("'{id}' is no object and was left out")),
        }
    }
    let sections = top.shift_remove("sections").unwrap_or_default();
    mend_sections(&skills, &sections, &mut repairs);
    let highest = skills.iter().filter_map(|skill| number_of(&skill.id)).max().unwrap_or_default();
    let said = top.shift_remove("next_id").and_then(|next| next.as_u64()).unwrap_or_default();
    if said < highest {
        repairs.push(format!("next_id was {said}, although {highest} was given"));
    }
    let decisions = match top.shift_remove("similarity_decisions") {
        Some(Value::Object(decisions)) => decisions,
        _ => Map::new(),
    };
    top.shift_remove("schema_version");
    Ok(Import { dialect, skills, last_number: said.max(highest), decisions, other: top, repairs, hashes })
}

fn skill(id: &str, mut fields: Map<String, Value>, repairs: &mut Vec<String>) -> Skill {
    if fields.get("id").and_then(Value::as_str).is_some_and(|inner| inner != id) {
        repairs.push(format!("'{id}' calls itself {}", fields["id"]));
    }
    fields.shift_remove("id");
    let mut text = |name: &str| match fields.shift_remove(name) {
        Some(Value::String(text)) => text,
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    };
    let (section, content, justification, evidence) =
        (text("section"), text("content"), text("justification"), text("evidence"));
    let (issue, insight) = (text("issue"), text("insight"));
    let (created, updated) = (from_iso(&text("created_at")), from_iso(&text("updated_at")));
    let status = text("status");
    let content = if content.is_empty() { insight } else { content };
    // Our own files say it in other words where there are none.
    let issue = if issue == content || issue == justification || issue == id { String::new() } else { issue };
    let mut number = |names: [&str; 2]| {
        let mut found = 0;
        for name in names {
            if let Some(value) = fields.shift_remove(name) {
                found =
                    found.max(value.as_u64().and_then(|count| u32::try_from(count).ok()).unwrap_or_default());
            }
        }
        found
    };
    let brought = Vote {
        helpful: number(["helpful", "helpful_count"]),
        harmful: number(["harmful", "harmful_count"]),
        neutral: number(["neutral", "neutral_count"]),
        at: 0,
    };
    fields.shift_remove("used_count");
    let active = fields.shift_remove("active").and_then(|active| active.as_bool());
    let keywords = match fields.shift_remove("keywords") {
        Some(Value::Array(words)) => {
            words.into_iter().filter_map(|word| word.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    if content.is_empty() {
        repairs.push(format!("'{id}' says nothing"));
    }
    let is_out = status == "invalid" || active == Some(false) || content.is_empty();
    let mut skill = Skill {
        id: id.to_owned(),
        section: section_of(&section, &keywords),
        content,
        justification,
        evidence,
        issue,
        keywords,
        status: if is_out { SkillStatus::Retired } else { SkillStatus::Active },
        created,
        updated,
        brought,
        ..Skill::default()
    };
    if let Some(Value::Object(own)) = fields.shift_remove(OWN) {
        take_own(&mut skill, &own);
    }
    // These two stand in every file, whether they say something or not.
    for name in ["sources", "occurrences"] {
        if fields.get(name).and_then(Value::as_array).is_some_and(Vec::is_empty) {
            fields.shift_remove(name);
        }
    }
    skill.other = fields;
    skill
}

/// The hybrid's section is `context` for others; ours stands in the first keyword then.
fn section_of(section: &str, keywords: &[String]) -> String {
    match (section, keywords.first()) {
        ("context" | "harness", Some(first)) => section_name(first),
        (section, _) => section_name(section),
    }
}

/// Our own particulars, which only our files have.
fn take_own(skill: &mut Skill, own: &Map<String, Value>) {
    let read = |name: &str| own.get(name).cloned().unwrap_or_default();
    if let Ok(status) = serde_json::from_value::<SkillStatus>(read("status")) {
        skill.status = status;
    }
    skill.quarantine = serde_json::from_value::<Vec<Quarantine>>(read("quarantine")).unwrap_or_default();
    skill.is_pinned = read("pinned").as_bool().unwrap_or_default();
    skill.author = serde_json::from_value::<Author>(read("author")).unwrap_or_default();
    skill.sources = serde_json::from_value::<Vec<SkillSource>>(read("sources")).unwrap_or_default();
    skill.votes = serde_json::from_value(read("votes")).unwrap_or_default();
    // The counters of the file are all votes; those with a trace must not count twice.
    let counted = skill.votes.values();
    let (mut helpful, mut harmful, mut neutral) = (0u32, 0u32, 0u32);
    for vote in counted {
        helpful = helpful.saturating_add(vote.helpful);
        harmful = harmful.saturating_add(vote.harmful);
        neutral = neutral.saturating_add(vote.neutral);
    }
    skill.brought.helpful = skill.brought.helpful.saturating_sub(helpful);
    skill.brought.harmful = skill.brought.harmful.saturating_sub(harmful);
    skill.brought.neutral = skill.brought.neutral.saturating_sub(neutral);
}

/// The map of sections is made from the skills; what it says otherwise is told.
fn mend_sections(skills: &[Skill], sections: &Value, repairs: &mut Vec<String>) {
    let section_of: HashMap<&str, &str> =
        skills.iter().map(|skill| (skill.id.as_str(), skill.section.as_str())).collect();
    for (name, ids) in sections.as_object().into_iter().flatten() {
        for id in ids.as_array().into_iter().flatten().filter_map(Value::as_str) {
            match section_of.get(id) {
                None => repairs.push(format!("section '{name}' lists '{id}', which is not there")),
                Some(section) if !matches!(name.as_str(), "context" | "harness") => {
                    if *section != section_name(name) {
                        repairs.push(format!("'{id}' is listed in '{name}' and says '{section}'"));
                    }
                }
                Some(_) => {}
            }
        }
    }
}

fn number_of(id: &str) -> Option<u64> {
    id.rsplit_once('-')?.1.parse().ok()
}
