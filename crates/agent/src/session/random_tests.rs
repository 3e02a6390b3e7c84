//! Random requests, results, cancels, departures and deaths of processes against the rules that hold of every session, through
//! the real service: on one process after another, or on two at once that share a store.
//!
//! A process dies at a random request to its store, before or after that is done, and everything of it stops there: a
//! SIGKILL. `ENGROSS_RANDOM_SESSIONS` says how many sessions are tried.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engross_llm::Message;
use engross_protocol::{CountingIds, SessionId};
use engross_store::MemoryStore;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::time::{Instant, sleep, timeout};

use super::event::{AnswerFinish, PositionedEvent, TurnEvent};
use super::log::{LogEvent, ResultSource};
use super::random_support::{Life, ModelOfProcess, Outside, Plan, Presses, RuntimeClock};
use super::service_support::{load, request, result, tool, user};
use super::{AnswerStream, Models, SessionName, Sessions, SessionsConfig, TurnRequest, TurnRules, record};

/// The result of a call that the client does not name.
const DUMMY: &str = "the result of the only call of this tool";

#[derive(Debug, Clone, Copy)]
enum Op {
    /// The person says something new.
    Say { background: bool },
    /// The same with the whole conversation before it.
    SayAll,
    /// The same behind a conversation whose end is left out.
    Diverge,
    /// Results for the calls that the client was given last: all or the first, with their ids or a made-up one.
    Results { all: bool, dummy: bool },
    /// A result that nobody waits for.
    Stray,
    /// The last request once more, with its idempotency key.
    Repeat,
    /// The person says something and goes away at once.
    Leave,
    /// Somebody stops the turn.
    Cancel,
    /// The process dies so many requests to its store from now, perhaps with the last one done.
    Die { within: u8, done: bool },
    /// Time passes, and sessions that wait are looked after.
    Wait { minutes: u8 },
    /// From now on the client speaks to the other process.
    Switch,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        5 => prop::bool::weighted(0.2).prop_map(|background| Op::Say { background }),
        2 => Just(Op::SayAll),
        1 => Just(Op::Diverge),
        5 => (any::<bool>(), any::<bool>()).prop_map(|(all, dummy)| Op::Results { all, dummy }),
        1 => Just(Op::Stray),
        2 => Just(Op::Repeat),
        1 => Just(Op::Leave),
        1 => Just(Op::Cancel),
        3 => (0u8..12, any::<bool>()).prop_map(|(within, done)| Op::Die { within, done }),
        1 => (0u8..40).prop_map(|minutes| Op::Wait { minutes }),
        1 => Just(Op::Switch),
    ];
    prop::collection::vec(op, 1..16)
}

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let plan = prop_oneof![
        3 => Just(Plan::Text),
        3 => Just(Plan::Client),
        3 => Just(Plan::Server),
        2 => Just(Plan::Both),
        1 => Just(Plan::Unknown),
        1 => Just(Plan::Cut),
        1 => Just(Plan::Refuse),
        1 => Just(Plan::Silence),
    ];
    prop::collection::vec(plan, 0..24)
}

struct Process {
    sessions: Sessions,
    life: Arc<Life>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The server said that it has it.
    Taken,
    /// The server said that it has it not.
    Refused,
    /// The server said nothing before it died.
    Unknown,
}

/// What a client heard of an answer.
#[derive(Debug, Clone, PartialEq)]
struct HeardAnswer {
    text: String,
    calls: Vec<(String, String)>,
    end: Option<TurnEvent>,
}

struct World {
    outside: Arc<Outside>,
    store: Arc<MemoryStore>,
    clock: Arc<RuntimeClock>,
    ids: Arc<CountingIds>,
    processes: Vec<Process>,
    started: u32,
    at: usize,
    session: Option<SessionId>,
    /// What became of each text that the person said.
    fates: HashMap<String, Fate>,
    /// The last request, its text, and its answer if that was whole.
    last: Option<(TurnRequest, String, Option<HeardAnswer>)>,
    open: Vec<(String, String)>,
    /// Whole answers that the client was given.
    successes: Vec<HeardAnswer>,
}

