//! `engross task`: from the words of a person to the files of this very run.

use serde_json::{Value, json};

use crate::desk::{ENGROSS, Ran, TestBench};
use crate::serve::Server;

/// A desk with a model that plays `turns`.
fn desk(turns: &Value) -> TestBench {
    let desk = TestBench::new();
    desk.put(
        "script.json",
        json!({"turns": turns, "default": {"text": "Nothing more."}}).to_string().as_bytes(),
    );
    desk
}

fn begin(file: &str) -> Value {
    json!({"tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": file, "operation": "create"}}]})
}

fn task(desk: &TestBench, arguments: &[&str]) -> Ran {
    let spec = format!("script:{}", desk.path("script.json").display());
    let mut all = vec!["task"];
    all.extend(arguments);
    all.extend(["--data", "data", "--json"]);
    let is_local = !arguments.contains(&"--server");
    if is_local && !["get", "list", "restore", "export", "import"].contains(&arguments[0]) {
        all.extend(["--model", &spec]);
    }
    desk.run(&all)
}

fn result(ran: &Ran) -> (Option<i32>, Value) {
    let shown = ran.json();
    let picked = ["lastResultCode", "lastArtifactSyncStatus", "files"].map(|name| shown[name].clone());
    (ran.code, json!(picked))
}

#[test]
fn a_task_brings_home_its_files_and_those_of_this_run_only() {
    let desk = desk(&json!([
        begin("brief.md"), {"text": "# Brief\n\nIt ends in May.\n\nDONE\n"}, {"text": "I wrote the brief."}
    ]));
    let first =
        task(&desk, &["run", "Write a brief", "--thread", "lease", "--folder", "out", "--require", "md"]);
    assert_eq!(result(&first), (Some(0), json!(["success", "synced", ["brief.md"]])), "{first:?}");
    assert_eq!(desk.bytes("out/brief.md"), b"# Brief\n\nIt ends in May.\n\n");
    let more = json!({"turns": [
        begin("sum.md"), {"text": "In short: May.\nDONE\n"}, {"text": "I wrote the sum."}
    ]});
    desk.put("script.json", more.to_string().as_bytes());
    let second = task(&desk, &["run", "And a sum", "--thread", "lease"]);
    assert_eq!(result(&second), (Some(0), json!(["success", "synced", ["sum.md"]])), "{second:?}");
    assert_eq!(desk.bytes("out/sum.md"), b"In short: May.\n");

    let got = desk.run(&["task", "get", "lea", "--data", "data", "--json"]).json();
    let said: Vec<&Value> = got["messages"].as_array().unwrap().iter().map(|said| &said["text"]).collect();
    assert_eq!(said, ["Write a brief", "I wrote the brief.", "And a sum", "I wrote the sum."]);
    assert_eq!((&got["status"], &got["title"]), (&json!("ready"), &json!("Write a brief")));
}

#[test]
fn files_are_sent_along_and_are_no_results() {
    let desk = desk(&json!([{"text": "I have read it."}]));
    desk.put("lease.txt", b"It ends in May.");
    let ran = task(&desk, &["run", "Read", "--thread", "t", "--folder", "out", "--attach", "lease.txt"]);
    assert_eq!(result(&ran), (Some(0), json!(["success", "no-exported-artifacts", []])), "{ran:?}");
    let copies = std::fs::read_dir(desk.path("out/.xworkmate/sent")).unwrap().flatten().collect::<Vec<_>>();
    assert_eq!(std::fs::read(copies[0].path().join("lease.txt")).unwrap(), b"It ends in May.");
    desk.put("large.bin", &vec![0; (10 << 20) + 1]);
    for (file, code) in [("no.txt", "NOT_FOUND"), ("large.bin", "OPENCLAW_ATTACHMENT_FILE_TOO_LARGE")] {
        let refused = task(&desk, &["run", "Read", "--thread", "t", "--attach", file]);
        assert_eq!(refused.json()["error"]["code"], code, "{refused:?}");
    }
    let got = desk.run(&["task", "get", "t", "--data", "data", "--json"]).json();
    assert_eq!(got["messages"].as_array().unwrap().len(), 2, "what was refused is not said: {got}");
}

/// Case 121, and the outcome table at the terminal.
#[test]
fn words_alone_are_no_file() {
    let text = json!([{"text": "I have written out/report.pdf for you."}]);
    for (flags, code, expected) in [
        (&["--chat"][..], 0, json!(["success", "no-artifacts", []])),
        (&[][..], 0, json!(["success", "no-exported-artifacts", []])),
        (&["--require", "pdf"][..], 1, json!(["artifact_missing", "failed", []])),
        (&["--require", "md=2"][..], 1, json!(["artifact_missing", "failed", []])),
    ] {
        let desk = desk(&text);
        let mut arguments = vec!["run", "Report", "--folder", "out"];
        arguments.extend(flags);
        let ran = task(&desk, &arguments);
        assert_eq!(result(&ran), (Some(code), expected), "{flags:?}: {ran:?}");
    }
}

