use std::sync::{Arc, Mutex};

use engross_agent::session::{
    LogEvent, Observer, ResultSource, StoredEntries, ToolResult, TurnEnding, TurnEndingKind,
};
use engross_protocol::SessionId;
use engross_store::{Details, Error, Pending, TraceEvent, Traces};
use serde_json::json;

use super::traces::{Tracer, events};

const SESSION: SessionId = SessionId::from_bytes([7; 16]);

/// Keeps what it is given, but fails at its first batches.
#[derive(Default)]
struct KeptTraces {
    failures: Mutex<u32>,
    events: Mutex<Vec<TraceEvent>>,
    /// Sessions that were erased, and how many events were there before.
    erased: Mutex<Vec<(SessionId, usize)>>,
}

impl Traces for KeptTraces {
    fn erase(&self, session: SessionId) -> Pending<'_, ()> {
        Box::pin(async move {
            let mut failures = self.failures.lock().unwrap();
            if *failures > 0 {
                *failures -= 1;
                return Err(Error::Unavailable { place: "here".to_owned(), message: "gone".to_owned() });
            }
            let count = self.events.lock().unwrap().len();
            self.erased.lock().unwrap().push((session, count));
            Ok(())
        })
    }

    fn insert(&self, events: Vec<TraceEvent>) -> Pending<'_, ()> {
        Box::pin(async move {
            let mut failures = self.failures.lock().unwrap();
            if *failures > 0 {
                *failures -= 1;
                return Err(Error::Unavailable { place: "here".to_owned(), message: "gone".to_owned() });
            }
            self.events.lock().unwrap().extend(events);
            Ok(())
        })
    }
}

fn stored(events: &[LogEvent]) -> StoredEntries<'_> {
    StoredEntries { session: SESSION, key: "k", first: 5, at: 9, events }
}

fn noted(number: usize) -> LogEvent {
    LogEvent::Noted { code: format!("N{number}"), message: String::new() }
}

#[test]
fn a_failed_tool_has_its_words_in_both_columns() {
    let failed = LogEvent::resulted("c", ToolResult::error("gone\0"), ResultSource::Server);
    let said = json!({"content": "gone\0", "details": null, "from": "server"});
    let expected = TraceEvent::new(9, SESSION, 5, "resulted").call("c").details(said.into());
    let log = [failed];
    assert_eq!(events(&stored(&log), 5, &log[0]), [expected.error(Details::from("gone\0"))]);
    let ending = TurnEnding {
        kind: TurnEndingKind::Failed,
        code: "MODEL_AUTH".to_owned(),
        message: "m".to_owned(),
        retry_after: None,
        keeps_part: false,
        is_refused: false,
    };
    let said = json!({"kind": "failed", "code": "MODEL_AUTH", "message": "m"});
    let expected = TraceEvent::new(9, SESSION, 5, "ended").details(said.clone().into()).error(said.into());
    let log = [LogEvent::Ended(ending)];
    assert_eq!(events(&stored(&log), 5, &log[0]), [expected]);
}

#[tokio::test]
async fn what_is_heard_is_kept_before_the_end() {
    let kept = Arc::new(KeptTraces::default());
    let tracer = Tracer::start(Arc::clone(&kept) as Arc<dyn Traces>);
    let log: Vec<LogEvent> = (0..1000).map(noted).collect();
    tracer.stored(stored(&log));
    tracer.finish().await;
    let expected: Vec<TraceEvent> =
        (5..).zip(&log).flat_map(|(seq, event)| events(&stored(&log), seq, event)).collect();
    assert_eq!(*kept.events.lock().unwrap(), expected);
    // What comes later is nobody's any more.
    tracer.stored(stored(&log));
}

#[tokio::test]
async fn a_database_that_fails_costs_traces_and_nothing_else() {
    let kept = Arc::new(KeptTraces { failures: Mutex::new(2), ..KeptTraces::default() });
    let tracer = Tracer::start(Arc::clone(&kept) as Arc<dyn Traces>);
    for number in 0..3 {
        tracer.stored(stored(&[noted(number)]));
        for _ in 0..9 {
            tokio::task::yield_now().await;
        }
    }
    // More than may wait.
    let flood: Vec<LogEvent> = (0..20_000).map(noted).collect();
    tracer.stored(stored(&flood));
    tracer.finish().await;
    let count = kept.events.lock().unwrap().len();
    assert_eq!(count, 1 + 8192);
    assert_eq!(tracer.lost().total(), 2 + 20_000 - 8192, "what is not kept is counted");
}

#[tokio::test]
async fn traces_of_a_deleted_session_go_behind_those_that_came_before() {
    let kept = Arc::new(KeptTraces::default());
    let tracer = Tracer::start(Arc::clone(&kept) as Arc<dyn Traces>);
    let log: Vec<LogEvent> = (0..300).map(noted).collect();
    tracer.stored(stored(&log));
    tracer.deleted(SESSION);
    tracer.finish().await;
    let erased = kept.erased.lock().unwrap().clone();
    assert_eq!(erased, [(SESSION, 300)], "nothing of it is kept after it was erased");
    // What the database does not take now is tried again.
    let kept = Arc::new(KeptTraces { failures: Mutex::new(1), ..KeptTraces::default() });
    let tracer = Tracer::start(Arc::clone(&kept) as Arc<dyn Traces>);
    tracer.deleted(SESSION);
    for _ in 0..9 {
        tokio::task::yield_now().await;
    }
    tracer.stored(stored(&[noted(1)]));
    tracer.finish().await;
    assert!(!kept.erased.lock().unwrap().is_empty());
}
