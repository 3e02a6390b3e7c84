//! Which path of write sessions leads where.
//!
//! Must never answer a request itself.

use std::sync::Arc;

use axum::Router;
use axum::routing::{delete, get, post};
use engross_write::runner::WriteService;

use super::seed_write_session as seed;
use super::write_sessions::{Writes, begin, cancel, events, finalise, list, look, patch, send, turn_end};
use crate::limits::Limits;

/// The routes of write sessions, those of the seed too.
pub fn router(service: WriteService, limits: Limits) -> Router {
    Router::new()
        .route("/v1/write-sessions", post(begin).get(list))
        .route("/v1/write-sessions/{id}", get(look).patch(send).delete(cancel))
        .route("/v1/write-sessions/{id}/turn-end", post(turn_end))
        .route("/v1/write-sessions/{id}/finalize", post(finalise))
        .route("/v1/write-sessions/{id}/patch", post(patch))
        .route("/v1/write-sessions/{id}/events", get(events))
        .route("/api/write-session/begin", post(seed::begin))
        .route("/api/write-session/finalize", post(seed::finalise))
        .route("/api/write-session/status", get(seed::status))
        .route("/api/write-session", delete(seed::cancel))
        .with_state(Arc::new(Writes { service, limits }))
}
