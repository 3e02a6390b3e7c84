use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engross_llm::Message;
use engross_protocol::{Clock, Timestamp};
use engross_store::MemoryStore;

use super::event::{AnswerFinish, TurnEvent};
use super::log::{LogEvent, TurnEnding, TurnEndingKind};
use super::request::TurnRequest;
use super::service_support::*;
use super::{SessionName, Sessions, SessionsConfig, record};

/// A clock that goes when it is told to.
struct TestClock(AtomicU64);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        "2027-01-15T08:00:00Z".parse().unwrap()
    }

    fn millis(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

fn wound() -> Arc<TestClock> {
    Arc::new(TestClock(AtomicU64::new(1_800_000_000_000)))
}

fn key() -> SessionName {
    SessionName::Named("doc".to_owned())
}

#[tokio::test]
async fn calls_that_nobody_answers_become_errors_by_themselves() {
    let clock = wound();
    let (store, model) = (
        Arc::new(MemoryStore::default()),
        ScriptedModel::new([calls("", &[("a", "look", "{}")]), text("gone on")]),
    );
    let sessions =
        Sessions::new(SessionsConfig { clock: Arc::<TestClock>::clone(&clock), ..config(&store, &model) });
    let answer = sessions.submit(with_tools(vec![user("look")])).await.unwrap();
    let id = answer.session;
    heard(answer).await;
    clock.0.fetch_add(30 * 60_000 - 1, Ordering::SeqCst);
    sessions.look_after_all().await;
    assert!(load(&*store, id).await.turn.is_some(), "not a moment too early");
    clock.0.fetch_add(1, Ordering::SeqCst);
    // Another process may find it as well.
    let other =
        Sessions::new(SessionsConfig { clock: Arc::<TestClock>::clone(&clock), ..config(&store, &model) });
    other.look_after_all().await;
    let world = World { sessions: other, store, model };
    let log = world.log(id).await;
    assert!(matches!(&log[log.len() - 2], LogEvent::Resulted { id, is_error: true, .. } if id == "a"));
    assert!(
        matches!(&log[log.len() - 1], LogEvent::Ended(TurnEnding { kind: TurnEndingKind::Cancelled, code, .. }) if code == "CALLS_EXPIRED")
    );
    let late = world.sessions.submit(request(vec![result("a", "look", "late")])).await.unwrap_err();
    assert_eq!(late.code, "RESULT_DUPLICATE");
    let next = world.sessions.submit(request(vec![user("go on")])).await.unwrap();
    assert_eq!(heard(next).await.0, "gone on");
    assert!(matches!(&world.model.asked()[1][2], Message::Tool { is_error: true, .. }));
    let before = world.log(id).await.len();
    world.sessions.look_after_all().await;
    assert_eq!(world.log(id).await.len(), before, "nothing is looked after twice");
}

#[tokio::test]
async fn a_background_turn_whose_process_died_goes_on_without_a_request() {
    let clock = wound();
    // The first process is never answered by its model, and dies.
    let (store, silent) = (Arc::new(MemoryStore::default()), ScriptedModel::new([]));
    let first =
        Sessions::new(SessionsConfig { clock: Arc::<TestClock>::clone(&clock), ..config(&store, &silent) });
    let answer = first
        .submit(TurnRequest { background: true, ..request(vec![user("take your time")]) })
        .await
        .unwrap();
    let (id, number) = (answer.session, answer.answer);
    let model = ScriptedModel::new([text("here it is")]);
    let sessions =
        Sessions::new(SessionsConfig { clock: Arc::<TestClock>::clone(&clock), ..config(&store, &model) });
    sessions.look_after_all().await;
    assert!(model.asked().is_empty(), "its process may be alive");
    clock.0.fetch_add(record::PATIENCE, Ordering::SeqCst);
    sessions.look_after_all().await;
    let answer = sessions.listen("", &key()).await.unwrap();
    assert!(answer.answer > number, "what was told before may not be continued with other words");
    let (text, _, end) = heard(answer).await;
    assert_eq!(
        (text.as_str(), end),
        ("here it is", TurnEvent::Done { finish: AnswerFinish::Stop, usage: None })
    );
    assert_eq!(load(&*store, id).await.turn, None);
}
