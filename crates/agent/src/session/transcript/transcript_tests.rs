//! Transcripts of random sessions against the rules of the format, and known logs line by line.

use std::collections::{HashMap, HashSet};

use engross_llm::{Message, ToolCall, Usage};
use engross_protocol::SessionId;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::event::AnswerFinish;
use super::super::log::{
    AcceptedRequest, CallSide, LogEvent, ModelCall, ResultSource, ToolResult, TurnEnding, TurnEndingKind,
};
use super::super::machine_tests::{World, ops};
use super::super::settings::Settings;
use super::line::LineId;
use super::{Line, Mark, Transcriber};

const SESSION: SessionId = SessionId::from_bytes([0x12; 16]);

/// Entry `n` of the log happened in this millisecond.
const BEGIN: u64 = 1_795_294_805_926;

fn transcribe(events: &[LogEvent]) -> Vec<Line> {
    let mut transcriber = Transcriber::new(SESSION);
    let entries = (1..).zip(events);
    entries.flat_map(|(seq, event)| transcriber.fold(seq, BEGIN + seq, event)).collect()
}

fn values(lines: &[Line]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(&line.json).unwrap()).collect()
}

/// What readers insist on, and what OpenClaw's own files fail at: one header, one root, parents that are there, and for
/// each call one result before anything else is said, in the file as on each branch.
fn check(lines: &[Value]) {
    let Some((header, lines)) = lines.split_first() else { return };
    assert_eq!((&header["type"], &header["version"]), (&json!("session"), &json!(3)));
    assert_eq!(header["id"].as_str().unwrap().len(), 36);
    let mut ids: HashMap<&str, &Value> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        assert_ne!(line["type"], "session", "one header");
        let id = line["id"].as_str().unwrap();
        assert!(id.len() == 8 && id.bytes().all(|digit| digit.is_ascii_hexdigit()), "{id}");
        match line["parentId"].as_str() {
            Some(parent) => assert!(ids.contains_key(parent), "{line} follows nothing"),
            None => assert_eq!(at, 0, "one root: {line}"),
        }
        assert!(ids.insert(id, line).is_none(), "{id} is there twice");
        assert!(line["timestamp"].as_str().unwrap().ends_with('Z'));
    }
    check_pairs(lines.iter());
    let parents: HashSet<&str> = lines.iter().filter_map(|line| line["parentId"].as_str()).collect();
    for leaf in lines.iter().filter(|line| !parents.contains(line["id"].as_str().unwrap())) {
        check_pairs(branch(&ids, leaf).into_iter());
    }
}

/// The way to a line from the first.
fn branch<'a>(ids: &HashMap<&str, &'a Value>, leaf: &'a Value) -> Vec<&'a Value> {
    let mut way = vec![leaf];
    while let Some(parent) = way.last().and_then(|line| line["parentId"].as_str()) {
        way.push(ids[parent]);
    }
    way.reverse();
    way
}

fn check_pairs<'a>(lines: impl Iterator<Item = &'a Value>) {
    let mut open: Vec<&str> = Vec::new();
    for line in lines.filter(|line| line["type"] == "message") {
        let message = &line["message"];
        match message["role"].as_str().unwrap() {
            "toolResult" => {
                let id = message["toolCallId"].as_str().unwrap();
                let at = open.iter().position(|open| *open == id);
                open.remove(at.unwrap_or_else(|| panic!("a result without a call: {line}")));
                assert_ne!(message["content"][0]["text"], "pending");
            }
            role => {
                assert!(open.is_empty(), "{open:?} without a result before {line}");
                if role == "assistant" {
                    open = calls_of(message);
                }
            }
        }
    }
}

fn calls_of(message: &Value) -> Vec<&str> {
    let items = message["content"].as_array().unwrap().iter();
    items.filter(|item| item["type"] == "toolCall").map(|item| item["id"].as_str().unwrap()).collect()
}

/// A message in short, the same from a transcript and from a session: role, text, ids of calls.
type Short = (String, String, Vec<String>);

