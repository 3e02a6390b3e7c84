//! The runner in the background: terminals come and go, and what was asked goes on.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::{ENGROSS, TestBench};
use crate::fake_agent;

const USUAL: [&str; 4] = ["--config", "engross.toml", "--data", "data"];

fn begun(desk: &TestBench, words: &str, thread: &str) -> Child {
    let run = ["task", "run", words, "--agent", "fake", "--thread", thread, "--folder", thread];
    let mut command = desk.command(ENGROSS);
    command.args(run).args(USUAL).arg("--json").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn task(desk: &TestBench, arguments: &[&str]) -> Value {
    let mut all = vec!["task"];
    all.extend(arguments);
    let is_local = ["list", "get", "restore", "export", "import", "open"].contains(&arguments[0]);
    all.extend(if is_local { &USUAL[2..] } else { &USUAL[..] });
    all.push("--json");
    desk.run(&all).json()
}

/// The thread once `is_so` holds of it.
fn until(desk: &TestBench, thread: &str, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let shown = task(desk, &["get", thread]);
        if is_so(&shown) {
            return shown;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: {shown:#}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn running(shown: &Value) -> bool {
    shown["status"] == "running" && shown["runId"].is_string()
}

/// Ctrl-C, a request to end and a kill are the viewer's: the task goes on, and its files come home with nobody looking on.
#[cfg(unix)]
#[test]
fn a_terminal_that_goes_away_takes_no_task_with_it() {
    for signal in ["-INT", "-TERM", "-KILL", "-HUP"] {
        let desk = fake_agent::desk();
        let mut viewer = begun(&desk, "@ sleep 2500\n@ write done.md Done.\n@ say I wrote done.md.", "a");
        until(&desk, "a", "it runs", running);
        let pid = viewer.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
        viewer.wait().unwrap();
        let ended = until(&desk, "a", "it ends by itself", |shown| shown["status"] == "ready");
        assert_eq!(
            (&ended["lastResultCode"], &ended["files"]),
            (&json!("success"), &json!(["done.md"])),
            "{signal}"
        );
        assert_eq!(desk.bytes("a/done.md"), b"Done.");
    }
}

/// Two threads at once, one stopped from elsewhere while the other goes on; what was only asked is on the disk.
#[test]
fn several_threads_run_at_once_and_any_is_stopped_from_anywhere() {
    let desk = fake_agent::desk();
    let words = |file: &str| format!("@ sleep 3000\n@ write {file} x\n@ say Made {file}.");
    let (one, other) = (begun(&desk, &words("one.md"), "one"), begun(&desk, &words("other.md"), "other"));
    until(&desk, "one", "it runs", running);
    until(&desk, "other", "both run at once", running);
    assert_eq!(task(&desk, &["cancel", "other"])["lastResultCode"], "aborted");
    let ended: Vec<Value> = [one, other]
        .into_iter()
        .map(|viewer| serde_json::from_slice(&viewer.wait_with_output().unwrap().stdout).unwrap())
        .collect();
    let codes: Vec<&Value> = ended.iter().map(|end| &end["lastResultCode"]).collect();
    assert_eq!(codes, ["success", "aborted"], "{ended:#?}");
    assert_eq!((desk.bytes("one/one.md"), desk.path("other/other.md").exists()), (b"x".to_vec(), false));
}

/// Processes that work for this desk, whatever they are called.
#[cfg(target_os = "linux")]
fn working_for(desk: &TestBench) -> Vec<String> {
    let folder = desk.path("").to_string_lossy().trim_end_matches('/').to_owned();
    let is_of_desk = |process: &std::path::Path| {
        let stands_in = std::fs::read_link(process.join("cwd")).unwrap_or_default();
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        stands_in.to_string_lossy().starts_with(&folder)
            || String::from_utf8_lossy(&environment).contains(&folder)
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let ours = all.filter(|process| is_of_desk(process));
    let told = |process: std::path::PathBuf| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ")
    };
    ours.map(told).filter(|line| !line.is_empty()).collect()
}

/// Whoever removes the folder for data can stop nothing any more, so that what works beneath it ends by itself.
#[cfg(target_os = "linux")]
#[test]
fn a_runner_whose_folder_is_gone_ends_with_its_agents() {
    let desk = fake_agent::desk();
    let mut viewer = begun(&desk, "@ hang", "h");
    until(&desk, "h", "it runs", running);
    viewer.kill().unwrap();
    viewer.wait().unwrap();
    assert!(working_for(&desk).len() >= 2, "the runner and its agent: {:?}", working_for(&desk));
    // What works there may make a file meanwhile.
    let began = Instant::now();
    while desk.path("data").exists() {
        let _ = std::fs::remove_dir_all(desk.path("data"));
        assert!(began.elapsed() < Duration::from_secs(60), "the folder cannot be removed");
    }
    while !working_for(&desk).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "{:#?}", working_for(&desk));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_detached_task_is_carried_out_and_comes_home() {
    let desk = fake_agent::desk();
    let mut run = vec![
        "task",
        "run",
        "@ write a.md x\n@ say Made.",
        "--agent",
        "fake",
        "--thread",
        "d",
        "--folder",
        "d",
        "--detach",
        "--json",
    ];
    run.extend(USUAL);
    assert_eq!(desk.run(&run).code, Some(0));
    let ended = until(&desk, "d", "nobody looks on", |shown| shown["status"] == "ready");
    assert_eq!(
        (&ended["lastResultCode"], &ended["files"]),
        (&json!("success"), &json!(["a.md"])),
        "{ended:#}"
    );
    assert!(ended["runId"].is_string(), "{ended:#}");
}

/// Both look on at one thread, and both say what came of it.
#[test]
fn two_terminals_on_one_thread_both_succeed() {
    let desk = fake_agent::desk();
    let first = begun(&desk, "@ sleep 1500\n@ write a.md x\n@ write b.md y\n@ say Made.", "t");
    until(&desk, "t", "it runs", running);
    let watch = |desk: &TestBench| {
        let mut command = desk.command(ENGROSS);
        command
            .args(["task", "watch", "t"])
            .args(USUAL)
            .arg("--json")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let others = [watch(&desk), watch(&desk)];
    for viewer in std::iter::once(first).chain(others) {
        let ended = viewer.wait_with_output().unwrap();
        let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
        let seen =
            (ended.status.code(), &told["lastResultCode"], &told["lastArtifactSyncStatus"], &told["files"]);
        assert_eq!(
            seen,
            (Some(0), &json!("success"), &json!("synced"), &json!(["a.md", "b.md"])),
            "{told:#}"
        );
    }
}

#[test]
fn what_a_program_reads_of_a_task() {
    let desk = fake_agent::desk();
    let words = "@ plan read\n@ tool t1 in_progress Make it\n@ tool t1 completed Make it\n@ write a.md x\n@ say Made.";
    let mut run = vec![
        "task",
        "run",
        words,
        "--agent",
        "fake",
        "--thread",
        "p",
        "--folder",
        "p",
        "--json-lines",
        "--on-end",
        "echo $ENGROSS_THREAD $ENGROSS_RESULT > hook.txt",
    ];
    run.extend(USUAL);
    let ran = desk.run(&run);
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: std::collections::BTreeSet<&str> =
        lines.iter().filter_map(|line| line["event"].as_str()).collect();
    for event in ["plan", "tool", "text", "file", "end"] {
        assert!(events.contains(event), "{event}: {ran:?}");
    }
    assert!(!events.contains("connection"), "it was never lost: {ran:?}");
    let end = lines.last().unwrap();
    assert_eq!(
        (ran.code, &end["event"], &end["lastResultCode"]),
        (Some(0), &json!("end"), &json!("success"))
    );
    let file = &lines.iter().find(|line| line["event"] == "file").unwrap()["file"];
    assert_eq!(
        (&file["relativePath"], &file["sizeBytes"], &file["replaced"]),
        (&json!("a.md"), &json!(1), &json!(false))
    );
    assert_eq!(desk.bytes("hook.txt"), b"p success\n");
    let listed = &task(&desk, &["list"])["threads"][0];
    assert_eq!((&listed["lastArtifactSyncStatus"], &listed["runId"]), (&json!("synced"), &end["runId"]));
    assert!(task(&desk, &["open", "p", "--print"])["folder"].as_str().unwrap().ends_with("/p"));
    let logged = task(&desk, &["logs", "p"])["lines"].to_string();
    assert!(logged.contains("asked") && logged.contains("ended"), "{logged}");
    let again = task(&desk, &["retry", "p"]);
    assert_eq!(again["lastResultCode"], "success", "{again:#}");
    let said: Vec<&Value> = again["messages"].as_array().unwrap().iter().map(|said| &said["role"]).collect();
    assert_eq!(said, ["user", "assistant", "assistant"], "words are not repeated: {again:#}");
}

/// A runner that is killed before it can be reached leaves its token to the next one: a terminal that still waits is let in.
#[cfg(unix)]
#[test]
fn a_runner_that_never_opened_leaves_its_token() {
    let desk = fake_agent::desk();
    let token = format!("node_{}", "0".repeat(32));
    std::fs::create_dir_all(desk.path("data/tasks")).unwrap();
    desk.put("data/tasks/door", format!("shut {token}").as_bytes());
    let mut viewer = begun(&desk, "@ write a.md x\n@ say Made.", "k");
    until(&desk, "k", "it ends", |shown| shown["lastResultCode"] == "success");
    assert!(viewer.wait().unwrap().success());
    let door = String::from_utf8(desk.bytes("data/tasks/door")).unwrap();
    assert_eq!(door.split(' ').nth(1), Some(token.as_str()), "{door}");
}

/// The process of the runner of this desk.
#[cfg(target_os = "linux")]
fn runner_of(desk: &TestBench) -> Option<String> {
    let folder = desk.path("");
    let all = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let mut ours = all.filter(|process| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let stands_in = std::fs::read_link(process.join("cwd")).unwrap_or_default();
        line.contains(" task runner ") && stands_in.starts_with(&folder)
    });
    ours.next().map(|process| process.file_name().unwrap().to_string_lossy().into_owned())
}

/// Nobody but the viewer is there when the runner is killed: it starts another one, hears what became of its task, and what
/// was asked behind it is done.
#[cfg(target_os = "linux")]
#[test]
fn a_viewer_starts_a_runner_where_the_one_before_was_killed() {
    let desk = fake_agent::desk();
    let mut viewer = begun(&desk, "@ hang", "a");
    until(&desk, "a", "it runs", running);
    let mut second = begun(&desk, "@ write b.md x\n@ say Made.", "a");
    until(&desk, "a", "the second waits", |shown| {
        shown["messages"].as_array().is_some_and(|said| said.len() == 2) || shown["waiting"] == 1
    });
    let killed = runner_of(&desk).expect("a runner is there");
    assert!(std::process::Command::new("kill").args(["-KILL", &killed]).status().unwrap().success());
    let ended = until(&desk, "a", "both end with nobody's help", |shown| {
        shown["status"] == "ready" && desk.path("a/b.md").exists()
    });
    assert_eq!(ended["lastResultCode"], "success", "{ended:#}");
    let said = ended["messages"].as_array().unwrap();
    assert!(said.iter().any(|said| said["text"].as_str().unwrap().contains("restarted")), "{ended:#}");
    // The first tells of whichever task was the newest when it ended.
    assert!(matches!(viewer.wait().unwrap().code(), Some(0 | 1)));
    assert_eq!(second.wait().unwrap().code(), Some(0));
    assert_ne!(runner_of(&desk).as_ref(), Some(&killed));
}
