//! What a turn sends, and what becomes of answers that are not as they should be.

use std::time::Duration;

use engross_openclaw::GatewayLimits;
use engross_tasks::runner::{Health, How, TaskRunner};
use serde_json::{Value, json};

use super::{TestBench, all, chat, delta, ended, next, patient, started, text};
use engross_testkit::task_requests::within;

#[tokio::test]
async fn a_turn_is_sent_under_its_own_name_and_the_thread_stays_here() {
    let mut room = TestBench::new().await;
    let turn = room.turn("hello");
    let directory = turn.directory.to_str().unwrap().to_owned();
    let deadline = turn.deadline;
    let (running, (prepared, sent)) = within(async {
        tokio::join!(room.runner.start(turn), async {
            let prepared = room.gate.asked("xworkmate.session.prepare").await;
            room.gate.refuse(&prepared, json!({ "code": "INVALID_REQUEST", "message": "unknown method: x" }));
            (prepared.params, room.gate.accept().await)
        })
    })
    .await;
    assert_eq!(next(&mut running.unwrap()).await, started());
    let key = "agent:main:draft:1";
    let expected =
        json!({ "schemaVersion": 1, "appThreadKey": key, "openclawSessionKey": key, "runId": "turn-1" });
    assert_eq!(prepared, expected);
    let limit = sent["timeoutMs"].as_u64().unwrap();
    assert!(limit > 80_000 && limit <= 90_000, "{limit} of a minute, until {deadline}");
    let fields: Vec<&String> = sent.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["sessionKey", "message", "idempotencyKey", "timeoutMs", "deliver"]);
    assert_eq!((&sent["sessionKey"], &sent["idempotencyKey"]), (&json!(key), &json!("turn-1")));
    assert!(sent["message"].as_str().unwrap().starts_with("hello\n"));
    assert!(
        sent["message"].as_str().unwrap().contains(&format!("folder of this task is {directory}. Write"))
    );
    for told in [&prepared, &sent] {
        assert!(!told.to_string().contains("the-raw-thread"), "{told}");
    }
}

#[tokio::test]
async fn case_56_huge_and_foreign_events_are_filtered_while_text_and_end_survive() {
    let limits = GatewayLimits { event: 2000, ..patient() };
    let mut room = TestBench::with(limits).await;
    let mut running = room.begun("x").await;
    let huge = "x".repeat(3 << 20);
    room.gate.event("chat", delta("one"));
    let result = json!({ "phase": "result", "toolCallId": "c", "name": "exec", "result": huge });
    room.gate.event("agent", json!({ "runId": "turn-1", "stream": "tool", "data": result }));
    room.gate.event("presence", json!({ "huge": huge }));
    let mut other = chat("final", "not mine");
    other["runId"] = json!("turn-2");
    room.gate.event("chat", other);
    room.gate.event("session.message", json!({ "runId": "turn-1", "text": huge }));
    room.gate.event("chat", delta("one two"));
    let long = format!("one two {huge}");
    room.gate.event("chat", chat("final", &long));
    let events = all(&mut running).await;
    assert_eq!(events, [text("one"), text(" two"), ended(How::Unstated, Some(&long))]);
}

#[tokio::test]
async fn case_81_only_an_unknown_method_selects_the_fallback() {
    let unknown = [
        json!({ "code": "INVALID_REQUEST", "message": "unknown method: xworkmate.session.prepare" }),
        json!({ "code": -32601, "message": "nothing" }),
        json!({ "code": "METHOD_NOT_FOUND" }),
        json!({ "message": "Unknown method" }),
    ];
    for error in unknown {
        let mut room = TestBench::new().await;
        let turn = room.turn("x");
        let (running, ()) = within(async {
            tokio::join!(room.runner.start(turn), async {
                let asked = room.gate.asked("xworkmate.session.prepare").await;
                room.gate.refuse(&asked, error.clone());
                room.gate.accept().await;
            })
        })
        .await;
        assert!(running.is_ok(), "{error}");
    }
    let others = [
        json!({ "code": "CONFLICT", "message": "mapped to another thread" }),
        json!({ "code": "INVALID_REQUEST", "message": "openclawSessionKey required" }),
        json!("down"),
    ];
    for error in others {
        let mut room = TestBench::new().await;
        let turn = room.turn("x");
        let (refused, ()) = within(async {
            tokio::join!(room.runner.start(turn), async {
                let asked = room.gate.asked("xworkmate.session.prepare").await;
                room.gate.refuse(&asked, error.clone());
            })
        })
        .await;
        assert_eq!(
            refused.err().map(|error| error.code).as_deref(),
            Some("GATEWAY_EXECUTION_FAILED"),
            "{error}"
        );
        assert!(room.gate.is_idle(), "{error}: no turn is begun");
    }
}

#[tokio::test]
async fn another_session_is_a_mismatch_and_is_stopped() {
    let mut room = TestBench::new().await;
    let turn = room.turn("x");
    let (refused, ()) = within(async {
        tokio::join!(room.runner.start(turn), async {
            room.gate.without_plugin().await;
            let asked = room.gate.asked("chat.send").await;
            room.gate.ok(
                &asked,
                json!({ "runId": "turn-1", "sessionKey": "agent:main:other", "status": "started" }),
            );
        })
    })
    .await;
    assert_eq!(refused.err().map(|error| error.code).as_deref(), Some("OPENCLAW_SESSION_MISMATCH"));
    let asked = room.gate.asked("chat.abort").await;
    assert_eq!(asked.params, json!({ "sessionKey": "agent:main:draft:1", "runId": "turn-1" }));
}

