//! `engross mcp` as a client starts it, and the settings of clients.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::serve::Server;

use crate::desk::{ENGROSS, TestBench};

/// Says `lines` to a server over the bench's folder and closes; its answers by id, and its exit code.
pub fn talk(desk: &TestBench, arguments: &[&str], lines: &[Value]) -> (Vec<Value>, Option<i32>) {
    let mut server = desk
        .command(ENGROSS)
        .arg("mcp")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut answers = Vec::new();
    for line in lines {
        writeln!(input, "{line}").unwrap();
        if line.get("id").is_some() {
            let mut answer = String::new();
            output.read_line(&mut answer).unwrap();
            answers.push(serde_json::from_str(&answer).unwrap());
        }
    }
    drop(input);
    (answers, server.wait().unwrap().code())
}

#[test]
fn a_client_starts_it_edits_and_leaves() {
    let desk = TestBench::new();
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let operations = json!([{"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}]);
    let call = json!({"name": "edit_document", "arguments": {"path": "nda.docx", "operations": operations}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ];
    let (answers, code) = talk(&desk, &["--root", ".", "--author", "Ada"], &lines);
    let text = answers[1]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("1 applied. Wrote nda.redline.docx"), "{text}");
    assert_eq!(code, Some(0));
    let revisions = desk.run(&["revisions", "nda.redline.docx", "--json"]).json();
    assert!(revisions.to_string().contains("\"Ada\""), "{revisions}");
}

#[test]
fn it_does_not_serve_a_home_by_accident() {
    let desk = TestBench::new();
    let ran = desk.command(ENGROSS).arg("mcp").current_dir("/").stdin(Stdio::null()).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("[FOLDER_TOO_WIDE]"), "{ran:?}");
    // The bench is the home of its programs.
    let ran = desk.command(ENGROSS).arg("mcp").output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stderr).contains("[FOLDER_TOO_WIDE]"), "{ran:?}");
    assert_eq!(desk.run(&["mcp", "--root", "nowhere"]).code, Some(2));
}

#[cfg(unix)]
#[test]
fn a_client_is_told_once_and_forgets_again() {
    let desk = TestBench::new();
    let home = desk.path("home");
    std::fs::create_dir_all(home.join(".codex")).unwrap();
    let settings = home.join(".codex/config.toml");
    let before = "model = \"o9\" # mine\n";
    std::fs::write(&settings, before).unwrap();
    let run = |arguments: &[&str]| {
        let ran = desk.command(ENGROSS).arg("mcp").args(arguments).env("HOME", &home).output().unwrap();
        (ran.status.code(), String::from_utf8(ran.stdout).unwrap(), String::from_utf8(ran.stderr).unwrap())
    };
    let (code, said, _) = run(&["install", "--client", "codex"]);
    assert_eq!((code, said.starts_with("Codex knows engross now: ")), (Some(0), true), "{said}");
    let after = std::fs::read_to_string(&settings).unwrap();
    assert!(after.starts_with(before) && after.contains("[mcp_servers.engross]"), "{after}");
    assert_eq!(std::fs::read_to_string(home.join(".codex/config.toml.before-engross")).unwrap(), before);
    assert!(run(&["install", "--client", "codex"]).1.starts_with("Codex knows engross already: "));
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), after);
    assert!(run(&["uninstall", "--client", "codex"]).1.contains("does not know engross any more"));
    assert!(!std::fs::read_to_string(&settings).unwrap().contains("engross"));
    // A project's own, and only shown.
    assert_eq!(run(&["install", "--client", "vscode", "--project"]).0, Some(0));
    let project = std::fs::read_to_string(desk.path(".vscode/mcp.json")).unwrap();
    assert!(project.contains("${workspaceFolder}"), "{project}");
    let (_, shown, _) = run(&["install", "--client", "zed", "--root", ".", "--print"]);
    assert!(shown.contains("context_servers") && !home.join(".config/zed").exists(), "{shown}");
    // What cannot be done says what can.
    assert!(run(&["install", "--client", "claude-desktop"]).2.contains("--root DIR"));
    assert!(run(&["install", "--client", "netscape"]).2.contains("known are amazon-q, claude-code"));
    std::fs::write(&settings, "model = ").unwrap();
    assert!(run(&["install", "--client", "codex"]).2.contains("[CONFIG_INVALID]"));
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), "model = ");
}

