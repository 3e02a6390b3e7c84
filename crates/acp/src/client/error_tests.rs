use std::collections::BTreeSet;
use std::time::Duration;

use super::error::{AgentFault, shown};
use crate::codes;

fn all() -> Vec<AgentFault> {
    let text = || "x".to_owned();
    let limit = Duration::from_secs(1);
    vec![
        AgentFault::Missing { program: text(), help: text() },
        AgentFault::Start { problem: text() },
        AgentFault::Slow { method: "initialize", limit, said: text() },
        AgentFault::Exited { said: text() },
        AgentFault::protocol("x"),
        AgentFault::FrameTooLarge { limit: 1 },
        AgentFault::Silent { limit },
        AgentFault::Deadline,
        AgentFault::Login { methods: text(), said: text() },
        AgentFault::Refused { method: "session/new", problem: text() },
        AgentFault::Declined,
        AgentFault::Incomplete { limit: "max_tokens" },
        AgentFault::Model { model: text(), offered: text() },
        AgentFault::Quota { what: "files" },
        AgentFault::Sandbox { problem: text() },
        AgentFault::Command { command: text(), problem: "x" },
        AgentFault::Continuation { reason: text() },
    ]
}

#[test]
fn every_fault_has_a_code_of_the_list() {
    let codes: BTreeSet<&str> = all().iter().map(AgentFault::code).collect();
    let elsewhere = ["PROVIDER_UNAVAILABLE", "SANDBOX_UNAVAILABLE", "SESSION_CONTINUATION_UNAVAILABLE"];
    assert_eq!(codes, codes::ALL.iter().map(|row| row.name).chain(elsewhere).collect());
    assert_eq!(codes.len(), all().len());
}

#[test]
fn words_of_an_agent_are_cut_and_harmless() {
    assert_eq!(shown(" a\n\u{7}b "), "a  b");
    assert_eq!(shown(&"ä".repeat(400)), format!("{}…", "ä".repeat(300)));
}
