//! What an observation does to a lesson: it confirms it, proposes other words for it, or makes it a rule.
//!
//! Must never let one piece of work change what two have shown, nor anything but a person change what a person decided.

use super::meaning::{Likeness, likeness};
use super::observation::{LessonRevision, SkillSource, independent};
use super::skill::{Author, Quarantine, Skill, SkillStatus};
use super::verdict::{Effect, SettleContext, Verdict};

/// From so many independent observations a lesson is shown.
const OBSERVATIONS: usize = 2;

pub(super) fn source(evidence: String, context: &SettleContext<'_>) -> SkillSource {
    SkillSource {
        trace: context.trace.to_owned(),
        session: context.session.to_owned(),
        evidence,
        seen: context.seen.clone(),
        at: context.now,
    }
}

/// Shows a lesson that was observed often enough and that nothing speaks against.
pub(super) fn promote(skill: &mut Skill) {
    if skill.status == SkillStatus::Candidate && skill.sessions() >= OBSERVATIONS {
        skill.status = SkillStatus::Active;
    }
}

/// The same lesson once more: it counts once for each piece of work.
pub(super) fn confirm(skill: &Skill, evidence: String, context: &SettleContext<'_>) -> Verdict {
    if context.by == Author::Person {
        let accepted = Skill {
            status: SkillStatus::Active,
            author: Author::Person,
            quarantine: Vec::new(),
            revision: None,
            ..skill.clone()
        };
        return Verdict::put(
            Effect::Confirmed { id: skill.id.clone(), status: SkillStatus::Active },
            accepted,
        );
    }
    // What a tool printed confirms nothing, nor does the same trace again.
    let is_known = skill.sources.iter().any(|source| source.trace == context.trace);
    if is_known || (context.doubts)(&skill.content).contains(&Quarantine::ToolTextOnly) {
        return Verdict::of(Effect::Unchanged, Vec::new());
    }
    let mut skill = skill.clone();
    skill.sources.push(source(evidence, context));
    promote(&mut skill);
    Verdict::put(Effect::Confirmed { id: skill.id.clone(), status: skill.status }, skill)
}

/// Other words for a lesson, by learning. Words that agree with it confirm it; they take the place of the old ones only when
/// two pieces of work asked for them.
pub(super) fn revise(old: &Skill, content: &str, evidence: String, context: &SettleContext<'_>) -> Verdict {
    let agrees = matches!(likeness(&old.content, content), Likeness::Same | Likeness::Near);
    let verdict = if agrees { confirm(old, evidence.clone(), context) } else { unchanged() };
    let mut skill = match verdict.records.first() {
        Some(super::journal::Record::Put(skill)) => (**skill).clone(),
        _ => old.clone(),
    };
    let doubts = (context.doubts)(content);
    if skill.content == content || doubts.contains(&Quarantine::ToolTextOnly) {
        return verdict;
    }
    let is_own = |source: &SkillSource| source.trace == context.trace;
    let mut revision = match skill.revision.take() {
        // Two sessions are needed all the same: what stands in a skill file is no observation.
        Some(revision) if likeness(&revision.content, content) == Likeness::Same => {
            LessonRevision { from: String::new(), ..revision }
        }
        _ => LessonRevision { content: content.to_owned(), sources: Vec::new(), from: String::new() },
    };
    if !revision.sources.iter().any(is_own) {
        revision.sources.push(source(evidence, context));
    }
    let is_first_word = old.status == SkillStatus::Candidate && old.sources.iter().all(is_own);
    if !is_first_word && independent(&revision.sources) < OBSERVATIONS {
        skill.revision = Some(revision);
        if skill == *old {
            return unchanged();
        }
        let effect = match verdict.effect {
            Effect::Unchanged => Effect::Proposed { id: skill.id.clone() },
            confirmed => confirmed,
        };
        return Verdict::put(effect, skill);
    }
    skill.content = revision.content;
    if !agrees {
        skill.sources = revision.sources;
    }
    skill.updated = context.now;
    skill.other.shift_remove("embedding");
    skill.quarantine = doubts;
    if !skill.quarantine.is_empty() {
        skill.status = SkillStatus::Quarantined;
    }
    promote(&mut skill);
    Verdict::put(Effect::Updated { id: skill.id.clone() }, skill)
}

fn unchanged() -> Verdict {
    Verdict::of(Effect::Unchanged, Vec::new())
}
