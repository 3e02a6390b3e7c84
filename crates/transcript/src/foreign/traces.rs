//! Traces of learners of this family: `question`, `reasoning`, `answer`, and what somebody says about how it went.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::lines::{SessionLines, call, text, thinking};
use super::retold::{GivenOutcome, RetoldSession};

/// Words that say that it went wrong, and that it went well.
static WRONG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(wrong|incorrect|fail|fails|failed|failure|mistake|not (correct|right|what)|error|rejected|bad)\b",
    )
    .ok()
});
static RIGHT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(correct|right|success|successful|successfully|succeeded|passed|passes|works|good|accepted|perfect)\b").ok()
});

/// The sessions; `None` when these are no traces.
pub(super) fn retell(values: &[Value]) -> Option<Vec<RetoldSession>> {
    let is_trace = |value: &Value| {
        value["question"].is_string() && value["answer"].is_string() && value.get("reasoning").is_some()
    };
    if values.is_empty() || !values.iter().all(is_trace) {
        return None;
    }
    Some(values.iter().map(|value| of_trace(value).retold()).collect())
}

fn of_trace(value: &Value) -> SessionLines {
    let mut lines = SessionLines::default();
    let said = |name: &str| value[name].as_str().unwrap_or_default();
    let extra = &value["extra"];
    lines.header(&extra["session"], &extra["cwd"], &Value::Null);
    let parts = parts(said("reasoning"));
    let has_question = parts.first().is_some_and(|(label, _)| label == "user");
    if !has_question {
        lines.message(&Value::Null, json!({"role": "user", "content": said("question")}));
    }
    let mut last = String::new();
    for (number, (label, words)) in parts.into_iter().enumerate() {
        let id = format!("call-{number}");
        match label.split_once([':', ',']).map_or((label.as_str(), ""), |(kind, rest)| (kind, rest)) {
            ("user" | "User", _) => lines.message(&Value::Null, json!({"role": "user", "content": words})),
            ("tool" | "tool_call", name) => {
                last.clone_from(&id);
                lines.message(&Value::Null, model(&call(&id, name, &json!(words))));
            }
            ("result" | "tool_result", rest) => {
                let (name, outcome) = rest.split_once(',').unwrap_or((rest, ""));
                lines.result(&Value::Null, (&last, name), &words, outcome.trim().starts_with("failed"));
            }
            ("thinking", _) => lines.message(&Value::Null, model(&thinking(&words))),
            ("program" | "earlier" | "stopped" | "image" | "output", _) => {
                lines.program(&Value::Null, json!(words));
            }
            _ => lines.message(&Value::Null, model(&text(&words))),
        }
    }
    let named: Vec<String> = value["skill_ids"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|id| format!("[{id}]"))
        .collect();
    if !named.is_empty() {
        lines.message(&Value::Null, model(&thinking(&named.join(" "))));
    }
    lines.message(&Value::Null, model(&text(said("answer"))));
    let ground_truth =
        value["ground_truth"].as_str().filter(|truth| !truth.trim().is_empty()).map(str::to_owned);
    let feedback = said("feedback").to_owned();
    // Figures of `transcript trace` are no judgement.
    let is_ours = extra.get("calls").is_some() && ground_truth.is_none();
    if !is_ours && (!feedback.trim().is_empty() || ground_truth.is_some()) {
        let went_well = went_well(said("answer"), &feedback, ground_truth.as_deref());
        lines.given(GivenOutcome { feedback, ground_truth, went_well });
    }
    lines
}

fn model(block: &Value) -> Value {
    json!({"role": "assistant", "content": [block]})
}

/// The parts of a reasoning by their labels: `[tool:read] …`. Words before the first label are the model's.
fn parts(reasoning: &str) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for line in reasoning.lines() {
        let label =
            line.strip_prefix('[').and_then(|rest| rest.split_once("] ").or_else(|| rest.split_once(']')));
        let is_label = |label: &str| {
            let kind = label.split([':', ',']).next().unwrap_or_default();
            [
                "user",
                "User",
                "thinking",
                "response",
                "tool",
                "tool_call",
                "result",
                "tool_result",
                "program",
                "earlier",
                "stopped",
                "image",
                "output",
                "command",
            ]
            .contains(&kind)
        };
        match label.filter(|(label, _)| is_label(label)) {
            Some((label, words)) => parts.push((label.to_owned(), words.to_owned())),
            None => match parts.last_mut() {
                Some((_, words)) => {
                    words.push('\n');
                    words.push_str(line);
                }
                None if line.trim().is_empty() => {}
                None => parts.push(("thinking".to_owned(), line.to_owned())),
            },
        }
    }
    parts
}

/// Whether it went well: the right answer stands in the answer, or else the feedback says so in one sense only.
fn went_well(answer: &str, feedback: &str, truth: Option<&str>) -> Option<bool> {
    let plain = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(truth) = truth {
        return Some(plain(answer).contains(&plain(truth)));
    }
    let says = |pattern: &LazyLock<Option<Regex>>| {
        pattern.as_ref().is_some_and(|pattern| pattern.is_match(feedback))
    };
    match (says(&WRONG), says(&RIGHT)) {
        (true, _) => Some(false),
        (false, true) => Some(true),
        (false, false) => None,
    }
}
