//! Documents of workspaces, edited by models in sessions over HTTP: the cases of the contract at this face.

use std::path::Path;
use std::time::{Duration, Instant};

use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::desk::{TestBench, example};
use crate::serve::Server;

/// A server with the model `script`.
fn start(desk: &TestBench, script: &Value) -> Server {
    desk.put("script.json", script.to_string().as_bytes());
    let spec = format!("script:{}", desk.path("script.json").display());
    Server::try_start(desk.path("").as_path(), &["--model", &spec]).unwrap()
}

fn nda() -> Vec<u8> {
    std::fs::read(example("nda.docx")).unwrap()
}

fn put(server: &Server, path: &str, bytes: &[u8]) {
    let (status, body) = server.send("PUT", &format!("/v1/workspaces/{path}"), &[], bytes).unwrap();
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
}

fn file(server: &Server, path: &str) -> Vec<u8> {
    let (status, bytes) = server.send("GET", &format!("/v1/workspaces/{path}"), &[], b"").unwrap();
    assert_eq!(status, 200, "{path}");
    bytes
}

fn get(server: &Server, path: &str) -> Value {
    let (status, body) = server.send("GET", path, &[], b"").unwrap();
    assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
    serde_json::from_slice(&body).unwrap()
}

/// The ids of a document's checkpoints, oldest first.
fn checkpoints(server: &Server, path: &str) -> Vec<String> {
    let list = get(server, &format!("/v1/workspaces/{}", path.replace("/files/", "/checkpoints/")));
    list["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn restore(server: &Server, path: &str, id: &str) -> u16 {
    let path = format!("/v1/workspaces/{}", path.replace("/files/", "/checkpoints/"));
    server.post(&path, &[], &json!({ "restore": id })).unwrap().0
}

/// Says `text` in the session `s` about the workspace `w`; gives status and words.
fn say(server: &Server, text: &str) -> (u16, Value) {
    let headers = [("x-engross-session-key", "s"), ("x-engross-workspace", "w")];
    let body = json!({"messages": [{"role": "user", "content": text}]});
    server.post("/v1/chat/completions", &headers, &body).unwrap()
}

fn content(answer: &Value) -> &str {
    answer["choices"][0]["message"]["content"].as_str().unwrap_or_default()
}

fn edit(file: &str, from: &str, to: &str) -> Value {
    let operations = json!([{"op": "modify_text", "originalText": from, "replacementText": to}]);
    json!({"name": "apply_redlines", "args": {"file": file, "operations": operations}})
}

/// What the document at `path` says when all is accepted.
fn text(server: &Server, path: &str) -> String {
    get(server, &format!("/v1/workspaces/{path}?view=accepted"))["paragraphs"].to_string()
}

#[test]
fn a_turn_edits_a_document_and_a_checkpoint_gives_the_very_bytes_back() {
    let desk = TestBench::new();
    let script = json!({"turns": [
        {"when": {"last_role": "user"}, "text": "I change it.",
         "tool_calls": [edit("nda.docx", "three (3) years", "five (5) years")]},
        {"when": {"last_role": "tool"}, "text": "Five years it is."}
    ]});
    let server = start(&desk, &script);
    put(&server, "w/files/nda.docx", &nda());
    let headers = [("x-engross-session-key", "s"), ("x-engross-workspace", "w"), ("x-engross-events", "1")];
    let body = json!({"stream": true, "messages": [{"role": "user", "content": "Make it five years."}]});
    let (status, stream) =
        server.send("POST", "/v1/chat/completions", &headers, body.to_string().as_bytes()).unwrap();
    let stream = String::from_utf8(stream).unwrap();
    assert_eq!(status, 200, "{stream}");
    assert!(stream.contains("event: engross.status") && stream.contains("Applying edits"), "{stream}");
    let edited = file(&server, "w/files/nda.docx");
    assert!(text(&server, "w/files/nda.docx").contains("five (5) years"));
    desk.put("edited.docx", &edited);
    assert_eq!(desk.run(&["check", "edited.docx"]).code, Some(0));

    let known = checkpoints(&server, "w/files/nda.docx");
    assert_eq!(known.len(), 1);
    assert_eq!(restore(&server, "w/files/nda.docx", &known[0]), 200);
    assert_eq!(file(&server, "w/files/nda.docx"), nda());
    let (status, answer) =
        server.post("/v1/chat/completions", &[("x-engross-workspace", "none")], &body).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (404, &json!("WORKSPACE_UNKNOWN")));
}

