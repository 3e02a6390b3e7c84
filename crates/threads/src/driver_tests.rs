//! Threads at work, with a bridge that plays a script.

#![expect(clippy::disallowed_methods, reason = "the folder is looked at from outside")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use engross_protocol::{CountingIds, SystemClock};
use engross_store::MemoryStore;
use engross_store::files::{Folder, Root};
use engross_tasks::runs::Capacity;
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::decision::{Rules, ThreadInput};
use super::driver::ThreadDriver;
use super::journal::ThreadJournal;
use super::link::{BridgeCall, BridgeFrame, Frames, Link, LinkError, LinkFuture};
use super::outcome::RemoteArtifact;
use super::progress::Progress;
use super::record::ThreadRecord;
use super::state::{Ask, Lifecycle};
use super::sync::{FetchError, FileSource, Sink};

/// What comes back of one call; `None` cuts the stream.
pub(super) type Reply = Vec<Option<BridgeFrame>>;

#[derive(Default)]
pub(super) struct Script {
    pub(super) replies: Mutex<VecDeque<Reply>>,
    pub(super) calls: Mutex<Vec<BridgeCall>>,
}

impl Script {
    pub(super) fn of(replies: Vec<Reply>) -> Arc<Self> {
        Arc::new(Self { replies: Mutex::new(replies.into()), calls: Mutex::default() })
    }

    pub(super) fn methods(&self) -> Vec<&'static str> {
        self.calls.lock().unwrap().iter().map(|call| call.method).collect()
    }
}

impl Link for Script {
    fn call(&self, call: BridgeCall) -> LinkFuture<'_, Result<Frames, LinkError>> {
        self.calls.lock().unwrap().push(call);
        let reply = self.replies.lock().unwrap().pop_front();
        Box::pin(async move {
            let closed = || LinkError {
                code: "ACP_HTTP_CONNECT_FAILED".to_owned(),
                message: "nobody is there".to_owned(),
                is_passing: true,
            };
            let frames = reply.ok_or_else(closed)?.into_iter().flatten().map(Ok);
            Ok(futures_util::stream::iter(frames).boxed())
        })
    }

    fn files(&self) -> Box<dyn FileSource + Send> {
        Box::new(Names)
    }
}

/// Each file holds its path.
struct Names;

impl FileSource for Names {
    fn fetch(&self, file: &RemoteArtifact, from: u64, sink: &mut dyn Sink) -> Result<(), FetchError> {
        sink.begin(from)?;
        Ok(sink.take(&file.relative_path.as_bytes()[usize::try_from(from).unwrap()..])?)
    }
}

pub(super) struct Room {
    pub(super) store: Arc<MemoryStore>,
    pub(super) place: tempfile::TempDir,
    pub(super) capacity: Capacity,
    ids: Arc<CountingIds>,
}

impl Room {
    pub(super) fn new() -> Self {
        let capacity = Capacity { active: 1, queued: 1 };
        Self {
            store: Arc::new(MemoryStore::new()),
            place: tempfile::tempdir().unwrap(),
            capacity,
            ids: Arc::default(),
        }
    }

    pub(super) fn driver(&self, link: &Arc<Script>) -> ThreadDriver {
        let journal = ThreadJournal::new(
            Arc::<MemoryStore>::clone(&self.store),
            Arc::new(SystemClock),
            Arc::<CountingIds>::clone(&self.ids),
        );
        let rules = Rules { pause: (1, 5), ..Rules::default() };
        ThreadDriver::new(journal, Arc::<Script>::clone(link), rules, self.capacity)
    }

    pub(super) fn folder(&self) -> Folder {
        Root::open(self.place.path()).unwrap().top()
    }
}

pub(super) fn record(key: &str) -> ThreadRecord {
    let record = json!({
        "schemaVersion": 20_260_411, "threadId": key,
        "workspaceBinding": {"workspaceId": key, "workspacePath": "/w"},
        "executionBinding": {"executionMode": "gateway", "providerId": "openclaw"}
    });
    ThreadRecord::parse(&record.to_string()).unwrap()
}

pub(super) fn ask(text: &str) -> Ask {
    Ask { text: text.to_owned(), budget: 60_000, wants_files: true, ..Ask::default() }
}

pub(super) fn handle() -> Value {
    json!({"success": true, "status": "running", "runId": "r", "turnId": "t", "sessionId": "k", "threadId": "k",
        "appThreadKey": "k", "openclawSessionKey": "agent:main:k", "artifactScope": "tasks/s/r",
        "resolvedGatewayProviderId": "openclaw"})
}

