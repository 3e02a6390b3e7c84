//! The leases of logs, where several processes share a store: taken one by one, and renewed together for as long as they are held,
//! whatever their holders do meanwhile.
//!
//! Must never let two processes work on one log: the store refuses what a holder writes whose lease is another's by now.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use engross_protocol::{Clock, SessionId};
use engross_store::{Fence, Store};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::error::Error;

/// How long a lease holds without being renewed, in milliseconds: so long a log rests when its process dies.
const TTL: u64 = 4_500;

/// How often all leases are renewed that this process holds.
const RENEWAL: Duration = Duration::from_millis(TTL / 3);

/// How long is waited for another process to be done: longer than the lease of a process that died.
const PATIENCE: Duration = Duration::from_secs(6);

/// How often the store is asked meanwhile.
const PAUSE: Duration = Duration::from_millis(50);

/// Takes leases in the name of this process, and keeps those that it holds.
pub(crate) struct Leases {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// The name of this process; none where the store is its own, and no leases are needed.
    holder: Option<String>,
    /// Where leases are taken and released that nobody waits for any more.
    pub(crate) tasks: TaskTracker,
    held: Mutex<HeldLeases>,
}

#[derive(Default)]
struct HeldLeases {
    /// Each with its fence, and what is cancelled when it is lost.
    leases: HashMap<SessionId, (Fence, CancellationToken)>,
    /// The one task that renews them, while there are some. It ends with this.
    renewing: JoinSet<()>,
    is_renewing: bool,
}

impl Leases {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        holder: Option<String>,
        tasks: TaskTracker,
    ) -> Self {
        Self { store, clock, holder, tasks, held: Mutex::default() }
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Whether the store is shared, so that a log may be changed with its lease alone.
    pub(crate) fn are_needed(&self) -> bool {
        self.holder.is_some()
    }

    /// Takes a lease, and renews it until it is given back or let go; none where none is needed. `waits` says whether to wait for
    /// another process.
    pub(crate) async fn take(self: &Arc<Self>, id: SessionId, waits: bool) -> Result<Option<Fence>, Error> {
        let Some(holder) = &self.holder else { return Ok(None) };
        let tries = if waits { PATIENCE.as_millis() / PAUSE.as_millis() } else { 1 };
        for attempt in 1..=tries {
            if let Some(fence) = self.store.lease(id, holder, self.clock.millis(), TTL).await? {
                self.hold(id, fence);
                return Ok(Some(fence));
            }
            if attempt < tries {
                tokio::time::sleep(PAUSE).await;
            }
        }
        Err(Error::Leased)
    }

    /// Gives a lease back. If that fails it expires.
    pub(crate) async fn release(&self, id: SessionId, fence: Fence) {
        self.let_go(id, fence);
        if let Err(error) = self.store.release(id, fence).await {
            tracing::warn!(session = %id, code = error.code(), "a lease was not given back: {error}");
        }
    }

    /// Renews a lease no longer: where it is not given back, it expires.
    pub(crate) fn let_go(&self, id: SessionId, fence: Fence) {
        let mut held = self.held();
        if held.leases.get(&id).is_some_and(|(own, _)| *own == fence) {
            held.leases.remove(&id);
        }
    }

    /// Resolves when a lease that is held is lost.
    pub(crate) fn lost(
        &self,
        id: SessionId,
        fence: Option<Fence>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let held = self.held();
        let own = held.leases.get(&id).filter(|(own, _)| Some(*own) == fence);
        // One that is not held any more, though somebody has its fence, is lost.
        let lost = own.map(|(_, lost)| lost.clone());
        drop(held);
        async move {
            match (lost, fence) {
                (Some(lost), _) => lost.cancelled().await,
                (None, Some(_)) => {}
                (None, None) => std::future::pending().await,
            }
        }
    }

    fn hold(self: &Arc<Self>, id: SessionId, fence: Fence) {
        let mut held = self.held();
        held.leases.insert(id, (fence, CancellationToken::new()));
        if !held.is_renewing {
            held.is_renewing = true;
            while held.renewing.try_join_next().is_some() {}
            held.renewing.spawn(renew(Arc::downgrade(self)));
        }
    }

    /// Renews all leases that are held; `false` when there is none.
    async fn renew_all(&self) -> bool {
        let Some(holder) = &self.holder else { return false };
        let all = self.all();
        if all.is_empty() {
            return false;
        }
        match self.store.renew(&all, holder, self.clock.millis(), TTL).await {
            Ok(lost) => self.lose(&lost, &all.into_iter().collect()),
            // The store may be back before the leases have run out.
            Err(error) => {
                tracing::warn!(code = error.code(), leases = all.len(), "leases were not renewed: {error}");
            }
        }
        true
    }

    /// All leases that are held. Where there is none, the one who asked renews no longer.
    fn all(&self) -> Vec<(SessionId, Fence)> {
        let mut held = self.held();
        held.is_renewing = !held.leases.is_empty();
        held.leases.iter().map(|(id, (fence, _))| (*id, *fence)).collect()
    }

    /// Tells the holders of leases that are lost, unless they have given them back since they were asked for, or taken them anew.
    fn lose(&self, lost: &[SessionId], asked: &HashMap<SessionId, Fence>) {
        let mut held = self.held();
        for id in lost {
            if held.leases.get(id).is_some_and(|(own, _)| asked.get(id) == Some(own))
                && let Some((_, told)) = held.leases.remove(id)
            {
                told.cancel();
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, HeldLeases> {
        // Nothing is half done where it is held.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Renews again and again, until no lease is held.
async fn renew(leases: Weak<Leases>) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        match leases.upgrade() {
            Some(leases) if leases.renew_all().await => {}
            _ => return,
        }
    }
}
