//! Ctrl-C, and readers that go away.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use engross_testkit::scripted::ModelServer;
use serde_json::json;

use crate::desk::{ENGROSS, TestBench, example_argument};

/// Starts an edit, presses Ctrl-C when the model has been asked for the `ask`th time, and gives exit code and output.
fn interrupted(desk: &TestBench, spec: &str, ask: usize) -> (Option<i32>, String) {
    let mut child = desk
        .command(ENGROSS)
        .args(["edit", "nda.docx", "go", "--model", spec, "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let asking = lines.by_ref().map(Result::unwrap).filter(|line| line.starts_with("Asking")).nth(ask - 1);
    assert!(asking.is_some(), "it never asked");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    (child.wait().unwrap().code(), stdout)
}

#[test]
fn ctrl_c_while_the_model_is_silent_leaves_nothing() {
    let desk = TestBench::new();
    let turns = json!({"turns": [{"text": "Well", "fault": {"kind": "hang", "after": 0}}]});
    desk.put("hang.json", turns.to_string().as_bytes());
    let before = desk.files();
    let (code, stdout) = interrupted(&desk, "script:hang.json", 1);
    assert_eq!(code, Some(130));
    assert!(stdout.contains("INTERRUPTED"), "{stdout}");
    assert_eq!(desk.files(), before);

    let server = ModelServer::start(turns);
    let (code, _) = interrupted(&desk, &format!("openai-compatible:{}/v1#x", server.url()), 1);
    assert_eq!(code, Some(130));
    assert_eq!(desk.files(), before);
}

#[test]
fn ctrl_c_after_edits_leaves_nothing_either() {
    let desk = TestBench::new();
    let edit = json!({"name": "apply_redlines", "args": {"operations": [{"op": "delete_paragraph", "paragraphIndex": 56}]}});
    let turns = json!({"turns": [
        {"when": {"last_role": "user"}, "tool_calls": [edit]},
        {"text": "Well", "fault": {"kind": "hang", "after": 0}}
    ]});
    desk.put("hang.json", turns.to_string().as_bytes());
    let before = desk.files();
    assert_eq!(interrupted(&desk, "script:hang.json", 2).0, Some(130));
    assert_eq!(desk.files(), before);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let desk = TestBench::new();
    let ops = example_argument("operations/nda.json");
    for arguments in [vec!["read", "nda.docx"], vec!["apply", "nda.docx", &ops], vec!["--help"]] {
        let mut child = desk
            .command(ENGROSS)
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

/// Who was told that a server is there may end it at once: it ends as it always does, and not in the middle.
#[test]
fn a_server_that_is_asked_to_stop_as_soon_as_it_listens_stops_in_order() {
    let desk = TestBench::new();
    for (round, name) in ["-TERM", "-INT"].into_iter().cycle().take(10).enumerate() {
        let mut child = desk
            .command(ENGROSS)
            .args(["serve", "--listen", "127.0.0.1:0", "--store", "memory", "--model", "rules", "--data"])
            .arg(desk.path(&format!("data-{round}")))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.by_ref().any(|line| line.starts_with("Listening at ")), "it never listened");
        let kill = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let said: Vec<String> = lines.collect();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{name}: {said:?}");
        assert!(said.iter().any(|line| line.starts_with("Stopping")), "{name}: {said:?}");
    }
}
