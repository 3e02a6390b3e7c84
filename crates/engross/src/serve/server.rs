//! What the routes share.

use std::sync::Arc;
use std::time::Duration;

use engross_protocol::{Clock, IdSource};

use super::access::Access;
use super::documents::Documents;
use super::metrics::Metrics;

/// Bounds of the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Largest body in bytes.
    pub(crate) body: usize,
    /// Longest wait for the next piece of a body.
    pub(crate) body_idle: Duration,
    /// Longest silence of a stream.
    pub(crate) heartbeat: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 20 * 1024 * 1024,
            body_idle: Duration::from_secs(30),
            heartbeat: Duration::from_secs(15),
        }
    }
}

/// What the routes share.
pub(crate) struct Server<S> {
    /// Answers requests to sessions.
    pub(crate) service: S,
    /// The documents that sessions work on.
    pub(crate) documents: Documents,
    /// Tells the time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Makes ids of requests.
    pub(crate) ids: Arc<dyn IdSource>,
    /// Who may use the server.
    pub(crate) access: Access,
    /// Whether only models that are listed are accepted.
    pub(crate) strict_models: bool,
    /// Bounds.
    pub(crate) limits: Limits,
    /// Counters.
    pub(crate) metrics: Arc<Metrics>,
}
