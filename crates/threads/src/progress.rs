//! What a person sees of a thread that is at work.
//!
//! Must never tell the end of a run: that is told once, by its result.

use engross_store::Millis;
use engross_tasks::runner::PlanStep;
use serde_json::Value;

use super::question::ThreadQuestion;
use super::state::Lifecycle;
use super::sync::FileReport;

/// What a person sees of a thread that is at work.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// A piece of the answer.
    Text(String),
    /// Something that is going on, in a few words.
    Status(String),
    /// The agent's plan as it stands now.
    Plan(Vec<PlanStep>),
    /// A tool is used, or has got on; the same id means the same use.
    Tool {
        /// Which use.
        id: String,
        /// For people.
        title: String,
        /// `pending`, `in_progress`, `completed` or `failed`.
        status: String,
        /// When, in milliseconds since 1970, by the bridge's clock; nothing of a bridge that does not say.
        at: Option<Millis>,
    },
    /// The bridge does not answer, or answers again.
    Connected(bool),
    /// A question of the agent; [`ThreadDriver::answer`](crate::ThreadDriver::answer) answers it.
    Permission(ThreadQuestion),
    /// A file is here, or is not.
    File(FileReport),
    /// The state of the thread has changed.
    State(Lifecycle),
}

impl Progress {
    /// What an update of the bridge says to a person.
    pub(super) fn of_update(update: &Value) -> Option<Self> {
        let text = |name: &str| update[name].as_str().filter(|text| !text.is_empty());
        match update["type"].as_str().or(update["event"].as_str()).unwrap_or_default() {
            "delta" => text("delta").or(text("text")).map(|text| Self::Text(text.to_owned())),
            "event" => {
                let event = &update["structuredEvent"];
                let word = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
                match event["type"].as_str() {
                    Some("plan") => {
                        let steps = serde_json::from_value(event["entries"].clone()).unwrap_or_default();
                        Some(Self::Plan(steps))
                    }
                    Some("tool_call") => Some(Self::Tool {
                        id: word("toolCallId"),
                        title: word("title"),
                        status: word("status"),
                        at: event["atMs"].as_u64(),
                    }),
                    _ => None,
                }
            }
            "task" if update["event"] == "task.permission_requested" => {
                ThreadQuestion::of(&update["task"]).map(Self::Permission)
            }
            _ if update["pending"] == false => None,
            _ => text("message").map(|message| Self::Status(message.to_owned())),
        }
    }
}
