//! Responses as places: branches, conversations, polling, what can be deleted. What counts is what the model received.

use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};

use super::whole::{Whole, user, whole};
use crate::testing::client::{Got, get, send};

async fn respond(whole: &Whole, headers: &[(&str, &str)], body: Value) -> Got {
    send(&whole.app, Method::POST, "/v1/responses", headers, body.to_string()).await
}

fn id(got: &Got) -> String {
    got.json()["id"].as_str().unwrap_or_else(|| panic!("{}", got.text)).to_owned()
}

fn said(content: &str) -> Value {
    json!({"role": "assistant", "content": content})
}

#[tokio::test]
async fn branches_see_only_their_own_past() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let root = id(&respond(&whole, &[], json!({"input": "hi"})).await);
    let after = |words: &str, id: &str| json!({"input": words, "previous_response_id": id});
    let a = id(&respond(&whole, &[], after("A", &root)).await);
    let b = id(&respond(&whole, &[], after("B", &root)).await);
    let c = id(&respond(&whole, &[], after("C", &root)).await);
    assert_eq!(whole.asked_messages(1), json!([user("hi"), said("ok"), user("A")]));
    assert_eq!(whole.asked_messages(2), json!([user("hi"), said("ok"), user("B")]));
    assert_eq!(whole.asked_messages(3), json!([user("hi"), said("ok"), user("C")]));
    respond(&whole, &[], after("A2", &a)).await;
    respond(&whole, &[], after("B2", &b)).await;
    assert_eq!(whole.asked_messages(4), json!([user("hi"), said("ok"), user("A"), said("ok"), user("A2")]));
    assert_eq!(whole.asked_messages(5), json!([user("hi"), said("ok"), user("B"), said("ok"), user("B2")]));
    assert_ne!(b, c);
}

/// A branch may begin where a call was open: its result comes with the request.
#[tokio::test]
async fn a_branch_at_a_call_takes_its_own_result() {
    let whole = whole(json!({"turns": [
        {"when": {"last_role": "user"}, "times": 0, "tool_calls": [{"name": "look", "args": {}}]},
    ], "default": {"text": "seen"}}));
    let tools = json!([{"type": "function", "name": "look", "parameters": {"type": "object"}}]);
    let first = respond(&whole, &[], json!({"input": "hi", "tools": tools})).await;
    let call = first.json()["output"][0]["call_id"].clone();
    for result in ["one", "two"] {
        let input = json!([{"type": "function_call_output", "call_id": call, "output": result}]);
        let got = respond(&whole, &[], json!({"input": input, "previous_response_id": id(&first)})).await;
        assert_eq!(got.json()["output"][0]["content"][0]["text"], "seen", "{}", got.text);
    }
    let results: Vec<Value> = (1..3)
        .map(|at| {
            let asked = whole.asked_messages(at);
            assert_eq!(asked.as_array().unwrap().len(), 3, "{asked}");
            asked[2]["content"].clone()
        })
        .collect();
    assert_eq!(results, ["one", "two"]);
}

#[tokio::test]
async fn a_conversation_is_a_session() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    for (words, conversation) in
        [("one", json!("conv_1")), ("two", json!({"id": "conv_1"})), ("three", json!("conv_2"))]
    {
        respond(&whole, &[], json!({"input": words, "conversation": conversation})).await;
    }
    assert_eq!(whole.asked_messages(1), json!([user("one"), said("ok"), user("two")]));
    assert_eq!(whole.asked_messages(2), json!([user("three")]));
}

