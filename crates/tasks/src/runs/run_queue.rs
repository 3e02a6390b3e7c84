//! The queue of runs that wait for a slot: first come, first served for each principal, and the principals in turn.
//!
//! Must never let one principal keep all others waiting, nor give a position that is not true at that moment.

use std::collections::{BTreeMap, VecDeque};

use engross_artifacts::RunId;

/// How many runs a queue takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Runs that are under way at once.
    pub active: usize,
    /// Runs that may wait.
    pub queued: usize,
}

impl Default for Capacity {
    /// 5 under way, 20 waiting.
    fn default() -> Self {
        Self { active: 5, queued: 20 }
    }
}

/// A run that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueuedRun {
    pub(super) run: RunId,
    pub(super) principal: String,
    pub(super) thread: String,
}

/// The queue of one target.
#[derive(Debug, Default)]
pub(super) struct RunQueue {
    capacity: Option<Capacity>,
    active: Vec<(RunId, String, String)>,
    /// For each principal its waiting runs.
    waiting: BTreeMap<String, VecDeque<QueuedRun>>,
    /// The principals that have waiting runs; the next one first.
    turns: VecDeque<String>,
}

impl RunQueue {
    /// A queue of this capacity; without a number everything may begin.
    pub(super) fn new(capacity: Option<Capacity>) -> Self {
        Self { capacity, ..Self::default() }
    }

    /// How many are under way.
    pub(super) fn active(&self) -> usize {
        self.active.len()
    }

    /// How many wait.
    pub(super) fn queued(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    /// Whether one more would be too many: no place is free, and no more may wait.
    pub(super) fn is_full(&self) -> bool {
        self.capacity
            .is_some_and(|capacity| self.active() >= capacity.active && self.queued() >= capacity.queued)
    }

    /// Lets a run wait. A run that is here already stays where it is.
    pub(super) fn wait(&mut self, waiting: QueuedRun) {
        let known = self.active.iter().any(|(run, ..)| *run == waiting.run)
            || self.waiting.values().flatten().any(|other| other.run == waiting.run);
        if known {
            return;
        }
        let principal = waiting.principal.clone();
        let queue = self.waiting.entry(principal.clone()).or_default();
        if queue.is_empty() {
            self.turns.push_back(principal);
        }
        queue.push_back(waiting);
    }

    /// A run that was under way before this process began: it has its place, whatever the capacity says, so that those who
    /// wait find no more room than there is.
    pub(super) fn occupy(&mut self, held: QueuedRun) {
        let QueuedRun { run, principal, thread } = held;
        if !self.active.iter().any(|(active, ..)| *active == run) {
            self.active.push((run, principal, thread));
        }
    }

    /// Gives the next run its place, if there is one. Of one thread only one run is under way.
    pub(super) fn admit(&mut self) -> Option<QueuedRun> {
        if self.capacity.is_some_and(|capacity| self.active() >= capacity.active) {
            return None;
        }
        let next = take(&mut self.waiting, &mut self.turns, &self.active)?;
        self.active.push((next.run.clone(), next.principal.clone(), next.thread.clone()));
        Some(next)
    }

    /// Takes a run out, wherever it is; tells whether it was here.
    pub(super) fn leave(&mut self, run: &RunId) -> bool {
        let before = self.active.len();
        self.active.retain(|(active, ..)| active != run);
        let mut left = self.active.len() < before;
        for queue in self.waiting.values_mut() {
            let before = queue.len();
            queue.retain(|waiting| waiting.run != *run);
            left |= queue.len() < before;
        }
        self.waiting.retain(|_, queue| !queue.is_empty());
        self.turns.retain(|principal| self.waiting.contains_key(principal));
        left
    }

    /// The runs that wait, in the order in which they would begin if every place became free one by one.
    pub(super) fn order(&self) -> Vec<QueuedRun> {
        let (mut waiting, mut turns) = (self.waiting.clone(), self.turns.clone());
        let mut order = Vec::with_capacity(self.queued());
        // As positions are told, a thread's own earlier runs count as over.
        while let Some(next) = take(&mut waiting, &mut turns, &[]) {
            order.push(next);
        }
        order
    }
}

/// The first run of the principal whose turn it is that no other run of its thread keeps from beginning.
fn take(
    waiting: &mut BTreeMap<String, VecDeque<QueuedRun>>,
    turns: &mut VecDeque<String>,
    active: &[(RunId, String, String)],
) -> Option<QueuedRun> {
    for _ in 0..turns.len() {
        let principal = turns.pop_front()?;
        let queue = waiting.get_mut(&principal)?;
        let busy = |candidate: &QueuedRun| {
            active.iter().any(|(_, whose, thread)| *whose == principal && *thread == candidate.thread)
        };
        let at = queue.iter().position(|candidate| !busy(candidate));
        let next = at.and_then(|at| queue.remove(at));
        if queue.is_empty() {
            waiting.remove(&principal);
        } else {
            turns.push_back(principal);
        }
        if next.is_some() {
            return next;
        }
    }
    None
}
