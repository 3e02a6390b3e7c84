//! What a new process makes of what the one before it left.

use std::sync::atomic::Ordering;
use std::time::Duration;

use engross_tasks::runner::Policy;
use engross_tasks::runs::{Capacity, Target};
use serde_json::{Value, json};

use super::{TestBench, agent, and, gateway};

#[tokio::test]
async fn in_memory_loss_nothing_that_was_accepted_is_lost() {
    let mut bench = TestBench::with(Capacity { active: 1, queued: 20 }, Policy::Ask).await;
    let wait = json!({ "waitMs": 0 });
    let done = bench.call("session.start", agent("done", "say:done write:a.md=x")).await;
    let running = bench.call("session.start", and(gateway("g0", "say:half hold"), wait.clone())).await;
    bench.gateway.given(1).await;
    let mut queued: Vec<Value> = Vec::new();
    for number in 1..6 {
        let asked = and(gateway(&format!("g{number}"), &format!("say:{number}")), wait.clone());
        queued.push(bench.call("session.start", asked).await["runId"].clone());
    }
    bench.restart().await;
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": done["runId"] })).await;
    let names = |told: &Value| {
        json!([told["status"], told["output"], told["artifacts"][0]["sha256"], told["revision"]])
    };
    assert_eq!(names(&told), names(&done));
    let lost = bench.end(&running["runId"]).await;
    assert_eq!((&lost["status"], &lost["code"]), (&json!("interrupted"), &json!("ACP_BRIDGE_RESTART")));
    for (number, run) in (1..).zip(&queued) {
        assert_eq!(bench.end(run).await["output"], number.to_string());
    }
    let order: Vec<String> = (1..6).map(|number| format!("say:{number}")).collect();
    assert_eq!(bench.gateway.prompts(), order, "those that waited go on in their order");
}

/// A gateway that has taken runs is not given as many again by a server that begins anew.
#[tokio::test]
async fn a_restart_does_not_break_the_limit_of_a_gateway() {
    let mut bench = TestBench::with(Capacity { active: 2, queued: 20 }, Policy::Ask).await;
    bench.resumes = true;
    bench.restart().await;
    for number in 0..6 {
        bench
            .call("session.start", and(gateway(&format!("g{number}"), "hold say:x"), json!({ "waitMs": 0 })))
            .await;
    }
    bench.gateway.given(2).await;
    for _ in 0..3 {
        bench.restart().await;
        // Both are taken up again, and nobody else begins.
        bench.gateway.given(2).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!((bench.gateway.prompts().len(), bench.bridge.runs().active(Target::Gateway)), (2, 2));
    }
    for _ in 0..6 {
        bench.gateway.go.notify_one();
        tokio::time::sleep(Duration::from_millis(30)).await;
        assert!(bench.bridge.runs().active(Target::Gateway) <= 2);
    }
    bench.gateway.given(6).await;
}

/// A request that waited while the server stopped is told to come again, in the words of all requests then.
#[tokio::test]
async fn who_finds_the_store_closed_is_told_that_the_server_stops() {
    let bench = TestBench::new().await;
    bench.bridge.runs().drain(Duration::ZERO).await;
    bench.bridge.runs().config().store.close().await.unwrap();
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": "run-1" })).await;
    assert_eq!(told["error"]["data"]["code"], "SERVER_STOPPING", "{told}");
}

/// The process of the sessions may know earlier than that of the tasks that it is about to end.
#[tokio::test]
async fn a_turn_that_goes_on_elsewhere_has_not_failed() {
    let mut bench = TestBench::new().await;
    bench.resumes = true;
    bench.restart().await;
    bench.agent.is_leaving.store(true, Ordering::SeqCst);
    let run =
        bench.call("session.start", and(agent("t", "say:x"), json!({ "waitMs": 0 }))).await["runId"].clone();
    bench.agent.given(1).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": run, "waitMs": 0 })).await;
    assert_eq!(told["terminal"], json!(false), "{told}");
    bench.restart().await;
    let told = bench.end(&run).await;
    assert_eq!((&told["status"], &told["output"]), (&json!("completed"), &json!("x")));
}

/// Each try is a turn of a loop: a node whose home is away for long has the stack that it had.
#[tokio::test]
async fn a_run_is_taken_up_after_any_number_of_tries() {
    let mut bench = TestBench::new().await;
    let held = and(agent("t", "hold say:x"), json!({ "waitMs": 0 }));
    let run = bench.call("session.start", held).await["runId"].clone();
    bench.agent.given(1).await;
    (bench.resumes, bench.away) = (true, 2_000);
    bench.restart().await;
    tokio::time::pause();
    while bench.agent.away.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    tokio::time::resume();
    bench.agent.given(1).await;
    bench.agent.go.notify_one();
    assert_eq!(bench.end(&run).await["output"], "x");
}

#[tokio::test]
async fn a_conversation_is_known_after_a_restart() {
    let mut bench = TestBench::new().await;
    bench.call("session.start", agent("t", "say:1")).await;
    bench.restart().await;
    assert_eq!(bench.call("session.message", agent("t", "say:2")).await["output"], "2");
    let turns = bench.agent.turns.lock().unwrap();
    assert_eq!((turns[0].continues, turns[0].conversation.as_deref()), (true, Some("of t")));
}

#[tokio::test]
async fn an_agent_that_forgot_the_conversation_is_not_begun_anew() {
    let bench = TestBench::new().await;
    bench.call("session.start", agent("t", "say:1")).await;
    let forgotten = agent("t", "refuse:SESSION_CONTINUATION_UNAVAILABLE");
    let (number, code) = bench.refusal("session.message", forgotten).await;
    assert_eq!((number, code.as_str()), (-32002, "SESSION_CONTINUATION_UNAVAILABLE"));
}

#[tokio::test]
async fn an_idempotent_request_is_the_same_after_a_restart() {
    let mut bench = TestBench::new().await;
    let asked = and(agent("t", "say:1"), json!({ "idempotencyKey": "k" }));
    let one = bench.call("session.start", asked.clone()).await;
    bench.restart().await;
    let two = bench.call("session.start", asked).await;
    assert_eq!((&two["runId"], &two["output"]), (&one["runId"], &one["output"]));
    assert_eq!(bench.agent.prompts(), Vec::<String>::new());
}

#[tokio::test]
async fn v10_references_and_links_outlive_the_process() {
    let mut bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "write:a.md=hello")).await;
    bench.restart().await;
    let read = json!({
        "openclawSessionKey": told["openclawSessionKey"], "runId": told["runId"],
        "artifactRef": told["artifacts"][0]["artifactRef"],
    });
    let read = bench.call("xworkmate.artifacts.read", read).await;
    assert_eq!(read["artifacts"][0]["content"], "aGVsbG8=");
}

#[tokio::test]
async fn a_long_thread_is_read_from_its_snapshot() {
    let mut bench = TestBench::new().await;
    bench.call("session.start", agent("t", "say:0")).await;
    let mut runs = Vec::new();
    for number in 1..40 {
        runs.push(bench.call("session.message", agent("t", &format!("say:{number}"))).await["runId"].clone());
    }
    bench.restart().await;
    for (number, run) in (1..).zip(&runs) {
        let told = bench.call("xworkmate.tasks.get", json!({ "runId": run })).await;
        assert_eq!(told["output"], number.to_string());
    }
}
