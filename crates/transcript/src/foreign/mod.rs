//! Sessions of other programs, retold as lines of OpenClaw's form, which the reader knows.
//!
//! Must never guess at a format: what is not recognised by its own fields is left alone, and named as unknown. Pure.

mod copilot;
mod cursor;
mod gemini;
mod goose;
mod lines;
mod openai;
mod opencode;
mod retold;
mod traces;

#[cfg(test)]
mod foreign_tests;

use serde_json::Value;

use lines::SessionLines;
pub use retold::{GivenOutcome, RetoldSession};

/// Who keeps sessions in a form of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionMaker {
    /// Gemini CLI: one JSON object with `messages`, or a line for each change of it.
    Gemini,
    /// opencode: what `opencode export` prints.
    Opencode,
    /// Copilot CLI: events, a line each.
    Copilot,
    /// goose: messages, a line each, or what `goose session export` prints.
    Goose,
    /// Cursor's transcripts: messages, a line each, without results.
    Cursor,
    /// A list of messages as providers take it.
    Openai,
    /// Traces of learners of this family.
    Traces,
}

/// The sessions in a file of another program; `None` when it is of none that is known.
#[must_use]
pub fn retell(bytes: &[u8]) -> Option<(SessionMaker, Vec<RetoldSession>)> {
    let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}');
    let document: Option<Value> = serde_json::from_str(text).ok();
    let values: Vec<Value> = match document {
        Some(Value::Array(values)) => values,
        Some(value) => return of_document(&value).or_else(|| of_lines(std::slice::from_ref(&value))),
        // A line that cannot be read is passed over, as in every other session.
        None => text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
    };
    of_lines(&values)
}

/// A file that is one object.
fn of_document(value: &Value) -> Option<(SessionMaker, Vec<RetoldSession>)> {
    let one = |maker, lines: SessionLines| Some((maker, vec![lines.retold()]));
    if let Some(lines) = gemini::retell(value) {
        return one(SessionMaker::Gemini, lines);
    }
    if let Some(lines) = opencode::retell(value) {
        return one(SessionMaker::Opencode, lines);
    }
    if let Some(lines) = goose::of_export(value) {
        return one(SessionMaker::Goose, lines);
    }
    if let Some(lines) = value["messages"].as_array().and_then(|messages| openai::retell(messages)) {
        return one(SessionMaker::Openai, lines);
    }
    // What `transcript trace --json` prints.
    let files = value["files"].as_object()?;
    let traces: Vec<Value> = files.values().cloned().collect();
    Some((SessionMaker::Traces, traces::retell(&traces)?))
}

/// A file of lines, or a list.
fn of_lines(values: &[Value]) -> Option<(SessionMaker, Vec<RetoldSession>)> {
    let one = |maker, lines: SessionLines| Some((maker, vec![lines.retold()]));
    if let Some(sessions) = traces::retell(values) {
        return Some((SessionMaker::Traces, sessions));
    }
    if let Some(lines) = gemini::of_lines(values) {
        return one(SessionMaker::Gemini, lines);
    }
    if let Some(lines) = copilot::retell(values) {
        return one(SessionMaker::Copilot, lines);
    }
    if let Some(lines) = goose::of_lines(values) {
        return one(SessionMaker::Goose, lines);
    }
    if let Some(lines) = cursor::retell(values) {
        return one(SessionMaker::Cursor, lines);
    }
    if let Some(lines) = opencode::of_messages(values) {
        return one(SessionMaker::Opencode, lines);
    }
    openai::retell(values).and_then(|lines| one(SessionMaker::Openai, lines))
}
