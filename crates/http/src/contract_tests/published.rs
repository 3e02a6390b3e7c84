//! The examples that OpenAI publishes for chat completions and responses, told in our own words and values: each as a client that copies
//! it would send it. What counts is what the model received, and that the answer has the fields that are promised.

use axum::http::Method;
use serde_json::{Value, json};

use super::whole::{Whole, whole_of};
use crate::testing::client::{CHAT, Got, send};

const RESPONSES: &str = "/v1/responses";

fn script() -> Value {
    json!({"turns": [{"when": {"last_role": "user", "contains": "forecast"}, "times": 0,
        "tool_calls": [{"name": "forecast", "args": {"place": "Riga", "unit": "celsius"}}]}],
        "default": {"text": "Ships and a lighthouse."}})
}

async fn ask(whole: &Whole, path: &str, body: &Value) -> Got {
    send(&whole.app, Method::POST, path, &[], body.to_string()).await
}

fn has(value: &Value, fields: &[&str]) {
    for field in fields {
        let found = field.split('.').try_fold(value, |at, step| match step.parse::<usize>() {
            Ok(index) => at.get(index),
            Err(_) => at.get(step),
        });
        assert!(found.is_some(), "{field} is missing in {value}");
    }
}

const CHAT_FIELDS: &[&str] = &[
    "id",
    "object",
    "created",
    "model",
    "choices.0.index",
    "choices.0.message.role",
    "choices.0.message.content",
    "choices.0.finish_reason",
    "usage.prompt_tokens",
    "usage.completion_tokens",
    "usage.total_tokens",
];

const RESPONSE_FIELDS: &[&str] = &[
    "id",
    "object",
    "created_at",
    "completed_at",
    "status",
    "error",
    "incomplete_details",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "model",
    "output",
    "parallel_tool_calls",
    "previous_response_id",
    "reasoning.effort",
    "reasoning.summary",
    "store",
    "temperature",
    "text.format.type",
    "tool_choice",
    "tools",
    "top_p",
    "truncation",
    "usage.input_tokens",
    "usage.input_tokens_details.cached_tokens",
    "usage.output_tokens",
    "usage.output_tokens_details.reasoning_tokens",
    "usage.total_tokens",
    "metadata",
    "background",
    "service_tier",
    "top_logprobs",
    "presence_penalty",
    "frequency_penalty",
    "safety_identifier",
    "prompt_cache_key",
];

fn weather(is_flat: bool) -> Value {
    let parameters = json!({"type": "object", "additionalProperties": false, "required": ["place", "unit"], "properties": {
        "place": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}}});
    let function = json!({"name": "forecast", "description": "Tomorrow's weather.", "parameters": parameters, "strict": true});
    if is_flat {
        let mut flat = function;
        flat["type"] = json!("function");
        return flat;
    }
    json!({"type": "function", "function": function})
}