#[test]
fn threads_are_listed_put_away_and_taken_over() {
    let desk = desk(&json!([{"text": "One."}]));
    assert_eq!(task(&desk, &["run", "Say one", "--thread", "a", "--chat", "--folder", "out"]).code, Some(0));
    let exported = desk.run(&["task", "export", "a", "--data", "data"]).stdout;
    desk.put("a.json", exported.as_bytes());
    let record: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!((&record["schemaVersion"], &record["threadId"]), (&json!(20_260_411), &json!("a")));

    assert_eq!(task(&desk, &["archive", "a"]).code, Some(0));
    let listed = |arguments: &[&str]| task(&desk, arguments).json()["threads"].as_array().unwrap().len();
    assert_eq!((listed(&["list"]), listed(&["list", "--all"])), (0, 1));
    assert_eq!(task(&desk, &["run", "More", "--thread", "a"]).error(), (1, "THREAD_ARCHIVED".to_owned()));
    assert_eq!(task(&desk, &["restore", "a"]).json()["status"], "ready");
    assert_eq!(task(&desk, &["import", "a.json"]).error(), (1, "TARGET_EXISTS".to_owned()));
    assert_eq!(desk.run(&["task", "import", "a.json", "--data", "other", "--json"]).json()["thread"], "a");
    assert_eq!(task(&desk, &["get", "nobody"]).error(), (1, "THREAD_UNKNOWN".to_owned()));
    desk.put("wrong.json", b"{}");
    assert_eq!(task(&desk, &["import", "wrong.json"]).error(), (1, "THREAD_RECORD_INVALID".to_owned()));
    for wrong in [&["run", " "][..], &["run", "x", "--require", "a/b"], &["run", "x", "--budget", "10"]] {
        assert_eq!(task(&desk, wrong).code, Some(2), "{wrong:?}");
    }
}

