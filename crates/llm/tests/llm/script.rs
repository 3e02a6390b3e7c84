//! `script:` models give in process what chat completions give over the wire.

use std::sync::Arc;

use engross_llm::{Error, Event, Message, Model, ModelSpec, ProviderSettings, open};
use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::support::{no_rules, open_on, question, stream};

fn scripted(script: &Value) -> Arc<dyn Model> {
    let spec: ModelSpec = "script:talk.json".parse().unwrap();
    let text = script.to_string();
    open(&spec, &ProviderSettings::default(), no_rules, |file| {
        assert_eq!(file, "talk.json");
        Ok::<String, Error>(text)
    })
    .unwrap()
}

/// The events without cost, which scripts do not have, and with errors by their code.
fn comparable(answer: Vec<Result<Event, Error>>) -> Vec<Result<Event, &'static str>> {
    let mut answer: Vec<_> = answer.into_iter().map(|event| event.map_err(|error| error.code())).collect();
    answer.retain(|event| !matches!(event, Ok(Event::Usage(_))));
    answer
}

async fn check(script: Value, conversation: &[&str]) {
    let server = ModelServer::start(script.clone());
    let (over_http, in_process) = (open_on(&server, "openai/scripted"), scripted(&script));
    for text in conversation {
        let expected = comparable(stream(&over_http, question(text)).await);
        assert_eq!(comparable(stream(&in_process, question(text)).await), expected, "{script} {text}");
    }
}

#[tokio::test]
async fn conditions_and_counts() {
    let script = json!({"turns": [
        {"when": {"contains": "twice"}, "times": 2, "text": "one of two"},
        {"when": {"not_contains": "no", "anywhere": "brief", "has_tools": true, "last_role": "user"}, "text": "fits"},
        {"when": {"has_tools": false}, "times": 0, "text": "never"},
        {"when": {"last_role": "tool"}, "times": 0, "text": "never"},
        {"when": {"model": "^gpt"}, "times": 0, "text": "never"},
        {"when": {"model": "^scr"}, "times": 1, "text": "model"},
    ], "default": {"reasoning": "hm hm", "text": " last  words "}});
    check(script, &["twice", "no", "twice", "twice", "no", "twice"]).await;
    check(json!({}), &["anything"]).await;
}

#[tokio::test]
async fn calls_and_faults() {
    let calls = json!([
        {"name": "x", "any_of": ["y", "get_weather"], "args": {"city": "世界"}},
        {"name": "z", "raw_args": "{\"half", "id": "mine"},
        {"name": "z", "raw_args": "{"},
    ]);
    check(json!({"turns": [{"text": "a b", "tool_calls": calls}]}), &["go", "go"]).await;
    for kind in ["truncate", "cut", "bad_sse", "error_event", "empty", "malformed_json", "duplicate_finish"] {
        // An end that is bad is still an end in process; over the wire there is no end yet.
        let is_error = matches!(kind, "bad_sse" | "error_event");
        for after in [0, 1, 3, 4, 5, 6, 99].into_iter().filter(|after| !(is_error && *after == 6)) {
            let fault = json!({"kind": kind, "after": after});
            let calls = json!([{"name": "x", "args": {}}]);
            check(json!({"default": {"text": "a b", "tool_calls": calls, "fault": fault}}), &["go"]).await;
        }
    }
    for code in [400, 401, 403, 429, 500] {
        let fault = json!({"kind": "status", "code": code, "retry_after": 99});
        check(json!({"default": {"fault": fault}}), &["go"]).await;
    }
}

#[tokio::test]
async fn the_same_conversation_gives_the_same_bytes() {
    let script = json!({"default": {"text": "a b", "tool_calls": [{"name": "f"}, {"name": "g"}]}});
    let (first, second) = (scripted(&script), scripted(&script));
    for _ in 0..3 {
        let request = question("go");
        assert_eq!(stream(&first, request.clone()).await, stream(&second, request).await);
    }
    assert!(!first.info().language_model);
    assert_eq!(first.info().spec, "script:talk.json");
}

#[tokio::test]
async fn it_sees_results() {
    let script = json!({"turns": [{"when": {"last_role": "tool", "contains": "rain"}, "text": "done"}]});
    let mut request = question("go");
    request.messages.push(Message::Tool {
        tool_call_id: "a".to_owned(),
        name: "get_weather".to_owned(),
        content: "rain".to_owned(),
        is_error: false,
        attachments: Vec::new(),
    });
    let answer = engross_llm::collect(scripted(&script).answer(request), |_| {}).await.unwrap();
    assert_eq!(answer.text, "done");
}
