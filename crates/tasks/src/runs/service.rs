//! All threads and their runs: what can be asked of them, and how a decision is stored and told.
//!
//! Must never tell of anything that is not durable, except pieces of an answer that is under way.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engross_artifacts::RunId;
use engross_journal::{Journal, Options};
use engross_protocol::SessionId;
use engross_store::{Millis, Name, NameRow};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer_text::AnswerText;
use super::config::RunsConfig;
use super::counters::Counters;
use super::decide::{Action, Input, decide};
use super::error::RunError;
use super::handle::lock;
use super::journal::{LoadedThread, ThreadGuard, ThreadJournal};
use super::log::RunEvent;
use super::notifications;
use super::request::{RunRequest, Target};
use super::run_queue::{QueuedRun, RunQueue};
use super::state::{Phase, Run, RunThread};
use super::updates::seq_of;
use super::viewers::Viewers;

/// Names that are remembered.
const NAMES: usize = 100_000;

/// Threads that are kept in memory though nobody asks for them.
const THREADS: usize = 4_096;

/// How long the store may be away before it is asked again.
pub(super) const RETRY: Duration = Duration::from_millis(500);

/// The service. Clones are the same one.
#[derive(Clone)]
pub struct Runs {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) config: RunsConfig,
    pub(super) journal: ThreadJournal,
    queues: Mutex<HashMap<Target, RunQueue>>,
    pub(super) counters: Counters,
    pub(super) viewers: Viewers,
    /// Held while the files of a run are frozen; alone by the one who removes some.
    pub(super) freezing: tokio::sync::RwLock<()>,
    pub(super) tasks: TaskTracker,
    pub(super) stopping: CancellationToken,
    /// Nothing happens to any run in this process from now on.
    pub(super) drained: CancellationToken,
}

impl Runs {
    /// A service. Nothing goes on before [`Runs::recover`].
    #[must_use]
    pub fn new(config: RunsConfig) -> Self {
        let queues = HashMap::from([
            (Target::Agent, RunQueue::new(None)),
            (Target::Gateway, RunQueue::new(Some(config.gateway))),
        ]);
        let tasks = TaskTracker::new();
        let journal = Journal::new(Options {
            logs: THREADS,
            names: NAMES,
            tasks: tasks.clone(),
            ..Options::new(Arc::clone(&config.store), Arc::clone(&config.clock))
        });
        Self {
            inner: Arc::new(Inner {
                config,
                journal,
                queues: Mutex::new(queues),
                counters: Counters::default(),
                viewers: Viewers::default(),
                freezing: tokio::sync::RwLock::default(),
                tasks,
                stopping: CancellationToken::new(),
                drained: CancellationToken::new(),
            }),
        }
    }

