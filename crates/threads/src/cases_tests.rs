//! The acceptance cases of the app (contracts/tasks.md §6) that need threads at work.

use engross_store::{Append, Name, NewEntry, Store};
use engross_tasks::runs::Capacity;
use serde_json::{Value, json};

use super::driver::ThreadDriver;
use super::driver_tests::{Room, Script, ask, delta, done, handle, record};
use super::link::BridgeFrame;
use super::record::ThreadRecord;
use super::state::{Ask, Lifecycle};

const GET: &str = "xworkmate.tasks.get";

fn answer(answer: Value) -> Vec<Option<BridgeFrame>> {
    vec![Some(BridgeFrame::Answer(answer))]
}

/// Code, sync status, paths and the last words of a thread that is driven to its end.
async fn brought_home(room: &Room, driver: &ThreadDriver, key: &str) -> Value {
    let thread = driver.drive(key, &room.folder(), &mut |_| {}).await.unwrap().into_state();
    assert_eq!(thread.lifecycle(), Lifecycle::Ready);
    let context = &thread.record.context_state;
    json!([
        thread.record.lifecycle_state.last_result_code,
        context.last_artifact_sync_status,
        context.last_task_artifact_relative_paths,
        context.messages.last().map(|said| said.text.clone()),
    ])
}

async fn sent(room: &Room, script: &std::sync::Arc<Script>, ask: Ask) -> ThreadDriver {
    let driver = room.driver(script);
    driver.journal().open(record("k")).await.unwrap();
    driver.send("k", ask).await.unwrap();
    driver
}

#[tokio::test]
async fn case_97_a_snapshot_says_more_than_an_early_update() {
    let room = Room::new();
    let completed = json!({"sessionId": "k", "threadId": "k", "event": "completed", "text": "Too early."});
    let script = Script::of(vec![
        vec![
            Some(BridgeFrame::Update(handle(), None)),
            delta("Too early."),
            Some(BridgeFrame::Update(completed, None)),
            None,
        ],
        answer(done()),
    ]);
    let driver = sent(&room, &script, ask("Write it")).await;
    let told = brought_home(&room, &driver, "k").await;
    assert_eq!(told, json!(["success", "synced", ["out/a.md"], "Done."]));
}

#[tokio::test]
async fn cases_98_99_a_running_snapshot_or_handle_is_asked_again() {
    let room = Room::new();
    let script =
        Script::of(vec![answer(handle()), answer(handle()), vec![None], answer(handle()), answer(done())]);
    let driver = sent(&room, &script, ask("Write it")).await;
    let told = brought_home(&room, &driver, "k").await;
    assert_eq!(told, json!(["success", "synced", ["out/a.md"], "Done."]));
    assert_eq!(
        script.methods(),
        ["session.start", GET, GET, "session.start", GET],
        "the stream first, once it is lost"
    );
}

#[tokio::test]
async fn case_100_a_failure_without_words_is_told_by_its_code() {
    let room = Room::new();
    let failed = json!({"success": false, "status": "failed", "runId": "r", "code": "AGENT_EXITED"});
    let script = Script::of(vec![answer(handle()), answer(failed)]);
    let driver = sent(&room, &script, ask("Write it")).await;
    let told = brought_home(&room, &driver, "k").await;
    assert_eq!(told, json!(["AGENT_EXITED", "failed", [], "the run failed"]));
}

#[tokio::test]
async fn case_104_five_at_once_wait_for_nobody_and_share_nothing() {
    let mut room = Room::new();
    room.capacity = Capacity { active: 5, queued: 0 };
    let script = Script::of(Vec::new());
    let driver = room.driver(&script);
    let keys = ["a", "b", "c", "d", "e"];
    for key in keys {
        driver.journal().open(record(key)).await.unwrap();
        assert_eq!(driver.send(key, ask(key)).await.unwrap().state().lifecycle(), Lifecycle::Running);
    }
    for key in keys {
        let done = json!({"success": true, "status": "completed", "runId": format!("r-{key}"),
            "output": format!("Done {key}."), "artifacts": [{"relativePath": format!("{key}.md")}]});
        script.replies.lock().unwrap().push_back(answer(done));
        let told = brought_home(&room, &driver, key).await;
        assert_eq!(told, json!(["success", "synced", [format!("{key}.md")], format!("Done {key}.")]));
    }
}

