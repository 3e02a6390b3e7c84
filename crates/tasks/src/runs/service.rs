//! All threads and their runs: what can be asked of them, and how a decision is stored and told.
//!
//! Must never tell of anything that is not durable, except pieces of an answer that is under way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use engross_protocol::SessionId;
use engross_store::{Millis, Name, NameRow, Session};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::config::RunsConfig;
use super::counters::Counters;
use super::decide::{Action, Input, decide};
use super::error::RunError;
use super::handle::Handle;
use super::lane::{Lane, Waiting};
use super::lock::lock;
use super::log::RunEvent;
use super::order::{Order, Target};
use super::said::Said;
use super::state::{Phase, Thread};
use super::updates::Updates;
use super::{journal, tell};
use engross_artifacts::RunId;

/// Names that are remembered.
const NAMES: usize = 100_000;

/// Threads that are kept in memory though nobody asks for them.
const CELLS: usize = 4_096;

/// The service. Clones are the same one.
#[derive(Clone)]
pub struct Runs {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) config: RunsConfig,
    cells: Mutex<HashMap<SessionId, Arc<Cell>>>,
    names: Mutex<HashMap<Name, NameRow>>,
    lanes: Mutex<HashMap<Target, Lane>>,
    pub(super) counters: Counters,
    pub(super) tasks: TaskTracker,
    pub(super) stopping: CancellationToken,
}

/// A thread that is in memory.
pub(super) struct Cell {
    pub(super) id: SessionId,
    /// Locked by whoever decides something.
    pub(super) live: tokio::sync::Mutex<Thread>,
    pub(super) updates: Updates,
    /// Runs that are with their agents.
    handles: Mutex<HashMap<RunId, Arc<Handle>>>,
    /// Ends as they were told, by run and address.
    pub(super) told: Mutex<HashMap<(RunId, String), Told>>,
}

/// An end as it was told.
#[derive(Clone)]
pub(super) struct Told {
    pub(super) at: Millis,
    pub(super) revision: String,
    pub(super) body: Arc<Value>,
}

