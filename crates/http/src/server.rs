//! What the routes share.

use std::sync::Arc;
use std::time::Duration;

use engross_protocol::{Clock, IdSource};

use super::access::Access;
use super::documents::Documents;
use super::metrics::Metrics;

/// Bounds of the server.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Largest body in bytes.
    pub body: usize,
    /// Longest wait for the next piece of a body.
    pub body_idle: Duration,
    /// Longest silence of a stream.
    pub heartbeat: Duration,
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
pub struct Server<S> {
    /// Answers requests to sessions.
    pub service: S,
    /// The documents that sessions work on.
    pub documents: Documents,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids of requests.
    pub ids: Arc<dyn IdSource>,
    /// Who may use the server.
    pub access: Access,
    /// Whether only models that are listed are accepted.
    pub strict_models: bool,
    /// Bounds.
    pub limits: Limits,
    /// Counters.
    pub metrics: Arc<Metrics>,
}
