//! Cancelling: receipts, not promises.

use serde_json::{Value, json};

use super::{TestBench, agent, and, gateway};

async fn started(bench: &TestBench, params: Value) -> Value {
    bench.call("session.start", and(params, json!({ "waitMs": 0 }))).await
}

#[tokio::test]
async fn case_91_nobody_cancels_what_is_not_theirs() {
    let bench = TestBench::new().await;
    let told = bench.call("xworkmate.tasks.cancel", json!({ "runId": "run-9" })).await;
    assert_eq!(
        told,
        json!({ "accepted": false, "cancelled": false, "code": "TASK_SCOPE_NOT_OWNED_OR_RECOVERED" })
    );
}

#[tokio::test]
async fn case_89_ids_that_do_not_agree_are_a_mismatch() {
    let bench = TestBench::new().await;
    let told = started(&bench, gateway("t", "hold")).await;
    started(&bench, gateway("u", "hold")).await;
    for wrong in [
        json!({ "openclawSessionKey": "agent:main:u" }),
        json!({ "appThreadKey": "u" }),
        json!({ "sessionId": "u" }),
        json!({ "gatewayProviderId": "codex" }),
    ] {
        let told = bench.call("xworkmate.tasks.cancel", and(json!({ "runId": told["runId"] }), wrong)).await;
        assert_eq!(told["code"], "RUN_SCOPE_MISMATCH");
    }
}

