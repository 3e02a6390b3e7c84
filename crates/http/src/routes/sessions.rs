//! `/v1/sessions/{key}`: looks at a session, sets it, stops its turn.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::response::Response;
use engross_agent::session::SessionName;
use serde_json::json;

use crate::error::Error;
use crate::server::Server;
use crate::service::Service;
use crate::wire::{
    page_of_messages, session_body, session_query, sessions_body, sessions_query, settings_request,
};
use crate::{body, keys, reply};

type Key = Result<Path<String>, PathRejection>;

/// The session with its conversation.
pub(crate) async fn look<S: Service>(
    State(server): State<Arc<Server<S>>>,
    key: Key,
    RawQuery(query): RawQuery,
) -> Result<Response, Error> {
    let page = session_query(&query.unwrap_or_default())?;
    let view = server.service.look(&named(key)?).await?;
    let shown = page_of_messages(&page, view.session.messages.len());
    Ok(reply::json(session_body(&view, shown).to_string()))
}

/// A page of all sessions, the newest first.
pub(crate) async fn list<S: Service>(
    State(server): State<Arc<Server<S>>>,
    RawQuery(query): RawQuery,
) -> Result<Response, Error> {
    let (limit, after) = sessions_query(&query.unwrap_or_default())?;
    let sessions = server.service.page(after, limit + 1).await?;
    Ok(reply::json(sessions_body(sessions, limit).to_string()))
}

/// Deletes the session for good.
pub(crate) async fn remove<S: Service>(
    State(server): State<Arc<Server<S>>>,
    key: Key,
) -> Result<Response, Error> {
    let id = server.service.delete(&named(key)?).await?;
    Ok(reply::json(json!({"id": id, "object": "engross.session", "deleted": true}).to_string()))
}

/// What is set for the session; the rest is as the server has it.
pub(crate) async fn settings<S: Service>(
    State(server): State<Arc<Server<S>>>,
    key: Key,
) -> Result<Response, Error> {
    let view = server.service.look(&named(key)?).await?;
    Ok(reply::json(json!(view.session.settings).to_string()))
}

/// Sets it, all anew.
pub(crate) async fn configure<S: Service>(
    State(server): State<Arc<Server<S>>>,
    key: Key,
    request: Request,
) -> Result<Response, Error> {
    let key = named(key)?;
    let (parts, body) = request.into_parts();
    let bytes = body::read(&parts.headers, body, &server.limits).await?;
    let settings = settings_request(&bytes)?;
    let set = json!(settings).to_string();
    server.service.configure(&key, settings).await?;
    Ok(reply::json(set))
}

/// Stops the turn that runs or waits for its client.
pub(crate) async fn cancel<S: Service>(
    State(server): State<Arc<Server<S>>>,
    key: Key,
) -> Result<Response, Error> {
    let cancelled = server.service.cancel(&named(key)?).await?;
    Ok(reply::json(json!({"cancelled": cancelled}).to_string()))
}

/// The key in the path.
pub(super) fn named(key: Key) -> Result<SessionName, Error> {
    let Path(raw) = key.map_err(|_| Error::SessionKeyInvalid {
        problem: "The session key in the path is not UTF-8. Percent-encode it as UTF-8.".to_owned(),
    })?;
    Ok(SessionName::Named(keys::canonical(&raw)?))
}
