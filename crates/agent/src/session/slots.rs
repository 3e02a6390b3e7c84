//! The sessions that this process has in memory, and who works on which.
//!
//! Must never hand one session out twice, or forget one that somebody works on.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engross_protocol::SessionId;
use engross_store::Name;
use tokio::sync::OwnedMutexGuard;

use super::channel::Newest;
use super::error::{RefusalKind, RequestError};
use super::live::Live;

/// How many sessions are held in memory when nothing happens in them.
const IDLE_SESSIONS: usize = 1024;

/// How many keys are remembered, so that the store need not be asked for them.
const KNOWN_KEYS: usize = 8 * IDLE_SESSIONS;

/// All sessions in memory.
#[derive(Default)]
pub(super) struct Slots {
    slots: Mutex<HashMap<SessionId, Arc<Slot>>>,
    keys: Mutex<HashMap<String, SessionId>>,
}

/// A session in memory.
#[derive(Default)]
pub(super) struct Slot {
    /// The state, and the right to change it. Waiting requests are served in the order they came.
    live: Arc<tokio::sync::Mutex<Option<Live>>>,
    waiting: AtomicUsize,
    /// The newest answer.
    newest: Mutex<Option<Newest>>,
}

/// The right to change a session.
pub(super) type Held = OwnedMutexGuard<Option<Live>>;

/// Counts a request for as long as it waits.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Slots {
    /// The slot of a session.
    pub(super) fn slot(&self, id: SessionId) -> Arc<Slot> {
        let mut slots = lock(&self.slots);
        if slots.len() > IDLE_SESSIONS && !slots.contains_key(&id) {
            // Whoever works on a session holds its slot or its state; whoever hears an answer holds its channel.
            let mut spare = slots.len() - IDLE_SESSIONS / 2;
            slots.retain(|_, slot| {
                let stays = spare == 0 || Arc::strong_count(slot) > 1 || slot.live.try_lock().is_err();
                spare -= usize::from(!stays);
                stays
            });
        }
        Arc::clone(slots.entry(id).or_default())
    }

    /// Forgets a session that came to nothing.
    pub(super) fn forget(&self, id: SessionId) {
        lock(&self.slots).remove(&id);
    }

    /// The answers that run or ran last.
    pub(super) fn newest(&self) -> Vec<Newest> {
        lock(&self.slots).values().filter_map(|slot| slot.newest()).collect()
    }

    /// The session of a name, if it is remembered.
    pub(super) fn known(&self, name: &Name) -> Option<SessionId> {
        lock(&self.keys).get(name.as_str()).copied()
    }

    /// Remembers the session of a name.
    pub(super) fn remember(&self, name: &Name, id: SessionId) {
        let mut keys = lock(&self.keys);
        if keys.len() >= KNOWN_KEYS {
            let mut spare = KNOWN_KEYS / 2;
            keys.retain(|_, _| {
                spare = spare.saturating_sub(1);
                spare == 0
            });
        }
        keys.insert(name.as_str().to_owned(), id);
    }
}

impl Slot {
    /// The newest answer.
    pub(super) fn newest(&self) -> Option<Newest> {
        lock(&self.newest).clone()
    }

    /// Another answer is the newest now.
    pub(super) fn set_newest(&self, newest: Newest) {
        *lock(&self.newest) = Some(newest);
    }

    /// Waits for the right to change the session, behind at most `queue` others.
    pub(super) async fn wait(&self, queue: usize) -> Result<Held, RequestError> {
        if self.waiting.fetch_add(1, Ordering::SeqCst) >= queue.max(1) {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            return Err(RequestError::new(
                RefusalKind::Busy,
                "SESSION_BUSY",
                format!("{queue} requests wait for this session already; try again once it has answered"),
            )
            .retry_after(1));
        }
        let _waiting = Waiting(&self.waiting);
        Ok(self.hold().await)
    }

    /// Waits for the right to change the session.
    pub(super) async fn hold(&self) -> Held {
        Arc::clone(&self.live).lock_owned().await
    }

    /// The right to change the session, if nobody has it.
    pub(super) fn hold_if_idle(&self) -> Option<Held> {
        Arc::clone(&self.live).try_lock_owned().ok()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panicked has left the maps whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
