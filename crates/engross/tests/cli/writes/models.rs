//! Files that models write in turns: over HTTP, streamed or not, in the background, and in `engross chat`.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::{ENGROSS, TestBench, ran};
use crate::serve::Server;

/// A Markdown file of so many lines.
fn markdown(lines: usize) -> String {
    (0..lines)
        .map(
            |at| {
                if at % 25 == 0 {
                    format!("## Part {at}\n")
                } else {
                    format!("Line {at}: \"ünï\" © 漢.\n")
                }
            },
        )
        .collect()
}

/// A model that writes `file` in three answers, of which two are cut off.
fn script(name: &str, file: &str) -> Value {
    let one = file.floor_char_boundary(file.len() / 3);
    let two = file.floor_char_boundary(2 * file.len() / 3);
    // The lines before a cut come again, as they are asked for.
    let before = |cut: usize| file[..cut].rmatch_indices('\n').nth(8).map_or(0, |(newline, _)| newline + 1);
    let goes_on = json!({"last_role": "user", "contains": "is not complete"});
    json!({"turns": [
        {"when": {"last_role": "user", "contains": "Write"},
         "tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": name, "operation": "create"}}]},
        {"when": {"last_role": "tool", "contains": "awaiting_content"}, "reasoning": "Now I write.\nDONE\n",
         "text": file[..one], "finish_reason": "length"},
        {"when": goes_on, "text": file[before(one)..two], "finish_reason": "length"},
        {"when": goes_on, "text": format!("{}DONE\n", &file[before(two)..])},
        {"when": {"last_role": "tool", "contains": "\"complete\""}, "text": "It is written."}
    ]})
}

fn start(desk: &TestBench, script: &Value) -> Server {
    desk.put("script.json", script.to_string().as_bytes());
    let spec = format!("script:{}", desk.path("script.json").display());
    let server = Server::try_start(desk.path("").as_path(), &["--model", &spec]).unwrap();
    let (status, _) = server.send("PUT", "/v1/workspaces/w/files/there.txt", &[], b"x").unwrap();
    assert_eq!(status, 201);
    server
}

fn file(server: &Server, name: &str) -> Option<String> {
    let (status, bytes) = server.send("GET", &format!("/v1/workspaces/w/files/{name}"), &[], b"").unwrap();
    (status == 200).then(|| String::from_utf8(bytes).unwrap())
}

#[test]
fn a_long_file_is_exact_over_cut_answers_and_listeners_hear_progress() {
    let content = markdown(2000);
    for (stream, wants_content) in [(true, false), (true, true), (false, false)] {
        let desk = TestBench::new();
        let server = start(&desk, &script("docs/plan.md", &content));
        let mut headers =
            vec![("x-engross-session-key", "s"), ("x-engross-workspace", "w"), ("x-engross-events", "1")];
        if wants_content {
            headers.push(("x-engross-write-content", "1"));
        }
        let body = json!({"stream": stream, "messages": [{"role": "user", "content": "Write the plan."}]});
        let (status, answer) =
            server.send("POST", "/v1/chat/completions", &headers, body.to_string().as_bytes()).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        assert_eq!(status, 200, "{answer}");
        assert_eq!(file(&server, "docs/plan.md").as_deref(), Some(content.as_str()));
        assert!(answer.contains("written."), "{answer}");
        assert_eq!(answer.contains("docs/plan.md is written"), stream, "{answer}");
        assert_eq!(answer.contains("Line 1234"), wants_content);
        // Neither what is told of the session nor the database holds the content.
        let (_, session) = server.send("GET", "/v1/sessions/s", &[], b"").unwrap();
        assert!(!String::from_utf8_lossy(&session).contains("Line 12"));
    }
}

