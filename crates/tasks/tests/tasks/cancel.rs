//! Cancelling: receipts, not promises.

use serde_json::{Value, json};

use super::{Desk, agent, and, gateway};

async fn started(desk: &Desk, params: Value) -> Value {
    desk.call("session.start", and(params, json!({ "waitMs": 0 }))).await
}

#[tokio::test]
async fn case_91_nobody_cancels_what_is_not_theirs() {
    let desk = Desk::new().await;
    let told = desk.call("xworkmate.tasks.cancel", json!({ "runId": "run-9" })).await;
    assert_eq!(
        told,
        json!({ "accepted": false, "cancelled": false, "code": "TASK_SCOPE_NOT_OWNED_OR_RECOVERED" })
    );
}

#[tokio::test]
async fn case_89_ids_that_do_not_agree_are_a_mismatch() {
    let desk = Desk::new().await;
    let told = started(&desk, gateway("t", "hold")).await;
    started(&desk, gateway("u", "hold")).await;
    for wrong in [
        json!({ "openclawSessionKey": "agent:main:u" }),
        json!({ "appThreadKey": "u" }),
        json!({ "sessionId": "u" }),
        json!({ "gatewayProviderId": "codex" }),
    ] {
        let told = desk.call("xworkmate.tasks.cancel", and(json!({ "runId": told["runId"] }), wrong)).await;
        assert_eq!(told["code"], "RUN_SCOPE_MISMATCH");
    }
}

