//! Acceptance cases of the chat: what happens when the provider, the model or the process fails in the middle.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use engross_llm::{Error, Event, Message, ToolCall, ToolSpec};
use engross_store::MemoryStore;
use serde_json::json;

use super::event::{AnswerFinish, TurnEvent};
use super::log::LogEvent;
use super::random_support::Life;
use super::request::{SessionName, TurnRequest};
use super::service_support::*;
use super::{
    Briefing, BriefingFuture, ServerTool, Sessions, SessionsConfig, ToolResult, ToolResultsFuture, ToolRound,
    Toolbox, ToolboxFuture, Toolboxes, TurnRules,
};

/// A workspace with a tool that reads and one that changes; what comes of the changes is told beforehand.
struct Bench(Mutex<Vec<bool>>);

impl Toolbox for Bench {
    fn tools(&self) -> Vec<ServerTool> {
        let tool = |name: &str, read_only| ServerTool {
            spec: ToolSpec {
                name: name.to_owned(),
                description: String::new(),
                parameters: json!({}),
                strict: None,
            },
            read_only,
        };
        vec![tool("read", true), tool("apply", false)]
    }

    fn briefing(&self) -> BriefingFuture<'_> {
        Box::pin(async { Briefing::default() })
    }

    fn status(&self, call: &ToolCall) -> String {
        call.name.clone()
    }

    fn run(&self, round: ToolRound) -> ToolResultsFuture<'_> {
        let results = round.calls.iter().map(|call| {
            if call.name == "read" {
                return ToolResult::text("[P1] text");
            }
            if self.0.lock().unwrap().remove(0) {
                return ToolResult::text(json!({"summary": {"applied": 2, "refused": 1}}).to_string());
            }
            ToolResult::error(
                json!({"operations": [{"code": "TEXT_NOT_FOUND", "message": "there is no such text"}]})
                    .to_string(),
            )
        });
        let results = results.collect();
        Box::pin(async move { results })
    }
}

struct Benches(Arc<Bench>);

impl Toolboxes for Benches {
    fn open<'a>(&'a self, _: &'a str, _workspace: &'a str) -> ToolboxFuture<'a> {
        let bench = Arc::clone(&self.0);
        Box::pin(async move { Ok(bench as Arc<dyn Toolbox>) })
    }
}

/// A world with a workbench on which changes succeed or fail as told.
fn workshop(outcomes: &[bool], answers: impl IntoIterator<Item = Pieces>) -> World {
    let (store, model) = (Arc::new(MemoryStore::default()), ScriptedModel::new(answers));
    let toolboxes = Arc::new(Benches(Arc::new(Bench(Mutex::new(outcomes.to_vec())))));
    let sessions = Sessions::new(SessionsConfig { toolboxes, ..config(&store, &model) });
    World { sessions, store, model }
}

fn apply(id: &str) -> Pieces {
    calls("", &[(id, "apply", &format!("{{\"id\":\"{id}\"}}"))])
}

fn refused() -> Pieces {
    vec![Err(Error::BadRequest { provider: "p", status: 400, message: "turn order".to_owned() })]
}

fn warnings(log: &[LogEvent], code: &str) -> Vec<String> {
    let noted = log.iter().filter_map(|event| match event {
        LogEvent::Noted { code: noted, message } if noted == code => Some(message.clone()),
        _ => None,
    });
    noted.collect()
}

#[tokio::test]
async fn case_151_a_failure_after_an_edit_names_what_was_done() {
    let world = workshop(&[true], [apply("a"), vec![Err(Error::Truncated)], text("go on")]);
    let answer = world.sessions.submit(in_shed(request(vec![user("edit")]))).await.unwrap();
    let id = answer.session;
    let (_, _, end) = heard(answer).await;
    let TurnEvent::Failed { code, message, .. } = end else { panic!("{end:?}") };
    assert_eq!(code, "MODEL_TRUNCATED");
    assert!(
        message.ends_with("What was done before that stands:\n✓ apply: 2 applied, 1 refused"),
        "{message}"
    );
    let log = world.log(id).await;
    assert!(
        matches!(log.last(), Some(LogEvent::Ended(ending)) if ending.message == message),
        "the log says the same"
    );
    // What failed before anything was done claims nothing.
    let next = world.sessions.submit(request(vec![user("more")])).await.unwrap();
    assert_eq!(heard(next).await.0, "go on");
}

#[tokio::test]
async fn case_151_a_failure_before_any_edit_claims_nothing() {
    let world = workshop(&[false], [apply("a"), vec![Err(Error::Truncated)]]);
    let answer = world.sessions.submit(in_shed(request(vec![user("edit")]))).await.unwrap();
    let TurnEvent::Failed { message, .. } = heard(answer).await.2 else { panic!("it failed") };
    assert_eq!(message, Error::Truncated.to_string());
}

