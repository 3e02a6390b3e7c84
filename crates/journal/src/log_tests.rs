//! A log and its snapshots.

use std::sync::atomic::Ordering;

use engross_protocol::SessionId;
use engross_store::{MemoryStore, Name, NewEntry, NewSession, Store};
use proptest::prelude::*;

use super::support::{Numbers, WatchedStore};
use super::{Creation, Error, ListLine, Log, Machine, NewLog, add_to_list};

const ID: SessionId = SessionId::from_bytes([1; 16]);

fn new() -> NewLog {
    NewLog { id: ID, at: 0, key: Name::new("numbers").unwrap(), names: Vec::new() }
}

async fn created(store: &dyn Store) -> Log<Numbers> {
    match Log::create(store, new(), &[0]).await.unwrap() {
        Creation::New(log) => log,
        Creation::Known(_) => panic!("it is new"),
    }
}

async fn append(log: &mut Log<Numbers>, store: &dyn Store, number: u64) -> Result<(), Error> {
    log.state_mut().apply(&number, number);
    log.append(store, None, &[number], Vec::new(), number).await
}

#[tokio::test]
async fn snapshots_are_rarer_the_longer_the_log_is_so_that_an_entry_costs_the_same() {
    let store = WatchedStore::default();
    let mut log = created(&store).await;
    for number in 1..5_000 {
        append(&mut log, &store, number).await.unwrap();
    }
    let snapshots = store.snapshots.lock().unwrap().clone();
    // At even distances of 64 there would be 78, and together they would have 40 times the bytes of the log.
    assert!((10..=25).contains(&snapshots.len()), "{}", snapshots.len());
    let (written, last) = (snapshots.iter().sum::<usize>(), snapshots.last().unwrap());
    assert!(written < 7 * last, "{written} bytes of snapshots for a state of {last}");
    // What has to be read is a quarter of the log at the most.
    let stored = store.load_by_id(ID).await.unwrap().unwrap();
    assert!(stored.entries.len() < 1_300, "{}", stored.entries.len());
    assert_eq!(store.read(ID).await.state(), &store.fold(ID).await);
}

#[tokio::test]
async fn a_state_that_is_ahead_of_its_log_is_read_anew() {
    let store = WatchedStore::default();
    let mut log = created(&store).await;
    store.fails_to_append.store(true, Ordering::SeqCst);
    append(&mut log, &store, 1).await.unwrap_err();
    assert!(log.is_ahead());
    store.fails_to_append.store(false, Ordering::SeqCst);
    assert!(log.refresh(&store).await.unwrap());
    assert_eq!((log.state().0.as_slice(), log.head(), log.is_ahead()), (&[0][..], 1, false));
    append(&mut log, &store, 2).await.unwrap();
    assert_eq!(store.fold(ID).await.0, [0, 2]);
}

#[tokio::test]
async fn what_others_have_stored_is_read_and_a_wake_up_of_theirs_is_overwritten() {
    let store = WatchedStore::default();
    let mut one = created(&store).await;
    let mut two = store.read(ID).await;
    append(&mut two, &store, 8).await.unwrap();
    assert!(matches!(
        append(&mut one, &store, 9).await,
        Err(Error::Store(engross_store::Error::Conflict { .. }))
    ));
    assert!(one.refresh(&store).await.unwrap());
    assert!(!one.refresh(&store).await.unwrap());
    append(&mut one, &store, 7).await.unwrap();
    assert_eq!(store.due(7, 9).await.unwrap(), [ID]);
    assert!(two.refresh(&store).await.unwrap());
    append(&mut two, &store, 8).await.unwrap();
    assert_eq!(store.due(u64::MAX >> 1, 9).await.unwrap(), []);
}

