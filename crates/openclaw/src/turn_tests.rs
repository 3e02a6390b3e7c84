use proptest::prelude::*;
use serde_json::{Value, json};

use super::frame::{GatewayEvent, GatewayEventKind};
use super::turn::{Progress, RunStanding, last_words, same_session, standing};
use engross_tasks::runner::{AgentEvent, How, TurnEnd};

const KEY: &str = "agent:main:draft:X";

fn told(kind: GatewayEventKind, mut payload: Value) -> GatewayEvent {
    if payload["sessionKey"].is_null() {
        payload["sessionKey"] = "agent:main:draft:x".into();
    }
    GatewayEvent { run: "r".to_owned(), kind, payload, size: 1 }
}

fn chat(payload: Value) -> GatewayEvent {
    told(GatewayEventKind::Chat, payload)
}

fn delta(text: &str) -> GatewayEvent {
    chat(json!({ "state": "delta", "message": { "content": [{ "type": "text", "text": text }] } }))
}

fn hear(all: impl IntoIterator<Item = GatewayEvent>) -> Vec<AgentEvent> {
    let mut progress = Progress::new(KEY);
    all.into_iter().flat_map(|told| progress.hear(&told)).collect()
}

fn text(text: &str) -> AgentEvent {
    AgentEvent::Text(text.to_owned())
}

fn ended(how: How, text: Option<&str>) -> AgentEvent {
    AgentEvent::Ended(TurnEnd { how, text: text.map(str::to_owned) })
}

fn failed(problem: &str) -> How {
    How::Failed {
        code: "GATEWAY_EXECUTION_FAILED".to_owned(),
        message: format!("the run failed at the gateway: {problem}; see the gateway's log"),
    }
}

#[test]
fn text_that_comes_whole_each_time_is_told_in_pieces() {
    for (texts, expected) in [
        (vec!["a", "a b", "a b", "a b c"], vec!["a", " b", " c"]),
        // Trimmed meanwhile.
        (vec!["one ", "one", "one two"], vec!["one ", "two"]),
        // Another text begins.
        (vec!["Let me look.", "It is", "It is so"], vec!["Let me look.", "\n\nIt is", " so"]),
        (vec!["", "ä", "äö"], vec!["ä", "ö"]),
    ] {
        let events = hear(texts.iter().map(|text| delta(text)));
        assert_eq!(events, expected.into_iter().map(text).collect::<Vec<_>>(), "{texts:?}");
    }
}

#[test]
fn pieces_alone_are_told_as_they_are() {
    let piece = |text: &str| chat(json!({ "state": "delta", "deltaText": text }));
    assert_eq!(hear([piece("a "), piece(" b"), piece("")]), [text("a "), text(" b")]);
}

