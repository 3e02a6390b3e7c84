//! Documents in processes of their own (`isolate_documents`): the same answers, and documents that starve, kill and outlast their workers.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::desk::{TestBench, example};
use crate::serve::Server;

/// The usual settings of these tests, but for what a test says.
fn start(desk: &TestBench, settings: &[(&str, &str)]) -> Server {
    let script = json!({"turns": [
        {"when": {"last_role": "user"}, "times": 0, "text": "I change it.", "tool_calls": [
            {"name": "apply_redlines", "args": {"file": "nda.docx", "operations": [
                {"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}
            ]}}]},
        {"when": {"last_role": "tool"}, "times": 0, "text": "It is done."}
    ]});
    desk.put("script.json", script.to_string().as_bytes());
    let spec = format!("script:{}", desk.path("script.json").display());
    Server::try_start_with(desk.path("").as_path(), &["--model", &spec], settings).unwrap()
}

fn isolated<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut settings = vec![("ENGROSS_SERVE_ISOLATE_DOCUMENTS", "true")];
    settings.extend(more);
    settings
}

fn nda() -> Vec<u8> {
    std::fs::read(example("nda.docx")).unwrap()
}

fn put(server: &Server, path: &str, bytes: &[u8]) {
    let (status, body) = server.send("PUT", &format!("/v1/workspaces/w/files/{path}"), &[], bytes).unwrap();
    assert!(status == 201 || status == 200, "{}", String::from_utf8_lossy(&body));
}

/// Status and code of reading a document.
fn read(server: &Server, path: &str) -> (u16, Value) {
    server.get(&format!("/v1/workspaces/w/files/{path}?view=accepted")).unwrap()
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or_default()
}

fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_default()
}

/// A document of so many paragraphs: nothing in it is wrong but that it is large.
fn large(paragraphs: usize) -> Vec<u8> {
    let body: String = (0..paragraphs)
        .map(|number| {
            format!("<w:p><w:r><w:t>Paragraph {number} says as little as all the others.</w:t></w:r></w:p>")
        })
        .collect();
    DocxBuilder::new().body(&body).build()
}

/// A form with files.
fn form(parts: &[(&str, &[u8])]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (name, bytes) in parts {
        body.extend(
            format!("--X\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"f\"\r\n\r\n").bytes(),
        );
        body.extend_from_slice(bytes);
        body.extend(b"\r\n");
    }
    body.extend(b"--X--\r\n");
    ("multipart/form-data; boundary=X".to_owned(), body)
}

