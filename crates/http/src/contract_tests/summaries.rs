//! A long conversation: what the model is not given any more it is told in short, where that is asked.

use axum::http::Method;
use serde_json::{Value, json};

use super::whole::{DOC, Whole, said, user, whole};
use crate::testing::client::send;

/// Answers what it is asked for a summary, and everything else.
fn script(summary: Value) -> Value {
    let mut turn = summary;
    turn["when"] = json!({"contains": "The conversation:"});
    turn["times"] = json!(0);
    json!({"turns": [turn], "default": {"text": "ok"}})
}

async fn set(whole: &Whole, settings: Value) {
    let got = send(&whole.app, Method::PUT, &format!("{DOC}/settings"), &[], settings.to_string()).await;
    assert!(got.status < 300, "{}", got.text);
}

async fn talk(whole: &Whole, turns: std::ops::Range<usize>) {
    for turn in turns {
        let got = whole.chat(json!({"messages": [user(&format!("question {turn}"))]})).await;
        assert_eq!(said(&got), "ok");
    }
}

fn system(whole: &Whole, n: usize) -> String {
    let first = whole.asked_messages(n)[0].clone();
    if first["role"] == "system" { first["content"].as_str().unwrap().to_owned() } else { String::new() }
}

#[tokio::test]
async fn the_model_knows_in_short_what_it_is_not_given() {
    let whole = whole(script(json!({"text": "They asked five questions."})));
    set(&whole, json!({"history_turns": 4, "history_summary": true})).await;
    talk(&whole, 0..4).await;
    assert_eq!(whole.asked().len(), 4, "nothing is left out yet");
    talk(&whole, 4..5).await;
    let asked = whole.asked();
    assert_eq!(asked.len(), 6, "one question for a summary, and one for the answer");
    assert!(asked[4].body["messages"].to_string().contains("question 0"));
    assert!(system(&whole, 5).contains("They asked five questions."), "{}", system(&whole, 5));
    assert!(!asked[5].body["messages"].to_string().contains("question 2"));
    talk(&whole, 5..7).await;
    assert_eq!(whole.asked().len(), 8, "it lasts for some turns");
    assert!(system(&whole, 7).contains("They asked five questions."));
    talk(&whole, 7..8).await;
    assert!(whole.asked()[8].body["messages"].to_string().contains("They asked five questions."));
    let log = whole.log().await;
    assert_eq!(log.iter().filter(|entry| entry["event"] == "summarised").count(), 2);
}

/// A summary that fails costs nothing but itself, and is told.
#[tokio::test]
async fn without_a_summary_the_turn_goes_on_and_says_so() {
    let whole = whole(script(json!({"fault": {"kind": "status", "code": 400}})));
    set(&whole, json!({"history_turns": 2, "history_summary": true})).await;
    talk(&whole, 0..2).await;
    let got = whole.chat(json!({"messages": [user("question 2")]})).await;
    assert_eq!(said(&got), "ok");
    let warnings = got.header("x-engross-warnings").unwrap();
    assert!(warnings.contains("nor a summary"), "{warnings}");
}

#[tokio::test]
async fn history_is_bounded_by_tokens_as_well_as_turns() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    set(&whole, json!({"history_tokens": 600})).await;
    for turn in 0..6 {
        whole.chat(json!({"messages": [user(&format!("question {turn} {}", "word ".repeat(150)))]})).await;
    }
    let last = whole.asked_messages(5);
    assert_eq!(last.as_array().unwrap().len(), 5, "{last}");
    assert!(last.to_string().contains("question 3") && !last.to_string().contains("question 2"));
    let got = send(&whole.app, Method::PUT, &format!("{DOC}/settings"), &[], "{\"history_tokens\":7}").await;
    assert_eq!(got.error().1, "SETTING_INVALID");
}
