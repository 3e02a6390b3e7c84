//! The lease of a session is free as soon as nobody works on it, also when a request fails half-way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engross_llm::Event;
use engross_protocol::{Clock, SessionId, Timestamp};
use engross_store::{Append, MemoryStore, NewEntry, Store};

use super::event::{AnswerFinish, TurnEvent};
use super::random_support::Life;
use super::service_support::*;
use super::{SessionName, Sessions, SessionsConfig, Settings};

/// A process that shares its store with others, on a way to the store that can be broken.
fn process(store: &Arc<MemoryStore>, model: &Arc<ScriptedModel>) -> (Sessions, Arc<Life>) {
    let life = Life::new(store);
    let config = SessionsConfig {
        store: Arc::<Life>::clone(&life),
        node: Some("one".to_owned()),
        ..config(store, model)
    };
    (Sessions::new(config), life)
}

fn key() -> SessionName {
    SessionName::Named("doc".to_owned())
}

/// Whether another process could work on the session now.
async fn is_free(store: &MemoryStore, id: SessionId) -> bool {
    let lease = store.lease(id, "two", 1_769_851_800_000, 1).await.unwrap();
    if let Some(fence) = lease {
        store.release(id, fence).await.unwrap();
    }
    lease.is_some()
}

/// Another process, or a newer version, appends to a session.
async fn append(store: &MemoryStore, id: SessionId, body: &str) {
    let head = store.load_by_id(id).await.unwrap().unwrap().head;
    let entry = NewEntry { kind: "other", at: 1, body: body.as_bytes().to_vec() };
    let append = Append {
        session: id,
        fence: None,
        expected_head: head,
        entries: vec![entry],
        names: Vec::new(),
        snapshot: None,
        wake_at: Some(Some(1)),
    };
    store.append(append).await.unwrap();
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_left_free() {
    let (store, model) = (Arc::new(MemoryStore::default()), ScriptedModel::new([text("Hello.")]));
    let (sessions, _life) = process(&store, &model);
    let answer = sessions.submit(request(vec![user("Hi.")])).await.unwrap();
    let id = answer.session;
    heard(answer).await;
    append(&store, id, r#"{"event":"moved"}"#).await;
    let refused = sessions.submit(request(vec![user("And now?")])).await.unwrap_err();
    assert_eq!(refused.code, "STORE_NEWER");
    assert!(is_free(&store, id).await, "after a request");
    assert_eq!(sessions.cancel("", &key()).await.unwrap_err().code, "STORE_NEWER");
    assert!(is_free(&store, id).await, "after a cancellation");
    assert_eq!(sessions.configure("", &key(), Settings::default()).await.unwrap_err().code, "STORE_NEWER");
    assert!(is_free(&store, id).await, "after settings");
    sessions.look_after_all().await;
    assert!(is_free(&store, id).await, "after a look");
}

#[tokio::test]
async fn a_session_that_cannot_be_written_is_left_free() {
    let (store, model) =
        (Arc::new(MemoryStore::default()), ScriptedModel::new([text("Hello."), text("Again.")]));
    let (sessions, life) = process(&store, &model);
    let answer = sessions.submit(request(vec![user("Hi.")])).await.unwrap();
    let id = answer.session;
    heard(answer).await;
    life.full.store(true, Ordering::SeqCst);
    let refused = sessions.submit(request(vec![user("And now?")])).await.unwrap_err();
    assert_eq!(refused.code, "STORE_FULL");
    assert!(is_free(&store, id).await);
    life.full.store(false, Ordering::SeqCst);
    heard(sessions.submit(request(vec![user("And now?")])).await.unwrap()).await;
    assert!(is_free(&store, id).await);
}

#[tokio::test]
async fn an_answer_that_cannot_be_begun_anew_leaves_its_session_free() {
    let (store, model) = (Arc::new(MemoryStore::default()), ScriptedModel::new([]));
    let (sessions, life) = process(&store, &model);
    let mut once = request(vec![user("Hi.")]);
    once.idempotency_key = Some("once".to_owned());
    let id = sessions.submit(once.clone()).await.unwrap().session;
    // Its process dies, and the lease runs out.
    life.left.store(0, Ordering::SeqCst);
    let later = Arc::new(engross_protocol::FixedClock("2026-02-01T09:30:00Z".parse().unwrap()));
    let life = Life::new(&store);
    let config = SessionsConfig {
        store: Arc::<Life>::clone(&life),
        node: Some("three".to_owned()),
        clock: later,
        ..config(&store, &model)
    };
    let sessions = Sessions::new(config);
    life.full.store(true, Ordering::SeqCst);
    assert_eq!(sessions.submit(once).await.unwrap_err().code, "STORE_FULL");
    // The guard was dropped on the way out; its release is a task of its own.
    tokio::task::yield_now().await;
    tokio::task::yield_now().await;
    let lease = store.lease(id, "two", 1_769_938_200_000, 1).await.unwrap();
    assert!(lease.is_some(), "nobody works on it");
}

/// The database was away for longer than a lease holds, and nobody has taken it: the turn is not over for that.
#[tokio::test(start_paused = true)]
async fn a_lease_that_has_run_out_cancels_no_turn() {
    let store = Arc::new(MemoryStore::default());
    let (hanging, model) = (
        ScriptedModel::new([vec![Ok(Event::Text("Hello".to_owned()))]]),
        ScriptedModel::new([text("Hello you.")]),
    );
    hanging.hangs.store(true, Ordering::SeqCst);
    let clock = Arc::new(LateClock::default());
    let of = |name: &str, model| {
        let node = Some(name.to_owned());
        Sessions::new(SessionsConfig {
            node,
            clock: Arc::<LateClock>::clone(&clock),
            ..config(&store, model)
        })
    };
    let mut once = request(vec![user("Hi.")]);
    once.idempotency_key = Some("once".to_owned());
    let first = of("one", &hanging).submit(once.clone()).await.unwrap();
    clock.0.store(10_000, Ordering::SeqCst);
    let (_, _, end) = heard(first).await;
    assert!(matches!(&end, TurnEvent::Failed { code, .. } if code == "STORE_FENCED"), "{end:?}");
    let whole = ("Hello you.".to_owned(), Vec::new(), done(AnswerFinish::Stop));
    assert_eq!(heard(of("two", &model).submit(once).await.unwrap()).await, whole);
}

/// A clock that goes on when it is told to.
#[derive(Default)]
struct LateClock(AtomicU64);

impl Clock for LateClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis())
    }

    fn millis(&self) -> u64 {
        1_769_851_800_000 + self.0.load(Ordering::SeqCst)
    }
}
