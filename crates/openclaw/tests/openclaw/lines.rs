//! Lines that break, gateways that fall silent, processes that begin anew.

use std::time::Duration;

use engross_openclaw::GatewayLimits;
use engross_tasks::runner::{AgentEvent, How, RunningTurn, TaskRunner};
use serde_json::json;

use super::{TestBench, all, chat, delta, ended, next, patient, started, text};
use engross_testkit::task_requests::within;

fn degraded() -> AgentEvent {
    AgentEvent::Degraded(Some("OPENCLAW_GATEWAY_SOCKET_CLOSED".to_owned()))
}

/// Everything but what is said of the line.
fn without_line(events: Vec<AgentEvent>) -> Vec<AgentEvent> {
    events.into_iter().filter(|event| !matches!(event, AgentEvent::Degraded(_))).collect()
}

#[tokio::test]
async fn case_82_a_lost_line_is_told_and_the_run_goes_on_when_it_is_good_again() {
    let mut room = TestBench::new().await;
    let mut running = room.begun("x").await;
    room.gate.event("chat", delta("one"));
    assert_eq!(next(&mut running).await, text("one"));
    room.gate.shut();
    assert_eq!(next(&mut running).await, degraded());
    room.gate.unshut();
    assert_eq!(next(&mut running).await, AgentEvent::Degraded(None));
    let asked = room.gate.asked("agent.wait").await;
    assert_eq!(asked.params, json!({ "runId": "turn-1", "timeoutMs": 1000 }));
    room.gate.ok(&asked, json!({ "runId": "turn-1", "status": "timeout" }));
    room.gate.event("chat", delta("one two three"));
    assert_eq!(next(&mut running).await, text(" two three"));
    room.gate.event("chat", chat("final", "one two three"));
    assert_eq!(all(&mut running).await, [ended(How::Unstated, Some("one two three"))]);
}

#[tokio::test]
async fn an_end_that_was_missed_is_asked_for() {
    let mut room = TestBench::new().await;
    let mut running = room.begun("x").await;
    room.gate.cut();
    // A run of before is no end of this one, and one that is under way is none.
    for (run, status) in [("turn-0", "ok"), ("turn-1", "timeout")] {
        let asked = room.gate.asked("agent.wait").await;
        room.gate.ok(&asked, json!({ "runId": run, "status": status }));
    }
    let asked = room.gate.asked("agent.wait").await;
    room.gate.ok(&asked, json!({ "runId": "turn-1", "status": "ok" }));
    let asked = room.gate.asked("chat.history").await;
    assert_eq!(asked.params, json!({ "sessionKey": "agent:main:draft:1", "limit": 50 }));
    let messages = json!([
        { "role": "assistant", "content": "of before" },
        { "role": "user", "content": "x" },
        { "role": "assistant", "content": [{ "type": "text", "text": "made" }], "mediaUrls": ["/m/a.png"] },
    ]);
    room.gate.ok(&asked, json!({ "messages": messages }));
    let events = without_line(all(&mut running).await);
    assert_eq!(events, [AgentEvent::Files(vec!["/m/a.png".to_owned()]), ended(How::Unstated, Some("made"))]);
}

#[tokio::test]
async fn a_silent_run_is_asked_after() {
    let limits = GatewayLimits { silence: Duration::from_millis(30), ..patient() };
    let mut room = TestBench::with(limits).await;
    let mut running = room.begun("x").await;
    let asked = room.gate.asked("agent.wait").await;
    room.gate.ok(&asked, json!({ "runId": "turn-1", "status": "error", "error": "no model" }));
    let message = "the run failed at the gateway: no model; see the gateway's log".to_owned();
    let how = How::Failed { code: "GATEWAY_EXECUTION_FAILED".to_owned(), message };
    assert_eq!(all(&mut running).await, [ended(how, None)]);
}