impl World {
    fn new(plans: Vec<Plan>, shared: bool) -> Self {
        let outside = Outside {
            plans: Mutex::new(plans.into()),
            asked: Mutex::default(),
            numbers: AtomicU32::new(0),
            effects: Mutex::default(),
        };
        let mut world = Self {
            outside: Arc::new(outside),
            store: Arc::new(MemoryStore::new()),
            clock: Arc::new(RuntimeClock(Instant::now())),
            ids: Arc::new(CountingIds::default()),
            processes: Vec::new(),
            started: 0,
            at: 0,
            session: None,
            fates: HashMap::new(),
            last: None,
            open: Vec::new(),
            successes: Vec::new(),
        };
        for _ in 0..=usize::from(shared) {
            let process = world.process(shared);
            world.processes.push(process);
        }
        world
    }

    fn process(&mut self, shared: bool) -> Process {
        self.started += 1;
        let life = Life::new(&self.store);
        let sessions = Sessions::new(SessionsConfig {
            store: Arc::<Life>::clone(&life),
            models: Models::one(Arc::new(ModelOfProcess(Arc::clone(&self.outside), Arc::clone(&life)))),
            rules: TurnRules::default(),
            settings: super::Settings::default(),
            client_tools: Vec::new(),
            toolboxes: Arc::new(Presses(Arc::clone(&self.outside))),
            observers: Vec::new(),
            grace: Duration::from_secs(30),
            queue: 4,
            turns: 100,
            working: 8,
            node: shared.then(|| format!("node {}", self.started)),
            clock: Arc::<RuntimeClock>::clone(&self.clock),
            ids: Arc::<CountingIds>::clone(&self.ids),
        });
        Process { sessions, life }
    }

    fn sessions(&self) -> Sessions {
        self.processes[self.at].sessions.clone()
    }

    /// Starts anew what has died.
    fn revive(&mut self) {
        let shared = self.processes.len() > 1;
        for at in 0..self.processes.len() {
            if self.processes[at].life.is_dead() {
                self.processes[at] = self.process(shared);
            }
        }
    }

    fn text(&self) -> String {
        format!("text {}", self.outside.number())
    }

    /// Sends a request that says `text`, if it says anything new, and listens to the answer unless the client `leaves`.
    async fn send(&mut self, request: TurnRequest, text: &str, leaves: bool) {
        let sessions = self.sessions();
        let submitted = timeout(Duration::from_secs(3600), sessions.submit(request.clone())).await;
        let fate = match &submitted {
            Ok(Ok(_)) => Fate::Taken,
            Ok(Err(error)) => {
                assert_ne!(error.code, "SESSION_LOST", "{error:?}");
                Fate::Refused
            }
            Err(_) => Fate::Unknown,
        };
        assert!(
            fate != Fate::Unknown || self.processes[self.at].life.is_dead(),
            "a live server leaves a request without an answer"
        );
        if !text.is_empty() {
            let known = self.fates.entry(text.to_owned()).or_insert(fate);
            // Once taken, a text stays so; whether an unknown one was is not told by a refusal.
            if *known != Fate::Taken && fate == Fate::Taken {
                *known = fate;
            }
        }
        let mut whole = None;
        if let Ok(Ok(answer)) = submitted {
            self.session = Some(answer.session);
            if !leaves {
                let heard = self.listen(answer).await;
                if matches!(heard.end, Some(TurnEvent::Done { .. })) {
                    self.open.clone_from(&heard.calls);
                    self.successes.push(heard.clone());
                    whole = Some(heard);
                }
            }
        }
        self.last = Some((request, text.to_owned(), whole));
    }

    async fn listen(&self, mut answer: AnswerStream) -> HeardAnswer {
        let mut heard = HeardAnswer { text: String::new(), calls: Vec::new(), end: None };
        let hear = async {
            while let Some(PositionedEvent { event, .. }) = answer.next().await {
                match event {
                    TurnEvent::Text(delta) => heard.text.push_str(&delta),
                    TurnEvent::Call { id, name, .. } => heard.calls.push((id, name)),
                    TurnEvent::Status { .. } | TurnEvent::Warning { .. } => {}
                    end => heard.end = Some(end),
                }
            }
        };
        // A client that waits for too long goes away.
        let _ = timeout(Duration::from_secs(60), hear).await;
        heard
    }

    fn request(&self, messages: Vec<Message>) -> TurnRequest {
        TurnRequest {
            tools: Some(vec![tool("read_document"), tool("look")]),
            workspace: Some("press".to_owned()),
            idempotency_key: Some(format!("once {}", self.outside.number())),
            ..request(messages)
        }
    }

