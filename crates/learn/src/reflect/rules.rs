//! Draws lessons without a model: from calls that failed and what was different in those that worked, and from what persons
//! want for good.
//!
//! Honest and narrow: every lesson names what was seen and what a later agent can do; free text of tools and values that could
//! be secret never become part of one.

mod calls;
mod standing;

use std::sync::LazyLock;

use regex::Regex;

use crate::skillbook::{SkillOperation, Witness};
use crate::trace::Trace;

/// A lesson, with where it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DrawnLesson {
    section: String,
    content: String,
    justification: String,
    evidence: String,
    issue: String,
    keywords: Vec<String>,
    line: u64,
    by: Witness,
}

/// An operation that a trace calls for, with where it was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnOperation {
    /// The operation.
    pub operation: SkillOperation,
    /// The line of the transcript; 0 when it is none.
    pub line: u64,
    /// Who says it.
    pub by: Witness,
}

/// How a person speaks of advice that did harm.
static COMPLAINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(lesson|rule|skill|advice|tip)\b|\bbroke\b|\bbreaks\b|\bstop\ (doing|following|using)\b|
            \bthat('?s|\ is|\ was)\ (wrong|bad|not\ right|a\ mistake)\b|\bdon'?t\ (do|follow)\ that\b|\bwrong\ again\b|\bundo\b|\brevert\b",
    )
    .ok()
});

/// The operations that a trace calls for.
#[must_use]
pub fn operations(trace: &Trace) -> Vec<DrawnOperation> {
    let votes = votes(trace).into_iter();
    let mut operations: Vec<DrawnOperation> =
        votes.map(|operation| DrawnOperation { operation, line: 0, by: Witness::Model }).collect();
    let lessons = calls::lessons(&trace.extra.failures).into_iter();
    let lessons = lessons.chain(standing::lessons(&trace.extra.said, &trace.extra.corrections));
    operations.extend(lessons.map(|lesson| DrawnOperation {
        operation: SkillOperation::Add {
            section: lesson.section,
            content: lesson.content,
            id: None,
            justification: Some(lesson.justification),
            evidence: Some(lesson.evidence),
            issue: Some(lesson.issue).filter(|issue| !issue.is_empty()),
            keywords: lesson.keywords,
        },
        line: lesson.line,
        by: lesson.by,
    }));
    operations
}

/// Skills that the model named did good where the session went well after, and harm where a person complained next; where
/// neither is so, nothing is known.
fn votes(trace: &Trace) -> Vec<SkillOperation> {
    let went_well = trace.extra.went_well.unwrap_or_else(|| {
        trace.extra.corrections.is_empty()
            && trace.extra.stopped == 0
            && !trace.answer.is_empty()
            && trace.extra.failures.iter().all(|failure| failure.recovery.is_some())
    });
    let vote = |id: &String| {
        let harmed = is_complained_of(trace, id) || trace.extra.went_well == Some(false);
        SkillOperation::Tag {
            id: id.clone(),
            helpful: u32::from(went_well && !harmed),
            harmful: u32::from(harmed),
            neutral: u32::from(!went_well && !harmed),
        }
    };
    trace.skill_ids.iter().map(vote).collect()
}

/// Whether the next words of a person after a mention of the skill complain.
fn is_complained_of(trace: &Trace, id: &str) -> bool {
    let lines = trace.extra.mentions.iter().filter(|(named, _)| named == id).map(|(_, line)| *line);
    lines.into_iter().any(|line| {
        let next = trace.extra.said.iter().find(|words| words.line > line);
        next.is_some_and(|words| {
            let is_correction =
                trace.extra.corrections.iter().any(|correction| correction.line == words.line);
            is_correction
                && COMPLAINT.as_ref().is_some_and(|complaint| complaint.is_match(&words.text.whole()))
        })
    })
}
