//! Which steps of an agent are kept in the journal, so that they are seen also by those who come later.
//!
//! Must never let an agent fill the disk: what is beyond the bounds only passes by.

use std::collections::HashSet;

use super::log::RecordedToolCall;
use crate::runner::{AgentEvent, PlanStep};

/// The most uses of tools that are kept of a run.
const CALLS: usize = 500;

/// The most plans that are kept of a run, and the most steps of one.
const PLANS: (usize, usize) = (100, 50);

/// The characters of a title or a step that are kept.
const CHARACTERS: usize = 300;

/// The bytes of an id of a use.
const ID: usize = 200;

/// What has been kept of a run.
#[derive(Debug, Default)]
pub(super) struct KeptSteps {
    begun: HashSet<String>,
    calls: usize,
    plan: Vec<PlanStep>,
    plans: usize,
}

impl KeptSteps {
    /// The step as it is kept; `None` when it only passes by.
    pub(super) fn take(&mut self, event: &AgentEvent) -> Option<AgentEvent> {
        match event {
            AgentEvent::Tool { id, title, kind, status } => {
                let is_over = matches!(status.as_str(), "completed" | "failed");
                let is_known = self.begun.contains(id);
                let is_news =
                    if is_over { is_known || self.calls < CALLS } else { !is_known && self.calls < CALLS };
                if !is_news || id.len() > ID {
                    return None;
                }
                if is_over {
                    self.begun.remove(id);
                } else {
                    self.begun.insert(id.clone());
                }
                self.calls += usize::from(!is_known);
                Some(AgentEvent::Tool {
                    id: id.clone(),
                    title: short(title),
                    kind: short(kind),
                    status: short(status),
                })
            }
            AgentEvent::Plan(steps) => {
                let (plans, most) = PLANS;
                let kept: Vec<PlanStep> = steps
                    .iter()
                    .take(most)
                    .map(|step| PlanStep { content: short(&step.content), status: short(&step.status) })
                    .collect();
                if self.plans >= plans || kept == self.plan {
                    return None;
                }
                self.plans += 1;
                self.plan.clone_from(&kept);
                Some(AgentEvent::Plan(kept))
            }
            _ => None,
        }
    }
}

fn short(text: &str) -> String {
    text.chars().take(CHARACTERS).collect()
}

impl RecordedToolCall {
    /// The use that an agent tells of.
    pub(super) fn of(event: AgentEvent) -> Option<Self> {
        match event {
            AgentEvent::Tool { id, title, kind, status } => Some(Self { id, title, kind, status }),
            _ => None,
        }
    }
}