#[tokio::test]
async fn an_unusable_snapshot_is_not_read_and_an_entry_that_nobody_understands_refuses_the_log() {
    let store = MemoryStore::new();
    let session = |id: u8, snapshot: &[u8], bodies: &[&[u8]]| NewSession {
        id: SessionId::from_bytes([id; 16]),
        at: 0,
        key: Name::new(format!("log {id}")).unwrap(),
        names: Vec::new(),
        entries: bodies.iter().map(|body| NewEntry { kind: "number", at: 0, body: body.to_vec() }).collect(),
        snapshot: Some(snapshot.to_vec()),
        wake_at: None,
    };
    store.create(session(1, b"(2, [9])", &[b"4", b"5"])).await.unwrap();
    assert_eq!(Log::<Numbers>::load(&store, ID).await.unwrap().unwrap().state().0, [4, 5]);
    store.create(session(2, b"", &[b"4", br#"{"event":"moved"}"#])).await.unwrap();
    let error = Log::<Numbers>::load(&store, SessionId::from_bytes([2; 16])).await.unwrap_err();
    assert!(error.to_string().starts_with("entry 2 of session ses_0202"), "{error}");
}

#[tokio::test]
async fn a_list_takes_lines_of_many_at_once() {
    let store = MemoryStore::new();
    let name = Name::new("list").unwrap();
    for (id, text) in (1..).zip(["a", "b", "a"]) {
        let id = SessionId::from_bytes([id; 16]);
        let line = ListLine { kind: "line", at: 1, text, is_unique: true };
        add_to_list(&store, id, &name, line).await.unwrap();
    }
    add_to_list(&store, ID, &name, ListLine { kind: "line", at: 1, text: "a", is_unique: false })
        .await
        .unwrap();
    let lines: Vec<_> = store.entries(ID, 0, 9).await.unwrap().into_iter().map(|entry| entry.body).collect();
    assert_eq!(lines, [b"a", b"b", b"a"]);
}

proptest! {
    /// Whatever is appended, read back and appended again: the state is the fold of the log.
    #[test]
    fn a_state_is_the_fold_of_its_log(
        steps in proptest::collection::vec((proptest::collection::vec(0_u64..50, 0..40), 0_u8..4), 1..30),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let store = WatchedStore::default();
            let mut log = created(&store).await;
            for (numbers, what) in steps {
                match what {
                    0 => log = store.read(ID).await,
                    1 => {
                        store.fails_to_append.store(true, Ordering::SeqCst);
                        let _ = append(&mut log, &store, 3).await;
                        store.fails_to_append.store(false, Ordering::SeqCst);
                        log.refresh(&store).await.unwrap();
                    }
                    _ => {
                        for number in &numbers {
                            log.state_mut().apply(number, 5);
                        }
                        log.append(&store, None, &numbers, Vec::new(), 5).await.unwrap();
                    }
                }
                assert!(!log.is_ahead());
                assert_eq!(log.state(), &store.fold(ID).await);
                let due = !store.due(u64::MAX >> 1, 9).await.unwrap().is_empty();
                assert_eq!(due, log.state().wake_at(0).is_some());
            }
        });
    }
}

#[tokio::test]
async fn an_entry_of_a_newer_version_refuses_the_log_and_is_never_taken_for_another() {
    for (kind, body, code) in [
        ("number", "7", None),
        ("fraction", "7", Some("STORE_NEWER")),
        ("number", r#"{"numerator":1}"#, Some("STORE_NEWER")),
        ("fraction", r#"{"numerator":1}"#, Some("STORE_NEWER")),
        ("number", r#"{"numerator"#, None),
    ] {
        let store = MemoryStore::new();
        let entry = |kind, body: &str| NewEntry { kind, at: 0, body: body.into() };
        let entries = vec![entry("number", "1"), entry(kind, body), entry("number", "2")];
        let key = Name::new("numbers").unwrap();
        let (names, snapshot, wake_at) = (Vec::new(), None, None);
        store.create(NewSession { id: ID, at: 0, key, names, entries, snapshot, wake_at }).await.unwrap();
        let read = Log::<Numbers>::load(&store, ID).await;
        match (read, code) {
            (Ok(log), None) => assert_eq!(log.unwrap().state().0, [1, 7, 2]),
            (Err(Error::Damaged { problem }), None) => assert!(problem.contains("entry 2"), "{problem}"),
            (Err(Error::Store(error)), Some(code)) => {
                assert_eq!(error.code(), code);
                assert!(error.to_string().contains("use the newer engross"), "{error}");
            }
            (read, code) => panic!("{kind} {body}: {read:?}, not {code:?}"),
        }
    }
}
