//! The server over HTTP, as a route of another server that lets in only whom it knows.
//!
//! Every request stands for itself: there are no sessions, whatever the revision of the protocol.

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::{McpDocuments, McpServer, McpTools};

/// A service for requests of the protocol. Host, origin and token are checked by who calls it.
#[must_use]
pub fn http_service(documents: Arc<McpDocuments>) -> StreamableHttpService<McpServer, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let server = McpServer::new(documents, McpTools::default());
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config)
}
