//! Turns an operation on the book into records: none, or all of it.
//!
//! Must never change the book: the caller keeps the records first. Knows no time and no text that is not clean.

use serde_json::json;

use super::book::{Book, NEAR};
use super::conflict::is_against;
use super::evidence::{confirm, promote, revise, source};
use super::journal::Record;
use super::meaning::{Likeness, likeness};
use super::operation::{SkillOperation, SkillRefusal};
use super::skill::{Author, Quarantine, Skill, SkillStatus, Vote};
use super::verdict::{Effect, SettleContext, Verdict};
use crate::codes;

/// From so much harm on, if it is more than the help, a lesson is taken out.
const HARM: u32 = 3;

/// Says what `operation` does to `book`.
#[must_use]
pub fn settle(book: &Book, operation: &SkillOperation, context: &SettleContext<'_>) -> Verdict {
    let settled = match operation {
        SkillOperation::Add { .. } => Ok(add(book, operation, context)),
        SkillOperation::Update { .. } => update(book, operation, context),
        SkillOperation::Confirm { id, evidence } => find(book, id).and_then(|skill| {
            if skill.status == SkillStatus::Retired && context.by != Author::Person {
                return Err(SkillRefusal::new(codes::SKILL_RETIRED.name, format!("'{id}' was taken out")));
            }
            Ok(confirm(skill, evidence.clone().unwrap_or_default(), context))
        }),
        SkillOperation::Tag { id, helpful, harmful, neutral } => {
            let vote = Vote { helpful: *helpful, harmful: *harmful, neutral: *neutral, at: context.now };
            tag(book, id, vote, context)
        }
        SkillOperation::Remove { id } => remove(book, id, context),
        SkillOperation::Merge { sources, keep, content } => merge(book, sources, keep, content, context),
        SkillOperation::Keep { ids, reason } => keep_apart(book, ids, reason, context),
        SkillOperation::Pin { id, on } => find(book, id).map(|skill| {
            let effect =
                if skill.is_pinned == *on { Effect::Unchanged } else { Effect::Updated { id: id.clone() } };
            Verdict::put(effect, Skill { is_pinned: *on, ..skill.clone() })
        }),
        SkillOperation::Accept { id } => find(book, id).map(|skill| accepted(skill, context.now)),
        SkillOperation::Decline { id } => find(book, id).map(|skill| match &skill.revision {
            Some(_) => {
                Verdict::put(Effect::Updated { id: id.clone() }, Skill { revision: None, ..skill.clone() })
            }
            None => Verdict::of(Effect::Unchanged, Vec::new()),
        }),
    };
    settled.unwrap_or_else(Verdict::refused)
}

/// A lesson that a person wants: as it is where it waits, else as it was proposed. Who accepts a lesson answers for it, so from now
/// on only a person changes it.
fn accepted(skill: &Skill, now: u64) -> Verdict {
    let mut accepted = Skill {
        status: SkillStatus::Active,
        quarantine: Vec::new(),
        author: Author::Person,
        ..skill.clone()
    };
    let is_shown = skill.status == SkillStatus::Active;
    if let Some(revision) = accepted.revision.take_if(|_| is_shown) {
        if revision.content.is_empty() {
            accepted.status = SkillStatus::Retired;
            return Verdict::put(Effect::Retired { id: skill.id.clone() }, accepted);
        }
        accepted.content = revision.content;
        accepted.updated = now;
        accepted.other.shift_remove("embedding");
    }
    Verdict::put(Effect::Updated { id: skill.id.clone() }, accepted)
}

fn find<'a>(book: &'a Book, id: &str) -> Result<&'a Skill, SkillRefusal> {
    book.get(id)
        .ok_or_else(|| SkillRefusal::new(codes::SKILL_UNKNOWN.name, format!("there is no skill '{id}'")))
}

/// The skill, if the author of the operation may change it.
fn free<'a>(book: &'a Book, id: &str, context: &SettleContext<'_>) -> Result<&'a Skill, SkillRefusal> {
    let skill = find(book, id)?;
    if skill.is_persons() && context.by != Author::Person {
        let message = format!("'{id}' is pinned or was written by a person; only a person changes it");
        return Err(SkillRefusal::new(codes::SKILL_PROTECTED.name, message));
    }
    Ok(skill)
}