#[tokio::test]
async fn case_108_what_was_interrupted_gives_its_place_free() {
    let room = Room::new();
    let script = Script::of(Vec::new());
    let driver = room.driver(&script);
    for key in ["one", "two"] {
        driver.journal().open(record(key)).await.unwrap();
        driver.send(key, Ask { budget: 0, ..ask(key) }).await.unwrap();
    }
    let lifecycle = async |key: &str| driver.journal().load(key).await.unwrap().unwrap().state().lifecycle();
    assert_eq!((lifecycle("one").await, lifecycle("two").await), (Lifecycle::Running, Lifecycle::Queued));
    let refused = BridgeFrame::Refused {
        code: "OPENCLAW_GATEWAY_SOCKET_CLOSED".to_owned(),
        message: "gone".to_owned(),
    };
    script.replies.lock().unwrap().push_back(vec![Some(refused)]);
    let told = brought_home(&room, &driver, "one").await;
    assert_eq!(told, json!(["OPENCLAW_GATEWAY_SOCKET_CLOSED", "failed", [], "gone"]));
    script.replies.lock().unwrap().push_back(answer(json!({"success": true, "output": "Mine."})));
    let told = brought_home(&room, &driver, "two").await;
    assert_eq!(told, json!(["success", "no-exported-artifacts", [], "Mine."]));
}

#[tokio::test]
async fn case_109_a_record_that_says_queued_waits_for_nothing() {
    let room = Room::new();
    let script = Script::of(Vec::new());
    let driver = room.driver(&script);
    let mut stale: Value = serde_json::from_str(&record("old").to_json().unwrap()).unwrap();
    stale["lifecycleState"] = json!({"archived": false, "status": "queued", "lastResultCode": "queued"});
    driver.journal().open(ThreadRecord::parse(&stale.to_string()).unwrap()).await.unwrap();
    let told = driver.drive("old", &room.folder(), &mut |_| {}).await.unwrap().into_state();
    assert_eq!(told.lifecycle(), Lifecycle::Ready);
    assert!(script.methods().is_empty(), "nothing is sent for it");
    driver.journal().open(record("new")).await.unwrap();
    assert_eq!(driver.send("new", ask("go")).await.unwrap().state().lifecycle(), Lifecycle::Running);
}

#[tokio::test]
async fn cases_112_113_threads_with_the_same_words_keep_apart() {
    let mut room = Room::new();
    room.capacity = Capacity { active: 2, queued: 0 };
    let elsewhere = Room::new();
    let script = Script::of(Vec::new());
    let driver = room.driver(&script);
    for key in ["draft:1", "draft:2"] {
        driver.journal().open(record(key)).await.unwrap();
        driver.send(key, ask("Write it")).await.unwrap();
    }
    let before = driver.journal().load("draft:1").await.unwrap();
    script.replies.lock().unwrap().push_back(answer(done()));
    let second = driver.drive("draft:2", &elsewhere.folder(), &mut |_| {}).await.unwrap().into_state();
    assert_eq!(second.record.context_state.last_task_artifact_relative_paths, ["out/a.md"]);
    assert_eq!(driver.journal().load("draft:1").await.unwrap(), before, "the other thread is as it was");
    assert!(!room.place.path().join("out").exists() && elsewhere.place.path().join("out/a.md").exists());
}

/// A status that a guard put in place of an answer is no file, and makes none.
#[tokio::test]
async fn case_117_a_status_makes_no_file() {
    let room = Room::new();
    let guard = json!({"success": true, "status": "artifact_missing", "runId": "r", "output": "report.pdf is missing",
        "artifactSyncStatus": "failed", "expectedArtifactDirs": ["reports/"], "missingRequiredExtensions": ["pdf"]});
    let script = Script::of(vec![answer(handle()), answer(guard)]);
    let driver = sent(&room, &script, ask("Write report.pdf")).await;
    let told = brought_home(&room, &driver, "k").await;
    assert_eq!(told, json!(["artifact_missing", "failed", [], "report.pdf is missing"]));
    assert_eq!(std::fs::read_dir(room.place.path()).unwrap().count(), 0);
}