#[tokio::test]
async fn case_92_an_active_cancel_asks_for_this_run_and_repeats_only_the_receipt() {
    let bench = TestBench::new().await;
    let told = started(&bench, gateway("t", "hold deaf")).await;
    bench.gateway.given(1).await;
    let run = &told["runId"];
    let params =
        json!({ "runId": run, "openclawSessionKey": "agent:main:t", "gatewayProviderId": "openclaw" });
    let receipt = loop {
        let receipt = bench.call("xworkmate.tasks.cancel", params.clone()).await;
        if receipt["nativeMethod"] == "chat.abort" {
            break receipt;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(
        receipt,
        json!({ "accepted": true, "cancelled": false, "nativeMethod": "chat.abort", "aborted": false, "runIds": [run], "runId": run })
    );
    // The gateway's run goes on, and its own end is the end.
    assert_eq!(bench.call("xworkmate.tasks.get", json!({ "runId": run })).await["status"], "running");
    bench.gateway.go.notify_one();
    let end = bench.end(run).await;
    assert_eq!(end["status"], "failed", "it ended without a word");
    let told = bench.call("xworkmate.tasks.cancel", params).await;
    assert_eq!(told["code"], "TASK_ALREADY_TERMINAL");
}

#[tokio::test]
async fn a_receipt_that_is_none_is_unconfirmed() {
    let bench = TestBench::new().await;
    let told = started(&bench, gateway("t", "say:x hold deaf mute")).await;
    bench.gateway.given(1).await;
    while bench.call("xworkmate.tasks.get", json!({ "runId": told["runId"] })).await["revision"]
        == told["revision"]
    {}
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let receipt = bench.call("xworkmate.tasks.cancel", json!({ "runId": told["runId"] })).await;
    assert_eq!(receipt["code"], "NATIVE_CANCEL_UNCONFIRMED");
}

#[tokio::test]
async fn case_90_a_failure_is_not_made_a_cancel() {
    let bench = TestBench::new().await;
    let told = started(&bench, gateway("t", "hold deaf fail:BOOM")).await;
    bench.gateway.given(1).await;
    bench.call("xworkmate.tasks.cancel", json!({ "runId": told["runId"] })).await;
    bench.gateway.go.notify_one();
    assert_eq!(bench.end(&told["runId"]).await["code"], "BOOM");
}

#[tokio::test]
async fn an_agent_that_does_not_listen_is_stopped_all_the_same() {
    let bench = TestBench::new().await;
    let told = started(&bench, agent("t", "hold deaf")).await;
    bench.agent.given(1).await;
    let receipt = bench.call("session.cancel", json!({ "sessionId": "t" })).await;
    assert_eq!(receipt, json!({ "accepted": true, "runCancelled": true }));
    let end = bench.end(&told["runId"]).await;
    assert_eq!((&end["status"], &end["code"]), (&json!("cancelled"), &json!("TASK_CANCELLED")));
    assert_eq!(bench.call("session.cancel", json!({ "sessionId": "t" })).await["runCancelled"], json!(false));
    assert_eq!(bench.call("session.cancel", json!({ "sessionId": "other" })).await["accepted"], json!(true));
}

#[tokio::test]
async fn what_waits_is_taken_back_without_asking_anybody() {
    let bench = TestBench::new().await;
    started(&bench, gateway("t", "hold")).await;
    bench.gateway.given(1).await;
    let second = bench.call("session.message", and(gateway("t", "say:2"), json!({ "waitMs": 0 }))).await;
    let told = bench.call("xworkmate.tasks.cancel", json!({ "runId": second["runId"] })).await;
    assert_eq!((&told["cancelled"], &told["cancellationScope"]), (&json!(true), &json!("queue")));
    bench.gateway.go.notify_one();
    assert_eq!(bench.end(&second["runId"]).await["status"], "cancelled");
    assert_eq!(bench.gateway.prompts(), ["hold"]);
}

#[tokio::test]
async fn case_93_permissions_are_answered_once_by_their_own_session() {
    let bench = TestBench::new().await;
    let told = started(&bench, agent("t", "ask say:ok")).await;
    started(&bench, agent("u", "hold")).await;
    let item = loop {
        let listed = bench.call("xworkmate.permissions.list", json!({ "sessionId": "t" })).await;
        if let Some(item) = listed["items"].as_array().and_then(|items| items.first()) {
            break item.clone();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(bench.call("xworkmate.permissions.list", json!({})).await["items"], json!([item]));
    let request = &item["requestId"];
    let respond = |session: &str, request: &Value, option: &str| json!({ "sessionId": session, "requestId": request, "optionId": option });
    let method = "xworkmate.permissions.respond";
    for (params, code) in [
        (respond("t", &json!("perm-x-1"), "yes"), "PERMISSION_REQUEST_NOT_FOUND"),
        (respond("u", request, "yes"), "PERMISSION_SESSION_MISMATCH"),
        (respond("t", request, "root"), "PERMISSION_OPTION_NOT_OFFERED"),
    ] {
        assert_eq!(bench.refusal(method, params).await, (-32602, code.to_owned()));
    }
    let accepted = bench.call(method, respond("t", request, "yes")).await;
    assert_eq!(accepted, json!({ "accepted": true, "requestId": request }));
    assert_eq!(bench.end(&told["runId"]).await["output"], "ok");
    assert_eq!(*bench.agent.answers.lock().unwrap(), [Some("yes".to_owned())]);
    let (_, code) = bench.refusal(method, respond("t", request, "no")).await;
    assert!(["PERMISSION_ALREADY_DECIDED", "PERMISSION_REQUEST_NOT_FOUND"].contains(&code.as_str()));
}

#[tokio::test]
async fn case_93_a_cancel_denies_what_is_asked() {
    let bench = TestBench::new().await;
    let told = started(&bench, agent("t", "ask say:ok")).await;
    while bench.call("xworkmate.permissions.list", json!({ "sessionId": "t" })).await["items"] == json!([]) {
        tokio::task::yield_now().await;
    }
    bench.call("session.cancel", json!({ "sessionId": "t" })).await;
    assert_eq!(bench.end(&told["runId"]).await["status"], "cancelled");
    assert_eq!(bench.call("xworkmate.permissions.list", json!({})).await["items"], json!([]));
}

#[tokio::test]
async fn a_closed_session_cannot_go_on_but_its_tasks_stay() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "say:1")).await;
    assert_eq!(
        bench.call("session.close", json!({ "sessionId": "t" })).await,
        json!({ "accepted": true, "closed": true })
    );
    assert_eq!(
        bench.call("session.close", json!({ "sessionId": "x" })).await,
        json!({ "accepted": true, "closed": false })
    );
    assert_eq!(*bench.agent.closed.lock().unwrap(), ["t"]);
    let (number, code) = bench.refusal("session.message", agent("t", "say:2")).await;
    assert_eq!((number, code.as_str()), (-32002, "SESSION_CONTINUATION_UNAVAILABLE"));
    assert_eq!(bench.end(&told["runId"]).await["output"], "1");
    assert_eq!(bench.call("session.start", agent("t", "say:3")).await["output"], "3");
}