fn add(book: &Book, operation: &SkillOperation, context: &SettleContext<'_>) -> Verdict {
    let SkillOperation::Add { section, content, id, justification, evidence, issue, keywords } = operation
    else {
        return Verdict::of(Effect::Unchanged, Vec::new());
    };
    let evidence = evidence.clone().unwrap_or_default();
    let is_person = context.by == Author::Person;
    let near = book.near(content, NEAR);
    let same = || near.iter().filter(|near| near.likeness == Likeness::Same).map(|near| near.skill);
    let known = |is_wanted: fn(SkillStatus) -> bool| same().find(|skill| is_wanted(skill.status));
    let doubts = if is_person { Vec::new() } else { (context.doubts)(content) };
    if let Some(skill) = known(|status| status != SkillStatus::Retired) {
        // What a tool printed confirms nothing.
        if doubts.contains(&Quarantine::ToolTextOnly) {
            return Verdict::of(Effect::Unchanged, Vec::new());
        }
        return confirm(skill, evidence, context);
    }
    if let Some(skill) = known(|status| status == SkillStatus::Retired).filter(|_| !is_person) {
        let message = format!("'{}' said the same and was taken out; a person can bring it back", skill.id);
        return Verdict::refused(SkillRefusal::new(codes::SKILL_RETIRED.name, message));
    }
    let mut quarantine = doubts;
    if !is_person && near.iter().any(is_against) {
        quarantine.push(Quarantine::Contradiction);
    }
    let status = match (is_person, quarantine.is_empty()) {
        (true, _) => SkillStatus::Active,
        (false, true) => SkillStatus::Candidate,
        (false, false) => SkillStatus::Quarantined,
    };
    let id = id
        .clone()
        .filter(|id| is_id(id) && book.get(id).is_none())
        .unwrap_or_else(|| book.next_id(section, content));
    let skill = Skill {
        id: id.clone(),
        section: section.clone(),
        content: content.clone(),
        justification: justification.clone().unwrap_or_default(),
        evidence: evidence.clone(),
        issue: issue.clone().unwrap_or_default(),
        keywords: keywords.clone(),
        status,
        quarantine,
        author: context.by,
        created: context.now,
        updated: context.now,
        sources: if is_person { Vec::new() } else { vec![source(evidence, context)] },
        ..Skill::default()
    };
    Verdict::put(Effect::Added { id, status }, skill)
}

fn update(
    book: &Book,
    operation: &SkillOperation,
    context: &SettleContext<'_>,
) -> Result<Verdict, SkillRefusal> {
    let SkillOperation::Update { id, section, content, justification, evidence } = operation else {
        return Ok(Verdict::of(Effect::Unchanged, Vec::new()));
    };
    let old = free(book, id, context)?;
    if context.by != Author::Person {
        return Ok(match content {
            Some(content) => revise(old, content, evidence.clone().unwrap_or_default(), context),
            None => reasoned(old, section, justification, evidence),
        });
    }
    let mut skill = old.clone();
    let set = |field: &mut String, new: &Option<String>| {
        if let Some(new) = new {
            field.clone_from(new);
        }
    };
    set(&mut skill.section, section);
    set(&mut skill.content, content);
    set(&mut skill.justification, justification);
    set(&mut skill.evidence, evidence);
    if skill == *old {
        return Ok(Verdict::of(Effect::Unchanged, Vec::new()));
    }
    skill.updated = context.now;
    if skill.content != old.content {
        skill.other.shift_remove("embedding");
        skill.quarantine = Vec::new();
        skill.revision = None;
    }
    skill.author = Author::Person;
    Ok(Verdict::put(Effect::Updated { id: id.clone() }, skill))
}

/// Learning may say where a lesson belongs and why it holds; what the lesson says stays.
fn reasoned(
    old: &Skill,
    section: &Option<String>,
    justification: &Option<String>,
    evidence: &Option<String>,
) -> Verdict {
    let mut skill = old.clone();
    for (field, new) in [
        (&mut skill.section, section),
        (&mut skill.justification, justification),
        (&mut skill.evidence, evidence),
    ] {
        if let Some(new) = new {
            field.clone_from(new);
        }
    }
    if skill == *old {
        return Verdict::of(Effect::Unchanged, Vec::new());
    }
    Verdict::put(Effect::Updated { id: skill.id.clone() }, skill)
}

fn tag(book: &Book, id: &str, vote: Vote, context: &SettleContext<'_>) -> Result<Verdict, SkillRefusal> {
    let skill = find(book, id)?;
    let counts = |vote: &Vote| (vote.helpful, vote.harmful, vote.neutral);
    if skill.votes.get(context.trace).is_some_and(|known| counts(known) == counts(&vote)) {
        return Ok(Verdict::of(Effect::Unchanged, Vec::new()));
    }
    let record = Record::Vote { id: id.to_owned(), trace: context.trace.to_owned(), vote };
    let mut voted = skill.clone();
    voted.votes.insert(context.trace.to_owned(), vote);
    let total = voted.total();
    let is_bad = total.harmful >= HARM && total.harmful > total.helpful || harms_now(&voted);
    if is_bad && !skill.is_persons() && skill.status != SkillStatus::Retired {
        voted.status = SkillStatus::Retired;
        return Ok(Verdict::put(Effect::Retired { id: id.to_owned() }, voted));
    }
    Ok(Verdict::of(Effect::Voted { id: id.to_owned() }, vec![record]))
}