/// The active branch of a transcript.
fn active(lines: &[Value]) -> Vec<Short> {
    let ids: HashMap<&str, &Value> =
        lines.iter().skip(1).map(|line| (line["id"].as_str().unwrap(), line)).collect();
    let Some(leaf) = lines.last().filter(|line| line["type"] != "session") else { return Vec::new() };
    let messages = branch(&ids, leaf).into_iter().filter(|line| line["type"] == "message");
    let messages = messages.map(|line| &line["message"]);
    // An answer of which nothing was heard is no message of the conversation.
    let is_cut = |message: &Value| matches!(message["stopReason"].as_str(), Some("error" | "aborted"));
    let is_empty = |message: &Value| message["content"][0]["text"].as_str().is_none_or(str::is_empty);
    let whole = messages.filter(|message| !(is_cut(message) && is_empty(message)));
    in_order(whole.map(|message| {
        let text = message["content"][0]["text"].as_str().unwrap_or_default();
        let mut calls: Vec<String> = calls_of(message).into_iter().map(str::to_owned).collect();
        calls.extend(message["toolCallId"].as_str().map(str::to_owned));
        (message["role"].as_str().unwrap().to_owned(), text.to_owned(), calls)
    }))
}

fn conversation(messages: &[Message]) -> Vec<Short> {
    in_order(messages.iter().map(|message| match message {
        Message::User { content, .. } => ("user".to_owned(), content.clone(), Vec::new()),
        Message::Assistant { content, tool_calls, .. } => {
            let calls = tool_calls.iter().map(|call| call.id.clone()).collect();
            ("assistant".to_owned(), content.clone(), calls)
        }
        Message::Tool { tool_call_id, content, .. } => {
            ("toolResult".to_owned(), content.clone(), vec![tool_call_id.clone()])
        }
    }))
}

/// Results stand in a transcript as they came, and in a conversation in the order of their calls.
fn in_order(messages: impl Iterator<Item = Short>) -> Vec<Short> {
    let mut messages: Vec<Short> = messages.collect();
    for results in messages.chunk_by_mut(|left, right| left.0 == "toolResult" && right.0 == "toolResult") {
        results.sort();
    }
    messages
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_log_gives_a_transcript_that_readers_accept(ops in ops()) {
        let mut world = World::new();
        let mut transcriber = Transcriber::new(SESSION);
        let mut lines: Vec<Line> = transcriber.fold(1, BEGIN, &LogEvent::Opened { key: "k".to_owned() });
        let mut told = 0;
        for op in &ops {
            world.run(op);
            for entry in world.log.iter().skip(told) {
                told += 1;
                lines.extend(transcriber.fold(told as u64 + 1, BEGIN, &serde_json::from_str(entry).unwrap()));
            }
            let values = values(&lines);
            check(&values);
            if world.session.turn.is_none() {
                prop_assert_eq!(active(&values), conversation(&world.session.messages));
            }
        }
        let marks: Vec<Mark> = lines.iter().map(|line| line.mark).collect();
        prop_assert!(marks.is_sorted_by(|left, right| left < right), "marks grow");
        for line in &lines {
            prop_assert_eq!(Mark::of(line.json.as_bytes()), Some(line.mark));
            prop_assert!(!line.json.contains('\n'));
        }
        // The same log, told anew, gives the same bytes.
        let mut again = Transcriber::new(SESSION);
        let mut entries = vec![LogEvent::Opened { key: "k".to_owned() }];
        entries.extend(world.log.iter().map(|entry| serde_json::from_str(entry).unwrap()));
        let told: Vec<Line> = (1..).zip(&entries).flat_map(|(seq, event)| again.fold(seq, BEGIN, event)).collect();
        prop_assert_eq!(told, lines);
    }

    /// Ids of a session never meet.
    #[test]
    fn ids_are_unlike(session: [u8; 16], left: u32, right: u32) {
        let id = |count| LineId::new(SessionId::from_bytes(session), count);
        prop_assert_eq!(id(left) == id(right), left == right);
    }
}

