//! The routes of `docs/protocol/write-sessions.md`.

use std::io::Read;
use std::time::{Duration, Instant};

use engross_protocol::hex;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::server::{Server, code};

#[test]
fn a_file_over_several_turns() {
    let server = Server::start();
    let (status, begun) =
        server.begin(&json!({"target_file": "notes/a.md", "operation": "create", "root": "team"}));
    assert_eq!(status, 201);
    for (field, expected) in
        [("stage", json!("awaiting_content")), ("state", json!("open")), ("offset", json!(0))]
    {
        assert_eq!(begun[field], expected);
    }
    assert_eq!((&begun["max_bytes"], &begun["instruction"]), (&json!(64 << 20), &begun["instructions"]));
    assert!(begun["expires_at"].is_u64());
    let id = begun["session_id"].as_str().unwrap();
    let (status, sent) = server.content(id, 0, "# Title\n\nBegun");
    assert_eq!(
        (status, &sent["state"], &sent["offset"], &sent["error"], &sent["receipt"]),
        (200, &json!("receiving"), &json!(14), &json!(null), &json!(null))
    );
    let (status, cut) = server.turn_end(id, "length");
    assert_eq!((status, &cut["state"], &cut["prompt"]["kind"]), (200, &json!("paused"), &json!("continue")));
    assert_eq!(code(&server.finalise(id)), (409, "INCOMPLETE"));
    assert_eq!(server.content(id, 14, " and ended\n").0, 200);
    let (status, open) = server.turn_end(id, "stop");
    assert_eq!(
        (status, &open["state"], &open["error"]["code"]),
        (200, &json!("incomplete"), &json!("INCOMPLETE"))
    );
    let (status, done) = server.content(id, 25, format!("{}\n", begun["end_marker"].as_str().unwrap()));
    let text = "# Title\n\nBegun and ended\n";
    let sha256 = hex::encode(Sha256::digest(text));
    assert_eq!((status, &done["state"], &done["stage"]), (200, &json!("committed"), &json!("complete")));
    assert_eq!(done["receipt"]["sha256"], sha256.as_str());
    assert_eq!(
        (&done["receipt"]["path"], &done["receipt"]["lines"], &done["receipt"]["continuations"]),
        (&json!("notes/a.md"), &json!(3), &json!(2))
    );
    assert_eq!(server.read("team/notes/a.md").as_deref(), Some(text));
    let (status, look) = server.look(id);
    assert_eq!(
        (status, &look["receipt"], &look["target_file"]),
        (200, &done["receipt"], &json!("notes/a.md"))
    );
    assert_eq!(server.content(id, 99, "late").0, 200);
    assert_eq!(server.finalise(id).1["receipt"], done["receipt"]);
    assert_eq!(server.spooled(), Vec::<String>::new());
    let (_, list) = server.send("GET", "/v1/write-sessions", b"");
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
}