#[tokio::test]
async fn case_92_an_active_cancel_asks_for_this_run_and_repeats_only_the_receipt() {
    let desk = Desk::new().await;
    let told = started(&desk, gateway("t", "hold deaf")).await;
    desk.gateway.given(1).await;
    let run = &told["runId"];
    let params =
        json!({ "runId": run, "openclawSessionKey": "agent:main:t", "gatewayProviderId": "openclaw" });
    let receipt = loop {
        let receipt = desk.call("xworkmate.tasks.cancel", params.clone()).await;
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
    assert_eq!(desk.call("xworkmate.tasks.get", json!({ "runId": run })).await["status"], "running");
    desk.gateway.go.notify_one();
    let end = desk.end(run).await;
    assert_eq!(end["status"], "failed", "it ended without a word");
    let told = desk.call("xworkmate.tasks.cancel", params).await;
    assert_eq!(told["code"], "TASK_ALREADY_TERMINAL");
}

#[tokio::test]
async fn a_receipt_that_is_none_is_unconfirmed() {
    let desk = Desk::new().await;
    let told = started(&desk, gateway("t", "say:x hold deaf mute")).await;
    desk.gateway.given(1).await;
    while desk.call("xworkmate.tasks.get", json!({ "runId": told["runId"] })).await["revision"]
        == told["revision"]
    {}
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let receipt = desk.call("xworkmate.tasks.cancel", json!({ "runId": told["runId"] })).await;
    assert_eq!(receipt["code"], "NATIVE_CANCEL_UNCONFIRMED");
}

#[tokio::test]
async fn case_90_a_failure_is_not_made_a_cancel() {
    let desk = Desk::new().await;
    let told = started(&desk, gateway("t", "hold deaf fail:BOOM")).await;
    desk.gateway.given(1).await;
    desk.call("xworkmate.tasks.cancel", json!({ "runId": told["runId"] })).await;
    desk.gateway.go.notify_one();
    assert_eq!(desk.end(&told["runId"]).await["code"], "BOOM");
}

#[tokio::test]
async fn an_agent_that_does_not_listen_is_stopped_all_the_same() {
    let desk = Desk::new().await;
    let told = started(&desk, agent("t", "hold deaf")).await;
    desk.agent.given(1).await;
    let receipt = desk.call("session.cancel", json!({ "sessionId": "t" })).await;
    assert_eq!(receipt, json!({ "accepted": true, "runCancelled": true }));
    let end = desk.end(&told["runId"]).await;
    assert_eq!((&end["status"], &end["code"]), (&json!("cancelled"), &json!("TASK_CANCELLED")));
    assert_eq!(desk.call("session.cancel", json!({ "sessionId": "t" })).await["runCancelled"], json!(false));
    assert_eq!(desk.call("session.cancel", json!({ "sessionId": "other" })).await["accepted"], json!(true));
}

#[tokio::test]
async fn what_waits_is_taken_back_without_asking_anybody() {
    let desk = Desk::new().await;
    started(&desk, gateway("t", "hold")).await;
    desk.gateway.given(1).await;
    let second = desk.call("session.message", and(gateway("t", "say:2"), json!({ "waitMs": 0 }))).await;
    let told = desk.call("xworkmate.tasks.cancel", json!({ "runId": second["runId"] })).await;
    assert_eq!((&told["cancelled"], &told["cancellationScope"]), (&json!(true), &json!("queue")));
    desk.gateway.go.notify_one();
    assert_eq!(desk.end(&second["runId"]).await["status"], "cancelled");
    assert_eq!(desk.gateway.prompts(), ["hold"]);
}

#[tokio::test]
async fn case_93_permissions_are_answered_once_by_their_own_session() {
    let desk = Desk::new().await;
    let told = started(&desk, agent("t", "ask say:ok")).await;
    started(&desk, agent("u", "hold")).await;
    let item = loop {
        let listed = desk.call("xworkmate.permissions.list", json!({ "sessionId": "t" })).await;
        if let Some(item) = listed["items"].as_array().and_then(|items| items.first()) {
            break item.clone();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(desk.call("xworkmate.permissions.list", json!({})).await["items"], json!([item]));
    let request = &item["requestId"];
    let respond = |session: &str, request: &Value, option: &str| json!({ "sessionId": session, "requestId": request, "optionId": option });
    let method = "xworkmate.permissions.respond";
    for (params, code) in [
        (respond("t", &json!("perm-x-1"), "yes"), "PERMISSION_REQUEST_NOT_FOUND"),
        (respond("u", request, "yes"), "PERMISSION_SESSION_MISMATCH"),
        (respond("t", request, "root"), "PERMISSION_OPTION_NOT_OFFERED"),
    ] {
        assert_eq!(desk.refusal(method, params).await, (-32602, code.to_owned()));
    }
    let accepted = desk.call(method, respond("t", request, "yes")).await;
    assert_eq!(accepted, json!({ "accepted": true, "requestId": request }));
    assert_eq!(desk.end(&told["runId"]).await["output"], "ok");
    assert_eq!(*desk.agent.answers.lock().unwrap(), [Some("yes".to_owned())]);
    let (_, code) = desk.refusal(method, respond("t", request, "no")).await;
    assert!(["PERMISSION_ALREADY_DECIDED", "PERMISSION_REQUEST_NOT_FOUND"].contains(&code.as_str()));
}

#[tokio::test]
async fn case_93_a_cancel_denies_what_is_asked() {
    let desk = Desk::new().await;
    let told = started(&desk, agent("t", "ask say:ok")).await;
    while desk.call("xworkmate.permissions.list", json!({ "sessionId": "t" })).await["items"] == json!([]) {
        tokio::task::yield_now().await;
    }
    desk.call("session.cancel", json!({ "sessionId": "t" })).await;
    assert_eq!(desk.end(&told["runId"]).await["status"], "cancelled");
    assert_eq!(desk.call("xworkmate.permissions.list", json!({})).await["items"], json!([]));
}

#[tokio::test]
async fn a_closed_session_cannot_go_on_but_its_tasks_stay() {
    let desk = Desk::new().await;
    let told = desk.call("session.start", agent("t", "say:1")).await;
    assert_eq!(
        desk.call("session.close", json!({ "sessionId": "t" })).await,
        json!({ "accepted": true, "closed": true })
    );
    assert_eq!(
        desk.call("session.close", json!({ "sessionId": "x" })).await,
        json!({ "accepted": true, "closed": false })
    );
    assert_eq!(*desk.agent.closed.lock().unwrap(), ["t"]);
    let (number, code) = desk.refusal("session.message", agent("t", "say:2")).await;
    assert_eq!((number, code.as_str()), (-32002, "SESSION_CONTINUATION_UNAVAILABLE"));
    assert_eq!(desk.end(&told["runId"]).await["output"], "1");
    assert_eq!(desk.call("session.start", agent("t", "say:3")).await["output"], "3");
}
