//! The names that the runs of a thread are stored under. A line here was written by 0.1.0 and stays readable; a type may be
//! renamed, what it is stored as may not.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::log::RunEvent;
use super::names::{Kind, key_name, list_name, name};
use super::state::RunThread;

const FACE: &str = r#"{"run":"r","turn":"t","sessionId":"s","thread":"th","sessionKey":"sk","target":"agent","provider":"codex",
    "model":"m","skills":["a"],"class":"long_task","budget":1,"accepted":2,
    "contract":{"export":true,"extensions":["pdf"],"counts":{"pdf":1},"expectedDirs":["out"]}}"#;

const SMALL_FACE: &str = r#"{"run":"r","turn":"t","sessionId":"s","thread":"th","sessionKey":"sk","target":"gateway",
    "provider":"openclaw","model":null,"skills":[],"class":"short_task","budget":1,"accepted":2,
    "contract":{"export":false,"extensions":[],"counts":{},"expectedDirs":[]}}"#;

const ORDER: &str = r#"{"face":FACE,"continues":true,"prompt":"p","userText":"u","permissions":"ask","patience":3,
    "inline":[{"name":"a","mimeType":"text/plain","content":"aGk="}],"job":"j"}"#;

const QUESTION: &str = r#"{"run":"r","request":"q","permission":"p","tool":"t",
    "options":[{"optionId":"o","kind":"allow_once","name":"n"}],"asked":1,"until":2}"#;

const OUTCOME: &str = r#"{"constraintSatisfied":false,"missingRequiredExtensions":["pdf"],
    "missingRequiredFileCounts":{"pdf":{"expected":2,"actual":1}}}"#;

const SHA: &str = r#""00000000000000000000000000000000000000000000000000000000000000ff""#;

const END: &str = r#"{"face":FACE,"started":1,"ended":2,"status":"completed","success":true,"inferred":true,"code":null,
    "message":null,"text":"t","resultCode":"ok","sync":"synced","manifest":{"files":[{"relativePath":"a.md","sizeBytes":1,
    "sha256":SHA,"modified":2,"required":true}],"warnings":["w"],"outcome":OUTCOME,"revision":SHA},"missing":null,
    "source":"agent"}"#;