#[test]
fn refusals_have_their_status_and_code() {
    let server = Server::start();
    server.put("there.txt", "old");
    let table = [
        (json!({"operation": "create"}), 400, "TARGET_REQUIRED"),
        (json!({"target_file": "a", "operation": "delete"}), 400, "INVALID_OPERATION"),
        (json!({"target_file": "a", "operation": "create", "colour": 1}), 400, "ARGS_INVALID"),
        (json!({"target_file": "../a", "operation": "create"}), 400, "PATH_OUTSIDE_ROOT"),
        (json!({"target_file": "a/", "operation": "create"}), 400, "PATH_INVALID"),
        (json!({"target_file": ".git/config", "operation": "create"}), 403, "PROTECTED_PATH"),
        (json!({"target_file": "there.txt", "operation": "create"}), 409, "TARGET_EXISTS"),
        (json!({"target_file": "not-there.txt", "operation": "append"}), 404, "TARGET_MISSING"),
        (json!({"target_file": "a.docm", "operation": "create"}), 400, "UNSUPPORTED_TARGET"),
        (json!({"target_file": "a.docx", "operation": "append"}), 400, "UNSUPPORTED_TARGET"),
        (json!([]), 400, "ARGS_INVALID"),
    ];
    for (options, status, expected) in table {
        assert_eq!(code(&server.begin(&options)), (status, expected), "{options}");
    }
    assert_eq!(code(&server.send("POST", "/v1/write-sessions", b"{")), (400, "INVALID_JSON"));
    for (method, path) in
        [("GET", ""), ("PATCH", "?offset=0"), ("DELETE", ""), ("POST", "/finalize"), ("GET", "/events")]
    {
        for id in ["nothing", "wri_00000000000000000000000000000001"] {
            let answer = server.send(method, &format!("/v1/write-sessions/{id}{path}"), b"");
            assert_eq!(code(&answer), (404, "SESSION_NOT_FOUND"), "{method} {id}{path}");
        }
    }
    let (id, _) = server.begun(&json!({"target_file": "a.txt", "operation": "create", "max_bytes": 10}));
    assert_eq!(
        code(&server.begin(&json!({"target_file": "A.txt", "operation": "create"}))),
        (409, "SESSION_CONFLICT")
    );
    assert_eq!(code(&server.content(&id, 3, "x")), (409, "OFFSET_MISMATCH"));
    assert_eq!(
        code(&server.send("PATCH", &format!("/v1/write-sessions/{id}?offset=x"), b"")),
        (400, "ARGS_INVALID")
    );
    assert_eq!(
        code(&server.json("POST", &format!("/v1/write-sessions/{id}/turn-end"), &json!({}))),
        (400, "ARGS_INVALID")
    );
    assert_eq!(code(&server.finalise(&id)), (400, "EMPTY_CONTENT"));
    assert_eq!(code(&server.content(&id, 0, "12345678901")), (413, "TOO_LARGE"));
    assert_eq!(code(&server.content(&id, 11, "x")), (413, "TOO_LARGE"), "it is over");
    let (id, _) = server.begun(&json!({"target_file": "a.txt", "operation": "create"}));
    assert_eq!(code(&server.content(&id, 0, b"ab\xFFc")), (422, "ENCODING_INVALID"));
    let (id, _) = server.begun(&json!({"target_file": "a.txt", "operation": "create"}));
    server.content(&id, 0, "text");
    let cancelled = server.send("DELETE", &format!("/v1/write-sessions/{id}"), b"");
    assert_eq!((cancelled.0, &cancelled.1["state"]), (200, &json!("cancelled")));
    assert_eq!(code(&server.content(&id, 4, "more")), (409, "CANCELLED"));
    assert_eq!((server.spooled(), server.read("a.txt")), (Vec::new(), None));
}

/// Clients of one owner are bounded one by one, by the name that they give themselves.
#[test]
fn a_client_with_all_it_may_have_stands_in_no_other_ones_way() {
    let server = Server::start();
    let options = |name: &str| json!({"target_file": name, "operation": "create"});
    for n in 0..64 {
        assert_eq!(server.begin_as("one", &options(&format!("{n}.txt"))).0, 201, "{n}");
    }
    let refused = server.begin_as("one", &options("more.txt"));
    assert_eq!(code(&refused), (429, "SERVER_BUSY"));
    assert_eq!(server.begin_as("two", &options("two.txt")).0, 201);
    assert_eq!(server.begin(&options("nobody.txt")).0, 201);
    let too_long = server.begin_as(&"x".repeat(256), &options("long.txt"));
    assert_eq!(too_long.0, 400, "{}", too_long.1);
}

#[test]
fn a_finalise_may_say_how_much_was_sent() {
    let server = Server::start();
    let (id, _) =
        server.begun(&json!({"target_file": "a.txt", "operation": "create", "terminator": "sentinel"}));
    server.content(&id, 0, "some text\n");
    let finalise = |offset: u64| {
        server.json("POST", &format!("/v1/write-sessions/{id}/finalize"), &json!({"offset": offset}))
    };
    assert_eq!(code(&finalise(20)), (409, "OFFSET_MISMATCH"));
    assert_eq!(finalise(10).1["state"], "committed");
}

#[test]
fn errors_in_a_file_are_mended_by_a_patch() {
    let server = Server::start();
    let (id, marker) = server.begun(&json!({"target_file": "a.json", "operation": "create"}));
    let refused = server.content(&id, 0, format!("{{\n\"a\": 1\n\"b\": 2\n}}\n{marker}\n"));
    assert_eq!(
        (refused.0, &refused.1["state"], &refused.1["error"]["code"]),
        (200, &json!("needs_repair"), &json!("VALIDATION_FAILED"))
    );
    let offset = usize::try_from(refused.1["offset"].as_u64().unwrap()).unwrap();
    let patch = json!({"type": "replace_lines", "start_line": 2, "end_line": 2});
    assert_eq!(server.json("POST", &format!("/v1/write-sessions/{id}/patch"), &patch).0, 200);
    let done = server.content(&id, offset, format!("\"a\": 1,\n{marker}\n"));
    assert_eq!((&done.1["state"], &done.1["receipt"]["repairs"]), (&json!("committed"), &json!(1)));
    assert_eq!(server.read("a.json").as_deref(), Some("{\n\"a\": 1,\n\"b\": 2\n}\n"));
}