#[tokio::test]
async fn case_152_a_refused_conversation_is_mended_in_order_and_then_reported() {
    let world = workshop(&[true], [apply("a"), refused(), refused(), refused(), refused()]);
    let answer = world.sessions.submit(in_shed(request(vec![user("edit")]))).await.unwrap();
    let id = answer.session;
    let (_, _, end) = heard(answer).await;
    let TurnEvent::Failed { code, message, .. } = end else { panic!("{end:?}") };
    assert_eq!(code, "MODEL_BAD_REQUEST");
    assert!(message.contains("✓ apply"), "the report: {message}");
    let lengths: Vec<usize> = world.model.asked().iter().map(Vec::len).collect();
    assert_eq!(lengths, [1, 3, 3, 1, 1], "as it is, pairs anew, no calls, a fresh start, and no more");
    let log = world.log(id).await;
    let tiers: Vec<bool> = warnings(&log, "CONVERSATION_MENDED")
        .iter()
        .zip(["Pairs", "NoCalls", "FreshStart"])
        .map(|(noted, tier)| noted.contains(tier))
        .collect();
    assert_eq!(tiers, [true; 3], "{log:?}");
    assert_eq!(world.messages(id).await.len(), 3, "the log keeps the truth, not the copy");
}

/// What the provider accepted after a mending is not mended away again: the model sees the results of its further calls.
#[tokio::test]
async fn case_152_what_came_after_a_mending_is_kept() {
    let answers = [apply("a"), refused(), refused(), refused(), apply("b"), text("done")];
    let world = workshop(&[true, true], answers);
    let answer = world.sessions.submit(in_shed(request(vec![user("edit")]))).await.unwrap();
    assert_eq!(heard(answer).await.2, done(AnswerFinish::Stop));
    let last = world.model.asked().pop().unwrap();
    assert!(
        matches!(&last[..], [Message::User { .. }, Message::Assistant { .. }, Message::Tool { tool_call_id, .. }] if tool_call_id == "b"),
        "{last:?}"
    );
}

/// A mended copy is no new beginning: the calls of the model are counted on.
#[tokio::test]
async fn case_152_mending_does_not_reset_the_loop() {
    let mut answers = vec![refused(), refused()];
    answers.extend((0..10).map(|n| apply(&format!("c{n}"))));
    answers.insert(4, refused());
    let world = workshop(&[true; 12], answers);
    let history = vec![user("a"), said("b"), user("edit")];
    let answer = world.sessions.submit(in_shed(request(history))).await.unwrap();
    let (text, _, end) = heard(answer).await;
    assert_eq!(end, done(AnswerFinish::Stop));
    assert!(text.contains("6 calls"), "{text}");
    assert_eq!(world.model.asked().len(), 6 + 3);
}

#[tokio::test]
async fn case_153_at_the_limit_the_user_is_told_and_can_go_on() {
    let answers = (0..7).map(|n| apply(&format!("c{n}"))).chain([text("finished")]);
    let world = workshop(&[true; 8], answers);
    let answer = world.sessions.submit(in_shed(request(vec![user("edit")]))).await.unwrap();
    let id = answer.session;
    let (text, _, end) = heard(answer).await;
    assert_eq!((end, world.model.asked().len()), (done(AnswerFinish::Stop), 6));
    assert!(text.contains("not done after 6 calls") && text.contains("Say how to go on"), "{text}");
    assert!(
        matches!(world.log(id).await.last(), Some(LogEvent::Ended(ending)) if ending.code == "ROUNDS_EXHAUSTED")
    );
    let more = world.sessions.submit(request(vec![user("go on")])).await.unwrap();
    assert_eq!(heard(more).await.0, "finished");
    let asked = world.model.asked().pop().unwrap();
    assert_eq!(asked.len(), 1 + 2 * 6 + 1 + 1 + 2, "the whole first turn, and the call of the second");
}

#[tokio::test]
async fn case_159_changes_that_fail_twice_in_a_row_stop_the_turn_with_reasons() {
    let world = workshop(&[false, false], [apply("a"), apply("b"), text("never asked"), text("usable")]);
    let answer = world.sessions.submit(in_shed(request(vec![user("edit")]))).await.unwrap();
    let id = answer.session;
    let (said_at_last, _, end) = heard(answer).await;
    assert_eq!((end, world.model.asked().len()), (done(AnswerFinish::Stop), 2));
    assert!(said_at_last.contains("- apply: there is no such text (TEXT_NOT_FOUND)"), "{said_at_last}");
    assert!(
        matches!(world.log(id).await.last(), Some(LogEvent::Ended(ending)) if ending.code == "NO_PROGRESS")
    );
    // The history is usable: the next message is answered, with both failures in it.
    world.model.answers.lock().unwrap().pop_front();
    let next = world.sessions.submit(request(vec![user("try otherwise")])).await.unwrap();
    assert_eq!(heard(next).await.0, "usable");
    assert_eq!(world.model.asked()[2].len(), 7);
}