pub(super) fn done() -> Value {
    json!({"success": true, "status": "completed", "runId": "r", "artifactScope": "tasks/s/r", "output": "Done.",
        "artifacts": [{"relativePath": "out/a.md", "sizeBytes": 8}]})
}

pub(super) fn delta(text: &str) -> Option<BridgeFrame> {
    let update = json!({"sessionId": "k", "threadId": "k", "type": "delta", "delta": text});
    Some(BridgeFrame::Update(update, Some("e1".to_owned())))
}

/// Through a cut stream, a stream that is taken up again, a failed look-up and a running snapshot to the files.
#[tokio::test]
async fn a_run_is_brought_home_over_a_bad_line() {
    let room = Room::new();
    let script = Script::of(vec![
        vec![Some(BridgeFrame::Update(handle(), None)), delta("Do"), None],
        vec![delta("ne."), None],
        vec![None],
        vec![Some(BridgeFrame::Answer(json!({"status": "running"})))],
        vec![Some(BridgeFrame::Answer(done()))],
    ]);
    let driver = room.driver(&script);
    driver.journal().open(record("k")).await.unwrap();
    driver.send("k", ask("Write it")).await.unwrap();
    let mut heard = Vec::new();
    let held = driver.drive("k", &room.folder(), &mut |progress| heard.push(progress)).await.unwrap();
    let thread = held.state();
    assert_eq!(thread.lifecycle(), Lifecycle::Ready);
    assert_eq!(thread.record.lifecycle_state.last_result_code.as_deref(), Some("success"));
    assert_eq!(thread.record.context_state.last_artifact_sync_status.as_deref(), Some("synced"));
    assert_eq!(thread.record.context_state.last_task_artifact_relative_paths, ["out/a.md"]);
    assert_eq!(std::fs::read_to_string(room.place.path().join("out/a.md")).unwrap(), "out/a.md");
    let get = "xworkmate.tasks.get";
    // The first is what a process does that finds a run: it says the request again.
    assert_eq!(script.methods(), ["session.start", "session.start", get, get, get]);
    let calls = script.calls.lock().unwrap().clone();
    assert_eq!(calls[1].last_event.as_deref(), Some("e1"), "from where it broke");
    assert_eq!(calls[0].params["idempotencyKey"], calls[1].params["idempotencyKey"]);
    assert_eq!(calls[4].params["runId"], "r");
    let text: Vec<&str> = heard
        .iter()
        .filter_map(|progress| match progress {
            Progress::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text.concat(), "Done.");
}

/// The next process continues with what was left.
#[tokio::test]
async fn a_request_outlives_the_process_that_took_it() {
    let room = Room::new();
    let nobody = Script::of(Vec::new());
    let driver = room.driver(&nobody);
    driver.journal().open(record("k")).await.unwrap();
    driver.send("k", ask("Write it")).await.unwrap();
    let folder = room.folder();
    let work = async { driver.drive("k", &folder, &mut |_| {}).await.map(|_| ()) };
    let _ = tokio::time::timeout(std::time::Duration::from_millis(50), work).await;

    let script = Script::of(vec![vec![Some(BridgeFrame::Answer(done()))]]);
    let driver = room.driver(&script);
    let held = driver.drive("k", &folder, &mut |_| {}).await.unwrap();
    assert_eq!(held.state().record.lifecycle_state.last_result_code.as_deref(), Some("success"));
    let said: Vec<String> =
        held.state().record.context_state.messages.iter().map(|said| said.text.clone()).collect();
    assert_eq!(said, ["Write it", "Done."]);
    assert_eq!(driver.journal().keys().await.unwrap(), ["k"]);
}

#[tokio::test]
async fn lanes_hold_over_threads_and_a_stop_reaches_a_run_elsewhere() {
    let room = Room::new();
    let script = Script::of(vec![vec![Some(BridgeFrame::Answer(json!({"accepted": true})))]]);
    let driver = room.driver(&script);
    for key in ["one", "two", "three"] {
        driver.journal().open(record(key)).await.unwrap();
    }
    let mut states = Vec::new();
    for key in ["one", "two", "three"] {
        states.push(driver.send(key, ask("go")).await.unwrap().state().lifecycle());
    }
    assert_eq!(states, [Lifecycle::Running, Lifecycle::Queued, Lifecycle::Ready]);
    let full = driver.journal().load("three").await.unwrap().unwrap().into_state();
    let code = full.record.lifecycle_state.last_result_code;
    assert_eq!(code.as_deref(), Some("OPENCLAW_GATEWAY_QUEUE_FULL"));

    let stopped = driver.order("one", ThreadInput::Abort).await.unwrap().into_state();
    assert_eq!(stopped.lifecycle(), Lifecycle::Ready);
    assert_eq!(script.methods(), ["xworkmate.tasks.cancel"]);
    script.replies.lock().unwrap().push_back(vec![Some(BridgeFrame::Answer(done()))]);
    let next = driver.drive("two", &room.folder(), &mut |_| {}).await.unwrap().into_state();
    assert_eq!(next.record.lifecycle_state.last_result_code.as_deref(), Some("success"), "the place is free");
    assert_eq!(
        driver.order("two", ThreadInput::Archive).await.unwrap().state().lifecycle(),
        Lifecycle::Archived
    );
    assert_eq!(driver.send("two", ask("more")).await.unwrap_err().code(), "THREAD_ARCHIVED");
}

#[tokio::test]
async fn a_bridge_that_refuses_ends_the_run_with_its_code() {
    let room = Room::new();
    let refused =
        BridgeFrame::Refused { code: "ROUTING_REQUIRED".to_owned(), message: "say where to".to_owned() };
    let script = Script::of(vec![vec![Some(refused)]]);
    let driver = room.driver(&script);
    driver.journal().open(record("k")).await.unwrap();
    driver.send("k", ask("go")).await.unwrap();
    let thread = driver.drive("k", &room.folder(), &mut |_| {}).await.unwrap().into_state();
    assert_eq!(thread.record.lifecycle_state.last_result_code.as_deref(), Some("ROUTING_REQUIRED"));
    assert_eq!(thread.record.context_state.messages[1].text, "say where to");
}

#[tokio::test]
async fn files_go_along_each_time_the_request_is_sent() {
    let room = Room::new();
    let script = Script::of(vec![vec![None], vec![Some(BridgeFrame::Answer(done()))]]);
    let driver = room.driver(&script);
    std::fs::create_dir_all(room.place.path().join(".xworkmate/sent/1")).unwrap();
    std::fs::write(room.place.path().join(".xworkmate/sent/1/lease.txt"), "May").unwrap();
    for (key, path) in [("k", "lease.txt"), ("gone", "no.txt")] {
        driver.journal().open(record(key)).await.unwrap();
        let attachments = vec![format!(".xworkmate/sent/1/{path}")];
        let held = driver.send(key, Ask { attachments, ..ask("Read it") }).await.unwrap();
        if key == "gone" {
            assert_eq!(held.state().lifecycle(), Lifecycle::Running, "the place is free again");
        }
        let thread = driver.drive(key, &room.folder(), &mut |_| {}).await.unwrap().into_state();
        let code = thread.record.lifecycle_state.last_result_code.unwrap();
        assert_eq!(code, if key == "k" { "success" } else { "TARGET_MISSING" });
    }
    let calls = script.calls.lock().unwrap();
    let file = json!([{"name": "lease.txt", "mimeType": "text/plain", "content": "TWF5", "sizeBytes": 3,
        "sha256": "dfb8bf9a4b3ccd8ea5f5d5f30bb1c2f23b4b0fa31f8b1d8fb7b5a7b1a0f6a4c6"}]);
    assert_eq!(calls.len(), 2, "nothing is sent without what was to go along");
    for call in &*calls {
        let mut sent = call.params["inlineAttachments"].clone();
        assert_eq!(sent[0]["sha256"].as_str().unwrap().len(), 64);
        sent[0]["sha256"] = file[0]["sha256"].clone();
        assert_eq!(sent, file);
    }
}

/// Whoever looks on may sleep over the end of a run, as a closed laptop does: what came of it is asked for before it is given up.
#[tokio::test]
async fn a_result_is_not_given_up_because_nobody_was_awake() {
    for (told, methods, code) in [
        (done(), vec!["xworkmate.tasks.get"], "success"),
        (
            json!({"status": "running"}),
            vec!["xworkmate.tasks.get", "xworkmate.tasks.cancel"],
            "OPENCLAW_RUN_POLL_TIMEOUT",
        ),
        // It has not begun, so that its time is still before it.
        (
            json!({"status": "queued", "runId": "r", "artifactScope": "tasks/s/r"}),
            vec!["xworkmate.tasks.get", "xworkmate.tasks.get"],
            "success",
        ),
    ] {
        let room = Room::new();
        let quick = |link: &Arc<Script>| {
            let usual = room.driver(link);
            let rules = Rules { pause: (1, 5), grace: 100, ..Rules::default() };
            ThreadDriver::new(usual.journal().clone(), Arc::<Script>::clone(link), rules, room.capacity)
        };
        let asleep = Script::of(vec![vec![Some(BridgeFrame::Update(handle(), None)), None]]);
        let driver = quick(&asleep);
        driver.journal().open(record("k")).await.unwrap();
        driver.send("k", Ask { budget: 200, ..ask("Write it") }).await.unwrap();
        let folder = room.folder();
        let mut unheard = |_| {};
        let awake = driver.drive("k", &folder, &mut unheard);
        let _ = tokio::time::timeout(std::time::Duration::from_millis(40), awake).await;
        tokio::time::sleep(std::time::Duration::from_millis(400)).await;
        let answers = vec![vec![Some(BridgeFrame::Answer(told))], vec![Some(BridgeFrame::Answer(done()))]];
        let script = Script::of(answers);
        let thread = quick(&script).drive("k", &folder, &mut |_| {}).await.unwrap().into_state();
        assert_eq!(thread.record.lifecycle_state.last_result_code.as_deref(), Some(code));
        assert_eq!(script.methods(), methods);
    }
}

/// Whoever waited before and is not carried on with, as a terminal was closed or a process killed, holds up nobody for long.
#[tokio::test(start_paused = true)]
async fn a_free_place_is_taken_by_who_is_there() {
    let mut room = Room::new();
    room.capacity = Capacity { active: 1, queued: 9 };
    let script = Script::of(vec![
        vec![Some(BridgeFrame::Answer(json!({"accepted": true})))],
        vec![Some(BridgeFrame::Answer(done()))],
    ]);
    let driver = room.driver(&script);
    let mut lifecycles = Vec::new();
    for key in ["first", "closed", "closed, too", "last"] {
        driver.journal().open(record(key)).await.unwrap();
        lifecycles.push(driver.send(key, ask("Write it")).await.unwrap().state().lifecycle());
    }
    assert_eq!(lifecycles[1..], [Lifecycle::Queued; 3]);
    driver.order("first", ThreadInput::Abort).await.unwrap();
    let folder = room.folder();
    let mut unheard = |_| {};
    let last = driver.drive("last", &folder, &mut unheard);
    let last = tokio::time::timeout(std::time::Duration::from_secs(30), last).await.unwrap().unwrap();
    assert_eq!(last.state().record.lifecycle_state.last_result_code.as_deref(), Some("success"));
    for key in ["closed", "closed, too"] {
        let thread = driver.journal().load(key).await.unwrap().unwrap();
        assert_eq!(thread.state().lifecycle(), Lifecycle::Queued, "its request is kept");
    }
}

/// A run that nobody here carries on with holds a place only as long as it is under way at the bridge.
#[tokio::test(start_paused = true)]
async fn an_ended_run_whose_terminal_is_gone_holds_no_place() {
    let answer = |told: Value| vec![Some(BridgeFrame::Answer(told))];
    let known =
        |run: &str, terminal: bool| json!({ "runId": run, "terminal": terminal, "status": "completed" });
    for (told, expected) in [
        (known("r", true), Lifecycle::Running),
        (known("r", false), Lifecycle::Queued),
        (known("another", true), Lifecycle::Queued),
        (json!({ "status": "not_found" }), Lifecycle::Queued),
    ] {
        let mut room = Room::new();
        room.capacity = Capacity { active: 1, queued: 9 };
        let gone = Script::of(vec![vec![Some(BridgeFrame::Update(handle(), None)), None]]);
        let driver = room.driver(&gone);
        driver.journal().open(record("k")).await.unwrap();
        driver.send("k", ask("Write it")).await.unwrap();
        let folder = room.folder();
        let mut unheard = |_| {};
        let closed = driver.drive("k", &folder, &mut unheard);
        let _ = tokio::time::timeout(std::time::Duration::from_millis(1), closed).await;
        let script = Script::of(vec![answer(told.clone())]);
        let driver = room.driver(&script);
        driver.journal().open(record("next")).await.unwrap();
        let next = driver.send("next", ask("Write it")).await.unwrap();
        assert_eq!(next.state().lifecycle(), expected, "{told}");
        let calls = script.calls.lock().unwrap();
        let asked: Vec<_> = calls.iter().map(|call| (call.method, &call.params["runId"])).collect();
        assert_eq!(asked, [("xworkmate.tasks.get", &json!("r"))]);
    }
}
