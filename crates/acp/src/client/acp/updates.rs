//! Translates ACP session updates into [`AgentEvent`]s.
//!
//! Must never fail: an update of a kind that is not known is passed over.

use std::collections::HashMap;

use agent_client_protocol_schema::v1::{
    ContentBlock, Plan, PlanEntry, SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolKind,
};

use engross_tasks::runner::{AgentEvent, PlanStep};

/// How many uses of tools are remembered in a turn, so that later words about them can be told whole.
const REMEMBERED: usize = 10_000;

/// How many steps of a plan are told.
const STEPS: usize = 200;

/// What is known of a use of a tool.
#[derive(Debug, Clone, PartialEq)]
struct Tool {
    title: String,
    kind: ToolKind,
    status: ToolCallStatus,
}

/// The uses of tools in a turn.
#[derive(Debug, Default)]
pub(super) struct Tools(HashMap<String, Tool>);

impl Tools {
    /// Whether one is at work.
    pub(super) fn is_one_running(&self) -> bool {
        self.0.values().any(|tool| tool.status == ToolCallStatus::InProgress)
    }

    pub(super) fn title(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(|tool| tool.title.as_str())
    }

    /// Keeps what a question says of a use of a tool that nobody was told of before: what follows may say its end alone.
    pub(super) fn remember(&mut self, asked: &ToolCallUpdate) {
        let id = asked.tool_call_id.0.to_string();
        if self.0.contains_key(&id) || self.0.len() >= REMEMBERED {
            return;
        }
        let Some(title) = asked.fields.title.clone() else { return };
        let kind = asked.fields.kind.unwrap_or_default();
        self.0.insert(id, Tool { title, kind, status: ToolCallStatus::default() });
    }

    /// The event of an update, if it is one for people.
    pub(super) fn event(&mut self, update: SessionUpdate) -> Option<AgentEvent> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => match chunk.content {
                ContentBlock::Text(text) => Some(AgentEvent::Text(text.text)),
                ContentBlock::ResourceLink(link) => Some(AgentEvent::Files(vec![path_of(&link.uri)?])),
                _ => None,
            },
            SessionUpdate::AgentThoughtChunk(chunk) => match chunk.content {
                ContentBlock::Text(text) => Some(AgentEvent::Thought(text.text)),
                _ => None,
            },
            SessionUpdate::ToolCall(call) => {
                let tool = Tool { title: call.title, kind: call.kind, status: call.status };
                Some(self.note(call.tool_call_id.0.to_string(), tool))
            }
            SessionUpdate::ToolCallUpdate(update) => {
                let id = update.tool_call_id.0.to_string();
                let known = self.0.get(&id).cloned();
                let old = known.clone().unwrap_or(Tool {
                    title: String::new(),
                    kind: ToolKind::default(),
                    status: ToolCallStatus::default(),
                });
                let fields = update.fields;
                let tool = Tool {
                    title: fields.title.unwrap_or(old.title),
                    kind: fields.kind.unwrap_or(old.kind),
                    status: fields.status.unwrap_or(old.status),
                };
                // Most updates only carry output.
                (known.as_ref() != Some(&tool)).then(|| self.note(id, tool))
            }
            SessionUpdate::Plan(plan) => Some(plan_event(plan)),
            _ => None,
        }
    }

    fn note(&mut self, id: String, tool: Tool) -> AgentEvent {
        let event = AgentEvent::Tool {
            id: id.clone(),
            title: tool.title.clone(),
            kind: if tool.kind == ToolKind::Other { String::new() } else { word(&tool.kind) },
            status: word(&tool.status),
        };
        if self.0.len() < REMEMBERED || self.0.contains_key(&id) {
            self.0.insert(id, tool);
        }
        event
    }
}

/// A plan as it stands.
fn plan_event(plan: Plan) -> AgentEvent {
    let step = |entry: PlanEntry| PlanStep { status: word(&entry.status), content: entry.content };
    AgentEvent::Plan(plan.entries.into_iter().take(STEPS).map(step).collect())
}

/// The path in a `file:` address.
fn path_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    percent_encoding::percent_decode_str(path).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// The word by which the protocol calls a value.
pub(super) fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
