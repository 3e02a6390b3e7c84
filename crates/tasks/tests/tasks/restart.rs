//! What a new process makes of what the one before it left.

use engross_tasks::runner::Policy;
use engross_tasks::runs::Capacity;
use serde_json::{Value, json};

use super::{Desk, agent, and, gateway};

#[tokio::test]
async fn in_memory_loss_nothing_that_was_accepted_is_lost() {
    let mut desk = Desk::with(Capacity { active: 1, queued: 20 }, Policy::Ask).await;
    let wait = json!({ "waitMs": 0 });
    let done = desk.call("session.start", agent("done", "say:done write:a.md=x")).await;
    let running = desk.call("session.start", and(gateway("g0", "say:half hold"), wait.clone())).await;
    desk.gateway.given(1).await;
    let mut queued: Vec<Value> = Vec::new();
    for number in 1..6 {
        let asked = and(gateway(&format!("g{number}"), &format!("say:{number}")), wait.clone());
        queued.push(desk.call("session.start", asked).await["runId"].clone());
    }
    desk.restart().await;
    let told = desk.call("xworkmate.tasks.get", json!({ "runId": done["runId"] })).await;
    let names = |told: &Value| {
        json!([told["status"], told["output"], told["artifacts"][0]["sha256"], told["revision"]])
    };
    assert_eq!(names(&told), names(&done));
    let lost = desk.end(&running["runId"]).await;
    assert_eq!((&lost["status"], &lost["code"]), (&json!("interrupted"), &json!("ACP_BRIDGE_RESTART")));
    for (number, run) in (1..).zip(&queued) {
        assert_eq!(desk.end(run).await["output"], number.to_string());
    }
    let order: Vec<String> = (1..6).map(|number| format!("say:{number}")).collect();
    assert_eq!(desk.gateway.prompts(), order, "those that waited go on in their order");
}

#[tokio::test]
async fn a_conversation_is_known_after_a_restart() {
    let mut desk = Desk::new().await;
    desk.call("session.start", agent("t", "say:1")).await;
    desk.restart().await;
    assert_eq!(desk.call("session.message", agent("t", "say:2")).await["output"], "2");
    let turns = desk.agent.turns.lock().unwrap();
    assert_eq!((turns[0].continues, turns[0].conversation.as_deref()), (true, Some("of t")));
}

#[tokio::test]
async fn an_agent_that_forgot_the_conversation_is_not_begun_anew() {
    let desk = Desk::new().await;
    desk.call("session.start", agent("t", "say:1")).await;
    let forgotten = agent("t", "refuse:SESSION_CONTINUATION_UNAVAILABLE");
    let (number, code) = desk.refusal("session.message", forgotten).await;
    assert_eq!((number, code.as_str()), (-32002, "SESSION_CONTINUATION_UNAVAILABLE"));
}

#[tokio::test]
async fn an_idempotent_request_is_the_same_after_a_restart() {
    let mut desk = Desk::new().await;
    let asked = and(agent("t", "say:1"), json!({ "idempotencyKey": "k" }));
    let one = desk.call("session.start", asked.clone()).await;
    desk.restart().await;
    let two = desk.call("session.start", asked).await;
    assert_eq!((&two["runId"], &two["output"]), (&one["runId"], &one["output"]));
    assert_eq!(desk.agent.prompts(), Vec::<String>::new());
}

#[tokio::test]
async fn v10_references_and_links_outlive_the_process() {
    let mut desk = Desk::new().await;
    let told = desk.call("session.start", agent("t", "write:a.md=hello")).await;
    desk.restart().await;
    let read = json!({
        "openclawSessionKey": told["openclawSessionKey"], "runId": told["runId"],
        "artifactRef": told["artifacts"][0]["artifactRef"],
    });
    let read = desk.call("xworkmate.artifacts.read", read).await;
    assert_eq!(read["artifacts"][0]["content"], "aGVsbG8=");
}

#[tokio::test]
async fn a_long_thread_is_read_from_its_snapshot() {
    let mut desk = Desk::new().await;
    desk.call("session.start", agent("t", "say:0")).await;
    let mut runs = Vec::new();
    for number in 1..40 {
        runs.push(desk.call("session.message", agent("t", &format!("say:{number}"))).await["runId"].clone());
    }
    desk.restart().await;
    for (number, run) in (1..).zip(&runs) {
        let told = desk.call("xworkmate.tasks.get", json!({ "runId": run })).await;
        assert_eq!(told["output"], number.to_string());
    }
}
