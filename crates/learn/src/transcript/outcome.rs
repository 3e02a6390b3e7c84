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

/// The exit code in the head of what Codex writes: `Exit code: 1` or `"exit_code":1`.
fn printed_exit(text: &str) -> Option<i64> {
    let line = text.lines().next()?;
    if let Some(code) = line.strip_prefix("Exit code: ") {
        return code.trim().parse().ok();
    }
    if !text.starts_with("{\"output\":") {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    value["metadata"]["exit_code"].as_i64()
}
