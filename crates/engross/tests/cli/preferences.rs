//! Learning from documents: an agent delivers changes, a person makes something of them, and the next edit is told.

use engross_testkit::docx::DocxBuilder;
use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::desk::TestBench;
use crate::editors::editor::Editor;
use crate::mcp::talk;
use crate::serve::Server;

const TERM: &str = "The Supplier shall deliver the Goods to the Buyer on time.";
const PAYMENT: &str = "All invoices are payable within 45 days of receipt by the Buyer.";
const NOTICE: &str = "Either party may end this Agreement by written notice to the other.";

/// A document of some paragraphs of XML, saved by somebody at some time.
fn saved(paragraphs: &[String], by: &str, at: &str) -> Vec<u8> {
    let core = format!(
        "<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
         xmlns:dcterms=\"http://purl.org/dc/terms/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\
         <cp:lastModifiedBy>{by}</cp:lastModifiedBy><dcterms:modified xsi:type=\"dcterms:W3CDTF\">{at}</dcterms:modified></cp:coreProperties>"
    );
    let relationships = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
         <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"word/document.xml\"/>\
         <Relationship Id=\"rId2\" Type=\"http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties\" Target=\"docProps/core.xml\"/>\
         </Relationships>";
    DocxBuilder::new()
        .body(&paragraphs.concat())
        .part("docProps/core.xml", core)
        .content_type("docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml")
        .part("_rels/.rels", relationships)
        .build()
}

