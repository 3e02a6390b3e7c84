//! Bounds on what requests may take.
//!
//! Must never know a route.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

/// Bounds of the server. Clones share what all requests share.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Largest body in bytes.
    pub body: usize,
    /// Longest wait for the next piece of a body.
    pub body_idle: Duration,
    /// Longest wait for a body as a whole.
    pub body_whole: Duration,
    /// What the bodies of all requests may hold together.
    pub bodies: BodyBudget,
    /// Longest silence of a stream.
    pub heartbeat: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 20 * 1024 * 1024,
            body_idle: Duration::from_secs(30),
            body_whole: Duration::from_secs(300),
            bodies: BodyBudget::new(128 << 20),
            heartbeat: Duration::from_secs(15),
        }
    }
}

/// The unit of the budget.
pub(super) const UNIT: usize = 1024;

/// So many units are taken at once, so that a body is not counted with each of its pieces.
pub(super) const STEP: usize = 64;

/// What the bodies of all requests may hold together. Clones are the same one.
#[derive(Debug, Clone)]
pub struct BodyBudget {
    pub(super) units: Arc<Semaphore>,
    pub(super) all: usize,
}

impl BodyBudget {
    /// A budget of so many bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let all = (bytes / UNIT).clamp(STEP, Semaphore::MAX_PERMITS);
        Self { units: Arc::new(Semaphore::new(all)), all }
    }
}