#[tokio::test]
async fn a_gateway_that_does_not_say_how_a_run_stands_is_a_failure_with_a_code() {
    let limits = GatewayLimits { silence: Duration::from_millis(30), ..patient() };
    let mut room = TestBench::with(limits).await;
    let mut running = room.begun("x").await;
    // It is overloaded, and may be asked again.
    let asked = room.gate.asked("agent.wait").await;
    room.gate.refuse(&asked, json!({ "code": "UNAVAILABLE", "message": "busy", "retryable": true }));
    let asked = room.gate.asked("agent.wait").await;
    room.gate.refuse(&asked, json!({ "code": "INVALID_REQUEST", "message": "missing scope" }));
    let events = all(&mut running).await;
    let [AgentEvent::Ended(end)] = events.as_slice() else { panic!("{events:?}") };
    let How::Failed { code, message } = &end.how else { panic!("{end:?}") };
    assert_eq!(code, "OPENCLAW_WAIT_FAILED");
    assert!(message.contains("missing scope"), "{message}");
}

#[tokio::test]
async fn a_gateway_out_of_reach_for_too_long_is_given_up_without_an_end() {
    let limits = GatewayLimits { lost: Duration::from_millis(80), ..patient() };
    let mut room = TestBench::with(limits).await;
    let mut running = room.begun("x").await;
    room.gate.shut();
    // Without an end the run says that the gateway is lost.
    assert_eq!(all(&mut running).await, [degraded()]);
}

#[tokio::test]
async fn a_turn_is_handed_over_again_under_its_name_when_the_line_breaks() {
    let mut room = TestBench::new().await;
    let turn = room.turn("x");
    let (running, (first, second)) = within(async {
        tokio::join!(room.runner.start(turn), async {
            room.gate.without_plugin().await;
            let first = room.gate.asked("chat.send").await.params;
            room.gate.cut();
            let asked = room.gate.asked("chat.send").await;
            room.gate.ok(&asked, json!({ "runId": "turn-1", "status": "in_flight" }));
            (first, asked.params)
        })
    })
    .await;
    assert_eq!(first, second, "a gateway refuses another message under the same name");
    let mut running = running.unwrap();
    assert_eq!(next(&mut running).await, started());
    // It may have ended before it was listened to.
    let asked = room.gate.asked("agent.wait").await;
    room.gate.ok(&asked, json!({ "status": "ok", "terminalReply": { "text": "done" } }));
    let asked = room.gate.asked("chat.history").await;
    room.gate.refuse(&asked, json!({ "code": "INVALID_REQUEST" }));
    assert_eq!(all(&mut running).await, [ended(How::Unstated, Some("done"))]);
}

#[tokio::test]
async fn a_gateway_that_misses_its_ticks_is_called_again() {
    let room = TestBench::new().await;
    room.gate.set_policy(json!({ "tickIntervalMs": 20 }));
    within(room.runner.health()).await;
    within(async {
        while room.gate.lines() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn ticks_keep_the_line() {
    let room = TestBench::new().await;
    room.gate.set_policy(json!({ "tickIntervalMs": 100 }));
    within(room.runner.health()).await;
    for _ in 0..12 {
        tokio::time::sleep(Duration::from_millis(40)).await;
        room.gate.event("tick", json!({ "ts": 1 }));
    }
    assert_eq!(room.gate.lines(), 1);
}

#[tokio::test]
async fn a_run_is_listened_to_again_after_a_restart() {
    let mut room = TestBench::new().await;
    let turn = room.turn("x");
    let resumed = within(room.runner.resume(turn, Some("agent:main:draft:1".to_owned()))).await;
    let mut running: RunningTurn = resumed.unwrap().unwrap();
    let asked = room.gate.asked("agent.wait").await;
    room.gate.ok(&asked, json!({ "runId": "turn-1", "status": "timeout" }));
    room.gate.event("chat", delta("all so far"));
    assert_eq!(next(&mut running).await, text("all so far"));
    room.gate.event("chat", chat("final", "all"));
    // Whether it has the plugin is not known any more.
    room.gate.without_plugin().await;
    assert_eq!(all(&mut running).await, [ended(How::Unstated, Some("all"))]);
    assert!(room.gate.is_idle(), "no turn is begun");
}

#[tokio::test]
async fn a_listener_that_goes_away_leaves_the_run_to_the_gateway() {
    let mut room = TestBench::new().await;
    let running = room.begun("x").await;
    drop(running);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(room.gate.is_idle(), "a server that stops does not stop what goes on elsewhere");
}
