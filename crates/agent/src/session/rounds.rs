//! What a turn has done so far, as its messages tell: repeated calls, changes that were made, rounds without progress.
//!
//! Must never decide what follows from it. Pure functions.

use engross_llm::{Message, ToolCall};
use serde_json::Value;

use super::calls::{NO_RESULT, same_call};
use crate::tools::cut;

/// The most changes that a report names one by one.
const NAMED: usize = 12;

/// The most bytes of one reason in a report.
const REASON_BYTES: usize = 300;

/// How often a call was made in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Repetition {
    /// This time included.
    pub(super) calls: u32,
    /// How many of those before had the same result as the last of them, itself included.
    pub(super) same_results: u32,
}

/// How often each of `calls` is made in a row behind `messages`.
pub(super) fn repeats(messages: &[Message], calls: &[ToolCall]) -> Vec<Repetition> {
    let mut row: Option<(&ToolCall, Repetition)> = None;
    // The result of the last call of the row.
    let mut last: Option<&str> = None;
    for (at, message) in messages.iter().enumerate() {
        let Message::Assistant { tool_calls, .. } = message else { continue };
        for call in tool_calls {
            let (call, mut repetition) = next_in_row(row, call);
            let result = result_behind(messages.get(at + 1..).unwrap_or_default(), &call.id);
            let goes_on = repetition.calls > 1 && result.is_some() && result == last;
            repetition.same_results =
                if goes_on { repetition.same_results + 1 } else { u32::from(result.is_some()) };
            last = result;
            row = Some((call, repetition));
        }
    }
    let mut repetitions = Vec::with_capacity(calls.len());
    for call in calls {
        let (call, repetition) = next_in_row(row, call);
        repetitions.push(repetition);
        row = Some((call, repetition));
    }
    repetitions
}

fn next_in_row<'a>(
    row: Option<(&'a ToolCall, Repetition)>,
    call: &'a ToolCall,
) -> (&'a ToolCall, Repetition) {
    match row {
        Some((known, before)) if same_call(known, call) => {
            (call, Repetition { calls: before.calls + 1, ..before })
        }
        _ => (call, Repetition { calls: 1, same_results: 0 }),
    }
}

/// The result of a call in the round behind it.
fn result_behind<'a>(messages: &'a [Message], id: &str) -> Option<&'a str> {
    let round = messages.iter().map_while(|message| match message {
        Message::Tool { tool_call_id, content, .. } => Some((tool_call_id, content)),
        _ => None,
    });
    round.into_iter().find(|(call, _)| *call == id).map(|(_, content)| content.as_str())
}

/// What the model reads for a call that repeats the one before it, and whether that is a failure. `before` is the call before
/// it in the same answer.
pub(super) fn told_again(messages: &[Message], call: &ToolCall, before: Option<&ToolCall>) -> (String, bool) {
    if before.is_some_and(|before| same_call(before, call)) {
        let content = "This is the very call before it, so it was made once; the result stands there.";
        return (content.to_owned(), false);
    }
    let (result, is_error) = last_result(messages, call).unwrap_or((NO_RESULT.to_owned(), true));
    (
        format!("You made this very call just before; it was not made again. Its result was:\n{result}"),
        is_error,
    )
}

/// Whether the call begins a file that could not be begun before: what was in its way may be gone.
pub(super) fn may_come_again(messages: &[Message], call: &ToolCall) -> bool {
    call.name == crate::writing::BEGIN && last_result(messages, call).is_some_and(|(_, is_error)| is_error)
}

/// The result of the same call before, and whether it was a failure.
fn last_result(messages: &[Message], call: &ToolCall) -> Option<(String, bool)> {
    let id = messages.iter().rev().find_map(|message| match message {
        Message::Assistant { tool_calls, .. } => {
            tool_calls.iter().rev().find(|known| same_call(known, call)).map(|known| &known.id)
        }
        _ => None,
    })?;
    messages.iter().rev().find_map(|message| match message {
        Message::Tool { tool_call_id, content, is_error, .. } if tool_call_id == id => {
            Some((content.clone(), *is_error))
        }
        _ => None,
    })
}

/// What was changed, a line for each result of a tool that `changes`; empty when nothing was.
pub(super) fn report(messages: &[Message], changes: impl Fn(&str) -> bool) -> String {
    let done: Vec<String> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { name, content, is_error: false, .. } if changes(name) => {
                Some(format!("✓ {}", outcome(name, content)))
            }
            _ => None,
        })
        .collect();
    if done.is_empty() {
        return String::new();
    }
    let more = done.len().saturating_sub(NAMED);
    let mut report = done.into_iter().take(NAMED).collect::<Vec<_>>().join("\n");
    if more > 0 {
        report.push_str(&format!("\n✓ and {more} more"));
    }
    format!("What was done before that stands:\n{report}")
}

/// "`apply_redlines`: 2 applied, 1 refused".
fn outcome(name: &str, content: &str) -> String {
    let answer: Value = serde_json::from_str(content).unwrap_or_default();
    let counts: Vec<String> = ["applied", "refused", "failed"]
        .into_iter()
        .filter_map(|what| {
            let count = answer["summary"][what].as_u64().filter(|count| *count > 0)?;
            Some(format!("{count} {what}"))
        })
        .collect();
    if counts.is_empty() { name.to_owned() } else { format!("{name}: {}", counts.join(", ")) }
}

/// So many rounds without progress are the last; and so many that only begin files: what a path or an option is to be is often found
/// by trying.
const ROUNDS: u32 = 2;
const BEGINNING_ROUNDS: u32 = 4;

/// The report of two rounds without progress: in the last two, calls that would have changed something failed, every one. `None`
/// while there is some. A round that only reads counts as a new attempt.
pub(super) fn stuck(messages: &[Message], changes: impl Fn(&str) -> bool) -> Option<String> {
    let mut reasons: Vec<String> = Vec::new();
    let mut rounds = 0;
    let mut most = BEGINNING_ROUNDS;
    // From the end: the results of a round, then the calls that they belong to.
    let mut results: Vec<(&str, &str, bool)> = Vec::new();
    for message in messages.iter().rev() {
        match message {
            Message::Tool { name, content, is_error, .. } => results.push((name, content, *is_error)),
            Message::Assistant { .. } => {
                let mut tried = results.drain(..).filter(|(name, ..)| changes(name)).peekable();
                tried.peek()?;
                for (name, content, is_error) in tried {
                    if !is_error {
                        return None;
                    }
                    if name != crate::writing::BEGIN {
                        most = ROUNDS;
                    }
                    let reason = format!("{name}: {}", reason(content));
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
                rounds += 1;
                if rounds >= most {
                    reasons.reverse();
                    let rounds = if most == ROUNDS { "two" } else { "four" };
                    return Some(format!(
                        "Nothing could be changed in {rounds} rounds in a row, so the model was stopped. What went wrong:\n- {}\nSay \
                         how to go on.",
                        reasons.join("\n- ")
                    ));
                }
            }
            Message::User { .. } => return None,
        }
    }
    None
}

/// What a failed result says, short enough for a person.
fn reason(content: &str) -> String {
    let answer: Value = serde_json::from_str(content).unwrap_or_default();
    let named = |about: &Value| {
        let message = about["message"].as_str()?;
        Some(about["code"].as_str().map_or_else(|| message.to_owned(), |code| format!("{message} ({code})")))
    };
    let operations = answer["operations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = named(&answer["error"]).or_else(|| operations.iter().find_map(named));
    cut(&text.unwrap_or_else(|| content.to_owned()), REASON_BYTES)
}
