//! Which files are opened, and what is said of the others.

use std::os::unix::fs::FileExt;
use std::path::Path;

use rusqlite::{Connection, StatementStatus};

use super::SqliteStore;
use super::open::{MIGRATIONS, migrate, open};
use super::read::{BY_NAME, LIST_GROUP, UNCHANGED, VALUE};
use crate::Error;

fn refusal(path: &Path) -> Error {
    SqliteStore::open(path).map(drop).unwrap_err()
}

fn place(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(refusal(&path), Error::InUse { place: place(&path) });
    drop(store);
    SqliteStore::open(&path).unwrap();
}

#[test]
fn nobody_else_can_read_the_files_also_those_of_an_earlier_version() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let open_to_all = std::fs::Permissions::from_mode(0o644);
    let modes = || {
        let mut modes = Vec::new();
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap();
            modes.push((entry.file_name(), entry.metadata().unwrap().permissions().mode() & 0o777));
        }
        modes
    };
    let store = SqliteStore::open_shared(&path).unwrap();
    assert!(modes().len() >= 4 && modes().iter().all(|(_, mode)| *mode == 0o600), "{:?}", modes());
    drop(store);
    for (name, _) in modes() {
        std::fs::set_permissions(folder.path().join(name), open_to_all.clone()).unwrap();
    }
    let _store = SqliteStore::open_shared(&path).unwrap();
    assert!(modes().iter().all(|(_, mode)| *mode == 0o600), "{:?}", modes());
}

#[test]
fn some_files_have_several_owners() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.sqlite");
    let opened: Vec<_> = std::thread::scope(|scope| {
        let openers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| SqliteStore::open_shared(&path).unwrap())).collect();
        openers.into_iter().map(|opener| opener.join().unwrap()).collect()
    });
    assert_eq!(refusal(&path), Error::InUse { place: place(&path) });
    drop(opened);
    let alone = SqliteStore::open(&path).unwrap();
    drop(alone);
    SqliteStore::open_shared(&path).unwrap();
}

#[test]
fn owners_of_one_file_see_what_the_others_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.sqlite");
    let stores = [(); 3].map(|()| SqliteStore::open_shared(&path).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (id, key) = (crate::SessionId::from_bytes([7; 16]), crate::Name::new("a").unwrap());
    let entry = |text: &str| crate::NewEntry { kind: "t", at: 1, body: text.into() };
    let new = crate::NewSession {
        id,
        at: 1,
        key: key.clone(),
        names: Vec::new(),
        entries: vec![entry("0")],
        snapshot: None,
        wake_at: None,
    };
    runtime.block_on(crate::Store::create(&stores[0], new)).unwrap();
    for round in 1..=30 {
        let append = |store: &SqliteStore| {
            let append = crate::Append {
                session: id,
                fence: None,
                expected_head: round,
                entries: vec![entry(&round.to_string())],
                names: Vec::new(),
                snapshot: None,
                wake_at: None,
            };
            runtime.block_on(crate::Store::append(store, append))
        };
        let [first, others @ ..] = [0, 1, 2].map(|n| append(&stores[(n + round as usize) % 3]));
        assert_eq!(first, Ok(round + 1));
        let conflict = Error::Conflict { session: id, expected: round, head: round + 1 };
        assert_eq!(others, [Err(conflict.clone()), Err(conflict)]);
    }
    for store in &stores {
        let session = runtime.block_on(crate::Store::load(store, &key)).unwrap().unwrap();
        let told: Vec<u64> = session
            .entries
            .iter()
            .map(|entry| String::from_utf8_lossy(&entry.body).parse().unwrap())
            .collect();
        assert_eq!(told, (0..=30).collect::<Vec<_>>());
    }
}

#[test]
fn a_closed_store_leaves_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    drop(SqliteStore::open(&path).unwrap());
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["sessions.sqlite", "sessions.sqlite-lock"]);
}

#[test]
fn a_later_schema_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    drop(SqliteStore::open(&path).unwrap());
    let file = Connection::open(&path).unwrap();
    file.pragma_update(None, "user_version", 99).unwrap();
    assert_eq!(refusal(&path), Error::Newer { place: place(&path), found: 99, known: 2 });
    let version: u32 = file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 99);
}

#[test]
fn the_file_of_another_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, sql) in [
        ("tables", "CREATE TABLE sessions (id)"),
        ("version", "PRAGMA user_version = 1"),
        ("application", "PRAGMA application_id = 7; CREATE TABLE a (b)"),
    ] {
        let path = folder.path().join(name);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let message = "it is a database of another program".to_owned();
        assert_eq!(refusal(&path), Error::Unusable { place: place(&path), message }, "{name}");
    }
}

