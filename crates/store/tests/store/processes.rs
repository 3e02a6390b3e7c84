//! Several processes on one SQLite file: they write own sessions and a common one, and some are killed.
//!
//! The test starts its own binary again as a writer, which tells every append that was acknowledged.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use engross_store::{Append, Error, SqliteStore, Store};

use crate::fixture::{at, id, new, note, runtime};

/// Names the file, and makes [`writer`] write.
const FILE: &str = "ENGROSS_TEST_SHARED_FILE";

/// Who a writer is, and how often it writes.
const WRITER: &str = "ENGROSS_TEST_WRITER";

/// The session that all write.
const COMMON: u8 = 200;

/// How long a lease lasts, in milliseconds.
const TTL: u64 = 400;

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis().try_into().unwrap()
}

/// Takes the lease of a session and appends `count` entries, one by one; tells each that was acknowledged.
async fn write(store: &SqliteStore, writer: u8, session: u8, count: u32) {
    let holder = format!("writer {writer}");
    let fence = loop {
        if let Some(fence) = store.lease(id(session), &holder, now(), TTL).await.unwrap() {
            break fence;
        }
        tokio::time::sleep(Duration::from_millis(3)).await;
    };
    let mut head = store.load_by_id(id(session)).await.unwrap().unwrap().head;
    for _ in 0..count {
        let body = format!("{} {writer}", fence.0);
        let append = Append { fence: Some(fence), entries: vec![note(1, &body)], ..at(session, head) };
        match store.append(append).await {
            Ok(next) => head = next,
            // Slower than the lease lasts.
            Err(Error::Fenced { .. }) => return,
            Err(error) => panic!("{error}"),
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nacknowledged {session} {head} {body}").and_then(|()| out.flush()).unwrap();
    }
    store.release(id(session), fence).await.unwrap();
}

#[test]
#[ignore = "a process of the test below"]
#[expect(clippy::disallowed_methods, reason = "how the test talks to the processes it starts")]
fn writer() {
    let (Ok(file), Ok(writer)) = (std::env::var(FILE), std::env::var(WRITER)) else { return };
    let (writer, rounds) = writer.split_once(' ').unwrap();
    let (writer, rounds): (u8, u32) = (writer.parse().unwrap(), rounds.parse().unwrap());
    let store = SqliteStore::open_shared(Path::new(&file)).unwrap();
    runtime().block_on(async {
        for session in [writer, COMMON] {
            store.create(new(session, &format!("session {session}"))).await.unwrap();
        }
        for round in 0..rounds {
            write(&store, writer, writer, 2).await;
            write(&store, writer, COMMON, 1 + round % 3).await;
        }
        store.close().await.unwrap();
    });
}

fn start(file: &Path, writer: u8, rounds: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::writer", "--ignored", "--nocapture"])
        .env(FILE, file)
        .env(WRITER, format!("{writer} {rounds}"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a writer told, until it ended or was killed.
fn acknowledged(child: &mut Child, kill_after: Option<Duration>) -> Vec<String> {
    let lines = BufReader::new(child.stdout.take().unwrap());
    let reading = std::thread::spawn(move || {
        let lines = lines.lines().map(Result::unwrap);
        lines.filter_map(|line| line.strip_prefix("acknowledged ").map(str::to_owned)).collect()
    });
    match kill_after {
        Some(after) => {
            std::thread::sleep(after);
            child.kill().unwrap();
            child.wait().unwrap();
        }
        None => assert!(child.wait().unwrap().success()),
    }
    reading.join().unwrap()
}

#[test]
fn processes_write_side_by_side_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.sqlite");
    let known: Vec<String> = std::thread::scope(|scope| {
        let writers =
            [(1, 25, None), (2, 25, None), (3, 10_000, Some(900)), (4, 10_000, Some(1500)), (5, 25, None)];
        let writers = writers.map(|(writer, rounds, kill)| {
            let file = &file;
            scope.spawn(move || {
                acknowledged(&mut start(file, writer, rounds), kill.map(Duration::from_millis))
            })
        });
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let began = Instant::now();
    let store = SqliteStore::open_shared(&file).unwrap();
    assert!(store.sole_since().is_some(), "the others are gone: {:?}", began.elapsed());
    let runtime = runtime();
    let mut written = BTreeSet::new();
    for session in [1, 2, 3, 4, 5, COMMON] {
        let log = runtime.block_on(store.entries(id(session), 0, usize::MAX)).unwrap();
        let head = runtime.block_on(store.load_by_id(id(session))).unwrap().unwrap().head;
        assert_eq!(log.len() as u64, head);
        let mut fences = Vec::new();
        for (seq, entry) in (1..).zip(&log) {
            assert_eq!(entry.seq, seq);
            let body = String::from_utf8(entry.body.clone()).unwrap();
            fences.push((body.split_once(' ').unwrap().0.parse::<u64>().unwrap(), body.clone()));
            written.insert(format!("{session} {seq} {body}"));
        }
        assert!(fences.is_sorted_by_key(|(fence, _)| *fence), "two wrote at once: {fences:?}");
        fences.dedup();
        assert!(fences.is_sorted_by(|one, other| one.0 < other.0), "two had one lease: {fences:?}");
    }
    let lost: Vec<_> = known.iter().filter(|line| !written.contains(*line)).collect();
    assert_eq!(lost, Vec::<&String>::new());
    for writer in [1, 2, 5] {
        let of = |line: &&String| line.starts_with(&format!("{writer} "));
        assert!(known.iter().filter(of).count() >= 40, "{writer} got on");
    }
    assert!(written.len() <= known.len() + 2, "each that was killed may have written one more than it told");
}

#[test]
fn a_process_that_comes_later_waits_for_leases_and_finds_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let first = SqliteStore::open_shared(&path).unwrap();
    let runtime = runtime();
    runtime.block_on(first.create(new(1, "one"))).unwrap();
    let epoch = first.sole_since();
    assert!(epoch.is_some());
    let fence = runtime.block_on(first.lease(id(1), "first", 0, 1000)).unwrap().unwrap();
    let entry = |fence, head| Append { fence: Some(fence), entries: vec![note(1, "a")], ..at(1, head) };
    assert_eq!(runtime.block_on(first.append(entry(fence, 0))), Ok(1));

    let second = SqliteStore::open_shared(&path).unwrap();
    assert_eq!((first.sole_since(), second.sole_since()), (None, None));
    assert_eq!(runtime.block_on(second.lease(id(1), "second", 10, 1000)), Ok(None), "it is the first one's");
    assert_eq!(runtime.block_on(first.lease(id(1), "first", 500, 1000)), Ok(Some(fence)), "renewed");
    assert_eq!(runtime.block_on(first.append(entry(fence, 1))), Ok(2));
    let taken = runtime.block_on(second.lease(id(1), "second", 1500, 1000)).unwrap().unwrap();
    assert!(taken > fence, "run out");
    assert_eq!(runtime.block_on(first.append(entry(fence, 2))).unwrap_err().code(), "STORE_FENCED");
    assert_eq!(runtime.block_on(second.append(entry(taken, 2))), Ok(3));

    drop(second);
    let until = Instant::now() + Duration::from_secs(10);
    while first.sole_since().is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(first.sole_since().is_some() && first.sole_since() != epoch, "alone again, and not as before");
    assert_eq!(runtime.block_on(first.lease(id(1), "first", 1600, 1000)), Ok(None), "as the file says");
    let fence = runtime.block_on(first.lease(id(1), "first", 2500, 1000)).unwrap().unwrap();
    assert!(fence > taken);

    // The file said that somebody has it; that it is free by now is told to those who come.
    runtime.block_on(first.release(id(1), fence)).unwrap();
    let second = SqliteStore::open_shared(&path).unwrap();
    assert!(runtime.block_on(second.lease(id(1), "second", 2501, 1000)).unwrap().unwrap() > fence);
}

#[test]
fn a_lease_that_was_renewed_alone_and_released_is_free_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let first = SqliteStore::open_shared(&path).unwrap();
    let runtime = runtime();
    runtime.block_on(first.create(new(1, "one"))).unwrap();
    let fence = runtime.block_on(first.lease(id(1), "first", 0, 1000)).unwrap().unwrap();
    drop(SqliteStore::open_shared(&path).unwrap());
    while first.sole_since().is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(runtime.block_on(first.lease(id(1), "first", 500, 1000)), Ok(Some(fence)));
    runtime.block_on(first.release(id(1), fence)).unwrap();
    let second = SqliteStore::open_shared(&path).unwrap();
    assert!(runtime.block_on(second.lease(id(1), "second", 501, 1000)).unwrap().is_some());
}
