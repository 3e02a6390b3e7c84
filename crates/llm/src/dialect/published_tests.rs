//! The examples that providers publish of their streams, told in our own words: all that an answer of theirs has around what we need.

use serde_json::{Value, json};

use super::decoding_tests::decode;
use super::{Anthropic, OpenAi, TokenLimit};
use crate::{Event, FinishReason, Request, Thought, ThoughtForm, Usage};

fn anthropic(pieces: &[Value]) -> (Vec<Event>, FinishReason) {
    let start = json!({"type": "message_start", "message": {"id": "msg_01", "type": "message", "role": "assistant", "content": [],
        "model": "m", "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 25, "output_tokens": 1}}});
    let ping = json!({"type": "ping"});
    let all = [start, ping].iter().chain(pieces).map(Value::to_string).collect::<Vec<_>>();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let (events, finish) = decode(&Anthropic { name: "m".to_owned() }, &Request::default(), &all).unwrap();
    (events, finish.unwrap())
}

fn start(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn end(reason: &str, output: u64) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": output}}),
        json!({"type": "message_stop"}),
    ]
}

fn usage(input_tokens: u64, output_tokens: u64) -> Event {
    Event::Usage(Usage { input_tokens, output_tokens })
}

#[test]
fn a_message_of_anthropic() {
    let [over, stopped] = end("end_turn", 15);
    let pieces = [
        start(0, &json!({"type": "text", "text": ""})),
        delta(0, &json!({"type": "text_delta", "text": "Good"})),
        delta(0, &json!({"type": "text_delta", "text": " day!"})),
        stop(0),
        over,
        stopped,
    ];
    let events = vec![Event::Text("Good".to_owned()), Event::Text(" day!".to_owned()), usage(25, 15)];
    assert_eq!(anthropic(&pieces), (events, FinishReason::Stop));
}

#[test]
fn a_tool_of_anthropic_behind_words() {
    let input = |text: &str| delta(1, &json!({"type": "input_json_delta", "partial_json": text}));
    let [over, stopped] = end("tool_use", 89);
    let pieces = [
        start(0, &json!({"type": "text", "text": ""})),
        delta(0, &json!({"type": "text_delta", "text": "I look."})),
        stop(0),
        start(1, &json!({"type": "tool_use", "id": "toolu_01", "name": "get_weather", "input": {}})),
        input(""),
        input("{\"place\":"),
        input(" \"Riga"),
        input(", LV\""),
        input("}"),
        stop(1),
        over,
        stopped,
    ];
    let (events, finish) = anthropic(&pieces);
    assert_eq!(finish, FinishReason::ToolCalls);
    let arguments: String = events
        .iter()
        .filter_map(|event| match event {
            Event::ToolCallArguments { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(arguments, r#"{"place": "Riga, LV"}"#);
}

#[test]
fn thinking_of_anthropic_with_its_signature() {
    let thinks = |text: &str| delta(0, &json!({"type": "thinking_delta", "thinking": text}));
    let [over, stopped] = end("end_turn", 40);
    let pieces = [
        start(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        thinks("First this."),
        thinks("\nThen that."),
        delta(0, &json!({"type": "signature_delta", "signature": "c2lnbmVk"})),
        stop(0),
        start(1, &json!({"type": "text", "text": ""})),
        delta(1, &json!({"type": "text_delta", "text": "So it is."})),
        stop(1),
        over,
        stopped,
    ];
    let form =
        ThoughtForm::Signed { text: "First this.\nThen that.".to_owned(), signature: "c2lnbmVk".to_owned() };
    let events = vec![
        Event::Reasoning("First this.".to_owned()),
        Event::Reasoning("\nThen that.".to_owned()),
        Event::Thought(Thought { by: "m".to_owned(), form }),
        Event::Text("So it is.".to_owned()),
        usage(25, 40),
    ];
    assert_eq!(anthropic(&pieces), (events, FinishReason::Stop));
}

#[test]
fn a_stream_of_chat_completions() {
    let chunk = |delta: Value, finish: Value| {
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1694268190, "model": "m", "service_tier": "default",
            "system_fingerprint": "fp_4", "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}],
            "obfuscation": "x8"})
        .to_string()
    };
    let last = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1694268190, "model": "m", "choices": [],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0}}})
    .to_string();
    let data = [
        chunk(json!({"role": "assistant", "content": "", "refusal": null}), Value::Null),
        chunk(json!({"content": "Good"}), Value::Null),
        chunk(json!({"content": " day"}), Value::Null),
        chunk(json!({}), json!("stop")),
        last,
        "[DONE]".to_owned(),
    ];
    let data: Vec<&str> = data.iter().map(String::as_str).collect();
    let dialect = OpenAi { name: "m".to_owned(), token_limit: TokenLimit::MaxCompletionTokens };
    let events = vec![Event::Text("Good".to_owned()), Event::Text(" day".to_owned()), usage(9, 2)];
    assert_eq!(decode(&dialect, &Request::default(), &data), Ok((events, Some(FinishReason::Stop))));
}
