use std::sync::Arc;
use std::time::Duration;

use engross_llm::{Error, Event, Message};
use engross_store::{MemoryStore, Store};

use tokio::task::JoinSet;

use super::event::{AnswerFinish, TurnEvent};
use super::log::LogEvent;
use super::request::{ClientToolChoice, SessionName, TurnRequest};
use super::service_support::*;
use super::{Sessions, SessionsConfig, TurnRules};

/// A tool of the client, from the call to the answer that its result leads to.
#[tokio::test]
async fn summarize_the_doc() {
    let world =
        world([calls("Let me read it.", &[("call_1", "read_document", "{}")]), text("It is about cheese.")]);
    let first = world.sessions.submit(with_tools(vec![user("Summarize the doc")])).await.unwrap();
    let (id, key, turn) = (first.session, first.key.clone(), first.turn);
    assert_eq!(
        heard(first).await,
        (
            "Let me read it.".to_owned(),
            vec![("call_1".to_owned(), "read_document".to_owned())],
            done(AnswerFinish::ToolCalls)
        )
    );
    let dummy = result("call_dummy", "read_document", "Cheese, mostly.");
    let second = world.sessions.submit(request(vec![dummy])).await.unwrap();
    assert_eq!((second.session, second.key.clone(), second.turn), (id, key, turn), "one stream of thought");
    assert_eq!(heard(second).await, ("It is about cheese.".to_owned(), vec![], done(AnswerFinish::Stop)));

    let transcript = vec![
        user("Summarize the doc"),
        called("Let me read it.", "call_1", "read_document"),
        result("call_1", "read_document", "Cheese, mostly."),
        said("It is about cheese."),
    ];
    assert_eq!(world.messages(id).await, transcript, "exactly user, call, result, answer");
    assert_eq!(
        world.model.asked()[1],
        transcript[..3],
        "the model sees the result as one, under the call's own id"
    );
    let kinds: Vec<&str> = world.log(id).await.iter().map(LogEvent::kind).collect();
    assert_eq!(
        kinds,
        ["opened", "accepted", "answered", "suspended", "accepted", "resulted", "answered", "ended"],
        "the command is an entry of the log, not a message"
    );
}

#[tokio::test]
async fn the_model_waits_for_every_result() {
    let two = [("a", "read_document", "{}"), ("b", "look", "{}")];
    let world = world([calls("", &two), text("both")]);
    heard(world.sessions.submit(with_tools(vec![user("go")])).await.unwrap()).await;
    let one = world.sessions.submit(request(vec![result("b", "look", "B")])).await.unwrap();
    let open = vec![("a".to_owned(), "read_document".to_owned())];
    assert_eq!(
        heard(one).await,
        (String::new(), open, done(AnswerFinish::ToolCalls)),
        "what is still open is asked for again"
    );
    assert_eq!(world.model.asked().len(), 1);
    let all = world.sessions.submit(request(vec![result("a", "read_document", "A")])).await.unwrap();
    assert_eq!(heard(all).await.0, "both");
    let results = [result("a", "read_document", "A"), result("b", "look", "B")];
    assert_eq!(world.model.asked()[1][2..], results, "in the order of the calls");
}

