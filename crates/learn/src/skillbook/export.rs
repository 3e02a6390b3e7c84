//! Writes the book for others: one file that all programs of this family from 0.8 on read, and Markdown for people.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::book::Book;
use super::dialects::{Import, OWN, hash_of};
use super::evidence::promote;
use super::journal::Record;
use super::skill::{Author, Skill, SkillStatus, to_iso};
use crate::safety::doubts;

/// The hybrid file. Skills that are not shown are `invalid` and not `active` to others.
#[must_use]
pub fn to_hybrid(book: &Book) -> Value {
    let mut top = book.other.clone();
    top.insert("schema_version".to_owned(), json!("2"));
    let skills: Map<String, Value> =
        book.skills().map(|skill| (skill.id.clone(), skill_fields(skill))).collect();
    top.insert("skills".to_owned(), Value::Object(skills));
    // With other names in this map, 0.12 and later load a skill and never show it.
    let shown = book.skills().filter(|skill| skill.status == SkillStatus::Active);
    let shown: Vec<&str> = shown.map(|skill| skill.id.as_str()).collect();
    top.insert("sections".to_owned(), if shown.is_empty() { json!({}) } else { json!({"context": shown}) });
    top.insert("next_id".to_owned(), json!(book.last_number()));
    top.insert("similarity_decisions".to_owned(), json!(book.decisions));
    Value::Object(top)
}

fn skill_fields(skill: &Skill) -> Value {
    let total = skill.total();
    let is_shown = skill.status == SkillStatus::Active;
    let mut keywords = vec![skill.section.clone()];
    keywords.extend(skill.keywords.iter().filter(|word| **word != skill.section).cloned());
    let none_if_empty = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    let mut value = json!({
        "id": skill.id, "section": skill.section, "content": skill.content,
        "justification": none_if_empty(&skill.justification), "evidence": none_if_empty(&skill.evidence),
        "helpful": total.helpful, "harmful": total.harmful, "neutral": total.neutral,
        "created_at": to_iso(skill.created.max(1000)), "updated_at": to_iso(skill.updated.max(1000)),
        "status": if is_shown { "active" } else { "invalid" },
        "keywords": keywords, "issue": issue_of(skill), "insight": skill.content, "active": is_shown,
        "used_count": u64::from(total.helpful) + u64::from(total.harmful) + u64::from(total.neutral),
        "helpful_count": total.helpful, "harmful_count": total.harmful, "neutral_count": total.neutral,
    });
    if let Some(fields) = value.as_object_mut() {
        for (name, other) in &skill.other {
            fields.insert(name.clone(), other.clone());
        }
        for name in ["sources", "occurrences"] {
            fields.entry(name).or_insert_with(|| json!([]));
        }
        let own = json!({
            "status": skill.status, "quarantine": skill.quarantine, "pinned": skill.is_pinned,
            "author": skill.author, "sources": skill.sources, "votes": skill.votes,
            "hash": hash_of(&skill.content),
        });
        fields.insert(OWN.to_owned(), own);
    }
    value
}

/// What goes wrong without a skill, in some words: 0.12 and later refuse a whole book for one skill without any.
fn issue_of(skill: &Skill) -> &str {
    let said = [&skill.issue, &skill.justification, &skill.content, &skill.id];
    said.into_iter().find(|text| !text.trim().is_empty()).map_or("unknown", String::as_str)
}

