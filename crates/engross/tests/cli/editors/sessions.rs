//! Sessions outlive the agent's process.

use serde_json::{Value, json};

use super::editor::{Editor, Permission, redliner, work};
use crate::desk::TestBench;

#[test]
fn another_process_lists_loads_resumes_and_deletes_them() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &redliner());
    editor.prompt(&session, "Make it five years").unwrap();
    let empty = editor.new_session(&desk);
    assert_eq!(editor.leave(), Some(0));

    let mut editor = Editor::start(&desk, &redliner());
    editor.greet();
    // One that nothing was said in is no entry of the list, but it can be taken up.
    let list = editor.call("session/list", json!({})).unwrap();
    let listed = list["sessions"].as_array().unwrap();
    assert_eq!(listed.len(), 1, "{list}");
    assert_eq!((&listed[0]["sessionId"], &listed[0]["cwd"]), (&json!(session), &json!(work(&desk))));
    assert_eq!(listed[0]["title"], "Make it five years");
    assert!(listed[0]["updatedAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(editor.call("session/list", json!({"cwd": "/elsewhere"})).unwrap()["sessions"], json!([]));
    assert_eq!(editor.call("session/list", json!({"cursor": "x"})).unwrap_err()["code"], -32602);
    let place = |id: &str| json!({"sessionId": id, "cwd": work(&desk), "mcpServers": []});
    editor.call("session/resume", place(&empty)).unwrap();
    assert_eq!(editor.frame()["params"]["update"]["sessionUpdate"], "available_commands_update");

    // Loading tells the conversation again, before its answer; resuming does not.
    let count = editor.heard.len();
    editor.call("session/load", place(&session)).unwrap();
    let told: Vec<Value> = editor.heard[count..]
        .iter()
        .map(|frame| frame["params"]["update"]["sessionUpdate"].clone())
        .collect();
    assert_eq!(
        told,
        ["user_message_chunk", "agent_message_chunk", "tool_call", "agent_message_chunk"],
        "{told:?}"
    );
    assert_eq!(editor.frame()["params"]["update"]["sessionUpdate"], "available_commands_update");
    let count = editor.heard.len();
    editor.call("session/resume", place(&session)).unwrap();
    assert_eq!(editor.heard.len(), count);
    // The model has the whole conversation.
    assert_eq!(editor.prompt(&session, "and now?").unwrap()["stopReason"], "end_turn");

    assert_eq!(editor.call("session/close", json!({"sessionId": session})).unwrap(), json!({}));
    assert_eq!(editor.prompt(&session, "are you there?").unwrap_err()["code"], -32002);
    editor.call("session/delete", json!({"sessionId": session})).unwrap();
    assert_eq!(editor.call("session/load", place(&session)).unwrap_err()["code"], -32002);
    assert_eq!(editor.call("session/list", json!({})).unwrap()["sessions"], json!([]));
}

#[test]
fn one_that_was_killed_while_it_asked_goes_on() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &redliner());
    editor.permission = Permission::Silent;
    let before = super::editor::agreement(&desk);
    editor.ask_prompt(&session, "Make it five years");
    editor.wait_for_permission();
    editor.kill();
    let mut editor = Editor::start(&desk, &redliner());
    editor.greet();
    let place = json!({"sessionId": session, "cwd": work(&desk), "mcpServers": []});
    editor.call("session/load", place).unwrap();
    assert_eq!(super::editor::agreement(&desk), before);
    assert_eq!(editor.prompt(&session, "hello").unwrap()["stopReason"], "end_turn");
}