#[tokio::test]
async fn a_conversation_that_is_gone_is_not_begun_anew() {
    for (messages, known) in [(json!([]), false), (json!([{ "role": "user", "content": "x" }]), true)] {
        let mut room = TestBench::new().await;
        let turn = engross_tasks::runner::Turn { continues: true, ..room.turn("x") };
        let (begun, ()) = within(async {
            tokio::join!(room.runner.start(turn), async {
                let asked = room.gate.asked("chat.history").await;
                assert_eq!(asked.params, json!({ "sessionKey": "agent:main:draft:1", "limit": 1 }));
                room.gate.ok(&asked, json!({ "messages": messages }));
                if known {
                    room.gate.without_plugin().await;
                    room.gate.accept().await;
                }
            })
        })
        .await;
        let code = begun.err().map(|error| error.code);
        assert_eq!(code.as_deref(), (!known).then_some("SESSION_CONTINUATION_UNAVAILABLE"));
    }
}

#[tokio::test]
async fn case_89_a_receipt_must_be_for_this_run() {
    let cases: [(Value, Option<bool>); 6] = [
        (json!({ "ok": true, "aborted": true, "runIds": ["turn-1"] }), Some(true)),
        (json!({ "ok": true, "aborted": false, "runIds": [] }), Some(false)),
        (json!({ "ok": true, "aborted": true, "runIds": ["turn-2"] }), None),
        (json!({ "ok": true, "aborted": true }), None),
        (json!({ "ok": false, "aborted": true, "runIds": ["turn-1"] }), None),
        (json!("yes"), None),
    ];
    let mut room = TestBench::new().await;
    let running = room.begun("x").await;
    for (payload, expected) in cases {
        let (receipt, ()) = within(async {
            tokio::join!(running.control.cancel(), async {
                let asked = room.gate.asked("chat.abort").await;
                assert_eq!(asked.params, json!({ "sessionKey": "agent:main:draft:1", "runId": "turn-1" }));
                room.gate.ok(&asked, payload.clone());
            })
        })
        .await;
        match receipt {
            Ok(receipt) => assert_eq!(Some(receipt.aborted), expected, "{payload}"),
            Err(error) => assert_eq!((error.code.as_str(), expected), ("NATIVE_CANCEL_UNCONFIRMED", None)),
        }
    }
}

#[tokio::test]
async fn case_90_a_failure_after_a_cancel_stays_a_failure() {
    let mut room = TestBench::new().await;
    let mut running = room.begun("x").await;
    let (receipt, ()) = within(async {
        tokio::join!(running.control.cancel(), async {
            let asked = room.gate.asked("chat.abort").await;
            room.gate.ok(&asked, json!({ "ok": true, "aborted": true, "runIds": ["turn-1"] }));
        })
    })
    .await;
    assert!(receipt.unwrap().aborted);
    let mut error = chat("error", "");
    error["errorMessage"] = json!("no model");
    room.gate.event("chat", error);
    let message = "the run failed at the gateway: no model; see the gateway's log".to_owned();
    let how = How::Failed { code: "GATEWAY_EXECUTION_FAILED".to_owned(), message };
    assert_eq!(all(&mut running).await, [ended(how, None)]);
}

#[tokio::test]
async fn a_start_that_nobody_waits_for_is_taken_back() {
    let mut room = TestBench::new().await;
    let turn = room.turn("x");
    let runner = room.runner.clone();
    let starting = tokio::task::spawn(async move { runner.start(turn).await.map(|_| ()) });
    room.gate.without_plugin().await;
    let _unanswered = room.gate.asked("chat.send").await;
    starting.abort();
    let asked = room.gate.asked("chat.abort").await;
    assert_eq!(asked.params, json!({ "sessionKey": "agent:main:draft:1", "runId": "turn-1" }));
}

#[tokio::test]
async fn a_request_that_is_too_long_is_not_sent() {
    let mut room = TestBench::new().await;
    room.gate.set_policy(json!({ "maxPayload": 1000 }));
    let turn = room.turn(&"x".repeat(2000));
    let (refused, ()) =
        within(async { tokio::join!(room.runner.start(turn), room.gate.without_plugin()) }).await;
    assert_eq!(refused.err().map(|error| error.code).as_deref(), Some("TOO_LARGE"));
    assert!(room.gate.is_idle());
}

#[tokio::test]
async fn health_says_what_is_wrong() {
    let limits = GatewayLimits { connect: Duration::from_millis(300), ..patient() };
    let room = TestBench::with(limits).await;
    assert_eq!(within(room.runner.health()).await, Health::Ready);
    room.gate.refuse_logins(json!({
        "code": "NOT_PAIRED", "message": "pairing required", "details": { "requestId": "p-1" },
    }));
    room.gate.cut();
    let failing = within(async {
        loop {
            match room.runner.health().await {
                Health::Failing { message } if message.contains("pairing") => return message,
                _ => tokio::time::sleep(Duration::from_millis(2)).await,
            }
        }
    })
    .await;
    assert!(failing.contains("`openclaw devices approve p-1`"), "{failing}");
    room.gate.shut();
    let turn = room.turn("x");
    let refused = within(room.runner.start(turn)).await;
    assert_eq!(refused.err().map(|error| error.code).as_deref(), Some("GATEWAY_CONNECT_FAILED"));
}
