#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the files that were written, and damage them"
)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engross_agent::session::transcript::Transcriber;
use engross_agent::session::{AcceptedRequest, AnswerFinish, LogEvent, TurnEnding, TurnEndingKind};
use engross_llm::Message;
use engross_protocol::SessionId;
use engross_store::{Append, MemoryStore, Name, NewEntry, NewSession, Store};
use tokio::runtime::Runtime;

use super::Exports;
use super::transcripts::{Export, Problem};

const SESSION: SessionId = SessionId::from_bytes([7; 16]);

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn export(store: &Arc<dyn Store>, folder: &Path) -> Export {
    Export { store: Arc::clone(store), folder: folder.to_owned(), known: [].into(), uses: 0 }
}

/// A turn with a message that no file shows in one piece.
fn turn(number: u64) -> Vec<LogEvent> {
    let content = format!("How are you, Zoë?\n{}", "long ".repeat(9_000));
    let messages = vec![
        Message::User { content: "a".to_owned(), attachments: Vec::new() },
        Message::User { content, attachments: Vec::new() },
    ];
    let accepted = AcceptedRequest { turn: number, messages, ..AcceptedRequest::default() };
    let answered = LogEvent::Answered {
        text: "Well.".to_owned(),
        calls: Vec::new(),
        usage: None,
        cut: None,
        model: "rules".to_owned(),
        thoughts: Vec::new(),
    };
    let kind = TurnEndingKind::Whole(AnswerFinish::Stop);
    let ended = TurnEnding {
        kind,
        code: String::new(),
        message: String::new(),
        retry_after: None,
        keeps_part: false,
        is_refused: false,
    };
    vec![LogEvent::Accepted(accepted), answered, LogEvent::Ended(ended)]
}

fn entry(event: &LogEvent) -> NewEntry {
    NewEntry { kind: event.kind(), at: 1_000, body: serde_json::to_vec(event).unwrap() }
}

async fn create(store: &dyn Store, id: SessionId) {
    let events = [LogEvent::Opened { key: "k".to_owned() }];
    let new = NewSession {
        id,
        at: 1_000,
        key: Name::new(format!("k{id}")).unwrap(),
        names: Vec::new(),
        entries: events.iter().map(entry).collect(),
        snapshot: None,
        wake_at: None,
    };
    store.create(new).await.unwrap();
}

async fn append(store: &dyn Store, id: SessionId, events: &[LogEvent]) {
    let head = store.load_by_id(id).await.unwrap().unwrap().head;
    let append = Append {
        session: id,
        fence: None,
        expected_head: head,
        entries: events.iter().map(entry).collect(),
        names: Vec::new(),
        snapshot: None,
        wake_at: None,
    };
    store.append(append).await.unwrap();
}

/// What the whole log tells.
async fn replay(store: &dyn Store, id: SessionId) -> String {
    let mut transcriber = Transcriber::new(id);
    let entries = store.entries(id, 0, usize::MAX).await.unwrap();
    let lines = entries.iter().flat_map(|entry| {
        transcriber.fold(entry.seq, entry.at, &serde_json::from_slice(&entry.body).unwrap())
    });
    lines.map(|line| line.json + "\n").collect()
}

fn text(folder: &Path, id: SessionId) -> String {
    std::fs::read_to_string(folder.join(format!("{id}.jsonl"))).unwrap_or_default()
}

#[test]
fn a_file_grows_with_its_log_from_memory_and_after_a_restart() {
    runtime().block_on(async {
        let (store, folder): (Arc<dyn Store>, _) =
            (Arc::new(MemoryStore::new()), tempfile::tempdir().unwrap());
        create(&*store, SESSION).await;
        let mut going = export(&store, folder.path());
        for number in 1..4 {
            for event in turn(number) {
                append(&*store, SESSION, &[event]).await;
                going.write(SESSION).await.unwrap();
                assert_eq!(text(folder.path(), SESSION), replay(&*store, SESSION).await);
            }
            going = export(&store, folder.path());
        }
        // More than one page.
        for number in 4..200 {
            append(&*store, SESSION, &turn(number)[1..]).await;
        }
        going.write(SESSION).await.unwrap();
        assert_eq!(text(folder.path(), SESSION), replay(&*store, SESSION).await);
    });
}

