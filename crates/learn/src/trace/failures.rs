//! Finds calls that failed, and what worked afterwards.

use serde::Serialize;

use super::target::is_same_target;
use engross_transcript::{CallOutcome, CallStep, SessionText, StepKind, TranscriptStep};

/// Within how many later calls of the same tool a way out is looked for.
const REACH: usize = 6;

/// Characters of an error that tell which one it is.
const SIGNATURE: usize = 120;

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedCall {
    /// The line of the call.
    pub line: u64,
    /// The tool.
    pub tool: String,
    /// What it was called with, as JSON.
    pub arguments: SessionText,
    /// What it said; of a long result its beginning and its end.
    pub error: String,
    /// What worked afterwards.
    pub recovery: Option<Recovery>,
    /// Calls of whatever tool that worked between the failure and the recovery.
    #[serde(skip)]
    pub between: Vec<WorkedCall>,
}

/// A call that worked.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkedCall {
    /// The tool.
    pub tool: String,
    /// What it was called with, as JSON.
    pub arguments: SessionText,
}

/// A later call of the same tool, on the same target, that worked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recovery {
    /// The line of the call.
    pub line: u64,
    /// What it was called with, as JSON.
    pub arguments: SessionText,
}

impl FailedCall {
    /// The error without what changes from time to time: equal for equal mistakes. Lower case, digits as `0`, one line.
    #[must_use]
    pub fn signature(&self) -> String {
        let line = self.error.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let mut signature = String::new();
        for char in line.chars().take(SIGNATURE) {
            let char = if char.is_ascii_digit() { '0' } else { char.to_ascii_lowercase() };
            if !(char == '0' && signature.ends_with('0')) {
                signature.push(char);
            }
        }
        signature
    }
}

/// The failures among `steps`, in order.
pub(super) fn failures(steps: &[&TranscriptStep]) -> Vec<FailedCall> {
    let calls: Vec<(u64, &CallStep)> = steps
        .iter()
        .filter_map(|step| match &step.what {
            StepKind::Call(call) => Some((step.line, call)),
            _ => None,
        })
        .collect();
    let mut failures = Vec::new();
    for (at, (line, call)) in calls.iter().enumerate() {
        let Some(result) = call.result.as_ref().filter(|result| result.outcome == CallOutcome::Failed) else {
            continue;
        };
        let later = calls.iter().enumerate().skip(at + 1).filter(|(_, (_, later))| later.tool == call.tool);
        let worked = later.take(REACH).find(|(_, (_, later))| {
            is_fine(later) && is_same_target(&call.arguments.whole(), &later.arguments.whole())
        });
        let until = worked.map_or(at, |(place, _)| place);
        let between =
            calls.get(at + 1..until).unwrap_or_default().iter().filter(|(_, between)| is_fine(between));
        failures.push(FailedCall {
            line: *line,
            tool: call.tool.to_string(),
            arguments: call.arguments.clone(),
            error: ends_of(&result.text.whole()),
            recovery: worked
                .map(|(_, (line, call))| Recovery { line: *line, arguments: call.arguments.clone() }),
            between: between
                .map(|(_, call)| WorkedCall {
                    tool: call.tool.to_string(),
                    arguments: call.arguments.clone(),
                })
                .collect(),
        });
    }
    failures
}

fn is_fine(call: &CallStep) -> bool {
    call.result.as_ref().is_some_and(|result| result.outcome == CallOutcome::Fine)
}

/// Bytes at the beginning and at the end of a result that say why it failed; the whole of it stands in the reasoning.
const BEGINNING: usize = 16 << 10;
const ENDING: usize = 4 << 10;

/// A text without its middle, where it is long.
fn ends_of(text: &str) -> String {
    if text.len() <= BEGINNING + ENDING {
        return text.to_owned();
    }
    let beginning = text.get(..text.floor_char_boundary(BEGINNING)).unwrap_or_default();
    let ending = text.get(text.floor_char_boundary(text.len() - ENDING)..).unwrap_or_default();
    format!("{beginning}\n…\n{ending}")
}
