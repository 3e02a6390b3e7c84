//! Sessions as the journal keeps them, and what their logs say of answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engross_journal::{Error, Journal, LogEntry, LogGuard, Machine, NewLog, read_all};
use engross_protocol::SessionId;
use engross_store::{Name, Store};
use serde::{Deserialize, Serialize};

use super::channel::AnswerHandle;
use super::config::SessionsConfig;
use super::error::{RefusalKind, RequestError};
use super::log::{AcceptedRequest, LogEvent};
use super::observe::StoredEntries;
use super::state::SessionState;
use super::turn_state::TurnState;
use crate::codes;

/// All sessions that this process has in memory.
pub(super) type SessionJournal = Journal<SessionState, NewestAnswer>;

/// The right to change a session.
pub(super) type SessionGuard = LogGuard<SessionState>;

/// The lease of the session has run out, so that another server may have it.
pub(super) fn taken_over() -> RequestError {
    let message =
        "the lease of the session has run out, and another server may have it: send the request again";
    RequestError::of(engross_store::codes::STORE_FENCED, message).retry_after(1)
}

/// A background turn of which nothing was stored for so many milliseconds may have lost its process.
pub(super) const PATIENCE: u64 = 60_000;

/// A snapshot as it is stored. Another version is not read: the log is.
#[derive(Serialize, Deserialize)]
pub(super) struct SessionSnapshot<S> {
    pub(super) version: u32,
    pub(super) session: S,
}

const VERSION: u32 = 3;

impl Machine for SessionState {
    type Event = LogEvent;

    fn kind(event: &LogEvent) -> &'static str {
        event.kind()
    }

    fn apply(&mut self, event: &LogEvent, _at: u64) {
        Self::apply(self, event);
    }

    fn wake_at(&self, now: u64) -> Option<u64> {
        Self::wake_at(self, now, PATIENCE)
    }

    fn snapshot(&self) -> Result<Option<Vec<u8>>, serde_json::Error> {
        serde_json::to_vec(&SessionSnapshot { version: VERSION, session: self }).map(Some)
    }

    fn restore(snapshot: &[u8], _seq: u64) -> Option<Self> {
        let snapshot: SessionSnapshot<Self> = serde_json::from_slice(snapshot).ok()?;
        (snapshot.version == VERSION).then_some(snapshot.session)
    }
}

/// The newest answer of a session, running or over.
#[derive(Default)]
pub(super) struct NewestAnswer(Mutex<Option<AnswerHandle>>);

impl NewestAnswer {
    pub(super) fn get(&self) -> Option<AnswerHandle> {
        self.lock().clone()
    }

    pub(super) fn set(&self, answer: AnswerHandle) {
        *self.lock() = Some(answer);
    }

