//! The service: all sessions of a process, and what can be asked of them.
//!
//! Must never call a model before the request is durable, tell of an end before it is durable, or work on one session twice
//! at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engross_journal::{Journal, Options};
use engross_protocol::SessionId;
use engross_store::Name;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::AnswerStream;
use super::channel::{AnswerHandle, Channel};
use super::config::SessionsConfig;
use super::error::RequestError;
use super::log::LogEvent;
use super::names::{key_in, name_of, principal_in};
use super::record::{self, SessionGuard, SessionJournal};
use super::request::SessionName;
use super::toolbox::Toolbox;
use super::turn::TurnTask;
use super::work_queue::{SharedWorkQueue, WorkQueue};
use crate::codes;

/// All sessions of this process. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) config: Arc<SessionsConfig>,
    pub(super) journal: SessionJournal,
    pub(super) draining: CancellationToken,
    pub(super) tasks: TaskTracker,
    running: AtomicUsize,
    /// Requests that wait for their session.
    pub(super) waiting: AtomicUsize,
    /// Turns that ask a model or use tools.
    working: SharedWorkQueue,
}

impl Sessions {
    /// A service without sessions in memory.
    #[must_use]
    pub fn new(config: SessionsConfig) -> Self {
        let working = Arc::new(WorkQueue::new(config.working));
        let tasks = TaskTracker::new();
        let journal = Journal::new(Options {
            holder: config.node.clone(),
            tasks: tasks.clone(),
            ..Options::new(Arc::clone(&config.store), Arc::clone(&config.clock))
        });
        Self {
            inner: Arc::new(Inner {
                config: Arc::new(config),
                journal,
                draining: CancellationToken::new(),
                tasks,
                running: AtomicUsize::new(0),
                waiting: AtomicUsize::new(0),
                working,
            }),
        }
    }

    /// The newest answer of a session, running or over.
    ///
    /// # Errors
    /// When there is no such session, or it has no answer yet.
    pub async fn listen(&self, principal: &str, key: &SessionName) -> Result<AnswerStream, RequestError> {
        let (id, text) = self.known(principal, key).await?;
        let Inner { config, journal, .. } = &*self.inner;
        let loaded = journal.get(id);
        // What is over here may have gone on elsewhere.
        if let Some(newest) =
            loaded.extra.get().filter(|newest| !newest.channel.is_over() || config.node.is_none())
        {
            return Ok(AnswerStream::live(id, text, &newest, false));
        }
        let mut log = record::read_log(journal.store(), id).await?;
        let answer = record::last_answer(&log).ok_or_else(|| unknown(&text))?;
        if !record::is_whole(&log, answer)
            && let Some(lock) = loaded.lock_if_idle()
        {
            // Another server may be at work on it, and be done once the lease is free.
            match journal.open(lock).await {
                Ok(session) => session.release().await,
                Err(engross_journal::Error::Leased) => return self.follow(id, answer).await,
                Err(error) => return Err(error.into()),
            }
            log = record::read_log(journal.store(), id).await?;
        }
        Ok(AnswerStream::recorded(id, &log, answer))
    }

    /// Refuses new requests, and resolves once the running turns are over or suspended, or after `patience`. What runs then
    /// is cancelled in the log.
    pub async fn drain(&self, patience: Duration) {
        self.inner.draining.cancel();
        self.inner.tasks.close();
        if tokio::time::timeout(patience, self.inner.tasks.wait()).await.is_err() {
            for newest in self.inner.journal.loaded().iter().filter_map(|loaded| loaded.extra.get()) {
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

    /// How many requests wait for their session, and how many turns for a place to work.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        (self.inner.waiting.load(Ordering::Relaxed), self.inner.working.waiting())
    }

    /// Begins to work on an answer: its number, and that of the answer it stands for, if it was begun anew. What was noted when
    /// its request was taken in is told first.
    pub(super) fn start(
        &self,
        session: SessionGuard,
        principal: &str,
        (answer, retakes): (u64, Option<u64>),
        created: u64,
        toolbox: Option<Arc<dyn Toolbox>>,
        taken_in: &[LogEvent],
    ) -> AnswerStream {
        let inner = Arc::clone(&self.inner);
        let channel = Arc::new(Channel::default());
        let background = session.turn.as_ref().is_some_and(|turn| turn.background);
        let (id, turn) = (session.id(), session.turns);
        let newest =
            AnswerHandle { answer, retakes, turn, created, background, channel: Arc::clone(&channel) };
        let stream = AnswerStream::live(id, session.key.clone(), &newest, false);
        inner.journal.get(id).extra.set(newest);
        let shared = (Arc::clone(&inner.config), inner.journal.clone());
        let mut task =
            TurnTask::new(shared, principal.to_owned(), channel, Arc::clone(&inner.working), toolbox);
        task.tell(taken_in, &session);
        inner.running.fetch_add(1, Ordering::SeqCst);
        self.inner.tasks.spawn(async move {
            task.run(session).await;
            inner.running.fetch_sub(1, Ordering::SeqCst);
        });
        stream
    }

    /// The session of a key, and the key in its canonical form.
    pub(super) async fn known(
        &self,
        principal: &str,
        key: &SessionName,
    ) -> Result<(SessionId, String), RequestError> {
        let (name, text) = name_of(principal, key)?;
        let id = self.find(&name).await?.ok_or_else(|| unknown(&text))?;
        Ok((id, text))
    }

    /// The session that a name leads to. The id of a session names it, too, for whom it belongs to.
    pub(super) async fn find(&self, name: &Name) -> Result<Option<SessionId>, RequestError> {
        let journal = &self.inner.journal;
        if let Some(row) = journal.remembered(name) {
            return Ok(Some(row.session));
        }
        if let Ok(id) = key_in(name).parse::<SessionId>() {
            let stored = journal.store().load_by_id(id).await?;
            let mine = stored.filter(|stored| principal_in(&stored.key) == principal_in(name));
            return Ok(mine.map(|stored| stored.id));
        }
        Ok(journal.find(name).await?.map(|row| row.session))
    }
}

/// Milliseconds since 1970 as the log has them.
pub(super) fn moment(now: u64) -> i64 {
    i64::try_from(now).unwrap_or(i64::MAX)
}

pub(super) fn unknown(key: &str) -> RequestError {
    RequestError::of(
        codes::SESSION_UNKNOWN,
        format!("there is no session '{key}'; send a first message with a key of your own"),
    )
}
