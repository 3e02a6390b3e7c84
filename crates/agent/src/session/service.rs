//! The service: takes requests in, carries turns out, and lets anyone listen.
//!
//! Must never call a model before the request is durable, tell of an end before it is durable, or work on one session twice
//! at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engross_llm::Message;
use engross_protocol::SessionId;
use engross_store::{Name, NewSession};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::Answering;
use super::channel::{Channel, Newest};
use super::config::SessionsConfig;
use super::error::{RefusalKind, RequestError};
use super::intake::take_in;
use super::live::{self, Live};
use super::log::LogEvent;
use super::request::{SessionKey, TurnRequest};
use super::state::Session;
use super::toolbox::Toolbox;
use super::turn::TurnTask;
use super::{idempotency, lease, record};

/// All sessions of this process. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    inner: Arc<Inner>,
}

struct Inner {
    config: Arc<SessionsConfig>,
    slots: Mutex<HashMap<SessionId, Arc<Slot>>>,
    keys: Mutex<HashMap<String, SessionId>>,
    tasks: TaskTracker,
    draining: CancellationToken,
    running: AtomicUsize,
}

/// A session in memory.
#[derive(Default)]
struct Slot {
    /// The state, and the right to change it. Waiting requests are served in the order they came.
    live: Arc<tokio::sync::Mutex<Option<Live>>>,
    waiting: AtomicUsize,
    /// The newest answer.
    newest: Mutex<Option<Newest>>,
}

/// A request on its way in.
struct Order {
    request: TurnRequest,
    claim: Option<idempotency::Claim>,
    toolbox: Option<Arc<dyn Toolbox>>,
}

/// An answer to be worked on.
struct Work {
    id: SessionId,
    answer: u64,
    /// The answer that this one stands for, if it was begun anew.
    retakes: Option<u64>,
    created: u64,
    key: String,
    toolbox: Option<Arc<dyn Toolbox>>,
}

/// Counts a request for as long as it waits.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// How many sessions are held in memory when nothing happens in them.
const IDLE_SESSIONS: usize = 1024;

impl Sessions {
    /// A service without sessions in memory.
    #[must_use]
    pub fn new(config: SessionsConfig) -> Self {
        Self {
            inner: Arc::new(Inner {
                config: Arc::new(config),
                slots: Mutex::default(),
                keys: Mutex::default(),
                tasks: TaskTracker::new(),
                draining: CancellationToken::new(),
                running: AtomicUsize::new(0),
            }),
        }
    }

    /// Takes a request in. Resolves when it is durable; the answer follows.
    ///
    /// # Errors
    /// When the request is wrong, does not fit its session, or there is too much to do. Nothing of it is stored then.
    pub async fn submit(&self, request: TurnRequest) -> Result<Answering, RequestError> {
        self.submit_with(request, None).await
    }

    /// [`Sessions::submit`] with tools that the server carries out.
    ///
    /// # Errors
    /// As [`Sessions::submit`].
    pub async fn submit_with(
        &self,
        request: TurnRequest,
        toolbox: Option<Arc<dyn Toolbox>>,
    ) -> Result<Answering, RequestError> {
        self.refuse_while_draining()?;
        let order = Order { claim: idempotency::claim(&request)?, request, toolbox };
        if let Some(earlier) = self.earlier(&order).await? {
            return Ok(earlier);
        }
        let key = match &order.request.key {
            Some(key) => Some(name_of(&order.request.principal, key)?),
            None => None,
        };
        let id = match &key {
            Some((name, _)) => self.find(name).await?,
            None => None,
        };
        match (id, key) {
            (Some(id), _) => self.go_on(id, &order).await,
            (None, Some((_, text))) if text.parse::<SessionId>().is_ok() => Err(unknown(&text)),
            (None, Some((name, text))) => self.begin(Some(name), Some(text), &order).await,
            (None, None) => self.begin(None, None, &order).await,
        }
    }

