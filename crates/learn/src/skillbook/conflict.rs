//! Finds skills that say the opposite of each other.
//!
//! Found by words: a clause of one forbids what a clause of the other asks for. Finds plain cases only, and never decides.

use super::book::{Book, MOST};
use super::meaning::{Likeness, Meaning};
use super::skill::{Skill, SkillStatus};

/// How alike by words two lessons must be to be held against each other: all of a book are, so it may not cost much.
const ALIKE: f64 = 0.35;

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
    let wanted = Meaning::of(content);
    let like = book.like(content, ALIKE, MOST);
    like.iter()
        .filter_map(|found| book.at(found.place))
        .filter(|skill| is_live(skill) && Meaning::of(&skill.content).likeness(&wanted) == Likeness::Opposite)
        .collect()
}

fn is_live(skill: &Skill) -> bool {
    matches!(skill.status, SkillStatus::Active | SkillStatus::Candidate)
}
