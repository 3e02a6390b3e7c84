//! Sessions are copied whole or not at all, and deleted when nobody works on them.

use std::sync::Arc;

use engross_protocol::SessionId;
use engross_store::{Append, MemoryStore, Name, NewEntry, NewSession, Store};

use super::stored::{CopyOutcome, copy_stored, delete_stored, find_stored, read_stored, stored_sessions};
use super::{LogEvent, SessionName};

fn id(number: u128) -> SessionId {
    SessionId::from_bytes(number.to_be_bytes())
}

fn entry(event: &LogEvent, at: u64) -> NewEntry {
    NewEntry { kind: event.kind(), at, body: serde_json::to_vec(event).unwrap() }
}

/// A session of `principal` with so many notes, some of them long.
async fn session(store: &dyn Store, number: u128, principal: &str, key: &str, notes: usize) {
    let name = |text: String| Name::new(text).unwrap();
    let new = NewSession {
        id: id(number),
        at: 5,
        key: name(format!("key\u{1}{principal}\u{1}{key}")),
        names: vec![(name(format!("once\u{1}{principal}\u{1}{number}")), vec![1, 2])],
        entries: vec![entry(&LogEvent::Opened { key: key.to_owned() }, 5)],
        snapshot: Some(b"of no use".to_vec()),
        wake_at: Some(7),
    };
    assert!(store.create(new).await.unwrap().1);
    for at in 0..notes {
        let message = "x".repeat(if at % 100 == 0 { 3 << 20 } else { 10 });
        let append = Append {
            session: id(number),
            fence: None,
            expected_head: 1 + at as u64,
            entries: vec![entry(&LogEvent::Noted { code: "A".to_owned(), message }, 10 + at as u64)],
            names: Vec::new(),
            snapshot: None,
            wake_at: None,
        };
        store.append(append).await.unwrap();
    }
}

async fn everything(store: &MemoryStore, id: SessionId) -> (Vec<engross_store::Entry>, Vec<(Name, Vec<u8>)>) {
    (store.entries(id, 0, usize::MAX).await.unwrap(), store.names(id).await.unwrap())
}

#[tokio::test]
async fn a_copy_is_the_same_and_a_second_one_does_nothing() {
    let (from, to) = (MemoryStore::new(), MemoryStore::new());
    for (number, notes) in [(1, 0), (2, 511), (3, 1300)] {
        session(&from, number, "ann", &format!("agent:main:{number}"), notes).await;
    }
    for round in 0..2 {
        for number in 1..=3 {
            let outcome = copy_stored(&from, &to, id(number), ("me", 100)).await.unwrap();
            assert_eq!(outcome, if round == 0 { CopyOutcome::Copied } else { CopyOutcome::Known });
            assert_eq!(everything(&from, id(number)).await, everything(&to, id(number)).await);
        }
    }
    assert_eq!(
        stored_sessions(&from, Some("ann")).await.unwrap(),
        stored_sessions(&to, None).await.unwrap(),
        "ids, keys, owners and times are those of the source"
    );
    let key = SessionName::Named("agent:main:2".to_owned());
    assert_eq!(find_stored(&to, "ann", &key).await.unwrap(), id(2));
    assert!(find_stored(&to, "", &key).await.is_err(), "it is Ann's");
    let by_id = SessionName::Named(id(2).to_string());
    assert!(find_stored(&to, "bob", &by_id).await.is_err() && find_stored(&to, "ann", &by_id).await.is_ok());
    assert_eq!(read_stored(&to, id(2)).await.unwrap().unwrap().key, "agent:main:2");
}

#[tokio::test]
async fn what_is_in_the_way_is_left_as_it_is() {
    let (from, to) = (MemoryStore::new(), MemoryStore::new());
    session(&from, 1, "", "agent:main:a", 3).await;
    session(&from, 2, "", "agent:main:b", 3).await;
    session(&to, 1, "", "agent:main:a", 2).await;
    session(&to, 9, "", "agent:main:b", 1).await;
    for number in [1, 2] {
        let refused = copy_stored(&from, &to, id(number), ("me", 100)).await.unwrap_err();
        assert_eq!(refused.code, "SESSION_TAKEN");
    }
    assert_eq!(to.entries(id(1), 0, 100).await.unwrap().len(), 3);
    assert!(to.load_by_id(id(2)).await.unwrap().is_none(), "nothing of it was begun");
}

#[tokio::test]
async fn nobody_is_disturbed_who_works_on_a_session() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    session(&*store, 1, "", "agent:main:a", 1).await;
    let fence = store.lease(id(1), "a server", 100, 1000).await.unwrap().unwrap();
    let to = MemoryStore::new();
    for refused in [
        copy_stored(&*store, &to, id(1), ("me", 200)).await.map(drop),
        delete_stored(&*store, id(1), ("me", 200)).await.map(drop),
    ] {
        assert_eq!(refused.unwrap_err().code, "SESSION_BUSY");
    }
    store.release(id(1), fence).await.unwrap();
    assert!(delete_stored(&*store, id(1), ("me", 200)).await.unwrap());
    assert!(stored_sessions(&*store, None).await.unwrap().is_empty());
}
