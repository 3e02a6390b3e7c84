use std::sync::{Arc, Mutex};
use std::time::Duration;

use engross_llm::{Event, Message, Model, Usage};
use engross_protocol::SessionId;
use engross_store::{MemoryStore, Store as _};

use super::event::{ToolStep, TurnEvent};
use super::log::LogEvent;
use super::request::{Parameters, TurnRequest};
use super::service_support::*;
use super::{Models, Observer, OwnModels, SessionName, Sessions, SessionsConfig, Settings, StoredEntries};

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

/// Models that one principal has brought.
struct BroughtModels(Mutex<Option<Arc<dyn Model>>>);

impl OwnModels for BroughtModels {
    fn of(&self, principal: &str) -> Option<Arc<dyn Model>> {
        self.0.lock().unwrap().clone().filter(|_| principal == "ada")
    }
}

#[tokio::test]
async fn a_model_that_somebody_brought_answers_nobody_else() {
    let (usual, own) =
        (ScriptedModel::new([text("usual"), text("usual")]), ScriptedModel::new([text("own")]));
    let brought =
        Arc::new(BroughtModels(Mutex::new(Some(Arc::<ScriptedModel>::clone(&own) as Arc<dyn Model>))));
    let models =
        Models::one(Arc::<ScriptedModel>::clone(&usual)).with_own(Arc::<BroughtModels>::clone(&brought));
    let store = Arc::new(MemoryStore::default());
    let sessions = Sessions::new(SessionsConfig { models, ..config(&store, &ScriptedModel::new([])) });
    assert_eq!((sessions.models("ada"), sessions.models("eve")), (vec!["own".to_owned()], Vec::new()));
    let asked = |principal: &str| TurnRequest {
        principal: principal.to_owned(),
        parameters: Parameters { model: Some("own".to_owned()), ..Parameters::default() },
        ..request(vec![user("a")])
    };
    for principal in ["", "eve"] {
        let refused = sessions.submit(asked(principal)).await.unwrap_err();
        assert_eq!(refused.code, "MODEL_NOT_OFFERED", "{principal}");
        let own = Settings { model: Some("own".to_owned()), ..Settings::default() };
        assert!(sessions.configure(principal, &key(), own).await.is_err(), "{principal}");
    }
    assert_eq!(heard(sessions.submit(asked("ada")).await.unwrap()).await.0, "own");
    // Forgotten, it is offered no longer, and nobody is asked in its place.
    *brought.0.lock().unwrap() = None;
    assert_eq!(sessions.submit(asked("ada")).await.unwrap_err().code, "MODEL_NOT_OFFERED");
    assert_eq!((own.asked.lock().unwrap().len(), usual.asked.lock().unwrap().len()), (1, 0));
}

