//! Draws lessons without a model: from calls that failed repeatedly, and from corrections by persons.
//!
//! Honest and narrow: every lesson names what was seen, and values that could be secret never become part of one. The same
//! mistake makes the same words, so that a second session confirms the first.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::safety::neutral;
use crate::skillbook::SkillOperation;
use crate::trace::{FailedCall, Trace};

/// So often a call must fail without a way out before that is a lesson.
const AGAIN: usize = 3;

/// Characters of an error that a lesson names.
const NAMED: usize = 60;

/// Characters of the longest correction that becomes a lesson.
const LONGEST: usize = 240;

/// The operations that a trace calls for.
#[must_use]
pub fn operations(trace: &Trace) -> Vec<SkillOperation> {
    let mut operations = votes(trace);
    operations.extend(from_failures(&trace.extra.failures));
    operations.extend(trace.extra.corrections.iter().filter_map(|correction| {
        let content = wish(&correction.text)?;
        Some(SkillOperation::Add {
            section: "user_preferences".to_owned(),
            content,
            id: None,
            justification: Some("A person set the agent right with these words.".to_owned()),
            evidence: Some(format!("line {}: {}", correction.line, cut(&neutral(&correction.text), LONGEST))),
            issue: None,
            keywords: Vec::new(),
        })
    }));
    operations
}

/// Skills that the model named did good where the session went well after, and nothing is known where it did not.
fn votes(trace: &Trace) -> Vec<SkillOperation> {
    let went_well = trace.extra.corrections.is_empty()
        && trace.extra.stopped == 0
        && !trace.answer.is_empty()
        && trace.extra.failures.iter().all(|failure| failure.recovery.is_some());
    let vote = |id: &String| SkillOperation::Tag {
        id: id.clone(),
        helpful: u32::from(went_well),
        harmful: 0,
        neutral: u32::from(!went_well),
    };
    trace.skill_ids.iter().map(vote).collect()
}

fn from_failures(failures: &[FailedCall]) -> Vec<SkillOperation> {
    let mut groups: BTreeMap<(String, String), Vec<&FailedCall>> = BTreeMap::new();
    for failure in failures {
        groups.entry((failure.tool.clone(), failure.signature())).or_default().push(failure);
    }
    groups
        .into_iter()
        .filter_map(|((tool, signature), failures)| lesson(&tool, &signature, &failures))
        .collect()
}

fn lesson(tool: &str, signature: &str, failures: &[&FailedCall]) -> Option<SkillOperation> {
    let tool = cut(&neutral(tool), 40);
    let named = cut(&neutral(signature), NAMED).replace('"', "'");
    let ways: BTreeSet<String> = failures.iter().flat_map(|failure| changed(failure)).collect();
    let lines: Vec<String> = failures.iter().map(|failure| failure.line.to_string()).collect();
    let (content, justification) = match ways.iter().next() {
        Some(_) => {
            let ways: Vec<String> = ways.iter().take(3).map(|way| format!("`{way}`")).collect();
            let ways = ways.join(" and ");
            (
                format!(
                    "Check {ways} before calling `{tool}`: it fails with \"{named}\" until that is changed"
                ),
                format!("`{tool}` worked once {ways} had another value."),
            )
        }
        None if failures.len() >= AGAIN => (
            format!(
                "Try something else when `{tool}` has failed twice with \"{named}\": repeating it does not help"
            ),
            format!(
                "`{tool}` failed {} times in one session, and no call of it worked after.",
                failures.len()
            ),
        ),
        None => return None,
    };
    Some(SkillOperation::Add {
        section: format!("tool_{}", tool.to_lowercase()),
        content,
        id: None,
        justification: Some(justification),
        evidence: Some(match lines.as_slice() {
            [line] => format!("a failed call, line {line}"),
            _ => format!("{} failed calls, lines {}", lines.len(), lines.join(", ")),
        }),
        issue: Some(format!("`{tool}` fails with \"{named}\"")),
        keywords: vec![tool],
    })
}

/// The arguments that had another value when the call worked.
fn changed(failure: &FailedCall) -> Vec<String> {
    let Some(recovery) = &failure.recovery else { return Vec::new() };
    let read = |json: &str| serde_json::from_str::<Value>(json).ok();
    let (Some(Value::Object(failed)), Some(Value::Object(worked))) =
        (read(&failure.arguments), read(&recovery.arguments))
    else {
        return Vec::new();
    };
    let names: BTreeSet<&String> = failed.keys().chain(worked.keys()).collect();
    let is_name =
        |name: &str| name.len() <= 40 && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    names
        .into_iter()
        .filter(|name| failed.get(*name) != worked.get(*name) && is_name(name))
        .cloned()
        .collect()
}

/// What a person wants, as a lesson: the first sentences, without the word of disagreement.
fn wish(text: &str) -> Option<String> {
    let text = neutral(text);
    let mut rest = text.as_str();
    for begin in
        ["no,", "no.", "no!", "nope,", "wrong,", "wrong.", "stop,", "actually,", "again:", "please", "nein,"]
    {
        if rest.get(..begin.len()).is_some_and(|head| head.eq_ignore_ascii_case(begin)) {
            rest = rest.get(begin.len()..).unwrap_or_default().trim_start();
        }
    }
    let is_lesson = (12..=LONGEST).contains(&rest.chars().count()) && !rest.ends_with('?');
    if !is_lesson {
        return None;
    }
    let mut chars = rest.chars();
    let first = chars.next()?;
    Some(first.to_uppercase().chain(chars).collect::<String>().trim_end_matches(['.', '!']).to_owned())
}

fn cut(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect::<String>().trim_end().to_owned()
}
