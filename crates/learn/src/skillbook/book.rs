//! The book in memory: all skills, by id and in order.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::compare::{Index, SimilarSkill};
use super::meaning::{Likeness, Meaning};
use super::record::Record;
use super::skill::{Skill, SkillStatus};

/// A skillbook. Its order is that in which skills came.
#[derive(Debug, Clone, Default)]
pub struct Book {
    skills: Vec<Skill>,
    places: HashMap<String, usize>,
    last_number: u64,
    /// Pairs that were judged to be two things, `ID,ID` in order, with what was said about them.
    pub(super) decisions: BTreeMap<String, Value>,
    /// Fields of the whole file that mean nothing here, as they came.
    pub(super) other: Map<String, Value>,
    /// Made when it is first needed: reading a book need not wait for it.
    index: OnceLock<Index>,
}

impl Book {
    /// The skills, oldest first.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = &Skill> {
        self.skills.iter()
    }

    /// The skill with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Skill> {
        self.skills.get(*self.places.get(id)?)
    }

    /// The skill at this place.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<&Skill> {
        self.skills.get(place)
    }

    /// How many skills have this status.
    #[must_use]
    pub fn count(&self, status: SkillStatus) -> usize {
        self.skills.iter().filter(|skill| skill.status == status).count()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// The highest number that an id has had.
    #[must_use]
    pub fn last_number(&self) -> u64 {
        self.last_number
    }

    /// An id that no skill has had: the section's first word and digits of the hash of the lesson's first words, so that two
    /// people who learn two lessons give them two ids.
    #[must_use]
    pub fn next_id(&self, section: &str, content: &str) -> String {
        let word = section.split_whitespace().next().unwrap_or("general").to_lowercase();
        let mut number = digits_of(content);
        loop {
            let id = format!("{word}-{number:08}");
            if !self.places.contains_key(&id) {
                return id;
            }
            number = (number + 1) % DIGITS;
        }
    }

    /// Whether a pair was judged to be two things.
    #[must_use]
    pub fn is_kept_apart(&self, one: &str, other: &str) -> bool {
        self.decisions.contains_key(&pair(one, other))
    }

    /// The skills most like `text`, best first: those of at least this similarity, at most `limit`. Retired ones are among them.
    #[must_use]
    pub fn like(&self, text: &str, least: f64, limit: usize) -> Vec<SimilarSkill> {
        self.index().like(text, least, limit)
    }

    /// The skills that say the same as `text`, most alike first.
    pub fn same(&self, text: &str) -> impl Iterator<Item = &Skill> {
        let near = self.near(text, NEAR).into_iter();
        near.filter(|near| near.likeness == Likeness::Same).map(|near| near.skill)
    }

    /// The skills of at least this similarity, held against `text`, most alike first.
    pub(super) fn near(&self, text: &str, least: f64) -> Vec<NearSkill<'_>> {
        let wanted = Meaning::of(text);
        let found = self.like(text, least, MOST).into_iter();
        found
            .filter_map(|found| {
                let skill = self.at(found.place)?;
                let likeness = Meaning::of(&skill.content).likeness(&wanted);
                Some(NearSkill { skill, similarity: found.similarity, likeness })
            })
            .collect()
    }

    /// How rare a word is among the lessons: 1 for one that all have, more for rarer ones.
    pub(super) fn rarity(&self, word: &str) -> f64 {
        self.index().rarity(word)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            for (place, skill) in self.skills.iter().enumerate() {
                index.set(place, &skill.content);
            }
            index
        })
    }

    /// Makes room for so many skills more.
    pub(super) fn reserve(&mut self, count: usize) {
        // A journal of votes alone must not take the room of as many skills.
        let count = count.min(1 << 17);
        self.skills.reserve(count);
        self.places.reserve(count);
    }

    /// Does what a record says. Records are facts: this cannot fail.
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Put(skill) => self.put(*skill),
            Record::Vote { id, trace, vote } => {
                if let Some(skill) = self.places.get(&id).and_then(|place| self.skills.get_mut(*place)) {
                    skill.votes.insert(trace, vote);
                }
            }
            Record::Apart { one, other, why } => {
                self.decisions.insert(pair(&one, &other), why);
            }
            // Not of the book, but of the journal round it.
            Record::Session { .. } => {}
            Record::Other { fields, last_number } => {
                self.other = fields;
                self.last_number = self.last_number.max(last_number);
            }
        }
    }

    /// The records that make this book from nothing.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        let other = Record::Other { fields: self.other.clone(), last_number: self.last_number };
        let skills = self.skills.iter().map(|skill| Record::Put(Box::new(skill.clone())));
        let apart = self.decisions.iter().filter_map(|(pair, why)| {
            let (one, other) = pair.split_once(',')?;
            Some(Record::Apart { one: one.to_owned(), other: other.to_owned(), why: why.clone() })
        });
        std::iter::once(other).chain(skills).chain(apart)
    }

    fn put(&mut self, skill: Skill) {
        let number =
            skill.id.rsplit_once('-').and_then(|(_, number)| number.parse().ok()).unwrap_or_default();
        self.last_number = self.last_number.max(number);
        let place = match self.places.get(&skill.id) {
            Some(place) => *place,
            None => {
                self.places.insert(skill.id.clone(), self.skills.len());
                self.skills.len()
            }
        };
        if let Some(index) = self.index.get_mut() {
            index.set(place, &skill.content);
        }
        match self.skills.get_mut(place) {
            Some(held) => *held = skill,
            None => self.skills.push(skill),
        }
    }
}

impl PartialEq for Book {
    fn eq(&self, other: &Self) -> bool {
        (&self.skills, self.last_number, &self.decisions, &self.other)
            == (&other.skills, other.last_number, &other.decisions, &other.other)
    }
}

/// A skill that was held against a text.
pub(super) struct NearSkill<'a> {
    pub(super) skill: &'a Skill,
    /// By shared words.
    pub(super) similarity: f64,
    pub(super) likeness: Likeness,
}

/// How alike two lessons must be by shared words to be held against each other.
pub(super) const NEAR: f64 = 0.12;

/// So many lessons are held against one at most.
const MOST: usize = 50;

/// One more than the highest number of an id.
const DIGITS: u64 = 100_000_000;

/// The number that a lesson's words make.
fn digits_of(content: &str) -> u64 {
    let hash = Sha256::digest(content.trim().to_lowercase().as_bytes());
    hash.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte)) % DIGITS
}

/// The name of a pair, whichever stands first.
pub(super) fn pair(one: &str, other: &str) -> String {
    if one <= other { format!("{one},{other}") } else { format!("{other},{one}") }
}
