//! The world of the random sessions: a clock, a store whose process can die, a model and a tool.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engross_llm::{Error, Event, FinishReason, Model, ModelInfo, Request, ToolCall, ToolSpec};
use engross_protocol::{Clock, SessionId, Timestamp};
use engross_store::{
    Append, Entry, Fence, MemoryStore, Millis, Name, NameRow, NewSession, Pending, SessionSummary, Store,
};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{
    Briefing, BriefingFuture, ServerTool, ToolResult, ToolResultsFuture, ToolRound, Toolbox, ToolboxFuture,
    Toolboxes,
};

/// What the model does when it is asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Plan {
    Text,
    Client,
    Server,
    Both,
    Unknown,
    Cut,
    Refuse,
    Silence,
}

/// The time of the test's own runtime, which passes at once when all wait.
pub(super) struct RuntimeClock(pub(super) Instant);

impl Clock for RuntimeClock {
    fn now(&self) -> Timestamp {
        "2027-01-15T08:00:00Z".parse().unwrap()
    }

    fn millis(&self) -> u64 {
        1_800_000_000_000 + u64::try_from(self.0.elapsed().as_millis()).unwrap()
    }
}

/// A process's way to the store, and its life.
pub(super) struct Life {
    store: Arc<MemoryStore>,
    dead: AtomicBool,
    /// Requests until it dies; negative for never.
    pub(super) left: AtomicI64,
    pub(super) done: AtomicBool,
    /// Whether there is no room for more entries.
    pub(super) full: AtomicBool,
    /// How often entries were appended.
    pub(super) appends: AtomicUsize,
}

impl Life {
    pub(super) fn new(store: &Arc<MemoryStore>) -> Arc<Self> {
        Arc::new(Self {
            store: Arc::clone(store),
            dead: AtomicBool::new(false),
            left: AtomicI64::new(-1),
            done: AtomicBool::new(false),
            full: AtomicBool::new(false),
            appends: AtomicUsize::new(0),
        })
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    fn ask<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&'a MemoryStore) -> Pending<'a, T>,
    ) -> Pending<'a, T> {
        if self.is_dead() {
            return Box::pin(std::future::pending());
        }
        let left = self.left.load(Ordering::SeqCst);
        self.left.store((left - 1).max(-1), Ordering::SeqCst);
        if left != 0 {
            return work(&self.store);
        }
        self.dead.store(true, Ordering::SeqCst);
        if self.done.load(Ordering::SeqCst) {
            // The store in memory has done it by the time it gives its answer, which nobody hears.
            drop(work(&self.store));
        }
        Box::pin(std::future::pending())
    }
}

impl Store for Life {
    fn load(&self, name: &Name) -> Pending<'_, Option<engross_store::Session>> {
        let name = name.clone();
        self.ask(move |store| store.load(&name))
    }

    fn load_by_id(&self, session: SessionId) -> Pending<'_, Option<engross_store::Session>> {
        self.ask(|store| store.load_by_id(session))
    }

    fn create(&self, new: NewSession) -> Pending<'_, (engross_store::Session, bool)> {
        self.ask(|store| store.create(new))
    }

    fn delete(&self, session: SessionId) -> Pending<'_, bool> {
        self.ask(move |store| store.delete(session))
    }

    fn append(&self, append: Append) -> Pending<'_, u64> {
        if self.full.load(Ordering::SeqCst) {
            let place = "the test's disk".to_owned();
            return Box::pin(std::future::ready(Err(engross_store::Error::Full { place })));
        }
        self.appends.fetch_add(1, Ordering::SeqCst);
        self.ask(|store| store.append(append))
    }

    fn entries(&self, session: SessionId, after: u64, limit: usize) -> Pending<'_, Vec<Entry>> {
        self.ask(|store| store.entries(session, after, limit))
    }

    fn lease(
        &self,
        session: SessionId,
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Option<Fence>> {
        let holder = holder.to_owned();
        self.ask(move |store| store.lease(session, &holder, now, ttl))
    }

    fn renew(
        &self,
        leases: &[(SessionId, Fence)],
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Vec<SessionId>> {
        let (leases, holder) = (leases.to_vec(), holder.to_owned());
        self.ask(move |store| store.renew(&leases, &holder, now, ttl))
    }

    fn names(&self, session: SessionId) -> Pending<'_, Vec<(Name, Vec<u8>)>> {
        self.ask(move |store| store.names(session))
    }

    fn release(&self, session: SessionId, fence: Fence) -> Pending<'_, ()> {
        self.ask(|store| store.release(session, fence))
    }

    fn due(&self, until: Millis, limit: usize) -> Pending<'_, Vec<SessionId>> {
        self.ask(|store| store.due(until, limit))
    }

    fn list(
        &self,
        group: Option<&str>,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        self.ask(|store| store.list(group, after, limit))
    }

    fn unchanged(
        &self,
        until: Millis,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        self.ask(|store| store.unchanged(until, after, limit))
    }

    fn delete_idle(&self, sessions: &[(SessionId, u64)], now: Millis) -> Pending<'_, Vec<SessionId>> {
        self.ask(|store| store.delete_idle(sessions, now))
    }

    fn group_size(&self, group: &str) -> Pending<'_, u64> {
        self.ask(|store| store.group_size(group))
    }

    fn size(&self, session: SessionId) -> Pending<'_, u64> {
        self.ask(move |store| store.size(session))
    }

    fn value(&self, name: &Name) -> Pending<'_, Option<NameRow>> {
        let name = name.clone();
        self.ask(move |store| store.value(&name))
    }

    fn healthy(&self) -> Pending<'_, ()> {
        self.ask(|store| store.healthy())
    }

    fn close(&self) -> Pending<'_, ()> {
        self.ask(|store| store.close())
    }
}

