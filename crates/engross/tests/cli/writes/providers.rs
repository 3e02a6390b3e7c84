//! Why an answer stopped, in the words of each provider: a file is gone on with, or left loudly, and no turn is dead.

use std::io::Write;
use std::process::Stdio;

use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::desk::{ENGROSS, Ran, TestBench, ran};

const FILE: &str = "The first line of the file.\nThe second line of the file.\nThe third line of the file.\n";

/// A model that is cut within the second line for this reason, and obeys when it is asked to go on.
fn cut_for(reason: &str) -> Value {
    let begin =
        json!({"name": "WritePlanTool_begin", "args": {"target_file": "a.txt", "operation": "create"}});
    json!({"turns": [
        {"when": {"last_role": "user", "contains": "Write"}, "tool_calls": [begin]},
        {"when": {"last_role": "tool", "contains": "awaiting_content"}, "reasoning": "I write.", "text": &FILE[..40], "finish_reason": reason},
        {"when": {"last_role": "user", "contains": "is not complete"}, "text": format!("{FILE}DONE\n"), "times": 0},
        {"when": {"last_role": "tool", "contains": "\"complete\""}, "text": "It is written."},
    ], "default": {"text": "I know of nothing."}})
}

/// `engross chat` with a model of that server, asked for the file.
fn write(server: &ModelServer, spec: &str) -> (Ran, Option<String>) {
    let url = server.url();
    let desk = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"]
        .into_iter()
        .fold(TestBench::new(), |desk, key| desk.with_variable(key, "key"));
    let desk = desk
        .with_variable("OPENAI_BASE_URL", &format!("{url}/v1"))
        .with_variable("ANTHROPIC_BASE_URL", &url)
        .with_variable("GEMINI_BASE_URL", &url)
        .with_variable("OLLAMA_HOST", &url);
    let mut child = desk
        .command(ENGROSS)
        .args(["chat", "--data", "data", "--model", spec])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(b"Write the file.\n");
    let ran = ran(child.wait_with_output().unwrap());
    (ran, std::fs::read_to_string(desk.path("a.txt")).ok())
}

/// All that the model was asked.
fn asked(server: &ModelServer) -> String {
    server.requests().into_iter().map(|request| request.body.to_string()).collect()
}

fn is_gone_on_with(spec: &str, reason: &str) -> String {
    let server = ModelServer::start(cut_for(reason));
    let (ran, file) = write(&server, spec);
    assert_eq!(file.as_deref(), Some(FILE), "{spec} {reason}: {ran:?}");
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "It is written."), "{spec} {reason}: {ran:?}");
    asked(&server)
}

fn is_left(spec: &str, reason: &str) {
    let server = ModelServer::start(cut_for(reason));
    let (ran, file) = write(&server, spec);
    assert_eq!(file, None, "{spec} {reason}: {ran:?}");
    assert!(
        ran.stdout.contains("a.txt is not complete, and nothing was written"),
        "{spec} {reason}: {ran:?}"
    );
    assert!(!asked(&server).contains("First repeat exactly this"), "{spec} {reason}");
}

#[test]
fn openai_length() {
    is_gone_on_with("openai/gpt", "length");
}

#[test]
fn openai_content_filter() {
    is_left("openai/gpt", "content_filter");
}

#[test]
fn openai_a_reason_that_nobody_knows() {
    is_gone_on_with("openai/gpt", "weird");
}

#[test]
fn anthropic_max_tokens() {
    is_gone_on_with("anthropic/claude", "max_tokens");
}

#[test]
fn anthropic_pause_turn() {
    is_gone_on_with("anthropic/claude", "pause_turn");
}

#[test]
fn anthropic_refusal() {
    is_left("anthropic/claude", "refusal");
}

#[test]
fn gemini_max_tokens() {
    is_gone_on_with("gemini/pro", "MAX_TOKENS");
}

#[test]
fn gemini_safety() {
    is_left("gemini/pro", "SAFETY");
}

#[test]
fn gemini_recitation() {
    let asked = is_gone_on_with("gemini/pro", "RECITATION");
    assert!(asked.contains("use words of your own"), "{asked}");
}

#[test]
fn gemini_other() {
    for reason in ["OTHER", "MALFORMED_FUNCTION_CALL", "SOMETHING_NEW"] {
        is_gone_on_with("gemini/pro", reason);
    }
}

/// The server refuses tools; the model is asked in text alone, and the file is as exact.
#[test]
fn ollama_without_tools() {
    let call =
        "I write it.\nCALL WritePlanTool_begin {\"target_file\": \"a.txt\", \"operation\": \"create\"}\n";
    let refused = json!({"kind": "status", "code": 400, "message": "registry.ollama.ai/library/sim does not support tools"});
    let server = ModelServer::start(json!({"turns": [
        {"when": {"has_tools": true}, "times": 0, "fault": refused},
        {"when": {"last_role": "user", "contains": "Write"}, "text": call},
        {"when": {"last_role": "user", "contains": "awaiting_content"}, "text": &FILE[..40], "finish_reason": "length"},
        {"when": {"last_role": "user", "contains": "is not complete"}, "text": format!("{FILE}DONE\n")},
        {"when": {"last_role": "user", "contains": "\"complete\""}, "text": "It is written."},
    ], "default": {"text": "I know of nothing."}}));
    let (ran, file) = write(&server, "ollama/sim");
    assert_eq!(file.as_deref(), Some(FILE), "{ran:?}");
    assert!(ran.stdout.ends_with("It is written.\n") && ran.code == Some(0), "{ran:?}");
}
