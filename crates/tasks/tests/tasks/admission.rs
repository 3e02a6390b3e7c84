//! Capacity of a lane, queues, and what waiting is told.

use engross_tasks::rpc::RpcFrame;
use engross_tasks::runner::Policy;
use engross_tasks::runs::Capacity;
use serde_json::{Value, json};

use super::{TestBench, agent, and, call, gateway, request, streaming, within};

async fn narrow(active: usize, queued: usize) -> TestBench {
    TestBench::with(Capacity { active, queued }, Policy::Ask).await
}

#[tokio::test]
async fn case_66_the_second_waits_is_told_so_and_runs() {
    let bench = narrow(1, 5).await;
    bench.call("session.start", gateway("a", "hold say:a")).await;
    let waiting = and(gateway("b", "say:b"), json!({ "waitMs": 50 }));
    let told = bench.call("session.start", waiting).await;
    assert_eq!((&told["status"], &told["queue"]), (&json!("queued"), &json!({ "position": 1, "queued": 1 })));
    assert_eq!(bench.gateway.prompts(), ["hold say:a"]);
    bench.gateway.go.notify_one();
    assert_eq!(bench.end(&told["runId"]).await["output"], "b");
}

#[tokio::test]
async fn case_67_a_full_queue_is_busy_and_the_gateway_is_not_asked() {
    let bench = narrow(1, 1).await;
    bench.call("session.start", gateway("a", "hold")).await;
    bench.call("session.start", and(gateway("b", "hold"), json!({ "waitMs": 0 }))).await;
    let envelope = bench.envelope(call(), "session.start", gateway("c", "say:c")).await;
    let error = &envelope["error"];
    let seen = json!([error["code"], error["data"]["code"], error["data"]["reason"]]);
    assert_eq!(seen, json!([-32002, "OPENCLAW_GATEWAY_BUSY", "queue_full"]));
    assert_eq!(envelope["result"], Value::Null);
    let told = bench.call("xworkmate.tasks.get", json!({ "appThreadKey": "c" })).await;
    assert_eq!(told["status"], "not_found");
    // Agents are not in that lane.
    assert_eq!(bench.call("session.start", agent("d", "say:d")).await["output"], "d");
}

#[tokio::test]
async fn case_68_who_waits_too_long_is_told_that() {
    let bench = narrow(1, 5).await;
    bench.call("session.start", gateway("a", "hold")).await;
    let frames = bench.bridge.open(
        call(),
        request("session.start", and(gateway("b", "say:b"), json!({ "queueTimeoutMs": 60_000 }))),
    );
    let told = loop {
        let told = bench.call("xworkmate.tasks.get", json!({ "appThreadKey": "b" })).await;
        if told["status"] == "queued" {
            break told;
        }
        tokio::task::yield_now().await;
    };
    bench.watch.forward(60_000);
    bench.bridge.runs().look_after(true).await.unwrap();
    let mut frames = frames;
    let Some(RpcFrame::Answer(envelope)) = within(frames.recv()).await else { panic!("no answer") };
    assert_eq!(envelope["error"]["data"]["reason"], "queue_timeout");
    let end = bench.end(&told["runId"]).await;
    assert_eq!((&end["status"], &end["code"]), (&json!("failed"), &json!("OPENCLAW_GATEWAY_BUSY")));
}

#[tokio::test]
async fn a_slot_is_held_for_the_run_and_positions_grow_smaller() {
    let bench = narrow(1, 5).await;
    bench.call("session.start", gateway("a", "hold")).await;
    let mut runs = Vec::new();
    for thread in ["b", "c", "d"] {
        let told = bench.call("session.start", and(gateway(thread, "hold"), json!({ "waitMs": 0 }))).await;
        runs.push(told["runId"].clone());
    }
    let mut seen = Vec::new();
    for given in 1..4 {
        bench.gateway.given(given).await;
        let mut positions = Vec::new();
        for run in &runs {
            positions.push(
                bench.call("xworkmate.tasks.get", json!({ "runId": run })).await["queue"]["position"].clone(),
            );
        }
        seen.push(positions);
        bench.gateway.go.notify_one();
    }
    assert_eq!(json!(seen), json!([[1, 2, 3], [null, 1, 2], [null, null, 1]]));
}

#[tokio::test]
async fn case_110_a_thread_is_serial_and_threads_are_not() {
    let bench = TestBench::new().await;
    let wait = json!({ "waitMs": 0 });
    let one = bench.call("session.start", and(agent("t", "hold say:1"), wait.clone())).await;
    let two = bench.call("session.message", and(agent("t", "say:2"), wait.clone())).await;
    let other = bench.call("session.start", agent("u", "say:3")).await;
    assert_eq!(other["output"], "3");
    assert_eq!(bench.agent.prompts(), ["hold say:1", "say:3"]);
    bench.agent.go.notify_one();
    assert_eq!(bench.end(&two["runId"]).await["output"], "2");
    assert_eq!(bench.end(&one["runId"]).await["output"], "1");
    let turns = bench.agent.turns.lock().unwrap();
    let last = turns.last().unwrap();
    assert_eq!((last.continues, last.conversation.as_deref()), (true, Some("of t")));
}

#[tokio::test]
async fn hundreds_of_tasks_wait_and_all_come_to_an_end() {
    let bench = narrow(50, 10_000).await;
    let mut runs = Vec::new();
    for number in 0..500 {
        let asked = and(gateway(&format!("t{number}"), "say:x"), json!({ "waitMs": 0 }));
        runs.push(bench.call("session.start", asked).await["runId"].clone());
    }
    for run in &runs {
        assert_eq!(bench.end(run).await["status"], "completed");
    }
    assert_eq!(bench.gateway.prompts().len(), 500);
}

#[tokio::test]
async fn positions_are_told_on_a_stream() {
    let bench = narrow(1, 5).await;
    bench.call("session.start", gateway("a", "hold")).await;
    let mut frames = bench.bridge.open(streaming(), request("session.start", gateway("b", "say:b")));
    let mut events = Vec::new();
    while let Some(frame) = within(frames.recv()).await {
        match frame {
            RpcFrame::Event(envelope, _) => {
                let params = &envelope["params"];
                if params["event"] == "started" {
                    bench.bridge.runs().look_after(true).await.unwrap();
                }
                if params["event"] == "queued" {
                    assert_eq!(params["queue"], json!({ "position": 1, "queued": 1 }));
                    bench.gateway.go.notify_one();
                }
                events.push(params["event"].as_str().unwrap_or("accepted").to_owned());
            }
            RpcFrame::Answer(envelope) => assert!(
                ["running", "completed", "syncing-artifacts"]
                    .contains(&envelope["result"]["status"].as_str().unwrap())
            ),
        }
    }
    assert_eq!(events[..4], ["accepted", "started", "queued", "running"]);
}
