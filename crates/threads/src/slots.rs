//! Whether there is room at the gateway for another run, over all threads of a person.
//!
//! Must never count a thread that cannot be read against the others, nor let those wait for ever whom nobody carries on with.

use std::collections::BTreeSet;
use std::time::Duration;

use engross_store::Millis;
use engross_tasks::runs::Capacity;
use futures_util::StreamExt;
use serde_json::json;
use tokio::time::Instant;

use super::decision::SlotState;
use super::error::ThreadError;
use super::journal::{LoadedThread, ThreadJournal};
use super::link::{BridgeCall, BridgeFrame, Link};
use super::look_up::look_up;
use super::machine::needs_slot;
use super::state::{Ask, Stage, Work};

/// How long a free place is left to those who waited before. Whoever is carried on with takes it within a second or two.
const COURTESY: Duration = Duration::from_secs(5);

/// How often it is asked whether runs still are under way that seem to hold all places.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// How long the answer may take.
const ASK_WITHIN: Duration = Duration::from_secs(2);

/// The place of a request among those that wait.
#[derive(Debug, Default)]
pub(super) struct QueueWait {
    /// The runs that have ended at the bridge, although their threads do not know it: nobody carries on with these.
    over: BTreeSet<String>,
    /// When it was last asked for them.
    asked_at: Option<Instant>,
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

    /// How many of these threads have a run at the gateway. It is asked for where they seem to have all places.
    async fn active(&mut self, link: &dyn Link, running: &[LoadedThread], places: usize) -> usize {
        let is_recent = |asked: Instant| asked.elapsed() < ASK_EVERY;
        let count = |over: &BTreeSet<String>| {
            running.iter().filter(|thread| !run_of(thread).is_some_and(|run| over.contains(run))).count()
        };
        if count(&self.over) >= places && !self.asked_at.is_some_and(is_recent) {
            self.asked_at = Some(Instant::now());
            for thread in running {
                let Some(run) = run_of(thread).filter(|run| !self.over.contains(*run)) else { continue };
                if tokio::time::timeout(ASK_WITHIN, has_ended(link, thread)).await == Ok(true) {
                    self.over.insert(run.to_owned());
                }
            }
        }
        count(&self.over)
    }

    fn look(&mut self, is_free: bool) {
        self.free_since = self.free_since.filter(|_| is_free).or_else(|| is_free.then(Instant::now));
    }
}

/// Whether there is room for a request of this thread.
pub(super) async fn slot(
    (journal, link, capacity): (&ThreadJournal, &dyn Link, Capacity),
    thread: &LoadedThread,
    ask: &Ask,
    wait: &mut QueueWait,
) -> Result<SlotState, ThreadError> {
    if !needs_slot(thread.state()) {
        return Ok(SlotState::Free);
    }
    let (mut running, mut before, mut queued) = (Vec::new(), 0_usize, 0);
    let place = waits_since(thread, ask, journal.now());
    for key in journal.keys().await? {
        if key == thread.state().record.thread_id {
            continue;
        }
        let other = match journal.load(&key).await {
            // What one server does another one's gateway does not feel.
            Ok(other) => other
                .filter(|other| needs_slot(other.state()) && other.state().server() == ask.server.as_deref()),
            // A thread that cannot be read holds up nobody but itself.
            Err(ThreadError::Record { problem }) => {
                tracing::warn!(thread = %key, %problem, "a task thread cannot be read");
                None
            }
            Err(error) => return Err(error),
        };
        let Some(other) = other else { continue };
        match &other.state().work {
            // The gateway is done with it.
            Work::Running(run) if matches!(run.stage, Stage::Fetching { .. }) => {}
            // One that nobody looks after is given up by the one who does next.
            Work::Running(run) if journal.now() < run.deadline => running.push(other),
            Work::Running(_) => {}
            Work::Queued(waiting) => {
                queued += 1;
                if waits_since(&other, waiting, journal.now()) < place {
                    before += 1;
                }
            }
            Work::Idle => {}
        }
    }
    let active = wait.active(link, &running, capacity.active).await;
    wait.look(active < capacity.active);
    Ok(if active + before.saturating_sub(wait.passed_over()) < capacity.active {
        SlotState::Free
    } else if matches!(thread.state().work, Work::Queued(_)) || queued < capacity.queued {
        SlotState::Busy
    } else {
        SlotState::Full
    })
}

/// The run of a thread, as the bridge has named it.
fn run_of(thread: &LoadedThread) -> Option<&str> {
    let known = thread.state().record.context_state.open_claw_task_association.as_ref();
    known.map(|known| known.run_id.as_str()).filter(|run| !run.is_empty())
}

/// Whether the bridge has an end of the run of a thread. One that it does not know may be somewhere else.
async fn has_ended(link: &dyn Link, thread: &LoadedThread) -> bool {
    let record = &thread.state().record;
    let mut params = look_up(record, record.context_state.open_claw_task_association.as_ref());
    params["includeArtifacts"] = json!(false);
    let call = BridgeCall { method: "xworkmate.tasks.get", params, last_event: None };
    let Ok(mut frames) = link.call(call).await else { return false };
    while let Some(Ok(frame)) = frames.next().await {
        if let BridgeFrame::Answer(told) = frame {
            return told["terminal"] == true && told["runId"].as_str() == run_of(thread);
        }
    }
    false
}

/// Since when a request waits; the moment for one that begins to.
fn waits_since(thread: &LoadedThread, ask: &Ask, now: Millis) -> (Millis, String) {
    let since = match &thread.state().work {
        Work::Queued(waiting) if waiting.id == ask.id => thread.state().record.updated_at_ms,
        _ => now,
    };
    (since, ask.id.clone())
}
