//! Capacity of a lane, queues, and what waiting is told.

use engross_tasks::rpc::Frame;
use engross_tasks::runner::Policy;
use engross_tasks::runs::Capacity;
use serde_json::{Value, json};

use super::{Desk, agent, and, call, gateway, request, streaming, within};

async fn narrow(active: usize, queued: usize) -> Desk {
    Desk::with(Capacity { active, queued }, Policy::Ask).await
}

#[tokio::test]
async fn case_66_the_second_waits_is_told_so_and_runs() {
    let desk = narrow(1, 5).await;
    desk.call("session.start", gateway("a", "hold say:a")).await;
    let waiting = and(gateway("b", "say:b"), json!({ "waitMs": 50 }));
    let told = desk.call("session.start", waiting).await;
    assert_eq!((&told["status"], &told["queue"]), (&json!("queued"), &json!({ "position": 1, "queued": 1 })));
    assert_eq!(desk.gateway.prompts(), ["hold say:a"]);
    desk.gateway.go.notify_one();
    assert_eq!(desk.end(&told["runId"]).await["output"], "b");
}

#[tokio::test]
async fn case_67_a_full_queue_is_busy_and_the_gateway_is_not_asked() {
    let desk = narrow(1, 1).await;
    desk.call("session.start", gateway("a", "hold")).await;
    desk.call("session.start", and(gateway("b", "hold"), json!({ "waitMs": 0 }))).await;
    let envelope = desk.envelope(call(), "session.start", gateway("c", "say:c")).await;
    let error = &envelope["error"];
    let seen = json!([error["code"], error["data"]["code"], error["data"]["reason"]]);
    assert_eq!(seen, json!([-32002, "OPENCLAW_GATEWAY_BUSY", "queue_full"]));
    assert_eq!(envelope["result"], Value::Null);
    let told = desk.call("xworkmate.tasks.get", json!({ "appThreadKey": "c" })).await;
    assert_eq!(told["status"], "not_found");
    // Agents are not in that lane.
    assert_eq!(desk.call("session.start", agent("d", "say:d")).await["output"], "d");
}

#[tokio::test]
async fn case_68_who_waits_too_long_is_told_that() {
    let desk = narrow(1, 5).await;
    desk.call("session.start", gateway("a", "hold")).await;
    let frames = desk.bridge.open(
        call(),
        request("session.start", and(gateway("b", "say:b"), json!({ "queueTimeoutMs": 60_000 }))),
    );
    let told = loop {
        let told = desk.call("xworkmate.tasks.get", json!({ "appThreadKey": "b" })).await;
        if told["status"] == "queued" {
            break told;
        }
        tokio::task::yield_now().await;
    };
    desk.watch.forward(60_000);
    desk.bridge.runs().look_after(true).await.unwrap();
    let mut frames = frames;
    let Some(Frame::Answer(envelope)) = within(frames.recv()).await else { panic!("no answer") };
    assert_eq!(envelope["error"]["data"]["reason"], "queue_timeout");
    let end = desk.end(&told["runId"]).await;
    assert_eq!((&end["status"], &end["code"]), (&json!("failed"), &json!("OPENCLAW_GATEWAY_BUSY")));
}

#[tokio::test]
async fn a_slot_is_held_for_the_run_and_positions_grow_smaller() {
    let desk = narrow(1, 5).await;
    desk.call("session.start", gateway("a", "hold")).await;
    let mut runs = Vec::new();
    for thread in ["b", "c", "d"] {
        let told = desk.call("session.start", and(gateway(thread, "hold"), json!({ "waitMs": 0 }))).await;
        runs.push(told["runId"].clone());
    }
    let mut seen = Vec::new();
    for given in 1..4 {
        desk.gateway.given(given).await;
        let mut positions = Vec::new();
        for run in &runs {
            positions.push(
                desk.call("xworkmate.tasks.get", json!({ "runId": run })).await["queue"]["position"].clone(),
            );
        }
        seen.push(positions);
        desk.gateway.go.notify_one();
    }
    assert_eq!(json!(seen), json!([[1, 2, 3], [null, 1, 2], [null, null, 1]]));
}

#[tokio::test]
async fn case_110_a_thread_is_serial_and_threads_are_not() {
    let desk = Desk::new().await;
    let wait = json!({ "waitMs": 0 });
    let one = desk.call("session.start", and(agent("t", "hold say:1"), wait.clone())).await;
    let two = desk.call("session.message", and(agent("t", "say:2"), wait.clone())).await;
    let other = desk.call("session.start", agent("u", "say:3")).await;
    assert_eq!(other["output"], "3");
    assert_eq!(desk.agent.prompts(), ["hold say:1", "say:3"]);
    desk.agent.go.notify_one();
    assert_eq!(desk.end(&two["runId"]).await["output"], "2");
    assert_eq!(desk.end(&one["runId"]).await["output"], "1");
    let turns = desk.agent.turns.lock().unwrap();
    let last = turns.last().unwrap();
    assert_eq!((last.continues, last.conversation.as_deref()), (true, Some("of t")));
}

#[tokio::test]
async fn hundreds_of_tasks_wait_and_all_come_to_an_end() {
    let desk = narrow(50, 10_000).await;
    let mut runs = Vec::new();
    for number in 0..500 {
        let asked = and(gateway(&format!("t{number}"), "say:x"), json!({ "waitMs": 0 }));
        runs.push(desk.call("session.start", asked).await["runId"].clone());
    }
    for run in &runs {
        assert_eq!(desk.end(run).await["status"], "completed");
    }
    assert_eq!(desk.gateway.prompts().len(), 500);
}

#[tokio::test]
async fn positions_are_told_on_a_stream() {
    let desk = narrow(1, 5).await;
    desk.call("session.start", gateway("a", "hold")).await;
    let mut frames = desk.bridge.open(streaming(), request("session.start", gateway("b", "say:b")));
    let mut events = Vec::new();
    while let Some(frame) = within(frames.recv()).await {
        match frame {
            Frame::Event(envelope, _) => {
                let params = &envelope["params"];
                if params["event"] == "started" {
                    desk.bridge.runs().look_after(true).await.unwrap();
                }
                if params["event"] == "queued" {
                    assert_eq!(params["queue"], json!({ "position": 1, "queued": 1 }));
                    desk.gateway.go.notify_one();
                }
                events.push(params["event"].as_str().unwrap_or("accepted").to_owned());
            }
            Frame::Answer(envelope) => assert!(
                ["running", "completed", "syncing-artifacts"]
                    .contains(&envelope["result"]["status"].as_str().unwrap())
            ),
        }
    }
    assert_eq!(events[..4], ["accepted", "started", "queued", "running"]);
}
