//! The lease of a log, where several processes share a store.
//!
//! Must never let two processes work on one log: the store refuses what a holder writes whose lease is another's by now.

use std::sync::Arc;
use std::time::Duration;

use engross_protocol::{Clock, SessionId};
use engross_store::{Fence, Store};
use tokio_util::task::TaskTracker;

use super::error::Error;

/// How long a lease holds without being renewed, in milliseconds: so long a log rests when its process dies.
const TTL: u64 = 4_500;

/// How long is waited for another process to be done: longer than the lease of a process that died.
const PATIENCE: Duration = Duration::from_secs(6);

/// How often the store is asked meanwhile.
const PAUSE: Duration = Duration::from_millis(50);

/// Takes leases in the name of this process.
pub(crate) struct Leases {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    /// The name of this process; none where the store is its own, and no leases are needed.
    pub(crate) holder: Option<String>,
    /// Where leases are taken and released that nobody waits for any more.
    pub(crate) tasks: TaskTracker,
}

impl Leases {
    /// Takes a lease; none where none is needed. `waits` says whether to wait for another process.
    pub(crate) async fn take(&self, id: SessionId, waits: bool) -> Result<Option<Fence>, Error> {
        let Some(holder) = &self.holder else { return Ok(None) };
        let tries = if waits { PATIENCE.as_millis() / PAUSE.as_millis() } else { 1 };
        for attempt in 1..=tries {
            let lease = self.store.lease(id, holder, self.clock.millis(), TTL).await?;
            if lease.is_some() {
                return Ok(lease);
            }
            if attempt < tries {
                tokio::time::sleep(PAUSE).await;
            }
        }
        Err(Error::Leased)
    }

    /// Releases a lease. If that fails it expires.
    pub(crate) async fn release(&self, id: SessionId, fence: Fence) {
        if let Err(error) = self.store.release(id, fence).await {
            tracing::warn!(session = %id, code = error.code(), "a lease was not given back: {error}");
        }
    }

    /// Renews a lease again and again; resolves only when it is lost.
    pub(crate) async fn keep(&self, id: SessionId, fence: Option<Fence>) {
        let (Some(holder), Some(fence)) = (&self.holder, fence) else { return std::future::pending().await };
        loop {
            tokio::time::sleep(Duration::from_millis(TTL / 3)).await;
            match self.store.lease(id, holder, self.clock.millis(), TTL).await {
                Ok(Some(renewed)) if renewed == fence => {}
                // The store may be back before the lease has run out.
                Err(error) => {
                    tracing::warn!(session = %id, code = error.code(), "a lease was not renewed: {error}");
                }
                Ok(_) => return,
            }
        }
    }
}