/// The answer to a request of the protocol over HTTP.
fn ask(server: &Server, token: &str, method: &str, params: &Value) -> (u16, Value) {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let bearer = format!("Bearer {token}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    let (status, body) = server.send("POST", "/mcp", &headers, body.as_bytes()).unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

#[test]
fn the_same_tools_over_http_behind_the_same_door() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("files");
    std::fs::create_dir_all(root.join("acme")).unwrap();
    std::fs::copy(crate::desk::example("nda.docx"), root.join("acme/nda.docx")).unwrap();
    let arguments = ["--model", "rules", "--token", "secret", "--root", root.to_str().unwrap()];
    let server = Server::try_start(folder.path(), &arguments).unwrap();
    assert_eq!(ask(&server, "wrong", "tools/list", &json!({})).0, 401);
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let (status, answer) = ask(&server, "secret", "initialize", &greeting);
    assert_eq!((status, &answer["result"]["protocolVersion"]), (200, &json!("2025-11-25")), "{answer}");
    assert_eq!(
        ask(&server, "secret", "tools/list", &json!({})).1["result"]["tools"].as_array().unwrap().len(),
        6
    );
    let operations = json!([{"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}]);
    let edit =
        |path: &str| json!({"name": "edit_document", "arguments": {"path": path, "operations": operations}});
    let text =
        |answer: &Value| answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    let (_, answer) = ask(&server, "secret", "tools/call", &edit("acme/nda.docx"));
    assert!(text(&answer).contains("1 applied. Wrote acme/nda.redline.docx"), "{answer}");
    assert!(
        !answer.to_string().contains(root.to_str().unwrap()),
        "the server's folders are its own: {answer}"
    );
    assert!(root.join("acme/nda.redline.docx").exists());
    for path in [
        "nda.docx",
        "../files/acme/nda.docx",
        "/etc/passwd",
        "acme/.engross/x.docx",
        "none/nda.docx",
        "file:///etc/passwd",
    ] {
        let (_, answer) = ask(&server, "secret", "tools/call", &edit(path));
        assert_eq!(answer["result"]["isError"], true, "{path}: {answer}");
        assert!(!answer.to_string().contains(root.to_str().unwrap()), "{path}: {answer}");
    }
    // What one route writes the other has.
    let headers = [("authorization", "Bearer secret")];
    let (status, list) = server.send("GET", "/v1/workspaces/acme/files", &headers, b"").unwrap();
    assert_eq!(status, 200);
    assert!(String::from_utf8(list).unwrap().contains("nda.redline.docx"));
    // A page of elsewhere does not get in.
    let headers = [("authorization", "Bearer secret"), ("origin", "https://evil.example")];
    assert_eq!(server.send("POST", "/mcp", &headers, b"{}").unwrap().0, 403);
}

/// The text of a call, and whether it was refused.
fn called(desk: &TestBench, with: &str, calls: &[Value]) -> Vec<(String, bool)> {
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": greeting}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    for (id, call) in (1..).zip(calls) {
        lines.push(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}));
    }
    let (answers, _) =
        talk(desk, &["--root", ".", "--author", "Ada", "--data", "data", "--with", with], &lines);
    let text = |answer: &Value| {
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        (text.to_owned(), result["isError"] == true)
    };
    answers.iter().skip(1).map(text).collect()
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

#[test]
fn further_tools_are_there_for_who_asks() {
    let desk = TestBench::new();
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}),
    ];
    for (with, count) in
        [(&[][..], 6), (&["--with", "writes"], 10), (&["--with", "playbooks,tasks,sessions"], 14)]
    {
        let arguments = [&["--root", ".", "--data", "data"], with].concat();
        let (answers, _) = talk(&desk, &arguments, &lines);
        assert_eq!(answers[1]["result"]["tools"].as_array().unwrap().len(), count, "{with:?}");
    }
    assert_eq!(desk.run(&["mcp", "--root", ".", "--with", "everything"]).code, Some(2));
    let shown =
        desk.run(&["mcp", "install", "--client", "zed", "--root", ".", "--with", "tasks,writes", "--print"]);
    assert!(
        shown.stdout.contains("\"--with\"") && shown.stdout.contains("\"tasks,writes\""),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_file_comes_in_pieces_and_whole_or_not_at_all() {
    let desk = TestBench::new();
    let begun = called(&desk, "writes", &[call("begin_write", &json!({"path": "../out.md"}))]);
    assert!(begun[0].1 && begun[0].0.starts_with("PATH_OUTSIDE_ROOT"), "{begun:?}");
    // One process is one client: the id of a write is in the answer, so the calls follow each other.
    let mut server = desk
        .command(ENGROSS)
        .args(["mcp", "--root", ".", "--data", "data", "--with", "writes"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut id = 0;
    let mut ask = |method: &str, params: Value| {
        id += 1;
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        (
            answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
            answer["result"]["isError"] == true,
        )
    };
    ask(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    );
    let (said, _) = ask("tools/call", call("begin_write", &json!({"path": "notes.md"})));
    let write = said.split("write ").nth(1).unwrap().split(',').next().unwrap().to_owned();
    let piece = |text: &str, offset: u64| {
        call("append_write", &json!({"write": write, "text": text, "offset": offset}))
    };
    assert!(ask("tools/call", piece("# Notes\n", 0)).0.contains("offset 8"));
    assert!(!desk.path("notes.md").exists());
    // A line end alone is a piece, too; a piece that comes again is not taken twice.
    assert!(ask("tools/call", piece("\n", 8)).0.contains("offset 9"));
    ask("tools/call", piece("\n", 8));
    assert!(ask("tools/call", piece("Text.\n", 9)).0.contains("offset 15"));
    let (said, refused) = ask("tools/call", call("finish_write", &json!({"write": write})));
    assert!(!refused && said.starts_with("Wrote notes.md: 15 bytes"), "{said}");
    assert_eq!(desk.bytes("notes.md"), b"# Notes\n\nText.\n");
    // What is there is not created, and what is given up leaves nothing.
    let (said, refused) = ask("tools/call", call("begin_write", &json!({"path": "notes.md"})));
    assert!(refused && said.starts_with("TARGET_EXISTS"), "{said}");
    assert_eq!(desk.bytes("notes.md"), b"# Notes\n\nText.\n");
    let (said, _) = ask("tools/call", call("begin_write", &json!({"path": "brief.docx"})));
    let write = said.split("write ").nth(1).unwrap().split(',').next().unwrap().to_owned();
    ask("tools/call", call("append_write", &json!({"write": write, "text": "# Brief\n\nWords.\n"})));
    assert!(
        ask("tools/call", call("finish_write", &json!({"write": write}))).0.starts_with("Wrote brief.docx")
    );
    assert!(desk.run(&["read", "brief.docx"]).stdout.contains("Words."));
    let (said, refused) = ask("tools/call", call("append_write", &json!({"write": write, "text": "x"})));
    assert!(refused && said.contains("begin_write gives an id"), "{said}");
    drop(input);
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn tasks_and_sessions_are_the_commands_of_the_program() {
    let desk = TestBench::new();
    let calls = [
        call("list_tasks", &json!({})),
        call("get_task", &json!({"thread": "--help"})),
        call(
            "ask_session",
            &json!({"path": "nda.docx", "message": "replace \"three (3) years\" with \"five (5) years\""}),
        ),
        call("list_sessions", &json!({})),
        call("ask_session", &json!({"path": "../nda.docx", "message": "x"})),
    ];
    let said = called(&desk, "tasks,sessions", &calls);
    assert!(!said[0].1 && said[0].0.contains("threads"), "{said:?}");
    // What looks like a flag is a name.
    assert!(said[1].1 && said[1].0.contains("THREAD_UNKNOWN"), "{said:?}");
    assert!(said[4].1 && said[4].0.starts_with("PATH_OUTSIDE_ROOT"), "{said:?}");
}