/// The paper rules: what lacks required files is `artifact_missing`, and none of the others is fetched.
#[tokio::test]
async fn case_118_without_the_required_files_none_is_taken() {
    let room = Room::new();
    let partial = json!({"success": true, "status": "partially_delivered", "runId": "r", "artifactScope": "tasks/s/r",
        "constraintSatisfied": false, "artifacts": [{"relativePath": "a.md", "sizeBytes": 4}]});
    let script = Script::of(vec![answer(handle()), answer(partial)]);
    let driver = sent(&room, &script, Ask { required_extensions: vec!["pdf".to_owned()], ..ask("go") }).await;
    let told = brought_home(&room, &driver, "k").await;
    assert_eq!(told, json!(["artifact_missing", "failed", [], "files that were asked for are missing"]));
    assert!(!room.place.path().join("a.md").exists());
}

#[tokio::test]
async fn case_119_a_damaged_thread_loses_only_itself() {
    let room = Room::new();
    let script = Script::of(Vec::new());
    let driver = room.driver(&script);
    for key in ["bad", "good"] {
        driver.journal().open(record(key)).await.unwrap();
    }
    let bad = room.store.load(&Name::new("thread:bad").unwrap()).await.unwrap().unwrap();
    let append = Append {
        session: bad.id,
        fence: None,
        expected_head: bad.head,
        entries: vec![NewEntry { kind: "thread", at: 1, body: b"{torn".to_vec() }],
        names: Vec::new(),
        snapshot: None,
        wake_at: None,
    };
    room.store.append(append).await.unwrap();
    assert_eq!(driver.send("bad", ask("go")).await.unwrap_err().code(), "THREAD_RECORD_INVALID");
    script.replies.lock().unwrap().push_back(answer(json!({"success": true, "output": "Here."})));
    driver.send("good", ask("go")).await.unwrap();
    let told = brought_home(&room, &driver, "good").await;
    assert_eq!(told, json!(["success", "no-exported-artifacts", [], "Here."]));
    assert_eq!(driver.journal().keys().await.unwrap(), ["bad", "good"]);
    let kept = room.store.entries(bad.id, 0, 10).await.unwrap();
    assert_eq!(kept.last().unwrap().body, b"{torn", "nothing of it is thrown away");

    // Who writes a record before it has read what there is replaces nothing.
    let mut fresh = record("good");
    fresh.title = "another".to_owned();
    let (held, is_new) = driver.journal().open(fresh).await.unwrap();
    assert!(!is_new);
    assert_eq!(held.state().record.context_state.messages.len(), 2);
}

#[tokio::test]
async fn case_123_a_gap_is_filled_by_a_snapshot_and_no_other_identity_is_taken() {
    let room = Room::new();
    let mut foreign = handle();
    foreign["runId"] = json!("other");
    foreign["artifactScope"] = json!("tasks/s/other");
    let script = Script::of(vec![
        vec![
            Some(BridgeFrame::Update(handle(), Some("1".to_owned()))),
            Some(BridgeFrame::Update(handle(), Some("1".to_owned()))),
            Some(BridgeFrame::Update(foreign.clone(), Some("9".to_owned()))),
            None,
        ],
        answer(foreign),
        answer(done()),
    ]);
    let driver = sent(&room, &script, ask("Write it")).await;
    let told = brought_home(&room, &driver, "k").await;
    assert_eq!(told, json!(["success", "synced", ["out/a.md"], "Done."]));
    assert_eq!(script.methods(), ["session.start", "session.start", GET]);
    let calls = script.calls.lock().unwrap();
    assert!(calls[2].params["runId"] == "r", "the run that was named first");
}
