//! Tests of [`super::collect`].

use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};

use crate::{Answer, Error, Event, FinishReason, Limits, Source, ToolCall, Usage, collect, collect_within};

fn check(
    events: Vec<Result<Event, Error>>,
    limits: Limits,
    expected: Result<Answer, Error>,
    expected_seen: usize,
) {
    let mut seen = 0;
    let answer = collect_within(limits, stream::iter(events).boxed(), |_| seen += 1).now_or_never();
    assert_eq!((answer, seen), (Some(expected), expected_seen));
}

fn start(index: usize) -> Result<Event, Error> {
    Ok(Event::ToolCallStart { index, id: format!("id{index}"), name: "f".to_owned() })
}

fn arguments(index: usize, delta: &str) -> Result<Event, Error> {
    Ok(Event::ToolCallArguments { index, delta: delta.to_owned() })
}

fn text(text: &str) -> Result<Event, Error> {
    Ok(Event::Text(text.to_owned()))
}

fn source(url: &str) -> Source {
    Source { url: url.to_owned(), ..Source::default() }
}

const FINISH: Result<Event, Error> = Ok(Event::Finish(FinishReason::ToolCalls));

#[test]
fn pieces_become_a_whole() {
    let usage = |output_tokens| Ok(Event::Usage(Usage { input_tokens: 1, output_tokens }));
    let events = vec![
        text("a "),
        usage(1),
        Ok(Event::Reasoning("hm".to_owned())),
        start(0),
        arguments(0, "{"),
        start(1),
        arguments(1, "[]"),
        arguments(0, "}"),
        text("b"),
        Ok(Event::Source(source("https://a.example/"))),
        Ok(Event::Source(source("https://a.example/"))),
        usage(2),
        FINISH,
        text("never read"),
    ];
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: "f".to_owned(),
        arguments: arguments.to_owned(),
    };
    let answer = Answer {
        text: "a b".to_owned(),
        tool_calls: vec![call("id0", "{}"), call("id1", "[]")],
        finish: FinishReason::ToolCalls,
        usage: Some(Usage { input_tokens: 1, output_tokens: 2 }),
        sources: vec![source("https://a.example/")],
        thoughts: Vec::new(),
    };
    check(events, Limits::default(), Ok(answer), 13);
}

#[test]
fn part_of_an_answer_is_none() {
    check(vec![text("a")], Limits::default(), Err(Error::Truncated), 1);
    check(vec![], Limits::default(), Err(Error::Truncated), 0);
    let error = Error::TooLarge { what: "x", limit: 1 };
    check(vec![text("a"), Err(error.clone()), FINISH], Limits::default(), Err(error), 1);
}

#[test]
fn limits_hold() {
    let bytes = |bytes| Limits { bytes, ..Limits::default() };
    let too_large = Err(Error::TooLarge { what: "bytes", limit: 3 });
    check(vec![text("ab"), text("cd"), FINISH], bytes(3), too_large.clone(), 1);
    check(vec![Ok(Event::Reasoning("abcd".to_owned()))], bytes(3), too_large.clone(), 0);
    check(vec![start(0), arguments(0, "1"), FINISH], bytes(3), too_large, 0);
    let calls = Limits { calls: 1, ..Limits::default() };
    check(vec![start(0), start(1)], calls, Err(Error::TooLarge { what: "tool calls", limit: 1 }), 2);
}

#[test]
fn calls_come_in_order() {
    let message = "its tool calls are out of order".to_owned();
    let error = || Err(Error::Protocol { provider: "the model", message: message.clone() });
    check(vec![start(1)], Limits::default(), error(), 1);
    check(vec![arguments(0, "{}")], Limits::default(), error(), 1);
}

#[test]
fn the_default_is_the_default() {
    let stream = stream::iter([FINISH]).boxed();
    assert!(collect(stream, |_| {}).now_or_never().unwrap().is_ok());
}
