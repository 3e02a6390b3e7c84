//! What a drawn operation says and was drawn from, with every text made clean.

use crate::reflect::SkillTag;
use crate::skillbook::{Observation, SkillOperation, Witness, section_name};
use crate::trace::Trace;
use engross_transcript::stats::sha;

/// What was observed at a line of a trace.
pub(super) fn observation(trace: &Trace, line: u64, by: Witness) -> Observation {
    let there = trace.segments.iter().filter(|segment| segment.line == line && line > 0);
    let mut text = String::new();
    for segment in there {
        text.push_str(&segment.text.whole());
        text.push('\0');
    }
    let said = trace.extra.said.iter().find(|words| words.line == line);
    Observation {
        work: trace.extra.work.clone(),
        entry: said.map(|words| words.entry.clone()).unwrap_or_default(),
        line,
        hash: if text.is_empty() { String::new() } else { sha(text.as_bytes()) },
        by,
    }
}

/// The words that an operation brings into the book.
pub(super) fn content_of(operation: &SkillOperation) -> Option<&str> {
    match operation {
        SkillOperation::Add { content, .. }
        | SkillOperation::Update { content: Some(content), .. }
        | SkillOperation::Merge { content, .. } => Some(content),
        _ => None,
    }
}

/// A vote, if the agent named the skill.
pub(super) fn vote(tag: &SkillTag, trace: &Trace) -> Option<SkillOperation> {
    let is_named = trace.skill_ids.contains(&tag.id);
    let (helpful, harmful, neutral) = match tag.tag.to_ascii_lowercase().as_str() {
        "helpful" => (1, 0, 0),
        "harmful" => (0, 1, 0),
        "neutral" => (0, 0, 1),
        _ => return None,
    };
    is_named.then(|| SkillOperation::Tag { id: tag.id.clone(), helpful, harmful, neutral })
}

/// The same operation with every text made clean.
pub(super) fn clean(operation: SkillOperation, clean: impl Fn(String) -> String) -> SkillOperation {
    match operation {
        SkillOperation::Add { section, content, id, justification, evidence, issue, keywords } => {
            // Ids are made here: one that a model wishes for could say anything.
            let _ = id;
            SkillOperation::Add {
                section: section_name(&clean(section)),
                content: clean(content),
                id: None,
                justification: justification.map(&clean),
                evidence: evidence.map(&clean),
                issue: issue.map(&clean),
                keywords,
            }
        }
        SkillOperation::Update { id, section, content, justification, evidence } => SkillOperation::Update {
            id,
            section: section.map(|section| section_name(&clean(section))),
            content: content.map(&clean),
            justification: justification.map(&clean),
            evidence: evidence.map(&clean),
        },
        SkillOperation::Confirm { id, evidence } => {
            SkillOperation::Confirm { id, evidence: evidence.map(&clean) }
        }
        SkillOperation::Merge { sources, keep, content } => {
            SkillOperation::Merge { sources, keep, content: clean(content) }
        }
        other => other,
    }
}