/// What all processes of a world share: the model, and what tools have done.
pub(super) struct Outside {
    pub(super) plans: Mutex<VecDeque<Plan>>,
    pub(super) asked: Mutex<Vec<Request>>,
    pub(super) numbers: AtomicU32,
    pub(super) effects: Mutex<Vec<String>>,
}

impl Outside {
    pub(super) fn number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::SeqCst)
    }

    fn call(&self, index: usize, name: &str) -> [Result<Event, Error>; 2] {
        let id = format!("call_{}", self.number());
        let delta = format!("{{\"n\":\"{id}\"}}");
        [
            Ok(Event::ToolCallStart { index, id, name: name.to_owned() }),
            Ok(Event::ToolCallArguments { index, delta }),
        ]
    }
}

/// The model as one process sees it.
pub(super) struct ModelOfProcess(pub(super) Arc<Outside>, pub(super) Arc<Life>);

impl Model for ModelOfProcess {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: "random".to_owned(), language_model: false }
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        if self.1.is_dead() {
            return stream::pending().boxed();
        }
        let outside = &self.0;
        outside.asked.lock().unwrap().push(request);
        let plan = outside.plans.lock().unwrap().pop_front().unwrap_or(Plan::Text);
        let mut pieces = vec![Ok(Event::Text(format!("answer {}", outside.number())))];
        match plan {
            Plan::Text => {}
            Plan::Client => pieces.extend(outside.call(0, "read_document")),
            Plan::Server => pieces.extend(outside.call(0, "apply")),
            Plan::Both => {
                pieces.extend(outside.call(0, "apply"));
                pieces.extend(outside.call(1, "read_document"));
                pieces.extend(outside.call(2, "look"));
            }
            Plan::Unknown => pieces.extend(outside.call(0, "fly")),
            Plan::Cut => {
                pieces.push(Err(Error::Truncated));
                return stream::iter(pieces).boxed();
            }
            Plan::Refuse => {
                let message = "order".to_owned();
                return stream::iter([Err(Error::BadRequest { provider: "p", status: 400, message })])
                    .boxed();
            }
            Plan::Silence => {
                let silence = stream::once(async {
                    sleep(Duration::from_secs(120)).await;
                    Err(Error::Truncated)
                });
                return stream::iter(pieces).chain(silence).boxed();
            }
        }
        pieces.push(Ok(Event::Finish(FinishReason::Stop)));
        stream::iter(pieces).boxed()
    }
}

/// A tool that changes something, and takes its time.
struct Press(Arc<Outside>);

impl Toolbox for Press {
    fn tools(&self) -> Vec<ServerTool> {
        let spec = ToolSpec {
            name: "apply".to_owned(),
            description: String::new(),
            parameters: json!({}),
            strict: None,
        };
        vec![ServerTool { spec, read_only: false }]
    }

    fn briefing(&self) -> BriefingFuture<'_> {
        Box::pin(async { Briefing::default() })
    }

    fn status(&self, _call: &ToolCall) -> String {
        "Pressing".to_owned()
    }

    fn run(&self, round: ToolRound) -> ToolResultsFuture<'_> {
        self.0.effects.lock().unwrap().extend(round.calls.iter().map(|call| call.id.clone()));
        Box::pin(async move {
            sleep(Duration::from_secs(1)).await;
            round.calls.iter().map(|_| ToolResult::text("pressed")).collect()
        })
    }
}

pub(super) struct Presses(pub(super) Arc<Outside>);

impl Toolboxes for Presses {
    fn open<'a>(&'a self, _: &'a str, _workspace: &'a str) -> ToolboxFuture<'a> {
        let press = Arc::new(Press(Arc::clone(&self.0)));
        Box::pin(async move { Ok(press as Arc<dyn Toolbox>) })
    }
}
