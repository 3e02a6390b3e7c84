//! Workers that misbehave, each a shell script: none may hold up the server, take its memory, or be left behind.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engross_documents::{DocumentJob, JobInterruption, JobRunner};

use super::pool::WorkerPool;
use super::worker_process::{WorkerBounds, WorkerProgram};

const BOUNDS: WorkerBounds = WorkerBounds { memory: 32 << 20, time: Duration::from_millis(400), workers: 1 };

#[expect(clippy::unwrap_used, reason = "a pool that cannot be made fails the test")]
fn pool(script: &str) -> WorkerPool {
    let program = WorkerProgram { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] };
    WorkerPool::new(program, BOUNDS).unwrap()
}

/// Why a worker with this script did not do a job with so many bytes.
#[expect(clippy::unwrap_used, reason = "a job that is done fails the test")]
fn why(script: &str, bytes: usize) -> JobInterruption {
    let began = Instant::now();
    let pool = pool(script);
    let interruption = pool.run(&DocumentJob::Check, &[&vec![0; bytes]]).unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // The next one is asked as if nothing had been.
    assert_eq!(pool.run(&DocumentJob::Check, &[&vec![0; bytes]]).unwrap_err(), interruption);
    interruption
}

#[track_caller]
fn assert_limit(interruption: &JobInterruption, words: &str) {
    assert!(
        matches!(interruption, JobInterruption::Limit(told) if told.contains(words)),
        "{interruption:?} does not hold {words:?}"
    );
}

#[test]
fn one_that_never_answers_is_ended_in_time() {
    assert_limit(&why("exec sleep 60", 10), "raise document_seconds");
    // It does not even read what it is asked.
    assert_limit(&why("exec sleep 60", 4 << 20), "raise document_seconds");
    // It begins to answer, one byte at a time.
    assert_limit(&why("printf x; sleep 0.1; printf x; exec sleep 60", 10), "raise document_seconds");
}

#[test]
fn one_that_ends_is_told_by_how_it_ended() {
    assert_limit(&why("exit 3", 10), "gave up (exit code 3)");
    assert_limit(&why("echo the engine panicked >&2; exit 125", 10), "gave up (the engine panicked)");
    assert_limit(&why("kill -24 $$", 10), "raise document_seconds");
    assert_limit(&why("kill -11 $$", 10), "nesting that is too deep");
    assert_limit(&why("exit 0", 10), "without a word");
    // It lives on, and will never say anything.
    assert_limit(&why("exec sleep 60 >/dev/null", 10), "without a word");
    let no_memory = "echo memory allocation of 5 bytes failed >&2; kill -6 $$";
    assert_limit(&why(no_memory, 10), "raise document_memory_mib");
    let killed = why("kill -9 $$", 10);
    assert!(
        matches!(&killed, JobInterruption::Unavailable(told) if told.contains("from outside")),
        "{killed:?}"
    );
}

#[test]
fn one_that_answers_with_more_than_it_may_is_not_read_on() {
    assert_limit(&why("exec yes", 10), "larger than 32 MiB");
    // A length that is a lie, in a message that goes on.
    assert_limit(&why("printf '\\377\\377\\377\\377\\0\\0\\0\\0'; exec sleep 60", 10), "larger than 32 MiB");
    // No answer, of a length that may be.
    assert_limit(&why("printf '\\4\\0\\0\\0\\0\\0\\0\\0null'; exec sleep 60", 10), "cannot be used");
}

#[test]
fn who_waits_too_long_for_one_is_told() {
    let pool = Arc::new(pool("exec sleep 60"));
    let other = Arc::clone(&pool);
    let working = std::thread::spawn(move || other.run(&DocumentJob::Check, &[]));
    let early = Duration::from_millis(100);
    std::thread::sleep(early);
    let began = Instant::now();
    let waited = pool.run(&DocumentJob::Check, &[]).unwrap_err();
    // The first is ended after 800 ms, so that the second gets a worker of its own; there are never two.
    assert_limit(&waited, "raise document_seconds");
    assert!(began.elapsed() > BOUNDS.time * 2, "{:?}", began.elapsed());
    assert_limit(&working.join().unwrap().unwrap_err(), "raise document_seconds");
}

#[test]
fn no_more_wait_than_may() {
    let pool = pool("exec sleep 60");
    let mut told: Vec<JobInterruption> = std::thread::scope(|scope| {
        let asking: Vec<_> =
            (0..36).map(|_| scope.spawn(|| pool.run(&DocumentJob::Check, &[]).unwrap_err())).collect();
        std::thread::sleep(Duration::from_millis(300));
        let began = Instant::now();
        let refused = asking.iter().filter(|thread| thread.is_finished()).count();
        assert_eq!(refused, 36 - 1 - 32, "one is at work, 32 wait");
        pool.close();
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        asking.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    told.retain(|told| *told != JobInterruption::Stopped);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.iter().all(|told| matches!(told, JobInterruption::Unavailable(_))), "{told:?}");
}

#[test]
fn the_end_of_the_server_ends_those_at_work() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let pool = Arc::new(pool(&format!("echo $$ >'{}'; exec sleep 60", pid.display())));
    let other = Arc::clone(&pool);
    let working = std::thread::spawn(move || other.run(&DocumentJob::Check, &[]));
    let until = Instant::now() + Duration::from_secs(5);
    #[expect(clippy::disallowed_methods, reason = "what a script has written")]
    let number = loop {
        let text = std::fs::read_to_string(&pid).unwrap_or_default();
        if text.ends_with('\n') {
            break text.trim().to_owned();
        }
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(Path::new("/proc").join(&number).exists());
    pool.close();
    assert!(!Path::new("/proc").join(&number).exists());
    assert_eq!(working.join().unwrap().unwrap_err(), JobInterruption::Stopped);
    assert_eq!(pool.run(&DocumentJob::Check, &[]).unwrap_err(), JobInterruption::Stopped);
}

#[test]
fn a_program_that_cannot_be_started_is_no_worker() {
    let program = WorkerProgram { program: "/nonexistent".into(), arguments: Vec::new() };
    let problem = WorkerPool::start(program, BOUNDS).unwrap_err();
    assert!(problem.contains("could be started"), "{problem}");
}
