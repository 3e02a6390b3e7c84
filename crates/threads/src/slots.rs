//! Whether there is room at the gateway for another run, over all threads of a person.
//!
//! Must never count a thread that cannot be read against the others.

use engross_store::Millis;

use super::decision::SlotState;
use super::driver::ThreadDriver;
use super::error::ThreadError;
use super::journal::LoadedThread;
use super::machine::needs_slot;
use super::state::{Ask, Work};

impl ThreadDriver {
    /// Whether there is room for a request of this thread.
    pub(super) async fn slot(&self, thread: &LoadedThread, ask: &Ask) -> Result<SlotState, ThreadError> {
        if !needs_slot(thread.state()) {
            return Ok(SlotState::Free);
        }
        let (mut active, mut before, mut queued) = (0, 0, 0);
        let place = waits_since(thread, ask, self.journal().now());
        for key in self.journal().keys().await? {
            if key == thread.state().record.thread_id {
                continue;
            }
            let other = match self.journal().load(&key).await {
                Ok(other) => other.filter(|other| needs_slot(other.state())),
                // A thread that cannot be read holds up nobody but itself.
                Err(ThreadError::Record { problem }) => {
                    tracing::warn!(thread = %key, %problem, "a task thread cannot be read");
                    None
                }
                Err(error) => return Err(error),
            };
            let Some(other) = other else { continue };
            match &other.state().work {
                // One that nobody looks after is given up by the one who does next.
                Work::Running(running) => active += usize::from(self.journal().now() < running.deadline),
                Work::Queued(waiting) => {
                    queued += 1;
                    if waits_since(&other, waiting, self.journal().now()) < place {
                        before += 1;
                    }
                }
                Work::Idle => {}
            }
        }
        Ok(if active + before < self.capacity().active {
            SlotState::Free
        } else if matches!(thread.state().work, Work::Queued(_)) || queued < self.capacity().queued {
            SlotState::Busy
        } else {
            SlotState::Full
        })
    }
}

/// Since when a request waits; the moment for one that begins to.
fn waits_since(thread: &LoadedThread, ask: &Ask, now: Millis) -> (Millis, String) {
    let since = match &thread.state().work {
        Work::Queued(waiting) if waiting.id == ask.id => thread.state().record.updated_at_ms,
        _ => now,
    };
    (since, ask.id.clone())
}
