//! What happens to a run, told as a stream: the task first, what changes then, its files and its end last.
//!
//! Must never end a stream of a task that goes on, unless it waits for the client, or the process ends.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::A2aFrame;
use super::error::A2aError;
use super::task::{ANSWER, TaskView, artifacts, message, question, task};
use crate::rpc::{Bridge, RpcCall};
use crate::runs::{RunError, Ticket, Update};

/// Where the pieces of a stream go.
pub(super) struct EventSink {
    pub(super) id: Value,
    pub(super) frames: mpsc::Sender<A2aFrame>,
}

impl EventSink {
    async fn tell(&self, result: Value) {
        let event = json!({ "jsonrpc": "2.0", "id": self.id, "result": result });
        // A client that went away receives nothing; the run continues.
        let _ = self.frames.send(A2aFrame::Event(event)).await;
    }

    /// Whether nobody listens any more.
    pub(super) fn is_gone(&self) -> bool {
        self.frames.is_closed()
    }

    /// Resolves when nobody listens any more.
    pub(super) async fn gone(&self) {
        self.frames.closed().await;
    }
}

/// Tells a run from now on until it ends, or asks something.
pub(super) async fn stream(
    bridge: &Bridge,
    call: &RpcCall,
    ticket: &Ticket,
    sink: &EventSink,
) -> Result<(), A2aError> {
    let view = TaskView { history: true, artifacts: true };
    let mut listener = ticket.listen(0).await?;
    let first = task(bridge, call, ticket, view).await?;
    let context = first["contextId"].as_str().unwrap_or_default().to_owned();
    let is_over = is_interrupted(&first);
    sink.tell(json!({ "task": first })).await;
    if is_over {
        return Ok(());
    }
    let mut words = Words::default();
    loop {
        let (revision, status) = ticket.revision().await?;
        while let Some(update) = listener.ready() {
            tell(&update, ticket, &context, &mut words, sink).await;
        }
        if status.is_terminal() || question(bridge, ticket).await?.is_some() || sink.is_gone() {
            break;
        }
        tokio::select! {
            changed = ticket.changed(&revision) => match changed {
                Err(RunError::Stopping) => break,
                changed => changed?,
            },
            update = listener.next() => tell(&update, ticket, &context, &mut words, sink).await,
            () = sink.gone() => return Ok(()),
        }
    }
    let last = task(bridge, call, ticket, TaskView { history: false, artifacts: true }).await?;
    let snapshot = ticket.snapshot(&call.base).await?;
    if snapshot.status.is_terminal() {
        for artifact in artifacts(&snapshot.body) {
            // The whole of the words replaces the pieces, of which some belonged to no answer.
            let event = json!({
                "taskId": ticket.run(), "contextId": context, "artifact": artifact, "append": false, "lastChunk": true,
            });
            sink.tell(json!({ "artifactUpdate": event })).await;
        }
    }
    let event = json!({
        "taskId": ticket.run(), "contextId": context, "status": last["status"], "metadata": last["metadata"],
    });
    sink.tell(json!({ "statusUpdate": event })).await;
    Ok(())
}

/// Whether nothing follows until the client does something.
pub(super) fn is_interrupted(task: &Value) -> bool {
    !matches!(task["status"]["state"].as_str(), Some("TASK_STATE_SUBMITTED" | "TASK_STATE_WORKING"))
}

/// What was told of the agent's words.
#[derive(Default)]
struct Words {
    has_begun: bool,
    /// Whether a use of a tool has begun since.
    is_over: bool,
    calls: BTreeSet<String>,
}

async fn tell(update: &Update, ticket: &Ticket, context: &str, words: &mut Words, sink: &EventSink) {
    let params = &*update.params;
    let working = |text: String| {
        let id = format!("{}-{}", ticket.run(), update.seq);
        let said = message(ticket, context, &id, &json!([{ "text": text }]));
        json!({ "statusUpdate": {
            "taskId": ticket.run(), "contextId": context,
            "status": { "state": "TASK_STATE_WORKING", "message": said },
        } })
    };
    let event = &params["structuredEvent"];
    let told = match (params["type"].as_str(), event["type"].as_str()) {
        (Some("delta"), _) => {
            let Some(text) = params["delta"].as_str().filter(|text| !text.is_empty()) else { return };
            // Words behind a tool are another message.
            let append = words.has_begun && !std::mem::take(&mut words.is_over);
            words.has_begun = true;
            json!({ "artifactUpdate": {
                "taskId": ticket.run(), "contextId": context, "append": append, "lastChunk": false,
                "artifact": { "artifactId": ANSWER, "name": ANSWER, "parts": [{ "text": text }] },
            } })
        }
        (_, Some("tool_call")) => {
            let word = |name: &str| event[name].as_str().unwrap_or_default();
            words.is_over |= words.calls.insert(word("toolCallId").to_owned());
            working(format!("{} ({})", word("title"), word("status")))
        }
        (_, Some("plan")) => {
            let steps = event["entries"].as_array().into_iter().flatten();
            let lines: Vec<String> = steps
                .map(|step| {
                    let word = |name: &str| step[name].as_str().unwrap_or_default();
                    format!("[{}] {}", word("status"), word("content"))
                })
                .collect();
            working(lines.join("\n"))
        }
        _ if params["event"] == "running" => json!({ "statusUpdate": {
            "taskId": ticket.run(), "contextId": context, "status": { "state": "TASK_STATE_WORKING" },
        } }),
        _ => return,
    };
    sink.tell(told).await;
}
