//! The Agent2Agent face: the same runs in other words.

use engross_tasks::a2a::{self, A2aFrame};
use engross_tasks::rpc::RpcCall;
use serde_json::{Value, json};

use super::{TestBench, call, request, within};

fn message(id: &str, context: &str, words: &str) -> Value {
    json!({ "message": { "messageId": id, "contextId": context, "role": "ROLE_USER", "parts": [{ "text": words }],
        "metadata": { "provider": "codex" } } })
}

/// All frames of a call.
async fn frames(bench: &TestBench, call: RpcCall, method: &str, params: Value) -> Vec<Value> {
    let mut frames = a2a::open(&bench.bridge, call, request(method, params));
    let mut all = Vec::new();
    while let Some(frame) = within(frames.recv()).await {
        let (A2aFrame::Event(told) | A2aFrame::Answer(told)) = frame;
        assert_eq!((&told["jsonrpc"], &told["id"]), (&json!("2.0"), &json!("1")));
        all.push(told);
    }
    all
}

async fn answer(bench: &TestBench, method: &str, params: Value) -> Value {
    let mut all = frames(bench, call(), method, params).await;
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

async fn sent(bench: &TestBench, params: Value) -> Value {
    let answer = answer(bench, "SendMessage", params).await;
    assert!(answer["error"].is_null(), "{answer}");
    answer["result"]["task"].clone()
}

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap()
}

#[tokio::test]
async fn a_message_becomes_a_task_with_its_files_and_once() {
    let bench = TestBench::new().await;
    let task = sent(&bench, message("m1", "ctx", "write:a.md=x say:done")).await;
    assert_eq!((state(&task), &task["contextId"]), ("TASK_STATE_COMPLETED", &json!("ctx")));
    let artifacts = task["artifacts"].as_array().unwrap();
    assert_eq!(
        (&artifacts[0]["name"], &artifacts[0]["parts"][0]["text"]),
        (&json!("answer"), &json!("done"))
    );
    assert_eq!(artifacts[1]["artifactId"], "file:a.md");
    assert!(artifacts[1]["parts"][0]["url"].as_str().unwrap().starts_with("http://bridge/artifacts/"));
    assert_eq!(artifacts[1]["metadata"]["sizeBytes"], 1);
    assert_eq!(task["history"][0]["parts"][0]["text"], "write:a.md=x say:done");
    // The same message is the same task; another one of the context goes on with its conversation.
    assert_eq!(sent(&bench, message("m1", "ctx", "write:a.md=x say:done")).await["id"], task["id"]);
    let next = sent(&bench, message("m2", "ctx", "say:more")).await;
    assert_ne!(next["id"], task["id"]);
    let continued: Vec<bool> = bench.agent.turns.lock().unwrap().iter().map(|turn| turn.continues).collect();
    assert_eq!(continued, [false, true]);
    assert_eq!(sent(&bench, message("m1", "ctx", "write:a.md=x say:done")).await["id"], task["id"]);
    // The other protocol knows it, too.
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": task["id"] })).await;
    assert_eq!((&told["status"], &told["threadId"]), (&json!("completed"), &json!("ctx")));
}

#[tokio::test]
async fn a_question_is_input_that_is_required_and_a_message_answers_it() {
    let bench = TestBench::new().await;
    let task = sent(&bench, message("m1", "ctx", "ask say:done")).await;
    assert_eq!(state(&task), "TASK_STATE_INPUT_REQUIRED");
    let told = task["status"]["message"]["parts"][0]["text"].as_str().unwrap();
    assert!(told.contains("run tests") && told.contains("1. yes"), "{told}");
    let reply = |id: &str, words: &str| json!({ "message": { "messageId": id, "taskId": task["id"], "parts": [{ "text": words }] } });
    let wrong = answer(&bench, "SendMessage", reply("m2", "perhaps")).await;
    assert_eq!(wrong["error"]["code"], -32602);
    let ended = sent(&bench, reply("m3", "1")).await;
    assert_eq!((&ended["id"], state(&ended)), (&task["id"], "TASK_STATE_COMPLETED"));
    assert_eq!(*bench.agent.answers.lock().unwrap(), [Some("yes".to_owned())]);
    let late = answer(&bench, "SendMessage", reply("m4", "1")).await;
    assert_eq!(
        (&late["error"]["code"], &late["error"]["data"][0]["reason"]),
        (&json!(-32004), &json!("UNSUPPORTED_OPERATION"))
    );
}

