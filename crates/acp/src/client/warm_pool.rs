//! Keeps processes that are started and initialised before a turn needs one.
//!
//! Must never hold more of them than it was told to, nor give one away that has ended.

use std::collections::VecDeque;

use super::acp::Client;

/// The processes that are ready.
pub(super) struct WarmPool {
    ready: VecDeque<Client>,
    /// How many are being started.
    starting: usize,
    most: usize,
}

impl WarmPool {
    pub(super) fn new(most: usize) -> Self {
        Self { ready: VecDeque::new(), starting: 0, most }
    }

    /// One that works, if there is one.
    pub(super) fn take(&mut self) -> Option<Client> {
        while let Some(mut client) = self.ready.pop_front() {
            if client.is_usable() {
                return Some(client);
            }
        }
        None
    }

    /// Whether there is one that works.
    pub(super) fn is_one_ready(&mut self) -> bool {
        let first = self.take();
        first.map(|client| self.ready.push_front(client)).is_some()
    }

    /// Claims a place for one that is about to be started.
    pub(super) fn claim(&mut self) -> bool {
        let free = self.ready.len() + self.starting < self.most;
        self.starting += usize::from(free);
        free
    }

    /// Fills the place that was claimed, or gives it up. What there is no place for is given back.
    pub(super) fn fill(&mut self, client: Option<Client>) -> Option<Client> {
        self.starting = self.starting.saturating_sub(1);
        if self.ready.len() < self.most {
            self.ready.extend(client);
            return None;
        }
        client
    }

    pub(super) fn close(&mut self) {
        self.most = 0;
        self.ready.clear();
    }
}