/// The processes that a process has started.
fn children(pid: u32) -> BTreeSet<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |thread: std::fs::DirEntry| {
        std::fs::read_to_string(thread.path().join("children")).unwrap_or_default()
    };
    threads
        .map(of)
        .flat_map(|text| text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

fn signal(pid: u32, signal: &str) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

fn is_alive(pid: u32) -> bool {
    // One that nobody has asked for its end yet is dead all the same.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let late = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < late, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a server answers to one request of each kind, in order.
fn answers(server: &Server) -> Vec<(String, u16, String)> {
    let mut all = Vec::new();
    let mut tell = |name: &str, (status, body): (u16, Vec<u8>)| {
        all.push((name.to_owned(), status, String::from_utf8_lossy(&body).into_owned()));
    };
    let file = "/v1/workspaces/w/files/nda.docx";
    put(server, "nda.docx", &nda());
    for (name, query) in [
        ("read", "?view=markup"),
        ("search", "?view=accepted&search=years"),
        ("html", "?as=html"),
        ("page", "?as=page"),
        ("revisions", "?list=revisions"),
        ("comments", "?list=comments"),
        ("bytes", ""),
    ] {
        tell(name, server.send("GET", &format!("{file}{query}"), &[], b"").unwrap());
    }
    let (kind, body) = form(&[("document", &nda()), ("options", b"{\"view\": \"accepted\"}")]);
    tell("view", server.send("POST", "/v1/view", &[("content-type", &kind)], &body).unwrap());
    let (kind, body) = form(&[("document", b"no document")]);
    tell("no view", server.send("POST", "/v1/view", &[("content-type", &kind)], &body).unwrap());
    let other = large(3);
    let options = br#"{"author": "Ada", "date": "2026-01-31T09:30:00Z"}"#;
    let (kind, body) = form(&[("before", &nda()), ("after", &other), ("options", options)]);
    for accept in ["application/json", "application/octet-stream"] {
        let headers = [("content-type", kind.as_str()), ("accept", accept)];
        tell("compare", server.send("POST", "/v1/compare", &headers, &body).unwrap());
    }
    let (kind, body) = form(&[("before", &nda()), ("after", b"no document")]);
    tell("no compare", server.send("POST", "/v1/compare", &[("content-type", &kind)], &body).unwrap());
    let playbook = b"# Terms\n\n## Term\n\nStandard: Two years.\n\nNever: \"three (3) years\"\n\n## Insurance\n\nStandard: Two million.\n";
    let (kind, body) = form(&[("document", &nda()), ("playbook", playbook), ("answers", b"[]")]);
    let (status, body) = server.send("POST", "/v1/review", &[("content-type", &kind)], &body).unwrap();
    // Its redline holds the date.
    let mut report: Value = serde_json::from_slice(&body).unwrap();
    assert!(report["content"].is_string(), "{report}");
    report["content"] = Value::Null;
    tell("review", (status, report.to_string().into_bytes()));
    let batch = json!({"date": "2026-01-31T09:30:00Z", "operations": [
        {"op": "modify_text", "originalText": "three (3) years", "replacementText": "four (4) years"},
        {"op": "modify_text", "originalText": "words that are not there", "replacementText": "x"}
    ]});
    let (status, mut applied) = server.post(&format!("{file}/operations"), &[], &batch).unwrap();
    assert!(applied["checkpoint"].is_string(), "{applied}");
    applied["checkpoint"] = Value::Null;
    tell("apply", (status, applied.to_string().into_bytes()));
    tell("edited", server.send("GET", file, &[], b"").unwrap());
    let (_, body) = server.send("GET", "/v1/workspaces/w/checkpoints/nda.docx", &[], b"").unwrap();
    let list: Value = serde_json::from_slice(&body).unwrap();
    let id = list["data"][0]["id"].as_str().unwrap();
    let (status, body) =
        server.send("GET", &format!("/v1/workspaces/w/checkpoints/nda.docx?id={id}"), &[], b"").unwrap();
    tell("losses", (status, String::from_utf8_lossy(&body).replace(id, "ID").into_bytes()));
    all
}

#[test]
fn answers_are_the_same_as_without() {
    let (desk, other) = (TestBench::new(), TestBench::new());
    let here = answers(&start(&desk, &[]));
    let server = start(&other, &isolated(&[]));
    let there = answers(&server);
    for (here, there) in here.iter().zip(&there) {
        assert_eq!(here, there);
    }
    assert_eq!(here.len(), there.len());
    let refused: Vec<&str> =
        here.iter().filter(|(_, status, _)| *status >= 400).map(|(name, ..)| name.as_str()).collect();
    assert_eq!(refused, ["no view", "no compare"]);
}

#[test]
fn a_model_edits_and_a_client_of_agents_reads_behind_the_fence() {
    let desk = TestBench::new();
    let server = start(&desk, &isolated(&[]));
    put(&server, "nda.docx", &nda());
    let headers = [("x-engross-session-key", "s"), ("x-engross-workspace", "w")];
    let body = json!({"messages": [{"role": "user", "content": "Five years, please."}]});
    let (status, answer) = server.post("/v1/chat/completions", &headers, &body).unwrap();
    assert_eq!(
        (status, answer["choices"][0]["message"]["content"].as_str()),
        (200, Some("I change it.\n\nIt is done.")),
        "{answer}"
    );
    assert!(read(&server, "nda.docx").1.to_string().contains("five (5) years"));

    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "edit_document", "arguments": {
        "path": "w/nda.docx", "operations": [{"op": "modify_text", "originalText": "five (5) years", "replacementText": "six (6) years"}]
    }}});
    let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let (status, answer) = server.send("POST", "/mcp", &headers, call.to_string().as_bytes()).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(status == 200 && answer.contains("1 applied"), "{status} {answer}");
}

