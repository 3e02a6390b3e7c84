//! What a model thought before a call goes back to it with the result, and to nobody else, and no longer than its turn.

use axum::http::Method;
use serde_json::{Value, json};

use super::whole::{Whole, calls, functions, said, tool, user, whole, whole_of};
use crate::testing::client::{CHAT, Got, send};

/// The model thinks and calls a tool of the client twice, then answers.
fn script() -> Value {
    let call = |arguments: Value, thought: &str| {
        json!({"when": {"contains": "look"}, "anywhere": true, "times": 1, "reasoning": thought, "signature": format!("sig-{thought}"),
            "tool_calls": [{"name": "page", "arguments": arguments}]})
    };
    let mut first = call(json!({"n": 1}), "one");
    first["when"] = json!({"last_role": "user", "contains": "look"});
    let mut second = call(json!({"n": 2}), "two");
    second["when"] = json!({"last_role": "tool", "contains": "page 1"});
    json!({"turns": [first, second], "default": {"text": "Done.", "reasoning": "end", "signature": "sig-end"}})
}

/// Two rounds of calls, then a second turn.
async fn talk(whole: &Whole) {
    let mut got = whole.chat(json!({"messages": [user("look")], "tools": functions(&["page"])})).await;
    for page in 1..=2 {
        let (id, _) = calls(&got).remove(0);
        let result = json!({"role": "tool", "tool_call_id": id, "content": format!("page {page}")});
        got = whole.chat(json!({"messages": [result]})).await;
    }
    assert_eq!(said(&got), "Done.");
    assert_eq!(said(&whole.chat(json!({"messages": [user("thanks")]})).await), "Done.");
}

#[tokio::test]
async fn reasoning_of_compatible_servers_goes_back_under_its_name() {
    let whole = whole(script());
    talk(&whole).await;
    let thoughts = |n: usize| -> Vec<Value> {
        let messages = whole.asked_messages(n);
        messages.as_array().unwrap().iter().filter_map(|it| it.get("reasoning_content").cloned()).collect()
    };
    assert_eq!(whole.asked().len(), 4);
    assert_eq!(thoughts(0), Vec::<Value>::new());
    assert_eq!(thoughts(1), ["one"]);
    assert_eq!(thoughts(2), ["one", "two"]);
    assert_eq!(thoughts(3), Vec::<Value>::new(), "the turn was over");
    assert!(!whole.session().await.to_string().contains("\"one\""), "it is for the model");
}

#[tokio::test]
async fn thinking_of_anthropic_goes_back_with_its_signature() {
    let mut script = script();
    script["turns"][1]["sealed"] = json!("c2VhbGVk");
    let whole = whole_of("anthropic", script);
    talk(&whole).await;
    let blocks = |n: usize| -> Vec<Value> {
        let messages = whole.asked_messages(n);
        let all = messages.as_array().unwrap().iter().filter(|it| it["role"] == "assistant");
        all.flat_map(|it| it["content"].as_array().unwrap().clone())
            .filter(|it| it["type"] != "text")
            .collect()
    };
    let thinking =
        |text: &str| json!({"type": "thinking", "thinking": text, "signature": format!("sig-{text}")});
    let last = blocks(2);
    let kinds: Vec<&str> = last.iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["thinking", "tool_use", "thinking", "redacted_thinking", "tool_use"]);
    assert_eq!((&last[0], &last[2]), (&thinking("one"), &thinking("two")));
    assert_eq!(last[3]["data"], "c2VhbGVk");
    assert!(blocks(3).iter().all(|it| it["type"] == "tool_use"), "the turn was over: {:?}", blocks(3));
}

/// Anthropic refuses a conversation in which the model shall think and its calls came without what it thought. A client that
/// keeps the history itself cannot give that back: the request goes out without thinking.
#[tokio::test]
async fn lost_thinking_is_not_asked_for_in_the_middle_of_a_turn() {
    let whole = whole_of("anthropic", json!({"default": {"text": "Done."}}));
    let thinking = json!({"type": "enabled", "budget_tokens": 2000});
    let call = json!({"id": "c1", "type": "function", "function": {"name": "page", "arguments": "{}"}});
    let history = json!([user("look"), {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "page 1"}]);
    let body = json!({"messages": history, "tools": functions(&["page"]), "thinking": thinking});
    assert_eq!(said(&whole.chat(body).await), "Done.");
    assert_eq!(whole.asked()[0].body.get("thinking"), None);
    assert_eq!(said(&whole.chat(json!({"messages": [user("more")], "thinking": thinking})).await), "Done.");
    assert_eq!(whole.asked()[1].body["thinking"], thinking, "a new turn thinks again");
}

/// Servers that send reasoning and refuse it in a conversation: asked once more without, and never again with.
#[tokio::test]
async fn a_server_that_refuses_its_own_reasoning_is_not_given_it() {
    let mut script = script();
    let refusal = json!({"when": {"last_role": "tool", "contains": "page 1"}, "times": 1,
        "fault": {"kind": "status", "code": 400, "message": "property 'reasoning_content' is unsupported"}});
    script["turns"].as_array_mut().unwrap().insert(0, refusal);
    let whole = whole(script);
    talk(&whole).await;
    let with: Vec<bool> = whole
        .asked()
        .iter()
        .map(|it| it.body["messages"].to_string().contains("reasoning_content"))
        .collect();
    assert_eq!(with, [false, true, false, false, false]);
}