#[test]
fn case_149_two_edits_of_a_turn_are_taken_back_one_by_one() {
    let desk = TestBench::new();
    let server = start(
        &desk,
        &json!({"turns": [
            {"when": {"last_role": "user"}, "tool_calls": [edit("nda.docx", "three (3) years", "five (5) years")]},
            {"when": {"last_role": "tool"}, "tool_calls": [edit("nda.docx", "courts of Ireland", "courts of Scotland")]},
            {"when": {"last_role": "tool"}, "text": "Both are done."}
        ]}),
    );
    put(&server, "w/files/nda.docx", &nda());
    let (status, answer) = say(&server, "Change both.");
    assert_eq!((status, content(&answer)), (200, "Both are done."), "{answer}");
    let both = text(&server, "w/files/nda.docx");
    assert!(both.contains("five (5) years") && both.contains("courts of Scotland"));
    let messages = get(&server, "/v1/sessions/s")["messages"].clone();
    let results = messages.as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    assert_eq!(results.filter(|result| result["is_error"] == false).count(), 2, "{messages:#}");

    let known = checkpoints(&server, "w/files/nda.docx");
    assert_eq!(known.len(), 2);
    restore(&server, "w/files/nda.docx", &known[1]);
    let first = text(&server, "w/files/nda.docx");
    assert!(first.contains("five (5) years") && first.contains("courts of Ireland"));
    restore(&server, "w/files/nda.docx", &known[0]);
    assert_eq!(file(&server, "w/files/nda.docx"), nda());
}

#[test]
fn case_150_after_an_edit_the_model_sees_the_text_and_the_numbers_of_now() {
    let desk = TestBench::new();
    let operations = json!([{"op": "insert_paragraph", "after": "P34", "style": "Clause", "content": "A wholly new clause."}]);
    desk.put("ops.json", json!({"operations": operations}).to_string().as_bytes());
    assert_eq!(desk.run(&["apply", "nda.docx", "ops.json"]).code, Some(0));
    let read = desk.run(&["read", "nda.redline.docx"]).stdout;
    let lines: Vec<&str> = read.lines().collect();
    let new = lines.iter().position(|line| line.contains("A wholly new clause.")).unwrap();
    assert!(lines[new].starts_with("[P35|Clause"), "{}", lines[new]);
    // The new paragraph and the one behind it, which has another number now.
    let seen = format!("{}\n{}", lines[new], lines[new + 1]);
    let call = json!({"name": "apply_redlines", "args": {"operations": operations}});
    let server = start(
        &desk,
        &json!({"turns": [
        {"when": {"last_role": "user"}, "tool_calls": [call]},
        {"when": {"last_role": "tool", "anywhere": seen}, "text": "I see it."}
    ], "default": {"text": "I see something else."}}),
    );
    put(&server, "w/files/nda.docx", &nda());
    assert_eq!(content(&say(&server, "Add a clause.").1), "I see it.");
}

#[test]
fn case_154_a_turn_that_is_stopped_edits_no_more() {
    let desk = TestBench::new();
    let server = start(
        &desk,
        &json!({"turns": [
        {"when": {"last_role": "user", "contains": "both"}, "tool_calls": [edit("nda.docx", "three (3) years", "five (5) years")]},
        {"when": {"last_role": "tool"}, "first_delay_ms": 60_000,
         "tool_calls": [edit("nda.docx", "courts of Ireland", "courts of Scotland")]}
    ], "default": {"text": "Still here."}}),
    );
    put(&server, "w/files/nda.docx", &nda());
    std::thread::scope(|scope| {
        let turn = scope.spawn(|| say(&server, "Change both."));
        let started = Instant::now();
        while checkpoints(&server, "w/files/nda.docx").is_empty() {
            assert!(started.elapsed() < Duration::from_secs(10), "it was never edited");
            std::thread::sleep(Duration::from_millis(20));
        }
        let (_, stopped) = server.post("/v1/sessions/s/cancel", &[], &json!({})).unwrap();
        assert_eq!(stopped, json!({"cancelled": true}));
        let (status, answer) = turn.join().unwrap();
        assert_eq!((status, &answer["error"]["code"]), (409, &json!("TURN_CANCELLED")), "{answer}");
    });
    let now = text(&server, "w/files/nda.docx");
    assert!(now.contains("five (5) years") && now.contains("courts of Ireland"), "the first edit stands");
    assert_eq!(checkpoints(&server, "w/files/nda.docx").len(), 1);
    assert_eq!(content(&say(&server, "Are you there?").1), "Still here.");
}

