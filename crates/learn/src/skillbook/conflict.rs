//! Finds skills that say the opposite of each other.
//!
//! Found by words: a clause of one forbids what a clause of the other asks for. Finds plain cases only, and never decides.

use super::book::{Book, NearSkill};
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
///
/// Of two that say the opposite one forbids something or quotes, so only those are held against the book.
#[must_use]
pub fn conflicts(book: &Book) -> Vec<Conflict> {
    let mut conflicts: Vec<Conflict> = Vec::new();
    let may_oppose = |skill: &&Skill| is_live(skill) && Meaning::of(&skill.content).may_oppose();
    for skill in book.skills().filter(may_oppose) {
        for other in book.near(&skill.content, ALIKE).iter().filter(|near| is_against(near)) {
            let mut ids = [skill.id.clone(), other.skill.id.clone()];
            ids.sort();
            let [one, other] = ids;
            let conflict = Conflict { one, other };
            if !book.is_kept_apart(&conflict.one, &conflict.other) && !conflicts.contains(&conflict) {
                conflicts.push(conflict);
            }
        }
    }
    conflicts
}

/// Whether a skill in use says the opposite of what it was held against.
pub(super) fn is_against(near: &NearSkill<'_>) -> bool {
    near.similarity >= ALIKE && near.likeness == Likeness::Opposite && is_live(near.skill)
}

fn is_live(skill: &Skill) -> bool {
    matches!(skill.status, SkillStatus::Active | SkillStatus::Candidate)
}
