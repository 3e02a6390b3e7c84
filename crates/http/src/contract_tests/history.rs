//! How `messages` become a conversation, against what the reference does with them.

use serde_json::{Value, json};

use super::whole::{calls, functions, roles, said, tool, user, whole};
use crate::testing::client::{CHAT, send};

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// With a key and the history in each request the reference stores all of it again, as text of one user message.
#[tokio::test]
async fn history_resent_with_a_key_is_stored_once() {
    let whole = whole(json!({"turns": [{"text": "one"}, {"text": "two"}, {"text": "three"}]}));
    let mut history = vec![];
    for (question, answer) in [("1?", "one"), ("2?", "two"), ("3?", "three")] {
        history.push(user(question));
        assert_eq!(said(&whole.chat(json!({ "messages": history })).await), answer);
        history.push(assistant(answer));
    }
    assert_eq!(whole.session().await["messages"], json!(history));
    let lengths: Vec<usize> =
        whole.asked().iter().map(|asked| asked.body["messages"].as_array().unwrap().len()).collect();
    assert_eq!(lengths, [1, 3, 5], "the provider sees each message once");
    let log = json!(whole.log().await).to_string();
    for text in ["1?", "2?", "3?", "one", "two", "three"] {
        assert_eq!(log.matches(&format!("\"{text}\"")).count(), 1, "{text} in {log}");
    }
}

/// The growth of the log is that of the news, not that of the requests.
#[tokio::test]
async fn the_log_grows_with_what_is_new() {
    let whole = whole(json!({"default": {"text": "a"}}));
    let mut history = vec![];
    let mut sizes = vec![0];
    for n in 0..12 {
        history.push(user(&format!("{n:0>100}")));
        whole.chat(json!({ "messages": history })).await;
        history.push(assistant("a"));
        sizes.push(json!(whole.log().await).to_string().len());
    }
    let steps: Vec<usize> = sizes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps[11] < steps[1] + 50, "{steps:?}");
}

/// The reference makes text of a user message of every result.
#[tokio::test]
async fn a_result_is_never_user_text() {
    let whole = whole(json!({"turns": [
        {"tool_calls": [{"name": "read_document", "args": {}}]}, {"text": "cheese"}
    ]}));
    let first = whole.chat(json!({"messages": [user("read")], "tools": functions(&["read_document"])})).await;
    let (id, _) = calls(&first).remove(0);
    assert_eq!(said(&whole.chat(json!({"messages": [tool(&id, "THE TEXT")]})).await), "cheese");
    assert_eq!(whole.roles().await, ["user", "assistant", "tool", "assistant"]);
    let seen = whole.asked_messages(1);
    assert_eq!((&seen[2]["role"], &seen[2]["content"]), (&json!("tool"), &json!("THE TEXT")));
    assert_eq!(seen[0], user("read"), "and no user message holds it");
}

/// The reference takes the last result as the message and the others as its context.
#[tokio::test]
async fn several_results_all_bind_in_one_request() {
    let two = json!([{"name": "read_document"}, {"name": "look"}]);
    let whole = whole(json!({"turns": [{"tool_calls": two}, {"text": "both"}]}));
    let first =
        whole.chat(json!({"messages": [user("go")], "tools": functions(&["read_document", "look"])})).await;
    let open = calls(&first);
    assert_eq!(open.len(), 2);
    let results = json!({"messages": [tool(&open[1].0, "B"), tool(&open[0].0, "A")]});
    assert_eq!(said(&whole.chat(results).await), "both");
    let seen = whole.asked_messages(1);
    assert_eq!(roles(&seen), ["user", "assistant", "tool", "tool"]);
    let bound: Vec<(&Value, &Value)> =
        [2, 3].map(|at| (&seen[at]["tool_call_id"], &seen[at]["content"])).to_vec();
    assert_eq!(bound, [(&json!(open[0].0), &json!("A")), (&json!(open[1].0), &json!("B"))]);
}