    /// What was counted since the process began.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.inner.counters
    }

    /// What it is made of.
    #[must_use]
    pub fn config(&self) -> &RunsConfig {
        &self.inner.config
    }

    pub(super) fn now(&self) -> Millis {
        self.inner.config.clock.millis()
    }

    /// Where a name leads.
    pub(super) async fn find(&self, name: &Name) -> Result<Option<NameRow>, RunError> {
        Ok(self.inner.journal.find(name).await?)
    }

    /// The thread of this log, which is read when it is opened.
    pub(super) fn thread(&self, id: SessionId) -> Arc<LoadedThread> {
        self.inner.journal.get(id)
    }

    /// Waits for the right to change a thread.
    pub(super) async fn open(&self, loaded: &LoadedThread) -> Result<ThreadGuard, RunError> {
        let thread = self.inner.journal.open(loaded.lock().await).await?;
        loaded.extra.updates.pass(thread.head);
        Ok(thread)
    }

    /// As [`Runs::open`], again and again until the store is there; `None` when it cannot be read any more.
    pub(super) async fn open_at_last(&self, loaded: &LoadedThread) -> Option<ThreadGuard> {
        loop {
            match self.open(loaded).await {
                Ok(thread) => return Some(thread),
                Err(RunError::Store(engross_store::Error::Closed) | RunError::Damaged { .. }) => return None,
                Err(_) => tokio::time::sleep(RETRY).await,
            }
        }
    }

    /// Decides what an input leads to, stores it, tells it, and gives what is to be done.
    pub(super) async fn step(
        &self,
        loaded: &Arc<LoadedThread>,
        run: &RunId,
        input: Input,
        said: &AnswerText,
    ) -> Result<Action, RunError> {
        let mut thread = self.open(loaded).await?;
        let now = self.now();
        let decision = decide(&thread, run, input, said, now);
        self.store(loaded, &mut thread, &decision.events, Vec::new(), now).await?;
        let ended = decision.events.iter().any(|event| matches!(event, RunEvent::Ended { .. }));
        let next = if ended { thread.next().cloned() } else { None };
        let principal = thread.principal.clone();
        drop(thread);
        if ended {
            self.inner.viewers.ends(run);
            for queue in lock(&self.inner.queues).values_mut() {
                queue.leave(run);
            }
            if let Some(order) = next {
                self.enqueue(&principal, &order);
            }
            self.pump();
        }
        Ok(decision.action)
    }

    /// Stores entries and publishes them. After a failure the thread is read anew.
    pub(super) async fn store(
        &self,
        loaded: &LoadedThread,
        thread: &mut ThreadGuard,
        events: &[RunEvent],
        names: Vec<(Name, Vec<u8>)>,
        now: Millis,
    ) -> Result<(), RunError> {
        if events.is_empty() {
            return Ok(());
        }
        let updates = Self::apply(thread, events, now);
        thread.append(events, names, now).await?;
        for (event, (entry, update)) in events.iter().zip(updates) {
            self.inner.counters.count(event);
            loaded.extra.updates.entry(entry, event.run(), update);
        }
        Ok(())
    }

    /// Takes entries into a thread. Gives the number of each, and what is published of it, which needs the state as of that
    /// entry.
    pub(super) fn apply(
        thread: &mut RunThread,
        events: &[RunEvent],
        now: Millis,
    ) -> Vec<(u64, Option<Value>)> {
        let apply = |event: &RunEvent| {
            thread.apply(event, now);
            (thread.head, notifications::of_entry(thread, event, seq_of(thread.head), now))
        };
        events.iter().map(apply).collect()
    }

    /// Keeps the places of a thread's runs that are under way: a restart does not make room.
    fn occupy(&self, thread: &RunThread) {
        for face in thread.runs.iter().filter(|run| run.holds()).filter_map(Run::face) {
            let held = QueuedRun {
                run: face.run.clone(),
                principal: thread.principal.clone(),
                thread: face.thread.clone(),
            };
            if let Some(queue) = lock(&self.inner.queues).get_mut(&face.target) {
                queue.occupy(held);
            }
        }
    }

    /// Lets a run wait for its place.
    pub(super) fn enqueue(&self, principal: &str, order: &RunRequest) {
        let waiting = QueuedRun {
            run: order.face.run.clone(),
            principal: principal.to_owned(),
            thread: order.face.thread.clone(),
        };
        if let Some(queue) = lock(&self.inner.queues).get_mut(&order.face.target) {
            queue.wait(waiting);
        }
    }

    /// Gives up the place of a run until somebody looks on at its thread.
    pub(super) fn step_aside(&self, waiting: QueuedRun) {
        for queue in lock(&self.inner.queues).values_mut() {
            queue.leave(&waiting.run);
        }
        // Only now, when it holds no place any more, is it called back.
        if self.inner.viewers.meet(&waiting).is_some() {
            self.come_back(vec![waiting]);
        }
        self.pump();
    }

    /// Runs of agents that have somebody who looks on wait for their place again.
    pub(super) fn come_back(&self, runs: Vec<QueuedRun>) {
        if let Some(queue) = lock(&self.inner.queues).get_mut(&Target::Agent) {
            runs.into_iter().for_each(|run| queue.wait(run));
        }
    }

    /// Whether a run of this thread waits until somebody looks on at it.
    #[must_use]
    pub fn waits_for_viewer(&self, thread: &str) -> bool {
        self.inner.viewers.is_awaited(thread)
    }

    /// Waits again behind the others of its principal.
    pub(super) fn give_back(&self, waiting: QueuedRun) {
        for queue in lock(&self.inner.queues).values_mut() {
            if queue.leave(&waiting.run) {
                queue.wait(waiting);
                break;
            }
        }
        self.pump();
    }

    /// Gives up a place, and waits again if the run still can.
    pub(super) async fn requeue(&self, loaded: &Arc<LoadedThread>, run: &RunId) {
        for queue in lock(&self.inner.queues).values_mut() {
            queue.leave(run);
        }
        let Some(thread) = self.open_at_last(loaded).await else { return };
        if let Some(order) = thread.next().filter(|order| order.face.run == *run) {
            self.enqueue(&thread.principal, order);
            drop(thread);
            self.pump();
        }
    }

    /// Begins the runs that have a slot now.
    pub(super) fn pump(&self) {
        if self.inner.stopping.is_cancelled() {
            return;
        }
        loop {
            let next = lock(&self.inner.queues).values_mut().find_map(RunQueue::admit);
            let Some(waiting) = next else { return };
            let runs = self.clone();
            self.inner.tasks.spawn(async move { runs.begin(waiting).await });
        }
    }

    /// Whether a queue takes no more, and how many are under way and wait in it.
    pub(super) fn fullness(&self, target: Target) -> (bool, usize, usize) {
        lock(&self.inner.queues)
            .get(&target)
            .map_or((false, 0, 0), |queue| (queue.is_full(), queue.active(), queue.queued()))
    }

    /// Where a waiting run stands, from 1, and how many wait.
    #[must_use]
    pub fn position(&self, target: Target, run: &RunId) -> Option<(usize, usize)> {
        let queues = lock(&self.inner.queues);
        let order = queues.get(&target)?.order();
        order.iter().position(|waiting| waiting.run == *run).map(|at| (at + 1, order.len()))
    }

    /// All that wait, with their queues.
    pub(super) fn waiting(&self) -> Vec<(Target, QueuedRun, usize, usize)> {
        let queues = lock(&self.inner.queues);
        let mut all = Vec::new();
        for (target, queue) in queues.iter() {
            let order = queue.order();
            let count = order.len();
            all.extend(order.into_iter().enumerate().map(|(at, waiting)| (*target, waiting, at + 1, count)));
        }
        all
    }

    /// Whether no run is under way and none waits.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        lock(&self.inner.queues).values().all(|queue| queue.active() + queue.queued() == 0)
    }

    /// How many runs are under way in a queue.
    #[must_use]
    pub fn active(&self, target: Target) -> usize {
        lock(&self.inner.queues).get(&target).map_or(0, RunQueue::active)
    }

    /// Takes up what was left when the process ended: runs that wait go on waiting in their order, runs whose agent is done get
    /// their files listed, runs whose agent is gone end.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn recover(&self) -> Result<(), RunError> {
        let due = self.inner.config.store.due(Millis::MAX >> 1, usize::MAX >> 1).await?;
        let mut queued: Vec<(Millis, String, RunRequest)> = Vec::new();
        for id in due {
            let loaded = self.thread(id);
            let thread = self.open(&loaded).await?;
            let open: Vec<_> = thread.open().map(|run| (run.id.clone(), run.phase.clone())).collect();
            let principal = thread.principal.clone();
            self.occupy(&thread);
            drop(thread);
            for (run, phase) in open {
                match phase {
                    Phase::Queued(order) => queued.push((order.face.accepted, principal.clone(), *order)),
                    Phase::Prepared(..) | Phase::Done { .. } => {}
                    Phase::Running(_) | Phase::Exporting(_) => {
                        let (runs, loaded) = (self.clone(), Arc::clone(&loaded));
                        self.inner.tasks.spawn(async move { runs.take_up(loaded, run).await });
                    }
                }
            }
        }
        queued.sort_by(|(at, _, a), (other, _, b)| (at, &a.face.run).cmp(&(other, &b.face.run)));
        for (_, principal, order) in queued {
            self.enqueue(&principal, &order);
        }
        self.pump();
        Ok(())
    }

    /// Takes no new runs and waits for those under way, at most `patience`. What is left is taken up by the next process.
    pub async fn drain(&self, patience: Duration) {
        self.inner.stopping.cancel();
        // Large files take longer than anybody waits for; their runs are taken up again.
        self.inner.config.halt.store(true, Ordering::Relaxed);
        self.inner.tasks.close();
        let _ = tokio::time::timeout(patience, self.inner.tasks.wait()).await;
        // Who still looks on would keep its connection open, and the server from its end.
        self.inner.drained.cancel();
    }
}
