//! Each maker's form, as its program writes it; samples are shortened.

use serde_json::{Value, json};

use super::{SessionMaker, retell};
use crate::{CallOutcome, StepKind, Transcript};

/// The one session in a file, and its maker.
fn read(text: &str) -> (SessionMaker, Transcript) {
    let (maker, sessions) = retell(text.as_bytes()).unwrap();
    assert_eq!(sessions.len(), 1);
    (maker, Transcript::read(sessions[0].lines.as_slice(), true).unwrap())
}

/// What happened, in short.
fn told(session: &Transcript) -> Vec<String> {
    let step = |what: &StepKind| match what {
        StepKind::User { text, origin } => format!("{origin:?}: {}", text.whole()),
        StepKind::Thinking(text) => format!("thinks: {}", text.whole()),
        StepKind::Assistant { text, .. } => format!("says: {}", text.whole()),
        StepKind::Call(call) => match &call.result {
            Some(result) => {
                format!(
                    "{} {} -> {:?} {}",
                    call.tool,
                    call.arguments.whole(),
                    result.outcome,
                    result.text.whole()
                )
            }
            None => format!("{} {} -> nothing", call.tool, call.arguments.whole()),
        },
        other => format!("{other:?}"),
    };
    assert!(session.steps.iter().all(|step| step.is_on_path), "{session:?}");
    session.steps.iter().map(|known| step(&known.what)).collect()
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

const ASKED: &str = "Person: Where is it?";
const THOUGHT: &str = "thinks: Look first";

#[test]
fn gemini_keeps_results_with_their_calls() {
    let value = json!({"sessionId": "g1", "projectHash": "ab", "startTime": "2026-01-01T00:00:00Z", "lastUpdated": "x", "messages": [
        {"id": "1", "timestamp": "2026-01-01T00:00:00Z", "type": "user", "content": [{"text": "Where is it?"}]},
        {"id": "2", "timestamp": "t", "type": "info", "content": "a note"},
        {"id": "3", "timestamp": "t", "type": "gemini", "model": "gemini-2.5-pro", "content": "I look.",
         "thoughts": [{"subject": "Look first", "description": "", "timestamp": "t"}],
         "toolCalls": [
            {"id": "c1", "name": "read_file", "args": {"path": "/a"}, "status": "error", "timestamp": "t",
             "result": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"error": "ENOENT: no such file"}}}]},
            {"id": "c2", "name": "read_file", "args": {"path": "/b"}, "status": "success", "timestamp": "t",
             "result": [{"functionResponse": {"id": "c2", "name": "read_file", "response": {"output": "port = 1"}}}]}]}
    ]});
    let (maker, session) = read(&format!("{value:#}"));
    assert_eq!((maker, session.id.as_deref()), (SessionMaker::Gemini, Some("g1")));
    assert_eq!(session.models, ["gemini-2.5-pro"]);
    let failed = "read_file {\"path\":\"/a\"} -> Failed ENOENT: no such file";
    let fine = "read_file {\"path\":\"/b\"} -> Fine port = 1";
    assert_eq!(told(&session), [ASKED, THOUGHT, "says: I look.", failed, fine]);
}

#[test]
fn gemini_writes_a_line_for_each_change_of_a_session() {
    let user = |id: &str, text: &str| json!({"id": id, "timestamp": "t", "type": "user", "content": [{"text": text}]});
    let model = |id: &str, text: &str| json!({"id": id, "timestamp": "t", "type": "gemini", "content": text, "thoughts": [], "model": "gemini-2.5-flash"});
    let mut with_call = model("3", "");
    let output = "<untrusted_context>\nOutput: cat: /a: No such file or directory\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>";
    with_call["toolCalls"] = json!([{"id": "c1", "name": "run_shell_command", "args": {"command": "cat /a"}, "status": "success",
        "result": [{"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": output}}}]}]);
    let answered = json!({"id": "4", "timestamp": "t", "type": "user", "content": [{"functionResponse": {"id": "c1", "response": {"output": output}}}]});
    let text = lines(&[
        json!({"sessionId": "g2", "projectHash": "ab", "startTime": "t", "lastUpdated": "t", "kind": "main"}),
        json!({"$set": {"messages": [user("0", "<session_context>\nThis is the Gemini CLI.")]}}),
        user("1", "Where is it?"),
        json!({"$set": {"lastUpdated": "t"}}),
        model("3", ""),
        with_call,
        answered,
        model("5", "Not there."),
        user("6", "Forget what I said here"),
        model("7", "I do."),
        json!({"$rewindTo": "6"}),
        model("8", "Here."),
    ]);
    let (maker, session) = read(&text);
    assert_eq!((maker, session.id.as_deref()), (SessionMaker::Gemini, Some("g2")));
    let failed = format!("run_shell_command {{\"command\":\"cat /a\"}} -> Failed {output}");
    let context = "Hook: <session_context>\nThis is the Gemini CLI.";
    assert_eq!(told(&session), [context, ASKED, &failed, "says: Not there.", "says: Here."]);
}

