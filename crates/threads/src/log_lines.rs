//! What happened in a thread, a line each, for people.
//!
//! Must never be taken for the journal itself: it leaves out what only programs need.

use engross_store::Millis;
use engross_tasks::runner::PlanStep;
use futures_util::StreamExt;
use serde_json::json;

use super::driver::ThreadDriver;
use super::error::ThreadError;
use super::journal::ThreadJournal;
use super::link::{BridgeCall, BridgeFrame};
use super::look_up::look_up;
use super::state::ThreadEntry;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When, in milliseconds since 1970.
    pub at: Millis,
    /// In a word.
    pub event: String,
    /// More of it.
    pub text: String,
}

/// A moment as RFC 3339, in seconds.
#[must_use]
pub fn moment(at: i64) -> String {
    jiff::Timestamp::from_second(at.div_euclid(1_000)).map(|at| at.to_string()).unwrap_or_default()
}

impl ThreadJournal {
    /// What the journal has of a thread, oldest first.
    ///
    /// # Errors
    /// As [`ThreadJournal::load`].
    pub async fn log(&self, key: &str) -> Result<Vec<LogLine>, ThreadError> {
        let mut lines = Vec::new();
        for (at, entry) in self.entries(key).await? {
            let (event, text) = match entry {
                ThreadEntry::Opened { record } => ("opened", record.execution_binding.provider_id),
                ThreadEntry::Waits { ask } => ("waits", ask.text),
                ThreadEntry::Queued { ask } => ("queued", ask.text),
                ThreadEntry::Began { ask, .. } => ("asked", ask.text),
                ThreadEntry::Associated { association } => ("run", association.run_id),
                ThreadEntry::Lost { failures } => ("lost", format!("the bridge did not answer ({failures})")),
                ThreadEntry::Waited { .. } => ("waits", "the run has not begun yet".to_owned()),
                ThreadEntry::Reached => ("reached", String::new()),
                ThreadEntry::Delivered { terminal } => {
                    let files = terminal.artifacts.len();
                    ("delivered", format!("{files} file{}", if files == 1 { "" } else { "s" }))
                }
                ThreadEntry::Ended { code, paths, text, .. } => {
                    let files =
                        if paths.is_empty() { String::new() } else { format!(" [{}]", paths.join(", ")) };
                    ("ended", format!("{code}{files}: {text}"))
                }
                ThreadEntry::Archived => ("archived", String::new()),
                ThreadEntry::Restored => ("restored", String::new()),
            };
            lines.push(LogLine { at, event: event.to_owned(), text });
        }
        Ok(lines)
    }
}

impl ThreadDriver {
    /// What the bridge still knows of what the agent of the newest run did: its tools, its questions, its plan.
    ///
    /// # Errors
    /// [`ThreadError::Bridge`], as the bridge says.
    pub async fn updates(&self, key: &str) -> Result<Vec<LogLine>, ThreadError> {
        let thread = self.journal().load(key).await?;
        let record =
            thread.ok_or_else(|| ThreadError::Unknown { thread: key.to_owned() })?.into_state().record;
        let mut params = look_up(&record, record.context_state.open_claw_task_association.as_ref());
        params["afterSeq"] = json!(0);
        params["waitMs"] = json!(0);
        let call = BridgeCall { method: "xworkmate.tasks.get", params, last_event: None };
        let refused = |code: String, message: String| ThreadError::Bridge { code, message };
        let mut frames = self.link().call(call).await.map_err(|error| refused(error.code, error.message))?;
        let mut lines = Vec::new();
        let mut at = self.journal().now();
        while let Some(Ok(BridgeFrame::Update(update, _))) = frames.next().await {
            let event = &update["structuredEvent"];
            let told = event["atMs"].as_u64().or(update["task"]["atMs"].as_u64());
            at = told.unwrap_or(at);
            let line = match (event["type"].as_str(), update["event"].as_str()) {
                (Some("tool_call"), _) => {
                    let word = |name: &str| event[name].as_str().unwrap_or_default();
                    Some(("tool", format!("{} ({})", word("title"), word("status"))))
                }
                (Some("plan"), _) => {
                    let steps: Vec<PlanStep> =
                        serde_json::from_value(event["entries"].clone()).unwrap_or_default();
                    let done = steps.iter().filter(|step| step.status == "completed").count();
                    let at_work = steps.iter().find(|step| step.status == "in_progress");
                    let now = at_work.map(|step| format!(", now: {}", step.content)).unwrap_or_default();
                    Some(("plan", format!("{done} of {} steps done{now}", steps.len())))
                }
                (_, Some("task.permission_requested")) => Some((
                    "asks",
                    update["task"]["toolCall"]["title"].as_str().unwrap_or_default().to_owned(),
                )),
                (_, Some("task.permission_resolved")) => {
                    Some(("answered", update["task"]["optionId"].as_str().unwrap_or("no").to_owned()))
                }
                _ => None,
            };
            if let Some((event, text)) = line {
                lines.push(LogLine { at, event: event.to_owned(), text });
            }
        }
        Ok(lines)
    }
}