#[tokio::test]
async fn a_stream_begins_with_the_task_and_ends_with_its_end() {
    let bench = TestBench::new().await;
    let all = frames(
        &bench,
        call(),
        "SendStreamingMessage",
        message("m", "c", "say:half tool:a say:done write:a.md=x"),
    )
    .await;
    let kinds: Vec<String> =
        all.iter().map(|told| told["result"].as_object().unwrap().keys().next().unwrap().clone()).collect();
    assert_eq!(kinds.first().unwrap(), "task");
    let last = &all.last().unwrap()["result"]["statusUpdate"];
    assert_eq!(last["status"]["state"], "TASK_STATE_COMPLETED", "{all:#?}");
    // Whoever puts the pieces together has the answer, and nothing that was said before it.
    let mut words = String::new();
    for told in &all {
        let update = &told["result"]["artifactUpdate"];
        if update["artifact"]["artifactId"] == "answer" {
            if update["append"] != true {
                words.clear();
            }
            words.push_str(update["artifact"]["parts"][0]["text"].as_str().unwrap());
        }
    }
    assert_eq!(words, "done");
    assert!(all.iter().any(|told| told["result"]["artifactUpdate"]["artifact"]["artifactId"] == "file:a.md"));
    let id = &all[0]["result"]["task"]["id"];
    let over = answer(&bench, "SubscribeToTask", json!({ "id": id })).await;
    assert_eq!(over["error"]["code"], -32004);
}

#[tokio::test]
async fn tasks_are_listed_in_pages_stopped_and_nobody_elses() {
    let bench = TestBench::new().await;
    let mut ids = Vec::new();
    for number in 0..5 {
        ids.push(sent(&bench, message("m", &format!("c{number}"), "say:x")).await["id"].clone());
    }
    let mut params = message("m", "held", "hold");
    params["configuration"] = json!({ "returnImmediately": true });
    let held = sent(&bench, params).await;
    assert!(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"].contains(&state(&held)), "{held}");
    let (mut seen, mut token) = (Vec::new(), String::new());
    loop {
        let page =
            answer(&bench, "ListTasks", json!({ "pageSize": 2, "pageToken": token })).await["result"].clone();
        assert_eq!((&page["totalSize"], page["tasks"].as_array().unwrap().len() <= 2), (&json!(6), true));
        seen.extend(page["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()));
        token = page["nextPageToken"].as_str().unwrap().to_owned();
        if token.is_empty() {
            break;
        }
    }
    ids.push(held["id"].clone());
    ids.reverse();
    assert_eq!(seen, ids);
    let of = answer(&bench, "ListTasks", json!({ "contextId": "c2" })).await["result"]["totalSize"].clone();
    let working = answer(&bench, "ListTasks", json!({ "status": "TASK_STATE_WORKING" })).await;
    assert_eq!((of, &working["result"]["tasks"][0]["id"]), (json!(1), &held["id"]));
    let stranger = || RpcCall { principal: "stranger".to_owned(), ..call() };
    for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
        let refused = frames(&bench, stranger(), method, json!({ "id": held["id"] })).await;
        assert_eq!(refused[0]["error"]["code"], -32001, "{method}");
    }
    assert_eq!(frames(&bench, stranger(), "ListTasks", json!({})).await[0]["result"]["totalSize"], 0);
    let stopped = answer(&bench, "CancelTask", json!({ "id": held["id"] })).await;
    assert_eq!(state(&stopped["result"]), "TASK_STATE_CANCELED");
    assert_eq!(answer(&bench, "CancelTask", json!({ "id": held["id"] })).await["error"]["code"], -32002);
}

#[tokio::test]
async fn what_is_not_offered_is_refused_in_the_words_of_the_protocol() {
    let bench = TestBench::new().await;
    let push = json!({ "message": { "messageId": "m", "parts": [{ "text": "say:x" }] },
        "configuration": { "taskPushNotificationConfig": { "url": "http://10.0.0.1" } } });
    for (method, params, number) in [
        ("GetTask", json!({ "id": "run-none" }), -32001),
        ("GetTask", json!({}), -32602),
        ("CreateTaskPushNotificationConfig", json!({}), -32003),
        ("SendMessage", push, -32003),
        ("GetExtendedAgentCard", json!({}), -32007),
        ("message/send", json!({}), -32601),
        ("ListTasks", json!({ "pageSize": 1000 }), -32602),
        ("SendMessage", message("m", "", ""), -32602),
    ] {
        let refused = answer(&bench, method, params).await;
        assert_eq!(refused["error"]["code"], number, "{method}: {refused}");
        assert!(refused["error"]["data"][0]["reason"].is_string(), "{refused}");
    }
    assert!(a2a::speaks(Some("1.0")) && a2a::speaks(Some("1.0.3")));
    assert!(!a2a::speaks(None) && !a2a::speaks(Some("0.3")) && !a2a::speaks(Some("1.01")));
}
