//! Tests of [`super::anthropic`]: what the whole-answer tests do not show.

use super::Anthropic;
use super::decoding_tests::{arguments, decode, failed, protocol, start, text};
use crate::dialect::Dialect;
use crate::{Error, Event, FinishReason, Message, Request, Usage};

const STOP_REASON: &str = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

fn read(data: &[&str]) -> Result<(Vec<Event>, Option<FinishReason>), Error> {
    decode(&Anthropic { name: "m".to_owned() }, &Request::default(), data)
}

#[test]
fn both_parts_of_the_end_are_needed() {
    assert_eq!(read(&[STOP]), Ok((vec![], None)));
    assert_eq!(read(&[STOP_REASON]), Ok((vec![], None)));
    assert_eq!(read(&[STOP_REASON, STOP, "never read"]), Ok((vec![], Some(FinishReason::Stop))));
}

#[test]
fn reasons_to_stop() {
    for (reason, expected) in [
        ("stop_sequence", Ok((vec![], Some(FinishReason::Stop)))),
        ("tool_use", Ok((vec![], Some(FinishReason::ToolCalls)))),
        ("model_context_window_exceeded", Ok((vec![], Some(FinishReason::Length)))),
        ("pause_turn", Ok((vec![], Some(FinishReason::Length)))),
        ("something_new", Ok((vec![], Some(FinishReason::Other)))),
    ] {
        let data = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        assert_eq!(read(&[&data, STOP]), expected);
    }
}

#[test]
fn what_is_not_known_is_passed_over() {
    let data = [
        r#"{"type":"ping"}"#,
        r#"{"type":"invented","x":[1]}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"invented","x":1}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"a"}}"#,
    ];
    assert_eq!(read(&data), Ok((vec![text("a")], None)));
}

#[test]
fn calls_may_come_whole_or_empty() {
    let data = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"x":1}}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        STOP_REASON,
        STOP,
    ];
    let events = vec![start(0, "a"), arguments(0, r#"{"x":1}"#), start(1, "b"), arguments(1, "{}")];
    assert_eq!(read(&data), Ok((events, Some(FinishReason::Stop))));
}

#[test]
fn what_was_read_from_the_cache_counts() {
    let data = [
        r#"{"type":"message_start","message":{"usage":{"input_tokens":1,"cache_read_input_tokens":20,"cache_creation_input_tokens":300,"output_tokens":1}}}"#,
        r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":5}}"#,
    ];
    assert_eq!(read(&data), Ok((vec![Event::Usage(Usage { input_tokens: 321, output_tokens: 5 })], None)));
}

#[test]
fn failures() {
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(read(&[error]), Err(failed("Overloaded")));
    let lost =
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{"}}"#;
    assert_eq!(read(&[lost]), Err(protocol("arguments came for no tool call")));
    for bad in ["", "{}", "[1]", r#"{"type":1}"#, r#"{"type":"message_start"}"#] {
        assert_eq!(read(&[bad]).map_err(|error| error.code()), Err("MODEL_PROTOCOL"), "{bad}");
    }
}

#[test]
fn blank_text_is_not_sent() {
    let user = |content: &str| Message::User { content: content.to_owned(), attachments: Vec::new() };
    let assistant = |content: &str| Message::Assistant {
        content: content.to_owned(),
        tool_calls: Vec::new(),
        thoughts: Vec::new(),
    };
    let messages = vec![assistant(""), user("a"), assistant(" \n"), user(""), user("b")];
    let body = Anthropic { name: "m".to_owned() }.body(&Request { messages, ..Request::default() });
    let texts =
        [serde_json::json!({"type": "text", "text": "a"}), serde_json::json!({"type": "text", "text": "b"})];
    assert_eq!(body["messages"], serde_json::json!([{"role": "user", "content": texts}]));
}