/// Whether the newest votes all say that it harms: the world has changed, and what helped long ago is no excuse.
fn harms_now(skill: &Skill) -> bool {
    let mut votes: Vec<(u64, &String, &Vote)> =
        skill.votes.iter().map(|(trace, vote)| (vote.at, trace, vote)).collect();
    votes.retain(|(_, _, vote)| vote.helpful + vote.harmful > 0);
    votes.sort_unstable_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)));
    let newest: Vec<bool> =
        votes.iter().take(HARM as usize).map(|(_, _, vote)| vote.harmful > vote.helpful).collect();
    newest.len() == HARM as usize && newest.into_iter().all(|harmed| harmed)
}

fn remove(book: &Book, id: &str, context: &SettleContext<'_>) -> Result<Verdict, SkillRefusal> {
    let skill = free(book, id, context)?;
    if skill.status == SkillStatus::Retired {
        return Ok(Verdict::of(Effect::Unchanged, Vec::new()));
    }
    let total = skill.total();
    let does_harm = total.harmful >= HARM && total.harmful > total.helpful;
    if context.by != Author::Person && !does_harm {
        let message = format!(
            "'{id}' has helped {} times and harmed {}; learning removes only what harmed {HARM} times",
            total.helpful, total.harmful
        );
        return Err(SkillRefusal::new(codes::SKILL_STILL_HELPFUL.name, message));
    }
    let retired = Skill { status: SkillStatus::Retired, is_pinned: false, ..skill.clone() };
    Ok(Verdict::put(Effect::Retired { id: id.to_owned() }, retired))
}

fn merge(
    book: &Book,
    sources: &[String],
    keep: &str,
    content: &str,
    context: &SettleContext<'_>,
) -> Result<Verdict, SkillRefusal> {
    if !sources.iter().any(|id| id == keep) {
        let message = format!("keep_id '{keep}' is not among source_ids");
        return Err(SkillRefusal::new(codes::SKILL_OPERATION_INVALID.name, message));
    }
    let mut kept = free(book, keep, context)?.clone();
    let mut others = Vec::new();
    for id in sources.iter().filter(|id| *id != keep) {
        let other = free(book, id, context)?;
        if others.iter().any(|known: &Skill| known.id == other.id) {
            continue;
        }
        others.push(other.clone());
    }
    if context.by == Author::Person {
        kept.content = content.to_owned();
        kept.updated = context.now;
        kept.author = Author::Person;
        kept.other.shift_remove("embedding");
    } else {
        // The words stay: a merge joins evidence, and other words need observations of their own.
        for other in &others {
            if !matches!(likeness(&kept.content, &other.content), Likeness::Same | Likeness::Near) {
                let message = format!("'{keep}' and '{}' do not say the same", other.id);
                return Err(SkillRefusal::new(codes::SKILL_OPERATION_INVALID.name, message));
            }
        }
    }
    let mut records = Vec::new();
    for other in &mut others {
        for source in &other.sources {
            if !kept.sources.contains(source) {
                kept.sources.push(source.clone());
            }
        }
        // A trace that voted on both has one voice.
        for (trace, vote) in &other.votes {
            kept.votes.entry(trace.clone()).or_insert(*vote);
        }
        other.status = SkillStatus::Retired;
    }
    promote(&mut kept);
    records.push(Record::Put(Box::new(kept)));
    records.extend(others.into_iter().map(|other| Record::Put(Box::new(other))));
    Ok(Verdict::of(Effect::Merged { id: keep.to_owned() }, records))
}

fn keep_apart(
    book: &Book,
    ids: &[String],
    reason: &str,
    context: &SettleContext<'_>,
) -> Result<Verdict, SkillRefusal> {
    for id in ids {
        find(book, id)?;
    }
    let why = json!({"decision": "KEEP", "reasoning": reason, "decided_at": super::to_iso(context.now)});
    let mut records = Vec::new();
    for (at, one) in ids.iter().enumerate() {
        for other in ids.iter().skip(at + 1).filter(|other| *other != one) {
            records.push(Record::Apart { one: one.clone(), other: other.clone(), why: why.clone() });
        }
    }
    Ok(Verdict::of(Effect::KeptApart, records))
}

/// Whether a wished id can be one: letters, digits and `_ - /`, and a number at its end.
pub(super) fn is_id(id: &str) -> bool {
    let number = id.rsplit_once('-').map(|(_, number)| number).unwrap_or_default();
    let is_number =
        !number.is_empty() && number.len() <= 12 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && id.len() <= 80 && id.chars().all(|c| c.is_alphanumeric() || "_-/".contains(c))
}
