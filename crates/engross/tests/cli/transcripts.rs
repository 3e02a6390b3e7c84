//! Transcripts beside a server that is killed: what is in the store is in the files, in the end. And traces.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use engross_agent::session::transcript::Transcriber;
use engross_store::{SqliteStore, Store};
use serde_json::{Value, json};

use crate::serve::{SCRIPT, Server, said};

fn start(folder: &Path) -> Server {
    let script = folder.join("script.json");
    std::fs::write(&script, SCRIPT).unwrap();
    let transcripts = folder.join("transcripts");
    let model = format!("script:{}", script.display());
    Server::try_start(folder, &["--model", &model, "--transcripts", transcripts.to_str().unwrap()]).unwrap()
}

fn kill(server: &Server, signal: &str) {
    let pid = server.child.as_ref().unwrap().id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
}

/// Each session's file, and what its log tells.
fn files(folder: &Path) -> Vec<(String, String)> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&folder.join("data/sessions.sqlite")).unwrap();
        let mut files = Vec::new();
        for summary in store.list(None, None, 1000).await.unwrap() {
            let mut transcriber = Transcriber::new(summary.id);
            let entries = store.entries(summary.id, 0, 100_000).await.unwrap();
            let lines = entries.iter().flat_map(|entry| {
                transcriber.fold(entry.seq, entry.at, &serde_json::from_slice(&entry.body).unwrap())
            });
            let told: String = lines.map(|line| line.json + "\n").collect();
            let path = folder.join(format!("transcripts/{}.jsonl", summary.id));
            files.push((std::fs::read_to_string(path).unwrap_or_default(), told));
        }
        store.close().await.unwrap();
        files
    })
}

fn roles(file: &str) -> Vec<String> {
    let lines = file.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| Some(line["message"]["role"].as_str()?.to_owned())).collect()
}

#[test]
fn a_call_of_the_client_over_two_servers() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let (_, first) = server.chat("s", "1", &said("look")).unwrap();
    let id = &first["choices"][0]["message"]["tool_calls"][0]["id"];
    kill(&server, "-KILL");
    drop(server);
    // Whatever the first server came to write, its last line may be torn.
    let transcripts = folder.path().join("transcripts");
    for file in std::fs::read_dir(&transcripts).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len().saturating_sub(20)]).unwrap();
    }
    let mut server = start(folder.path());
    let result = json!([{"role": "tool", "tool_call_id": id, "content": "a house"}]);
    assert_eq!(server.chat("s", "2", &result).unwrap().0, 200);
    kill(&server, "-TERM");
    assert!(server.child().wait().unwrap().success());
    let files = files(folder.path());
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].0, files[0].1);
    assert_eq!(roles(&files[0].0), ["user", "assistant", "toolResult", "assistant"]);
}

#[test]
fn a_transcript_that_cannot_go_on_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    assert_eq!(server.chat("s", "1", &said("a")).unwrap().0, 200);
    assert_eq!(server.chat("t", "2", &said("a")).unwrap().0, 200);
    counts(&server, "engross_transcripts_behind 0");
    kill(&server, "-KILL");
    drop(server);
    let first = std::fs::read_dir(folder.path().join("transcripts")).unwrap().next().unwrap().unwrap();
    std::fs::write(first.path(), "{\"somebody\": \"else\"}\n").unwrap();
    let server = start(folder.path());
    counts(&server, "engross_transcripts_behind 1");
    assert_eq!(server.chat("s", "3", &said("a")).unwrap().0, 200);
}

/// Waits until the server counts this.
fn counts(server: &Server, line: &str) {
    let started = Instant::now();
    loop {
        let (_, text) = server.send("GET", "/metrics", &[], b"").unwrap();
        let text = String::from_utf8(text).unwrap();
        if text.lines().any(|counted| counted == line) {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(10), "{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn servers_that_are_killed_under_load() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..4u64 {
        let server = start(folder.path());
        std::thread::scope(|scope| {
            for client in 0..3 {
                let server = &server;
                scope.spawn(move || {
                    let mut once = (0..).map(|n| format!("{round}-{client}-{n}"));
                    while once
                        .next()
                        .is_some_and(|once| server.chat(&format!("s{client}"), &once, &said("a")).is_ok())
                    {
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(60 + round * 37));
            kill(&server, "-KILL");
        });
    }
    // Nobody asks these sessions anything any more; the next server catches up with them all the same.
    let mut server = start(folder.path());
    let started = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(200));
        kill(&server, "-TERM");
        assert!(server.child().wait().unwrap().success());
        let files = files(folder.path());
        if files.iter().all(|(file, told)| file == told) {
            assert_eq!(files.len(), 3);
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "not caught up");
        server = start(folder.path());
    }
}

#[cfg(feature = "cluster")]
#[test]
fn a_server_with_traces_answers_and_stops_cleanly() {
    let Some(url) = engross_testkit::postgres::shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::try_start(folder.path(), &["--model", "rules", "--traces", url]).unwrap();
    assert_eq!(server.chat("s", "1", &said("delete paragraph 1")).unwrap().0, 200);
    counts(&server, "engross_traces_lost_total 0");
    kill(&server, "-TERM");
    assert!(server.child().wait().unwrap().success());
}