#[test]
fn a_worker_has_nothing_but_its_pipes() {
    let desk = TestBench::new();
    let mut server = start(
        &desk,
        &isolated(&[("ENGROSS_TOKEN_OF_MINE", "secret"), ("ENGROSS_SERVE_DOCUMENT_MEMORY_MIB", "128")]),
    );
    let workers = children(server.child().id());
    assert_eq!(workers.len(), 1, "one is begun with the server");
    let worker = workers.into_iter().next().unwrap();
    let about = |file: &str| std::fs::read_to_string(format!("/proc/{worker}/{file}")).unwrap();
    let status = about("status");
    for line in [
        "Seccomp:\t2",
        "NoNewPrivs:\t1",
        "CapEff:\t0000000000000000",
        "CapPrm:\t0000000000000000",
        "Threads:\t1",
    ] {
        assert!(status.contains(line), "{line} is not in {status}");
    }
    let limits = about("limits");
    let data = limits.lines().find(|line| line.starts_with("Max data size")).unwrap();
    assert!(data.contains(" 134217728 "), "{data}");
    let open: BTreeSet<String> = std::fs::read_dir(format!("/proc/{worker}/fd"))
        .unwrap()
        .map(|entry| std::fs::read_link(entry.unwrap().path()).unwrap().display().to_string())
        .map(|target| target.split(':').next().unwrap().to_owned())
        .collect();
    let own = format!("/proc/{worker}/stat");
    // What the one who started the server left open for it is not the server's.
    let known = ["pipe".to_owned(), "/dev/null".to_owned(), own];
    assert!(open.iter().all(|target| known.contains(target)), "{open:?}");
    assert!(!about("environ").contains("secret"));
}

#[test]
fn a_document_that_starves_costs_its_own_request_alone() {
    let desk = TestBench::new();
    let settings = [("ENGROSS_SERVE_DOCUMENT_MEMORY_MIB", "32"), ("ENGROSS_SERVE_DOCUMENT_SECONDS", "30")];
    let mut server = start(&desk, &isolated(&settings));
    put(&server, "large.docx", &large(50_000));
    put(&server, "nda.docx", &nda());
    let (status, answer) = read(&server, "large.docx");
    assert_eq!((status, code(&answer)), (422, "DOCUMENT_LIMITS"), "{answer}");
    assert!(
        message(&answer).contains("large.docx") && message(&answer).contains("document_memory_mib"),
        "{answer}"
    );
    assert_eq!(read(&server, "nda.docx").0, 200);
    // As bytes it may be had.
    assert_eq!(server.send("GET", "/v1/workspaces/w/files/large.docx", &[], b"").unwrap().0, 200);
    let (kind, body) = form(&[("document", &large(200_000))]);
    let (status, body) = server.send("POST", "/v1/view", &[("content-type", &kind)], &body).unwrap();
    assert_eq!(status, 422, "{}", String::from_utf8_lossy(&body));
    let operations = json!([{"op": "insert_paragraph", "after": "P1", "content": "New."}]);
    let (status, answer) =
        server.post("/v1/workspaces/w/files/large.docx/operations", &[], &operations).unwrap();
    assert_eq!((status, code(&answer)), (422, "DOCUMENT_LIMITS"), "{answer}");
    // The server itself has not opened it: a process that has is larger.
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child().id())).unwrap();
    let peak: u64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
        .unwrap();
    assert!(peak < 250 << 10, "{peak} KiB");
    // An edit that is dear passes no bound but its own.
    let text = "word ".repeat(2_000_000);
    let operations = json!([{"op": "insert_paragraph", "after": "P1", "content": text}]);
    let (status, answer) =
        server.post("/v1/workspaces/w/files/nda.docx/operations", &[], &operations).unwrap();
    assert_eq!((status, code(&answer)), (422, "DOCUMENT_LIMITS"), "{status}");
    assert_eq!(server.send("GET", "/v1/workspaces/w/files/nda.docx", &[], b"").unwrap().1, nda());
}

