//! What SQLite's failures mean, and a disk that fills up.

use rusqlite::ffi;

use super::SqliteStore;
use super::fault::meaning;
use super::locks::Locks;
use super::open::open;
use super::presence::Presence;
use super::threads::Threads;
use crate::{Append, Error, Name, NewEntry, NewSession, SessionId, Store};

#[test]
fn every_failure_has_its_code() {
    for (code, expected) in [
        (ffi::SQLITE_FULL, "STORE_FULL"),
        (ffi::SQLITE_IOERR_SHMSIZE, "STORE_FULL"),
        (ffi::SQLITE_CORRUPT, "STORE_DAMAGED"),
        (ffi::SQLITE_CORRUPT_VTAB, "STORE_DAMAGED"),
        (ffi::SQLITE_NOTADB, "STORE_DAMAGED"),
        (ffi::SQLITE_CANTOPEN_ISDIR, "STORE_UNUSABLE"),
        (ffi::SQLITE_READONLY_DIRECTORY, "STORE_UNUSABLE"),
        (ffi::SQLITE_PERM, "STORE_UNUSABLE"),
        (ffi::SQLITE_BUSY, "STORE_UNAVAILABLE"),
        (ffi::SQLITE_IOERR_FSYNC, "STORE_UNAVAILABLE"),
        (ffi::SQLITE_NOMEM, "STORE_UNAVAILABLE"),
    ] {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        assert_eq!(meaning(&error, "here").code(), expected, "{error}");
    }
    let shape = rusqlite::Error::InvalidColumnType(0, "id".to_owned(), rusqlite::types::Type::Null);
    assert_eq!(meaning(&shape, "here").code(), "STORE_DAMAGED");
}

#[test]
fn a_full_disk_refuses_what_does_not_fit_and_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let opened = open(&path, Locks::exclusive(&path).unwrap()).unwrap();
    // To SQLite this limit is the end of the disk.
    opened.writer.execute_batch("PRAGMA max_page_count = 60").unwrap();
    let store = SqliteStore {
        presence: Presence::exclusive().into(),
        watch: None.into(),
        threads: Threads::start(opened).unwrap().into(),
        path: std::path::PathBuf::from("a.sqlite"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let id = SessionId::from_bytes([1; 16]);
    let key = Name::new("key").unwrap();
    let new = NewSession {
        id,
        at: 1,
        key: key.clone(),
        names: vec![],
        entries: vec![],
        snapshot: None,
        wake_at: None,
    };
    runtime.block_on(store.create(new)).unwrap();
    let append = |expected_head, bytes| {
        let entries = vec![NewEntry { kind: "note", at: 1, body: vec![7; bytes] }];
        let (names, snapshot) =
            (vec![(Name::new(format!("{expected_head} {bytes}")).unwrap(), vec![])], None);
        store.append(Append {
            session: id,
            fence: None,
            expected_head,
            entries,
            names,
            snapshot,
            wake_at: None,
        })
    };
    let full = Error::Full { place: path.to_str().unwrap().to_owned() };
    assert_eq!(runtime.block_on(append(0, 100)), Ok(1));
    // Asked for together: the large one fails alone.
    let (large, small, next) = (append(1, 1 << 20), append(1, 200), append(2, 300));
    assert_eq!(runtime.block_on(large), Err(full.clone()));
    assert_eq!(runtime.block_on(small), Ok(2));
    assert_eq!(runtime.block_on(next), Ok(3));
    let (large, small) = (append(3, 1 << 20), append(3, 100));
    assert_eq!(runtime.block_on(large), Err(full));
    assert_eq!(runtime.block_on(small), Ok(4));
    let room = store.write(|connection| Ok(connection.execute_batch("PRAGMA max_page_count = 6000")?));
    runtime.block_on(room).unwrap();
    assert_eq!(runtime.block_on(append(4, 1 << 20)), Ok(5));
    let session = runtime.block_on(store.load(&key)).unwrap().unwrap();
    let sizes: Vec<usize> = session.entries.iter().map(|entry| entry.body.len()).collect();
    assert_eq!(sizes, [100, 200, 300, 100, 1 << 20]);
    let refused = Name::new(format!("1 {}", 1 << 20)).unwrap();
    assert_eq!(runtime.block_on(store.value(&refused)), Ok(None));
}