/// The reference takes any id, and results at any place of the list.
#[tokio::test]
async fn ids_and_order_are_checked_and_nothing_is_stored() {
    let two = json!([{"name": "look", "args": {"at": 1}}, {"name": "look", "args": {"at": 2}}]);
    let whole = whole(json!({"turns": [{"tool_calls": two}]}));
    let first = whole.chat(json!({"messages": [user("go")], "tools": functions(&["look"])})).await;
    let open = calls(&first);
    let before = whole.log().await;
    for (messages, code) in [
        (json!([tool("made-up", "?")]), "CALL_NOT_OPEN"),
        (json!([tool(&open[0].0, "A"), tool(&open[0].0, "A")]), "RESULT_DUPLICATE"),
        (json!([tool(&open[0].0, "A"), tool("made-up", "?"), tool("made-up-too", "?")]), "CALL_NOT_OPEN"),
        (json!([user("new"), tool(&open[0].0, "behind its call's end")]), "CALL_NOT_OPEN"),
    ] {
        let got = whole.chat(json!({ "messages": messages })).await;
        assert_eq!(got.error(), (409, code.to_owned(), "conflict_error".to_owned()), "{messages}");
        assert_eq!(got.header("x-should-retry").as_deref(), Some("false"));
        let told = &got.json()["error"]["details"]["open"];
        assert!(told.is_array(), "{told}");
    }
    assert_eq!(whole.log().await, before);
    assert_eq!(whole.asked().len(), 1);
}

/// A list that ends with the assistant holds nothing to answer; the reference answers it all the same.
#[tokio::test]
async fn a_list_that_ends_with_a_known_answer_is_refused() {
    let whole = whole(json!({"turns": [{"text": "one"}, {"text": "two"}]}));
    whole.chat(json!({"messages": [user("1?")]})).await;
    let before = whole.log().await;
    let got = whole.chat(json!({"messages": [user("1?"), assistant("one")]})).await;
    assert_eq!(got.error(), (409, "NOTHING_NEW".to_owned(), "conflict_error".to_owned()));
    let got = whole.chat(json!({"messages": [assistant("one")]})).await;
    assert_eq!(got.status, 400);
    assert_eq!((whole.log().await, whole.asked().len()), (before, 1));
}

/// The February release drops assistant entries without text, and their calls with them.
#[tokio::test]
async fn calls_of_an_assistant_without_text_are_kept() {
    let whole = whole(json!({"turns": [{"text": "seen"}]}));
    let call = json!({"id": "x", "type": "function", "function": {"name": "look", "arguments": "{\"a\":1}"}});
    let messages = json!([user("look"), {"role": "assistant", "content": null, "tool_calls": [call]}, tool("x", "X"), user("and?")]);
    assert_eq!(said(&whole.chat(json!({ "messages": messages })).await), "seen");
    let seen = whole.asked_messages(0);
    assert_eq!(roles(&seen), ["user", "assistant", "tool", "user"]);
    assert_eq!(seen[1]["tool_calls"][0]["id"], "x");
    assert_eq!(seen[1]["tool_calls"][0]["function"]["arguments"], "{\"a\":1}");
    assert_eq!(whole.session().await["messages"][1]["tool_calls"], json!([call]));
}

/// Instructions go to the model with each request and into no message; the reference puts its own pages before them.
#[tokio::test]
async fn instructions_are_the_clients_and_not_stored() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let system = |text: &str| json!({"role": "system", "content": text});
    whole.chat(json!({"messages": [system("Be brief."), user("a")]})).await;
    whole.chat(json!({"messages": [system("Be long."), user("b")]})).await;
    assert_eq!(whole.roles().await, ["user", "assistant", "user", "assistant"]);
    assert_eq!(whole.asked_messages(0)[0], system("Be brief."));
    assert_eq!(whole.asked_messages(1)[0], system("Be long."));
    assert_eq!(whole.asked_messages(1).as_array().unwrap().len(), 4);
}

/// Every answer tells the session, and both forms of its key lead to it; the reference tells nothing and keeps two sessions.
#[tokio::test]
async fn the_key_comes_back_and_either_form_leads_to_the_session() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let first = whole.chat(json!({"messages": [user("a")]})).await;
    let id = first.header("x-engross-session-id").unwrap();
    for key in ["doc", "DOC", "agent:main:doc", &id] {
        let body = json!({"messages": [user(key)]}).to_string();
        let got =
            send(&whole.app, axum::http::Method::POST, CHAT, &[("x-openclaw-session-key", key)], body).await;
        assert_eq!(got.header("x-engross-session-id"), Some(id.clone()), "{key}");
        assert_eq!(got.header("x-openclaw-session-key").as_deref(), Some("agent:main:doc"));
    }
    assert_eq!((whole.sessions().await, whole.roles().await.len()), (1, 10));
}
