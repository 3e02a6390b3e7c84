//! `GET /healthz`, `/readyz` and `/metrics`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::json;

use crate::reply;
use crate::server::Server;
use crate::service::Service;

/// The process runs.
pub(crate) async fn live() -> Response {
    reply::json(r#"{"ok":true,"status":"live"}"#)
}

/// Requests can be accepted; else 503, naming what fails.
pub(crate) async fn ready<S: Service>(State(server): State<Arc<Server<S>>>) -> Response {
    let failing = server.service.failing().await;
    let mut response = reply::json(json!({"ready": failing.is_empty(), "failing": failing}).to_string());
    if !failing.is_empty() {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response
}

/// The counters.
pub(crate) async fn metrics<S: Service>(State(server): State<Arc<Server<S>>>) -> Response {
    let mut response = reply::json(server.metrics.text(server.service.running(), server.service.waiting()));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
