//! A request on its way to its session.

use std::sync::Arc;

use super::idempotency::KeyClaim;
use super::request::TurnRequest;
use super::toolbox::Toolbox;

/// A request with what was found out about it before its session was asked.
pub(super) struct PreparedRequest {
    pub(super) request: TurnRequest,
    /// Its idempotency key, if it has one.
    pub(super) claim: Option<KeyClaim>,
    /// The tools of the workspace that the request names.
    pub(super) toolbox: Option<Arc<dyn Toolbox>>,
}