/// What a file has is not for the program to understand.
#[test]
fn case_71_and_73_entities_escapes_and_byte_order_marks_stay_as_they_are() {
    let content = "\u{feff}<p>&lt;b&gt; &amp;amp; &#65; \\n \\u0041 \\\\ \\\" %41</p>\n\u{feff}\0\n";
    let script = json!({"turns": [
        {"when": {"last_role": "user"}, "text": "",
         "tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": "a.txt", "operation": "create"}}]},
        {"when": {"last_role": "tool", "contains": "awaiting_content"}, "text": format!("{content}DONE\n")},
        {"when": {"last_role": "tool"}, "text": "It is written."}
    ]});
    let desk = TestBench::new();
    let server = start(&desk, &script);
    let headers = [("x-engross-session-key", "s"), ("x-engross-workspace", "w")];
    let body = json!({"messages": [{"role": "user", "content": "Write it."}]});
    let (status, answer) = server.post("/v1/chat/completions", &headers, &body).unwrap();
    assert_eq!((status, &answer["choices"][0]["message"]["content"]), (200, &json!("It is written.")));
    assert_eq!(file(&server, "a.txt").as_deref(), Some(content));
}

#[test]
fn chat_writes_files_in_the_folder_it_is_given() {
    let content = markdown(300);
    let desk = TestBench::new();
    desk.put("script.json", script("plan.md", &content).to_string().as_bytes());
    for (with_document, root) in [(false, "."), (true, "below")] {
        std::fs::create_dir_all(desk.path("below")).unwrap();
        let mut arguments = vec!["chat", "--data", "data", "--model", "script:script.json", "--root", root];
        if with_document {
            arguments.push("nda.docx");
        }
        let mut child = desk
            .command(ENGROSS)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(b"Write the plan.\n");
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "It is written."), "{ran:?}");
        assert!(ran.stderr.contains("plan.md is written"), "{ran:?}");
        let written = desk.bytes(&format!("{root}/plan.md"));
        assert_eq!(String::from_utf8(written).unwrap(), content);
    }
}

/// In a pipe, and in a process of its own: the receipts of the session say what was there.
#[test]
fn files_are_taken_back_in_later_chats() {
    let begin = |operation: &str| json!({"name": "WritePlanTool_begin", "args": {"target_file": "a.txt", "operation": operation}});
    let script = json!({"turns": [
        {"when": {"last_role": "user", "contains": "add"}, "times": 0, "tool_calls": [begin("append")]},
        {"when": {"last_role": "user", "contains": "new"}, "times": 0, "tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": "b.txt", "operation": "create"}}]},
        {"when": {"last_role": "tool", "contains": "awaiting_content"}, "times": 0, "text": "more\nDONE\n"},
    ], "default": {"text": "It is written."}});
    let desk = TestBench::new();
    desk.put("script.json", script.to_string().as_bytes());
    desk.put("a.txt", b"one\n");
    let chat = |input: &str| {
        let shell =
            format!("printf '{input}' | '{ENGROSS}' chat --data data --model script:script.json --session s");
        ran(desk.command("sh").args(["-c", &shell]).output().unwrap())
    };
    let said = chat("add to it\\nnew one\\n");
    assert_eq!(
        (desk.bytes("a.txt"), desk.bytes("b.txt")),
        (b"one\nmore\n".to_vec(), b"more\n".to_vec()),
        "{said:?}"
    );
    let said = chat("/undo\\n");
    assert!(
        said.code == Some(0) && said.stderr.contains("b.txt is as it was") && !desk.path("b.txt").exists(),
        "{said:?}"
    );
    // What somebody else has written since is left alone.
    desk.put("a.txt", b"mine\n");
    let said = chat("/undo\\n");
    assert!(said.code == Some(1) && said.stderr.contains("TARGET_CHANGED"), "{said:?}");
    desk.put("a.txt", b"one\nmore\n");
    let said = chat("/undo\\n");
    assert!(said.code == Some(0) && said.stderr.contains("a.txt is as it was"), "{said:?}");
    assert_eq!(desk.bytes("a.txt"), b"one\n");
    assert_eq!(chat("/undo\\n").code, Some(2), "nothing is left to take back");
}
