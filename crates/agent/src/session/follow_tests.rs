//! Whoever asks another server for an answer that is under way hears it there.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use engross_llm::Event;
use engross_store::MemoryStore;

use tokio::task::JoinSet;

use super::event::{AnswerFinish, TurnEvent};
use super::service_support::*;
use super::{SessionName, Sessions, SessionsConfig, TurnRequest};

fn once() -> TurnRequest {
    TurnRequest { idempotency_key: Some("once".to_owned()), ..request(vec![user("Hi.")]) }
}

/// Two servers on one store, of which the first has a model that begins to answer and goes on when it is told to.
fn servers() -> ([Sessions; 2], Arc<tokio::sync::Notify>, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::default());
    let going_on = Arc::new(tokio::sync::Notify::new());
    let slow = ScriptedModel::slow([text("Hello you.")], &going_on);
    let idle = ScriptedModel::new([]);
    let servers = [("one", &slow), ("two", &idle)].map(|(name, model)| {
        Sessions::new(SessionsConfig { node: Some(name.to_owned()), ..config(&store, model) })
    });
    (servers, going_on, store)
}

#[tokio::test(start_paused = true)]
async fn an_answer_under_way_elsewhere_is_heard_to_its_end() {
    let ([one, two], going_on, _) = servers();
    let first = one.submit(once()).await.unwrap();
    let again = two.submit(once()).await.unwrap();
    assert!(again.replayed);
    assert_eq!((again.session, again.answer), (first.session, first.answer));
    let listened = two.listen("", &SessionName::Named("doc".to_owned())).await.unwrap();
    assert_eq!(listened.answer, first.answer);
    let mut hearing = JoinSet::new();
    hearing.spawn(heard(again));
    hearing.spawn(heard(listened));
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    assert!(hearing.try_join_next().is_none(), "it waits as long as the other server works on it");
    going_on.notify_one();
    let whole = ("Hello you.".to_owned(), Vec::new(), done(AnswerFinish::Stop));
    assert_eq!(heard(first).await, whole);
    assert_eq!(hearing.join_all().await, [whole.clone(), whole]);
}

#[tokio::test(start_paused = true)]
async fn who_follows_is_told_when_the_server_stops() {
    let ([one, two], _, _) = servers();
    let first = one.submit(once()).await.unwrap();
    let mut again = JoinSet::new();
    again.spawn(heard(two.submit(once()).await.unwrap()));
    two.drain(std::time::Duration::from_secs(5)).await;
    let (_, _, end) = again.join_next().await.unwrap().unwrap();
    assert!(matches!(&end, TurnEvent::Failed { code, .. } if code == "SERVER_STOPPING"), "{end:?}");
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn who_follows_a_server_that_dies_asks_again_and_is_answered() {
    let store = Arc::new(MemoryStore::default());
    let (dying, model) = (
        ScriptedModel::new([vec![Ok(Event::Text("Hello".to_owned()))]]),
        ScriptedModel::new([text("Hello you.")]),
    );
    dying.hangs.store(true, Ordering::SeqCst);
    let life = super::random_support::Life::new(&store);
    let config_of =
        |name: &str, model| SessionsConfig { node: Some(name.to_owned()), ..config(&store, model) };
    let one = SessionsConfig {
        store: Arc::<super::random_support::Life>::clone(&life),
        ..config_of("one", &dying)
    };
    let two = Sessions::new(config_of("two", &model));
    let first = Sessions::new(one).submit(once()).await.unwrap();
    let mut again = JoinSet::new();
    again.spawn(heard(two.submit(once()).await.unwrap()));
    // It dies, and its lease is somebody else's to take.
    life.left.store(0, Ordering::SeqCst);
    let fence = engross_store::Store::lease(&*store, first.session, "one", 0, 1).await.unwrap().unwrap();
    engross_store::Store::release(&*store, first.session, fence).await.unwrap();
    let (_, _, end) = again.join_next().await.unwrap().unwrap();
    assert!(matches!(&end, TurnEvent::Failed { code, .. } if code == "ANSWER_INTERRUPTED"), "{end:?}");
    let whole = ("Hello you.".to_owned(), Vec::new(), done(AnswerFinish::Stop));
    assert_eq!(heard(two.submit(once()).await.unwrap()).await, whole);
}
