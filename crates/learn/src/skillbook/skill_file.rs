//! Lessons in the form of skills that agents load: a folder for each section, with a `SKILL.md` in it.
//!
//! Must never show what the list would not show. Where folders were written, and with which lessons, stands beside the skills
//! in the journal.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::book::Book;
use super::dialects::OWN;
use super::hand_edits::WrittenLessons;
use super::journal::Record;
use super::skill::Skill;
use super::words::topic;
use crate::safety::neutral;

/// Characters of the longest description that agents read.
const DESCRIPTION: usize = 900;

/// Words that a description names.
const WORDS: usize = 24;

/// The folders that were exported to: for each the lessons that were written.
pub type ExportedFolders = BTreeMap<String, WrittenLessons>;

/// The folder of a section: lower-case letters, digits and hyphens, as the format asks for.
#[must_use]
pub fn folder_name(section: &str) -> String {
    let mut name = "lessons".to_owned();
    for word in section.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        name.push('-');
        name.push_str(&word.to_ascii_lowercase());
    }
    if name == "lessons" {
        name.push_str(&format!("-{}", super::dialects::hash_of(section)));
    }
    name.truncate(64);
    name.trim_end_matches('-').to_owned()
}

/// What a new `SKILL.md` begins with; people may change it afterwards.
#[must_use]
pub fn head(section: &str, skills: &[&Skill]) -> String {
    let title = neutral(&section.replace(['_', '/'], " "));
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for word in skills.iter().flat_map(|skill| topic(&skill.content)) {
        *words.entry(word).or_default() += 1;
    }
    let mut words: Vec<(String, usize)> = words.into_iter().collect();
    words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let words: Vec<String> = words.into_iter().take(WORDS).map(|(word, _)| neutral(&word)).collect();
    let mut description =
        format!("What earlier sessions taught about {title}. Read it before work on: {}.", words.join(", "));
    description.truncate(description.floor_char_boundary(DESCRIPTION));
    let quoted = Value::from(description);
    format!("---\nname: {}\ndescription: {quoted}\n---\n\n# Lessons: {title}\n\n", folder_name(section))
}

/// What stands in the block of a `SKILL.md`.
#[must_use]
pub fn inner(skills: &[&Skill]) -> String {
    format!(
        "Each was observed in two pieces of work, or accepted by a person. Name the id of one that you act on, in brackets. \
         Changes here are proposals: `engross skills review` asks a person.\n\n{}",
        super::render::list(skills)
    )
}

/// The key of the folders among our own particulars.
const EXPORTS: &str = "exports";

impl Book {
    /// The folders that were exported to.
    #[must_use]
    pub fn exported(&self) -> ExportedFolders {
        let own = self.other.get(OWN).and_then(|own| own.get(EXPORTS));
        own.and_then(|exports| serde_json::from_value(exports.clone()).ok()).unwrap_or_default()
    }

    /// Says where was exported to; `None` when that is known.
    #[must_use]
    pub fn exporting(&self, exports: &ExportedFolders) -> Option<Record> {
        if self.exported() == *exports {
            return None;
        }
        let mut fields = self.other.clone();
        let own = fields.entry(OWN).or_insert_with(|| Value::Object(Map::new()));
        own[EXPORTS] = serde_json::to_value(exports).unwrap_or_default();
        Some(Record::Other { fields, last_number: self.last_number() })
    }
}
