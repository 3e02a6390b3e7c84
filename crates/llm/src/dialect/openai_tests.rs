//! Tests of [`super::openai`]: what servers do that the whole-answer tests do not show.

use super::decoding_tests::{arguments, decode, failed, protocol, start, text};
use super::{OpenAi, TokenLimit};
use serde_json::{Value, json};

use super::Dialect;
use crate::{
    Error, Event, FinishReason, Message, Request, Thought, ThoughtForm, ToolCall, ToolChoice, ToolSpec, Usage,
};

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

/// Pieces of one item are one item when it goes back, and what people read of it is told once.
#[test]
fn lists_of_reasoning_go_back_in_whole_items() {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#;
    let data = [
        r#"{"choices":[{"delta":{"reasoning":"so","reasoning_details":[{"type":"reasoning.text","text":"so","index":0,"format":"f"}]}}]}"#,
        r#"{"choices":[{"delta":{"reasoning":" it is","reasoning_details":[{"type":"reasoning.text","text":" it is","index":0,"signature":null}]}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"sig"}]}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"x","index":1}]}}]}"#,
        call,
    ];
    let items = vec![
        json!({"type": "reasoning.text", "text": "so it is", "index": 0, "format": "f", "signature": "sig"}),
        json!({"type": "reasoning.encrypted", "data": "x", "index": 1}),
    ];
    let thought = Thought { by: "m".to_owned(), form: ThoughtForm::Details { items: items.clone() } };
    let events = [
        Event::Reasoning("so".to_owned()),
        Event::Reasoning(" it is".to_owned()),
        start(0, "a"),
        arguments(0, "{}"),
        Event::Thought(thought.clone()),
    ];
    check(&data, &events, FinishReason::ToolCalls);
    let call = ToolCall { id: "a".to_owned(), name: "f".to_owned(), arguments: "{}".to_owned() };
    let message =
        Message::Assistant { content: String::new(), tool_calls: vec![call], thoughts: vec![thought] };
    let request = Request { messages: vec![message], ..Request::default() };
    assert_eq!(dialect().body(&request)["messages"][0]["reasoning_details"], json!(items));
}

/// Reasoning that a client brings and does not say whose it was goes to compatible servers; OpenAI knows no such field.
#[test]
fn reasoning_of_nobody_goes_to_compatible_servers_alone() {
    let form = ThoughtForm::Plain { field: "reasoning_content".to_owned(), text: "t".to_owned() };
    let thoughts = vec![Thought { by: String::new(), form }];
    let message = Message::Assistant { content: "a".to_owned(), tool_calls: Vec::new(), thoughts };
    let request = Request { messages: vec![message], ..Request::default() };
    let sent = |limit| {
        let dialect = OpenAi { name: "m".to_owned(), token_limit: limit };
        dialect.body(&request)["messages"][0]["reasoning_content"].clone()
    };
    assert_eq!(sent(TokenLimit::MaxTokens), "t");
    assert_eq!(sent(TokenLimit::MaxCompletionTokens), Value::Null);
}

#[test]
fn likelihoods_come_with_the_text_that_they_are_of() {
    let data = r#"{"choices":[{"delta":{"content":"Hi"},"logprobs":{"content":[{"token":"Hi","logprob":-0.1,"bytes":[72,105],"top_logprobs":[]}],"refusal":null}}]}"#;
    let token = json!({"token": "Hi", "logprob": -0.1, "bytes": [72, 105], "top_logprobs": []});
    check(&[data], &[text("Hi"), Event::Likelihoods(vec![token])], FinishReason::Stop);
    check(
        &[r#"{"choices":[{"delta":{"content":"Hi"},"logprobs":null}]}"#],
        &[text("Hi")],
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
    for (word, finish) in [
        ("length", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("weird", FinishReason::Other),
    ] {
        assert_eq!(reason(word).map(|(_, finish)| finish), Ok(Some(finish)), "{word}");
    }
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
        messages: vec![Message::Assistant {
            content: String::new(),
            tool_calls: vec![call],
            thoughts: Vec::new(),
        }],
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

#[test]
fn free_text_of_a_call_is_an_argument_that_stays_open_when_it_is_cut() {
    let tool =
        ToolSpec { name: "f".to_owned(), description: "d".to_owned(), parameters: Value::Null, strict: None };
    let said = ToolCall {
        id: "c".to_owned(),
        name: "f".to_owned(),
        arguments: json!({"input": "a \"b\"\n"}).to_string(),
    };
    let request = Request {
        messages: vec![Message::Assistant {
            content: String::new(),
            tool_calls: vec![said],
            thoughts: Vec::new(),
        }],
        tools: vec![tool],
        tool_choice: ToolChoice::Named("f".to_owned()),
        ..Request::default()
    };
    let custom = json!({"name": "f"});
    let body = dialect().body(&request);
    assert_eq!(body["tools"], json!([{"type": "custom", "custom": {"name": "f", "description": "d"}}]));
    assert_eq!(body["tool_choice"], json!({"type": "custom", "custom": custom}));
    assert_eq!(
        body["messages"][0]["tool_calls"],
        json!([{"id": "c", "type": "custom", "custom": {"name": "f", "input": "a \"b\"\n"}}])
    );
    let chunk = |call: Value| json!({"choices": [{"delta": {"tool_calls": [call]}}]}).to_string();
    let begin = chunk(json!({"index": 0, "id": "a", "type": "custom", "custom": {"name": "f", "input": ""}}));
    let more = [
        chunk(json!({"index": 0, "custom": {"input": "create a.md\n\"q\" \\"}})),
        chunk(json!({"index": 0, "custom": {"input": "\u{1F600}\u{0}"}})),
    ];
    let sent = |finish: &str| {
        let end = json!({"choices": [{"delta": {}, "finish_reason": finish}]}).to_string();
        let data: Vec<&str> = [&begin, &more[0], &more[1], &end].map(String::as_str).to_vec();
        let (events, finish) = decode(&dialect(), &request, &data).unwrap();
        let arguments: String = events
            .iter()
            .filter_map(|event| match event {
                Event::ToolCallArguments { delta, .. } => Some(delta.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(events[0], start(0, "a"));
        (arguments, finish)
    };
    let whole = json!({"input": "create a.md\n\"q\" \\\u{1F600}\u{0}"}).to_string();
    assert_eq!(sent("tool_calls"), (whole.clone(), Some(FinishReason::ToolCalls)));
    assert_eq!(sent("stop"), (whole.clone(), Some(FinishReason::ToolCalls)));
    let open = whole.strip_suffix("\"}").unwrap().to_owned();
    assert_eq!(sent("length"), (open.clone(), Some(FinishReason::Length)));
    assert_eq!(sent("content_filter"), (open, Some(FinishReason::ContentFilter)));
}

#[test]
fn models_without_free_text_are_not_offered_it() {
    let tool =
        ToolSpec { name: "f".to_owned(), description: String::new(), parameters: Value::Null, strict: None };
    let request = Request { tools: vec![tool], ..Request::default() };
    let bodies = [
        super::anthropic::Anthropic { name: "m".to_owned() }.body(&request),
        super::gemini::Gemini::default().body(&request),
    ];
    for body in bodies {
        assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None), "{body}");
    }
}