#[test]
fn a_file_that_was_cut_anywhere_becomes_whole() {
    runtime().block_on(async {
        let (store, folder): (Arc<dyn Store>, _) =
            (Arc::new(MemoryStore::new()), tempfile::tempdir().unwrap());
        create(&*store, SESSION).await;
        append(&*store, SESSION, &turn(1)).await;
        let whole = replay(&*store, SESSION).await;
        let path = folder.path().join(format!("{SESSION}.jsonl"));
        for cut in (0..whole.len()).filter(|cut| cut % 997 == 0 || whole.len() - cut < 900) {
            std::fs::write(&path, &whole.as_bytes()[..cut]).unwrap();
            export(&store, folder.path()).write(SESSION).await.unwrap();
            assert_eq!(text(folder.path(), SESSION), whole, "cut at {cut}");
        }
        // While it is being written, too.
        let mut going = export(&store, folder.path());
        going.write(SESSION).await.unwrap();
        std::fs::write(&path, &whole.as_bytes()[..whole.len() - 9]).unwrap();
        append(&*store, SESSION, &turn(2)).await;
        assert!(
            matches!(going.write(SESSION).await, Err(Problem::File(_))),
            "not behind what it does not know"
        );
        going.write(SESSION).await.unwrap();
        assert_eq!(text(folder.path(), SESSION), replay(&*store, SESSION).await);
    });
}

#[test]
fn a_file_that_is_no_transcript_of_the_session_is_left_alone() {
    runtime().block_on(async {
        let (store, folder): (Arc<dyn Store>, _) =
            (Arc::new(MemoryStore::new()), tempfile::tempdir().unwrap());
        create(&*store, SESSION).await;
        let later = r#"{"type":"custom","__engross":{"seq":99,"index":0}}"#;
        for foreign in ["My notes\nand more", "{}\n", "\n", &format!("{later}\n")] {
            let path = folder.path().join(format!("{SESSION}.jsonl"));
            std::fs::write(&path, foreign).unwrap();
            let written = export(&store, folder.path()).write(SESSION).await;
            assert!(matches!(written, Err(Problem::Foreign(_))), "{written:?}");
            assert_eq!(text(folder.path(), SESSION), foreign);
        }
    });
}

#[test]
fn a_server_that_starts_catches_up_and_one_that_stops_has_written_all() {
    let runtime = runtime();
    let (store, folder): (Arc<dyn Store>, _) = (Arc::new(MemoryStore::new()), tempfile::tempdir().unwrap());
    let ids: Vec<SessionId> = (0..=255)
        .chain(0..=99)
        .zip(0..)
        .map(|(number, at): (u8, u16)| {
            let [high, low] = at.to_be_bytes();
            SessionId::from_bytes([number, high, low, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
        })
        .collect();
    runtime.block_on(async {
        for id in &ids {
            create(&*store, *id).await;
        }
        let folder = folder.path().join("deep/folder");
        let exports = Exports::start(&store, Some(&folder), None).await.unwrap();
        let started = Instant::now();
        for id in &ids {
            while text(&folder, *id) != replay(&*store, *id).await {
                assert!(started.elapsed() < Duration::from_secs(20), "{id} is not caught up with");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        for id in &ids {
            let event = turn(1).remove(2);
            append(&*store, *id, std::slice::from_ref(&event)).await;
            let stored = engross_agent::session::StoredEntries {
                session: *id,
                key: "k",
                first: 2,
                at: 1_000,
                events: &[event],
            };
            exports.observers().iter().for_each(|observer| observer.stored(stored));
        }
        exports.finish().await;
        for id in &ids {
            assert_eq!(text(&folder, *id), replay(&*store, *id).await);
        }
    });
}
