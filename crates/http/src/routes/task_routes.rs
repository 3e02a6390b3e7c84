//! Which path of tasks leads where.
//!
//! Must never answer a request itself.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{any, get};
use engross_tasks::rpc::Bridge;

use super::acp::{Acp, answer, gone, ping};
use super::{acp_download, acp_socket};
use crate::limits::Limits;

/// How often a silent stream says that it is alive.
const KEEPALIVE: Duration = Duration::from_secs(20);

/// The routes of the tasks of one owner, who has the bridge alone.
pub fn router(bridge: Bridge, limits: Limits, principal: &str) -> Router {
    around(Acp { principal: principal.to_owned(), bridge, limits, keepalive: KEEPALIVE })
}

#[cfg(any(test, feature = "testing"))]
/// Those of the default owner with another pace.
pub fn with_keepalive(bridge: Bridge, limits: Limits, keepalive: Duration) -> Router {
    around(Acp { principal: String::new(), bridge, limits, keepalive })
}

fn around(acp: Acp) -> Router {
    Router::new()
        .route("/acp/rpc", any(answer))
        .route("/acp", any(acp_socket::open))
        .route("/artifacts/openclaw/download", get(acp_download::download))
        .route("/api/ping", get(ping))
        .route("/acp-server", any(gone))
        .route("/acp-server/{*rest}", any(gone))
        .route("/gateway/{*rest}", any(gone))
        .with_state(Arc::new(acp))
}