    /// The newest answer of a session, running or over.
    ///
    /// # Errors
    /// When there is no such session, or it has no answer yet.
    pub async fn listen(&self, principal: &str, key: &SessionKey) -> Result<Answering, RequestError> {
        let (name, text) = name_of(principal, key)?;
        let id = self.find(&name).await?.ok_or_else(|| unknown(&text))?;
        let newest = self.slot(id).newest();
        // What is over here may have gone on elsewhere.
        if let Some(newest) =
            newest.filter(|newest| !newest.channel.is_over() || self.inner.config.node.is_none())
        {
            return Ok(Answering::live(id, text, &newest, false));
        }
        let log = record::read_all(&*self.inner.config.store, id).await?;
        let answer = log.iter().rev().find(|recorded| matches!(recorded.event, LogEvent::Accepted(_)));
        let answer = answer.map(|recorded| recorded.seq).ok_or_else(|| unknown(&text))?;
        if !record::is_whole(&log, answer) {
            // Somebody else may be at work on it.
            let fence = lease::take(&self.inner.config, id).await?;
            lease::give_back(&self.inner.config, id, fence).await;
        }
        Ok(Answering::recorded(id, &log, answer))
    }

    /// Refuses new requests, and resolves once the running turns are over or suspended, or after `patience`. What runs then
    /// is cancelled in the log.
    pub async fn drain(&self, patience: Duration) {
        self.inner.draining.cancel();
        self.inner.tasks.close();
        if tokio::time::timeout(patience, self.inner.tasks.wait()).await.is_err() {
            let slots: Vec<Arc<Slot>> = self.slots().values().cloned().collect();
            for slot in slots {
                if let Some(newest) = slot.newest() {
                    newest.channel.cancel();
                }
            }
            self.inner.tasks.wait().await;
        }
    }

