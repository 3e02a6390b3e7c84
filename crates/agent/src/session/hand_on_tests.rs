//! The end of a turn is stored together with the beginning of the next, where one waits: what a crash or a full disk leaves of both.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use engross_protocol::SessionId;
use engross_store::{MemoryStore, Store};
use tokio_util::task::TaskTracker;

use super::event::TurnEvent;
use super::log::LogEvent;
use super::observe::{Observer, StoredEntries};
use super::random_support::Life;
use super::service_support::*;
use super::{AnswerStream, RequestError, Sessions, SessionsConfig, record};

/// The numbers of the entries that an observer hears of, and their kinds.
#[derive(Default)]
struct OutcomeList(Mutex<Vec<(u64, &'static str)>>);

impl Observer for OutcomeList {
    fn stored(&self, stored: StoredEntries<'_>) {
        let numbered = (stored.first..).zip(stored.events.iter().map(LogEvent::kind));
        self.0.lock().unwrap().extend(numbered);
    }
}

fn process(store: &Arc<MemoryStore>, model: &Arc<ScriptedModel>) -> (Sessions, Arc<Life>, Arc<OutcomeList>) {
    let (life, heard) = (Life::new(store), Arc::new(OutcomeList::default()));
    let config = SessionsConfig {
        store: Arc::<Life>::clone(&life),
        observers: vec![Arc::<OutcomeList>::clone(&heard)],
        queue: 32,
        ..config(store, model)
    };
    (Sessions::new(config), life, heard)
}

async fn kinds(store: &MemoryStore, id: SessionId) -> Vec<(u64, &'static str)> {
    let log = record::read_log(store, id).await.unwrap();
    log.iter().map(|entry| (entry.seq, entry.event.kind())).collect()
}

async fn begin(sessions: &Sessions, words: &str) -> Result<AnswerStream, RequestError> {
    sessions.submit(request(vec![user(words)])).await
}

#[tokio::test]
async fn turns_that_wait_for_each_other_are_one_append_each() {
    let store = Arc::new(MemoryStore::default());
    let model = ScriptedModel::new((0..20).map(|number| text(&format!("Answer {number}."))));
    let (sessions, life, told) = process(&store, &model);
    let turns = (0..20).map(|number| {
        let sessions = sessions.clone();
        TaskTracker::new().spawn(async move {
            let answer = begin(&sessions, &format!("Question {number}.")).await.unwrap();
            (answer.session, heard(answer).await)
        })
    });
    let mut id = None;
    for turn in turns.collect::<Vec<_>>() {
        let (session, (_, _, end)) = turn.await.unwrap();
        assert!(matches!(end, TurnEvent::Done { .. }));
        id = Some(session);
    }
    let id = id.unwrap();
    let log = kinds(&store, id).await;
    assert_eq!(log.iter().filter(|(_, kind)| *kind == "ended").count(), 20);
    assert_eq!(*told.0.lock().unwrap(), log, "observers hear of each entry once, and in its order");
    // The first one creates the session, the last one is followed by none.
    assert!(life.appends.load(Ordering::SeqCst) <= 22, "{}", life.appends.load(Ordering::SeqCst));
}

#[tokio::test]
async fn an_end_is_stored_whenever_the_next_request_goes_away() {
    for steps in 0..16 {
        let store = Arc::new(MemoryStore::default());
        let model = ScriptedModel::new([text("One."), text("Two."), text("Three.")]);
        let (sessions, _, told) = process(&store, &model);
        let first = begin(&sessions, "a").await.unwrap();
        let id = first.session;
        let next = TaskTracker::new().spawn({
            let sessions = sessions.clone();
            async move { begin(&sessions, "b").await.map(drop) }
        });
        for _ in 0..steps {
            tokio::task::yield_now().await;
        }
        next.abort();
        let (_, _, end) = heard(first).await;
        assert!(matches!(end, TurnEvent::Done { .. }), "{steps}: {end:?}");
        assert!(kinds(&store, id).await.contains(&(4, "ended")), "{steps}");
        let (_, _, end) = heard(begin(&sessions, "c").await.unwrap()).await;
        assert!(matches!(end, TurnEvent::Done { .. }), "{steps}: {end:?}");
        let log = kinds(&store, id).await;
        assert_eq!(*told.0.lock().unwrap(), log, "{steps}");
    }
}

#[tokio::test]
async fn neither_an_end_nor_a_beginning_is_told_that_is_not_stored() {
    let store = Arc::new(MemoryStore::default());
    let model = ScriptedModel::new([text("One."), text("Two."), text("Three.")]);
    let (sessions, life, told) = process(&store, &model);
    let first = begin(&sessions, "a").await.unwrap();
    let id = first.session;
    let before = kinds(&store, id).await;
    // There is no room any more.
    life.full.store(true, Ordering::SeqCst);
    let next = TaskTracker::new().spawn({
        let sessions = sessions.clone();
        async move { begin(&sessions, "b").await.map(drop) }
    });
    let (_, _, end) = heard(first).await;
    assert!(matches!(end, TurnEvent::Failed { .. }), "{end:?}");
    next.await.unwrap().unwrap_err();
    assert_eq!(kinds(&store, id).await, before);
    assert_eq!(*told.0.lock().unwrap(), before);
    // Another process goes on from what is in the log.
    let (sessions, _, _) = process(&store, &model);
    let (_, _, end) = heard(begin(&sessions, "c").await.unwrap()).await;
    assert!(matches!(end, TurnEvent::Done { .. }));
    assert!(store.load_by_id(id).await.unwrap().is_some());
}
