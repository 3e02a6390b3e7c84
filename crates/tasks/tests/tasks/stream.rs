//! What is heard on a stream, in which order, and where a listener goes on.

use engross_tasks::rpc::{RpcCall, RpcFrame};
use serde_json::{Value, json};

use super::{TestBench, agent, and, gateway, request, streaming, within};

/// All frames of a call: name of the event and its number, and the answer.
async fn all(
    bench: &TestBench,
    call: RpcCall,
    method: &str,
    params: Value,
) -> (Vec<(String, Value, Option<u64>)>, Value) {
    let mut frames = bench.bridge.open(call, request(method, params));
    let mut events = Vec::new();
    loop {
        match within(frames.recv()).await.expect("a frame") {
            RpcFrame::Event(envelope, seq) => {
                assert_eq!(envelope["payload"], envelope["params"]);
                let name =
                    envelope["params"]["event"].as_str().or(envelope["method"].as_str()).unwrap().to_owned();
                events.push((name, envelope["params"].clone(), seq));
            }
            RpcFrame::Answer(envelope) => return (events, envelope["result"].clone()),
        }
    }
}

fn names(events: &[(String, Value, Option<u64>)]) -> Vec<&str> {
    events.iter().map(|(name, ..)| name.as_str()).collect()
}

#[tokio::test]
async fn case_53_a_stream_ends_with_the_answer() {
    let bench = TestBench::new().await;
    let (events, result) = all(&bench, streaming(), "session.start", agent("t", "say:one say:two")).await;
    assert_eq!(
        names(&events),
        ["started", "running", "task.started", "delta", "delta", "syncing-artifacts", "completed"]
    );
    assert_eq!((&result["output"], &result["terminal"]), (&json!("onetwo"), &json!(true)));
    let numbers: Vec<u64> = events.iter().map(|(_, _, seq)| seq.unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    for (name, params, seq) in &events {
        for field in ["sessionId", "threadId", "turnId", "runId", "type", "event", "pending", "error"] {
            assert!(!params[field].is_null(), "{name} lacks {field}");
        }
        assert_eq!(params["seq"], json!(seq.unwrap()));
    }
}

#[tokio::test]
async fn case_54_a_gateway_is_accepted_first_and_answers_with_a_handle() {
    let bench = TestBench::new().await;
    let (events, result) = all(&bench, streaming(), "session.start", gateway("t", "hold say:x")).await;
    assert_eq!(names(&events)[..2], ["xworkmate.bridge.accepted", "started"]);
    assert_eq!(
        (&result["status"], &result["resolvedGatewayProviderId"]),
        (&json!("running"), &json!("openclaw"))
    );
    assert_eq!(result["artifacts"], json!([]));
    bench.gateway.go.notify_one();
    assert_eq!(bench.end(&result["runId"]).await["output"], "x");
}

#[tokio::test]
async fn case_57_a_listener_that_goes_away_ends_nothing() {
    let bench = TestBench::new().await;
    let mut frames = bench.bridge.open(streaming(), request("session.start", agent("t", "hold say:x")));
    let Some(RpcFrame::Event(envelope, _)) = within(frames.recv()).await else { panic!("no event") };
    let run = envelope["params"]["runId"].clone();
    drop(frames);
    bench.agent.given(1).await;
    bench.agent.go.notify_one();
    assert_eq!(bench.end(&run).await["output"], "x");
}

#[tokio::test]
async fn who_comes_back_hears_the_rest_and_nothing_twice() {
    let mut bench = TestBench::new().await;
    let asked = and(agent("t", "say:one say:two"), json!({ "idempotencyKey": "k" }));
    let (events, result) = all(&bench, streaming(), "session.start", asked.clone()).await;
    for heard in 0..events.len() {
        let after = events[heard].2;
        let again =
            all(&bench, RpcCall { last_event: after, ..streaming() }, "session.start", asked.clone()).await;
        assert_eq!(again, (events[heard + 1..].to_vec(), result.clone()), "after {heard}");
    }
    let watch = json!({ "runId": result["runId"], "afterSeq": events[2].2 });
    let (rest, told) = all(&bench, streaming(), "xworkmate.tasks.get", watch.clone()).await;
    assert_eq!((rest, told), (events[3..].to_vec(), result.clone()));
    // After a restart what passed by is in the result; the rest has the numbers it had.
    bench.restart().await;
    let (rest, told) = all(&bench, streaming(), "xworkmate.tasks.get", watch).await;
    assert_eq!(rest, events[5..].to_vec());
    assert_eq!(told["output"], result["output"]);
}

#[tokio::test]
async fn v11_an_unchanged_poll_is_told_in_a_word_and_a_wait_ends_with_the_change() {
    let bench = TestBench::new().await;
    let handle =
        bench.call("session.start", and(agent("t", "hold write:a.md=x"), json!({ "waitMs": 0 }))).await;
    bench.agent.given(1).await;
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let run = handle["runId"].clone();
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": run })).await;
    let known = told["revision"].clone();
    let unchanged = bench.call("xworkmate.tasks.get", json!({ "runId": run, "ifRevision": known })).await;
    assert_eq!((&unchanged["notModified"], &unchanged["status"]), (&json!(true), &json!("running")));
    let waiting = json!({ "runId": run, "ifRevision": known, "waitMs": 9000 });
    let mut frames = bench.bridge.open(super::call(), request("xworkmate.tasks.get", waiting));
    bench.agent.go.notify_one();
    let Some(RpcFrame::Answer(envelope)) = within(frames.recv()).await else { panic!("no answer") };
    assert_eq!(envelope["result"]["notModified"], Value::Null);
    let end = bench.end(&run).await;
    let begun = std::time::Instant::now();
    for _ in 0..1000 {
        let same =
            bench.call("xworkmate.tasks.get", json!({ "runId": run, "ifRevision": end["revision"] })).await;
        assert_eq!(same["notModified"], json!(true));
    }
    println!("an unchanged poll: {:?}", begun.elapsed() / 1000);
    let begun = std::time::Instant::now();
    for _ in 0..1000 {
        bench.call("xworkmate.tasks.get", json!({ "runId": run })).await;
    }
    println!("a poll with its answer: {:?}", begun.elapsed() / 1000);
}