impl Book {
    /// What a file of others changes in this book: its new skills, and of known ones the words that were changed there and
    /// the votes that were added there.
    #[must_use]
    pub fn merge(&self, import: &Import) -> Vec<Record> {
        let mut records = Vec::new();
        for theirs in &import.skills {
            let merged = match self.get(&theirs.id) {
                Some(ours) if is_one_lesson(ours, theirs, import) => joined(ours, theirs, import),
                // Two people gave one id to two lessons: both are kept.
                Some(_) => {
                    if self.skills().any(|known| known.content == theirs.content) {
                        continue;
                    }
                    Skill { id: self.next_id(&theirs.section, &theirs.content), ..theirs.clone() }
                }
                None => {
                    let quarantine = match theirs.status {
                        SkillStatus::Active => doubts(&theirs.content),
                        _ => theirs.quarantine.clone(),
                    };
                    let status = if quarantine.is_empty() { theirs.status } else { SkillStatus::Quarantined };
                    Skill { quarantine, status, ..theirs.clone() }
                }
            };
            if self.get(&merged.id) != Some(&merged) {
                records.push(Record::Put(Box::new(merged)));
            }
        }
        for (pair, why) in &import.decisions {
            if let Some((one, other)) = pair.split_once(',')
                && !self.is_kept_apart(one, other)
            {
                records.push(Record::Apart {
                    one: one.to_owned(),
                    other: other.to_owned(),
                    why: why.clone(),
                });
            }
        }
        let mut fields = self.other.clone();
        fields.extend(import.other.clone());
        if fields != self.other || import.last_number > self.last_number() {
            records.push(Record::Other { fields, last_number: import.last_number });
        }
        records
    }
}

/// Whether a skill of a file with the id of ours is ours, perhaps in other words.
fn is_one_lesson(ours: &Skill, theirs: &Skill, import: &Import) -> bool {
    // Files hold whole seconds, and other programs may leave the time out.
    let is_of_one_time = theirs.created / 1000 == ours.created.max(1000) / 1000 || theirs.created <= 1000;
    theirs.content == ours.content || theirs.content.is_empty() || is_of_one_time || import.is_edited(theirs)
}

/// Our skill with what a file adds: words that a person changed there, votes and sources.
fn joined(ours: &Skill, theirs: &Skill, import: &Import) -> Skill {
    let mut merged = ours.clone();
    let is_newer = !import.hashes.contains_key(&theirs.id) && theirs.updated >= ours.updated
        || theirs.updated / 1000 > ours.updated / 1000;
    if theirs.content != ours.content && !theirs.content.is_empty() && (is_newer || import.is_edited(theirs))
    {
        merged.content.clone_from(&theirs.content);
        merged.updated = theirs.updated.max(ours.updated);
        merged.author = Author::Person;
        merged.revision = None;
        merged.quarantine = doubts(&merged.content);
        if !merged.quarantine.is_empty() {
            merged.status = SkillStatus::Quarantined;
        }
    }
    for source in &theirs.sources {
        if !merged.sources.contains(source) {
            merged.sources.push(source.clone());
        }
    }
    promote(&mut merged);
    for (trace, vote) in &theirs.votes {
        merged.votes.entry(trace.clone()).or_insert(*vote);
    }
    let (total, said) = (merged.total(), theirs.total());
    merged.brought.helpful += said.helpful.saturating_sub(total.helpful);
    merged.brought.harmful += said.harmful.saturating_sub(total.harmful);
    merged.brought.neutral += said.neutral.saturating_sub(total.neutral);
    for (name, value) in &theirs.other {
        merged.other.insert(name.clone(), value.clone());
    }
    merged
}

/// The shown skills as Markdown, by section.
#[must_use]
pub fn markdown(book: &Book) -> String {
    let mut shown: Vec<&Skill> = book.skills().filter(|skill| skill.status == SkillStatus::Active).collect();
    shown.sort_by(|a, b| a.section.cmp(&b.section));
    let mut text = "# Skillbook\n".to_owned();
    let mut section = None;
    for skill in shown {
        if section != Some(&skill.section) {
            let _ = write!(text, "\n## {}\n", line(&skill.section));
            section = Some(&skill.section);
        }
        let total = skill.total();
        let _ = write!(text, "\n### {}\n\n{}\n", skill.id, line(&skill.content));
        for (name, value) in [("Why", &skill.justification), ("Evidence", &skill.evidence)] {
            if !value.is_empty() {
                let _ = write!(text, "\n*{name}:* {}\n", line(value));
            }
        }
        let _ = write!(
            text,
            "\nHelped {}, harmed {}, from {} sessions.\n",
            total.helpful,
            total.harmful,
            skill.sessions()
        );
    }
    text
}

/// A text as one line that cannot end a heading, a list or a fence.
fn line(text: &str) -> String {
    crate::safety::neutral(text)
}
