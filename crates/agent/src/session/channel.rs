//! One answer on its way to its listeners, who come and go.
//!
//! Must never lose an event or keep a listener waiting after the end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::event::{PositionedEvent, TurnEvent};

/// Text is kept in pieces of so many bytes, however it came: they go back to the system as a whole, where thousands of small ones
/// would leave holes in memory.
const PIECE: usize = 256 << 10;

/// All that happened in an answer so far.
#[derive(Debug, Default)]
pub(crate) struct Channel {
    events: Mutex<EventBuffer>,
    changed: Notify,
    listeners: AtomicUsize,
    left: Notify,
    cancelled: CancellationToken,
    /// What the person said meanwhile, and the model has not read.
    said: Mutex<Vec<String>>,
}

#[derive(Debug, Default)]
struct EventBuffer {
    events: Vec<PositionedEvent>,
    over: bool,
    lost: bool,
}

impl EventBuffer {
    fn add(&mut self, event: PositionedEvent) {
        if let TurnEvent::Text(more) = &event.event
            && let Some(PositionedEvent { position, event: TurnEvent::Text(text) }) = self.events.last_mut()
            && text.len() + more.len() <= PIECE
        {
            text.push_str(more);
            *position = event.position;
            return;
        }
        self.events.push(event);
    }
}

impl Channel {
    pub(crate) fn publish(&self, events: impl IntoIterator<Item = PositionedEvent>) {
        let mut buffer = self.lock();
        for event in events {
            buffer.over |= matches!(event.event, TurnEvent::Done { .. } | TurnEvent::Failed { .. });
            buffer.add(event);
        }
        drop(buffer);
        self.changed.notify_waiters();
    }

    /// Publishes the end of an answer that could not be stored.
    pub(crate) fn lose(&self, failed: PositionedEvent) {
        self.lock().lost = true;
        self.publish([failed]);
    }

    /// Whether its end is published here only, and is not in the log: a client that asks again is answered anew.
    pub(crate) fn is_lost(&self) -> bool {
        self.lock().lost
    }

    /// Whether its end was published.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().over
    }

    /// Has the model read this with its next question.
    pub(crate) fn say(&self, content: String) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).push(content);
    }

    /// What the model has not read.
    pub(crate) fn said(&self) -> Vec<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The model reads the first `count`.
    pub(crate) fn read(&self, count: usize) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let count = count.min(said.len());
        said.drain(..count);
    }

    /// Asks the turn that works on the answer to stop.
    pub(crate) fn cancel(&self) {
        self.cancelled.cancel();
    }

    /// Whether the answer is to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// A token that is cancelled when the answer is to stop.
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

    /// Whether there is a listener.
    pub(crate) fn has_listeners(&self) -> bool {
        self.listeners.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn listen(self: &Arc<Self>) -> Listener {
        self.listeners.fetch_add(1, Ordering::SeqCst);
        Listener { channel: Arc::clone(self), next: 0, heard: 0 }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, EventBuffer> {
        // A listener that panicked has changed nothing.
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives an answer from its beginning, whenever it came.
#[derive(Debug)]
pub(crate) struct Listener {
    channel: Arc<Channel>,
    next: usize,
    /// How many bytes it has of the text at that place, which may grow.
    heard: usize,
}

impl Listener {
    pub(crate) async fn next(&mut self) -> Option<PositionedEvent> {
        loop {
            let changed = self.channel.changed.notified();
            tokio::pin!(changed);
            // From here on no change goes unnoticed.
            changed.as_mut().enable();
            {
                let buffer = self.channel.lock();
                while let Some(PositionedEvent { position, event }) = buffer.events.get(self.next) {
                    let event = match event {
                        TurnEvent::Text(text) => match text.get(self.heard..).filter(|more| !more.is_empty())
                        {
                            Some(more) => TurnEvent::Text(more.to_owned()),
                            None if self.next + 1 < buffer.events.len() => {
                                (self.next, self.heard) = (self.next + 1, 0);
                                continue;
                            }
                            None => break,
                        },
                        other => other.clone(),
                    };
                    match &event {
                        TurnEvent::Text(more) => self.heard += more.len(),
                        _ => self.next += 1,
                    }
                    return Some(PositionedEvent { position: *position, event });
                }
                if buffer.over {
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