fn user(text: &str) -> Message {
    Message::User { content: text.to_owned(), attachments: Vec::new() }
}

fn accepted(turn: u64, keep: Option<usize>, messages: &[Message]) -> LogEvent {
    LogEvent::Accepted(AcceptedRequest {
        turn,
        keep,
        messages: messages.to_vec(),
        ..AcceptedRequest::default()
    })
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: "read_document".to_owned(), arguments: arguments.to_owned() }
}

fn answered(text: &str, calls: &[ToolCall]) -> LogEvent {
    LogEvent::Answered {
        text: text.to_owned(),
        calls: calls.iter().map(|call| ModelCall { call: call.clone(), side: CallSide::Client }).collect(),
        usage: Some(Usage { input_tokens: 20, output_tokens: 3 }),
        cut: None,
        model: "anthropic/claude-sonnet-4-5".to_owned(),
        thoughts: Vec::new(),
    }
}

fn ended(kind: TurnEndingKind, code: &str) -> LogEvent {
    let (code, message) = (code.to_owned(), if code.is_empty() { "" } else { "why" }.to_owned());
    LogEvent::Ended(TurnEnding {
        kind,
        code,
        message,
        retry_after: None,
        keeps_part: false,
        is_refused: false,
    })
}

fn streamed(text: &str, from: usize) -> LogEvent {
    LogEvent::Streamed { text: text.to_owned(), from }
}

fn opened() -> LogEvent {
    LogEvent::Opened { key: "agent:main:doc".to_owned() }
}