    /// Whether requests can be taken in: the store answers, and the server is not about to stop.
    pub async fn failing(&self) -> Vec<&'static str> {
        let mut failing = Vec::new();
        if self.inner.draining.is_cancelled() {
            failing.push("draining");
        }
        if self.inner.config.store.healthy().await.is_err() {
            failing.push("store");
        }
        failing
    }

    /// How many turns run now.
    #[must_use]
    pub fn running(&self) -> usize {
        self.inner.running.load(Ordering::SeqCst)
    }

    fn refuse_while_draining(&self) -> Result<(), RequestError> {
        if self.inner.draining.is_cancelled() {
            return Err(RequestError::new(
                RefusalKind::Unavailable,
                "SERVER_STOPPING",
                "the server is about to stop and takes no new requests; try again in a moment",
            )
            .retry_after(1));
        }
        if self.running() >= self.inner.config.turns {
            return Err(RequestError::new(
                RefusalKind::Busy,
                "SERVER_BUSY",
                format!("{} turns run already, which is as many as may; try again", self.inner.config.turns),
            )
            .retry_after(1));
        }
        Ok(())
    }

    /// A session that does not exist yet, with its first request as one.
    async fn begin(
        &self,
        name: Option<Name>,
        text: Option<String>,
        order: &Order,
    ) -> Result<Answering, RequestError> {
        let config = &self.inner.config;
        let request = &order.request;
        let now = config.clock.millis();
        let id = SessionId::new(&*config.ids, now);
        let key = text.unwrap_or_else(|| format!("agent:main:openai:{id}"));
        let name = match name {
            Some(name) => name,
            None => name_of(&request.principal, &SessionKey::Named(key.clone()))?.0,
        };
        let mut events = vec![LogEvent::Opened { key: key.clone() }];
        let mut session = Session::default();
        events.extend(take_in(&session, request, moment(now))?);
        for event in &events {
            session.apply(event);
        }
        let answer = record::answer_of(&events, 0).ok_or_else(lost)?;
        let names = order.claim.iter().map(|claim| claim.name(answer)).collect();
        let new = NewSession {
            id,
            at: now,
            key: name.clone(),
            names,
            entries: record::entries(&events, now)?,
            snapshot: None,
            wake_at: None,
        };
        let slot = self.slot(id);
        let guard = Arc::clone(&slot.live).lock_owned().await;
        // Nobody else knows the session yet, so the lease is there for the taking behind this.
        let (stored, is_new) = config.store.create(new).await.map_err(|error| record::refusal(&error))?;
        self.remember(&name, stored.id);
        if !is_new {
            // Somebody was faster.
            drop(guard);
            self.forget(id);
            return match self.earlier(order).await? {
                Some(earlier) => Ok(earlier),
                None => self.go_on(stored.id, order).await,
            };
        }
        let mut live = Live::new(session, stored.head);
        live.fence = lease::take(config, id).await?;
        Ok(self.start(
            Work { id, answer, retakes: None, created: now, key, toolbox: order.toolbox.clone() },
            &slot,
            guard,
            live,
        ))
    }

    /// A request for a session that exists.
    async fn go_on(&self, id: SessionId, order: &Order) -> Result<Answering, RequestError> {
        let config = &self.inner.config;
        let slot = &self.slot(id);
        if order.request.messages.iter().any(|message| matches!(message, Message::User { .. }))
            && let Some(newest) = slot.newest()
            && !newest.background
            && !newest.channel.is_heard()
        {
            // Whoever gave the turn up and says something new does not want to wait for it.
            newest.channel.cancel();
        }
        if slot.waiting.fetch_add(1, Ordering::SeqCst) >= config.queue.max(1) {
            slot.waiting.fetch_sub(1, Ordering::SeqCst);
            return Err(RequestError::new(
                RefusalKind::Busy,
                "SESSION_BUSY",
                format!(
                    "{} requests wait for this session already; try again once it has answered",
                    config.queue
                ),
            )
            .retry_after(1));
        }
        let waiting = Waiting(&slot.waiting);
        let mut guard = Arc::clone(&slot.live).lock_owned().await;
        let fence = lease::take(config, id).await?;
        drop(waiting);
        let mut live = match guard.take() {
            Some(live) => live,
            None => live::load(&*config.store, id).await?.ok_or_else(lost)?,
        };
        live.fence = fence;
        let now = config.clock.millis();
        let taken = take_in(&live.session, &order.request, moment(now));
        let events = match taken {
            Ok(events) => events,
            Err(error) => {
                lease::give_back(config, id, fence).await;
                *guard = live.keep_unless_shared(config);
                return Err(error);
            }
        };
        let answer = record::answer_of(&events, live.head).ok_or_else(lost)?;
        let names = order.claim.iter().map(|claim| claim.name(answer)).collect();
        for event in &events {
            live.session.apply(event);
        }
        // After a failure the state in memory is ahead of the log: it is dropped, and read anew next time.
        let stored = live.append(config, id, &events, names, now).await;
        if let Err(error) = stored {
            lease::give_back(config, id, fence).await;
            drop(guard);
            // The same request may have come twice at once.
            return self.earlier(order).await?.ok_or(error);
        }
        let key = live.session.key.clone();
        Ok(self.start(
            Work { id, answer, retakes: None, created: now, key, toolbox: order.toolbox.clone() },
            slot,
            guard,
            live,
        ))
    }

    fn start(
        &self,
        work: Work,
        slot: &Arc<Slot>,
        guard: tokio::sync::OwnedMutexGuard<Option<Live>>,
        live: Live,
    ) -> Answering {
        let Work { id, answer, retakes, created, key, toolbox } = work;
        let turn = live.session.turns;
        let channel = Arc::new(Channel::default());
        let background = live.session.turn.as_ref().is_some_and(|turn| turn.background);
        let newest = Newest { answer, retakes, turn, created, background, channel: Arc::clone(&channel) };
        let answering = Answering::live(id, key, &newest, false);
        slot.set_newest(newest);
        let task = TurnTask::new(Arc::clone(&self.inner.config), id, channel, toolbox);
        let inner = Arc::clone(&self.inner);
        inner.running.fetch_add(1, Ordering::SeqCst);
        self.inner.tasks.spawn(async move {
            task.run(guard, live).await;
            inner.running.fetch_sub(1, Ordering::SeqCst);
        });
        answering
    }

    /// The answer that the same request got before.
    async fn earlier(&self, order: &Order) -> Result<Option<Answering>, RequestError> {
        let Some(claim) = &order.claim else { return Ok(None) };
        let store = &*self.inner.config.store;
        let row = store.value(&claim.name).await.map_err(|error| record::refusal(&error))?;
        let Some(row) = row else { return Ok(None) };
        let (id, claimed) = (row.session, claim.answer(&row.value)?);
        let slot = self.slot(id);
        if let Some(newest) =
            slot.newest().filter(|newest| newest.answer == claimed || newest.retakes == Some(claimed))
        {
            let key = self.key_of(id).await?;
            return Ok(Some(Answering::live(id, key, &newest, true)));
        }
        // Whoever works on the answer holds this.
        let mut guard = Arc::clone(&slot.live).lock_owned().await;
        let log = record::read_all(store, id).await?;
        let answer = record::standing(&log, claimed);
        if record::is_whole(&log, answer) {
            return Ok(Some(Answering::recorded(id, &log, answer)));
        }
        // Its process died, so it is begun anew, under a number of its own: what was told of it before may not be continued
        // with the words of another answer.
        let config = &self.inner.config;
        let fence = lease::take(config, id).await?;
        let mut live = match guard.take() {
            Some(live) => live,
            None => live::load(store, id).await?.ok_or_else(lost)?,
        };
        live.fence = fence;
        let turn = live.session.turn.as_ref().ok_or_else(lost)?;
        let events = [live::retake(turn)];
        let answer = record::answer_of(&events, live.head).ok_or_else(lost)?;
        for event in &events {
            live.session.apply(event);
        }
        let now = config.clock.millis();
        if let Err(error) = live.append(config, id, &events, Vec::new(), now).await {
            lease::give_back(config, id, fence).await;
            return Err(error);
        }
        let key = live.session.key.clone();
        let work =
            Work { id, answer, retakes: Some(claimed), created: now, key, toolbox: order.toolbox.clone() };
        Ok(Some(self.start(work, &slot, guard, live)))
    }

    async fn key_of(&self, id: SessionId) -> Result<String, RequestError> {
        let stored = self.inner.config.store.load_by_id(id).await;
        let stored = stored.map_err(|error| record::refusal(&error))?.ok_or_else(lost)?;
        Ok(key_in(&stored.key))
    }

    /// The session that a name leads to. The id of a session names it, too, for whom it belongs to.
    async fn find(&self, name: &Name) -> Result<Option<SessionId>, RequestError> {
        if let Some(id) = self.keys().get(name.as_str()) {
            return Ok(Some(*id));
        }
        if let Ok(id) = key_in(name).parse::<SessionId>() {
            let stored = self.inner.config.store.load_by_id(id).await;
            let stored = stored.map_err(|error| record::refusal(&error))?;
            let mine = stored.filter(|stored| principal_in(&stored.key) == principal_in(name));
            return Ok(mine.map(|stored| stored.id));
        }
        let row = self.inner.config.store.value(name).await.map_err(|error| record::refusal(&error))?;
        let id = row.map(|row| row.session);
        if let Some(id) = id {
            self.remember(name, id);
        }
        Ok(id)
    }

    fn remember(&self, name: &Name, id: SessionId) {
        let mut keys = self.keys();
        if keys.len() >= IDLE_SESSIONS * 8 {
            keys.clear();
        }
        keys.insert(name.as_str().to_owned(), id);
    }

    fn slot(&self, id: SessionId) -> Arc<Slot> {
        let mut slots = self.slots();
        if slots.len() > IDLE_SESSIONS && !slots.contains_key(&id) {
            // Whoever works on a session or hears its answer holds its slot or its channel.
            slots.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.live.try_lock().is_err());
        }
        Arc::clone(slots.entry(id).or_default())
    }

    fn forget(&self, id: SessionId) {
        self.slots().remove(&id);
    }

    fn slots(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<Slot>>> {
        self.inner.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keys(&self) -> std::sync::MutexGuard<'_, HashMap<String, SessionId>> {
        self.inner.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn newest(&self) -> Option<Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_newest(&self, newest: Newest) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(newest);
    }
}

