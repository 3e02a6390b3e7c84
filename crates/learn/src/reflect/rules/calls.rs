//! Lessons from calls that failed: what differed in the call that worked, or the step that stood between.
//!
//! Must never quote what a tool printed: only its class, its status and its numbers reach a lesson.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::DrawnLesson;
use crate::safety::{PersonalData, neutral, redact};
use crate::skillbook::Witness;
use crate::trace::{FailedCall, WorkedCall, command_of, is_path};
use engross_transcript::stats::sha;

/// So often a call must fail unchanged, without a way out, before that is a lesson.
const AGAIN: usize = 3;

/// Characters of the longest value that a lesson names.
const VALUE: usize = 60;

/// So many arguments may differ for a lesson to say which one mattered.
const DIFFERENT: usize = 2;

/// So many words of a command may differ.
const WORDS: usize = 3;

/// Programs that look and change nothing, so that they are no step towards success.
const LOOKING: &[&str] = &[
    "cat", "cd", "date", "df", "du", "echo", "env", "fd", "file", "find", "grep", "head", "ls", "pwd", "rg",
    "sleep", "stat", "tail", "tree", "type", "wc", "which",
];

/// Parts of the names of tools that look, and of tools that write.
const LOOKS: &[&str] = &["read", "list", "search", "grep", "glob", "find", "get", "view", "fetch"];
const WRITES: &[&str] = &["write", "edit", "patch", "create", "apply", "replace", "update"];

pub(super) fn lessons(failures: &[FailedCall]) -> Vec<DrawnLesson> {
    let mut lessons: Vec<DrawnLesson> = failures.iter().filter_map(way_out).collect();
    lessons.extend(repeated(failures));
    let mut known: Vec<String> = Vec::new();
    lessons.retain(|lesson| {
        let is_new = !known.contains(&lesson.content);
        known.push(lesson.content.clone());
        is_new
    });
    lessons
}

/// What one failure teaches, if a later call on the same target worked.
fn way_out(failure: &FailedCall) -> Option<DrawnLesson> {
    let recovery = failure.recovery.as_ref()?;
    let content = if recovery.arguments == failure.arguments {
        step_between(failure)?
    } else {
        let read = |json: &str| serde_json::from_str::<Value>(json).ok();
        match (read(&failure.arguments.whole())?, read(&recovery.arguments.whole())?) {
            (Value::Object(failed), Value::Object(worked)) => difference(failure, &failed, &worked)?,
            _ => return None,
        }
    };
    let lines =
        format!("line {} failed ({}), line {} worked", failure.line, class_of(&failure.error), recovery.line);
    Some(drawn(failure, content, lines))
}

fn drawn(failure: &FailedCall, content: String, evidence: String) -> DrawnLesson {
    let tool = name_of(&failure.tool);
    DrawnLesson {
        section: format!("tool_{}", tool.to_lowercase()),
        content,
        justification: format!(
            "`{tool}` failed with an error of the class \"{}\" before.",
            class_of(&failure.error)
        ),
        evidence,
        issue: format!("`{tool}` fails: {}", class_of(&failure.error)),
        keywords: vec![tool],
        line: failure.line,
        by: Witness::Calls,
    }
}

