//! How many bytes an owner may have: sessions in the store, and files.
//!
//! Must never count for itself what there is: that is measured elsewhere, and what comes in between is added. What makes room is
//! never refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::{HeaderMap, Method, header::CONTENT_LENGTH};
use tokio::sync::Notify;

use super::error::Error;

/// The room of one owner. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct OwnerQuota(Arc<Room>);

#[derive(Debug, Default)]
struct Room {
    /// What is allowed in bytes; nothing for no bound.
    allowed: Option<u64>,
    /// What was there when it was measured.
    measured: AtomicU64,
    /// What came since.
    since: AtomicU64,
    /// Somebody was refused, who may make room.
    refused: Notify,
}

impl OwnerQuota {
    /// So many bytes at most; no bound without.
    #[must_use]
    pub fn new(allowed: Option<u64>) -> Self {
        Self(Arc::new(Room { allowed, ..Room::default() }))
    }

    /// Whether there is a bound.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.0.allowed.is_some()
    }

    /// What has come so far beside what was measured: to be asked before it is measured anew.
    #[must_use]
    pub fn since(&self) -> u64 {
        self.0.since.load(Ordering::Relaxed)
    }

    /// It was measured: so many bytes are there, those of `since` among them. What came meanwhile may be counted twice until the next
    /// time, and is never forgotten.
    pub fn measured(&self, bytes: u64, since: u64) {
        self.0.measured.store(bytes, Ordering::Relaxed);
        self.0.since.fetch_sub(since, Ordering::Relaxed);
    }

    /// Bytes that are there, by what is known.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.0.measured.load(Ordering::Relaxed).saturating_add(self.0.since.load(Ordering::Relaxed))
    }

    /// Resolves when somebody was refused: it is worth measuring again.
    pub async fn was_refused(&self) {
        self.0.refused.notified().await;
    }

    /// Lets in what adds to what the owner has, if there is room.
    pub(crate) fn admit(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Error> {
        let Some(allowed) = self.0.allowed else { return Ok(()) };
        if !adds(method, path) {
            return Ok(());
        }
        let used = self.used();
        if used >= allowed {
            self.0.refused.notify_one();
            return Err(Error::QuotaExceeded { used, allowed });
        }
        let length = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse::<u64>().ok());
        self.0.since.fetch_add(length.unwrap_or_default(), Ordering::Relaxed);
        Ok(())
    }
}

/// Whether a request may leave something behind.
fn adds(method: &Method, path: &str) -> bool {
    let is_free = matches!(path, "/v1/view" | "/v1/compare" | "/healthz" | "/readyz")
        || path.ends_with("/cancel")
        || path.ends_with("/settings");
    match *method {
        Method::POST | Method::PUT | Method::PATCH => !is_free,
        // A socket over which tasks are given.
        _ => path == "/acp",
    }
}
