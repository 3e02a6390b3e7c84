//! Two servers share a Postgres; one is killed in the middle of a turn, and the other goes on.

use std::time::{Duration, Instant};

use engross_testkit::postgres::PostgresServer;
use engross_testkit::scripted::ModelServer;
use serde_json::json;

use super::Trial;
use super::server::{Server, ServerReply, failed, messages, say};
use crate::{Error, Result};

/// How soon another server must have taken the session over: a lease holds for 4.5 s.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn run(trial: &Trial<'_>) -> Result<String> {
    let Some(database) = PostgresServer::start() else {
        return Ok("skipped: there is no Postgres".to_owned());
    };
    let tries = if trial.quick { 1 } else { 5 };
    let mut waits = Vec::new();
    for number in 0..tries {
        let model = ModelServer::start(json!({"turns": [
            {"text": "one two three four", "fault": {"kind": "hang", "after": 2, "seconds": 90}}
        ], "default": {"text": "the other answers"}}));
        // What is of a node, such as its tasks, is in a folder of its own.
        let start = |name: &str| {
            let folder = trial.folder.join(name);
            std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
            Server::start(&folder, &database.url(), &model.url())
        };
        let (mut first, second) = (start("first")?, start("second")?);
        let (address, session) = (first.address, format!("shared-{number}"));
        let once = format!("once-{number}");
        std::thread::scope(|scope| {
            let speaking = scope.spawn(|| say(address, &session, &once, "go", true));
            while model.requests().is_empty() {
                std::thread::sleep(Duration::from_millis(5));
            }
            // Somewhere in the life of its lease.
            std::thread::sleep(Duration::from_millis(500 + 1500 * number));
            first.kill();
            let _ = speaking.join();
        });
        let killed = Instant::now();
        loop {
            match say(second.address, &session, &once, "go", false) {
                ServerReply::Answer(_) => break,
                told if told.code() == "SESSION_BUSY" && killed.elapsed() < PATIENCE => {}
                other => {
                    return Err(failed(format!(
                        "{:.1} s after the death of the first server the second says {other:?}",
                        killed.elapsed().as_secs_f64()
                    )));
                }
            }
        }
        waits.push(killed.elapsed().as_secs_f64());
        let shown = json!(messages(second.address, &session)?);
        let expected = json!([
            {"role": "user", "content": "go"}, {"role": "assistant", "content": "the other answers"}
        ]);
        if shown != expected {
            return Err(failed(format!("the session holds {shown}")));
        }
        if model.requests().len() != 2 {
            return Err(failed("the turn was not carried on once"));
        }
    }
    waits.sort_by(f64::total_cmp);
    let (least, most) = (waits.first().copied().unwrap_or(0.0), waits.last().copied().unwrap_or(0.0));
    Ok(format!(
        "{tries} deaths in mid-turn: the other server answers after {least:.1} to {most:.1} s (bar: 5)"
    ))
}
