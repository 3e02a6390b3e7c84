use std::sync::{Arc, Mutex};
use std::time::Duration;

use engross_llm::{Message, Model};
use engross_store::MemoryStore;

use super::event::{ToolStep, TurnEvent};
use super::log::LogEvent;
use super::request::{Parameters, TurnRequest};
use super::service_support::*;
use super::{Models, Observer, SessionName, Sessions, SessionsConfig, Settings, StoredEntries};

fn key() -> SessionName {
    SessionName::Named("doc".to_owned())
}

#[tokio::test]
async fn a_session_is_answered_as_it_was_set() {
    let (store, usual, slow) = (
        Arc::new(MemoryStore::default()),
        ScriptedModel::new([text("quick")]),
        ScriptedModel::new([text("slow")]),
    );
    let models = Models::one(Arc::<ScriptedModel>::clone(&usual))
        .with("slow", Arc::<ScriptedModel>::clone(&slow) as Arc<dyn Model>);
    let server = Settings { system_prompt: Some("Be brief.".to_owned()), ..Settings::default() };
    let sessions =
        Sessions::new(SessionsConfig { models, settings: server, ..config(&store, &ScriptedModel::new([])) });
    let own = Settings {
        model: Some("slow".to_owned()),
        history_turns: Some(1),
        max_rounds: Some(2),
        ..Settings::default()
    };
    sessions.configure("", &key(), own.clone()).await.unwrap();
    let answer = sessions
        .submit(TurnRequest { system: Some("Now!".to_owned()), ..request(vec![user("a")]) })
        .await
        .unwrap();
    assert_eq!(heard(answer).await.0, "slow");
    assert_eq!(slow.asked.lock().unwrap()[0].system, "Be brief.\n\nNow!");
    assert_eq!(sessions.get("", &key()).await.unwrap().session.settings, own);
    let unknown = Settings { model: Some("fast".to_owned()), ..Settings::default() };
    let refused = sessions.configure("", &key(), unknown).await.unwrap_err();
    assert_eq!(refused.code, "MODEL_NOT_OFFERED");
    let wrong = Settings { max_rounds: Some(0), ..Settings::default() };
    assert_eq!(sessions.configure("", &key(), wrong).await.unwrap_err().code, "SETTING_INVALID");
    // Set back, the server's holds.
    sessions.configure("", &key(), Settings::default()).await.unwrap();
    assert_eq!(heard(sessions.submit(request(vec![user("b")])).await.unwrap()).await.0, "quick");
    let parameters = Parameters { model: Some("none".to_owned()), ..Parameters::default() };
    let other = sessions.submit(TurnRequest { parameters, ..request(vec![user("c")]) }).await.unwrap_err();
    assert_eq!(other.code, "MODEL_NOT_OFFERED");
}

#[tokio::test]
async fn the_window_is_as_wide_as_it_was_set() {
    let world = world((0..3).map(|n| text(&format!("answer {n}"))));
    let narrow = Settings { history_turns: Some(1), ..Settings::default() };
    world.sessions.configure("", &key(), narrow).await.unwrap();
    for n in 0..3 {
        heard(world.sessions.submit(request(vec![user(&format!("{n}"))])).await.unwrap()).await;
    }
    let asked = world.model.asked();
    let last: Vec<&[Message]> = asked.iter().map(Vec::as_slice).collect();
    assert_eq!(last[2], [user("2")]);
}

#[tokio::test]
async fn a_turn_that_waits_for_its_client_can_be_stopped() {
    let world = world([calls("", &[("a", "look", "{}")]), text("gone on")]);
    heard(world.sessions.submit(with_tools(vec![user("look")])).await.unwrap()).await;
    assert!(world.sessions.cancel("", &key()).await.unwrap());
    assert!(!world.sessions.cancel("", &key()).await.unwrap(), "there is nothing left to stop");
    let late = world.sessions.submit(request(vec![result("a", "look", "late")])).await.unwrap_err();
    assert_eq!(late.code, "RESULT_DUPLICATE");
    assert_eq!(heard(world.sessions.submit(request(vec![user("go on")])).await.unwrap()).await.0, "gone on");
    let nobody = world.sessions.cancel("eve", &key()).await.unwrap_err();
    assert_eq!(nobody.code, "SESSION_UNKNOWN");
}

/// Turns of many sessions share few places: all come to an end, and one that hangs holds up only its own place.
#[tokio::test]
async fn places_are_shared_in_the_order_of_coming() {
    let (store, model) = (
        Arc::new(MemoryStore::default()),
        ScriptedModel::new((0..20).map(|_| text("done")).collect::<Vec<_>>()),
    );
    let sessions = Sessions::new(SessionsConfig { working: 1, ..config(&store, &model) });
    let mut answers = Vec::new();
    for n in 0..20 {
        let key = Some(SessionName::Named(format!("doc {n}")));
        answers.push(
            sessions.submit(TurnRequest { key, ..request(vec![user(&format!("{n}"))]) }).await.unwrap(),
        );
    }
    for answer in answers {
        assert_eq!(heard(answer).await.0, "done");
    }
    let order: Vec<Message> = model.asked().into_iter().map(|mut messages| messages.remove(0)).collect();
    assert_eq!(order, (0..20).map(|n| user(&format!("{n}"))).collect::<Vec<_>>());
}

/// Remembers what it heard.
#[derive(Default)]
struct RecordingObserver(Mutex<Vec<(u64, LogEvent)>>);

impl Observer for RecordingObserver {
    fn stored(&self, stored: StoredEntries<'_>) {
        let events = (stored.first..).zip(stored.events.iter().cloned());
        self.0.lock().unwrap().extend(events);
    }
}

#[tokio::test]
async fn observers_hear_the_log_and_nothing_else() {
    let (store, model) = (
        Arc::new(MemoryStore::default()),
        ScriptedModel::new([calls("", &[("s", "hammer", "{}")]), text("done")]),
    );
    let (ear, (_, toolboxes)) = (Arc::new(RecordingObserver::default()), Shed::with_hammer());
    let observers: Vec<Arc<dyn Observer>> = vec![Arc::<RecordingObserver>::clone(&ear)];
    let sessions = Sessions::new(SessionsConfig { observers, toolboxes, ..config(&store, &model) });
    let mut answer = sessions.submit(in_shed(request(vec![user("go")]))).await.unwrap();
    let id = answer.session;
    let mut steps = Vec::new();
    while let Some(placed) = answer.next().await {
        if let TurnEvent::Status { message, id, tool, step } = placed.event {
            steps.push((message, id, tool, step));
        }
    }
    let told = |step| ("Hammering".to_owned(), "s".to_owned(), "hammer".to_owned(), step);
    assert_eq!(steps, [told(ToolStep::Started), told(ToolStep::Done)], "a tool is seen to begin and to end");
    let log: Vec<(u64, LogEvent)> = (1..).zip(World { sessions, store, model }.log(id).await).collect();
    assert_eq!(*ear.0.lock().unwrap(), log);
}

#[tokio::test]
async fn settings_wait_for_the_turn_that_runs() {
    let world = world([]);
    let running = world.sessions.submit(request(vec![user("a")])).await.unwrap();
    let key = key();
    let setting = world.sessions.configure("", &key, Settings::default());
    tokio::pin!(setting);
    let early = tokio::time::timeout(Duration::from_millis(20), &mut setting).await;
    assert!(early.is_err(), "the turn runs");
    let (cancelled, set) = tokio::join!(world.sessions.cancel("", &key), setting);
    assert!(cancelled.unwrap());
    set.unwrap();
    drop(running);
}
