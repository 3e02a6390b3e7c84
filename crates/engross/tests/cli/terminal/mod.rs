//! `engross chat` as a person at a terminal uses it: keys go in, the screen is looked at.

mod changes;
mod commands;
mod picture;
mod pipes;
mod pty;
mod typing;
mod work;

use serde_json::{Value, json};

use crate::desk::TestBench;
use pty::Pty;

/// A desk with the model `script` in `script.json`.
fn scripted(script: &Value) -> TestBench {
    let desk = TestBench::new();
    desk.put("script.json", script.to_string().as_bytes());
    desk
}

/// A chat with that model, in the session `s`.
fn chat(desk: &TestBench, arguments: &[&str]) -> Pty {
    Pty::chat(desk, &[&["--model", "script:script.json", "--session", "s"], arguments].concat())
}

/// An answer to a message that contains some words.
fn answer(contains: &str, text: &str) -> Value {
    json!({"when": {"last_role": "user", "contains": contains}, "times": 0, "text": text})
}

/// Turns of a model that writes `text` into a file, word by word.
fn writes(contains: &str, file: &str, operation: &str, text: &str, delay: u64) -> Vec<Value> {
    vec![
        json!({"when": {"last_role": "user", "contains": contains}, "times": 0,
            "tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": file, "operation": operation}}]}),
        json!({"when": {"last_role": "tool", "contains": "awaiting_content"}, "times": 0, "delay_ms": delay, "text": format!("{text}DONE\n")}),
        json!({"when": {"last_role": "tool", "contains": "\"success\":true"}, "times": 0, "text": format!("{file} is there.")}),
        json!({"when": {"last_role": "tool"}, "times": 0, "text": "It was not to be."}),
    ]
}

fn script(turns: impl IntoIterator<Item = Value>) -> Value {
    json!({"turns": turns.into_iter().collect::<Vec<Value>>(), "default": {"text": "Good day."}})
}

/// The names of all that is in the folder, but for what the test put there.
fn left(desk: &TestBench) -> Vec<String> {
    let names = std::fs::read_dir(desk.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| !["data", "nda.docx", "script.json", ".local"].contains(&name.as_str()));
    names.sort();
    names
}