#[tokio::test]
async fn chat_completions() {
    let whole = whole_of("openai", script());
    let plain = json!({"model": "gpt-5.4", "messages": [
        {"role": "developer", "content": "You are a helpful guide."}, {"role": "user", "content": "What is in the harbour?"}]});
    let got = ask(&whole, CHAT, &plain).await;
    let body = got.json();
    has(&body, CHAT_FIELDS);
    assert_eq!((&body["object"], &body["model"]), (&json!("chat.completion"), &json!("gpt-5.4")));
    assert_eq!(body["choices"][0]["message"]["content"], "Ships and a lighthouse.");
    assert_eq!(whole.asked_messages(0)[0], json!({"role": "system", "content": "You are a helpful guide."}));

    let picture = json!({"type": "image_url", "image_url": {"url": "https://harbour.example/view.jpg"}});
    let seen = json!({"model": "gpt-5.4", "max_tokens": 300, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "What do you see?"}, picture]}]});
    assert_eq!(ask(&whole, CHAT, &seen).await.status, 200);
    assert_eq!(whole.asked_messages(1)[0]["content"][1], picture);
    assert_eq!(whole.asked()[1].body["max_completion_tokens"], 300);

    let call = json!({"model": "gpt-5.4", "tools": [weather(false)], "tool_choice": "auto",
        "messages": [{"role": "user", "content": "The forecast for Riga?"}]});
    let body = ask(&whole, CHAT, &call).await.json();
    has(&body, &["choices.0.message.tool_calls.0.id", "choices.0.message.tool_calls.0.function.arguments"]);
    assert_eq!(body["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(whole.asked()[2].body["tools"][0], weather(false));

    let mut streamed = plain.clone();
    streamed["stream"] = json!(true);
    streamed["stream_options"] = json!({"include_usage": true});
    let got = ask(&whole, CHAT, &streamed).await;
    let chunks: Vec<Value> =
        got.text.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect();
    assert!(got.text.ends_with("data: [DONE]\n\n"));
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let (usage, last) = (&chunks[chunks.len() - 1], &chunks[chunks.len() - 2]);
    assert_eq!((&usage["choices"], &last["choices"][0]["finish_reason"]), (&json!([]), &json!("stop")));
    has(usage, &["usage.total_tokens"]);

    let mut likely = plain.clone();
    likely["logprobs"] = json!(true);
    likely["top_logprobs"] = json!(2);
    let body = ask(&whole, CHAT, &likely).await.json();
    has(&body, &["choices.0.logprobs.content.0.token", "choices.0.logprobs.content.0.top_logprobs"]);
}

#[tokio::test]
async fn responses() {
    let whole = whole_of("openai", script());
    let tale = json!({"model": "gpt-5.4", "input": "Tell a tale of a harbour in three sentences."});
    let body = ask(&whole, RESPONSES, &tale).await.json();
    has(&body, RESPONSE_FIELDS);
    assert_eq!((&body["object"], &body["status"]), (&json!("response"), &json!("completed")));
    has(
        &body,
        &["output.0.id", "output.0.role", "output.0.content.0.annotations", "output.0.content.0.text"],
    );
    assert_eq!(body["output"][0]["content"][0]["type"], "output_text");

    let seen = json!({"model": "gpt-5.4", "input": [{"role": "user", "content": [
        {"type": "input_text", "text": "What do you see?"}, {"type": "input_image", "image_url": "https://harbour.example/view.jpg"}]}]});
    assert_eq!(ask(&whole, RESPONSES, &seen).await.status, 200);
    let asked = whole.asked_messages(1)[0]["content"].clone();
    assert_eq!(asked[1]["image_url"]["url"], "https://harbour.example/view.jpg");

    // What a provider would search and run itself is not there, and that is said.
    let search = json!({"model": "gpt-5.4", "tools": [{"type": "web_search_preview"}], "input": "Any news?"});
    let got = ask(&whole, RESPONSES, &search).await;
    assert!(got.header("x-engross-warnings").unwrap().contains("web_search_preview"), "{}", got.text);

    let call = json!({"model": "gpt-5.4", "input": "The forecast for Riga?", "tools": [weather(true)], "tool_choice": "auto"});
    let body = ask(&whole, RESPONSES, &call).await.json();
    has(&body, &["output.0.call_id", "output.0.name", "output.0.arguments", "output.0.status"]);
    assert_eq!((&body["tools"], &body["tool_choice"]), (&call["tools"], &json!("auto")));
    assert_eq!(whole.asked()[3].body["tools"][0], weather(false));
    let result = json!({"model": "gpt-5.4", "previous_response_id": body["id"], "tools": [weather(true)], "input": [
        {"type": "function_call_output", "call_id": body["output"][0]["call_id"], "output": "{\"celsius\": 4}"}]});
    let body = ask(&whole, RESPONSES, &result).await.json();
    assert_eq!(body["previous_response_id"], result["previous_response_id"]);
    assert_eq!(whole.asked_messages(4)[2]["content"], "{\"celsius\": 4}");

    let thinks = json!({"model": "o9", "input": "How much wood?", "reasoning": {"effort": "high"}});
    let body = ask(&whole, RESPONSES, &thinks).await.json();
    assert_eq!(
        (&body["reasoning"]["effort"], &whole.asked()[5].body["reasoning_effort"]),
        (&json!("high"), &json!("high"))
    );

    let schema = json!({"type": "object", "properties": {"ships": {"type": "number"}}, "required": ["ships"], "additionalProperties": false});
    let typed = json!({"model": "gpt-5.4", "input": "How many ships?", "instructions": "Count.",
        "text": {"format": {"type": "json_schema", "name": "count", "strict": true, "schema": schema}}});
    let body = ask(&whole, RESPONSES, &typed).await.json();
    let mut text = typed["text"].clone();
    text["format"]["description"] = Value::Null;
    assert_eq!((&body["text"], &body["instructions"]), (&text, &json!("Count.")));
    let asked = whole.asked()[6].body.clone();
    assert_eq!(asked["response_format"]["json_schema"]["schema"], schema);
    assert_eq!(asked["messages"][0]["content"], "Count.");

    let mut streamed = tale.clone();
    streamed["stream"] = json!(true);
    let got = ask(&whole, RESPONSES, &streamed).await;
    let kinds: Vec<&str> = got.text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    for kind in [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ] {
        assert!(kinds.contains(&format!("response.{kind}").as_str()), "{kind} is missing in {kinds:?}");
    }
}
