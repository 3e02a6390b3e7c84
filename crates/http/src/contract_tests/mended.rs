//! Clients that send broken histories: each gets its answer, the provider a conversation that it accepts, and the client is told.

use serde_json::{Value, json};

use super::whole::{roles, said, tool, user, whole, whole_of};

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn calling(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": format!("{{\"at\":\"{id}\"}}")}}))
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

/// Whether every call is followed by its results, each once, before anybody speaks: what providers insist on.
fn is_paired(messages: &Value) -> bool {
    let mut open: Vec<String> = Vec::new();
    for message in messages.as_array().unwrap() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            let Some(at) = open.iter().position(|known| known == id) else { return false };
            open.remove(at);
            continue;
        }
        if !open.is_empty() {
            return false;
        }
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        open = calls.iter().map(|call| call["id"].as_str().unwrap().to_owned()).collect();
    }
    open.is_empty()
}

/// The histories, and the roles that the provider is given.
fn histories() -> Vec<(&'static str, Value, Vec<&'static str>)> {
    vec![
        (
            "a window that begins behind a call",
            json!([tool("gone", "?"), assistant("So."), user("b")]),
            vec!["assistant", "user"],
        ),
        ("the same without an answer", json!([tool("gone", "?"), user("b")]), vec!["user"]),
        (
            "a result twice",
            json!([user("a"), calling(&["x"]), tool("x", "X"), tool("x", "X"), user("b")]),
            vec!["user", "assistant", "tool", "user"],
        ),
        (
            "a result behind the next words",
            json!([user("a"), calling(&["x"]), user("wait"), tool("x", "X"), user("b")]),
            vec!["user", "assistant", "tool", "user", "user"],
        ),
        (
            "a call without a result",
            json!([user("a"), calling(&["x"]), user("b")]),
            vec!["user", "assistant", "tool", "user"],
        ),
        (
            "one result of two",
            json!([user("a"), calling(&["x", "y"]), tool("y", "Y"), assistant("So."), user("b")]),
            vec!["user", "assistant", "tool", "tool", "assistant", "user"],
        ),
        (
            "results the wrong way round",
            json!([user("a"), calling(&["x", "y"]), tool("y", "Y"), tool("x", "X"), user("b")]),
            vec!["user", "assistant", "tool", "tool", "user"],
        ),
        ("two messages of the user in a row", json!([user("a"), user("b")]), vec!["user", "user"]),
        ("an empty answer", json!([user("a"), assistant(""), user("b")]), vec!["user", "user"]),
    ]
}

#[tokio::test]
async fn every_broken_history_is_answered_and_told() {
    for (name, history, wanted) in histories() {
        let whole = whole(json!({"default": {"text": "Well."}}));
        let got = whole.chat(json!({ "messages": history })).await;
        assert_eq!(said(&got), "Well.", "{name}");
        let asked = whole.asked_messages(0);
        assert_eq!(roles(&asked), wanted, "{name}: {asked}");
        assert!(is_paired(&asked), "{name}: {asked}");
        let is_told = got.text.contains("CONVERSATION_MENDED");
        let is_mended = ["window", "same", "twice", "behind"].iter().any(|word| name.contains(word));
        assert_eq!(is_told, is_mended, "{name}: {}", got.text);
        // It goes on with the same history, as such clients do: nothing is stored again.
        let stored = whole.log().await.len();
        let mut longer = history.as_array().unwrap().clone();
        longer.extend([assistant("Well."), user("And?")]);
        assert_eq!(said(&whole.chat(json!({ "messages": longer })).await), "Well.", "{name}");
        let asked = whole.asked_messages(1);
        assert_eq!(asked.as_array().unwrap().len(), wanted.len() + 2, "{name}: {asked}");
        assert!(is_paired(&asked), "{name}: {asked}");
        assert!(
            whole.log().await.len() <= stored + 3,
            "{name}: a request, an answer and its end, and no more"
        );
    }
}

/// Anthropic and Gemini want the sides to take turns: neighbours of one side become one message.
#[tokio::test]
async fn sides_take_turns_where_the_provider_insists() {
    for (provider, list) in [("anthropic", "messages"), ("gemini", "contents")] {
        for (name, history, _) in histories() {
            let whole = whole_of(provider, json!({"default": {"text": "Well."}}));
            assert_eq!(said(&whole.chat(json!({ "messages": history })).await), "Well.", "{provider} {name}");
            let told = whole.asked()[0].body[list].clone();
            let sides = roles(&told);
            assert!(sides.windows(2).all(|pair| pair[0] != pair[1]), "{provider} {name}: {told}");
        }
    }
}