#[test]
fn opencode_keeps_a_call_and_its_result_in_one_part() {
    let tool = |id: &str, state: Value| json!({"type": "tool", "tool": "bash", "callID": id, "state": state});
    let value = json!({"info": {"id": "ses_1", "directory": "/w"}, "messages": [
        {"info": {"role": "user", "id": "m1", "time": {"created": 1}}, "parts": [
            {"type": "text", "text": "Where is it?"}, {"type": "text", "synthetic": true, "text": "a file"}]},
        {"info": {"role": "assistant", "id": "m2", "modelID": "big", "time": {"created": 2}}, "parts": [
            {"type": "step-start"}, {"type": "reasoning", "text": "Look first"},
            tool("c1", json!({"status": "error", "input": {"command": "x"}, "error": "timed out"})),
            tool("c2", json!({"status": "completed", "input": {"command": "y"}, "output": "no", "metadata": {"exit": 2}})),
            tool("c3", json!({"status": "completed", "input": {"command": "z"}, "output": "yes", "metadata": {"exit": 0}})),
            {"type": "text", "text": "Here."}]}
    ]});
    let (maker, session) = read(&value.to_string());
    assert_eq!((maker, session.cwd.as_deref()), (SessionMaker::Opencode, Some("/w")));
    assert_eq!(
        told(&session),
        [
            ASKED,
            "Hook: a file",
            THOUGHT,
            "bash {\"command\":\"x\"} -> Failed timed out",
            "bash {\"command\":\"y\"} -> Failed no",
            "bash {\"command\":\"z\"} -> Fine yes",
            "says: Here."
        ]
    );
}

