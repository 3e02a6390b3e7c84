//! Traces of small sessions, whole.

use serde_json::json;

use super::{Options, SkipReason, Trace, build};
use crate::skillbook::Citations;
use engross_transcript::Transcript;

pub(crate) fn session(entries: &[serde_json::Value]) -> Transcript {
    let mut text = json!({"type": "session", "version": 3, "id": "s1", "cwd": "/w"}).to_string();
    for (at, message) in entries.iter().enumerate() {
        let parent = at.checked_sub(1).map(|before| format!("e{before}"));
        let entry =
            json!({"type": "message", "id": format!("e{at}"), "parentId": parent, "message": message});
        text.push_str(&format!("\n{entry}"));
    }
    text.push('\n');
    Transcript::read(text.as_bytes(), true).unwrap()
}

fn user(text: &str) -> serde_json::Value {
    json!({"role": "user", "content": text})
}

fn said(text: &str) -> serde_json::Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}], "model": "m"})
}

fn call(id: &str, path: &str) -> serde_json::Value {
    json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm"},
        {"type": "toolCall", "id": id, "name": "read", "arguments": {"path": path, "n": 12345678901234567890u64}},
    ]})
}

fn result(id: &str, text: &str, is_error: bool) -> serde_json::Value {
    json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "isError": is_error,
        "content": [{"type": "text", "text": text}]})
}

fn trace(entries: &[serde_json::Value]) -> Result<Trace, SkipReason> {
    build(session(entries), Options::default())
}

#[test]
fn a_trace_holds_everything_in_order() {
    let long = "x".repeat(3000);
    let trace = trace(&[
        user("A new session was started via /new or /reset. Hello."),
        user("Where is the config?"),
        call("c1", "/etc/a"),
        result("c1", "ENOENT: no such file, open '/etc/a17'", true),
        call("c2", "/etc/b"),
        result("c2", &long, false),
        said("In /etc/b."),
        user("No, I meant the other one"),
        said("Then /etc/c."),
    ])
    .unwrap();
    assert_eq!((trace.question.as_str(), trace.answer.as_str()), ("Where is the config?", "Then /etc/c."));
    let expected = format!(
        "[program] A new session was started via /new or /reset. Hello.\n[user] Where is the config?\n[thinking] hm\n\
         [tool:read] {{\"path\":\"/etc/a\",\"n\":12345678901234567890}}\n\
         [result:read, failed] ENOENT: no such file, open '/etc/a17'\n[thinking] hm\n\
         [tool:read] {{\"path\":\"/etc/b\",\"n\":12345678901234567890}}\n[result:read] {long}\n[response] In /etc/b.\n\
         [user] No, I meant the other one\n[response] Then /etc/c."
    );
    assert_eq!(trace.reasoning, expected);
    assert_eq!(trace.extra.user_turns, ["Where is the config?", "No, I meant the other one"]);
    let failure = &trace.extra.failures[0];
    assert_eq!(failure.signature(), "enoent: no such file, open '/etc/a0'");
    assert_eq!(failure.recovery.as_ref().unwrap().line, 6);
    let corrections: Vec<_> = trace.extra.corrections.iter().map(|c| (c.line, c.about.as_str())).collect();
    assert_eq!(corrections, [(9, "In /etc/b.")]);
    let value = serde_json::to_value(&trace).unwrap();
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["question", "reasoning", "answer", "skill_ids", "feedback", "ground_truth", "extra"]);
}

#[test]
fn a_session_that_teaches_nothing_says_why() {
    assert_eq!(trace(&[]), Err(SkipReason::NothingSaid));
    assert_eq!(trace(&[said("hello")]), Err(SkipReason::NoQuestion));
    assert_eq!(trace(&[user("hello")]), Err(SkipReason::NoAnswer));
    let empty = Transcript::read(&b""[..], true).unwrap();
    assert_eq!(build(empty, Options::default()), Err(SkipReason::Empty));
}

#[test]
fn case_47_of_a_session_that_went_on_only_the_new_steps_are_told() {
    let session = session(&[user("one"), said("1"), user("two"), said("2")]);
    let options = Options { since_line: 3, ..Options::default() };
    let trace = build(session.clone(), options).unwrap();
    assert_eq!(
        trace.reasoning,
        "[earlier] 2 steps before these were read earlier; the question was: one\n[user] two\n[response] 2"
    );
    assert_eq!(build(session.clone(), Options { since_line: 5, ..options }), Err(SkipReason::NothingNew));
}

#[test]
fn skills_that_the_model_names_are_found() {
    let citations = Citations::of(["err-00001", "oauth2-00004", "web-scraping-00001"]);
    let session = session(&[
        user("use `err-00001`"),
        said("By [web-scraping-00001] and oauth2-00004, (web-scraping-00001), not err-000012."),
    ]);
    let trace = build(session, Options { citations: Some(&citations), ..Options::default() }).unwrap();
    assert_eq!(trace.skill_ids, ["web-scraping-00001", "oauth2-00004"]);
}