    fn lock(&self) -> MutexGuard<'_, Option<AnswerHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates a session with its first entries; `None` when one of its names is taken by now.
pub(super) async fn create(
    journal: &SessionJournal,
    config: &SessionsConfig,
    new: NewLog,
    events: &[LogEvent],
) -> Result<Option<SessionGuard>, RequestError> {
    let (id, now) = (new.id, new.at);
    let lock = journal.get(id).lock().await;
    let engross_journal::Creation::New(session) = journal.create(lock, new, events).await? else {
        journal.forget(id);
        return Ok(None);
    };
    notify(config, &session, (1, now), events);
    Ok(Some(session))
}

/// Stores entries that the session has taken in already, and notifies the observers. After a failure the session is read
/// anew.
pub(super) async fn append(
    config: &SessionsConfig,
    session: &mut SessionGuard,
    events: &[LogEvent],
    names: Vec<(Name, Vec<u8>)>,
    now: u64,
) -> Result<(), RequestError> {
    let first = session.next_entry();
    session.append(events, names, now).await?;
    notify(config, session, (first, now), events);
    Ok(())
}

/// Stores the first entries of what comes next in a session, with those that were handed on to it. Goes on to its end when its
/// caller goes away. Gives the session and the entries back.
pub(super) async fn append_next(
    config: &Arc<SessionsConfig>,
    journal: &SessionJournal,
    (mut session, events): (SessionGuard, Vec<LogEvent>),
    names: Vec<(Name, Vec<u8>)>,
    now: u64,
) -> Result<(SessionGuard, Vec<LogEvent>), RequestError> {
    let has_carried = session.has_carried();
    let config = Arc::clone(config);
    let appending = async move {
        match append(&config, &mut session, &events, names, now).await {
            Ok(()) => Ok((session, events)),
            Err(error) => {
                session.release().await;
                Err(error)
            }
        }
    };
    if has_carried {
        journal.to_the_end(appending).await.unwrap_or_else(|_| Err(lost()))
    } else {
        appending.await
    }
}

/// Hands a session on to who waits for it, with entries that it has taken in already: they are stored with the first ones of what comes
/// next. Resolves when they are.
pub(super) async fn hand_on(
    config: &Arc<SessionsConfig>,
    journal: &SessionJournal,
    session: SessionGuard,
    events: &Arc<Vec<LogEvent>>,
    now: u64,
) -> Result<(), RequestError> {
    let (id, key) = (session.id(), session.key.clone());
    let (config, stored) = (Arc::clone(config), Arc::clone(events));
    let stored = move |first| notify_of(&config, (id, &key), (first, now), &stored);
    Ok(journal.hand_on(session, events, now, stored).await?)
}

/// Notifies the observers of entries that were stored: the number of the first one, and when.
fn notify(config: &SessionsConfig, session: &SessionGuard, (first, at): (u64, u64), events: &[LogEvent]) {
    notify_of(config, (session.id(), &session.key), (first, at), events);
}

fn notify_of(
    config: &SessionsConfig,
    (session, key): (SessionId, &str),
    (first, at): (u64, u64),
    events: &[LogEvent],
) {
    if events.is_empty() {
        return;
    }
    for observer in &config.observers {
        observer.stored(StoredEntries { session, key, first, at, events });
    }
}

/// The beginning of another answer to what a turn was last asked.
pub(super) fn retake(turn: &TurnState) -> LogEvent {
    LogEvent::Accepted(AcceptedRequest {
        turn: turn.number,
        sent_from: turn.sent_from,
        parameters: turn.parameters.clone(),
        background: turn.background,
        retake: true,
        ..AcceptedRequest::default()
    })
}

/// The number of the answer that begins with these events, which follow the entry `head`.
pub(super) fn answer_of(events: &[LogEvent], head: u64) -> Option<u64> {
    let at = events.iter().position(|event| matches!(event, LogEvent::Accepted(_)))?;
    Some(head + at as u64 + 1)
}

/// The number of the newest answer in a log.
pub(super) fn last_answer(log: &[LogEntry<LogEvent>]) -> Option<u64> {
    let answer = log.iter().rev().find(|entry| matches!(entry.event, LogEvent::Accepted(_)));
    answer.map(|entry| entry.seq)
}

/// The whole log.
pub(super) async fn read_log(
    store: &dyn Store,
    id: SessionId,
) -> Result<Vec<LogEntry<LogEvent>>, RequestError> {
    Ok(read_all::<SessionState>(store, id).await?)
}

/// The answer that stands for the one with this number: itself, or where it was begun anew after its process died.
pub(super) fn standing(log: &[LogEntry<LogEvent>], answer: u64) -> u64 {
    let mut answer = answer;
    while !is_whole(log, answer)
        && let Some(next) =
            log.iter().find(|entry| entry.seq > answer && matches!(entry.event, LogEvent::Accepted(_)))
        && matches!(&next.event, LogEvent::Accepted(accepted) if accepted.retake)
    {
        answer = next.seq;
    }
    answer
}

/// Whether the answer with this number has its end in the log.
pub(super) fn is_whole(log: &[LogEntry<LogEvent>], answer: u64) -> bool {
    let behind = log.iter().filter(|entry| entry.seq > answer).map(|entry| &entry.event);
    behind
        .take_while(|event| !matches!(event, LogEvent::Accepted(_)))
        .any(|event| matches!(event, LogEvent::Suspended { .. } | LogEvent::Ended(_)))
}

impl From<Error> for RequestError {
    fn from(error: Error) -> Self {
        let refused = |code, message: String| Self::new(RefusalKind::Busy, code, message).retry_after(1);
        match error {
            Error::Store(error) => error.into(),
            Error::Damaged { problem } => Self::of(
                codes::SESSION_DAMAGED,
                format!(
                    "the session's log cannot be read ({problem}); a newer version may have written it. Begin a new session"
                ),
            ),
            Error::Unknown => lost(),
            Error::Leased => refused(
                codes::SESSION_BUSY.name,
                "another process works on this session; try again once it has answered".to_owned(),
            ),
            Error::QueueFull { queue } => refused(
                codes::SESSION_BUSY.name,
                format!("{queue} requests wait for this session already; try again once it has answered"),
            ),
        }
    }
}

impl From<engross_store::Error> for RequestError {
    fn from(error: engross_store::Error) -> Self {
        let refused = Self::new(RefusalKind::Unavailable, error.code(), error.to_string());
        match error {
            engross_store::Error::Unavailable { .. } | engross_store::Error::Conflict { .. } => {
                refused.retry_after(1)
            }
            _ => refused,
        }
    }
}

/// A session that was there a moment ago is not.
pub(super) fn lost() -> RequestError {
    RequestError::of(
        codes::SESSION_LOST,
        "the session could not be read back from the store; try again, and look at the server's log if this stays",
    )
}
