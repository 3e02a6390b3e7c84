//! Editors that do what they should not: unknown methods, wrong order, two prompts at once, cancelling at every moment, leaving.

use serde_json::{Value, json};

use super::editor::{Editor, Permission, agreement, redliner, work};
use crate::desk::TestBench;

#[test]
fn what_is_no_request_of_the_protocol_is_an_error_and_nothing_more() {
    let desk = TestBench::new();
    let mut editor = Editor::start(&desk, &redliner());
    // Before the greeting.
    let place = json!({"cwd": work(&desk), "mcpServers": []});
    let error = editor.call("session/new", place.clone()).unwrap_err();
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32600), &json!("EDITOR_ORDER_INVALID")));
    // Another version is answered with the one that is spoken.
    let greeting = editor.call("initialize", json!({"protocolVersion": 99})).unwrap();
    assert_eq!(greeting["protocolVersion"], 1);
    assert_eq!(editor.call("session/fork", json!({})).unwrap_err()["code"], -32601);
    assert_eq!(editor.call("no/such", json!([1, 2])).unwrap_err()["code"], -32601);
    for (line, code) in [
        ("{", -32700),
        ("[]", -32600),
        ("\"x\"", -32600),
        ("{\"id\": 1}", -32600),
        ("{\"jsonrpc\": \"2.0\", \"method\": 7}", -32600),
    ] {
        editor.send(line);
        let frame = editor.frame();
        assert_eq!((&frame["id"], &frame["error"]["code"]), (&Value::Null, &json!(code)), "{line}: {frame}");
    }
    // Notifications and answers that nobody expects are passed over.
    editor.notify("$/cancel_request", json!({"requestId": 1}));
    editor.notify("session/cancel", json!({"sessionId": "sess_0"}));
    editor.notify("session/cancel", json!(null));
    editor.send("{\"jsonrpc\": \"2.0\", \"id\": 17, \"result\": {}}");
    editor.send("\r");
    assert!(editor.call("session/new", place).is_ok());
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn parameters_that_cannot_be_used_name_what_is_wrong() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &redliner());
    let nowhere = desk.path("nowhere");
    for cwd in ["work", "", nowhere.to_str().unwrap(), "/", desk.path("").to_str().unwrap()] {
        // The bench is the home of its programs.
        let error = editor.call("session/new", json!({"cwd": cwd, "mcpServers": []})).unwrap_err();
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32602), &json!("EDITOR_FOLDER_INVALID")),
            "{cwd}: {error}"
        );
    }
    assert_eq!(editor.call("session/new", json!({})).unwrap_err()["code"], -32602);
    for id in ["", "sess_", "../../etc/passwd", "sess_00000000000000000000000000000000", "\u{1}\u{1}x"] {
        let place = json!({"sessionId": id, "cwd": work(&desk), "mcpServers": []});
        assert_eq!(editor.call("session/load", place).unwrap_err()["code"], -32002, "{id}");
        assert_eq!(editor.prompt(id, "hello").unwrap_err()["code"], -32002, "{id}");
        assert_eq!(
            editor.call("session/delete", json!({"sessionId": id})).unwrap_err()["code"],
            -32002,
            "{id}"
        );
    }
    let image = json!([{"type": "image", "data": "AA==", "mimeType": "image/png"}]);
    for prompt in [
        json!([]),
        json!([{"type": "text", "text": " \n"}]),
        image,
        json!("hello"),
        json!([{"type": "text"}]),
    ] {
        let error =
            editor.call("session/prompt", json!({"sessionId": session, "prompt": prompt})).unwrap_err();
        assert_eq!(error["code"], -32602, "{prompt}: {error}");
    }
    // Too much, and just about enough.
    let error = editor.prompt(&session, &"x".repeat((1 << 20) + 1)).unwrap_err();
    assert_eq!(error["data"]["code"], "EDITOR_PROMPT_INVALID");
    assert_eq!(editor.prompt(&session, &"long ".repeat(100_000)).unwrap()["stopReason"], "end_turn");
}