/// The name in the store of a session's key, and the key itself. Keys of different principals never meet.
fn name_of(principal: &str, key: &SessionKey) -> Result<(Name, String), RequestError> {
    let text = match key {
        SessionKey::Named(text) => text.clone(),
        SessionKey::User(user) => format!("agent:main:openai-user:{user}"),
    };
    let name = Name::new(format!("key\u{1}{principal}\u{1}{text}"));
    let name = name.map_err(|error| {
        RequestError::new(
            RefusalKind::Invalid,
            "SESSION_KEY_INVALID",
            format!("the session key cannot be used: {error}"),
        )
    })?;
    Ok((name, text))
}

/// The key that a name was made from.
fn key_in(name: &Name) -> String {
    name.as_str().rsplit('\u{1}').next().unwrap_or_default().to_owned()
}

/// Whom a name belongs to.
fn principal_in(name: &Name) -> &str {
    name.as_str().split('\u{1}').nth(1).unwrap_or_default()
}

/// Milliseconds since 1970 as the log has them.
fn moment(now: u64) -> i64 {
    i64::try_from(now).unwrap_or(i64::MAX)
}

fn unknown(key: &str) -> RequestError {
    RequestError::new(
        RefusalKind::NotFound,
        "SESSION_UNKNOWN",
        format!("there is no session '{key}'; send a first message with a key of your own"),
    )
}

/// A session that was there a moment ago is not.
fn lost() -> RequestError {
    RequestError::new(
        RefusalKind::Unavailable,
        "SESSION_LOST",
        "the session could not be read back from the store; try again, and look at the server's log if this stays",
    )
}