#[test]
fn events_are_streamed_and_can_be_gone_on_with() {
    let server = Server::start();
    let (id, _) = server.begun(&json!({"target_file": "a.txt", "operation": "create"}));
    let listening = {
        let mut stream = server.connect();
        let head = server.head("GET", &format!("/v1/write-sessions/{id}/events"), 0);
        std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
        std::thread::spawn(move || {
            let mut heard = String::new();
            stream.read_to_string(&mut heard).unwrap();
            heard
        })
    };
    server.content(&id, 0, "x".repeat(100_000));
    server.turn_end(&id, "length");
    server.content(&id, 100_000, "\nDONE");
    server.turn_end(&id, "stop");
    let live = listening.join().unwrap();
    let names = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix("event: ")).map(str::to_owned).collect()
    };
    assert_eq!(
        names(&live),
        ["opened", "progress", "cut", "prompt", "resumed", "validating", "committing", "committed"]
    );
    assert!(
        !live.contains(&"x".repeat(161)),
        "case 24: no content but what the model is shown to go on from"
    );
    let late = server.text("GET", &format!("/v1/write-sessions/{id}/events"), b"").1;
    assert_eq!(names(&late), names(&live));
    let id_of = |name: &str| {
        let (before, _) = late.split_once(&format!("\nevent: {name}\n")).unwrap();
        before.rsplit_once("id: ").unwrap().1.to_owned()
    };
    let mut stream = server.connect();
    let head = server.head("GET", &format!("/v1/write-sessions/{id}/events"), 0);
    let head = head.replace("\r\n\r\n", &format!("\r\nlast-event-id: {}\r\n\r\n", id_of("resumed")));
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert_eq!(names(&rest), ["validating", "committing", "committed"]);
}

#[test]
fn silence_after_done_ends_the_file() {
    let server = Server::start();
    let (id, _) = server.begun(&json!({"target_file": "a.txt", "operation": "create"}));
    assert_eq!(server.content(&id, 0, "text\nDONE\n").1["state"], "receiving");
    let began = Instant::now();
    while server.look(&id).1["state"] != "committed" {
        assert!(began.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(began.elapsed() > Duration::from_millis(1_500));
    assert_eq!(server.read("a.txt").as_deref(), Some("text\n"));
}

#[test]
fn a_long_body_is_not_held_in_memory_and_is_exact() {
    let server = Server::start();
    let (id, marker) =
        server.begun(&json!({"target_file": "big.txt", "operation": "create", "terminator": "sentinel"}));
    let line = "The quick brown fox jumps over the lazy dog, again and again.\n";
    let text = line.repeat((24 << 20) / line.len());
    let done = server.content(&id, 0, format!("{text}{marker}\n"));
    assert_eq!((done.0, &done.1["state"]), (200, &json!("committed")));
    assert!(server.read("big.txt").unwrap() == text);
}

/// Case 11: what nobody could foresee is no fault of the sender, and no success.
#[test]
fn case_11_an_unexpected_failure_is_told_as_one() {
    let server = Server::start();
    for validated in ["strict", "off"] {
        let target = format!("{validated}.txt");
        let options = json!({"target_file": target, "operation": "create", "validate": validated});
        let (id, _) = server.begun(&options);
        assert_eq!(server.content(&id, 0, "Some words.\n").0, 200);
        for entry in std::fs::read_dir(server.path(".engross-writes")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && path.file_name().is_some_and(|name| name.to_string_lossy().contains(&id)) {
                std::fs::remove_file(path).unwrap();
            }
        }
        assert_eq!(code(&server.finalise(&id)), (500, "FILE_NOT_WRITTEN"), "{validated}");
        assert_eq!(server.read(&target), None, "{validated}");
        assert_ne!(server.look(&id).1["state"], "committed", "{validated}");
    }
}

/// Case 17.
#[test]
fn case_17_a_name_that_no_file_can_have_is_refused_before_anything_is_sent() {
    let server = Server::start();
    for target in ["n".repeat(256), format!("{}/a.txt", "d".repeat(256)), "p/".repeat(3_000) + "a"] {
        let begun = server.begin(&json!({"target_file": target, "operation": "create"}));
        assert_eq!(code(&begun), (400, "PATH_INVALID"));
    }
    let (id, _) = server.begun(&json!({"target_file": "n".repeat(255), "operation": "create"}));
    assert_eq!(server.content(&id, 0, "x").0, 200);
    assert_eq!(server.finalise(&id).0, 200);
    assert_eq!(server.spooled(), Vec::<String>::new());
}