/// The one step that stood between a failure and the same call that worked.
fn step_between(failure: &FailedCall) -> Option<String> {
    let is_writing = |call: &&WorkedCall| has_part(&call.tool, WRITES);
    if failure.between.iter().any(|call| is_writing(&call)) {
        return None;
    }
    let mut steps: Vec<String> = Vec::new();
    for call in failure.between.iter().filter(|call| !is_looking(call)) {
        let step = shown_call(call)?;
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    let failed = WorkedCall { tool: failure.tool.clone(), arguments: failure.arguments.clone() };
    match steps.as_slice() {
        [step] => Some(format!("Run `{step}` before `{}`", shown_call(&failed)?)),
        _ => None,
    }
}

fn is_looking(call: &WorkedCall) -> bool {
    match command_of(&call.arguments.whole()) {
        Some(words) => words.first().is_some_and(|program| LOOKING.contains(&program.as_str())),
        None => has_part(&call.tool, LOOKS),
    }
}

fn has_part(tool: &str, parts: &[&str]) -> bool {
    let tool = tool.to_lowercase();
    parts.iter().any(|part| tool.contains(part))
}

/// A call as a lesson names it: its command line, or the tool's name.
fn shown_call(call: &WorkedCall) -> Option<String> {
    let shown = match command_of(&call.arguments.whole()) {
        Some(words) => words.join(" "),
        None => call.tool.clone(),
    };
    plain(&shown)
}

/// What a lesson may say: short, one line, no quotes, no secret.
fn plain(value: &str) -> Option<String> {
    let is_short = (1..=VALUE).contains(&value.chars().count());
    let is_clean =
        neutral(value) == value && !value.contains('`') && redact(value, PersonalData::Redact) == value;
    (is_short && is_clean).then(|| value.to_owned())
}

fn name_of(tool: &str) -> String {
    neutral(tool).chars().take(40).filter(|c| *c != '`').collect()
}

/// What differed between a call that failed and one that worked.
fn difference(
    failure: &FailedCall,
    failed: &Map<String, Value>,
    worked: &Map<String, Value>,
) -> Option<String> {
    let tool = name_of(&failure.tool);
    if let (Some(one), Some(other)) =
        (command_of(&failure.arguments.whole()), command_of(&Value::Object(worked.clone()).to_string()))
        && one != other
    {
        return of_commands(&one, &other, &class_of(&failure.error));
    }
    let is_name =
        |name: &str| name.len() <= 40 && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let added: Vec<&String> = worked.keys().filter(|name| !failed.contains_key(*name)).collect();
    let removed: Vec<&String> = failed.keys().filter(|name| !worked.contains_key(*name)).collect();
    let changed: Vec<&String> = failed
        .iter()
        .filter(|(name, value)| worked.get(*name).is_some_and(|now| now != *value))
        .map(|(name, _)| name)
        .collect();
    let all = added.iter().chain(&removed).chain(&changed);
    if added.len() + removed.len() + changed.len() > DIFFERENT || !all.into_iter().all(|name| is_name(name)) {
        return None;
    }
    match (added.as_slice(), removed.as_slice(), changed.as_slice()) {
        ([new], [old], []) => Some(format!("Call `{tool}` with `{new}` instead of `{old}`")),
        ([new], [], []) => Some(match worked.get(*new).and_then(|value| constant(new, value)) {
            Some(value) => format!("Pass `{new}: {value}` to `{tool}`"),
            None => format!("Pass `{new}` to `{tool}`: a call without it failed"),
        }),
        ([], [old], []) => Some(format!("Call `{tool}` without `{old}`")),
        ([], [], [name]) => of_values(&tool, name, failed.get(*name)?, worked.get(*name)?, &failure.error),
        _ => None,
    }
}

/// What differed between two values of one argument.
fn of_values(tool: &str, name: &str, failed: &Value, worked: &Value, error: &str) -> Option<String> {
    match (failed, worked) {
        (Value::String(old), Value::String(new)) if is_iso_date(new) && !is_iso_date(old) => {
            Some(format!("Give `{name}` as an ISO date (YYYY-MM-DD) to `{tool}`"))
        }
        (Value::Array(old), Value::Array(new)) if new.len() < old.len() && !new.is_empty() => {
            Some(format!("Give `{name}` at most {} entries per call of `{tool}`", new.len()))
        }
        (Value::Number(old), Value::Number(new)) => {
            let is_less = old.as_f64() > new.as_f64();
            let is_named = numbers(error).any(|number| number == new.to_string());
            Some(match is_less && is_named {
                true => format!("Keep `{name}` at {new} or less when calling `{tool}`"),
                false => format!("Pass `{name}: {new}` to `{tool}` instead of `{old}`"),
            })
        }
        (old, new) if kind_of(old) != kind_of(new) => {
            Some(format!("Give `{name}` to `{tool}` as {}, not as {}", kind_of(new), kind_of(old)))
        }
        (old, new) => {
            let value = constant(name, new)?;
            let old = constant(name, old).map(|old| format!(" instead of `{old}`")).unwrap_or_default();
            Some(format!("Pass `{name}: {value}` to `{tool}`{old}"))
        }
    }
}

/// What differed between two command lines of one program.
fn of_commands(failed: &[String], worked: &[String], class: &str) -> Option<String> {
    let only = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|word| !other.contains(word)).cloned().collect()
    };
    let (added, removed) = (only(worked, failed), only(failed, worked));
    if added.len() > WORDS
        || removed.len() > WORDS
        || added.iter().chain(&removed).any(|word| is_opaque(word))
    {
        return None;
    }
    // Another file or another word to look for is another aim, unless the file was not there.
    let is_flag = |word: &String| word.starts_with('-');
    let is_other_aim = added.len() == removed.len() && !added.iter().chain(&removed).any(is_flag);
    let is_looking = failed.first().is_some_and(|program| LOOKING.contains(&program.as_str()));
    if is_other_aim && (is_looking || class != NOT_FOUND || !added.iter().all(|word| is_path(word))) {
        return None;
    }
    let program = plain(failed.first()?)?;
    let (added, removed) = (added.join(" "), removed.join(" "));
    match (added.is_empty(), removed.is_empty()) {
        (false, true) => Some(format!("Run `{program}` with `{}`", plain(&added)?)),
        (false, false) => {
            Some(format!("Run `{program}` with `{}` instead of `{}`", plain(&added)?, plain(&removed)?))
        }
        (true, false) => Some(format!("Run `{program}` without `{}`", plain(&removed)?)),
        (true, true) => None,
    }
}