/// A client may send references in the place of items that the server has told it of.
#[tokio::test]
async fn references_are_the_items_that_they_name() {
    let whole = whole(json!({"turns": [
        {"when": {"contains": "look"}, "times": 0, "tool_calls": [{"name": "look", "args": {"at": 1}}]},
    ], "default": {"text": "ok"}}));
    let tools = json!([{"type": "function", "name": "look", "parameters": {"type": "object"}}]);
    let reference = |id: &Value| json!({"type": "item_reference", "id": id});
    let first = respond(&whole, &[], json!({"input": "one"})).await;
    let asked = get(&whole.app, &format!("/v1/responses/{}/input_items", id(&first)), &[]).await.json();
    let second = respond(&whole, &[], json!({"input": "look", "tools": tools})).await.json();
    let call = &second["output"][0];
    let result = json!({"type": "function_call_output", "call_id": call["call_id"], "output": "a house"});
    let again = json!({"role": "user", "content": "look"});
    let input = json!([
        reference(&asked["data"][0]["id"]),
        reference(&first.json()["output"][0]["id"]),
        again,
        reference(&call["id"]),
        result
    ]);
    let got = respond(&whole, &[], json!({"input": input, "tools": tools})).await;
    assert_eq!((got.status, got.header("x-engross-warnings")), (200, None), "{}", got.text);
    let messages = whole.asked_messages(2);
    let roles: Vec<&Value> = messages.as_array().unwrap().iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "tool"], "{messages}");
    assert_eq!((&messages[0], &messages[1]), (&user("one"), &said("ok")));
    assert_eq!(messages[3]["tool_calls"][0]["function"]["arguments"], json!({"at": 1}).to_string());
    for unknown in ["msg_nope", "", "msg_ses_00000000000000000000000000000000_2_0", "resp_1"] {
        let input = json!([{"role": "user", "content": "x"}, reference(&json!(unknown))]);
        let got = respond(&whole, &[], json!({"input": input})).await;
        assert_eq!(
            (got.status, &got.json()["error"]["param"]),
            (400, &json!("input[1].id")),
            "{unknown}: {}",
            got.text
        );
    }
    assert_eq!(whole.asked().len(), 3);
}

#[tokio::test]
async fn two_places_at_once_are_refused() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let here = [("x-engross-session-key", "here")];
    let first = id(&respond(&whole, &here, json!({"input": "hi"})).await);
    let both = json!({"input": "x", "conversation": "c", "previous_response_id": first});
    let elsewhere = json!({"input": "x", "previous_response_id": first});
    let unknown =
        json!({"input": "x", "previous_response_id": first.replace("_1", "_9999").replace("_2", "_9999")});
    for (headers, body, expected, param) in [
        (vec![], both, (400, "INVALID_REQUEST"), json!("conversation")),
        (
            vec![("x-engross-session-key", "there")],
            elsewhere.clone(),
            (400, "ANSWER_ELSEWHERE"),
            json!("previous_response_id"),
        ),
        (vec![], unknown, (404, "ANSWER_UNKNOWN"), Value::Null),
    ] {
        let got = respond(&whole, &headers, body).await;
        let error = got.json()["error"].clone();
        assert_eq!((got.status, error["code"].as_str().unwrap()), expected, "{}", got.text);
        assert_eq!(error["param"], param);
    }
    assert_eq!(respond(&whole, &here, elsewhere.clone()).await.status, 200, "the same session");
    let got = respond(&whole, &here, elsewhere).await;
    assert_eq!((got.status, got.error().1.as_str()), (409, "ANSWER_SUPERSEDED"), "it has gone on since");
    assert_eq!(whole.asked().len(), 2);
}

#[tokio::test]
async fn a_response_is_looked_at_and_deleted() {
    let whole = whole(json!({"default": {"text": "the notice period is a month"}}));
    let got = respond(&whole, &[], json!({"input": "SECRET"})).await;
    let path = format!("/v1/responses/{}", id(&got));
    let again = get(&whole.app, &path, &[]).await.json();
    for field in ["id", "status", "output", "created_at"] {
        assert_eq!(again[field], got.json()[field], "{field}");
    }
    let items = get(&whole.app, &format!("{path}/input_items"), &[]).await.json();
    assert_eq!(items["data"][0]["content"][0]["text"], "SECRET");
    let session = got.header("x-engross-session-id").unwrap();
    let deleted = send(&whole.app, Method::DELETE, &path, &[], "").await;
    assert_eq!((deleted.status, &deleted.json()["deleted"]), (200, &json!(true)));
    for path in [path.clone(), format!("{path}/input_items"), format!("/v1/sessions/{session}")] {
        assert_eq!(get(&whole.app, &path, &[]).await.status, 404, "{path}");
    }
    assert_eq!(send(&whole.app, Method::DELETE, &path, &[], "").await.status, 404);
    // One of several is not taken from beneath the others.
    let first = id(&respond(&whole, &[], json!({"input": "a"})).await);
    respond(&whole, &[], json!({"input": "b", "previous_response_id": first})).await;
    let refused = send(&whole.app, Method::DELETE, &format!("/v1/responses/{first}"), &[], "").await;
    assert_eq!((refused.status, refused.error().1.as_str()), (409, "RESPONSE_IN_USE"));
}

