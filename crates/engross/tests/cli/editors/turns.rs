//! A person who works as people do: asks, agrees, declines, changes the mode.

use serde_json::{Value, json};

use super::editor::{Editor, Permission, agreement, redliner, work};
use crate::desk::TestBench;

#[test]
fn a_change_is_shown_asked_for_and_written() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &redliner());
    let before = agreement(&desk);
    let answer = editor.prompt(&session, "Make it five years").unwrap();
    assert_eq!(answer, json!({"stopReason": "end_turn"}));
    assert!(editor.text().contains("I change the period.") && editor.text().ends_with("That is all."));
    assert_ne!(agreement(&desk), before);
    let path = format!("{}/nda.docx", work(&desk));
    // The call, its place and its diff in text.
    let calls = editor.updates("tool_call");
    assert_eq!((calls.len(), &calls[0]["kind"]), (1, &json!("edit")), "{calls:?}");
    let done = editor
        .updates("tool_call_update")
        .into_iter()
        .find(|update| update["status"] == "completed")
        .unwrap();
    assert_eq!(done["locations"][0]["path"], json!(path));
    let diff = &done["content"][0];
    assert_eq!((&diff["type"], &diff["path"]), (&json!("diff"), &json!(path)), "{done}");
    assert!(diff["oldText"].as_str().unwrap().contains("three (3) years"), "{diff}");
    assert!(diff["newText"].as_str().unwrap().contains("five (5) years"), "{diff}");
    assert!(done["content"][1]["content"]["text"].as_str().unwrap().contains("refused"), "{done}");
    assert_eq!(done["content"][2]["content"]["type"], "resource_link");
    // The question came before the write, about that call, with the same diff.
    let question = editor.heard.iter().find(|frame| frame["method"] == "session/request_permission").unwrap();
    assert_eq!(question["params"]["toolCall"]["toolCallId"], calls[0]["toolCallId"]);
    assert_eq!(question["params"]["toolCall"]["content"][0], *diff);
    assert_eq!(question["params"]["toolCall"]["title"], "Write 1 tracked change into nda.docx");
    // The plan: what is done is completed, what was refused is not.
    let plan = editor.updates("plan").pop().unwrap();
    let states: Vec<&Value> =
        plan["entries"].as_array().unwrap().iter().map(|entry| &entry["status"]).collect();
    assert_eq!(states, ["completed", "pending"], "{plan}");
    // It is a redline of Ada's, and its former state is kept.
    let revisions = desk.run(&["revisions", "work/nda.docx", "--json"]).json();
    assert!(revisions.to_string().contains("\"Ada\""), "{revisions}");
    let checkpoints = desk.run(&["checkpoint", "work/nda.docx", "list", "--json"]);
    assert!(checkpoints.stdout.contains("\"id\""), "{checkpoints:?}");
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn whoever_does_not_agree_has_nothing_written() {
    for permission in [Permission::No, Permission::Nonsense, Permission::Error, Permission::Cancelled] {
        let desk = TestBench::new();
        let (mut editor, session) = Editor::with_session(&desk, &redliner());
        let before = agreement(&desk);
        editor.permission = permission;
        let answer = editor.prompt(&session, "Make it five years").unwrap();
        assert_eq!(answer["stopReason"], "end_turn");
        assert_eq!((agreement(&desk), editor.questions()), (before, 1));
        let failed =
            editor.updates("tool_call_update").into_iter().any(|update| update["status"] == "failed");
        assert!(failed, "{:?}", editor.heard);
        let plan = editor.updates("plan").pop().unwrap().to_string();
        assert!(!plan.contains("completed"), "{plan}");
        assert_eq!(editor.leave(), Some(0));
    }
}

#[test]
fn a_mode_says_whether_it_is_asked_for() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &redliner());
    let set = |editor: &mut Editor, mode: &str| {
        editor.call("session/set_mode", json!({"sessionId": session, "modeId": mode}))
    };
    assert_eq!(set(&mut editor, "yolo").unwrap_err()["code"], -32602);
    set(&mut editor, "apply").unwrap();
    let before = agreement(&desk);
    editor.prompt(&session, "Make it five years").unwrap();
    assert_eq!(editor.questions(), 0);
    assert_ne!(agreement(&desk), before);
    // "And do not ask again" is the same mode, and the editor is told.
    let other = editor.new_session(&desk);
    std::fs::copy(desk.path("nda.docx"), desk.path("work/nda.docx")).unwrap();
    editor.permission = Permission::Always;
    editor.prompt(&other, "Make it five years").unwrap();
    assert_eq!(editor.questions(), 1);
    assert_eq!(editor.updates("current_mode_update").pop().unwrap()["currentModeId"], "apply");
    std::fs::copy(desk.path("nda.docx"), desk.path("work/nda.docx")).unwrap();
    editor.prompt(&other, "Make it five years again").unwrap();
    assert_eq!(editor.questions(), 1);
}

#[test]
fn files_in_a_prompt_are_named_as_the_tools_name_them() {
    let desk = TestBench::new();
    let script = json!({"turns": [
        {"when": {"contains": "Content of notes.md:\n\nFive, please.\n\nInstruction:\nLook at nda.docx and say"}, "text": "Seen."},
    ], "default": {"text": "Not seen."}});
    let (mut editor, session) = Editor::with_session(&desk, &script);
    let folder = work(&desk);
    let prompt = json!([
        {"type": "text", "text": "Look at "},
        {"type": "resource_link", "name": "nda", "uri": format!("file://{folder}/nda.docx")},
        {"type": "text", "text": " and say"},
        {"type": "resource", "resource": {"uri": format!("file://{folder}/notes.md"), "text": "Five, please."}},
    ]);
    editor.call("session/prompt", json!({"sessionId": session, "prompt": prompt})).unwrap();
    assert_eq!(editor.text(), "Seen.");
}

#[test]
fn a_failing_model_is_an_error_with_its_code() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &redliner());
    let error = editor.prompt(&session, "fail").unwrap_err();
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32603), &json!("MODEL_BAD_REQUEST")),
        "{error}"
    );
    // The session goes on.
    assert_eq!(editor.prompt(&session, "hello").unwrap()["stopReason"], "end_turn");
    // A key that is missing is a login that is.
    let mut other = Editor::start_with(&desk, &["--model", "anthropic/claude"]);
    let greeting = other.greet();
    assert_eq!(greeting["authMethods"][0]["type"], "terminal");
    assert_eq!(greeting["authMethods"][0]["args"], json!(["--setup"]));
    let error = other.call("session/new", json!({"cwd": work(&desk), "mcpServers": []})).unwrap_err();
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32000), &json!("MODEL_KEY_MISSING")));
    let error = other.call("authenticate", json!({"methodId": "setup"})).unwrap_err();
    assert_eq!(error["code"], -32000);
    assert_eq!(editor.call("authenticate", json!({"methodId": "setup"})).unwrap(), json!({}));
    assert_eq!(editor.call("authenticate", json!({"methodId": "magic"})).unwrap_err()["code"], -32602);
}
