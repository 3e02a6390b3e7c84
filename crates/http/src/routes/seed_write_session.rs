//! `/api/write-session`: the same sessions in the shapes of the routes that came first.
//!
//! Must never answer 500 for what the client can put right.

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::response::Response;
use engross_write::runner::WriteSessionId;
use engross_write::session::State as Stage;
use engross_write::{Error as WriteError, WriteFailure};
use serde_json::{Value, json};

use super::write_sessions::{Writes, client, json as body_of, parameter, parsed};
use crate::body;
use crate::error::Error;
use crate::wire::{
    begun_body, fails_request, seed_begin_request, seed_finalised_body, seed_request, seed_status_body,
};

/// Content in JSON may be so long: twice the longest file, as line ends are escaped.
const BODY: usize = 136 * 1024 * 1024;

type WritesState = State<Arc<Writes>>;

/// Begins a session. `DONE` alone on a line ends it at once.
pub(super) async fn begin(State(writes): WritesState, request: Request) -> Result<Response, Error> {
    let client = client(&request)?;
    let options = seed_begin_request(&writes.read(request).await?)?;
    let view = writes.service.begin_for(client, options).await?;
    Ok(body_of(&begun_body(&view)))
}

/// Finalises a session, with all of its content or with what was streamed.
pub(super) async fn finalise(State(writes): WritesState, request: Request) -> Result<Response, Error> {
    let (parts, sent) = request.into_parts();
    let bytes = match body::read_up_to(BODY, &parts.headers, sent, &writes.limits).await {
        Err(Error::BodyTooLarge { .. }) => return Err(WriteError::TooLarge { limit: BODY as u64 }.into()),
        read => read?,
    };
    let asked = seed_request(&bytes)?;
    drop(bytes);
    let id = parsed(&asked.session_id)?;
    let before = known(&writes, id)?;
    let done = match asked.content {
        Some(Value::String(content)) => writes.service.whole(id, content.into_bytes()).await,
        Some(_) => Err(WriteError::Options("'content' is to be a text".to_owned()).into()),
        None if before == Stage::Open => Err(WriteError::EmptyContent.into()),
        None => writes.service.finalise(id).await,
    };
    let view = done.map_err(|problem| writes.refused(id, problem))?;
    match &view.problem {
        Some(problem) if problem.code == "EMPTY_CONTENT" || fails_request(&view) => {
            Err(writes.refused(id, problem.clone()))
        }
        _ => Ok(body_of(&seed_finalised_body(&view))),
    }
}

/// A session that is not over.
pub(super) async fn status(State(writes): WritesState, RawQuery(query): RawQuery) -> Result<Response, Error> {
    let id = parameter(query.as_deref(), "session_id");
    let missing = || WriteError::Options("'session_id' is to be in the query".to_owned());
    let id = parsed(id.ok_or_else(missing)?)?;
    if known(&writes, id)?.is_final() {
        return Err(WriteError::SessionNotFound(id.to_string()).into());
    }
    Ok(body_of(&seed_status_body(&writes.service.sessions().get(id)?)))
}

/// Gives a session up.
pub(super) async fn cancel(State(writes): WritesState, request: Request) -> Result<Response, Error> {
    let asked = seed_request(&writes.read(request).await?)?;
    let id = parsed(&asked.session_id)?;
    if known(&writes, id)?.is_final() {
        return Err(WriteError::SessionNotFound(id.to_string()).into());
    }
    writes.service.cancel(id).await?;
    Ok(body_of(&json!({"success": true, "session_id": id})))
}

/// Where a session stands. One that was given up is as good as none.
fn known(writes: &Writes, id: WriteSessionId) -> Result<Stage, WriteFailure> {
    let view = writes.service.sessions().get(id)?;
    match view.state {
        Stage::Cancelled => Err(WriteError::SessionNotFound(id.to_string()).into()),
        state => Ok(state),
    }
}
