//! Which sessions have to be written next.
//!
//! Must never make the one who adds one wait, nor grow without bound: when there are too many, all are looked at.

use std::collections::{HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engross_protocol::SessionId;

/// So many sessions are remembered by name.
const MOST: usize = 65_536;

/// How long after a failure it is tried again.
const PAUSE: Duration = Duration::from_secs(5);

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Write what is new of this session.
    Session(SessionId),
    /// Look at all sessions, from the newest on.
    All,
    /// Go on looking at all sessions.
    More,
    /// Nothing any more.
    Stop,
}

/// The sessions that wait, in the order they came, each once.
#[derive(Debug)]
pub(super) struct Waiting {
    state: Mutex<State>,
    change: Condvar,
    most: usize,
    pause: Duration,
}

#[derive(Debug, Default)]
struct State {
    order: VecDeque<SessionId>,
    known: HashSet<SessionId>,
    all: bool,
    /// Sessions that could not be written, to be tried again at that moment.
    failed: HashSet<SessionId>,
    again: Option<Instant>,
    stopping: bool,
}

impl Default for Waiting {
    fn default() -> Self {
        Self::new(MOST, PAUSE)
    }
}

impl Waiting {
    pub(super) fn new(most: usize, pause: Duration) -> Self {
        Self { state: Mutex::default(), change: Condvar::new(), most, pause }
    }

    /// This session has something new.
    pub(super) fn add(&self, session: SessionId) {
        let mut state = self.lock();
        state.add(session, self.most);
        drop(state);
        self.change.notify_one();
    }

    /// Every session may have something new.
    pub(super) fn add_all(&self) {
        self.lock().all = true;
        self.change.notify_one();
    }

    /// This session could not be written; it comes again after a pause. `true` when it could before.
    pub(super) fn failed(&self, session: SessionId) -> bool {
        let mut state = self.lock();
        state.again.get_or_insert_with(|| Instant::now() + self.pause);
        if state.failed.len() >= self.most {
            // It is found again when all are looked at.
            return false;
        }
        state.failed.insert(session)
    }

    /// This session was written.
    pub(super) fn written(&self, session: SessionId) {
        self.lock().failed.remove(&session);
    }

    /// How many sessions are known to have something new that is not written, or could not be.
    pub(super) fn behind(&self) -> usize {
        let state = self.lock();
        let failed = state.failed.iter().filter(|session| !state.known.contains(session));
        state.known.len() + failed.count()
    }

    /// No more will come.
    pub(super) fn stop(&self) {
        self.lock().stopping = true;
        self.change.notify_one();
    }

    /// Waits for what to do next; `walking` says that not all sessions were looked at yet.
    pub(super) fn next(&self, walking: bool) -> Next {
        let mut state = self.lock();
        loop {
            if let Some(session) = state.order.pop_front() {
                state.known.remove(&session);
                return Next::Session(session);
            }
            if state.stopping {
                return Next::Stop;
            }
            if std::mem::take(&mut state.all) {
                return Next::All;
            }
            if walking {
                return Next::More;
            }
            let left = state.again.map(|again| again.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => {
                    state.try_again(self.most);
                    state
                }
                Some(left) => self.change.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.change.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, session: SessionId, most: usize) {
        if self.known.len() < most {
            if self.known.insert(session) {
                self.order.push_back(session);
            }
        } else if !self.known.contains(&session) {
            self.all = true;
        }
    }

    fn try_again(&mut self, most: usize) {
        self.again = None;
        if self.failed.len() >= most {
            self.all = true;
        }
        let failed: Vec<SessionId> = self.failed.iter().copied().collect();
        for session in failed {
            self.add(session, most);
        }
    }
}