/// A client that keeps the conversation itself and knows no session brings back what the model thought, unread.
async fn talk_without_a_session(whole: &Whole) -> Value {
    let ask = async |messages: &[Value]| -> Got {
        let body = json!({"messages": messages, "tools": functions(&["page"])});
        send(&whole.app, Method::POST, CHAT, &[], body.to_string()).await
    };
    let mut messages = vec![user("look")];
    for page in 1..=2 {
        let got = ask(&messages).await;
        let message = got.json()["choices"][0]["message"].clone();
        let (id, _) = calls(&got).remove(0);
        messages.push(message);
        messages.push(tool(&id, &format!("page {page}")));
    }
    let got = ask(&messages).await;
    assert_eq!(said(&got), "Done.");
    got.json()["choices"][0]["message"].clone()
}

#[tokio::test]
async fn a_client_without_a_session_brings_reasoning_back() {
    let whole = whole(script());
    let last = talk_without_a_session(&whole).await;
    assert_eq!(last["reasoning_content"], "end", "people may read it");
    assert_eq!(last.get("reasoning_details"), None, "nothing has to come back");
    let thoughts = |n: usize| -> Vec<Value> {
        let messages = whole.asked_messages(n);
        messages.as_array().unwrap().iter().filter_map(|it| it.get("reasoning_content").cloned()).collect()
    };
    assert_eq!((thoughts(1), thoughts(2)), (vec![json!("one")], vec![json!("one"), json!("two")]));
}

#[tokio::test]
async fn signatures_survive_a_client_without_a_session() {
    let whole = whole_of("anthropic", script());
    talk_without_a_session(&whole).await;
    let asked = whole.asked_messages(2).to_string();
    assert!(asked.contains("sig-one") && asked.contains("sig-two"), "{asked}");
}

/// Codex, the agents SDK and others ask responses for it in this way.
#[tokio::test]
async fn responses_give_encrypted_reasoning_to_those_who_ask_and_take_it_back() {
    for provider in ["compatible", "anthropic"] {
        let whole = whole_of(provider, script());
        let page = json!([{"type": "function", "name": "page", "parameters": {"type": "object"}}]);
        let ask = async |input: &[Value], include: Value| -> Value {
            let body = json!({"input": input, "tools": page, "store": false, "include": include});
            let got = send(&whole.app, Method::POST, "/v1/responses", &[], body.to_string()).await;
            assert_eq!((got.status, got.header("x-engross-warnings")), (200, None), "{}", got.text);
            got.json()["output"].clone()
        };
        let mut input = vec![user("look")];
        for n in 1..=2 {
            let output = ask(&input, json!(["reasoning.encrypted_content"])).await;
            let kinds: Vec<&str> =
                output.as_array().unwrap().iter().map(|it| it["type"].as_str().unwrap()).collect();
            assert_eq!(kinds, ["reasoning", "function_call"], "{output}");
            let id = output[1]["call_id"].clone();
            input.extend(output.as_array().unwrap().iter().cloned());
            input.push(json!({"type": "function_call_output", "call_id": id, "output": format!("page {n}")}));
        }
        let plain = ask(&input, json!([])).await;
        assert_eq!(plain.as_array().unwrap().len(), 1, "{plain}");
        let asked = whole.asked_messages(2).to_string();
        assert!(asked.contains("one") && asked.contains("two"), "{provider}: {asked}");
        assert_eq!(asked.contains("sig-two"), provider == "anthropic");
    }
}

#[tokio::test]
async fn reasoning_streams_beside_the_answer() {
    let whole = whole(script());
    let body = json!({"messages": [user("look")], "tools": functions(&["page"]), "stream": true});
    let got = send(&whole.app, Method::POST, CHAT, &[], body.to_string()).await;
    let deltas: Vec<Value> = got
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("data: {"))
        .map(|data| serde_json::from_str::<Value>(&format!("{{{data}")).unwrap())
        .map(|chunk| chunk["choices"][0]["delta"].clone())
        .collect();
    let with = |field: &str| deltas.iter().filter_map(|it| it.get(field)).collect::<Vec<_>>();
    assert_eq!(with("reasoning_content"), [&json!("one")]);
    assert_eq!(with("reasoning_details").len(), 1, "{}", got.text);
    let at = |field: &str| deltas.iter().position(|it| it.get(field).is_some());
    assert!(at("reasoning_details") < at("tool_calls"));
}

/// Lists of servers with several models behind them go back as they came, to them alone.
#[tokio::test]
async fn lists_of_reasoning_go_back() {
    let item = json!({"type": "reasoning.encrypted", "data": "x", "index": 0});
    let mut script = script();
    script["turns"][0]["reasoning_details"] = json!([item]);
    let whole = whole(script);
    talk(&whole).await;
    assert_eq!(whole.asked_messages(1)[1]["reasoning_details"], json!([item]));
}