/// A tool of the client. The call is a line once, and so is its real result; that the command was issued is
/// known from the log alone.
#[test]
fn a_call_of_the_client_line_by_line() {
    let result = ToolResult { details: Some(json!({"pages": 2})), ..ToolResult::text("Ten days.") };
    let log = [
        opened(),
        accepted(1, None, &[user("What is the notice period?")]),
        answered("I look.", &[call("call_1", r#"{"path":"a.docx"}"#)]),
        LogEvent::Suspended { deadline: 99 },
        accepted(1, None, &[]),
        LogEvent::resulted("call_1", result, ResultSource::Client),
        answered("Ten days.", &[]),
        ended(TurnEndingKind::Whole(AnswerFinish::Stop), ""),
    ];
    let lines = values(&transcribe(&log));
    check(&lines);
    let id = |count| LineId::new(SESSION, count).json();
    let at = |seq: u64| (format!("2026-11-21T21:00:05.{}Z", 926 + seq), BEGIN + seq);
    let usage = json!({"input": 20, "output": 3, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 23,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let spoken = |content: Value, stop: &str, seq| {
        json!({"role": "assistant", "content": content, "api": "anthropic-messages", "provider": "anthropic",
            "model": "claude-sonnet-4-5", "usage": usage, "stopReason": stop, "timestamp": at(seq).1})
    };
    let call =
        json!({"type": "toolCall", "id": "call_1", "name": "read_document", "arguments": {"path": "a.docx"}});
    let mut expected =
        vec![json!({"type": "session", "version": 3, "id": "12121212-1212-1212-1212-121212121212",
        "timestamp": at(1).0, "cwd": "/", "__engross": {"seq": 1, "index": 0}})];
    let rest = [
        (
            1,
            1,
            json!({"type": "custom", "customType": "engross:session",
            "data": {"session": SESSION.to_string(), "key": "agent:main:doc"}}),
        ),
        (
            2,
            0,
            json!({"type": "message", "message": {"role": "user",
            "content": [text("What is the notice period?")], "timestamp": at(2).1}}),
        ),
        (3, 0, json!({"type": "model_change", "provider": "anthropic", "modelId": "claude-sonnet-4-5"})),
        (3, 1, json!({"type": "message", "message": spoken(json!([text("I look."), call]), "toolUse", 3)})),
        (
            4,
            0,
            json!({"type": "custom", "customType": "engross:issued",
            "data": {"calls": [{"id": "call_1", "name": "read_document"}], "deadline": 99}}),
        ),
        (
            6,
            0,
            json!({"type": "message", "message": {"role": "toolResult", "toolCallId": "call_1",
            "toolName": "read_document", "content": [text("Ten days.")], "details": {"pages": 2}, "isError": false,
            "timestamp": at(6).1}}),
        ),
        (7, 0, json!({"type": "message", "message": spoken(json!([text("Ten days.")]), "stop", 7)})),
        (8, 0, json!({"type": "custom", "customType": "engross:turn", "data": {"turn": 1, "end": "whole"}})),
    ];
    for (count, (seq, index, mut line)) in (0..).zip(rest) {
        line["id"] = id(count);
        line["parentId"] = if count == 0 { Value::Null } else { id(count - 1) };
        line["timestamp"] = json!(at(seq).0);
        line["__engross"] = json!({"seq": seq, "index": index});
        expected.push(line);
    }
    assert_eq!(lines, expected);
}

/// Each line in short: its parent's place in the file, kind, text, why it stopped. The header is left out.
fn outline(lines: &[Value]) -> Vec<String> {
    let places: HashMap<&str, usize> =
        lines.iter().enumerate().skip(1).map(|(at, line)| (line["id"].as_str().unwrap(), at)).collect();
    let outline = lines.iter().skip(1).map(|line| {
        let parent = line["parentId"].as_str().map_or(0, |parent| places[parent]);
        let message = &line["message"];
        let kind =
            ["role", "customType"].iter().find_map(|field| message[field].as_str().or(line[field].as_str()));
        let kind = kind.or(line["type"].as_str()).unwrap();
        let text = message["content"][0]["text"].as_str().unwrap_or_default();
        let stop = message["stopReason"].as_str().unwrap_or_default();
        format!("{parent} {kind} {text} {stop}").replace("  ", " ").trim().to_owned()
    });
    outline.collect()
}

#[test]
fn branches_parts_and_notes() {
    let said = |text: &str| Message::Assistant {
        content: text.to_owned(),
        tool_calls: Vec::new(),
        thoughts: Vec::new(),
    };
    let called = |id: &str| Message::Assistant {
        content: String::new(),
        tool_calls: vec![call(id, "{}")],
        thoughts: Vec::new(),
    };
    let given = |id: &str| Message::Tool {
        tool_call_id: id.to_owned(),
        name: "read_document".to_owned(),
        content: format!("of {id}"),
        is_error: false,
        attachments: Vec::new(),
    };
    let result =
        |id: &str| LogEvent::resulted(id, ToolResult::text(format!("of {id}")), ResultSource::Client);
    let whole = || ended(TurnEndingKind::Whole(AnswerFinish::Stop), "");
    let cases: &[(&str, Vec<LogEvent>, &[&str])] = &[
        (
            "a failure after some text",
            vec![
                accepted(1, None, &[user("a")]),
                streamed("Half ", 0),
                streamed("an answer", 5),
                ended(TurnEndingKind::Failed, "MODEL_TRUNCATED"),
                accepted(2, None, &[user("b")]),
            ],
            &["1 user a", "2 assistant Half an answer error", "3 engross:turn", "4 user b"],
        ),
        (
            "a failure before any text",
            vec![accepted(1, None, &[user("a")]), ended(TurnEndingKind::Failed, "MODEL_AUTH")],
            &["1 user a", "2 assistant error", "3 engross:turn"],
        ),
        (
            "cancelled, with text and without",
            vec![
                accepted(1, None, &[user("a")]),
                streamed("Half", 0),
                ended(TurnEndingKind::Cancelled, "TURN_CANCELLED"),
                accepted(2, None, &[user("b")]),
                ended(TurnEndingKind::Cancelled, "TURN_CANCELLED"),
            ],
            &["1 user a", "2 assistant Half aborted", "3 engross:turn", "4 user b", "5 engross:turn"],
        ),
        (
            "an answer that is begun anew",
            vec![
                accepted(1, None, &[user("a")]),
                streamed("Half", 0),
                LogEvent::Accepted(AcceptedRequest { turn: 1, retake: true, ..AcceptedRequest::default() }),
                streamed("Who", 0),
                answered("Whole", &[]),
                whole(),
            ],
            &[
                "1 user a",
                "2 assistant Half aborted",
                "2 model_change",
                "4 assistant Whole stop",
                "5 engross:turn",
            ],
        ),
        (
            "a branch behind results, which came in another order",
            vec![
                accepted(1, None, &[user("a")]),
                answered("", &[call("x", "{}"), call("y", "{}")]),
                result("y"),
                result("x"),
                answered("b", &[]),
                whole(),
                accepted(2, Some(3), &[user("c")]),
                answered("d", &[]),
                accepted(3, Some(0), &[user("e")]),
            ],
            &[
                "1 user a",
                "2 model_change",
                "3 assistant toolUse",
                "4 toolResult of y",
                "5 toolResult of x",
                "6 assistant b stop",
                "7 engross:turn",
                "6 user c",
                "9 model_change",
                "10 assistant d stop",
                "1 user e",
            ],
        ),
        (
            "a conversation that the client brought along",
            vec![
                accepted(1, None, &[user("a"), called("x"), given("x"), said("b"), user("c")]),
                LogEvent::Noted { code: "HISTORY_LEFT_OUT".to_owned(), message: "m".to_owned() },
                answered("d", &[]),
                whole(),
                accepted(2, Some(2), &[user("e")]),
            ],
            &[
                "1 user a",
                "2 assistant toolUse",
                "3 toolResult of x",
                "4 assistant b stop",
                "5 user c",
                "6 engross:note",
                "7 model_change",
                "8 assistant d stop",
                "9 engross:turn",
                "4 user e",
            ],
        ),
        (
            "results that come twice or for nothing",
            vec![
                LogEvent::Configured(Settings::default()),
                accepted(1, None, &[user("a")]),
                result("x"),
                answered("", &[call("x", "{}")]),
                result("x"),
                result("x"),
            ],
            &["1 engross:settings", "2 user a", "3 model_change", "4 assistant toolUse", "5 toolResult of x"],
        ),
    ];
    for (name, log, expected) in cases {
        let log: Vec<LogEvent> = std::iter::once(opened()).chain(log.iter().cloned()).collect();
        let lines = values(&transcribe(&log));
        check(&lines);
        assert_eq!(outline(&lines).split_first().unwrap().1, *expected, "{name}");
    }
}

#[test]
fn arguments_are_an_object_whatever_came() {
    let cases = [
        (r#"{"a": [1, 2.5, null]}"#, json!({"a": [1, 2.5, null]})),
        ("", json!({})),
        ("[1]", json!({"_raw": "[1]"})),
        (r#"{"a": "#, json!({"_raw": r#"{"a": "#})),
        (r#"{"a": "\ud800"}"#, json!({"_raw": r#"{"a": "\ud800"}"#})),
    ];
    for (arguments, expected) in cases {
        let log = [opened(), accepted(1, None, &[user("a")]), answered("", &[call("x", arguments)])];
        let lines = values(&transcribe(&log));
        assert_eq!(lines.last().unwrap()["message"]["content"][0]["arguments"], expected);
    }
}

#[test]
fn models_have_a_provider_and_a_name() {
    let cases = [
        ("openai/gpt-5", ("openai", "gpt-5")),
        ("ollama/library/qwen3:8b", ("ollama", "library/qwen3:8b")),
        ("openai-compatible:https://user:key@host/v1#m/n", ("openai-compatible", "m/n")),
        ("script:a/b.json", ("script", "a/b.json")),
        ("rules", ("engross", "rules")),
        ("", ("engross", "session")),
    ];
    for (spec, expected) in cases {
        assert_eq!(super::line::Speaker::of(spec).names(), expected, "{spec}");
    }
}