#[tokio::test]
async fn what_was_meant_for_a_model_that_is_gone_is_read_by_no_other() {
    let (usual, own) = (
        ScriptedModel::new([text("usual")]),
        ScriptedModel::new([text("own"), calls("", &[("a", "look", "{}")]), text("looked")]),
    );
    let model = Arc::<ScriptedModel>::clone(&own) as Arc<dyn Model>;
    let brought = Arc::new(BroughtModels(Mutex::new(Some(Arc::clone(&model)))));
    let models =
        Models::one(Arc::<ScriptedModel>::clone(&usual)).with_own(Arc::<BroughtModels>::clone(&brought));
    let store = Arc::new(MemoryStore::default());
    let sessions = Sessions::new(SessionsConfig { models, ..config(&store, &ScriptedModel::new([])) });
    let chosen = Settings { model: Some("own".to_owned()), ..Settings::default() };
    sessions.configure("ada", &key(), chosen).await.unwrap();
    let said = |messages: Vec<Message>| TurnRequest { principal: "ada".to_owned(), ..with_tools(messages) };
    assert_eq!(heard(sessions.submit(said(vec![user("a")])).await.unwrap()).await.0, "own");
    // The turn waits for its client when the key is forgotten: neither its result nor a new message goes elsewhere.
    heard(sessions.submit(said(vec![user("b")])).await.unwrap()).await;
    *brought.0.lock().unwrap() = None;
    for messages in [vec![result("a", "look", "seen")], vec![user("c")]] {
        assert_eq!(sessions.submit(said(messages)).await.unwrap_err().code, "MODEL_NOT_OFFERED");
    }
    assert!(usual.asked.lock().unwrap().is_empty());
    // Nothing of it was stored: with the key the turn goes on where it was.
    *brought.0.lock().unwrap() = Some(model);
    assert_eq!(
        heard(sessions.submit(said(vec![result("a", "look", "seen")])).await.unwrap()).await.0,
        "looked"
    );
    // Set to the usual one, the session goes on with it.
    *brought.0.lock().unwrap() = None;
    sessions.configure("ada", &key(), Settings::default()).await.unwrap();
    assert_eq!(heard(sessions.submit(said(vec![user("d")])).await.unwrap()).await.0, "usual");
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
struct RecordingObserver(Mutex<Vec<(u64, LogEvent)>>, Mutex<Vec<SessionId>>);

impl Observer for RecordingObserver {
    fn stored(&self, stored: StoredEntries<'_>) {
        let events = (stored.first..).zip(stored.events.iter().cloned());
        self.0.lock().unwrap().extend(events);
    }

    fn deleted(&self, session: SessionId) {
        self.1.lock().unwrap().push(session);
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

#[tokio::test]
async fn sessions_are_listed_newest_first_and_their_tokens_added_up() {
    let costs = |words: &str| -> Pieces {
        let usage = Usage { input_tokens: 7, output_tokens: 3 };
        [Ok(Event::Usage(usage))].into_iter().chain(text(words)).collect()
    };
    let world = world([costs("a"), costs("b"), costs("c")]);
    let named = |name: &str| SessionName::Named(name.to_owned());
    for (name, words) in [("one", "hello"), ("two", "good day"), ("one", "and again")] {
        let request = TurnRequest { key: Some(named(name)), ..request(vec![user(words)]) };
        heard(world.sessions.submit(request).await.unwrap()).await;
    }
    let all = world.sessions.list("", 10).await.unwrap();
    let shown: Vec<(&str, u64, &str)> =
        all.iter().map(|line| (line.key.as_str(), line.turns, line.message.as_str())).collect();
    assert!(shown.contains(&("one", 2, "and again")) && shown.contains(&("two", 1, "good day")), "{shown:?}");
    assert!(all.windows(2).all(|pair| pair[0].changed >= pair[1].changed));
    assert_eq!(world.sessions.list("", 1).await.unwrap().len(), 1);
    assert!(world.sessions.list("somebody else", 10).await.unwrap().is_empty());
    let used = world.sessions.usage("", &named("one")).await.unwrap();
    assert_eq!((used.input_tokens, used.output_tokens), (14, 6));
    assert_eq!(world.sessions.usage("", &named("none")).await.unwrap_err().code, "SESSION_UNKNOWN");
}

/// A message that comes while tools work is read with the next question, in its place of the conversation.
#[tokio::test]
async fn what_is_said_meanwhile_is_read_behind_the_results() {
    let (hammer, toolboxes) = Shed::with_hammer();
    let store = Arc::new(MemoryStore::default());
    let model =
        ScriptedModel::new([calls("", &[("a", "hammer", "{}")]), text("As you say."), text("Again.")]);
    let sessions = Sessions::new(SessionsConfig { toolboxes, ..config(&store, &model) });
    let answer = sessions.submit(in_shed(request(vec![user("build it")]))).await.unwrap();
    assert!(sessions.steer("", &key(), "in oak".to_owned()).await.unwrap());
    drop(hammer);
    assert_eq!(heard(answer).await.0, "As you say.");
    let roles = |messages: &[Message]| -> Vec<&'static str> {
        messages
            .iter()
            .map(|message| match message {
                Message::User { .. } => "user",
                Message::Assistant { .. } => "assistant",
                Message::Tool { .. } => "tool",
            })
            .collect()
    };
    assert_eq!(roles(&model.asked()[1]), ["user", "assistant", "tool", "user"]);
    assert_eq!(model.asked()[1][3], user("in oak"));
    let view = sessions.get("", &key()).await.unwrap();
    assert_eq!(
        roles(&view.session.messages),
        ["user", "assistant", "tool", "user", "assistant"],
        "it is in the log"
    );
    assert!(!sessions.steer("", &key(), "too late".to_owned()).await.unwrap());

    // The whole conversation, sent anew, is answered anew, and what it leaves out leaves the session.
    let whole = vec![user("build it")];
    let again = TurnRequest { is_whole: true, ..in_shed(request(whole.clone())) };
    assert_eq!(heard(sessions.submit(again).await.unwrap()).await.0, "Again.");
    assert_eq!(model.asked()[2], whole);
    assert_eq!(sessions.get("", &key()).await.unwrap().session.messages.len(), 2);
}

#[tokio::test]
async fn old_sessions_go_for_good_but_none_on_which_somebody_works() {
    let (store, model) =
        (Arc::new(MemoryStore::default()), ScriptedModel::new([text("a"), text("b"), text("c")]));
    let ear = Arc::new(RecordingObserver::default());
    let observers: Vec<Arc<dyn Observer>> = vec![Arc::<RecordingObserver>::clone(&ear)];
    let node = Some("this one".to_owned());
    let sessions = Sessions::new(SessionsConfig { observers, node, ..config(&store, &model) });
    let mut ids = Vec::new();
    for name in ["old", "elsewhere", "older"] {
        let key = Some(SessionName::Named(name.to_owned()));
        let answer = sessions.submit(TurnRequest { key, ..request(vec![user("hello")]) }).await.unwrap();
        ids.push(answer.session);
        heard(answer).await;
    }
    let clock = config(&store, &model).clock;
    // Until its turn is put away a session is somebody's.
    let mut lease = None;
    for _ in 0..500 {
        lease = store.lease(ids[1], "another one", clock.millis(), 1000).await.unwrap();
        if lease.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(lease.is_some());
    assert_eq!(sessions.expire(|_| Some(1), 0).await.unwrap(), 0, "none is that old");
    let mut gone = 0;
    for _ in 0..500 {
        gone += sessions.expire(|_| Some(0), 0).await.unwrap();
        if gone == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut told = ear.1.lock().unwrap().clone();
    told.sort_unstable();
    assert_eq!((gone, told), (2, vec![ids[0], ids[2]]), "who made something of them hears it");
    assert!(sessions.has("", &SessionName::Named("elsewhere".to_owned())).await.unwrap());
    assert!(!sessions.has("", &SessionName::Named("old".to_owned())).await.unwrap());
}

/// Each owner has an age of its own, and one without any keeps everything.
#[tokio::test]
async fn sessions_of_one_owner_may_be_forgotten_sooner() {
    let (store, model) = (Arc::new(MemoryStore::default()), ScriptedModel::new((0..3).map(|_| text("a"))));
    let sessions = Sessions::new(config(&store, &model));
    let key = || SessionName::Named("doc".to_owned());
    for principal in ["", "ann", "bob"] {
        let asked =
            TurnRequest { principal: principal.to_owned(), key: Some(key()), ..request(vec![user("hello")]) };
        heard(sessions.submit(asked).await.unwrap()).await;
    }
    for principal in ["", "ann", "bob"] {
        assert!(sessions.stored_bytes(principal).await.unwrap() > 100, "{principal}");
        assert_eq!(sessions.page(principal, None, 9).await.unwrap().len(), 1, "{principal}");
    }
    assert_eq!(sessions.stored_bytes("an").await.unwrap(), 0, "a part of a name is nobody");
    for _ in 0..500 {
        if sessions.expire(|owner| (owner == "ann").then_some(0), 0).await.unwrap() == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut there = Vec::new();
    for principal in ["", "ann", "bob"] {
        there.push(sessions.has(principal, &key()).await.unwrap());
    }
    assert_eq!(there, [true, false, true]);
    assert_eq!(sessions.stored_bytes("ann").await.unwrap(), 0);
}