/// Who names a server expects to hear of it.
#[test]
fn a_list_says_when_the_server_that_was_named_was_not_reached() {
    let desk = desk(&json!([]));
    let away = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let away = format!("http://{away}");
    let ran = task(&desk, &["list", "--server", &away]);
    assert_eq!((ran.code, &ran.json()["threads"]), (Some(1), &json!([])), "{ran:?}");
    for told in [&ran.stderr, &ran.json()["serverProblem"].to_string()] {
        assert!(told.contains(&away) && told.contains("was not reached"), "{ran:?}");
    }
    assert_eq!(task(&desk, &["list", "--server", "no address"]).code, Some(2));
    std::fs::create_dir(desk.path("server")).unwrap();
    let server = Server::try_start(&desk.path("server"), &["--model", "rules"]).unwrap();
    let ran = task(&desk, &["list", "--server", &format!("http://{}", server.address())]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    std::fs::create_dir(desk.path("closed")).unwrap();
    let closed =
        Server::try_start(&desk.path("closed"), &["--model", "rules", "--token", "its-own"]).unwrap();
    let url = format!("http://{}", closed.address());
    for more in [&[][..], &["--token", "another"]] {
        let ran = task(&desk, &[&["list", "--server", &url], more].concat());
        assert!(ran.code == Some(1) && ran.stderr.contains("ENGROSS_TOKEN"), "{ran:?}");
    }
}

/// The runner of a person knows nothing of the runs of a server: it neither gives them up nor carries them out.
#[test]
fn a_task_at_a_server_stays_there() {
    let desk = desk(&json!([{"text": "From here."}]));
    let script = json!({"turns": [{"text": "From the server.", "delay_ms": 8_000}]});
    desk.put("server.json", script.to_string().as_bytes());
    let model = format!("script:{}", desk.path("server.json").display());
    std::fs::create_dir(desk.path("server")).unwrap();
    let server = Server::try_start(&desk.path("server"), &["--model", &model]).unwrap();
    let away = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (thread, server) in [("there", server.address().to_owned()), ("away", away.to_string())] {
        let server = format!("http://{server}/");
        let run = [
            "run", "Say it", "--chat", "--thread", thread, "--folder", thread, "--server", &server,
            "--detach",
        ];
        assert_eq!(task(&desk, &run).code, Some(0));
    }
    let own = task(&desk, &["run", "Say it here", "--chat", "--thread", "here", "--folder", "here"]);
    assert_eq!(own.code, Some(0), "{own:?}");
    // The runner looks after what was left, a second after its last task.
    std::thread::sleep(std::time::Duration::from_secs(4));
    for thread in ["there", "away"] {
        assert_eq!(task(&desk, &["get", thread]).json()["status"], "running", "{thread}");
    }
    // Its server needs no name again.
    let watched = task(&desk, &["watch", "there"]);
    assert_eq!(result(&watched), (Some(0), json!(["success", "no-artifacts", []])), "{watched:?}");
    let said = task(&desk, &["get", "there"]).json();
    assert_eq!(said["messages"][1]["text"], "From the server.", "{said}");
}

#[test]
fn a_task_that_is_refused_before_it_begins_leaves_no_thread() {
    let desk = desk(&json!([]));
    desk.put("file", b"x");
    for wrong in
        [&["run", "x", "--attach", "no.txt"][..], &["run", "x", "--folder", "file/beneath"], &["run", " "]]
    {
        assert_ne!(task(&desk, wrong).code, Some(0), "{wrong:?}");
    }
    assert_eq!(task(&desk, &["list", "--all"]).json()["threads"], json!([]));
}

#[test]
fn a_task_without_a_model_says_so() {
    let desk = desk(&json!([]));
    let run = |more: &[&str]| {
        desk.run(
            &[&["task", "run", "Write a brief", "--folder", "out", "--data", "data", "--json"], more]
                .concat(),
        )
    };
    assert!(run(&[]).stderr.contains("No model is set"), "the rules are no language model");
    let other = run(&["--agent", "codex"]);
    assert!(!other.stderr.contains("No model is set"), "it needs none of ours: {other:?}");
}

/// A command that carries a task out itself can be looked at, and told to stop, from another terminal.
#[test]
fn another_terminal_sees_a_task_and_stops_it() {
    let desk = desk(&json!([{"text": "Never said.", "delay_ms": 120_000}]));
    let spec = format!("script:{}", desk.path("script.json").display());
    let run = ["task", "run", "Wait", "--thread", "slow", "--chat", "--folder", "out", "--data", "data"];
    let mut first = desk.command(ENGROSS);
    let first = first.args(run).args(["--model", &spec, "--json"]).stdout(std::process::Stdio::piped());
    let first = first.stderr(std::process::Stdio::null()).spawn().unwrap();
    let began = std::time::Instant::now();
    while task(&desk, &["get", "slow"]).stdout.find("\"running\"").is_none() {
        assert!(began.elapsed().as_secs() < 60, "it never began");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(task(&desk, &["list"]).json()["threads"][0]["thread"], "slow");
    let stopped = task(&desk, &["cancel", "slow"]);
    assert_eq!(
        (stopped.code, &stopped.json()["lastResultCode"]),
        (Some(0), &json!("aborted")),
        "{stopped:?}"
    );
    let ended = first.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!((ended.status.code(), &told["lastResultCode"]), (Some(1), &json!("aborted")), "{told:#}");
    assert!(began.elapsed().as_secs() < 60, "nobody waits for the model");
}

#[test]
fn a_failed_task_says_why() {
    let desk = desk(&json!([{"fault": {"kind": "status", "code": 400}, "times": 0}]));
    let ran = task(&desk, &["run", "Write", "--folder", "out"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let said = ran.json()["messages"].as_array().unwrap().last().unwrap()["text"].clone();
    assert!(said.as_str().is_some_and(|said| said.contains("400")), "{said}");
}

#[test]
fn a_server_carries_tasks_out_and_a_kill_loses_nothing() {
    let desk = desk(&json!([]));
    let script = json!({"turns": [
        begin("a.md"), {"text": "A.\nDONE\n"}, {"text": "Made."}
    ]});
    desk.put("server.json", script.to_string().as_bytes());
    let model = format!("script:{}", desk.path("server.json").display());
    std::fs::create_dir(desk.path("server")).unwrap();
    let server = Server::try_start(&desk.path("server"), &["--model", &model]).unwrap();
    let url = format!("http://{}", server.address());
    let run = ["run", "Make a", "--thread", "a", "--folder", "out", "--server", &url, "--detach"];
    let ran = task(&desk, &run);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let watched = task(&desk, &["watch", "a", "--server", &url]);
    assert_eq!(result(&watched), (Some(0), json!(["success", "synced", ["a.md"]])), "{watched:?}");
    assert_eq!(desk.bytes("out/a.md"), b"A.\n");
    server.kill();
    let spec = ["--data", "data", "--server", &url];
    let mut looking_on = desk.command(ENGROSS);
    let mut looking_on =
        looking_on.args(["task", "run", "More", "--thread", "a"]).args(spec).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(looking_on.try_wait().unwrap().is_none(), "it waits for the server");
    looking_on.kill().unwrap();
    looking_on.wait().unwrap();
    let got = task(&desk, &["get", "a"]).json();
    assert_eq!(got["status"], "running", "what was asked is kept: {got:#}");
}
