//! Tools of the client, against what the reference does with them.

use serde_json::{Value, json};

use super::whole::{Whole, calls, functions, said, tool, user, whole};

async fn ask(whole: &Whole, names: &[&str]) -> crate::testing::client::Got {
    whole.chat(json!({"messages": [user("look")], "tools": functions(names)})).await
}

fn one_call() -> Whole {
    whole(json!({"turns": [
        {"when": {"last_role": "user", "contains": "look"}, "text": "Let me look.",
         "tool_calls": [{"name": "look", "args": {"at": 1}}]},
        {"when": {"last_role": "tool"}, "text": "seen"}
    ], "default": {"text": "well"}}))
}

/// The reference stores a stub as the result, for ever, and shows it to the model.
#[tokio::test]
async fn the_one_result_of_a_call_is_the_clients() {
    let whole = one_call();
    let (id, _) = calls(&ask(&whole, &["look"]).await).remove(0);
    let waiting = whole.session().await;
    assert_eq!((&waiting["state"], &waiting["open_calls"][0]["id"]), (&json!("awaiting_client"), &json!(id)));
    assert_eq!(whole.roles().await, ["user", "assistant"], "no stub");
    assert_eq!(said(&whole.chat(json!({"messages": [tool(&id, "a house")]})).await), "seen");
    let log = whole.log().await;
    let results: Vec<&Value> = log.iter().filter(|entry| entry["event"] == "resulted").collect();
    assert_eq!(results.len(), 1);
    assert_eq!((&results[0]["content"], &results[0]["from"]), (&json!("a house"), &json!("client")));
    for stub in ["pending", "delegated"] {
        assert!(
            !json!(whole.asked().iter().map(|asked| &asked.body).collect::<Vec<_>>())
                .to_string()
                .contains(stub)
        );
    }
}

/// The reference has three ids for one call.
#[tokio::test]
async fn a_call_has_one_id_from_end_to_end() {
    let whole = one_call();
    let (id, _) = calls(&ask(&whole, &["look"]).await).remove(0);
    whole.chat(json!({"messages": [tool(&id, "a house")]})).await;
    let shown = whole.session().await;
    let seen = whole.asked_messages(1);
    for messages in [&shown["messages"], &seen] {
        assert_eq!(messages[1]["tool_calls"][0]["id"], json!(id));
        assert_eq!(messages[2]["tool_call_id"], json!(id));
    }
    let log = json!(whole.log().await).to_string();
    assert!(log.matches(&id).count() >= 2, "{log}");
}

/// The reference loses the words beside a call.
#[tokio::test]
async fn words_beside_a_call_are_kept() {
    for stream in [false, true] {
        let whole = one_call();
        let got = whole
            .chat(json!({"messages": [user("look")], "tools": functions(&["look"]), "stream": stream}))
            .await;
        if stream {
            let words: String = got
                .text
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
                .filter_map(|chunk| Some(chunk["choices"][0]["delta"]["content"].as_str()?.to_owned()))
                .collect();
            assert_eq!(words, "Let me look.");
            assert!(
                got.text.contains("\"finish_reason\":\"tool_calls\"")
                    && got.text.ends_with("data: [DONE]\n\n")
            );
        } else {
            assert_eq!(said(&got), "Let me look.");
        }
        assert_eq!(whole.session().await["messages"][1]["content"], "Let me look.");
    }
}

/// The reference keeps abandoned calls open for ever; a message behind one is answered, and its late result refused.
#[tokio::test]
async fn an_abandoned_call_gets_an_error_as_its_result() {
    let whole = one_call();
    let (id, _) = calls(&ask(&whole, &["look"]).await).remove(0);
    assert_eq!(said(&whole.chat(json!({"messages": [user("never mind")]})).await), "well");
    let shown = whole.session().await;
    assert_eq!(
        (&shown["messages"][2]["tool_call_id"], &shown["messages"][2]["is_error"]),
        (&json!(id), &json!(true))
    );
    let before = whole.log().await;
    let late = whole.chat(json!({"messages": [tool(&id, "late")]})).await;
    assert_eq!(late.error().1, "RESULT_DUPLICATE");
    assert_eq!(whole.log().await, before);
}

/// The reference refuses tools of the client that are named like its own.
#[tokio::test]
async fn a_tool_may_have_any_name() {
    let names = ["exec", "read", "write", "edit", "tool_search"];
    let whole = whole(json!({"turns": [{"tool_calls": [{"name": "exec", "args": {}}]}]}));
    let got = ask(&whole, &names).await;
    assert_eq!(calls(&got)[0].1, "exec");
    let offered: Vec<Value> = whole.asked()[0].body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].clone())
        .collect();
    assert_eq!(json!(offered), json!(names), "the model is offered the client's tools, under their names");
}

/// The reference adds tens of thousands of tokens to every question.
#[tokio::test]
async fn a_question_holds_what_the_client_sent_and_little_else() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let body = json!({"messages": [user("hi")], "tools": functions(&["look"])});
    whole.chat(body.clone()).await;
    let asked = whole.asked()[0].body.to_string();
    assert!(asked.len() < body.to_string().len() + 200, "{asked}");
}

/// An unknown tool of the model ends as a result that says so; the reference cuts the call out and keeps its result.
#[tokio::test]
async fn a_call_of_no_tool_is_kept_with_its_result() {
    let whole = whole(json!({"turns": [
        {"tool_calls": [{"name": "fly", "args": {}}]}, {"when": {"last_role": "tool"}, "text": "I cannot fly"}
    ]}));
    assert_eq!(said(&ask(&whole, &["look"]).await), "I cannot fly");
    let messages = whole.session().await["messages"].clone();
    assert_eq!(messages[1]["tool_calls"][0]["id"], messages[2]["tool_call_id"]);
    assert!(messages[2]["content"].as_str().unwrap().contains("There is no tool 'fly'"), "{messages}");
}
