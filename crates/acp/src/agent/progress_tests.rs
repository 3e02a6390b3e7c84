use engross_agent::session::{CallSide, LogEvent, ModelCall, ResultSource, ToolResult, ToolStep, TurnEvent};
use engross_llm::ToolCall;
use serde_json::{Value, json};

use super::folder::SessionFolder;
use super::progress::TurnProgress;

fn progress() -> (tempfile::TempDir, TurnProgress) {
    let folder = tempfile::tempdir().unwrap();
    let progress = TurnProgress::new(SessionFolder::open(folder.path()).unwrap(), 3);
    (folder, progress)
}

fn answered(calls: &[(&str, &str, Value)]) -> LogEvent {
    let calls = calls.iter().map(|(id, name, arguments)| ModelCall {
        call: ToolCall { id: (*id).into(), name: (*name).into(), arguments: arguments.to_string() },
        side: CallSide::Server,
    });
    LogEvent::Answered {
        text: String::new(),
        calls: calls.collect(),
        usage: None,
        cut: None,
        model: String::new(),
        thoughts: Vec::new(),
    }
}

fn status(id: &str, tool: &str, step: ToolStep) -> TurnEvent {
    TurnEvent::Status { message: "Working …".into(), id: id.into(), tool: tool.into(), step }
}

fn shown(updates: impl serde::Serialize) -> Value {
    serde_json::to_value(updates).unwrap()
}

#[test]
fn a_call_is_done_when_the_log_says_so() {
    let (_folder, mut progress) = progress();
    let _ = progress.stored(&answered(&[("a", "read_document", json!({"file": "x.docx"}))]));
    let call = shown(progress.event(&status("a", "read_document", ToolStep::Started)));
    assert_eq!(
        (&call[0]["toolCallId"], &call[0]["kind"], &call[0]["title"]),
        (&json!("3:a"), &json!("read"), &json!("Working"))
    );
    assert!(call[0]["locations"][0]["path"].as_str().unwrap().ends_with("x.docx"));
    assert_eq!(shown(progress.event(&status("a", "read_document", ToolStep::Done))), json!([]));
    let stored = LogEvent::resulted("a", ToolResult::text("…"), ResultSource::Server);
    assert_eq!(shown(progress.stored(&stored))[0]["status"], "completed");
    // Twice is once more the same, and after it nothing is open.
    assert_eq!(shown(progress.end()), json!([]));
}

#[test]
fn what_the_model_thinks_is_a_thought() {
    let (_folder, mut progress) = progress();
    let thinks = |more: &str| TurnEvent::Thinking { bytes: 9, latest: "not this".into(), more: more.into() };
    let told = shown(progress.event(&thinks("First the term.")));
    assert_eq!(
        told,
        json!([{"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "First the term."}}])
    );
}

#[test]
fn what_has_no_result_at_the_end_has_failed() {
    let (_folder, mut progress) = progress();
    let _ = progress.stored(&answered(&[(
        "a",
        "apply_redlines",
        json!({"file": "x.docx", "operations": [{"op": "y"}]}),
    )]));
    let _ = progress.event(&status("a", "apply_redlines", ToolStep::Started));
    assert_eq!(progress.editing("x.docx"), Some(("3:a".to_owned(), Vec::new())));
    assert_eq!(progress.editing("other.docx"), None);
    assert_eq!(shown(progress.end())[0]["status"], "failed");
}

#[test]
fn a_call_that_was_refused_says_why_and_its_plan_stays_open() {
    let (_folder, mut progress) = progress();
    let operations =
        json!({"operations": [{"op": "modify_text", "target": "P3"}, {"op": "insert_paragraph"}, 7]});
    let plan = shown(progress.stored(&answered(&[("a", "apply_redlines", operations)])));
    assert_eq!(plan[0]["entries"].as_array().unwrap().len(), 2);
    assert_eq!(plan[0]["entries"][0]["content"], "modify text: P3");
    let error = ToolResult::error(json!({"error": {"code": "EDITS_DECLINED", "message": "no"}}).to_string());
    let updates = shown(progress.stored(&LogEvent::resulted("a", error, ResultSource::Server)));
    // It was never announced, so it is shown whole.
    assert_eq!(
        (&updates[0]["sessionUpdate"], &updates[0]["status"]),
        (&json!("tool_call"), &json!("failed"))
    );
    assert_eq!(updates[0]["content"][0]["content"]["text"], "no [EDITS_DECLINED]");
    assert_eq!(updates[1]["entries"][0]["status"], "pending");
}

#[test]
fn arguments_that_are_no_json_are_no_harm() {
    let (_folder, mut progress) = progress();
    let call = ModelCall {
        call: ToolCall { id: "a".into(), name: "apply_redlines".into(), arguments: "{".into() },
        side: CallSide::Server,
    };
    let event = LogEvent::Answered {
        text: String::new(),
        calls: vec![call],
        usage: None,
        cut: None,
        model: String::new(),
        thoughts: Vec::new(),
    };
    assert_eq!(shown(progress.stored(&event)), json!([]));
    let stored = LogEvent::resulted("a", ToolResult::error("é".repeat(5000)), ResultSource::Server);
    assert_eq!(shown(progress.stored(&stored))[0]["status"], "failed");
    assert_eq!(
        shown(progress.stored(&LogEvent::resulted("b", ToolResult::text(""), ResultSource::Server))),
        json!([])
    );
}

#[test]
fn a_question_that_comes_first_shows_its_call() {
    let (_folder, mut progress) = progress();
    let _ = progress.stored(&answered(&[("a", "apply_redlines", json!({"operations": [{"op": "y"}]}))]));
    let (id, updates) = progress.editing("x.docx").unwrap();
    assert_eq!((id.as_str(), &shown(&updates)[0]["sessionUpdate"]), ("3:a", &json!("tool_call")));
    // The word that it has begun is no second call.
    let later = shown(progress.event(&status("a", "apply_redlines", ToolStep::Started)));
    assert_eq!(later[0]["sessionUpdate"], "tool_call_update");
}
