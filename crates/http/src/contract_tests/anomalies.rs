//! Anomalies of the reference's transcripts that cannot arise here, and when things are durable.

use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};

use super::whole::{DOC, Whole, calls, functions, said, tool, user, whole};
use crate::testing::client::send;

/// Asks in another task's stead: the answer is not waited for.
async fn ask_and_leave(whole: &mut Whole, body: &Value, asked: usize) -> tokio::net::TcpStream {
    let socket = whole.connect(body).await;
    whole.wait_for_asked(asked).await;
    socket
}

fn silent(text: &str) -> Value {
    json!({"when": {"contains": "hang"}, "text": text, "fault": {"kind": "hang", "after": 2, "seconds": 60}, "times": 0})
}

#[tokio::test]
async fn a_message_is_stored_before_the_provider_is_asked() {
    let mut whole = whole(json!({"turns": [silent("one two three")]}));
    let _socket = ask_and_leave(&mut whole, &json!({"messages": [user("hang")]}), 1).await;
    let log = whole.log().await;
    assert_eq!(log[0]["event"], "opened");
    assert_eq!((&log[1]["event"], &log[1]["messages"]), (&json!("accepted"), &json!([user("hang")])));
    assert_eq!(whole.session().await["state"], "running");
}

#[tokio::test]
async fn a_log_has_one_beginning() {
    let mut whole = whole(json!({"turns": [silent("one two three")], "default": {"text": "well"}}));
    // Stopped in its first turn, gone on with, gone back in.
    let socket = ask_and_leave(&mut whole, &json!({"messages": [user("hang")]}), 1).await;
    send(&whole.app, Method::POST, &format!("{DOC}/cancel"), &[], "").await;
    drop(socket);
    said(&whole.chat(json!({"messages": [user("a")]})).await);
    said(&whole.chat(json!({"messages": [user("b")]})).await);
    let log = whole.log().await;
    let of = |kind: &str| log.iter().filter(|entry| entry["event"] == kind).count();
    assert_eq!((of("opened"), of("accepted"), of("ended")), (1, 3, 3));
    assert_eq!(log[0]["event"], "opened");
    assert_eq!(log[1]["messages"], json!([user("hang")]), "nothing that nobody said stands before it");
    let text = json!(log).to_string();
    assert!(text.matches("one two").count() <= 1, "the partial answer is there once: {text}");
}

#[tokio::test]
async fn a_cancelled_turn_leaves_what_was_heard_and_no_empty_answer() {
    let mut whole = whole(json!({"turns": [silent("one two three")], "default": {"text": "well"}}));
    let socket = ask_and_leave(&mut whole, &json!({"messages": [user("hang")]}), 1).await;
    send(&whole.app, Method::POST, &format!("{DOC}/cancel"), &[], "").await;
    drop(socket);
    assert_eq!(said(&whole.chat(json!({"messages": [user("go on")]})).await), "well");
    // What was heard stays; nothing, where nothing was.
    let asked = whole.asked_messages(1);
    let asked = asked.as_array().unwrap();
    assert_eq!((asked.first(), asked.last()), (Some(&user("hang")), Some(&user("go on"))));
    for message in asked.iter().filter(|message| message["role"] == "assistant") {
        assert!(message["content"].as_str().is_some_and(|text| text.starts_with("one")), "{message}");
    }
}

#[tokio::test]
async fn calls_and_results_are_pairs_whatever_happens() {
    let whole = whole(json!({"turns": [
        {"tool_calls": [{"name": "look"}, {"name": "fly"}, {"name": "read"}]},
        {"tool_calls": [{"name": "look", "args": {"again": true}}]},
        {"fault": {"kind": "status", "code": 400}},
    ], "default": {"text": "well"}}));
    let first = whole.chat(json!({"messages": [user("go")], "tools": functions(&["look", "read"])})).await;
    let open = calls(&first);
    whole.chat(json!({"messages": [tool(&open[0].0, "seen")]})).await;
    whole.chat(json!({"messages": [user("forget it")]})).await;
    whole.chat(json!({"messages": [user("and that")]})).await;
    whole.chat(json!({"messages": [user("go on")]})).await;
    for asked in whole.asked() {
        pairs(&asked.body["messages"]);
    }
    pairs(&whole.session().await["messages"]);
}

/// Every call is followed by its one result, every result follows its call.
fn pairs(messages: &Value) {
    let mut open: Vec<Value> = Vec::new();
    for message in messages.as_array().unwrap() {
        if message["role"] == "tool" {
            assert_eq!(open.first(), Some(&message["tool_call_id"]), "{messages}");
            open.remove(0);
        } else {
            assert!(open.is_empty(), "{messages}");
            let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
            open = calls.iter().map(|call| call["id"].clone()).collect();
        }
    }
    assert!(open.is_empty(), "{messages}");
}

#[tokio::test]
async fn every_answer_names_its_model() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    whole.chat(json!({"messages": [user("a")], "model": "gpt-4"})).await;
    let log = whole.log().await;
    let answered = log.iter().find(|entry| entry["event"] == "answered").unwrap();
    assert!(
        answered["model"].as_str().unwrap().ends_with("#m"),
        "who answered, not what was asked for: {answered}"
    );
}

/// No date and no note stands before them, and `/new` is no command.
#[tokio::test]
async fn words_are_stored_as_they_were_sent() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    for text in ["/new", "  [Sat] User: hi\n", "\u{0}\u{202e}ß🦀"] {
        assert_eq!(whole.chat(json!({"messages": [user(text)]})).await.status, 200);
        let messages = whole.session().await["messages"].clone();
        let count = messages.as_array().unwrap().len();
        assert_eq!(messages[count - 2], user(text));
    }
    assert_eq!(whole.sessions().await, 1);
}

/// What was streamed is in the log before the answer is whole.
#[tokio::test]
async fn what_was_heard_is_kept_when_the_turn_is_not() {
    let mut whole = whole(json!({"turns": [
        {"text": "one two three four", "fault": {"kind": "hang", "after": 2, "seconds": 60}}
    ]}));
    let _socket = ask_and_leave(&mut whole, &json!({"messages": [user("go")]}), 1).await;
    let mut ending = whole.ending().await;
    while ending.1.is_null() {
        tokio::time::sleep(Duration::from_millis(10)).await;
        ending = whole.ending().await;
    }
    assert_eq!(ending, (json!("failed"), json!("MODEL_TIMEOUT")));
    let log = whole.log().await;
    let streamed: String = log
        .iter()
        .filter(|entry| entry["event"] == "streamed")
        .filter_map(|entry| entry["text"].as_str())
        .collect();
    assert_eq!(streamed, "one two");
}