#[test]
fn a_second_prompt_is_refused_while_one_runs_and_other_sessions_are_free() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &redliner());
    let other = editor.new_session(&desk);
    let first = editor.ask_prompt(&session, "hang");
    let error = editor.prompt(&session, "hello").unwrap_err();
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32600), &json!("EDITOR_SESSION_BUSY")));
    let place = json!({"sessionId": session, "cwd": work(&desk), "mcpServers": []});
    assert_eq!(editor.call("session/load", place).unwrap_err()["data"]["code"], "EDITOR_SESSION_BUSY");
    assert_eq!(editor.prompt(&other, "hello").unwrap()["stopReason"], "end_turn");
    editor.notify("session/cancel", json!({"sessionId": session}));
    assert_eq!(editor.answer(first).unwrap()["stopReason"], "cancelled");
    assert_eq!(editor.prompt(&session, "hello").unwrap()["stopReason"], "end_turn");
}

#[test]
fn cancelling_at_any_moment_ends_the_turn_and_writes_nothing() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &redliner());
    let before = agreement(&desk);
    let cancel = json!({"sessionId": session});
    // At once, perhaps before the turn has begun.
    for _ in 0..10 {
        let asked = editor.ask_prompt(&session, "hang");
        editor.notify("session/cancel", cancel.clone());
        assert_eq!(editor.answer(asked).unwrap()["stopReason"], "cancelled");
    }
    // While the model speaks.
    let asked = editor.ask_prompt(&session, "hang");
    while editor.frame()["params"]["update"]["sessionUpdate"] != "agent_message_chunk" {}
    editor.notify("session/cancel", cancel.clone());
    editor.notify("session/cancel", cancel.clone());
    assert_eq!(editor.answer(asked).unwrap()["stopReason"], "cancelled");
    // While the person is asked: the editor answers as it should, never, or with a yes that comes too late.
    for late in [Permission::Cancelled, Permission::Silent, Permission::Once] {
        editor.permission = Permission::Silent;
        let asked = editor.ask_prompt(&session, "Make it five years");
        let question = editor.wait_for_permission();
        editor.notify("session/cancel", cancel.clone());
        editor.answer_permission(&question["id"], late);
        assert_eq!(editor.answer(asked).unwrap()["stopReason"], "cancelled");
        let open = editor.updates("tool_call_update").pop().unwrap().clone();
        assert_eq!(open["status"], "failed", "{open}");
    }
    // And of a command.
    let change = "replace \"three (3) years\" with \"five (5) years\"";
    let redline = ["edit", "work/nda.docx", change, "-o", "work/other.docx"];
    assert_eq!(desk.run(&redline).code, Some(0));
    let other = desk.bytes("work/other.docx");
    let asked = editor.ask_prompt(&session, "/accept other.docx");
    editor.wait_for_permission();
    editor.notify("session/cancel", cancel);
    assert_eq!(editor.answer(asked).unwrap()["stopReason"], "cancelled");
    assert_eq!((agreement(&desk), desk.bytes("work/other.docx")), (before, other));
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn an_editor_that_leaves_takes_its_turn_along() {
    let desk = TestBench::new();
    let before = {
        work(&desk);
        agreement(&desk)
    };
    for prompt in ["hang", "Make it five years", "hello"] {
        let (mut editor, session) = Editor::with_session(&desk, &redliner());
        editor.permission = Permission::Silent;
        editor.ask_prompt(&session, prompt);
        if prompt == "Make it five years" {
            editor.wait_for_permission();
        }
        assert_eq!(editor.leave(), Some(0), "{prompt}");
        assert_eq!(agreement(&desk), before, "{prompt}");
    }
    // Without a word.
    assert_eq!(Editor::start(&desk, &redliner()).leave(), Some(0));
}
