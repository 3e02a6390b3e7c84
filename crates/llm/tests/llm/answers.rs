//! Answers that arrive whole.

use engross_llm::{Answer, Error, Event, FinishReason, ToolCall, Usage, collect};
use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::support::{answer, arguments, call, open_on, question, reasoning, specs, text};

/// What every provider must give for `turn`, in this order.
async fn check(turn: Value, words: usize, finish: FinishReason, expected: &[Result<Event, Error>]) {
    let server = ModelServer::start(json!({ "turns": [], "default": turn }));
    for spec in specs(&server.url()) {
        // The number of the request is part of the ids that the server gives.
        let request = server.requests().len() + 1;
        let whole_call = spec.starts_with("gemini");
        let mut expected = renumbered(expected, request, whole_call);
        expected.push(Ok(Event::Usage(Usage { input_tokens: 10, output_tokens: words as u64 + 1 })));
        expected.push(Ok(Event::Finish(finish)));
        assert_eq!(answer(&server, &spec).await, expected, "{spec}");
    }
}

/// The events with ids of that request; with the parts of arguments joined, where calls come whole.
fn renumbered(
    events: &[Result<Event, Error>],
    request: usize,
    whole_call: bool,
) -> Vec<Result<Event, Error>> {
    let mut all: Vec<Result<Event, Error>> = Vec::new();
    for event in events.iter().cloned() {
        match (event, all.last_mut()) {
            (Ok(Event::ToolCallStart { index, id, name }), _) => {
                let id = id.replace('#', &request.to_string());
                all.push(Ok(Event::ToolCallStart { index, id, name }));
            }
            (
                Ok(Event::ToolCallArguments { delta, .. }),
                Some(Ok(Event::ToolCallArguments { delta: before, .. })),
            ) if whole_call => before.push_str(&delta),
            (event, _) => all.push(event),
        }
    }
    all
}

#[tokio::test]
async fn text_comes_word_by_word() {
    let expected = [text("hello"), text(" there"), text(" 世界 ")];
    check(json!({"text": "hello there 世界 "}), 3, FinishReason::Stop, &expected).await;
}

#[tokio::test]
async fn reasoning_is_kept_apart() {
    let expected = [reasoning("let"), reasoning(" me"), text("yes")];
    check(json!({"reasoning": "let me", "text": "yes"}), 1, FinishReason::Stop, &expected).await;
}

#[tokio::test]
async fn a_tool_call_comes_in_pieces() {
    let turn = json!({"tool_calls": [{"name": "get_weather", "args": {"city": "Oslo"}}]});
    let expected = [call(0, "call_#_0"), arguments(0, r#"{"city""#), arguments(0, r#":"Oslo"}"#)];
    check(turn, 0, FinishReason::ToolCalls, &expected).await;
}

#[tokio::test]
async fn parallel_calls_follow_text() {
    let turn = json!({"text": "I look.", "tool_calls": [
        {"name": "get_weather", "args": {"city": "Oslo"}},
        {"name": "weather", "any_of": ["nothing", "get_weather"], "args": {"city": "Rome"}},
    ]});
    let expected = [
        text("I"),
        text(" look."),
        call(0, "call_#_0"),
        arguments(0, r#"{"city""#),
        arguments(0, r#":"Oslo"}"#),
        call(1, "call_#_1"),
        arguments(1, r#"{"city""#),
        arguments(1, r#":"Rome"}"#),
    ];
    check(turn, 2, FinishReason::ToolCalls, &expected).await;
}

#[tokio::test]
async fn the_reason_to_stop_is_told() {
    check(json!({"text": "a", "finish_reason": "length"}), 1, FinishReason::Length, &[text("a")]).await;
    let turn = json!({"text": "a", "finish_reason": "content_filter"});
    check(turn, 1, FinishReason::ContentFilter, &[text("a")]).await;
}

#[tokio::test]
async fn an_end_that_is_said_twice_is_one() {
    let turn = json!({"text": "a", "fault": {"kind": "duplicate_finish"}});
    let server = ModelServer::start(json!({ "turns": [], "default": turn }));
    for spec in specs(&server.url()) {
        let answer = answer(&server, &spec).await;
        let ends = answer.iter().filter(|event| matches!(event, Ok(Event::Finish(_)))).count();
        assert_eq!((ends, answer.last()), (1, Some(&Ok(Event::Finish(FinishReason::Stop)))), "{spec}");
    }
}

#[tokio::test]
async fn chunks_may_be_cut_anywhere() {
    let turn =
        json!({"text": "größer 世界 🎉", "tool_calls": [{"name": "f", "id": "a", "args": {"x": "é🎉"}}]});
    for bytes in [1, 2, 3, 7] {
        let server = ModelServer::start_splitting(json!({ "turns": [], "default": turn }), bytes);
        for spec in specs(&server.url()) {
            let mut answer = collect(open_on(&server, &spec).answer(question("go")), |_| {}).await.unwrap();
            answer.usage = None;
            let expected = Answer {
                text: "größer 世界 🎉".to_owned(),
                tool_calls: vec![ToolCall {
                    id: "a".to_owned(),
                    name: "f".to_owned(),
                    arguments: r#"{"x":"é🎉"}"#.to_owned(),
                }],
                finish: FinishReason::ToolCalls,
                usage: None,
                sources: vec![],
                thoughts: Vec::new(),
            };
            assert_eq!(answer, expected, "{spec}, {bytes} bytes");
        }
    }
}