    /// The conversation as the client may read it, when no turn is under way.
    async fn conversation(&self) -> Option<Vec<Message>> {
        let sessions = self.sessions();
        let key = SessionName::Named("doc".to_owned());
        let view = timeout(Duration::from_secs(60), sessions.get("", &key)).await.ok()?.ok()?;
        view.session.turn.is_none().then_some(view.session.messages)
    }

    async fn run(&mut self, op: Op) {
        match op {
            Op::Say { background } => {
                let text = self.text();
                let request = TurnRequest { background, ..self.request(vec![user(&text)]) };
                self.send(request, &text, false).await;
            }
            Op::Leave => {
                let text = self.text();
                self.send(self.request(vec![user(&text)]), &text, true).await;
            }
            Op::SayAll | Op::Diverge => {
                if let Some(mut messages) = self.conversation().await {
                    if matches!(op, Op::Diverge) {
                        let half = messages.len() / 2;
                        let turns = (1..=half).rev().find(|at| matches!(messages[*at], Message::User { .. }));
                        messages.truncate(turns.unwrap_or(0));
                        // Without words of the model it would be no history, but several new messages.
                        if !messages.iter().any(|message| matches!(message, Message::Assistant { .. })) {
                            return;
                        }
                    }
                    let text = self.text();
                    messages.push(user(&text));
                    self.send(self.request(messages), &text, false).await;
                }
            }
            Op::Results { all, dummy } => {
                let count = if all { self.open.len() } else { 1.min(self.open.len()) };
                let id_of = |id: &str| if dummy { "dummy".to_owned() } else { id.to_owned() };
                let of = |id: &str| if dummy { DUMMY.to_owned() } else { format!("result of {id}") };
                let results: Vec<Message> =
                    self.open[..count].iter().map(|(id, name)| result(&id_of(id), name, &of(id))).collect();
                if !results.is_empty() {
                    self.send(self.request(results), "", false).await;
                }
            }
            Op::Stray => self.send(self.request(vec![result("stray", "fly", "?")]), "", false).await,
            Op::Repeat => {
                if let Some((request, text, whole)) = self.last.clone() {
                    // A turn that is under way asks on its own account.
                    let rests = self.processes.iter().all(|process| process.sessions.running() == 0);
                    let before = self.outside.asked.lock().unwrap().len();
                    self.send(request, &text, false).await;
                    let again = self.last.as_ref().and_then(|(_, _, whole)| whole.clone());
                    if let (Some(first), Some(again)) = (whole, again) {
                        assert_eq!(first, again, "the same request has the same answer");
                        let after = self.outside.asked.lock().unwrap().len();
                        assert!(!rests || before == after, "and no model is asked");
                    }
                }
            }
            Op::Cancel => {
                let sessions = self.sessions();
                let key = SessionName::Named("doc".to_owned());
                let _ = timeout(Duration::from_secs(60), sessions.cancel("", &key)).await;
            }
            Op::Die { within, done } => {
                let life = &self.processes[self.at].life;
                life.done.store(done, Ordering::SeqCst);
                life.left.store(i64::from(within), Ordering::SeqCst);
            }
            Op::Wait { minutes } => {
                sleep(Duration::from_secs(60 * u64::from(minutes))).await;
                let sessions = self.sessions();
                let _ = timeout(Duration::from_secs(60), sessions.look_after_all()).await;
            }
            Op::Switch => self.at = (self.at + 1) % self.processes.len(),
        }
        self.revive();
        self.check().await;
    }