#[test]
fn a_document_that_takes_too_long_costs_its_own_request_alone() {
    let desk = TestBench::new();
    let settings = [("ENGROSS_SERVE_DOCUMENT_MEMORY_MIB", "4096"), ("ENGROSS_SERVE_DOCUMENT_SECONDS", "1")];
    let server = start(&desk, &isolated(&settings));
    put(&server, "large.docx", &large(150_000));
    put(&server, "nda.docx", &nda());
    let (status, answer) = read(&server, "large.docx");
    assert_eq!((status, code(&answer)), (422, "DOCUMENT_LIMITS"), "{answer}");
    assert!(message(&answer).contains("document_seconds"), "{answer}");
    // It is not tried again at once.
    let began = Instant::now();
    assert_eq!(read(&server, "large.docx").0, 422);
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!(read(&server, "nda.docx").0, 200);
}

#[test]
fn a_worker_that_is_killed_costs_one_request_at_most() {
    let desk = TestBench::new();
    let mut server = start(&desk, &isolated(&[("ENGROSS_SERVE_DOCUMENT_WORKERS", "1")]));
    let pid = server.child().id();
    put(&server, "nda.docx", &nda());
    // While it has nothing to do.
    children(pid).into_iter().for_each(|worker| signal(worker, "-KILL"));
    assert_eq!(read(&server, "nda.docx").0, 200);
    // While it works.
    put(&server, "large.docx", &large(100_000));
    let before = children(pid);
    let (status, answer) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| read(&server, "large.docx"));
        let worker = *before.first().unwrap();
        until("it begins to work", || {
            let stat = std::fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
            let size = stat.lines().find_map(|line| {
                line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok()
            });
            size.is_some_and(|size| size > 60 << 10)
        });
        // One that dies as soon as it is asked is replaced: this one has been at work for longer.
        signal(worker, "-STOP");
        std::thread::sleep(Duration::from_millis(200));
        signal(worker, "-KILL");
        reading.join().unwrap()
    });
    assert_eq!((status, code(&answer)), (503, "DOCUMENT_WORKER_UNAVAILABLE"), "{answer}");
    assert_eq!(read(&server, "nda.docx").0, 200);
    let (status, answer) = read(&server, "large.docx");
    assert_eq!(status, 200, "{}", code(&answer));
}

#[test]
fn many_requests_have_no_more_workers_than_may_be() {
    let desk = TestBench::new();
    let mut server = start(&desk, &isolated(&[("ENGROSS_SERVE_DOCUMENT_WORKERS", "2")]));
    let pid = server.child().id();
    let most = std::thread::scope(|scope| {
        let server = &server;
        let asking: Vec<_> = (0..16)
            .map(|number| {
                scope.spawn(move || {
                    let name = format!("{number}.docx");
                    put(server, &name, &large(500 + number));
                    read(server, &name).0
                })
            })
            .collect();
        let mut most = 0;
        while asking.iter().any(|thread| !thread.is_finished()) {
            most = most.max(children(pid).len());
            std::thread::sleep(Duration::from_millis(2));
        }
        asking.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), 200));
        most
    });
    assert!((1..=2).contains(&most), "{most}");
}

#[test]
fn no_worker_outlives_its_server() {
    for how in ["-TERM", "-KILL"] {
        let desk = TestBench::new();
        let mut server = start(&desk, &isolated(&[("ENGROSS_SERVE_DRAIN_SECONDS", "1")]));
        let pid = server.child().id();
        put(&server, "large.docx", &large(100_000));
        let workers = std::thread::scope(|scope| {
            let asking = scope.spawn(|| server.get("/v1/workspaces/w/files/large.docx?view=accepted"));
            std::thread::sleep(Duration::from_millis(300));
            let workers = children(pid);
            signal(pid, how);
            let _ = asking.join().unwrap();
            workers
        });
        assert_eq!(workers.len(), 1);
        until("the server ends", || !is_alive(pid));
        until("its workers end", || workers.iter().all(|worker| !is_alive(*worker)));
    }
}

#[test]
fn the_command_of_a_worker_is_of_no_use_to_a_person() {
    let desk = TestBench::new();
    let (exit, said) =
        (desk.run(&["document-worker"]).code, desk.run(&["document-worker", "1", "2", "3"]).stderr);
    assert_eq!(exit, Some(125));
    assert!(said.contains("is gone"), "{said}");
}
