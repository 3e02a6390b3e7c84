//! Which path of tasks leads where.
//!
//! Must never answer a request itself.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{any, get, post};
use engross_tasks::rpc::Bridge;

use super::a2a;
use super::acp::{Acp, answer, gone, ping};
use super::{acp_download, acp_socket};
use crate::limits::Limits;

/// How often a silent stream says that it is alive.
const KEEPALIVE: Duration = Duration::from_secs(20);

/// The routes of the tasks of one owner, who has the bridge alone.
/// `is_locked`: a token is needed.
pub fn router(bridge: Bridge, limits: Limits, principal: &str, is_locked: bool) -> Router {
    around(Acp { principal: principal.to_owned(), bridge, limits, keepalive: KEEPALIVE, is_locked })
}

#[cfg(any(test, feature = "testing"))]
/// Those of the default owner with another pace.
pub fn with_keepalive(bridge: Bridge, limits: Limits, keepalive: Duration) -> Router {
    around(Acp { principal: String::new(), bridge, limits, keepalive, is_locked: false })
}

fn around(acp: Acp) -> Router {
    Router::new()
        .route("/acp/rpc", any(answer))
        .route("/acp", any(acp_socket::open))
        .route("/artifacts/openclaw/download", get(acp_download::download))
        .route("/a2a", post(a2a::answer))
        .route("/.well-known/agent-card.json", get(a2a::card))
        .route("/api/ping", get(ping))
        .route("/acp-server", any(gone))
        .route("/acp-server/{*rest}", any(gone))
        .route("/gateway/{*rest}", any(gone))
        .with_state(Arc::new(acp))
}
