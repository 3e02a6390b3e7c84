//! One answer on its way to its listeners, who come and go.
//!
//! Must never lose an event or keep a listener waiting after the end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::event::{Placed, TurnEvent};

/// All that happened in an answer so far.
#[derive(Debug, Default)]
pub(crate) struct Channel {
    events: Mutex<EventBuffer>,
    changed: Notify,
    listeners: AtomicUsize,
    left: Notify,
    cancelled: CancellationToken,
}

#[derive(Debug, Default)]
struct EventBuffer {
    events: Vec<Placed>,
    over: bool,
    lost: bool,
}

impl Channel {
    pub(crate) fn tell(&self, told: impl IntoIterator<Item = Placed>) {
        let mut heard = self.lock();
        for placed in told {
            heard.over |= matches!(placed.event, TurnEvent::Done { .. } | TurnEvent::Failed { .. });
            heard.events.push(placed);
        }
        drop(heard);
        self.changed.notify_waiters();
    }

    /// Tells the end of an answer that could not be stored.
    pub(crate) fn lose(&self, failed: Placed) {
        self.lock().lost = true;
        self.tell([failed]);
    }

    /// Whether its end is told here only, and not by the log: whoever asks again is to be answered anew.
    pub(crate) fn is_lost(&self) -> bool {
        self.lock().lost
    }

    /// Whether its end was told.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().over
    }

    /// Asks whoever works on the answer to stop.
    pub(crate) fn cancel(&self) {
        self.cancelled.cancel();
    }

    /// Whether the answer is to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Tells others when the answer is to stop.
    pub(crate) fn cancelling(&self) -> CancellationToken {
        self.cancelled.clone()
    }

    /// Resolves when the answer is to stop.
    pub(crate) async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }

    /// Resolves when no listener is left.
    pub(crate) async fn deserted(&self) {
        loop {
            let left = self.left.notified();
            if self.listeners.load(Ordering::SeqCst) == 0 {
                return;
            }
            left.await;
        }
    }

    /// Whether somebody listens.
    pub(crate) fn has_listeners(&self) -> bool {
        self.listeners.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn listen(self: &Arc<Self>) -> Listener {
        self.listeners.fetch_add(1, Ordering::SeqCst);
        Listener { channel: Arc::clone(self), next: 0 }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, EventBuffer> {
        // A listener that panicked has changed nothing.
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears an answer from its beginning, whenever it came.
#[derive(Debug)]
pub(crate) struct Listener {
    channel: Arc<Channel>,
    next: usize,
}

impl Listener {
    pub(crate) async fn next(&mut self) -> Option<Placed> {
        loop {
            let changed = self.channel.changed.notified();
            tokio::pin!(changed);
            // From here on no change goes unnoticed.
            changed.as_mut().enable();
            {
                let heard = self.channel.lock();
                if let Some(placed) = heard.events.get(self.next) {
                    self.next += 1;
                    return Some(placed.clone());
                }
                if heard.over {
                    return None;
                }
            }
            changed.await;
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if self.channel.listeners.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.channel.left.notify_waiters();
        }
    }
}

/// An answer as others reach it: to listen, to stop it.
#[derive(Clone)]
pub(super) struct AnswerHandle {
    pub(super) answer: u64,
    /// The answer that this one stands for, if it was begun anew.
    pub(super) retakes: Option<u64>,
    pub(super) turn: u64,
    /// Whether it goes on when nobody listens.
    pub(super) background: bool,
    /// When its request was accepted, in milliseconds since 1970.
    pub(super) created: u64,
    pub(super) channel: Arc<Channel>,
}