#[test]
fn case_162_five_questions_send_the_document_once_each_time() {
    let desk = TestBench::new();
    let model = ModelServer::start(json!({"turns": [], "default": {"text": "Because it says so."}}));
    let spec = format!("openai-compatible:{}/v1#x", model.url());
    let server = Server::try_start(desk.path("").as_path(), &["--model", &spec]).unwrap();
    put(&server, "w/files/nda.docx", &nda());
    for question in 1..=5 {
        assert_eq!(say(&server, &format!("Why, for the {question}th time?")).0, 200);
    }
    let asked = model.requests();
    assert_eq!(asked.len(), 5);
    for request in &asked {
        let body = request.body.to_string();
        assert_eq!(body.matches("is governed by the law of Ireland").count(), 1, "{body}");
    }
    let session = get(&server, "/v1/sessions/s");
    assert_eq!(session["messages"].as_array().unwrap().len(), 10);
    assert!(!session["messages"].to_string().contains("law of Ireland"), "it is no part of the conversation");
}

#[test]
fn case_163_the_model_learns_what_became_of_each_change() {
    let desk = TestBench::new();
    let operations = json!([
        {"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"},
        {"op": "modify_text", "originalText": "no such words", "replacementText": "x"},
    ]);
    let call = json!({"name": "apply_redlines", "args": {"operations": operations}});
    let server = start(
        &desk,
        &json!({"turns": [
            {"when": {"last_role": "user"}, "tool_calls": [call]},
            {"when": {"last_role": "tool", "contains": "TEXT_NOT_FOUND"},
             "tool_calls": [edit("nda.docx", "courts of Ireland", "courts of Scotland")]},
            {"when": {"last_role": "tool", "contains": "applied"}, "text": "Made good."}
        ]}),
    );
    put(&server, "w/files/nda.docx", &nda());
    assert_eq!(content(&say(&server, "Change two things.").1), "Made good.");
    let now = text(&server, "w/files/nda.docx");
    assert!(now.contains("five (5) years") && now.contains("courts of Scotland"), "both stand");
}

/// contracts/word.md §8 case 164: what the user wrote after the model's edit is shown before it would be lost, is not lost to a
/// restore that does not know of it, and can be had again.
#[test]
fn case_164_going_back_shows_what_the_user_would_lose() {
    let desk = TestBench::new();
    let server = start(
        &desk,
        &json!({"turns": [
            {"when": {"last_role": "user"}, "tool_calls": [edit("nda.docx", "three (3) years", "five (5) years")]},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ]}),
    );
    put(&server, "w/files/nda.docx", &nda());
    assert_eq!(content(&say(&server, "Five years.").1), "Done.");
    let seen = file(&server, "w/files/nda.docx");
    let own = json!({"author": "Ada", "operations":
        [{"op": "modify_text", "originalText": "courts of Ireland", "replacementText": "courts of Malta"}]});
    assert_eq!(server.post("/v1/workspaces/w/files/nda.docx/operations", &[], &own).unwrap().0, 200);
    let users = file(&server, "w/files/nda.docx");

    let known = checkpoints(&server, "w/files/nda.docx");
    let shown = get(&server, &format!("/v1/workspaces/w/checkpoints/nda.docx?id={}", known[0]));
    let texts = |side: &str| -> Vec<String> {
        shown[side].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    };
    let (lost, back) = (texts("lost"), texts("back"));
    assert_eq!((lost.len(), back.len()), (2, 2), "{shown:#}");
    assert!(lost[0].contains("five (5) years") && back[0].contains("three (3) years"), "{shown:#}");
    assert!(lost[1].contains("courts of Malta") && back[1].contains("courts of Ireland"), "{shown:#}");

    let restore_if = |bytes: &[u8]| {
        desk.put("known.docx", bytes);
        let tag = format!("\"{}\"", desk.sha256("known.docx"));
        let path = "/v1/workspaces/w/checkpoints/nda.docx";
        server.post(path, &[("if-match", &tag)], &json!({"restore": known[0]})).unwrap()
    };
    let (status, refused) = restore_if(&seen);
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("TARGET_CHANGED")));
    assert_eq!(file(&server, "w/files/nda.docx"), users, "nothing was taken");
    assert_eq!(restore_if(&users).0, 200);
    assert_eq!(file(&server, "w/files/nda.docx"), nda());
    let newest = checkpoints(&server, "w/files/nda.docx").pop().unwrap();
    assert_eq!(restore(&server, "w/files/nda.docx", &newest), 200);
    assert_eq!(file(&server, "w/files/nda.docx"), users, "the user's words are there again");
}

