//! The connections that are open, what each waits for, and which one gives way when there is no room.
//!
//! Must never close a connection whose request is being answered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Connections beyond the bound that are told that there is no room.
const BEYOND: usize = 32;

/// A connection that has waited for less has not shown that it says nothing.
const YOUNG: Duration = Duration::from_millis(100);

/// The same for one whose body is on its way.
const YOUNG_BODY: Duration = Duration::from_secs(5);

/// How often a connection is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// For a request.
    Idle,
    /// For the rest of a request's head.
    Head,
    /// For the rest of a request's body.
    Receiving,
    /// For nothing: the server works on its answer, or sends it.
    Busy,
}

/// One connection.
pub(super) struct ConnectionState {
    phase: Mutex<(Phase, Instant)>,
    evicted: CancellationToken,
}

impl ConnectionState {
    fn new() -> Self {
        Self { phase: Mutex::new((Phase::Idle, Instant::now())), evicted: CancellationToken::new() }
    }

    /// It waits for something else from now on.
    pub(super) fn enter(&self, phase: Phase) {
        *lock(&self.phase) = (phase, Instant::now());
    }

    /// It waits for something else, if it waited for `before`.
    pub(super) fn leave(&self, before: Phase, phase: Phase) {
        let mut now = lock(&self.phase);
        if now.0 == before {
            *now = (phase, Instant::now());
        }
    }

    /// Cancelled when the connection has to give way.
    pub(super) fn evicted(&self) -> CancellationToken {
        self.evicted.clone()
    }

    /// Resolves once the head or the next request has not come in time.
    pub(super) async fn timed_out(&self, head: Duration, idle: Duration) {
        loop {
            let (phase, since) = *lock(&self.phase);
            let is_late = match phase {
                Phase::Idle => since.elapsed() >= idle,
                Phase::Head => since.elapsed() >= head,
                // The route has a timer of its own for the body.
                Phase::Receiving | Phase::Busy => false,
            };
            if is_late {
                return;
            }
            sleep(LOOK_EVERY.min(head.min(idle) / 2)).await;
        }
    }

    /// How soon it gives way: the one with the greatest rank goes first; `None` for one that stays.
    fn rank(&self) -> Option<(bool, Duration)> {
        let (phase, since) = *lock(&self.phase);
        let waited = since.elapsed();
        match phase {
            _ if self.evicted.is_cancelled() => None,
            Phase::Idle | Phase::Head => (waited >= YOUNG).then_some((true, waited)),
            Phase::Receiving => (waited >= YOUNG_BODY).then_some((false, waited)),
            Phase::Busy => None,
        }
    }
}

/// All connections of a server.
pub(super) struct OpenConnections {
    states: Mutex<Vec<Weak<ConnectionState>>>,
    room: Arc<Semaphore>,
    beyond: Arc<Semaphore>,
}

/// The place of one connection.
pub(super) struct Room {
    pub(super) state: Arc<ConnectionState>,
    /// Kept for as long as its socket.
    pub(super) permit: OwnedSemaphorePermit,
    /// Whether there is no room for its requests.
    pub(super) is_overload: bool,
}

impl OpenConnections {
    pub(super) fn new(connections: usize) -> Self {
        let connections = connections.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            states: Mutex::default(),
            room: Arc::new(Semaphore::new(connections)),
            beyond: Arc::new(Semaphore::new(BEYOND)),
        }
    }

    /// A place for a connection that was accepted: one that is free, else that of one which says nothing, else one beyond the
    /// bound; `None` when there is none of these.
    pub(super) async fn room(&self) -> Option<Room> {
        if let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() {
            return Some(self.enter(permit, false));
        }
        let free = async {
            loop {
                let waits = if self.give_way() { YOUNG } else { YOUNG / 10 };
                if let Ok(permit) = timeout(waits, Arc::clone(&self.room).acquire_owned()).await {
                    return permit.ok();
                }
            }
        };
        if let Ok(Some(permit)) = timeout(YOUNG + YOUNG / 5, free).await {
            return Some(self.enter(permit, false));
        }
        let permit = Arc::clone(&self.beyond).try_acquire_owned().ok()?;
        Some(self.enter(permit, true))
    }

    /// Has the connection go that has said nothing for the longest time; tells whether there is one.
    pub(super) fn give_way(&self) -> bool {
        let states = lock(&self.states);
        let ranked = states.iter().filter_map(Weak::upgrade).filter_map(|state| Some((state.rank()?, state)));
        let Some((_, state)) = ranked.max_by_key(|(rank, _)| *rank) else { return false };
        state.evicted.cancel();
        true
    }

    fn enter(&self, permit: OwnedSemaphorePermit, is_overload: bool) -> Room {
        let state = Arc::new(ConnectionState::new());
        let mut states = lock(&self.states);
        // Only when it would grow: then at least as many are gone as are looked at, or it has doubled.
        if states.len() == states.capacity() {
            states.retain(|state| state.strong_count() > 0);
        }
        states.push(Arc::downgrade(&state));
        Room { state, permit, is_overload }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
