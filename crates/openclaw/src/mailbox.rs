//! Holds events of one run between the connection and its follower.
//!
//! Must never hold more than its limit, save for an end, and never lose an end.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::frame::GatewayEvent;

/// What waits to be heard.
pub(super) struct Mailbox {
    most: usize,
    inner: Mutex<Inner>,
    bell: Notify,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<GatewayEvent>,
    bytes: usize,
}

impl Mailbox {
    /// An empty one for `most` bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { most, inner: Mutex::default(), bell: Notify::new() }
    }

    /// Puts something in. Above the limit it is left out: a later piece repeats all text before it.
    pub(super) fn put(&self, told: GatewayEvent) {
        let mut inner = self.lock();
        if inner.bytes.saturating_add(told.size) > self.most && !told.is_end() {
            return;
        }
        inner.bytes = inner.bytes.saturating_add(told.size);
        inner.waiting.push_back(told);
        drop(inner);
        self.bell.notify_one();
    }

    /// The next one. It can be dropped and called again; only one may wait.
    pub(super) async fn next(&self) -> GatewayEvent {
        loop {
            if let Some(told) = self.take() {
                return told;
            }
            self.bell.notified().await;
        }
    }

    fn take(&self) -> Option<GatewayEvent> {
        let mut inner = self.lock();
        let told = inner.waiting.pop_front()?;
        inner.bytes = inner.bytes.saturating_sub(told.size);
        Some(told)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
