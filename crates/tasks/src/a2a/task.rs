//! A run told as a task: its state, the words of its agent, its files.
//!
//! Must never give a task that is under way the looks of an end, or list a file that is not delivered.

use engross_artifacts::content_type;
use serde_json::{Value, json};

use super::error::A2aError;
use crate::rpc::{Bridge, RpcCall};
use crate::runs::{PermissionQuestion, RunStatus, Ticket, moment};

/// The artifact that holds the agent's words.
pub(super) const ANSWER: &str = "answer";

/// What of a task is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskView {
    /// Whether the message that began it is told, too.
    pub(super) history: bool,
    /// Whether its files are listed.
    pub(super) artifacts: bool,
}

/// How a run stands, told as a state.
pub(super) fn state(status: RunStatus, is_asking: bool) -> &'static str {
    match status {
        RunStatus::Queued => "TASK_STATE_SUBMITTED",
        RunStatus::Running if is_asking => "TASK_STATE_INPUT_REQUIRED",
        RunStatus::Running | RunStatus::SyncingArtifacts => "TASK_STATE_WORKING",
        RunStatus::Completed => "TASK_STATE_COMPLETED",
        RunStatus::Cancelled => "TASK_STATE_CANCELED",
        RunStatus::Failed | RunStatus::Interrupted => "TASK_STATE_FAILED",
    }
}

/// The question of a run that nobody has answered yet.
pub(super) async fn question(
    bridge: &Bridge,
    ticket: &Ticket,
) -> Result<Option<PermissionQuestion>, A2aError> {
    let open = bridge.runs().questions(ticket).await?;
    Ok(open.into_iter().map(|(question, _)| question).find(|question| question.run == *ticket.run()))
}

/// The whole task.
pub(super) async fn task(
    bridge: &Bridge,
    call: &RpcCall,
    ticket: &Ticket,
    view: TaskView,
) -> Result<Value, A2aError> {
    let snapshot = ticket.snapshot(&call.base).await?;
    let asked = question(bridge, ticket).await?;
    let body = &*snapshot.body;
    let context = body["threadId"].as_str().unwrap_or_default();
    let mut told = json!({
        "id": ticket.run(),
        "contextId": context,
        "status": status(bridge, ticket, context, (snapshot.status, asked.as_ref()), body),
        "metadata": { "revision": snapshot.revision },
    });
    if view.artifacts {
        told["artifacts"] = artifacts(body).into();
        if body["artifactsTruncated"] == true {
            told["metadata"]["artifactsTruncated"] = json!(true);
            told["metadata"]["artifactCount"] = body["artifactCount"].clone();
        }
    }
    for name in ["artifactWarnings", "namedOnly", "code"] {
        if !body[name].is_null() {
            told["metadata"][name] = body[name].clone();
        }
    }
    if view.history
        && let Some(said) = ticket.said().await?
    {
        told["history"] = json!([{
            "messageId": format!("{}-asked", ticket.run()),
            "contextId": context,
            "taskId": ticket.run(),
            "role": "ROLE_USER",
            "parts": [{ "text": said }],
        }]);
    }
    Ok(told)
}

fn status(
    bridge: &Bridge,
    ticket: &Ticket,
    context: &str,
    (status, asked): (RunStatus, Option<&PermissionQuestion>),
    body: &Value,
) -> Value {
    let config = bridge.runs().config();
    let at = body["endedAt"].as_str().map_or_else(|| moment(config.clock.millis()), str::to_owned);
    let mut told = json!({ "state": state(status, asked.is_some()), "timestamp": at });
    let words = match (asked, status.is_terminal()) {
        (Some(asked), _) => Some(json!([
            { "text": question_text(asked) },
            { "data": { "requestId": asked.request, "title": asked.tool, "options": asked.options } },
        ])),
        (None, true) => {
            let said = body["output"].as_str().filter(|said| !said.is_empty());
            let why = body["message"].as_str().filter(|why| !why.is_empty());
            let text = match (said, why) {
                (Some(said), Some(why)) if !said.contains(why) => Some(format!("{said}\n\n{why}")),
                (said, why) => said.or(why).map(str::to_owned),
            };
            text.map(|text| json!([{ "text": text }]))
        }
        (None, false) => None,
    };
    if let Some(parts) = words {
        told["message"] = message(ticket, context, &format!("{}-status", ticket.run()), &parts);
    }
    told
}

/// A message of the agent.
pub(super) fn message(ticket: &Ticket, context: &str, id: &str, parts: &Value) -> Value {
    json!({
        "messageId": id, "contextId": context, "taskId": ticket.run(), "role": "ROLE_AGENT", "parts": parts,
    })
}

fn question_text(asked: &PermissionQuestion) -> String {
    let options = asked.options.iter().enumerate();
    let lines: Vec<String> = options.map(|(at, option)| format!("{}. {}", at + 1, option.name)).collect();
    format!(
        "May the agent do this: {}\n{}\nAnswer with the number, or with \"no\".",
        asked.tool,
        lines.join("\n")
    )
}

/// The option that a text chooses: `Some(None)` is a no, `None` is no answer.
pub(super) fn chosen(asked: &PermissionQuestion, text: &str) -> Option<Option<String>> {
    let text = text.trim();
    if ["no", "cancel", "decline"].iter().any(|no| text.eq_ignore_ascii_case(no)) {
        return Some(None);
    }
    let by_number = text.parse::<usize>().ok().and_then(|at| asked.options.get(at.checked_sub(1)?));
    let by_name =
        || asked.options.iter().find(|option| option.id == text || option.name.eq_ignore_ascii_case(text));
    by_number.or_else(by_name).map(|option| Some(option.id.clone()))
}

/// The files of a run, and the agent's words.
pub(super) fn artifacts(body: &Value) -> Vec<Value> {
    let said = body["output"].as_str().filter(|said| !said.is_empty() && body["success"] == true);
    let answer = said.map(|said| answer(said, body["outputTruncated"] == true));
    let files = body["artifacts"].as_array().into_iter().flatten().filter_map(file);
    answer.into_iter().chain(files).collect()
}

/// The agent's words as an artifact.
fn answer(said: &str, is_cut: bool) -> Value {
    let mut told = json!({ "artifactId": ANSWER, "name": ANSWER, "parts": [{ "text": said, "mediaType": "text/plain" }] });
    if is_cut {
        told["metadata"] = json!({ "truncated": true });
    }
    told
}

/// A file as an artifact.
fn file(file: &Value) -> Option<Value> {
    let path = file["relativePath"].as_str()?;
    let kind = file["contentType"].as_str().unwrap_or_else(|| content_type(path));
    let mut part = json!({ "filename": path, "mediaType": kind });
    match (file["downloadUrl"].as_str(), file["content"].as_str()) {
        (Some(url), _) => part["url"] = json!(url),
        (None, Some(content)) => part["raw"] = json!(content),
        (None, None) => return None,
    }
    Some(json!({
        "artifactId": format!("file:{path}"),
        "name": path,
        "parts": [part],
        "metadata": { "sha256": file["sha256"], "sizeBytes": file["sizeBytes"] },
    }))
}