/// One success, or another look at the document, is progress.
#[tokio::test]
async fn case_159_progress_is_not_stopped() {
    let read = |id: &str| calls("", &[(id, "read", &format!("{{\"id\":\"{id}\"}}"))]);
    let both = calls("", &[("b", "apply", "{\"n\":1}"), ("c", "apply", "{\"n\":2}")]);
    for (outcomes, answers) in [
        (vec![false, true], vec![apply("a"), apply("b"), text("done")]),
        (vec![false, false, true], vec![apply("a"), both, text("done")]),
        (vec![false, false], vec![apply("a"), read("b"), apply("c"), text("done")]),
    ] {
        let world = workshop(&outcomes, answers);
        let answer = world.sessions.submit(in_shed(request(vec![user("edit")]))).await.unwrap();
        assert_eq!(heard(answer).await.0, "done", "{outcomes:?}");
    }
}

#[tokio::test]
async fn case_166_a_conversation_is_there_after_a_restart() {
    let world = workshop(&[true], [apply("a"), text("edited"), text("as I said")]);
    let answer = world.sessions.submit(in_shed(request(vec![user("edit")]))).await.unwrap();
    let id = answer.session;
    heard(answer).await;
    let before = world.messages(id).await;
    let after = world.restarted();
    let key = SessionName::Named("doc".to_owned());
    let view = after.sessions.get("", &key).await.unwrap();
    assert_eq!((view.id, view.session.messages), (id, before.clone()));
    assert_eq!(heard(after.sessions.listen("", &key).await.unwrap()).await.0, "edited");
    heard(after.sessions.submit(request(vec![user("what did you do?")])).await.unwrap()).await;
    let asked = world.model.asked().pop().unwrap();
    assert_eq!(asked[..before.len()], before);
}

/// The session on every answer, results in their own role, late results of a stopped turn without effect.
#[tokio::test]
async fn case_168_late_results_of_a_cancelled_turn_change_nothing() {
    let world = world([calls("", &[("a", "look", "{}")]), text("new")]);
    let first = world.sessions.submit(with_tools(vec![user("look")])).await.unwrap();
    let (id, session) = (first.session, first.key.clone());
    heard(first).await;
    let key = SessionName::Named("doc".to_owned());
    assert!(world.sessions.cancel("", &key).await.unwrap());
    let before = world.log(id).await;
    for late in [result("a", "look", "late"), result("dummy", "look", "late")] {
        let error = world.sessions.submit(request(vec![late])).await.unwrap_err();
        assert!(matches!(error.code, "RESULT_DUPLICATE" | "CALL_NOT_OPEN"), "{error:?}");
    }
    assert_eq!(world.log(id).await, before, "nothing of it is stored");
    let next = world.sessions.submit(request(vec![user("anew")])).await.unwrap();
    assert_eq!((next.session, next.key.clone(), next.turn), (id, session, 2));
    assert_eq!(heard(next).await.0, "new");
}

/// The rules of the loop guard are settings, and the smallest is one call.
#[tokio::test]
async fn a_failed_first_answer_is_no_round() {
    let answers =
        [vec![Ok(Event::Text("half".to_owned())), Err(Error::Truncated)], apply("a"), text("never asked")];
    let (store, model) = (Arc::new(MemoryStore::default()), ScriptedModel::new(answers));
    let toolboxes = Arc::new(Benches(Arc::new(Bench(Mutex::new(vec![true])))));
    let rules = TurnRules { loops: 1, ..TurnRules::default() };
    let sessions = Sessions::new(SessionsConfig { toolboxes, rules, ..config(&store, &model) });
    assert!(matches!(
        heard(sessions.submit(in_shed(request(vec![user("a")]))).await.unwrap()).await.2,
        TurnEvent::Failed { .. }
    ));
    let (text, ..) = heard(sessions.submit(request(vec![user("b")])).await.unwrap()).await;
    assert!(text.contains("1 calls"), "{text}");
}

/// An answer that could not be stored is no answer: the same request is answered anew once there is room.
#[tokio::test]
async fn what_a_full_disk_lost_is_answered_when_there_is_room() {
    let (store, model) =
        (Arc::new(MemoryStore::default()), ScriptedModel::new([text("lost"), text("there")]));
    let life = Life::new(&store);
    let config = SessionsConfig { store: Arc::<Life>::clone(&life), ..config(&store, &model) };
    let sessions = Sessions::new(config);
    let once = || TurnRequest { idempotency_key: Some("k".to_owned()), ..request(vec![user("a")]) };
    life.full.store(true, Ordering::SeqCst);
    let failed = heard(sessions.submit(once()).await.unwrap()).await.2;
    assert!(matches!(failed, TurnEvent::Failed { code, .. } if code == "STORE_FULL"));
    life.full.store(false, Ordering::SeqCst);
    for _ in 0..2 {
        assert_eq!(heard(sessions.submit(once()).await.unwrap()).await.0, "there");
    }
    assert_eq!(model.asked().len(), 2);
}
