//! How likely the words were: asked of the provider, and given back with the text that they are of.

use axum::http::Method;
use serde_json::{Value, json};

use super::whole::{user, whole, whole_of};
use crate::testing::client::{CHAT, send};

fn script() -> Value {
    json!({"default": {"text": "Good day"}})
}

fn tokens(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|it| it["token"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn chat_completions_have_them_whole_and_streamed() {
    let whole = whole(script());
    let mut body = json!({"messages": [user("hi")], "logprobs": true, "top_logprobs": 2});
    let got = send(&whole.app, Method::POST, CHAT, &[], body.to_string()).await;
    let asked = &whole.asked()[0].body;
    assert_eq!((&asked["logprobs"], &asked["top_logprobs"]), (&json!(true), &json!(2)));
    let choice = got.json()["choices"][0].clone();
    assert_eq!(tokens(&choice["logprobs"]["content"]).concat(), "Good day", "{choice}");
    body["stream"] = json!(true);
    let got = send(&whole.app, Method::POST, CHAT, &[], body.to_string()).await;
    let chunks = got.text.lines().filter_map(|line| line.strip_prefix("data: {"));
    let chunks: Vec<Value> =
        chunks.map(|chunk| serde_json::from_str(&format!("{{{chunk}")).unwrap()).collect();
    let heard = chunks.iter().filter_map(|it| it["choices"][0]["logprobs"]["content"].as_array()).flatten();
    assert_eq!(heard.map(|it| it["token"].as_str().unwrap()).collect::<String>(), "Good day");
}

#[tokio::test]
async fn responses_have_them_at_the_text() {
    let whole = whole(script());
    for more in [json!({"top_logprobs": 2}), json!({"include": ["message.output_text.logprobs"]})] {
        let mut body = more;
        body["input"] = json!("hi");
        let got = send(&whole.app, Method::POST, "/v1/responses", &[], body.to_string()).await;
        assert_eq!(whole.asked().last().unwrap().body["logprobs"], true);
        let part = got.json()["output"][0]["content"][0].clone();
        assert_eq!(tokens(&part["logprobs"]).concat(), "Good day", "{part}");
        body["stream"] = json!(true);
        let got = send(&whole.app, Method::POST, "/v1/responses", &[], body.to_string()).await;
        let done = got.text.lines().find(|line| line.contains("\"response.output_text.done\"")).unwrap();
        assert!(done.contains("\"token\""), "{done}");
    }
}

#[tokio::test]
async fn providers_without_them_are_not_asked() {
    for provider in ["anthropic", "gemini"] {
        let whole = whole_of(provider, script());
        let got = whole.chat(json!({"messages": [user("hi")], "logprobs": true})).await;
        assert_eq!((got.status, &got.json()["error"]["param"]), (400, &json!("logprobs")), "{}", got.text);
        assert_eq!(whole.asked().len(), 0);
    }
}