fn plain(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

fn contract(desk: &TestBench, name: &str) {
    std::fs::create_dir_all(desk.path(name).parent().unwrap()).unwrap();
    desk.put(name, &saved(&[plain(TERM), plain(PAYMENT), plain(NOTICE)], "Typist", "2026-01-01T08:00:00Z"));
}

/// A model that makes three changes.
fn agent() -> ModelServer {
    let change = |at: u32, from: &str, to: &str| json!({"op": "modify_text", "paragraphIndex": at, "originalText": from, "replacementText": to});
    let operations =
        [change(1, "shall", "must"), change(2, "45 days", "60 days"), change(3, "written notice", "e-mail")];
    ModelServer::start(json!({"turns": [
        {"when": {"last_role": "user"}, "times": 0, "tool_calls": [{"name": "apply_redlines", "args": {"operations": operations}}]},
        {"when": {"last_role": "tool"}, "times": 0, "text": "Done."}
    ]}))
}

fn edit(desk: &TestBench, server: &ModelServer, arguments: &[&str]) {
    let spec = format!("openai-compatible:{}/v1#m", server.url());
    let mut all = vec!["edit"];
    all.extend(arguments);
    all.extend(["Make it modern", "--model", &spec]);
    let ran = desk.run(&all);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// What Ada makes of the redline: `shall` stays, 30 days instead, and the third change still waits.
fn by_ada(desk: &TestBench, redline: &str, editor: &str) {
    let pending = "<w:p><w:r><w:t xml:space=\"preserve\">Either party may end this Agreement by </w:t></w:r>\
         <w:del w:id=\"7\" w:author=\"engross\" w:date=\"2026-01-02T08:00:00Z\"><w:r><w:delText>written notice</w:delText></w:r></w:del>\
         <w:ins w:id=\"8\" w:author=\"engross\" w:date=\"2026-01-02T08:00:00Z\"><w:r><w:t>e-mail</w:t></w:r></w:ins>\
         <w:r><w:t xml:space=\"preserve\"> to the other.</w:t></w:r></w:p>";
    let paragraphs = [plain(TERM), plain(&PAYMENT.replace("45", "30")), pending.to_owned()];
    desk.put(redline, &saved(&paragraphs, editor, "2026-01-03T08:00:00Z"));
}

/// The instructions of the first question that the server was asked since `from`.
fn prompt(server: &ModelServer, from: usize) -> String {
    server.requests()[from].body.to_string()
}

fn shown(desk: &TestBench, arguments: &[&str]) -> Vec<(String, String)> {
    let mut all = vec!["skills", "list", "--json"];
    all.extend(arguments);
    let list = desk.run(&all).json();
    let skills = list["skills"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    skills.map(|skill| (text(&skill["content"]), text(&skill["status"]))).collect()
}

#[test]
fn what_a_person_rejects_and_rewords_is_told_to_the_next_edit_of_that_folder_alone() {
    let desk = TestBench::new().with_variable("ENGROSS_DOCUMENT_LESSONS", "true");
    let server = agent();
    std::fs::create_dir_all(desk.path("sessions")).unwrap();
    let learn =
        ["learn", "--sessions", "sessions", "--skillbook", "book.json", "--agents-md", "A.md", "--json"];
    for name in ["one", "two"] {
        contract(&desk, &format!("acme/{name}.docx"));
        edit(&desk, &server, &[&format!("acme/{name}.docx")]);
        by_ada(&desk, &format!("acme/{name}.redline.docx"), "Ada");
    }
    let learnt = desk.run(&learn).json();
    assert_eq!(learnt["documents"]["changed"], 2, "{learnt:#}");
    let lessons = shown(&desk, &["--folder", "acme"]);
    let expected = [
        "Keep \"shall\": do not change it to \"must\"",
        "Write \"30\" after \"payable within\", never \"60\"",
    ]
    .map(|lesson| (lesson.to_owned(), "active".to_owned()));
    assert_eq!(lessons, expected);
    // A second look finds nothing new, and the general book knows nothing of it.
    assert_eq!(desk.run(&learn).json()["documents"]["effects"], json!([]));
    assert_eq!(shown(&desk, &["--skillbook", "book.json"]), []);
    // The next edit in that folder is told; one in another folder, or for a client, is not.
    for (name, client, is_told) in [
        ("acme/three.docx", None, true),
        ("other/four.docx", None, false),
        ("acme/five.docx", Some("Initech"), false),
    ] {
        contract(&desk, name);
        let from = server.requests().len();
        let mut arguments = vec![name];
        arguments.extend(client.iter().flat_map(|client| ["--client", client]));
        edit(&desk, &server, &arguments);
        let prompt = prompt(&server, from);
        assert_eq!(prompt.contains("do not change it to"), is_told, "{name}: {prompt}");
    }
}

#[test]
fn without_a_persons_name_a_lesson_waits_and_without_the_setting_nothing_is_kept() {
    let desk = TestBench::new().with_variable("ENGROSS_DOCUMENT_LESSONS", "true");
    let server = agent();
    std::fs::create_dir_all(desk.path("sessions")).unwrap();
    let learn =
        ["learn", "--sessions", "sessions", "--skillbook", "book.json", "--agents-md", "A.md", "--json"];
    for name in ["one", "two"] {
        contract(&desk, &format!("acme/{name}.docx"));
        edit(&desk, &server, &[&format!("acme/{name}.docx"), "--client", "Acme"]);
        // An agent rejects by a command, which leaves the properties as they were.
        let file = format!("acme/{name}.redline.docx");
        assert_eq!(desk.run(&["reject", &file, "--in-place"]).code, Some(0));
    }
    desk.run(&learn);
    let lessons = shown(&desk, &["--client", "Acme"]);
    assert_eq!(lessons.len(), 3, "{lessons:?}");
    assert!(lessons.iter().all(|(_, status)| status == "quarantined"), "{lessons:?}");
    let waiting = desk.run(&["skills", "review", "--client", "Acme", "--because", "doubt", "--json"]).json();
    assert_eq!(waiting["waiting"][0]["quarantine"], json!(["unknown_actor"]), "{waiting:#}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = desk.folder_of("delivered");
        for entry in std::fs::read_dir(folder).unwrap() {
            let mode = entry.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
    let desk = TestBench::new();
    contract(&desk, "acme/one.docx");
    edit(&desk, &server, &["acme/one.docx"]);
    assert!(desk.files_of("document-lessons").is_empty());
    by_ada(&desk, "acme/one.redline.docx", "Ada");
    assert!(desk.run(&learn).stdout.is_empty() || desk.files_of("document-lessons").is_empty());
}

/// Who else writes documents for agents, each into a file of its own.
fn deliver_by_others(desk: &TestBench) -> Vec<String> {
    let change = json!([{"op": "modify_text", "paragraphIndex": 1, "originalText": "shall", "replacementText": "must"}]);
    // A file of operations.
    contract(desk, "acme/by-apply.docx");
    desk.put("ops.json", change.to_string().as_bytes());
    assert_eq!(desk.run(&["apply", "acme/by-apply.docx", "ops.json"]).code, Some(0));
    // A client of agents, which names an author of its own.
    contract(desk, "acme/by-mcp.docx");
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let call = json!({"name": "edit_document", "arguments": {"path": "acme/by-mcp.docx", "operations": change, "author": "Bot"}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ];
    talk(desk, &["--root", "."], &lines);
    // An editor.
    let calls = |file: &str| {
        json!({"turns": [
        {"when": {"last_role": "user"}, "times": 0, "tool_calls": [{"name": "apply_redlines", "args": {"file": file, "operations": change}}]},
        {"when": {"last_role": "tool"}, "times": 0, "text": "Done."}]})
    };
    std::fs::create_dir_all(desk.path("work")).unwrap();
    contract(desk, "work/by-acp.docx");
    let (mut editor, session) = Editor::with_session(desk, &calls("by-acp.docx"));
    editor.prompt(&session, "Make it modern").unwrap();
    editor.leave();
    // A server.
    desk.put("script.json", calls("by-serve.docx").to_string().as_bytes());
    let spec = format!("script:{}", desk.path("script.json").display());
    let (root, home) = (desk.path("root"), desk.path(""));
    std::fs::create_dir_all(root.join("w")).unwrap();
    contract(desk, "root/w/by-serve.docx");
    let variables = [("ENGROSS_DOCUMENT_LESSONS", "true"), ("HOME", home.to_str().unwrap())];
    let arguments = ["--model", &spec, "--root", root.to_str().unwrap()];
    let server = Server::try_start_with(&desk.path(""), &arguments, &variables).unwrap();
    let headers = [("x-engross-session-key", "s"), ("x-engross-workspace", "w")];
    let body = json!({"messages": [{"role": "user", "content": "Make it modern"}]});
    assert_eq!(server.post("/v1/chat/completions", &headers, &body).unwrap().0, 200);
    ["acme/by-apply.redline.docx", "acme/by-mcp.redline.docx", "work/by-acp.docx", "root/w/by-serve.docx"]
        .map(str::to_owned)
        .to_vec()
}

#[test]
fn whoever_writes_for_an_agent_is_learnt_from() {
    let desk = TestBench::new().with_variable("ENGROSS_DOCUMENT_LESSONS", "true");
    std::fs::create_dir_all(desk.path("sessions")).unwrap();
    let learn =
        ["learn", "--sessions", "sessions", "--skillbook", "book.json", "--agents-md", "A.md", "--json"];
    let files = deliver_by_others(&desk);
    for file in &files {
        let paragraphs = [plain(TERM), plain(PAYMENT), plain(NOTICE)];
        desk.put(file, &saved(&paragraphs, "Berta", "2026-01-03T08:00:00Z"));
    }
    let learnt = desk.run(&learn).json();
    assert_eq!(learnt["documents"]["changed"], files.len(), "{learnt:#}");
    for (folder, status) in [("acme", "active"), ("work", "candidate"), ("root/w", "candidate")] {
        let lesson = "Keep \"shall\": do not change it to \"must\"".to_owned();
        assert_eq!(shown(&desk, &["--folder", folder]), [(lesson, status.to_owned())], "{folder}");
    }
    // The client of agents that reads a document of the folder next is told.
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let read = |path: &str| {
        let call = json!({"name": "read_document", "arguments": {"path": path}});
        let lines = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
        ];
        talk(&desk, &["--root", "."], &lines).0[1]["result"]["content"][0]["text"].to_string()
    };
    assert!(read("acme/by-mcp.docx").contains("do not change it to"));
    assert!(!read("work/by-acp.docx").contains("do not change it to"), "what was seen once waits");
    // Without the setting, nothing is kept.
    let desk = TestBench::new();
    contract(&desk, "acme/by-apply.docx");
    desk.put("ops.json", br#"[{"op":"modify_text","originalText":"shall","replacementText":"must"}]"#);
    assert_eq!(desk.run(&["apply", "acme/by-apply.docx", "ops.json"]).code, Some(0));
    assert!(desk.files_of("document-lessons").is_empty());
}

#[test]
fn documents_are_looked_at_where_no_agent_has_left_sessions() {
    let desk = TestBench::new().with_variable("ENGROSS_DOCUMENT_LESSONS", "true");
    let ran = desk.run(&["learn", "--skillbook", "book.json", "--agents-md", "A.md", "--json"]);
    assert_eq!((ran.code, &ran.json()["documents"]["changed"]), (Some(0), &json!(0)), "{ran:?}");
    assert_eq!(TestBench::new().refuses(&["learn", "--json"]).1, "LEARN_SESSIONS_MISSING");
}

#[test]
fn what_a_person_decided_is_learnt_although_the_agent_went_on() {
    let desk = TestBench::new().with_variable("ENGROSS_DOCUMENT_LESSONS", "true");
    let server = agent();
    std::fs::create_dir_all(desk.path("sessions")).unwrap();
    contract(&desk, "acme/one.docx");
    edit(&desk, &server, &["acme/one.docx", "--in-place"]);
    by_ada(&desk, "acme/one.docx", "Ada");
    // Before anybody looks, the agent changes it again.
    desk.put(
        "ops.json",
        br#"[{"op":"modify_text","paragraphIndex":1,"originalText":"on time","replacementText":"in time"}]"#,
    );
    assert_eq!(desk.run(&["apply", "acme/one.docx", "ops.json", "--in-place"]).code, Some(0));
    let learn =
        ["learn", "--sessions", "sessions", "--skillbook", "book.json", "--agents-md", "A.md", "--json"];
    desk.run(&learn);
    let lessons: Vec<String> =
        shown(&desk, &["--folder", "acme"]).into_iter().map(|(text, _)| text).collect();
    assert_eq!(
        lessons,
        [
            "Keep \"shall\": do not change it to \"must\"",
            "Write \"30\" after \"payable within\", never \"60\""
        ]
    );
    // What waits still waits, and is not decided twice.
    assert_eq!(desk.run(&learn).json()["documents"]["effects"], json!([]));
}