#[test]
fn what_cannot_be_opened_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing/sessions.sqlite");
    assert!(matches!(refusal(&missing), Error::Unusable { place: named, .. } if named == place(&missing)));
    assert!(
        matches!(refusal(folder.path()), Error::Unusable { place: named, .. } if named == place(folder.path()))
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test damages files")]
fn a_damaged_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let damaged = |error: Error| {
        assert!(matches!(&error, Error::Damaged { place: named, .. } if *named == place(&path)), "{error:?}");
    };
    drop(SqliteStore::open(&path).unwrap());
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, "no database at all, though it is long enough for a header: ".repeat(99)).unwrap();
    damaged(refusal(&path));
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    damaged(refusal(&path));
    std::fs::write(&path, &whole).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[0xff; 4096], 4096).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let name = crate::Name::new("a").unwrap();
    for number in 2..whole.len() / 4096 {
        file.write_all_at(&[0xff; 4096], number as u64 * 4096).unwrap();
    }
    damaged(runtime.block_on(crate::Store::load(&store, &name)).unwrap_err());
    damaged(runtime.block_on(crate::Store::healthy(&store)).unwrap_err());
}

#[test]
fn migrations_are_applied_once_and_wholly() {
    let mut file = Connection::open_in_memory().unwrap();
    let (first, second) = ("CREATE TABLE a (x)", "ALTER TABLE a ADD y; INSERT INTO a VALUES (1, 2)");
    let broken = "INSERT INTO a VALUES (3, 4); CREATE TABLE a (x)";
    migrate(&mut file, "here", &[first]).unwrap();
    migrate(&mut file, "here", &[first, second]).unwrap();
    migrate(&mut file, "here", &[first, second]).unwrap();
    let error = migrate(&mut file, "here", &[first, second, broken]).unwrap_err();
    assert_eq!(error.code(), "STORE_DAMAGED");
    let rows: u32 = file.query_row("SELECT count(*) FROM a", [], |row| row.get(0)).unwrap();
    let version: u32 = file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!((rows, version), (1, 2), "the broken step left nothing");
    let newer = Error::Newer { place: "here".to_owned(), found: 2, known: 1 };
    assert_eq!(migrate(&mut file, "here", &[first]).unwrap_err(), newer);
}

#[test]
fn a_query_is_planned_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let opened = open(&path, super::locks::Locks::exclusive(&path).unwrap()).unwrap();
    for query in [BY_NAME, VALUE] {
        for name in ["a", "b", "c"] {
            let mut statement = opened.writer.prepare_cached(query).unwrap();
            assert!(!statement.exists([name]).unwrap());
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{query}");
        }
    }
}

/// Many sessions of others cost nothing.
#[test]
fn groups_and_old_sessions_are_found_by_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let opened = open(&path, super::locks::Locks::exclusive(&path).unwrap()).unwrap();
    for query in [LIST_GROUP, UNCHANGED, "DELETE FROM names WHERE session = ?1"] {
        let mut statement = opened.writer.prepare(&format!("EXPLAIN QUERY PLAN {query}")).unwrap();
        let lines =
            statement.raw_query().mapped(|row| row.get::<_, String>(3)).collect::<Result<Vec<_>, _>>();
        let plan = lines.unwrap().join("\n");
        assert!(
            plan.contains("SEARCH") && !plan.contains("SCAN") && !plan.contains("TEMP"),
            "{query}: {plan}"
        );
    }
}

/// What 0.1.0 has made stays as it is; later steps only add.
#[test]
fn migrations_only_add() {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(MIGRATIONS[0]);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        digest, "96be8d6841e24d3954cba8ed0c55914083e74be1d80e0bccc18a1ed6ad8f26da",
        "the first step was released with 0.1.0"
    );
    for migration in &MIGRATIONS[1..] {
        let upper = migration.to_uppercase();
        for taken in ["DROP ", "RENAME ", "DELETE ", "UPDATE ", "REPLACE "] {
            assert!(!upper.contains(taken), "{taken} in {migration}");
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test copies a fixture")]
fn a_file_of_0_1_0_is_read_and_gone_on_with() {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data-0.1.0/home/.local/share/engross");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    for name in ["sessions.sqlite", "sessions.sqlite-wal"] {
        std::fs::write(folder.path().join(name), std::fs::read(fixture.join(name)).unwrap()).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = SqliteStore::open_shared(&path).unwrap();
    let sessions = runtime.block_on(crate::Store::list(&store, None, None, 100)).unwrap();
    assert_eq!(sessions.len(), 20);
    for summary in sessions {
        let session = runtime.block_on(crate::Store::load_by_id(&store, summary.id)).unwrap().unwrap();
        let log = runtime.block_on(crate::Store::entries(&store, summary.id, 0, usize::MAX)).unwrap();
        assert_eq!((log.len() as u64, session.head), (summary.head, summary.head));
        assert_eq!(log[0].kind, "opened");
        let entries = vec![crate::NewEntry { kind: "noted", at: 1, body: b"{}".to_vec() }];
        let append = crate::Append {
            session: summary.id,
            fence: None,
            expected_head: session.head,
            entries,
            names: Vec::new(),
            snapshot: None,
            wake_at: None,
        };
        assert_eq!(runtime.block_on(crate::Store::append(&store, append)), Ok(session.head + 1));
    }
}
