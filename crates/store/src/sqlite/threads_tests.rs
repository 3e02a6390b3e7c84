//! Group commit: who shares a transaction, and whom a failure concerns.

use std::sync::mpsc::channel;

use super::fault::Fault;
use super::open::open;
use super::threads::Threads;
use crate::Error;

fn threads(folder: &tempfile::TempDir) -> Threads {
    let path = folder.path().join("sessions.sqlite");
    let locks = super::locks::Locks::exclusive(&path).unwrap();
    Threads::start(open(&path, locks).unwrap()).unwrap()
}

#[test]
fn what_queues_up_is_one_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let threads = threads(&folder);
    let (go, wait) = channel::<()>();
    let first = threads.write(move |_| Ok(wait.recv().is_err())).unwrap();
    // A savepoint ends with its transaction, so that it can be released only within the same one.
    let batch =
        |sql: &'static str| threads.write(move |connection| Ok(connection.execute_batch(sql)?)).unwrap();
    let group = [batch("SAVEPOINT probe"), batch("SELECT 1"), batch("RELEASE probe")];
    drop(go);
    assert_eq!(first.blocking_recv().unwrap(), Ok(true));
    for answer in group {
        assert_eq!(answer.blocking_recv().unwrap(), Ok(()));
    }
    assert_eq!(batch("RELEASE probe").blocking_recv().unwrap().unwrap_err().code(), "STORE_UNAVAILABLE");
}

#[test]
fn a_failure_concerns_only_who_caused_it() {
    let folder = tempfile::tempdir().unwrap();
    let threads = threads(&folder);
    let (go, wait) = channel::<()>();
    drop(threads.write(move |_| Ok(wait.recv().is_err())).unwrap());
    let name = |name: u8, broken: bool| {
        let work = move |connection: &rusqlite::Connection| {
            connection.execute("INSERT INTO names VALUES (?1, 1, x'00')", [name.to_string()])?;
            if broken { Err(Fault::Sql(rusqlite::Error::ExecuteReturnedResults)) } else { Ok(name) }
        };
        threads.write(work).unwrap()
    };
    let answers = [name(1, false), name(2, true), name(3, false), name(3, false)];
    drop(go);
    let answers = answers.map(|answer| answer.blocking_recv().unwrap().map_err(|error| error.code()));
    assert_eq!(answers, [Ok(1), Err("STORE_DAMAGED"), Ok(3), Err("STORE_UNAVAILABLE")]);
    let kept = threads.read(|connection| {
        let mut statement = connection.prepare("SELECT name FROM names ORDER BY name")?;
        let names = statement.query_map([], |row| row.get::<_, String>(0))?;
        Ok(names.collect::<Result<Vec<_>, _>>()?)
    });
    assert_eq!(kept.unwrap().blocking_recv().unwrap(), Ok(vec!["1".to_owned(), "3".to_owned()]));
}

/// While somebody reads, the log of the file cannot be emptied; nobody may have to write once more for it.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test looks into the files")]
fn what_was_deleted_leaves_the_log_once_nobody_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let threads = threads(&folder);
    let write =
        |sql: &'static str| threads.write(move |connection| Ok(connection.execute_batch(sql)?)).unwrap();
    write("INSERT INTO names VALUES ('SECRET', 1, x'00')").blocking_recv().unwrap().unwrap();
    let reader = super::open::reader(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM names").unwrap();
    let holds = || {
        ["sessions.sqlite", "sessions.sqlite-wal"].iter().any(|name| {
            std::fs::read(folder.path().join(name))
                .is_ok_and(|bytes| bytes.windows(6).any(|part| part == b"SECRET"))
        })
    };
    threads.erased().store(true, std::sync::atomic::Ordering::SeqCst);
    drop(write("DELETE FROM names"));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(holds(), "it is read still");
    reader.execute_batch("COMMIT").unwrap();
    let limit = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while holds() {
        assert!(std::time::Instant::now() < limit, "it stays");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn what_was_asked_for_is_done_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let insert = |name: u32| {
        move |connection: &rusqlite::Connection| {
            connection.execute("INSERT INTO names VALUES (?1, 1, x'00')", [name.to_string()])?;
            Ok(())
        }
    };
    let first = threads(&folder);
    // Nobody waits for these answers.
    (0..1000).for_each(|name| drop(first.write(insert(name)).unwrap()));
    let ended = first.stop().unwrap();
    assert_eq!(first.write(insert(2000)).unwrap_err(), Error::Closed);
    assert_eq!(first.stop().unwrap_err(), Error::Closed);
    assert!(ended.blocking_recv().is_err());
    let count = |threads: &Threads| {
        let count = threads.read(|connection| {
            Ok(connection.query_row("SELECT count(*) FROM names", [], |row| row.get::<_, u32>(0))?)
        });
        count.unwrap().blocking_recv().unwrap()
    };
    let second = threads(&folder);
    assert_eq!(count(&second), Ok(1000));
    (2000..2100).for_each(|name| drop(second.write(insert(name)).unwrap()));
    drop(second);
    assert_eq!(count(&threads(&folder)), Ok(1100));
}

/// A backup put back under a running server, or the file deleted: nobody is told that something is stored which nobody finds again.
#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "the test takes the file away")]
fn what_goes_to_a_file_that_was_replaced_is_not_called_stored() {
    let folder = tempfile::tempdir().unwrap();
    let threads = threads(&folder);
    let path = folder.path().join("sessions.sqlite");
    let write = || threads.write(|_| Ok(())).unwrap().blocking_recv().unwrap();
    assert_eq!(write(), Ok(()));
    let backup = folder.path().join("backup");
    std::fs::rename(&path, &backup).unwrap();
    assert_eq!(write().unwrap_err().code(), "STORE_UNUSABLE", "it is gone");
    std::fs::copy(&backup, &path).unwrap();
    assert_eq!(write().unwrap_err().code(), "STORE_UNUSABLE", "it is another one");
    std::fs::rename(&backup, &path).unwrap();
    assert_eq!(write(), Ok(()), "it is back");
}
