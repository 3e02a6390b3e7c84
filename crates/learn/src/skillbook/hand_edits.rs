//! What changes outside the journal do to the book: a person's in the list, which hold, and anybody's in exported skill files,
//! which are proposals.
//!
//! Must never show words that are doubtful because somebody wrote them into a file, nor take a line that nobody has touched for
//! an edit.

use std::collections::{BTreeMap, BTreeSet};

use super::apply::settle;
use super::book::Book;
use super::dialects::{Import, hash_of};
use super::journal::Record;
use super::list::ListedLesson;
use super::observation::{LessonRevision, Observation};
use super::operation::SkillOperation;
use super::skill::{Author, Quarantine, Skill, SkillStatus};
use super::verdict::SettleContext;
use crate::safety::{doubts, neutral};

/// The lessons that a file held when it was written: for each id the hash of its words.
pub type WrittenLessons = BTreeMap<String, String>;

/// What was written of some skills.
pub fn written<'a>(skills: impl IntoIterator<Item = &'a Skill>) -> WrittenLessons {
    skills.into_iter().map(|skill| (skill.id.clone(), hash_of(&neutral(&skill.content)))).collect()
}

impl Import {
    /// The lessons that were shown when the file was written.
    #[must_use]
    pub fn written(&self) -> WrittenLessons {
        let shown = self.skills.iter().filter(|skill| skill.status == SkillStatus::Active);
        let hash = |skill: &Skill| match self.hashes.get(&skill.id).filter(|_| self.is_edited(skill)) {
            Some(hash) => hash.clone(),
            None => hash_of(&neutral(&skill.content)),
        };
        shown.map(|skill| (skill.id.clone(), hash(skill))).collect()
    }
}

/// The lines with ids that somebody mistyped or lost put right, and how many these are: a line whose id nobody knows, with the words
/// of a lesson that would be gone without it, is that lesson; so is one whose id is nearly that of exactly one such lesson.
#[must_use]
pub fn put_ids_right(
    book: &Book,
    lines: Vec<ListedLesson>,
    base: &WrittenLessons,
) -> (Vec<ListedLesson>, usize) {
    let mut gone: Vec<&Skill> = gone(book, &lines, base);
    let mut mended = 0;
    let mut right = |mut line: ListedLesson| {
        if line.ids.iter().any(|id| book.get(id).is_some()) {
            return line;
        }
        // What is no id any more is read as words.
        let apart = line.content.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (id, words) = match (line.ids.as_slice(), apart) {
            ([], Some((id, words))) => (Some(id.to_owned()), words.trim().to_owned()),
            ([id], _) => (Some(id.clone()), line.content.clone()),
            _ => (None, line.content.clone()),
        };
        let by_words = gone.iter().position(|skill| neutral(&skill.content) == words);
        let by_id = || {
            let id = id.as_deref()?;
            let mut near = gone.iter().enumerate().filter(|(_, skill)| is_near(&skill.id, id));
            near.next().filter(|_| near.next().is_none()).map(|(at, _)| at)
        };
        if let Some(at) = by_words.or_else(by_id) {
            line.ids = vec![gone.remove(at).id.clone()];
            line.content = words;
            mended += 1;
        }
        line
    };
    let lines = lines.into_iter().map(&mut right).collect();
    (lines, mended)
}

/// Whether two ids differ as by a slip: in up to two characters, or two that changed places, or one that is missing or too many.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (rest, other_rest) = (one.get(same..).unwrap_or_default(), other.get(same..).unwrap_or_default());
    let ending = rest.iter().rev().zip(other_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    rest.len().saturating_sub(ending) <= 2 && other_rest.len().saturating_sub(ending) <= 2
}

/// What a line of an edited list does, as a person's word; its author does not see `base`, what the list held before.
#[must_use]
pub fn edit_of(book: &Book, line: &ListedLesson, base: &WrittenLessons, now: u64) -> Vec<Record> {
    let known: Vec<&Skill> = line.ids.iter().filter_map(|id| book.get(id)).collect();
    let operation = match known.as_slice() {
        [] if book.skills().any(|skill| neutral(&skill.content) == line.content) => return Vec::new(),
        [] => add(line),
        [skill] if is_untouched(skill, line, base) => return Vec::new(),
        [skill] if neutral(&skill.content) == line.content => SkillOperation::Accept { id: skill.id.clone() },
        [skill] => SkillOperation::Update {
            id: skill.id.clone(),
            section: None,
            content: Some(line.content.clone()),
            justification: None,
            evidence: None,
        },
        [keep, ..] => SkillOperation::Merge {
            sources: known.iter().map(|skill| skill.id.clone()).collect(),
            keep: keep.id.clone(),
            content: line.content.clone(),
        },
    };
    judged(settled(book, &operation, now))
}

