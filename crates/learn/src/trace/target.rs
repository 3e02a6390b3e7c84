//! Decides whether a later call has the same aim as an earlier one: only then does its success say how to do it.
//!
//! Must never take *list the folder* for the way out of a search that found nothing.

use serde_json::{Map, Value};

/// Arguments that hold a command line.
const COMMANDS: &[&str] = &["command", "cmd", "script"];

/// The words of a command line that a call runs, if it runs one.
#[must_use]
pub fn command_of(arguments: &str) -> Option<Vec<String>> {
    let value: Value = serde_json::from_str(arguments).ok()?;
    let command = COMMANDS.iter().find_map(|name| value.get(*name))?;
    words_of(command)
}

fn words_of(command: &Value) -> Option<Vec<String>> {
    let words = match command {
        Value::String(line) => line.split_whitespace().map(str::to_owned).collect(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                // Codex hands commands to a shell.
                [_, flag, line] if matches!(*flag, "-lc" | "-c") => {
                    line.split_whitespace().map(str::to_owned).collect()
                }
                words => words.iter().map(|word| (*word).to_owned()).collect(),
            }
        }
        _ => return None,
    };
    Some(words).filter(|words: &Vec<String>| !words.is_empty())
}

pub(super) fn is_same_target(failed: &str, worked: &str) -> bool {
    if failed == worked {
        return true;
    }
    let read = |json: &str| serde_json::from_str::<Value>(json).ok();
    let (Some(Value::Object(failed)), Some(Value::Object(worked))) = (read(failed), read(worked)) else {
        return false;
    };
    let common = failed.iter().filter_map(|(name, value)| Some((name, value, worked.get(name)?)));
    let common: Vec<_> = common.collect();
    let is_met = common.iter().all(|(name, one, other)| one == other || is_near(name, one, other));
    is_met && (!common.is_empty() || is_small(&failed) && is_small(&worked))
}

/// Few arguments: one may have taken the place of another.
fn is_small(arguments: &Map<String, Value>) -> bool {
    arguments.len() <= 1
}

fn is_near(name: &str, one: &Value, other: &Value) -> bool {
    if COMMANDS.contains(&name) {
        let (Some(one), Some(other)) = (words_of(one), words_of(other)) else { return false };
        return program(&one) == program(&other);
    }
    match (one.as_str(), other.as_str()) {
        (Some(one), Some(other)) => is_near_text(one, other),
        // A number, a list or a switch that is another one, or of another kind.
        _ => true,
    }
}

/// The program and what it is asked to do: `make test`, `git log`, `docker compose up`, `pytest`.
fn program(words: &[String]) -> [&str; 3] {
    let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
    let task = |at: usize| {
        let is_task = !word(at).is_empty()
            && !word(at).starts_with('-')
            && word(at).chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | ':'));
        if is_task { word(at) } else { "" }
    };
    if !has_tasks(word(0)) {
        return [word(0), "", ""];
    }
    let is_group =
        matches!(word(1), "compose" | "run" | "exec" | "stack" | "image" | "remote" | "stash" | "workspace");
    [word(0), task(1), if is_group { task(2) } else { "" }]
}

fn has_tasks(program: &str) -> bool {
    const PROGRAMS: &[&str] = &[
        "make",
        "cargo",
        "npm",
        "pnpm",
        "yarn",
        "git",
        "docker",
        "kubectl",
        "go",
        "pip",
        "uv",
        "just",
        "gradle",
        "mvn",
        "dotnet",
        "bundle",
        "rake",
        "terraform",
    ];
    PROGRAMS.contains(&program)
}

fn is_near_text(one: &str, other: &str) -> bool {
    if is_path(one) || is_path(other) {
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let ending = |path: &str| name(path).rsplit_once('.').map(|(_, ending)| ending.to_owned());
        return name(one) == name(other)
            || folder(one).is_some() && folder(one) == folder(other)
            || ending(one).is_some() && ending(one) == ending(other);
    }
    // Words, dates and names of settings; sentences have aims of their own.
    one.split_whitespace().count() <= 3 && other.split_whitespace().count() <= 3
}

/// Whether a text looks like a path: no spaces, and a slash or an ending.
#[must_use]
pub fn is_path(text: &str) -> bool {
    let has_ending = text.rsplit_once('.').is_some_and(|(name, ending)| {
        !name.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
            && ending.chars().any(|c| c.is_ascii_alphabetic())
    });
    !text.contains(char::is_whitespace) && !is_date(text) && (text.contains('/') || has_ending)
}

fn is_date(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '/' | '-' | '.' | ':'))
}
