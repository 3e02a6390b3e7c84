//! Judges whether a call succeeded. The flag `isError` of a program is only half of it.

use serde_json::Value;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// Nothing speaks against it.
    Fine,
    /// It failed.
    Failed,
    /// It goes on somewhere else; this is no result yet.
    Pending,
    /// A program made the result up to mend a transcript: it proves nothing.
    Synthetic,
}

/// What programs write in the place of a result that was lost.
const SYNTHETIC: &[&str] = &[
    "synthetic error result for transcript repair",
    "[Request interrupted by user",
    "The user doesn't want to proceed with this tool use",
];

/// Judges a result by what the program says, what the tool says in `details`, and its text.
pub(super) fn of_result(is_error: bool, details: Option<&str>, text: &str) -> CallOutcome {
    let head = text.get(..text.floor_char_boundary(512)).unwrap_or(text);
    if SYNTHETIC.iter().any(|words| head.contains(words)) {
        return CallOutcome::Synthetic;
    }
    let details: Value = details.and_then(|details| serde_json::from_str(details).ok()).unwrap_or_default();
    let status = details["status"].as_str().unwrap_or_default();
    if matches!(status, "pending" | "running") {
        return CallOutcome::Pending;
    }
    let is_bad = matches!(status, "error" | "failed" | "failure" | "timeout" | "timed_out" | "killed");
    let exit = ["exitCode", "exit_code"].iter().find_map(|key| details[*key].as_i64());
    if is_error
        || is_bad
        || exit.is_some_and(|exit| exit != 0)
        || printed_exit(text).is_some_and(|exit| exit != 0)
    {
        CallOutcome::Failed
    } else {
        CallOutcome::Fine
    }
}

/// Lines in the head of a printed result that may tell its exit code.
const HEAD: usize = 12;

/// The exit code that a program printed with a result: `Exit code: 1`, `Process exited with code 1`, `"exit_code":1`.
fn printed_exit(text: &str) -> Option<i64> {
    // Only what stands before the output is the program's word.
    let mut head = text.lines().take(HEAD).take_while(|line| !line.starts_with("Output:"));
    if let Some(code) = head.find_map(exit_in) {
        return Some(code);
    }
    if !text.starts_with('{') || !text.contains("exit_code") {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    value["metadata"]["exit_code"].as_i64().or_else(|| value["exit_code"].as_i64())
}

fn exit_in(line: &str) -> Option<i64> {
    let begins = ["Exit code: ", "Process exited with code "];
    begins.iter().find_map(|words| line.strip_prefix(words))?.trim().parse().ok()
}

/// The exit code that a text tells anywhere.
pub fn exit_code_of(text: &str) -> Option<i64> {
    let tail = || text.lines().rev().take(HEAD);
    printed_exit(text)
        .or_else(|| tail().find_map(|line| line.rsplit_once("exited with code ")?.1.trim().parse().ok()))
}