#[test]
fn an_end_has_the_words_of_the_last_message_only() {
    let end = |payload| hear([delta("before"), chat(payload)]).pop().unwrap();
    let said = json!({ "content": [
        { "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "one" },
        { "type": "toolCall", "name": "exec" }, { "type": "text", "text": "two" },
    ]});
    for (payload, expected) in [
        (json!({ "state": "final", "message": said }), ended(How::Unstated, Some("one\ntwo"))),
        (json!({ "state": "final" }), ended(How::Unstated, None)),
        (json!({ "state": "final", "message": "plain" }), ended(How::Unstated, Some("plain"))),
        (json!({ "state": "final", "message": { "text": "old" } }), ended(How::Unstated, Some("old"))),
        (
            json!({ "state": "final", "success": true, "message": { "content": "x" } }),
            ended(How::Completed, Some("x")),
        ),
        (json!({ "state": "final", "success": false }), ended(failed("it does not say why"), None)),
        (json!({ "state": "aborted", "stopReason": "rpc" }), ended(How::Cancelled, None)),
        (
            json!({ "state": "aborted", "stopReason": "timeout" }),
            ended(failed("its own time for the run was over"), None),
        ),
        (json!({ "state": "error", "errorMessage": "no\u{7}pe" }), ended(failed("no pe"), None)),
        (json!({ "state": "error" }), ended(failed("it does not say why"), None)),
    ] {
        assert_eq!(end(payload.clone()), expected, "{payload}");
    }
}

#[test]
fn files_are_told_of_a_run_that_was_done_only() {
    let with = |state: &str| {
        let message = json!({ "content": "see MEDIA:/m/b.png", "mediaUrls": ["/m/a.png"] });
        chat(json!({ "state": state, "mediaUrl": "/m/c.png", "message": message }))
    };
    let files = ["/m/c.png", "/m/a.png"].map(str::to_owned).to_vec();
    let events = hear([with("final")]);
    let AgentEvent::Files(mut named) = events.first().cloned().unwrap() else { panic!("{events:?}") };
    named.sort();
    let mut expected = files;
    expected.sort();
    assert_eq!(named, expected, "tokens in the words are found by the caller that has the words");
    assert_eq!(hear([with("error")]), [ended(failed("it does not say why"), Some("see MEDIA:/m/b.png"))]);
}

/// As OpenClaw 2026.9.6 tells them: neither the deltas nor the end of the chat say anything of the line that was cut out.
#[test]
fn files_that_the_gateway_cut_out_of_the_words_are_told_as_they_are_named() {
    let cut = |data: Value| told(GatewayEventKind::Work, json!({ "stream": "assistant", "data": data }));
    let end = chat(json!({ "state": "final", "stopReason": "stop", "message": { "content": "Done" } }));
    let files = |paths: &[&str]| AgentEvent::Files(paths.iter().map(|&path| path.to_owned()).collect());
    let heard = hear([
        cut(json!({ "text": "Done, see MEDIA:/m/ha", "delta": "ha" })),
        cut(json!({ "text": "Done", "delta": "", "mediaUrls": ["/m/a.png", "/m/b c.pdf"] })),
        cut(json!({ "text": "Done", "delta": "", "mediaUrl": "/m/d.png", "mediaUrls": [] })),
        end,
    ]);
    let expected =
        [files(&["/m/a.png", "/m/b c.pdf"]), files(&["/m/d.png"]), ended(How::Unstated, Some("Done"))];
    assert_eq!(heard, expected);
}

/// Cases 85 and 89: an end of something else is no end of the run.
#[test]
fn case_89_another_session_proves_nothing() {
    let other = |key: &str| chat(json!({ "state": "aborted", "sessionKey": key }));
    assert_eq!(hear([other("agent:main:draft:y"), other("agent:other:draft:x")]), []);
    assert_eq!(hear([other("draft:X")]), [ended(How::Cancelled, None)]);
    assert!(same_session("agent:main:Report", "report"));
    assert!(!same_session("agent:main:a", "agent:main:b"));
}

#[test]
fn tools_are_told_once_by_two_voices() {
    let work =
        |stream: &str, data: Value| told(GatewayEventKind::Work, json!({ "stream": stream, "data": data }));
    let item = |phase: &str, status: &str| {
        let data = json!({ "kind": "tool", "toolCallId": "c", "name": "exec", "phase": phase, "status": status, "title": "Exec date" });
        work("item", data)
    };
    let tool = |phase: &str, bad: bool| {
        work("tool", json!({ "toolCallId": "c", "name": "exec", "phase": phase, "isError": bad }))
    };
    let event = |title: &str, status: &str| AgentEvent::Tool {
        id: "c".to_owned(),
        title: title.to_owned(),
        kind: "execute".to_owned(),
        status: status.to_owned(),
    };
    let newer =
        [item("start", "running"), tool("start", false), tool("result", true), item("end", "completed")];
    assert_eq!(hear(newer), [event("Exec date", "in_progress"), event("Exec date", "failed")]);
    let older = [tool("start", false), tool("update", false), tool("result", false)];
    assert_eq!(hear(older), [event("exec", "in_progress"), event("exec", "completed")]);
    let nothing = [
        work("tool", json!({ "name": "exec", "phase": "start" })),
        work("lifecycle", json!({ "phase": "error", "error": "tried again" })),
        work("assistant", json!({ "text": "twice" })),
    ];
    assert_eq!(hear(nothing), []);
}

#[test]
fn thoughts_are_told_in_pieces() {
    let thought =
        |text: &str| told(GatewayEventKind::Work, json!({ "stream": "thinking", "data": { "text": text } }));
    let expected = ["so", " what"].map(|text| AgentEvent::Thought(text.to_owned()));
    assert_eq!(hear([thought("so"), thought("so what")]), expected);
}

#[test]
fn an_answer_to_a_question_for_the_end_is_read() {
    let over = |how, text: Option<&str>| RunStanding::Over(how, text.map(str::to_owned));
    for (answer, expected) in [
        (json!({ "runId": "r", "status": "ok" }), over(How::Unstated, None)),
        (
            json!({ "runId": "r", "status": "ok", "terminalReply": { "text": "done" } }),
            over(How::Unstated, Some("done")),
        ),
        (json!({ "status": "error", "error": "no" }), over(failed("no"), None)),
        (
            json!({ "runId": "r", "status": "error", "error": "aborted", "stopReason": "rpc" }),
            over(How::Cancelled, None),
        ),
        (
            json!({ "runId": "r", "status": "error", "error": "aborted", "stopReason": "timeout" }),
            over(failed("its own time for the run was over"), None),
        ),
        (json!({ "runId": "r", "status": "timeout" }), RunStanding::Open),
        (
            json!({ "runId": "r", "status": "timeout", "endedAt": 1 }),
            over(failed("its own time for the run was over"), None),
        ),
        (json!({ "runId": "other", "status": "ok" }), RunStanding::Open),
        (json!({}), RunStanding::Open),
        (json!(null), RunStanding::Open),
    ] {
        assert_eq!(standing("r", &answer), expected, "{answer}");
    }
}

#[test]
fn last_words_are_those_of_the_run() {
    let message = |role: &str, text: &str, run: Option<&str>| {
        let mut message = json!({ "role": role, "content": [{ "type": "text", "text": text }] });
        if let Some(run) = run {
            message["__openclaw"] = json!({ "runId": run });
        }
        message
    };
    let words = |messages: Vec<Value>| last_words("r", &json!({ "messages": messages })).0;
    let some = |text: &str| Some(text.to_owned());
    let old = |role: &str, text: &str| message(role, text, None);
    assert_eq!(words(vec![old("user", "q"), old("assistant", "a"), old("assistant", "")]), some("a"));
    assert_eq!(words(vec![old("assistant", "a"), old("user", "q")]), None);
    let of = |run: &str, text: &str| message("assistant", text, Some(run));
    assert_eq!(words(vec![of("r", "mine"), old("user", "q"), of("s", "theirs")]), some("mine"));
    assert_eq!(words(vec![of("s", "theirs"), old("user", "q")]), None);
    assert_eq!(words(vec![]), None);
    let named = json!({ "messages": [{ "role": "assistant", "content": "x", "mediaUrl": "/m/a.png" }] });
    assert_eq!(last_words("r", &named), (some("x"), vec!["/m/a.png".to_owned()]));
}

proptest! {
    /// However a growing text is cut, a listener has it whole in the end.
    #[test]
    fn a_growing_text_is_told_whole(text in "[a-zäé \n]{0,60}", cuts in proptest::collection::vec(0_usize..60, 0..12)) {
        let mut cuts: Vec<usize> = cuts.into_iter().chain([text.chars().count()]).collect();
        cuts.sort_unstable();
        let pieces = cuts.iter().map(|cut| delta(&text.chars().take(*cut).collect::<String>()));
        let heard: String = hear(pieces)
            .into_iter()
            .map(|event| match event {
                AgentEvent::Text(text) => text,
                other => format!("{other:?}"),
            })
            .collect();
        prop_assert_eq!(heard, text);
    }

    /// Whatever comes, there is one end at most, and nothing after it.
    #[test]
    fn there_is_one_end(states in proptest::collection::vec(prop_oneof![
        Just("delta"), Just("final"), Just("aborted"), Just("error"), Just("status"), Just("")
    ], 0..12)) {
        let events = hear(states.iter().map(|state| chat(json!({ "state": state, "deltaText": "x" }))));
        let at = events.iter().position(|event| matches!(event, AgentEvent::Ended(_)));
        let told = states.iter().any(|state| matches!(*state, "final" | "aborted" | "error"));
        prop_assert_eq!(at.is_some(), told);
        prop_assert!(at.is_none_or(|at| at + 1 == events.len()));
    }
}
