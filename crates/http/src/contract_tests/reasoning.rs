//! What a model thought before a call goes back to it with the result, and to nobody else, and no longer than its turn.

use serde_json::{Value, json};

use super::whole::{Whole, calls, functions, said, user, whole, whole_of};

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
