//! Which steps of an agent are kept.

use super::steps::KeptSteps;
use crate::runner::{AgentEvent, PlanStep};

fn tool(id: &str, status: &str) -> AgentEvent {
    AgentEvent::Tool {
        id: id.to_owned(),
        title: "t".repeat(1_000),
        kind: String::new(),
        status: status.to_owned(),
    }
}

#[test]
fn the_beginning_and_the_end_of_a_use_are_kept_and_nothing_between() {
    let mut kept = KeptSteps::default();
    let statuses = ["pending", "in_progress", "in_progress", "completed"];
    let taken: Vec<bool> = statuses.iter().map(|status| kept.take(&tool("a", status)).is_some()).collect();
    assert_eq!(taken, [true, false, false, true]);
    assert!(
        matches!(kept.take(&tool("b", "failed")), Some(AgentEvent::Tool { title, .. }) if title.len() == 300)
    );
}

#[test]
fn an_agent_without_measure_does_not_fill_the_journal() {
    let mut kept = KeptSteps::default();
    let mut count = 0;
    for number in 0..20_000 {
        for status in ["pending", "completed"] {
            count += usize::from(kept.take(&tool(&number.to_string(), status)).is_some());
        }
        let steps = vec![PlanStep { content: number.to_string(), status: "pending".to_owned() }; 200];
        count += usize::from(kept.take(&AgentEvent::Plan(steps)).is_some());
    }
    assert_eq!(count, 1_100);
}

#[test]
fn a_plan_that_stays_is_kept_once() {
    let mut kept = KeptSteps::default();
    let steps = vec![PlanStep { content: "read".to_owned(), status: "pending".to_owned() }];
    assert!(kept.take(&AgentEvent::Plan(steps.clone())).is_some());
    assert!(kept.take(&AgentEvent::Plan(steps)).is_none());
}
