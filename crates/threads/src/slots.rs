//! Whether there is room at the gateway for another run, over all threads of a person.
//!
//! Must never count a thread that cannot be read against the others, nor let those wait for ever whom nobody carries on with.

use std::time::Duration;

use engross_store::Millis;
use engross_tasks::runs::Capacity;
use tokio::time::Instant;

use super::decision::SlotState;
use super::error::ThreadError;
use super::journal::{LoadedThread, ThreadJournal};
use super::machine::needs_slot;
use super::state::{Ask, Work};

/// How long a free place is left to those who waited before. Whoever is carried on with takes it within a second or two.
const COURTESY: Duration = Duration::from_secs(5);

/// The place of a request among those that wait.
#[derive(Debug, Default)]
pub(super) struct QueueWait {
    /// Since when there has been a free place that nobody before has taken.
    free_since: Option<Instant>,
}

impl QueueWait {
    /// How many of those before are passed over. Their terminals are gone, or they would have begun; one more for each second, so that
    /// of those who are there the first begins first.
    fn passed_over(&self) -> usize {
        let waited = self.free_since.map_or(Duration::ZERO, |since| since.elapsed());
        usize::try_from(waited.saturating_sub(COURTESY).as_secs()).unwrap_or(usize::MAX)
    }

    fn look(&mut self, is_free: bool) {
        self.free_since = self.free_since.filter(|_| is_free).or_else(|| is_free.then(Instant::now));
    }
}

/// Whether there is room for a request of this thread.
pub(super) async fn slot(
    (journal, capacity): (&ThreadJournal, Capacity),
    thread: &LoadedThread,
    ask: &Ask,
    wait: &mut QueueWait,
) -> Result<SlotState, ThreadError> {
    if !needs_slot(thread.state()) {
        return Ok(SlotState::Free);
    }
    let (mut active, mut before, mut queued) = (0, 0_usize, 0);
    let place = waits_since(thread, ask, journal.now());
    for key in journal.keys().await? {
        if key == thread.state().record.thread_id {
            continue;
        }
        let other = match journal.load(&key).await {
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
            Work::Running(running) => active += usize::from(journal.now() < running.deadline),
            Work::Queued(waiting) => {
                queued += 1;
                if waits_since(&other, waiting, journal.now()) < place {
                    before += 1;
                }
            }
            Work::Idle => {}
        }
    }
    wait.look(active < capacity.active);
    Ok(if active + before.saturating_sub(wait.passed_over()) < capacity.active {
        SlotState::Free
    } else if matches!(thread.state().work, Work::Queued(_)) || queued < capacity.queued {
        SlotState::Busy
    } else {
        SlotState::Full
    })
}

/// Since when a request waits; the moment for one that begins to.
fn waits_since(thread: &LoadedThread, ask: &Ask, now: Millis) -> (Millis, String) {
    let since = match &thread.state().work {
        Work::Queued(waiting) if waiting.id == ask.id => thread.state().record.updated_at_ms,
        _ => now,
    };
    (since, ask.id.clone())
}
