//! `GET /v1/sessions/{key}/events`: listens to the newest answer of a session.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;

use super::sessions::named;
use super::{head, wanted};
use crate::error::Error;
use crate::listening::SseResponse;
use crate::server::Server;
use crate::service::{AnswerEvents, Service};
use crate::wire::{ChatStream, DEFAULT_MODEL};
use crate::{headers, reply};

/// Streams the newest answer as chat chunks, from its beginning or behind `Last-Event-ID`.
pub(crate) async fn listen<S: Service>(
    State(server): State<Arc<Server<S>>>,
    key: Result<Path<String>, PathRejection>,
    request_headers: HeaderMap,
) -> Result<Response, Error> {
    let key = named(key)?;
    let wants_events = headers::wants_events(&request_headers)?;
    let mut answering = server.service.listen(&key).await?;
    let head = head(&answering, DEFAULT_MODEL.to_owned());
    let wanted = wanted(headers::last_event_id(&request_headers), &answering, false, wants_events);
    if let Some(behind) = wanted.behind {
        answering.resume_after(behind.position);
    }
    let stream = ChatStream::new(&head, wanted, Vec::new());
    let described = reply::description(&answering);
    let response = SseResponse::new(answering, Arc::clone(&server.metrics))
        .stream(stream, server.limits.heartbeat)
        .await;
    Ok(reply::described(response, described))
}
