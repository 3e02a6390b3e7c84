//! Who works on a session, where several processes share a store.
//!
//! Must never let two work on one session: the store refuses what a holder writes whose lease is another's by now.

use std::time::Duration;

use engross_protocol::SessionId;
use engross_store::Fence;

use super::config::SessionsConfig;
use super::error::{RefusalKind, RequestError};
use super::record;

/// How long a lease holds without being renewed, in milliseconds: so long a session rests when its process dies.
pub(super) const TTL: u64 = 15_000;

/// How long a request waits for another process to be done.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often it looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Takes the lease; `None` where the store is this process's own.
pub(super) async fn take(config: &SessionsConfig, id: SessionId) -> Result<Option<Fence>, RequestError> {
    let Some(node) = &config.node else { return Ok(None) };
    let tries = PATIENCE.as_millis() / PAUSE.as_millis();
    for _ in 0..tries {
        let lease = config.store.lease(id, node, config.clock.millis(), TTL).await;
        if let Some(fence) = lease.map_err(|error| record::refusal(&error))? {
            return Ok(Some(fence));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(busy())
}

fn busy() -> RequestError {
    RequestError::new(
        RefusalKind::Busy,
        "SESSION_BUSY",
        "another server works on this session; try again once it has answered",
    )
    .retry_after(1)
}

/// Takes the lease if nobody has it.
pub(super) async fn take_now(config: &SessionsConfig, id: SessionId) -> Result<Option<Fence>, RequestError> {
    let Some(node) = &config.node else { return Ok(None) };
    let lease = config.store.lease(id, node, config.clock.millis(), TTL).await;
    match lease.map_err(|error| record::refusal(&error))? {
        Some(fence) => Ok(Some(fence)),
        None => Err(busy()),
    }
}

/// Gives the lease back. One that cannot be given back runs out.
pub(super) async fn give_back(config: &SessionsConfig, id: SessionId, fence: Option<Fence>) {
    if let Some(fence) = fence
        && let Err(error) = config.store.release(id, fence).await
    {
        tracing::warn!(session = %id, code = error.code(), "a lease was not given back: {error}");
    }
}

/// Renews the lease again and again; resolves only when it is lost.
pub(super) async fn keep(config: &SessionsConfig, id: SessionId, fence: Option<Fence>) {
    let (Some(node), Some(fence)) = (&config.node, fence) else { return std::future::pending().await };
    loop {
        tokio::time::sleep(Duration::from_millis(TTL / 3)).await;
        match config.store.lease(id, node, config.clock.millis(), TTL).await {
            Ok(Some(renewed)) if renewed == fence => {}
            // The store may be back before the lease has run out.
            Err(error) => {
                tracing::warn!(session = %id, code = error.code(), "a lease was not renewed: {error}");
            }
            Ok(_) => return,
        }
    }
}