#[tokio::test]
async fn results_that_do_not_fit_are_refused() {
    let two = [("a", "look", "{\"at\":1}"), ("b", "look", "{\"at\":2}")];
    let world = world([calls("", &two), text("done")]);
    heard(world.sessions.submit(with_tools(vec![user("go")])).await.unwrap()).await;
    let code = async |messages: Vec<Message>| match world.sessions.submit(request(messages.clone())).await {
        Ok(_) => panic!("taken: {messages:?}"),
        Err(error) => error.code,
    };
    assert_eq!(
        code(vec![result("dummy", "look", "?")]).await,
        "CALL_NOT_OPEN",
        "two calls of that tool are open"
    );
    assert_eq!(code(vec![result("a", "look", "1"), result("a", "look", "2")]).await, "RESULT_DUPLICATE");
    assert_eq!(code(vec![said("I say")]).await, "MESSAGES_EMPTY");
    heard(world.sessions.submit(request(vec![result("a", "look", "A")])).await.unwrap()).await;
    assert_eq!(code(vec![result("a", "look", "again")]).await, "RESULT_DUPLICATE");
    heard(world.sessions.submit(request(vec![result("b", "look", "B")])).await.unwrap()).await;
    assert_eq!(code(vec![result("b", "look", "late")]).await, "RESULT_DUPLICATE");
    assert_eq!(code(vec![result("x", "look", "stray")]).await, "CALL_NOT_OPEN");
    let error = world.sessions.submit(request(vec![result("x", "look", "stray")])).await.unwrap_err();
    assert_eq!(error.body().kind, "conflict_error");
}

#[tokio::test]
async fn a_new_message_closes_what_is_open() {
    let world = world([calls("", &[("a", "look", "{}")]), text("never mind")]);
    let first = world.sessions.submit(with_tools(vec![user("look")])).await.unwrap();
    let id = first.session;
    heard(first).await;
    let second = world.sessions.submit(request(vec![user("forget it")])).await.unwrap();
    assert_eq!(second.turn, 2);
    assert_eq!(heard(second).await.0, "never mind");
    let messages = world.messages(id).await;
    assert!(
        matches!(&messages[2], Message::Tool { tool_call_id, is_error: true, .. } if tool_call_id == "a")
    );
    let late = world.sessions.submit(request(vec![result("a", "look", "late")])).await.unwrap_err();
    assert_eq!(late.code, "RESULT_DUPLICATE", "a late result of a turn that is over is refused");
}

#[tokio::test]
async fn history_that_is_sent_again_is_not_stored_again() {
    let world = world([text("one"), text("two"), text("other")]);
    let first = world.sessions.submit(request(vec![user("1")])).await.unwrap();
    let id = first.session;
    heard(first).await;
    heard(world.sessions.submit(request(vec![user("1"), said(" one\n"), user("2")])).await.unwrap()).await;
    let stored = vec![user("1"), said("one"), user("2"), said("two")];
    assert_eq!(world.messages(id).await, stored);
    let same = world.sessions.submit(request(stored.clone())).await.unwrap_err();
    assert_eq!(same.code, "NOTHING_NEW");
    // What was sent differently opens a branch.
    heard(world.sessions.submit(request(vec![user("1"), said("one"), user("3")])).await.unwrap()).await;
    assert_eq!(world.messages(id).await, [user("1"), said("one"), user("3"), said("other")]);
}

#[tokio::test]
async fn a_new_session_adopts_calls_and_results_as_pairs() {
    let world = world([text("fine")]);
    let sent = vec![
        user("read"),
        called("", "x", "look"),
        result("x", "look", "seen"),
        called("", "y", "look"),
        user("go on"),
    ];
    let answer = world.sessions.submit(request(sent)).await.unwrap();
    let id = answer.session;
    heard(answer).await;
    let messages = world.messages(id).await;
    assert_eq!(messages[2], result("x", "look", "seen"));
    assert!(
        matches!(&messages[4], Message::Tool { tool_call_id, is_error: true, .. } if tool_call_id == "y")
    );
    let stray = TurnRequest { key: None, ..request(vec![user("a"), result("z", "look", "?")]) };
    assert_eq!(world.sessions.submit(stray).await.unwrap_err().code, "CALL_NOT_OPEN");
}

