//! Finds skills that say the opposite of each other.
//!
//! Found by words: the same matter, and one of the two turned round. Finds plain cases only, and never decides.

use std::collections::BTreeSet;

use super::book::Book;
use super::skill::{Skill, SkillStatus};
use super::words::{is_turned, topic};

/// How much of the smaller matter both must share.
const SHARED: f64 = 0.75;

/// How many words they must share at least.
const LEAST: usize = 2;

/// Two skills that say the opposite of each other.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Conflict {
    /// One.
    pub one: String,
    /// The other.
    pub other: String,
}

/// All conflicts between skills that are shown or could be.
#[must_use]
pub fn conflicts(book: &Book) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    for skill in book.skills().filter(|skill| is_live(skill)) {
        for other in against(book, &skill.content) {
            if skill.id < other.id && !book.is_kept_apart(&skill.id, &other.id) {
                conflicts.push(Conflict { one: skill.id.clone(), other: other.id.clone() });
            }
        }
    }
    conflicts
}

/// Skills in use that say the opposite of `content`.
pub(super) fn against<'a>(book: &'a Book, content: &str) -> Vec<&'a Skill> {
    // Turning a sentence round adds or changes a few words, so the matter is looked for more widely than a duplicate.
    let like = book.like_turned(content, 0.35, 50, !is_turned(content));
    like.iter()
        .filter_map(|found| book.at(found.place))
        .filter(|skill| is_live(skill) && are_opposed(&skill.content, content))
        .collect()
}

/// Whether two lessons say the opposite of each other.
pub(super) fn are_opposed(one: &str, other: &str) -> bool {
    if is_turned(one) == is_turned(other) {
        return false;
    }
    let (one, other): (BTreeSet<String>, BTreeSet<String>) = (topic(one), topic(other));
    let shared = one.intersection(&other).count();
    let smaller = one.len().min(other.len());
    shared >= LEAST && ratio(shared, smaller) >= SHARED
}

fn is_live(skill: &Skill) -> bool {
    matches!(skill.status, SkillStatus::Active | SkillStatus::Candidate)
}

#[expect(clippy::cast_precision_loss, reason = "these are a handful of words")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