/// One of each entry: its kind in the store, and its body.
const ENTRIES: &[(&str, &str)] = &[
    ("task_opened", r#"{"is":"opened","principal":"p","thread":"th","session_key":"sk"}"#),
    (
        "task_accepted",
        r#"{"is":"accepted","face":FACE,"continues":false,"prompt":"p","userText":"u","permissions":"allow",
        "patience":3,"inline":[],"job":null}"#,
    ),
    (
        "task_accepted",
        r#"{"is":"accepted","face":SMALL_FACE,"continues":true,"prompt":"p","userText":"u","permissions":"deny",
        "patience":3,"inline":[{"name":"a","mimeType":"text/plain","content":"aGk="}],"job":"j"}"#,
    ),
    ("task_prepared", r#"{"is":"prepared","face":FACE,"deadline":4}"#),
    ("task_started", r#"{"is":"started","run":"r","deadline":4}"#),
    ("task_bound", r#"{"is":"bound","run":"r","agent_session":"a"}"#),
    (
        "task_asked",
        r#"{"is":"asked","run":"r","request":"q","permission":"p","tool":"t",
        "options":[{"optionId":"o","kind":"allow_once","name":"n"}],"asked":1,"until":2}"#,
    ),
    ("task_decided", r#"{"is":"decided","run":"r","request":"q","option":"o"}"#),
    ("task_degraded", r#"{"is":"degraded","run":"r","code":"C"}"#),
    (
        "task_tool",
        r#"{"is":"tool","run":"r","call":{"id":"i","title":"t","kind":"read","status":"completed"}}"#,
    ),
    ("task_planned", r#"{"is":"planned","run":"r","steps":[{"content":"c","status":"pending"}]}"#),
    ("task_cancel_asked", r#"{"is":"cancel_asked","run":"r"}"#),
    ("task_finished", r#"{"is":"finished","run":"r","text":"t","said_so":true,"files":["f"]}"#),
    ("task_ended", r#"{"is":"ended","run":"r","end":END}"#),
    (
        "task_ended",
        r#"{"is":"ended","run":"r","end":{"face":SMALL_FACE,"started":null,"ended":2,"status":"failed","success":false,
        "inferred":false,"code":"C","message":"m","text":"","resultCode":"r","sync":"failed","manifest":null,"missing":OUTCOME,
        "source":"restart"}}"#,
    ),
    ("task_closed", r#"{"is":"closed"}"#),
];

/// A thread with a run in each phase, as its snapshot has it.
const THREAD: &str = r#"{"principal":"p","key":"k","session_key":"sk","conversation":"codex","agent_session":"a","runs":[
    {"id":"1","turn":"t","seq":1,"phase":{"queued":ORDER}},
    {"id":"2","turn":"t","seq":2,"phase":{"prepared":[FACE,9]}},
    {"id":"3","turn":"t","seq":3,"phase":{"running":{"order":ORDER,"started":1,"deadline":2,"agent_session":"a","begun":true,
        "open":[QUESTION],"decided":["q"],"cancelling":true,"degraded":"C"}}},
    {"id":"4","turn":"t","seq":4,"phase":{"exporting":{"face":FACE,"started":1,"text":"t","said_so":true,"files":["f"],
        "decided":["q"]}}},
    {"id":"5","turn":"t","seq":5,"phase":{"done":{"status":"cancelled","code":"C"}}}],"head":9}"#;

/// Fields that hold one word of a list.
const WORDS: &[(&str, &[&str])] = &[
    ("target", &["agent", "gateway"]),
    ("class", &["short_task", "long_task", "complex_chain_task"]),
    ("permissions", &["ask", "allow", "deny"]),
    (
        "status",
        &["queued", "running", "syncing-artifacts", "completed", "failed", "cancelled", "interrupted"],
    ),
    ("sync", &["synced", "no-artifacts", "no-exported-artifacts", "failed"]),
];

/// A golden line with its parts in place of their names.
fn whole(golden: &str) -> String {
    let parts = [
        ("ORDER", ORDER),
        ("END", END),
        ("OUTCOME", OUTCOME),
        ("QUESTION", QUESTION),
        ("SMALL_FACE", SMALL_FACE),
        ("FACE", FACE),
        ("SHA", SHA),
    ];
    parts.iter().fold(golden.to_owned(), |text, (name, part)| text.replace(name, part))
}

fn read_and_written<T: Serialize + DeserializeOwned>(golden: &str) -> T {
    let value: T = serde_json::from_str(golden).unwrap_or_else(|error| panic!("{error}: {golden}"));
    let expected: Value = serde_json::from_str(golden).unwrap();
    assert_eq!(serde_json::to_value(&value).unwrap(), expected);
    value
}

#[test]
fn entries_keep_the_names_they_are_stored_under() {
    for (kind, golden) in ENTRIES {
        let event: RunEvent = read_and_written(&whole(golden));
        assert_eq!(event.kind(), *kind, "{golden}");
    }
}

#[test]
fn snapshots_keep_the_names_they_are_stored_under() {
    read_and_written::<RunThread>(&whole(THREAD));
}

#[test]
fn words_keep_their_spelling() {
    for (field, words) in WORDS {
        let (start, entry) = (format!("\"{field}\":\""), |(_, golden): &(&str, &str)| whole(golden));
        let golden = ENTRIES.iter().map(entry).find(|golden| golden.contains(&start)).unwrap();
        let (before, after) = golden.split_once(&start).unwrap();
        let (_, after) = after.split_once('"').unwrap();
        for word in *words {
            read_and_written::<RunEvent>(&format!("{before}{start}{word}\"{after}"));
        }
    }
}

#[test]
fn threads_keep_the_names_they_are_found_by() {
    let kinds = [Kind::Thread, Kind::Session, Kind::Run, Kind::Turn, Kind::Job, Kind::Idempotency];
    let names: Vec<String> =
        kinds.iter().map(|kind| name(*kind, "p", "t").unwrap().as_str().to_owned()).collect();
    let expected =
        ["thread", "session", "run", "turn", "job", "idempotency"].map(|kind| format!("task/{kind}/p/t"));
    assert_eq!(names, expected);
    assert_eq!(key_name("k").unwrap().as_str(), "task/key/k");
    assert_eq!(list_name("p").unwrap().as_str(), "task/jobs/p");
    assert_eq!(
        name(Kind::Run, "a/b", "").unwrap().as_str(),
        "task/run/#c14cddc033f64b9dea80ea675cf280a015e672516090a5626781153dc68fea11/"
    );
}