/// A value that can be the same another time and is no secret.
fn constant(name: &str, value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) if !is_opaque(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(is_so) => is_so.to_string(),
        _ => return None,
    };
    let line = format!("{name}: {text}");
    let text = plain(&text)?;
    (redact(&line, PersonalData::Redact) == line).then_some(text)
}

/// Whether a text is a cursor, an id or a hash: letters and digits in no order that speech has.
fn is_opaque(text: &str) -> bool {
    let is_mixed = |part: &str| {
        part.len() >= 5
            && part.bytes().any(|byte| byte.is_ascii_digit())
            && part.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    !is_path(text) && text.split(['-', '_', '.', ':', '=', '/']).any(is_mixed)
}

fn is_iso_date(text: &str) -> bool {
    let day = text.get(..10).unwrap_or_default();
    day.len() == 10
        && day.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a switch",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty())
}

/// Calls that failed again and again, unchanged.
fn repeated(failures: &[FailedCall]) -> Vec<DrawnLesson> {
    let mut groups: BTreeMap<(&str, String), Vec<&FailedCall>> = BTreeMap::new();
    for failure in failures.iter().filter(|failure| failure.recovery.is_none()) {
        let arguments = sha(failure.arguments.whole().as_bytes());
        groups.entry((&failure.tool, arguments)).or_default().push(failure);
    }
    let mut groups: Vec<_> = groups.into_values().filter(|group| group.len() >= AGAIN).collect();
    groups.sort_by_key(|group| group.first().map(|failure| failure.line));
    let lesson = |group: Vec<&FailedCall>| {
        let first = group.first()?;
        let content = format!(
            "Try something else when `{}` has failed twice with the same arguments ({}): repeating it does not help",
            name_of(&first.tool),
            class_of(&first.error)
        );
        let lines: Vec<String> = group.iter().map(|failure| failure.line.to_string()).collect();
        Some(drawn(first, content, format!("{} failed calls, lines {}", lines.len(), lines.join(", "))))
    };
    groups.into_iter().filter_map(lesson).collect()
}

/// The class of errors about what is not there.
const NOT_FOUND: &str = "not found";

/// What kind of error it was, in words of this program.
fn class_of(error: &str) -> String {
    const CLASSES: &[(&str, &[&str])] = &[
        (NOT_FOUND, &["enoent", "no such file", "not found", "404", "does not exist", "cannot find"]),
        ("no permission", &["permission denied", "eacces", "403", "forbidden", "not permitted"]),
        ("not signed in", &["401", "unauthorized", "unauthenticated"]),
        ("too much at once", &["429", "rate limit", "too many", "quota", "exceeds", "too large"]),
        ("took too long", &["timed out", "timeout", "deadline"]),
        ("wrong encoding", &["codec", "unicodedecode", "encoding", "invalid utf"]),
        (
            "wrong argument",
            &["invalid", "unknown argument", "unexpected", "400", "422", "required", "must be"],
        ),
        ("already there", &["already exists", "eexist", "conflict", "409"]),
    ];
    let head: String = error.chars().take(2_000).collect::<String>().to_lowercase();
    let class = CLASSES.iter().find(|(_, words)| words.iter().any(|word| head.contains(word)));
    if let Some((class, _)) = class {
        return (*class).to_owned();
    }
    match engross_transcript::exit_code_of(error) {
        Some(code) => format!("exit code {code}"),
        None => "an error".to_owned(),
    }
}
