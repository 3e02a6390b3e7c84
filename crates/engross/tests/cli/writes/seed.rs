//! The routes that came first, in their shapes and without their defects.

use serde_json::json;

use super::server::{Server, code};

fn begin(server: &Server, target: &str, operation: &str) -> String {
    let options = json!({"intent": "a test", "target_file": target, "operation": operation});
    let (status, begun) = server.json("POST", "/api/write-session/begin", &options);
    assert_eq!((status, &begun["stage"]), (200, &json!("awaiting_content")), "{begun}");
    assert!(begun["instructions"].as_str().unwrap().contains("DONE"));
    begun["session_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_session_in_the_seeds_shape() {
    let server = Server::start();
    let id = begin(&server, ".Docs/README.md", "create");
    let (status, seen) = server.send("GET", &format!("/api/write-session/status?session_id={id}"), b"");
    assert_eq!((status, &seen["session_id"], &seen["stage"]), (200, &json!(id), &json!("awaiting_content")));
    assert!(seen["created_at"].is_u64() && seen["last_activity"].is_u64());
    let content = "# 👩‍👩‍👧 日本語 ‏שלום\r\nDONE\r\nnot the end\u{a0}\n";
    let finalise =
        || server.json("POST", "/api/write-session/finalize", &json!({"session_id": id, "content": content}));
    let (status, done) = finalise();
    assert_eq!(
        (status, &done["success"], &done["errors"], &done["stage"]),
        (200, &json!(true), &json!([]), &json!("complete"))
    );
    assert_eq!(
        (&done["written_path"], &done["validation_summary"]["lines"]),
        (&json!(".Docs/README.md"), &json!(3))
    );
    assert_eq!(server.read(".Docs/README.md").as_deref(), Some(content), "cases 18 and 19");
    assert_eq!(finalise(), (200, done), "a second time has no second effect");
    let status = server.send("GET", &format!("/api/write-session/status?session_id={id}"), b"");
    assert_eq!(code(&status), (404, "SESSION_NOT_FOUND"), "case 9");
}

#[test]
fn streamed_content_ends_at_done_at_once() {
    let server = Server::start();
    let id = begin(&server, "a.txt", "create");
    assert_eq!(server.content(&id, 0, "text\nDONERIGHT\nDONE:\n").1["state"], "receiving");
    assert_eq!(server.content(&id, 21, "DONE\n").1["state"], "committed");
    assert_eq!(server.read("a.txt").as_deref(), Some("text\nDONERIGHT\nDONE:\n"));
}

#[test]
fn what_is_wrong_is_never_the_servers_fault() {
    let server = Server::start();
    server.put("there.txt", "old");
    let finalise = |body: serde_json::Value| server.json("POST", "/api/write-session/finalize", &body);
    let unknown = "wri_00000000000000000000000000000001";
    assert_eq!(code(&finalise(json!({"session_id": unknown}))), (404, "SESSION_NOT_FOUND"));
    assert_eq!(code(&finalise(json!({"session_id": "x", "content": "y"}))), (404, "SESSION_NOT_FOUND"));
    assert_eq!(code(&finalise(json!({}))), (400, "ARGS_INVALID"));
    let id = begin(&server, "a.txt", "create");
    for content in [json!(null), json!(7), json!({})] {
        assert_eq!(code(&finalise(json!({"session_id": id, "content": content}))), (400, "ARGS_INVALID"));
    }
    assert_eq!(code(&finalise(json!({"session_id": id}))), (400, "EMPTY_CONTENT"));
    for content in ["", " \n\t"] {
        assert_eq!(
            code(&finalise(json!({"session_id": id, "content": content}))),
            (400, "EMPTY_CONTENT"),
            "case 6"
        );
    }
    let begin_with = |body: serde_json::Value| server.json("POST", "/api/write-session/begin", &body);
    assert_eq!(code(&begin_with(json!({"operation": "create"}))), (400, "TARGET_REQUIRED"), "case 2");
    assert_eq!(
        code(&begin_with(json!({"target_file": "b", "operation": "move"}))),
        (400, "INVALID_OPERATION"),
        "case 3"
    );
    assert_eq!(
        code(&begin_with(json!({"target_file": "a.txt", "operation": "create"}))),
        (409, "SESSION_CONFLICT"),
        "case 4"
    );
    let exists = begin_with(json!({"target_file": "there.txt", "operation": "create"}));
    assert_eq!(code(&exists), (409, "TARGET_EXISTS"));
    assert!(exists.1["error"]["message"].as_str().unwrap().contains("overwrite"), "case 12");
    assert_eq!(
        code(&begin_with(json!({"target_file": "none.txt", "operation": "append"}))),
        (404, "TARGET_MISSING")
    );
    assert_eq!(code(&server.send("GET", "/api/write-session/status", b"")), (400, "ARGS_INVALID"));
    let cancel = |body: &str| server.send("DELETE", "/api/write-session", body.as_bytes());
    assert_eq!(code(&cancel("")), (400, "ARGS_INVALID"));
    assert_eq!(cancel(&json!({"session_id": id}).to_string()).0, 200);
    assert_eq!(code(&cancel(&json!({"session_id": id}).to_string())), (404, "SESSION_NOT_FOUND"));
    assert_eq!(code(&finalise(json!({"session_id": id, "content": "x"}))), (404, "SESSION_NOT_FOUND"));
}

#[test]
fn case_05_07_and_10_unknown_too_much_and_deleted() {
    let server = Server::start();
    let finalise = |id: &str, content: &str| {
        server.json("POST", "/api/write-session/finalize", &json!({"session_id": id, "content": content}))
    };
    let unknown = "wri_00000000000000000000000000000001";
    assert_eq!(code(&finalise(unknown, "x")), (404, "SESSION_NOT_FOUND"), "case 5");
    let options = json!({"target_file": "a.txt", "operation": "create", "max_bytes": 10});
    let begun = server.json("POST", "/api/write-session/begin", &options).1;
    let id = begun["session_id"].as_str().unwrap();
    assert_eq!(code(&finalise(id, "eleven byte")), (413, "TOO_LARGE"), "case 7");
    let id = begin(&server, "a.txt", "create");
    assert_eq!(server.json("DELETE", "/api/write-session", &json!({"session_id": id})).0, 200);
    let status = server.send("GET", &format!("/api/write-session/status?session_id={id}"), b"");
    assert_eq!(code(&status), (404, "SESSION_NOT_FOUND"), "case 10");
    assert_eq!((server.read("a.txt"), server.spooled()), (None, Vec::new()));
}

#[test]
fn errors_in_the_content_leave_the_session_open() {
    let server = Server::start();
    let id = begin(&server, "a.toml", "create");
    let finalise = |content: &str| {
        server.json("POST", "/api/write-session/finalize", &json!({"session_id": id, "content": content}))
    };
    let (status, refused) = finalise("a = = 1\n");
    assert_eq!(
        (status, &refused["success"], &refused["stage"]),
        (200, &json!(false), &json!("needs_corrections"))
    );
    assert!(refused["errors"][0].as_str().unwrap().contains("line 1"));
    assert_eq!(finalise("a = 1\n").1["success"], true);
    assert_eq!(server.read("a.toml").as_deref(), Some("a = 1\n"));
}

#[test]
fn content_that_escapes_to_much_json_is_within_the_limit() {
    let server = Server::start();
    let id = begin(&server, "lines.txt", "create");
    let content = "x\n".repeat(12 << 20);
    let (status, done) =
        server.json("POST", "/api/write-session/finalize", &json!({"session_id": id, "content": content}));
    assert_eq!((status, &done["success"]), (200, &json!(true)));
    assert_eq!(std::fs::metadata(server.path("lines.txt")).unwrap().len(), 24 << 20);
}
