//! What is left of an SQLite store whose process is killed at any moment.
//!
//! The test starts its own binary again as a writer, which tells every append that was acknowledged, and kills it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use engross_store::{SqliteStore, Store};
use tokio::task::JoinSet;

use crate::fixture::runtime;
use crate::load::{WRITERS, check, keep_writing};

/// Names the file, and makes [`writer`] write.
const FILE: &str = "ENGROSS_TEST_WRITE_TO";

#[test]
#[ignore = "the process that is killed: started by the test below"]
#[expect(clippy::disallowed_methods, reason = "how the test talks to the process it starts")]
fn writer() {
    let Ok(file) = std::env::var(FILE) else { return };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(Path::new(&file)).unwrap());
    runtime().block_on(async {
        let mut tasks = JoinSet::new();
        for writer in 0..WRITERS {
            let store = store.clone();
            tasks.spawn(async move {
                keep_writing(&*store, writer, |head| {
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "\nacknowledged {writer} {head}").and_then(|()| out.flush()).is_ok()
                })
                .await;
            });
        }
        tasks.join_all().await;
    });
}

#[test]
fn every_acknowledged_append_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.sqlite");
    let mut acknowledged = BTreeMap::new();
    for millis in [0, 1, 3, 7, 12, 20, 33, 54] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::writer", "--ignored", "--nocapture"])
            .env(FILE, &file)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut note = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let acknowledgement = matches!(words[..], ["acknowledged", _, _]);
            if acknowledgement {
                acknowledged.insert(words[1].parse::<u8>().unwrap(), words[2].parse::<u64>().unwrap());
            }
            acknowledgement
        };
        assert!(lines.any(|line| note(&line)), "the writer has begun");
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        for line in lines {
            note(&line);
        }
        child.wait().unwrap();
        let store = SqliteStore::open(&file).unwrap();
        runtime().block_on(async {
            for writer in 0..WRITERS {
                let known = acknowledged.get(&writer).copied().unwrap_or_default();
                acknowledged.insert(writer, check(&store, writer, known).await);
            }
        });
    }
    assert!(acknowledged.values().sum::<u64>() > 100, "{acknowledged:?}");
}