/// What it does that lines are gone from a list.
#[must_use]
pub fn deletions(book: &Book, lines: &[ListedLesson], base: &WrittenLessons, now: u64) -> Vec<Record> {
    let gone =
        gone(book, lines, base).into_iter().map(|skill| SkillOperation::Remove { id: skill.id.clone() });
    gone.flat_map(|operation| settled(book, &operation, now)).collect()
}

/// What a changed file of exported skills proposes: nothing of it is shown before a person accepts it.
#[must_use]
pub fn proposals(
    book: &Book,
    lines: &[ListedLesson],
    base: &WrittenLessons,
    from: &str,
    now: u64,
) -> Vec<Record> {
    let mut records = Vec::new();
    let (lines, _) = put_ids_right(book, lines.to_vec(), base);
    for line in &lines {
        let known = line.ids.first().and_then(|id| book.get(id));
        match known {
            Some(skill) if is_untouched(skill, line, base) || neutral(&skill.content) == line.content => {}
            Some(skill) => records.extend(revision(skill, &line.content, from)),
            None if book.skills().any(|skill| neutral(&skill.content) == line.content) => {}
            None => {
                let mut quarantine = vec![Quarantine::Proposal];
                quarantine.extend(doubts(&line.content));
                let waiting = Skill {
                    id: book.next_id(&line.section, &line.content),
                    section: line.section.clone(),
                    content: line.content.clone(),
                    evidence: format!("somebody wrote it into {from}"),
                    status: SkillStatus::Quarantined,
                    quarantine,
                    created: now,
                    updated: now,
                    ..Skill::default()
                };
                records.push(Record::Put(Box::new(waiting)));
            }
        }
    }
    records.extend(gone(book, &lines, base).into_iter().filter_map(|skill| revision(skill, "", from)));
    records
}

/// Other words for a skill that wait for a person; empty words are the wish to take it out.
fn revision(skill: &Skill, content: &str, from: &str) -> Option<Record> {
    let revision = LessonRevision { content: content.to_owned(), sources: Vec::new(), from: from.to_owned() };
    let is_known = skill.status == SkillStatus::Retired || skill.revision.as_ref() == Some(&revision);
    (!is_known).then(|| Record::Put(Box::new(Skill { revision: Some(revision), ..skill.clone() })))
}

/// The shown skills that a file held and holds no more.
fn gone<'a>(book: &'a Book, lines: &[ListedLesson], base: &WrittenLessons) -> Vec<&'a Skill> {
    let named: BTreeSet<&str> = lines.iter().flat_map(|line| &line.ids).map(String::as_str).collect();
    let left = base.keys().filter(|id| !named.contains(id.as_str())).filter_map(|id| book.get(id));
    left.filter(|skill| skill.status == SkillStatus::Active).collect()
}

/// Whether a line is as it was written, whatever became of its skill since.
fn is_untouched(skill: &Skill, line: &ListedLesson, base: &WrittenLessons) -> bool {
    match base.get(&skill.id) {
        Some(hash) => *hash == hash_of(&line.content) || neutral(&skill.content) == line.content,
        None => skill.status == SkillStatus::Active && neutral(&skill.content) == line.content,
    }
}

fn add(line: &ListedLesson) -> SkillOperation {
    SkillOperation::Add {
        section: line.section.clone(),
        content: line.content.clone(),
        id: None,
        justification: None,
        evidence: None,
        issue: None,
        keywords: Vec::new(),
    }
}

fn settled(book: &Book, operation: &SkillOperation, now: u64) -> Vec<Record> {
    let context = SettleContext {
        by: Author::Person,
        trace: "person",
        session: "person",
        seen: Observation::unknown(),
        now,
        doubts: &|_| Vec::new(),
    };
    settle(book, operation, &context).records
}

/// A person's words in a file are judged like all others: the file may have come by a pull request.
fn judged(records: Vec<Record>) -> Vec<Record> {
    let judge = |record| match record {
        Record::Put(mut skill) if skill.status == SkillStatus::Active => {
            skill.quarantine = doubts(&skill.content);
            if !skill.quarantine.is_empty() {
                skill.status = SkillStatus::Quarantined;
            }
            Record::Put(skill)
        }
        other => other,
    };
    records.into_iter().map(judge).collect()
}
