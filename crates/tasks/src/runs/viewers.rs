//! The environments of those who look on at tasks, which their agents are given, and the runs that wait for one.
//!
//! Must never be stored: a value may be a key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::handle::lock;
use super::run_queue::QueuedRun;
use crate::runner::ViewerEnvironment;

/// What is known of viewers, by principal and thread.
#[derive(Debug, Default)]
pub(super) struct Viewers(Mutex<KnownViewers>);

#[derive(Debug, Default)]
struct KnownViewers {
    environments: HashMap<(String, String), Arc<ViewerEnvironment>>,
    waiting: Vec<QueuedRun>,
}

impl Viewers {
    /// Somebody looks on at a thread. Gives the runs of it that waited for that.
    pub(super) fn comes(
        &self,
        principal: &str,
        thread: &str,
        environment: ViewerEnvironment,
    ) -> Vec<QueuedRun> {
        let mut known = lock(&self.0);
        known.environments.insert((principal.to_owned(), thread.to_owned()), Arc::new(environment));
        let is_of = |run: &mut QueuedRun| run.principal == principal && run.thread == thread;
        known.waiting.extract_if(.., is_of).collect()
    }

    /// The environment that the agent of this run is given; without one the run is kept until somebody looks on.
    pub(super) fn meet(&self, run: &QueuedRun) -> Option<Arc<ViewerEnvironment>> {
        let mut known = lock(&self.0);
        let environment = known.of(&run.principal, &run.thread);
        if environment.is_none() && !known.waiting.contains(run) {
            known.waiting.push(run.clone());
        }
        environment
    }

    /// The environment of the one who looked on at a thread last.
    pub(super) fn of(&self, principal: &str, thread: &str) -> Option<Arc<ViewerEnvironment>> {
        lock(&self.0).of(principal, thread)
    }

    /// Whether a run of this thread waits for somebody.
    pub(super) fn is_awaited(&self, thread: &str) -> bool {
        lock(&self.0).waiting.iter().any(|run| run.thread == thread)
    }

    /// A run has ended, whatever it waited for.
    pub(super) fn ends(&self, run: &engross_artifacts::RunId) {
        lock(&self.0).waiting.retain(|waiting| waiting.run != *run);
    }
}

impl KnownViewers {
    fn of(&self, principal: &str, thread: &str) -> Option<Arc<ViewerEnvironment>> {
        self.environments.get(&(principal.to_owned(), thread.to_owned())).cloned()
    }
}
