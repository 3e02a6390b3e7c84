//! The service: all sessions of a process, and what can be asked of them.
//!
//! Must never call a model before the request is durable, tell of an end before it is durable, or work on one session twice
//! at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engross_protocol::SessionId;
use engross_store::Name;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::Answering;
use super::channel::{Channel, Newest};
use super::config::SessionsConfig;
use super::error::{RefusalKind, RequestError};
use super::live::Live;
use super::log::LogEvent;
use super::names::{key_in, name_of, principal_in};
use super::request::SessionKey;
use super::slots::{Held, Slot, Slots};
use super::toolbox::Toolbox;
use super::turn::TurnTask;
use super::{lease, record};

/// All sessions of this process. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) config: Arc<SessionsConfig>,
    pub(super) slots: Slots,
    pub(super) draining: CancellationToken,
    tasks: TaskTracker,
    running: AtomicUsize,
    /// Turns that ask a model or use tools. First come, first served, and a session has one turn: no session waits for
    /// another's next.
    working: Arc<Semaphore>,
}

/// An answer to be worked on.
pub(super) struct Work {
    pub(super) id: SessionId,
    pub(super) answer: u64,
    /// The answer that this one stands for, if it was begun anew.
    pub(super) retakes: Option<u64>,
    pub(super) created: u64,
    pub(super) key: String,
    pub(super) toolbox: Option<Arc<dyn Toolbox>>,
}

impl Sessions {
    /// A service without sessions in memory.
    #[must_use]
    pub fn new(config: SessionsConfig) -> Self {
        let working = Arc::new(Semaphore::new(config.working.clamp(1, Semaphore::MAX_PERMITS)));
        Self {
            inner: Arc::new(Inner {
                config: Arc::new(config),
                slots: Slots::default(),
                draining: CancellationToken::new(),
                tasks: TaskTracker::new(),
                running: AtomicUsize::new(0),
                working,
            }),
        }
    }

    /// The newest answer of a session, running or over.
    ///
    /// # Errors
    /// When there is no such session, or it has no answer yet.
    pub async fn listen(&self, principal: &str, key: &SessionKey) -> Result<Answering, RequestError> {
        let (id, text) = self.known(principal, key).await?;
        let newest = self.inner.slots.slot(id).newest();
        // What is over here may have gone on elsewhere.
        if let Some(newest) =
            newest.filter(|newest| !newest.channel.is_over() || self.inner.config.node.is_none())
        {
            return Ok(Answering::live(id, text, &newest, false));
        }
        let mut log = record::read_all(&*self.inner.config.store, id).await?;
        let answer = log.iter().rev().find(|recorded| matches!(recorded.event, LogEvent::Accepted(_)));
        let answer = answer.map(|recorded| recorded.seq).ok_or_else(|| unknown(&text))?;
        if !record::is_whole(&log, answer) {
            // Somebody else may be at work on it, and be done once the lease is free.
            let fence = lease::take(&self.inner.config, id).await?;
            lease::give_back(&self.inner.config, id, fence).await;
            log = record::read_all(&*self.inner.config.store, id).await?;
        }
        Ok(Answering::recorded(id, &log, answer))
    }

    /// Refuses new requests, and resolves once the running turns are over or suspended, or after `patience`. What runs then
    /// is cancelled in the log.
    pub async fn drain(&self, patience: Duration) {
        self.inner.draining.cancel();
        self.inner.tasks.close();
        if tokio::time::timeout(patience, self.inner.tasks.wait()).await.is_err() {
            for newest in self.inner.slots.newest() {
                newest.channel.cancel();
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

    /// How many turns are under way now.
    #[must_use]
    pub fn running(&self) -> usize {
        self.inner.running.load(Ordering::SeqCst)
    }

    /// Begins to work on an answer.
    pub(super) fn start(&self, work: Work, slot: &Slot, held: Held, live: Live) -> Answering {
        let Work { id, answer, retakes, created, key, toolbox } = work;
        let turn = live.session.turns;
        let channel = Arc::new(Channel::default());
        let background = live.session.turn.as_ref().is_some_and(|turn| turn.background);
        let newest = Newest { answer, retakes, turn, created, background, channel: Arc::clone(&channel) };
        let answering = Answering::live(id, key, &newest, false);
        slot.set_newest(newest);
        let config = Arc::clone(&self.inner.config);
        let task = TurnTask::new(config, id, channel, Arc::clone(&self.inner.working), toolbox);
        let inner = Arc::clone(&self.inner);
        inner.running.fetch_add(1, Ordering::SeqCst);
        self.inner.tasks.spawn(async move {
            task.run(held, live).await;
            inner.running.fetch_sub(1, Ordering::SeqCst);
        });
        answering
    }

    /// The session of a key, and the key in its canonical form.
    pub(super) async fn known(
        &self,
        principal: &str,
        key: &SessionKey,
    ) -> Result<(SessionId, String), RequestError> {
        let (name, text) = name_of(principal, key)?;
        let id = self.find(&name).await?.ok_or_else(|| unknown(&text))?;
        Ok((id, text))
    }

    /// The session that a name leads to. The id of a session names it, too, for whom it belongs to.
    pub(super) async fn find(&self, name: &Name) -> Result<Option<SessionId>, RequestError> {
        let Inner { config, slots, .. } = &*self.inner;
        if let Some(id) = slots.known(name) {
            return Ok(Some(id));
        }
        if let Ok(id) = key_in(name).parse::<SessionId>() {
            let stored = config.store.load_by_id(id).await;
            let stored = stored.map_err(|error| record::refusal(&error))?;
            let mine = stored.filter(|stored| principal_in(&stored.key) == principal_in(name));
            return Ok(mine.map(|stored| stored.id));
        }
        let row = config.store.value(name).await.map_err(|error| record::refusal(&error))?;
        let id = row.map(|row| row.session);
        if let Some(id) = id {
            slots.remember(name, id);
        }
        Ok(id)
    }
}

/// Milliseconds since 1970 as the log has them.
pub(super) fn moment(now: u64) -> i64 {
    i64::try_from(now).unwrap_or(i64::MAX)
}

pub(super) fn unknown(key: &str) -> RequestError {
    RequestError::new(
        RefusalKind::NotFound,
        "SESSION_UNKNOWN",
        format!("there is no session '{key}'; send a first message with a key of your own"),
    )
}

/// A session that was there a moment ago is not.
pub(super) fn lost() -> RequestError {
    RequestError::new(
        RefusalKind::Unavailable,
        "SESSION_LOST",
        "the session could not be read back from the store; try again, and look at the server's log if this stays",
    )
}