impl Runs {
    /// A service. Nothing goes on before [`Runs::recover`].
    #[must_use]
    pub fn new(config: RunsConfig) -> Self {
        let lanes = HashMap::from([
            (Target::Agent, Lane::new(None)),
            (Target::Gateway, Lane::new(Some(config.gateway))),
        ]);
        Self {
            inner: Arc::new(Inner {
                config,
                cells: Mutex::default(),
                names: Mutex::default(),
                lanes: Mutex::new(lanes),
                counters: Counters::default(),
                tasks: TaskTracker::new(),
                stopping: CancellationToken::new(),
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

    /// Where a name leads. Names never change, so what is known is not asked for again.
    pub(super) async fn find(&self, name: &Name) -> Result<Option<NameRow>, RunError> {
        if let Some(row) = lock(&self.inner.names).get(name) {
            return Ok(Some(row.clone()));
        }
        let row = self.inner.config.store.value(name).await?;
        if let Some(row) = &row {
            self.remember(name.clone(), row.clone());
        }
        Ok(row)
    }

    pub(super) fn remember(&self, name: Name, row: NameRow) {
        let mut names = lock(&self.inner.names);
        if names.len() >= NAMES {
            names.clear();
        }
        names.insert(name, row);
    }

    /// The thread of this log.
    pub(super) async fn cell(&self, id: SessionId) -> Result<Arc<Cell>, RunError> {
        if let Some(cell) = lock(&self.inner.cells).get(&id) {
            return Ok(Arc::clone(cell));
        }
        let unknown = engross_store::Error::UnknownSession { session: id };
        let session = self.inner.config.store.load_by_id(id).await?.ok_or(unknown)?;
        self.hold(session).await
    }

    /// Keeps a loaded log in memory, unless somebody was faster.
    pub(super) async fn hold(&self, session: Session) -> Result<Arc<Cell>, RunError> {
        let id = session.id;
        let thread = journal::replay(&*self.inner.config.store, session).await?;
        let mut cells = lock(&self.inner.cells);
        if cells.len() >= CELLS {
            // Whoever still works on one has it in hand.
            cells.retain(|_, cell| Arc::strong_count(cell) > 1);
        }
        let made = || {
            Arc::new(Cell {
                id,
                updates: Updates::behind(thread.head),
                live: tokio::sync::Mutex::new(thread),
                handles: Mutex::default(),
                told: Mutex::default(),
            })
        };
        Ok(Arc::clone(cells.entry(id).or_insert_with(made)))
    }

    /// Decides what an input leads to, stores it, tells it, and gives what is to be done.
    pub(super) async fn step(
        &self,
        cell: &Arc<Cell>,
        run: &RunId,
        input: Input,
        said: &Said,
    ) -> Result<Action, RunError> {
        let mut live = cell.live.lock().await;
        let now = self.now();
        let decision = decide(&live, run, input, said, now);
        self.store(cell, &mut live, &decision.events, Vec::new(), now).await?;
        let ended = decision.events.iter().any(|event| matches!(event, RunEvent::Ended { .. }));
        let next = if ended { live.next().cloned() } else { None };
        let principal = live.principal.clone();
        drop(live);
        if ended {
            for lane in lock(&self.inner.lanes).values_mut() {
                lane.leave(run);
            }
            if let Some(order) = next {
                self.enqueue(&principal, &order);
            }
            self.pump();
        }
        Ok(decision.action)
    }

    /// Stores entries and tells them. Whatever the store could not do is read anew.
    pub(super) async fn store(
        &self,
        cell: &Arc<Cell>,
        live: &mut Thread,
        events: &[RunEvent],
        names: Vec<(Name, Vec<u8>)>,
        now: Millis,
    ) -> Result<(), RunError> {
        if events.is_empty() {
            return Ok(());
        }
        let store = &*self.inner.config.store;
        // What is told of an entry needs the state as of that entry.
        let before = live.clone();
        if let Err(error) = journal::append(store, cell.id, live, events, names, now).await {
            if let Ok(Some(session)) = store.load_by_id(cell.id).await
                && session.head != live.head
            {
                *live = journal::replay(store, session).await?;
            }
            return Err(error);
        }
        let mut state = before;
        for event in events {
            self.inner.counters.count(event);
            state.apply(event, now);
            cell.updates.entry(state.head, event.run(), |seq| tell::of_entry(&state, event, seq));
        }
        Ok(())
    }

    /// Lets a run wait for its place.
    pub(super) fn enqueue(&self, principal: &str, order: &Order) {
        let waiting = Waiting {
            run: order.face.run.clone(),
            principal: principal.to_owned(),
            thread: order.face.thread.clone(),
        };
        if let Some(lane) = lock(&self.inner.lanes).get_mut(&order.face.target) {
            lane.wait(waiting);
        }
    }

    /// Waits again behind the others of its principal.
    pub(super) fn give_back(&self, waiting: Waiting) {
        for lane in lock(&self.inner.lanes).values_mut() {
            if lane.leave(&waiting.run) {
                lane.wait(waiting);
                break;
            }
        }
        self.pump();
    }

    /// Gives up a place, and waits again if the run still can.
    pub(super) async fn requeue(&self, cell: &Arc<Cell>, run: &RunId) {
        for lane in lock(&self.inner.lanes).values_mut() {
            lane.leave(run);
        }
        let live = cell.live.lock().await;
        if let Some(order) = live.next().filter(|order| order.face.run == *run) {
            self.enqueue(&live.principal, order);
            drop(live);
            self.pump();
        }
    }

    /// Lets begin whoever may, and tells the others where they stand.
    pub(super) fn pump(&self) {
        if self.inner.stopping.is_cancelled() {
            return;
        }
        loop {
            let next = lock(&self.inner.lanes).values_mut().find_map(Lane::admit);
            let Some(waiting) = next else { return };
            let runs = self.clone();
            self.inner.tasks.spawn(async move { runs.begin(waiting).await });
        }
    }

    /// Whether a lane takes no more, and how many are under way and wait in it.
    pub(super) fn fullness(&self, target: Target) -> (bool, usize, usize) {
        lock(&self.inner.lanes)
            .get(&target)
            .map_or((false, 0, 0), |lane| (lane.is_full(), lane.active(), lane.queued()))
    }

    /// Where a waiting run stands, from 1, and how many wait.
    #[must_use]
    pub fn position(&self, target: Target, run: &RunId) -> Option<(usize, usize)> {
        let lanes = lock(&self.inner.lanes);
        let order = lanes.get(&target)?.order();
        order.iter().position(|waiting| waiting.run == *run).map(|at| (at + 1, order.len()))
    }

    /// All that wait, with their lanes.
    pub(super) fn waiting(&self) -> Vec<(Target, Waiting, usize, usize)> {
        let lanes = lock(&self.inner.lanes);
        let mut all = Vec::new();
        for (target, lane) in lanes.iter() {
            let order = lane.order();
            let count = order.len();
            all.extend(order.into_iter().enumerate().map(|(at, waiting)| (*target, waiting, at + 1, count)));
        }
        all
    }

    /// How many runs are under way in a lane.
    #[must_use]
    pub fn active(&self, target: Target) -> usize {
        lock(&self.inner.lanes).get(&target).map_or(0, Lane::active)
    }

    /// Takes up what was left when the process ended: runs that wait go on waiting in their order, runs whose agent is done get
    /// their files listed, runs whose agent is gone end.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn recover(&self) -> Result<(), RunError> {
        let due = self.inner.config.store.due(Millis::MAX >> 1, usize::MAX >> 1).await?;
        let mut queued: Vec<(Millis, String, Order)> = Vec::new();
        for id in due {
            let cell = self.cell(id).await?;
            let live = cell.live.lock().await;
            let open: Vec<_> = live.open().map(|run| (run.id.clone(), run.phase.clone())).collect();
            let principal = live.principal.clone();
            drop(live);
            for (run, phase) in open {
                match phase {
                    Phase::Queued(order) => queued.push((order.face.accepted, principal.clone(), *order)),
                    Phase::Prepared(..) | Phase::Done { .. } => {}
                    Phase::Running(_) | Phase::Exporting(_) => {
                        let (runs, cell) = (self.clone(), Arc::clone(&cell));
                        self.inner.tasks.spawn(async move { runs.take_up(cell, run).await });
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
    pub async fn drain(&self, patience: std::time::Duration) {
        self.inner.stopping.cancel();
        self.inner.tasks.close();
        let _ = tokio::time::timeout(patience, self.inner.tasks.wait()).await;
    }
}

impl Cell {
    pub(super) fn handle(&self, run: &RunId) -> Option<Arc<Handle>> {
        lock(&self.handles).get(run).cloned()
    }

    pub(super) fn put_handle(&self, run: &RunId, handle: Arc<Handle>) {
        lock(&self.handles).insert(run.clone(), handle);
    }

    pub(super) fn drop_handle(&self, run: &RunId) {
        lock(&self.handles).remove(run);
    }
}
