//! The server for the clients of agents as a route of `serve`: the documents of all workspaces, behind the same front door.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use engross_documents::DeliveryListener;
use engross_http::Documents;
use engross_mcp::{McpDocuments, http_service};
use engross_protocol::{Failure, SystemClock};
use engross_store::files::{Locks, Root};

/// `/mcp`, with documents edited as `of` says. `listener` is told of what is written beneath the root, whose absolute path is `place`.
pub(super) fn routes(
    root: &Root,
    locks: &Locks,
    of: &Documents,
    (listener, place): (Option<Arc<dyn DeliveryListener>>, PathBuf),
) -> Result<Router, Failure> {
    let documents =
        McpDocuments::of_workspaces(root.top(), locks.clone(), &of.author, Arc::new(SystemClock))?;
    let documents = documents.isolated(of.isolation.clone());
    let documents = documents.heard_by(listener, place);
    Ok(Router::new().route_service("/mcp", http_service(Arc::new(documents))))
}