    async fn check(&self) {
        let effects = self.outside.effects.lock().unwrap().clone();
        let unique: HashSet<&String> = effects.iter().collect();
        assert_eq!(unique.len(), effects.len(), "nothing is changed twice for one call");
        for request in &*self.outside.asked.lock().unwrap() {
            super::machine_tests::assert_paired(request);
        }
        let Some(id) = self.session else { return };
        let log: Vec<LogEvent> = record::read_log(&*self.store, id)
            .await
            .unwrap()
            .into_iter()
            .map(|recorded| recorded.event)
            .collect();
        let mut said: HashMap<&str, u32> = HashMap::new();
        let mut results: HashMap<&str, u32> = HashMap::new();
        let mut answers: HashSet<&str> = HashSet::new();
        let mut called: HashSet<&str> = HashSet::new();
        for event in &log {
            match event {
                LogEvent::Accepted(accepted) => {
                    for message in &accepted.messages {
                        if let Message::User { content, .. } = message {
                            *said.entry(content).or_default() += 1;
                        }
                    }
                }
                LogEvent::Answered { text, calls, .. } => {
                    answers.insert(text);
                    called.extend(calls.iter().map(|call| call.call.id.as_str()));
                }
                LogEvent::Resulted { id, content, from, .. } => {
                    *results.entry(id).or_default() += 1;
                    let is_its_own = *content == format!("result of {id}") || content == DUMMY;
                    assert!(*from != ResultSource::Client || is_its_own, "{content} for {id}");
                }
                _ => {}
            }
        }
        for (text, fate) in &self.fates {
            let times = said.get(text.as_str()).copied().unwrap_or(0);
            match fate {
                Fate::Taken => assert_eq!(times, 1, "{text} was taken: {log:?}"),
                Fate::Refused => assert_eq!(times, 0, "{text} was refused: {log:?}"),
                Fate::Unknown => assert!(times <= 1, "{text}: {log:?}"),
            }
        }
        assert!(results.values().all(|times| *times == 1), "a call has one result: {log:?}");
        for heard in &self.successes {
            let last = heard.text.rsplit("\n\n").next().unwrap_or_default();
            assert!(
                last.is_empty() || answers.iter().any(|text| text.ends_with(last)),
                "{last} is not in the log"
            );
            assert!(heard.calls.iter().all(|(id, _)| called.contains(id.as_str())), "{:?}", heard.calls);
        }
        let session = load(&*self.store, id).await;
        let open = session.turn.as_ref().map_or(0, |turn| turn.calls.len());
        assert_eq!(
            called.len(),
            results.len() + open - resulted(&session),
            "every call has a result or is open"
        );
        let mut users = session.messages.iter().filter_map(|message| match message {
            Message::User { content, .. } => Some(content),
            _ => None,
        });
        let mut seen = HashSet::new();
        assert!(users.all(|text| seen.insert(text)), "a message is in the conversation once");
    }

    /// Whatever happened, a new message is answered, and by any process.
    async fn end(&mut self) {
        self.outside.plans.lock().unwrap().clear();
        for process in &self.processes {
            process.life.left.store(-1, Ordering::SeqCst);
        }
        // So long the lease of a dead process may hold, and a provider be silent.
        sleep(Duration::from_secs(180)).await;
        for at in 0..self.processes.len() {
            self.at = at;
            let text = self.text();
            self.send(self.request(vec![user(&text)]), &text, false).await;
            let (_, _, whole) = self.last.clone().unwrap();
            let whole = whole.expect("a new message is answered");
            assert!(
                matches!(whole.end, Some(TurnEvent::Done { finish: AnswerFinish::Stop, .. })),
                "{whole:?}"
            );
            self.check().await;
        }
    }
}

/// Calls of the open turn that have their result already.
fn resulted(session: &super::SessionState) -> usize {
    session.turn.iter().flat_map(|turn| &turn.calls).filter(|call| call.result.is_some()).count()
}

#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
fn sessions_to_try() -> u32 {
    std::env::var("ENGROSS_RANDOM_SESSIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(400)
}

#[test]
fn random_sessions_hold() {
    let sessions = sessions_to_try();
    let config = ProptestConfig { cases: sessions, failure_persistence: None, ..ProptestConfig::default() };
    let (died, asked, pressed) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    let outcome = TestRunner::new(config).run(&(ops(), plans(), any::<bool>()), |(ops, plans, shared)| {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut world = World::new(plans, shared);
            for op in ops {
                world.run(op).await;
            }
            world.end().await;
            let count = |counter: &AtomicU32, more: usize| {
                counter.fetch_add(u32::try_from(more).unwrap(), Ordering::Relaxed)
            };
            count(&died, world.started as usize - world.processes.len());
            count(&asked, world.outside.asked.lock().unwrap().len());
            count(&pressed, world.outside.effects.lock().unwrap().len());
        });
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    println!(
        "{sessions} sessions, {} deaths of a process, {} model calls, {} changes by tools",
        died.into_inner(),
        asked.into_inner(),
        pressed.into_inner()
    );
}
