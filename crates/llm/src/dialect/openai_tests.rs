//! Tests of [`super::openai`]: what servers do that the whole-answer tests do not show.

use super::decoding_tests::{arguments, decode, failed, protocol, start, text};
use super::{OpenAi, TokenLimit};
use crate::{Error, Event, FinishReason, Message, Request, ToolCall, Usage};

const FINISH: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

fn dialect() -> OpenAi {
    OpenAi { name: "m".to_owned(), token_limit: TokenLimit::MaxTokens }
}

fn read(data: &[&str]) -> Result<(Vec<Event>, Option<FinishReason>), Error> {
    decode(&dialect(), &Request::default(), data)
}

fn check(data: &[&str], events: &[Event], finish: FinishReason) {
    let data: Vec<&str> = data.iter().copied().chain([FINISH]).collect();
    assert_eq!(read(&data), Ok((events.to_vec(), Some(finish))));
}

#[test]
fn done_without_a_reason_is_no_end() {
    assert_eq!(read(&["[DONE]"]), Ok((vec![], None)));
    assert_eq!(read(&[FINISH]), Ok((vec![], Some(FinishReason::Stop))));
    assert_eq!(read(&[FINISH, " [DONE] ", "never read"]), Ok((vec![], Some(FinishReason::Stop))));
}

#[test]
fn text_has_several_forms() {
    check(
        &[r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"}]}}]}"#],
        &[text("a")],
        FinishReason::Stop,
    );
    check(&[r#"{"choices":[{"delta":{"content":null,"refusal":"no"}}]}"#], &[text("no")], FinishReason::Stop);
    let thought = [Event::Reasoning("hm".to_owned())];
    check(&[r#"{"choices":[{"delta":{"content":"","reasoning":"hm"}}]}"#], &thought, FinishReason::Stop);
    check(
        &[r#"{"choices":null}"#, r#"{"choices":[{"index":1,"delta":{"content":"other"}}]}"#],
        &[],
        FinishReason::Stop,
    );
}

#[test]
fn calls_that_share_an_index_are_told_apart() {
    let call = |id: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}]}}}}]}}"#
        )
    };
    let events = [start(0, "a"), arguments(0, "{}"), start(1, "b"), arguments(1, "{}")];
    check(&[&call("a"), &call("b")], &events, FinishReason::ToolCalls);
}

#[test]
fn an_index_is_only_a_name() {
    let data = r#"{"choices":[{"delta":{"tool_calls":[{"index":4000000000,"id":"a","function":{"name":"f","arguments":{"x":1}}}]}}]}"#;
    check(&[data], &[start(0, "a"), arguments(0, r#"{"x":1}"#)], FinishReason::ToolCalls);
}

#[test]
fn a_call_without_arguments_has_none() {
    let data = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}}]}"#;
    check(&[data], &[start(0, "a"), arguments(0, "{}")], FinishReason::ToolCalls);
}

#[test]
fn cost_may_come_with_any_chunk() {
    let usage = Event::Usage(Usage { input_tokens: 3, output_tokens: 0 });
    check(&[r#"{"choices":[],"usage":{"prompt_tokens":3}}"#], &[usage], FinishReason::Stop);
    check(&[r#"{"choices":[],"usage":null}"#], &[], FinishReason::Stop);
}

#[test]
fn failures() {
    assert_eq!(read(&[r#"{"error":"broken"}"#]), Err(failed("broken")));
    assert_eq!(read(&[r#"{"error":{"code":7}}"#]), Err(failed(r#"{"code":7}"#)));
    let reason = |reason: &str| read(&[&format!(r#"{{"choices":[{{"finish_reason":"{reason}"}}]}}"#)]);
    assert_eq!(reason("error"), Err(protocol("it stopped for a reason that is not known: error")));
    assert_eq!(reason(""), Ok((vec![], None)));
    let nameless = r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{}}]}}]}"#;
    assert_eq!(read(&[nameless]), Err(protocol("a tool call names no tool")));
    for bad in ["", "[1]", "null", "{\"choices\":{}}", &"[".repeat(100_000)] {
        assert_eq!(read(&[bad]).map_err(|error| error.code()), Err("MODEL_PROTOCOL"), "{bad:.20}");
    }
}

#[test]
fn ids_are_unique_in_a_conversation() {
    let call = ToolCall { id: "a".to_owned(), name: "f".to_owned(), arguments: "{}".to_owned() };
    let request = Request {
        messages: vec![Message::Assistant { content: String::new(), tool_calls: vec![call] }],
        ..Request::default()
    };
    let data = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}},{"index":1,"function":{"name":"f"}},{"index":2,"id":"b","function":{"name":"f"}}]}}]}"#;
    let (events, _) = decode(&dialect(), &request, &[data]).unwrap();
    let ids: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            Event::ToolCallStart { id, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    let seed = &ids[0]["call_".len()..ids[0].len() - "_0".len()];
    assert_eq!(
        (seed.len(), ids.clone()),
        (16, vec![&*format!("call_{seed}_0"), &*format!("call_{seed}_1"), "b"])
    );
    assert_eq!(decode(&dialect(), &request, &[data]).unwrap().0, events);
    assert_ne!(decode(&dialect(), &Request::default(), &[data]).unwrap().0, events);
}