#[test]
fn case_165_two_documents_never_mix() {
    let desk = TestBench::new();
    let server = start(
        &desk,
        &json!({"turns": [
            {"when": {"last_role": "user"}, "tool_calls": [
                {"name": "read_document", "args": {"file": "a.docx"}}, {"name": "read_document", "args": {"file": "sub/a.docx"}}]},
            {"when": {"last_role": "tool"}, "tool_calls": [
                edit("a.docx", "three (3) years", "four (4) years"), edit("sub/a.docx", "three (3) years", "nine (9) years")]},
            {"when": {"last_role": "tool"}, "text": "Both are done."}
        ]}),
    );
    for path in ["w/files/a.docx", "w/files/sub/a.docx", "other/files/a.docx"] {
        put(&server, path, &nda());
    }
    assert_eq!(content(&say(&server, "Change both documents.").1), "Both are done.");
    let (outer, inner) = (checkpoints(&server, "w/files/a.docx"), checkpoints(&server, "w/files/sub/a.docx"));
    assert_eq!((outer.len(), inner.len()), (1, 1));
    assert!(checkpoints(&server, "other/files/a.docx").is_empty());
    assert_eq!(file(&server, "other/files/a.docx"), nda());
    assert_eq!(restore(&server, "other/files/a.docx", &outer[0]), 404);
    assert_eq!(restore(&server, "w/files/a.docx", &outer[0]), 200);
    assert_eq!(file(&server, "w/files/a.docx"), nda());
    assert!(text(&server, "w/files/sub/a.docx").contains("nine (9) years"));
}

#[test]
fn case_166_conversation_and_checkpoints_outlive_a_kill() {
    let desk = TestBench::new();
    let script = json!({"turns": [
        {"when": {"last_role": "user"}, "tool_calls": [edit("nda.docx", "three (3) years", "five (5) years")]},
        {"when": {"last_role": "tool"}, "text": "Done."}
    ]});
    let server = start(&desk, &script);
    put(&server, "w/files/nda.docx", &nda());
    say(&server, "Make it five years.");
    let session = get(&server, "/v1/sessions/s");
    let known = checkpoints(&server, "w/files/nda.docx");
    server.kill();
    let server = start(&desk, &script);
    assert_eq!(get(&server, "/v1/sessions/s"), session);
    assert_eq!((session["workspace"].as_str(), session["state"].as_str()), (Some("w"), Some("idle")));
    assert_eq!(checkpoints(&server, "w/files/nda.docx"), known);
    assert_eq!(restore(&server, "w/files/nda.docx", &known[0]), 200);
    assert_eq!(file(&server, "w/files/nda.docx"), nda());
}

#[test]
fn settings_of_the_file_hold_for_sessions() {
    let desk = TestBench::new();
    desk.put("slow.json", br#"{"default": {"text": "slow and steady"}}"#);
    desk.put(
        "tools.json",
        br#"[{"type": "function", "function": {"name": "navigate", "description": "Shows a place."}}]"#,
    );
    let script = json!({"turns": [
        {"when": {"last_role": "user", "contains": "edit", "anywhere": "Be brief."}, "tool_calls": [edit("nda.docx", "three (3) years", "five (5) years")]},
        {"when": {"last_role": "user", "contains": "where"}, "tool_calls": [{"name": "navigate", "args": {"to": "P1"}}]}
    ], "default": {"text": "well"}});
    desk.put("script.json", script.to_string().as_bytes());
    let path = |name: &str| desk.path(name).display().to_string();
    let config = format!(
        "model = \"script:{}\"\nslow_model = \"script:{}\"\nsystem_prompt = \"Be brief.\"\nauthor = \"Grace\"\nclient_tools = \"tools.json\"\n",
        path("script.json"),
        path("slow.json")
    );
    std::fs::create_dir(desk.path("conf")).unwrap();
    desk.put("conf/config.toml", config.as_bytes());
    desk.put("conf/tools.json", &desk.bytes("tools.json"));
    let root = path("documents");
    let server = Server::try_start(
        Path::new(&desk.path("")),
        &["--config", &path("conf/config.toml"), "--root", &root],
    )
    .unwrap();
    put(&server, "w/files/nda.docx", &nda());
    assert!(desk.path("documents/w/nda.docx").exists(), "beneath the root that was named");
    assert_eq!(content(&say(&server, "edit it").1), "well");
    desk.put("edited.docx", &file(&server, "w/files/nda.docx"));
    let revisions = desk.run(&["revisions", "edited.docx"]).stdout;
    assert!(revisions.contains("Grace, "), "{revisions}");
    let (_, asked) = say(&server, "where is it?");
    assert_eq!(asked["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "navigate", "{asked}");
    let slow = json!({"model": "engross/slow", "messages": [{"role": "user", "content": "Hi"}]});
    let (_, answer) = server.post("/v1/chat/completions", &[], &slow).unwrap();
    assert_eq!(content(&answer), "slow and steady");
}