#[tokio::test]
async fn the_same_request_gets_the_same_answer() {
    let world = world([text("only once")]);
    let once = || TurnRequest { idempotency_key: Some("k".to_owned()), ..request(vec![user("hello")]) };
    let first = world.sessions.submit(once()).await.unwrap();
    let (session, number) = (first.session, first.answer);
    let again = world.sessions.submit(once()).await.unwrap();
    assert!(again.replayed && !first.replayed);
    let (heard_first, heard_again) = (heard(first).await, heard(again).await);
    let later = world.restarted().sessions.submit(once()).await.unwrap();
    assert_eq!((later.session, later.answer), (session, number));
    assert_eq!((&heard_first, &heard(later).await), (&heard_again, &heard_first));
    assert_eq!(world.model.asked().len(), 1);
    let other = TurnRequest { messages: vec![user("other")], ..once() };
    assert_eq!(world.sessions.submit(other).await.unwrap_err().code, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn an_answer_reads_the_same_live_and_later() {
    let world = world([
        calls("Some words. ", &[("a", "fly", "{}")]),
        calls("More words.", &[("b", "look", "{\"x\":1}"), ("c", "look", "{}")]),
    ]);
    let mut live = world.sessions.submit(with_tools(vec![user("go")])).await.unwrap();
    let mut all = Vec::new();
    while let Some(placed) = live.next().await {
        all.push(placed);
    }
    let text: String = all
        .iter()
        .filter_map(|placed| match &placed.event {
            TurnEvent::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, "Some words. \n\nMore words.");
    let end = all.last().unwrap().position;
    // A client that has received the answer up to a position receives the rest of it, live or from the log.
    for behind in 0..=end {
        let key = SessionName::Named("doc".to_owned());
        for world in [&world, &world.restarted()] {
            let mut again = world.sessions.listen("", &key).await.unwrap();
            again.resume_after(behind);
            let (mut rest, mut events) = (String::new(), 0);
            while let Some(placed) = again.next().await {
                match placed.event {
                    TurnEvent::Text(delta) => rest.push_str(&delta),
                    TurnEvent::Call { .. } | TurnEvent::Done { .. } => events += 1,
                    _ => {}
                }
            }
            let heard = usize::try_from(behind).unwrap().min(text.len());
            assert_eq!(rest, text[heard..], "behind {behind}");
            let others = end - text.len() as u64;
            assert_eq!(events, others - behind.saturating_sub(text.len() as u64), "behind {behind}");
        }
    }
}

#[tokio::test]
async fn a_turn_whose_process_died_goes_on() {
    let world = world([]);
    let once = || TurnRequest { idempotency_key: Some("k".to_owned()), ..request(vec![user("hello")]) };
    let answer = world.sessions.submit(once()).await.unwrap();
    let (id, first) = (answer.session, answer.answer);
    while world.model.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    // The process is gone: nobody works on the turn any more.
    let world = world.restarted();
    world.model.answers.lock().unwrap().push_back(text("here I am"));
    let again = world.sessions.submit(once()).await.unwrap();
    let number = again.answer;
    assert_ne!(number, first, "what was heard of the first try is no part of this one");
    assert_eq!(heard(again).await.0, "here I am");
    assert_eq!(world.messages(id).await, [user("hello"), said("here I am")]);
    for world in [&world, &world.restarted()] {
        let later = world.sessions.submit(once()).await.unwrap();
        assert_eq!((later.answer, later.replayed), (number, true));
        assert_eq!(heard(later).await.0, "here I am");
    }
    assert_eq!(world.model.asked().len(), 2);
}

#[tokio::test]
async fn a_model_that_fails_ends_the_turn_and_nothing_else() {
    let world =
        world([vec![Ok(Event::Text("Half an ans".to_owned())), Err(Error::Truncated)], text("whole")]);
    let first = world.sessions.submit(request(vec![user("a")])).await.unwrap();
    let id = first.session;
    let (text, _, end) = heard(first).await;
    assert_eq!(text, "Half an ans");
    assert!(matches!(end, TurnEvent::Failed { code, .. } if code == "MODEL_TRUNCATED"));
    let log = world.log(id).await;
    assert!(
        log.contains(&LogEvent::Streamed { text: "Half an ans".to_owned(), from: 0 }),
        "what was streamed is kept"
    );
    heard(world.sessions.submit(request(vec![user("a")])).await.unwrap()).await;
    assert_eq!(
        world.messages(id).await,
        [user("a"), said("whole")],
        "the message that is tried again is there once"
    );
}

#[tokio::test]
async fn a_turn_nobody_listens_to_is_stopped() {
    let world = world([]);
    let answer = world.sessions.submit(request(vec![user("a")])).await.unwrap();
    let id = answer.session;
    drop(answer);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(world.sessions.running(), 0);
    assert!(
        matches!(world.log(id).await.last(), Some(LogEvent::Ended(ending)) if ending.code == "LISTENER_GONE")
    );

    let background = TurnRequest { background: true, ..request(vec![user("b")]) };
    drop(world.sessions.submit(background).await.unwrap());
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(world.sessions.running(), 1, "in the background it goes on");
}

#[tokio::test]
async fn too_many_requests_are_told_to_wait() {
    let world = world([]);
    let _running = world.sessions.submit(request(vec![user("a")])).await.unwrap();
    let mut waiting = JoinSet::new();
    for _ in 0..2 {
        let sessions = world.sessions.clone();
        waiting.spawn(async move { sessions.submit(request(vec![user("b")])).await.map(drop) });
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    let error = world.sessions.submit(request(vec![user("c")])).await.unwrap_err();
    assert_eq!((error.code, error.retry_after), ("SESSION_BUSY", Some(1)));
}

#[tokio::test]
async fn a_server_that_stops_takes_nothing_new_and_ends_what_runs() {
    let world = world([]);
    let running = world.sessions.submit(request(vec![user("a")])).await.unwrap();
    world.sessions.drain(Duration::from_millis(10)).await;
    let (_, _, end) = heard(running).await;
    assert!(matches!(end, TurnEvent::Failed { code, .. } if code == "TURN_CANCELLED"));
    let error = world.sessions.submit(request(vec![user("b")])).await.unwrap_err();
    assert_eq!(error.code, "SERVER_STOPPING");
}

/// The model pages through something: each call is the client's to make, and its result is another one.
#[tokio::test]
async fn a_repeated_call_of_a_client_is_made_each_time() {
    let page = |id: &str| calls("", &[(id, "look", "{}")]);
    let ids: Vec<String> = (0..12).map(|number| format!("c{number}")).collect();
    let world = world(ids.iter().map(|id| page(id)).chain([text("all read")]));
    heard(world.sessions.submit(with_tools(vec![user("go")])).await.unwrap()).await;
    for (number, id) in ids.iter().enumerate() {
        let given = result(id, "look", &format!("page {number}"));
        let (words, calls, _) = heard(world.sessions.submit(request(vec![given])).await.unwrap()).await;
        match ids.get(number + 1) {
            Some(next) => assert_eq!(calls, [(next.clone(), "look".to_owned())], "{words}"),
            None => assert_eq!(words, "all read"),
        }
    }
    let told = world.model.asked().pop().unwrap();
    assert!(
        (0..12).all(|number| told.contains(&result(&ids[number], "look", &format!("page {number}")))),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_call_whose_results_are_all_the_same_stops_the_turn() {
    let look = |id: &str| calls("", &[(id, "look", "{ \"a\": 1 }")]);
    let ids: Vec<String> = (0..9).map(|number| format!("c{number}")).collect();
    let world = world(ids.iter().map(|id| look(id)));
    heard(world.sessions.submit(with_tools(vec![user("go")])).await.unwrap()).await;
    for (number, id) in ids.iter().take(8).enumerate() {
        let answer = world.sessions.submit(request(vec![result(id, "look", "seen")])).await.unwrap();
        let (text, calls, end) = heard(answer).await;
        if number < 7 {
            assert_eq!(calls.len(), 1, "{number}: {text}");
        } else {
            assert!(text.contains("again and again") && calls.is_empty(), "{text} {calls:?}");
            assert_eq!(end, done(AnswerFinish::Stop));
        }
    }
}

#[tokio::test]
async fn a_repeated_call_of_an_idempotent_tool_is_answered_with_its_result() {
    let look = |id: &str| calls("", &[(id, "look", "{}")]);
    let world = world([look("x"), look("y"), text("done")]);
    let mut asked = with_tools(vec![user("go")]);
    asked.tools.iter_mut().flatten().for_each(|tool| tool.idempotent = true);
    heard(world.sessions.submit(asked).await.unwrap()).await;
    let answer = world.sessions.submit(request(vec![result("x", "look", "seen")])).await.unwrap();
    let (text, calls, _) = heard(answer).await;
    assert_eq!((text.as_str(), calls.len()), ("done", 0));
    let told = world.model.asked()[2].last().cloned();
    assert!(matches!(told, Some(Message::Tool { content, .. }) if content.contains("seen")));
}

#[tokio::test]
async fn what_a_person_heard_stays_when_the_turn_is_cancelled() {
    let slow = vec![Ok(Event::Text("The term is five".to_owned()))];
    let world = world([slow, text("Five years.")]);
    world.model.hangs.store(true, std::sync::atomic::Ordering::SeqCst);
    let mut answer = world.sessions.submit(request(vec![user("a")])).await.unwrap();
    let (id, key) = (answer.session, SessionName::Named(answer.key.clone()));
    assert!(matches!(answer.next().await.unwrap().event, TurnEvent::Text(_)));
    assert!(world.sessions.cancel("", &key).await.unwrap());
    heard(answer).await;
    assert_eq!(world.messages(id).await, [user("a"), said("The term is five")]);
    world.model.hangs.store(false, std::sync::atomic::Ordering::SeqCst);
    let next = TurnRequest { key: Some(key), ..request(vec![user("go on")]) };
    heard(world.sessions.submit(next).await.unwrap()).await;
    assert_eq!(world.model.asked()[1], [user("a"), said("The term is five"), user("go on")]);
}

/// A message that the provider refuses costs that message, not those after it.
#[tokio::test]
async fn a_refused_message_is_left_out_and_the_rest_stays() {
    let refuse = || vec![Err(Error::BadRequest { provider: "p", status: 400, message: "poison".to_owned() })];
    // A session of one message is not mended: it is refused at once.
    let world = world([text("Hello."), refuse(), refuse(), refuse(), refuse(), text("one"), text("two")]);
    let first = world.sessions.submit(request(vec![user("hi")])).await.unwrap();
    let key = Some(SessionName::Named(first.key.clone()));
    heard(first).await;
    let ask = |words: &str| TurnRequest { key: key.clone(), ..request(vec![user(words)]) };
    let (_, _, end) = heard(world.sessions.submit(ask("poison")).await.unwrap()).await;
    assert!(matches!(end, TurnEvent::Failed { code, .. } if code == "MODEL_BAD_REQUEST"));
    for (words, calls) in [("q0", 6), ("q1", 7)] {
        heard(world.sessions.submit(ask(words)).await.unwrap()).await;
        assert_eq!(world.model.asked().len(), calls, "one call of the model, and no mending");
    }
    let told = world.model.asked().pop().unwrap();
    assert_eq!(told, [user("hi"), said("Hello."), user("q0"), said("one"), user("q1")]);
}

#[tokio::test]
async fn a_choice_that_requires_a_call_holds() {
    let world = world([text("I would rather talk."), text("fine")]);
    let mut asked = with_tools(vec![user("go")]);
    asked.parameters.tool_choice = ClientToolChoice::Required;
    let (_, _, end) = heard(world.sessions.submit(asked).await.unwrap()).await;
    assert!(matches!(&end, TurnEvent::Failed { code, .. } if code == "TOOL_CALL_MISSING"), "{end:?}");
    let (words, ..) = heard(world.sessions.submit(request(vec![user("then talk")])).await.unwrap()).await;
    assert_eq!(words, "fine");
}

/// Where no tool is there at all, no answer can be the one that was asked for.
#[tokio::test]
async fn a_choice_that_requires_a_call_holds_without_tools() {
    let world = world([text("I would rather talk.")]);
    let mut asked = request(vec![user("go")]);
    asked.parameters.tool_choice = ClientToolChoice::Required;
    let (_, _, end) = heard(world.sessions.submit(asked).await.unwrap()).await;
    assert!(matches!(&end, TurnEvent::Failed { code, .. } if code == "TOOL_CALL_MISSING"), "{end:?}");
}

#[tokio::test]
async fn the_servers_tools_do_not_wait_for_the_client_and_the_model_waits_for_both() {
    let mixed = [("s", "hammer", "{}"), ("c", "look", "{}")];
    let (store, model) =
        (Arc::new(MemoryStore::default()), ScriptedModel::new([calls("", &mixed), text("done")]));
    let (hammer, toolboxes) = Shed::with_hammer();
    let sessions = Sessions::new(SessionsConfig { toolboxes, ..config(&store, &model) });
    let world = World { sessions, store, model };
    let answer = world.sessions.submit(in_shed(with_tools(vec![user("go")]))).await.unwrap();
    let id = answer.session;
    let (_, open, end) = heard(answer).await;
    assert_eq!((open, end), (vec![("c".to_owned(), "look".to_owned())], done(AnswerFinish::ToolCalls)));
    assert_eq!(*hammer.0.lock().unwrap(), 1);
    assert_eq!(world.model.asked().len(), 1, "not called again before the set is complete");
    assert_eq!(world.model.asked.lock().unwrap()[0].system, "You have a hammer.");
    // The session remembers its workspace.
    let rest = world.sessions.submit(request(vec![result("c", "look", "C")])).await.unwrap();
    assert_eq!(heard(rest).await.0, "done");
    let results = [result("s", "hammer", "bang"), result("c", "look", "C")];
    assert_eq!(world.messages(id).await[2..4], results);
}

#[tokio::test]
async fn the_model_is_called_six_times_at_most() {
    let many = (0..10).map(|n| {
        let (id, arguments) = (format!("c{n}"), format!("{{\"n\":{n}}}"));
        calls("", &[(&id, "hammer", &arguments)])
    });
    let (store, model) = (Arc::new(MemoryStore::default()), ScriptedModel::new(many));
    let (_, toolboxes) = Shed::with_hammer();
    let sessions = Sessions::new(SessionsConfig { toolboxes, ..config(&store, &model) });
    let answer = sessions.submit(in_shed(request(vec![user("go")]))).await.unwrap();
    let (text, _, end) = heard(answer).await;
    assert_eq!((model.asked().len(), end), (6, done(AnswerFinish::Stop)));
    assert!(text.contains("6 calls"), "{text}");
}

#[tokio::test]
async fn sessions_of_different_people_never_meet() {
    let world = world([text("one"), text("two")]);
    let of =
        |principal: &str| TurnRequest { principal: principal.to_owned(), ..request(vec![user("hello")]) };
    let (first, second) =
        (world.sessions.submit(of("ann")).await.unwrap(), world.sessions.submit(of("bob")).await.unwrap());
    assert_ne!(first.session, second.session);
    let key = SessionName::Named("doc".to_owned());
    assert_eq!(world.sessions.listen("eve", &key).await.unwrap_err().code, "SESSION_UNKNOWN");
}

#[tokio::test]
async fn a_long_session_is_read_from_its_snapshot() {
    let world = world((0..60).map(|n| text(&format!("answer {n}"))));
    let mut id = None;
    for n in 0..60 {
        let answer = world.sessions.submit(request(vec![user(&format!("question {n}"))])).await.unwrap();
        id = Some(answer.session);
        heard(answer).await;
    }
    let id = id.unwrap();
    let stored = world.store.load_by_id(id).await.unwrap().unwrap();
    assert!(stored.entries.len() < 64, "{} entries behind the snapshot", stored.entries.len());
    assert_eq!(world.messages(id).await.len(), 120);
    let asked = world.model.asked().pop().unwrap();
    assert_eq!(asked.len(), 19, "ten turns, the present one without its answer");
    assert_eq!(asked[0], user("question 50"));
    let log = world.log(id).await;
    assert!(
        log.iter().any(|event| matches!(event, LogEvent::Noted { code, .. } if code == "HISTORY_LEFT_OUT"))
    );
}

#[tokio::test]
async fn any_node_serves_any_session() {
    let [one, two] = World::nodes((0..4).map(|n| text(&format!("answer {n}"))));
    let mut id = None;
    for (n, node) in [&one, &two, &two, &one].into_iter().enumerate() {
        let answer = node.sessions.submit(request(vec![user(&format!("question {n}"))])).await.unwrap();
        id = Some(answer.session);
        assert_eq!(heard(answer).await.0, format!("answer {n}"));
    }
    assert_eq!(one.messages(id.unwrap()).await.len(), 8);
    let key = SessionName::Named("doc".to_owned());
    let newest = two.sessions.listen("", &key).await.unwrap();
    assert_eq!(heard(newest).await.0, "answer 3", "what went on elsewhere is heard here, too");
}

#[tokio::test(start_paused = true)]
async fn two_nodes_never_work_on_one_session() {
    let [one, two] = World::nodes([]);
    let running = one.sessions.submit(request(vec![user("a")])).await.unwrap();
    let id = running.session;
    let key = SessionName::Named("doc".to_owned());
    let refused = two.sessions.submit(request(vec![user("b")])).await.unwrap_err();
    assert_eq!((refused.code, refused.retry_after), ("SESSION_BUSY", Some(1)));
    let mut heard_there = JoinSet::new();
    heard_there.spawn(heard(two.sessions.listen("", &key).await.unwrap()));
    one.sessions.drain(Duration::ZERO).await;
    let (_, _, end) = heard_there.join_next().await.unwrap().unwrap();
    assert!(matches!(&end, TurnEvent::Failed { code, .. } if code == "TURN_CANCELLED"), "{end:?}");
    two.model.answers.lock().unwrap().push_back(text("now I may"));
    let answer = two.sessions.submit(request(vec![user("b")])).await.unwrap();
    assert_eq!(heard(answer).await.0, "now I may");
    assert_eq!(two.messages(id).await, [user("a"), user("b"), said("now I may")]);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_gives_a_turn_up_and_says_something_new_does_not_wait() {
    let world = world([]);
    let given_up = world.sessions.submit(request(vec![user("a")])).await.unwrap();
    while world.model.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(given_up);
    world.model.answers.lock().unwrap().push_back(text("at once"));
    let started = tokio::time::Instant::now();
    let answer = world.sessions.submit(request(vec![user("b")])).await.unwrap();
    assert_eq!(heard(answer).await.0, "at once");
    assert!(started.elapsed() < Duration::from_millis(20), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_result_behind_its_deadline_is_refused_and_a_message_goes_on() {
    let (store, model) = (
        Arc::new(MemoryStore::default()),
        ScriptedModel::new([calls("", &[("a", "look", "{}")]), text("gone on")]),
    );
    let rules = TurnRules { deadline: 0, ..TurnRules::default() };
    let sessions = Sessions::new(SessionsConfig { rules, ..config(&store, &model) });
    heard(sessions.submit(with_tools(vec![user("look")])).await.unwrap()).await;
    for id in ["a", "dummy"] {
        let late = sessions.submit(request(vec![result(id, "look", "late")])).await.unwrap_err();
        assert!(matches!(late.code, "RESULT_DUPLICATE" | "CALL_NOT_OPEN"), "{late:?}");
    }
    let answer = sessions.submit(request(vec![user("go on")])).await.unwrap();
    assert_eq!(heard(answer).await.0, "gone on");
    let closed = &model.asked()[1][2];
    assert!(matches!(closed, Message::Tool { tool_call_id, is_error: true, .. } if tool_call_id == "a"));
}