#[test]
fn copilot_writes_events() {
    let event = |kind: &str, data: Value| json!({"type": kind, "id": "e", "timestamp": "t", "parentId": null, "data": data});
    let text = lines(&[
        event("session.start", json!({"sessionId": "p1", "startTime": "t", "context": {"cwd": "/w"}})),
        event("user.message", json!({"content": "Where is it?"})),
        event(
            "assistant.message",
            json!({"content": "", "reasoningText": "Look first",
            "toolRequests": [{"toolCallId": "c1", "name": "bash", "arguments": {"command": "x"}}]}),
        ),
        event(
            "tool.execution_start",
            json!({"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "x"}}),
        ),
        event(
            "tool.execution_complete",
            json!({"toolCallId": "c1", "success": false, "error": {"message": "denied"}}),
        ),
        event(
            "tool.execution_start",
            json!({"toolCallId": "c9", "toolName": "bash", "arguments": {"command": "y"}}),
        ),
        event(
            "tool.execution_complete",
            json!({"toolCallId": "c9", "success": true, "shellExecution": {"exitCode": 2}, "result": {"content": "no"}}),
        ),
        event("user.message", json!({"content": "of a helper", "parentToolCallId": "c1"})),
        event(
            "tool.execution_start",
            json!({"toolCallId": "c2", "toolName": "view", "arguments": {"path": "/b"}}),
        ),
        event(
            "tool.execution_complete",
            json!({"toolCallId": "c2", "success": true, "result": {"content": "port = 1"}}),
        ),
        event("assistant.message", json!({"content": "Here."})),
    ]);
    let (maker, session) = read(&text);
    assert_eq!((maker, session.id.as_deref()), (SessionMaker::Copilot, Some("p1")));
    let expected = [
        ASKED,
        THOUGHT,
        "bash {\"command\":\"x\"} -> Failed denied",
        "bash {\"command\":\"y\"} -> Failed no",
        "view {\"path\":\"/b\"} -> Fine port = 1",
        "says: Here.",
    ];
    assert_eq!(told(&session), expected);
}

#[test]
fn goose_writes_requests_and_responses_as_blocks() {
    let messages = [
        json!({"role": "user", "created": 1, "content": [{"type": "text", "text": "Where is it?"}]}),
        json!({"role": "assistant", "created": 2, "content": [{"type": "thinking", "thinking": "Look first"},
            {"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "x"}}}}]}),
        json!({"role": "user", "created": 3, "content": [
            {"type": "toolResponse", "id": "c1", "toolResult": {"status": "error", "error": "no such command"}}]}),
        json!({"role": "assistant", "created": 4, "content": [
            {"type": "toolRequest", "id": "c2", "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "y"}}}}]}),
        json!({"role": "user", "created": 5, "content": [
            {"type": "toolResponse", "id": "c2", "toolResult": {"status": "success", "value": [{"type": "text", "text": "yes"}]}}]}),
    ];
    let expected = [
        ASKED,
        THOUGHT,
        "shell {\"command\":\"x\"} -> Failed no such command",
        "shell {\"command\":\"y\"} -> Fine yes",
    ];
    let mut file = vec![json!({"working_dir": "/w", "description": "d", "message_count": 5})];
    file.extend(messages.clone());
    let export = json!({"id": "20260101_1", "working_dir": "/w", "conversation": messages});
    for text in [lines(&file), format!("{export:#}")] {
        let (maker, session) = read(&text);
        assert_eq!((maker, session.cwd.as_deref()), (SessionMaker::Goose, Some("/w")));
        assert_eq!(told(&session), expected);
    }
}

#[test]
fn cursor_keeps_no_results() {
    let said = |role: &str, blocks: Value| json!({"role": role, "message": {"content": blocks}});
    let text = lines(&[
        said("user", json!([{"type": "text", "text": "<user_query>\nWhere is it?\n</user_query>"}])),
        said(
            "assistant",
            json!([{"type": "text", "text": "I look."}, {"type": "tool_use", "name": "Read", "input": {"path": "/a"}}]),
        ),
    ]);
    let (maker, session) = read(&text);
    assert_eq!(maker, SessionMaker::Cursor);
    assert_eq!(told(&session), [ASKED, "says: I look.", "Read {\"path\":\"/a\"} -> nothing"]);
}

#[test]
fn lists_of_messages_are_read_in_all_their_forms() {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "run", "arguments": arguments}});
    let chat = [
        json!({"role": "system", "content": "Be brief."}),
        json!({"role": "user", "content": [{"type": "text", "text": "Where is it?"}]}),
        json!({"role": "assistant", "content": null, "tool_calls": [call("c1", "{\"x\":1}")]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "Exit code: 1\nno"}),
        json!({"role": "assistant", "content": "Here."}),
    ];
    let items = [
        json!({"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]}),
        json!({"role": "user", "content": [{"type": "input_text", "text": "Where is it?"}]}),
        json!({"type": "function_call", "call_id": "c1", "name": "run", "arguments": "{\"x\":1}"}),
        json!({"type": "function_call_output", "call_id": "c1", "output": "Exit code: 1\nno"}),
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Here."}]}),
    ];
    let expected = ["Hook: Be brief.", ASKED, "run {\"x\":1} -> Failed Exit code: 1\nno", "says: Here."];
    let forms = [
        json!(chat).to_string(),
        lines(&chat),
        json!({"model": "m", "messages": chat}).to_string(),
        json!(items).to_string(),
    ];
    for text in forms {
        let (maker, session) = read(&text);
        assert_eq!(
            (maker, told(&session)),
            (SessionMaker::Openai, expected.map(str::to_owned).to_vec()),
            "{text}"
        );
    }
}

#[test]
fn traces_carry_what_somebody_says_of_their_end() {
    let reasoning = "[user] Where is it?\n[thinking] Look first\n[tool:read] {\"path\":\"/a\"}\n[result:read, failed] ENOENT\nmore\n[response] I try again";
    let trace = |feedback: &str, truth: Value| {
        json!({"question": "Where is it?", "reasoning": reasoning, "answer": "In /conf, Paris.",
        "skill_ids": ["paths-00001"], "feedback": feedback, "ground_truth": truth})
    };
    for (feedback, truth, expected) in [
        ("Correct answer", Value::Null, Some(true)),
        ("Incorrect: it is elsewhere", Value::Null, Some(false)),
        ("", json!("paris"), Some(true)),
        ("looks correct", json!("London"), Some(false)),
        ("It took a while", Value::Null, None),
    ] {
        let (maker, sessions) = retell(trace(feedback, truth.clone()).to_string().as_bytes()).unwrap();
        assert_eq!(maker, SessionMaker::Traces);
        let given = sessions[0].given.as_ref().unwrap();
        assert_eq!(
            (given.went_well, given.ground_truth.as_deref()),
            (expected, truth.as_str()),
            "{feedback}"
        );
        let session = Transcript::read(sessions[0].lines.as_slice(), true).unwrap();
        let StepKind::Call(call) = &session.steps[2].what else { panic!("{session:?}") };
        let result = call.result.as_ref().unwrap();
        assert_eq!((result.outcome, &*result.text.whole()), (CallOutcome::Failed, "ENOENT\nmore"));
    }
    // Several in a file, and what the command prints.
    let both = [trace("", json!("Paris")), trace("wrong", Value::Null)];
    for text in
        [lines(&both), json!(both).to_string(), json!({"files": {"a": both[0], "b": both[1]}}).to_string()]
    {
        assert_eq!(retell(text.as_bytes()).unwrap().1.len(), 2, "{text}");
    }
}

#[test]
fn what_is_of_nobody_known_is_left_alone() {
    for text in [
        "",
        "hello\nworld",
        "{}",
        "[]",
        "[1,2]",
        "{\"messages\": []}",
        "{\"messages\": [{\"who\": \"me\"}]}",
        "{\"role\": \"king\", \"content\": \"x\"}",
        "{\"type\": \"x.y\", \"data\": {}}",
        "SQLite format 3\u{0}",
        "{\"question\": \"q\"}",
    ] {
        assert_eq!(retell(text.as_bytes()), None, "{text}");
    }
    assert_eq!(retell(b"\xff\xfe"), None);
}