#[tokio::test]
async fn a_response_in_the_background_is_polled_and_stopped() {
    let whole = whole(json!({"turns": [
        {"when": {"contains": "slow"}, "times": 0, "text": "a b c", "fault": {"kind": "hang", "after": 1, "seconds": 60}},
    ], "default": {"text": "done", "delay_ms": 30}}));
    let begun = respond(&whole, &[], json!({"input": "hi", "background": true})).await;
    assert_eq!(begun.json()["status"], "in_progress");
    let path = format!("/v1/responses/{}", id(&begun));
    let mut status = Value::Null;
    for _ in 0..100 {
        let got = get(&whole.app, &path, &[]).await.json();
        status = got["status"].clone();
        if status != "in_progress" {
            assert_eq!(got["output"][0]["content"][0]["text"], "done");
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(status, "completed");
    let begun = respond(&whole, &[], json!({"input": "slow", "background": true})).await;
    let path = format!("/v1/responses/{}", id(&begun));
    assert_eq!(get(&whole.app, &path, &[]).await.json()["status"], "in_progress");
    let stopped = send(&whole.app, Method::POST, &format!("{path}/cancel"), &[], "").await;
    assert_eq!(stopped.json()["status"], "cancelled", "{}", stopped.text);
}

#[tokio::test]
async fn sessions_are_listed_shown_in_pages_and_deleted() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    for name in ["one", "two", "three"] {
        let headers = [("x-engross-session-key", name)];
        for words in ["a", "b"] {
            respond(&whole, &headers, json!({"input": words})).await;
        }
    }
    let page = get(&whole.app, "/v1/sessions?limit=2", &[]).await.json();
    let keys = |page: &Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(|line| line["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (keys(&page), &page["has_more"]),
        (vec!["agent:main:three".to_owned(), "agent:main:two".to_owned()], &json!(true))
    );
    let after = page["data"][1]["id"].as_str().unwrap();
    let rest = get(&whole.app, &format!("/v1/sessions?after={after}"), &[]).await.json();
    assert_eq!((keys(&rest), &rest["has_more"]), (vec!["agent:main:one".to_owned()], &json!(false)));
    let shown = get(&whole.app, "/v1/sessions/two?limit=1&before=3", &[]).await.json();
    assert_eq!((&shown["first_message"], &shown["messages_in_all"]), (&json!(2), &json!(4)));
    assert_eq!(shown["messages"], json!([user("b")]));
    assert_eq!(send(&whole.app, Method::DELETE, "/v1/sessions/two", &[], "").await.status, 200);
    assert_eq!(get(&whole.app, "/v1/sessions/two", &[]).await.status, 404);
    assert_eq!(get(&whole.app, "/v1/sessions", &[]).await.json()["data"].as_array().unwrap().len(), 2);
    // The key can be used again, and knows nothing of what was.
    respond(&whole, &[("x-engross-session-key", "two")], json!({"input": "new"})).await;
    assert_eq!(whole.asked_messages(6), json!([user("new")]));
    assert_eq!(send(&whole.app, Method::DELETE, "/v1/sessions/nobody", &[], "").await.status, 404);
}

/// What may not be stored is in memory alone, for as long as its client may go on with it.
#[tokio::test]
async fn what_may_not_be_stored_is_not() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let first = id(&respond(&whole, &[], json!({"input": "PRIVATE", "store": false})).await);
    let next = json!({"input": "more", "store": false, "previous_response_id": first});
    let second = respond(&whole, &[], next).await;
    assert_eq!(whole.asked_messages(1), json!([user("PRIVATE"), said("ok"), user("more")]));
    let session = second.header("x-engross-session-id").unwrap();
    assert_eq!(
        get(&whole.app, &format!("/v1/sessions/{session}"), &[]).await.status,
        200,
        "it is there to go on with"
    );
    // From what was stored a copy goes on.
    let kept = id(&respond(&whole, &[], json!({"input": "public"})).await);
    let aside = json!({"input": "ASIDE", "store": false, "previous_response_id": kept});
    respond(&whole, &[], aside).await;
    assert_eq!(whole.asked_messages(3), json!([user("public"), said("ok"), user("ASIDE")]));
    let stored = whole.everything_stored().await;
    assert!(
        stored.contains("public") && !stored.contains("PRIVATE") && !stored.contains("ASIDE"),
        "{stored}"
    );
    assert_eq!(get(&whole.app, "/v1/sessions", &[]).await.json()["data"].as_array().unwrap().len(), 1);
    // A session with a name is kept, and says so.
    let named =
        respond(&whole, &[("x-engross-session-key", "k")], json!({"input": "x", "store": false})).await;
    assert!(named.header("x-engross-warnings").unwrap().contains("`store`"));
}
