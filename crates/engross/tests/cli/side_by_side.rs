//! A server, chats and tasks on one data folder at the same time.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::{ENGROSS, Ran, TestBench, ran};
use crate::serve::Server;

/// A desk whose model takes its time when it is asked to.
fn desk() -> TestBench {
    let desk = TestBench::new();
    let script = json!({"turns": [
        {"when": {"last_role": "user", "contains": "slowly"}, "times": 0, "text": "Slow words.", "first_delay_ms": 7000},
        {"when": {"last_role": "user", "contains": "for ever"}, "times": 0, "text": "Never.", "first_delay_ms": 600_000},
    ], "default": {"text": "So be it."}});
    desk.put("script.json", script.to_string().as_bytes());
    desk
}

fn model(desk: &TestBench) -> String {
    format!("script:{}", desk.path("script.json").display())
}

fn serve(desk: &TestBench) -> Server {
    let transcripts = desk.path("transcripts").display().to_string();
    Server::try_start(&desk.path(""), &["--model", &model(desk), "--transcripts", &transcripts]).unwrap()
}

fn chat(desk: &TestBench, session: &str, typed: &str) -> Ran {
    let mut child = desk
        .command(ENGROSS)
        .args(["chat", "--data", "data", "--session", session, "--model", &model(desk)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    ran(child.wait_with_output().unwrap())
}

fn ask(server: &Server, session: &str, text: &str) -> std::io::Result<(u16, Value)> {
    let body = json!({"messages": [{"role": "user", "content": text}]});
    server.post("/v1/chat/completions", &[("x-engross-session-key", session)], &body)
}

/// What was said in a session, as a running server tells it.
fn said(server: &Server, session: &str) -> Vec<String> {
    let (status, body) = server.get(&format!("/v1/sessions/{session}")).unwrap();
    assert_eq!(status, 200, "{body}");
    let text = |message: &Value| message["content"].as_str().unwrap().to_owned();
    body["messages"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn a_server_chats_and_tasks_share_a_data_folder() {
    let desk = desk();
    let server = serve(&desk);
    assert_eq!(ask(&server, "shared", "one").unwrap().0, 200);
    let ran = chat(&desk, "shared", "two\nthree\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "So be it.\nSo be it.\n"), "{ran:?}");
    assert_eq!(ask(&server, "shared", "four").unwrap().0, 200);
    assert_eq!(chat(&desk, "shared", "five\n").code, Some(0));
    assert_eq!(ask(&server, "shared", "six").unwrap().0, 200);
    let expected: Vec<&str> =
        ["one", "two", "three", "four", "five", "six"].iter().flat_map(|text| [*text, "So be it."]).collect();
    assert_eq!(said(&server, "shared"), expected);

    assert_eq!(chat(&desk, "aside", "whale\n").code, Some(0));
    let began = Instant::now();
    let transcribed = || {
        let files = std::fs::read_dir(desk.path("transcripts")).unwrap().flatten();
        files.map(|file| std::fs::read_to_string(file.path()).unwrap()).any(|text| text.contains("whale"))
    };
    while !transcribed() {
        assert!(began.elapsed() < Duration::from_secs(60), "the turns of a chat are transcribed, too");
        std::thread::sleep(Duration::from_millis(200));
    }

    let task = desk.run(&[
        "task",
        "run",
        "Say something",
        "--thread",
        "t",
        "--folder",
        "out",
        "--chat",
        "--data",
        "data",
        "--model",
        &model(&desk),
        "--json",
    ]);
    assert_eq!((task.code, &task.json()["lastResultCode"]), (Some(0), &json!("success")), "{task:?}");
    let listed = desk.run(&["task", "list", "--data", "data", "--json"]);
    assert_eq!(listed.json()["threads"][0]["thread"], "t", "{listed:?}");

    // Many at once: nothing is lost, and nobody is shut out for good.
    std::thread::scope(|scope| {
        for number in 0..3 {
            let (desk, server) = (&desk, &server);
            scope.spawn(move || {
                assert_eq!(chat(desk, &format!("own{number}"), "a\nb\nc\n").code, Some(0));
                assert_eq!(said(server, &format!("own{number}")).len(), 6);
            });
            scope.spawn(move || assert_eq!(ask(server, &format!("other{number}"), "a").unwrap().0, 200));
        }
    });
}

#[test]
fn a_session_in_work_is_refused_elsewhere_and_free_when_its_process_ends_or_dies() {
    let desk = desk();
    let server = serve(&desk);
    assert_eq!(ask(&server, "s", "one").unwrap().0, 200);
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| ask(&server, "s", "slowly").unwrap());
        while said(&server, "s").len() < 3 {
            std::thread::sleep(Duration::from_millis(20));
        }
        let busy = chat(&desk, "s", "me, too\n");
        assert!(busy.stderr.contains("[SESSION_BUSY]") && busy.stdout.is_empty(), "{busy:?}");
        assert_eq!(said(&server, "s").len(), 3, "it can be read meanwhile");
        assert_eq!(slow.join().unwrap().0, 200);
    });
    let free = chat(&desk, "s", "now\n");
    assert_eq!(free.code, Some(0), "{free:?}");
    assert_eq!(said(&server, "s"), ["one", "So be it.", "slowly", "Slow words.", "now", "So be it."]);

    // A chat is open, so that the server stores whom a session belongs to; then the server dies at work.
    let other = desk
        .command(ENGROSS)
        .args(["chat", "--data", "data", "--session", "x", "--model", "rules"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| ask(&server, "s", "for ever").map(|_| ()).unwrap_err());
        while said(&server, "s").len() < 7 {
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut kill = std::process::Command::new("kill");
        assert!(
            kill.args(["-9", &server.child.as_ref().unwrap().id().to_string()]).status().unwrap().success()
        );
    });
    let died = Instant::now();
    let resumed = loop {
        let ran = chat(&desk, "s", "and now?\n");
        if ran.stdout == "So be it.\n" {
            break died.elapsed();
        }
        assert!(ran.stderr.contains("[SESSION_BUSY]"), "{ran:?}");
        assert!(died.elapsed() < Duration::from_secs(40), "the lease never ran out");
    };
    assert!(resumed < Duration::from_secs(30), "{resumed:?}");
    drop(other.wait_with_output());
    let server = serve(&desk);
    let now = said(&server, "s");
    assert_eq!((now.len(), &now[6..]), (9, &["for ever", "and now?", "So be it."].map(str::to_owned)[..]));
}
