//! `/v1/write-sessions`: files that are streamed.
//!
//! Must never hold more of a body than one piece while the piece before is being written.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use engross_write::runner::{
    ChunkEnd, WriteCaller, WriteListener, WriteService, WriteSessionId, WriteSessionView,
};
use engross_write::{Error as WriteError, WriteFailure};
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::Value;
use tokio::time::timeout;

use crate::access::Caller;
use crate::body::BodyBytes;
use crate::connections::Peer;
use crate::error::Error;
use crate::headers::{self, LAST_EVENT_ID};
use crate::limits::Limits;
use crate::wire::{
    Out, WriteRefusal, begin_request, begun_body, fails_request, finalise_request, news_event, patch_request,
    state_body, turn_end_request, view_body, views_body,
};
use crate::{body, reply};

/// A body is written in pieces of so many bytes, if they come so fast.
const PIECE: usize = 256 * 1024;

/// What comes in pieces of this size is written as it came, and not gathered first.
const LARGE: usize = 64 * 1024;

/// How long a body may be silent: a model may think for long.
const SILENCE: Duration = Duration::from_secs(300);

/// What the routes share.
pub(crate) struct Writes {
    pub(crate) service: WriteService,
    pub(crate) limits: Limits,
}

type WritesState = State<Arc<Writes>>;
type Id = Result<Path<String>, PathRejection>;

impl Writes {
    /// The body of a request that is no content.
    pub(crate) async fn read(&self, request: Request) -> Result<BodyBytes, Error> {
        let (parts, body) = request.into_parts();
        body::read(&parts.headers, body, &self.limits).await
    }

    /// A refusal with the session as it stands.
    pub(crate) fn refused(&self, id: WriteSessionId, problem: WriteFailure) -> Error {
        let view = self.service.sessions().get(id).ok();
        Error::Write(WriteRefusal::of(problem, view))
    }

    /// The sender says that it has come to `offset`.
    pub(crate) async fn confirm(&self, id: WriteSessionId, offset: Option<u64>) -> Result<(), Error> {
        let Some(offset) = offset else { return Ok(()) };
        let view = self.service.sessions().get(id)?;
        if view.state.is_final() {
            return Ok(());
        }
        if view.offset != offset {
            let problem = "is not all that has come";
            let mismatch = WriteError::OffsetMismatch { offset, expected: view.offset, problem };
            return Err(self.refused(id, mismatch.into()));
        }
        let confirmed = self.service.chunk(id, Some(offset), Vec::new(), ChunkEnd::Whole).await;
        confirmed.map(drop).map_err(|problem| self.refused(id, problem))
    }
}

pub(super) async fn begin(State(writes): WritesState, request: Request) -> Result<Response, Error> {
    let client = client(&request)?;
    let options = begin_request(&writes.read(request).await?)?;
    let view = writes.service.begin_for(client, options).await?;
    let mut response = json(&begun_body(&view));
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

pub(super) async fn list(State(writes): WritesState) -> Response {
    json(&views_body(&writes.service.sessions().list()))
}

pub(super) async fn look(State(writes): WritesState, id: Id) -> Result<Response, Error> {
    Ok(json(&view_body(&writes.service.sessions().get(named(id)?)?)))
}

pub(super) async fn cancel(State(writes): WritesState, id: Id) -> Result<Response, Error> {
    Ok(json(&state_body(&writes.service.cancel(named(id)?).await?)))
}

pub(super) async fn turn_end(
    State(writes): WritesState,
    id: Id,
    request: Request,
) -> Result<Response, Error> {
    let id = named(id)?;
    let (finish, offset) = turn_end_request(&writes.read(request).await?)?;
    writes.confirm(id, offset).await?;
    let done = writes.service.turn_end(id, finish).await;
    answer(done.map_err(|problem| writes.refused(id, problem))?)
}

pub(super) async fn finalise(
    State(writes): WritesState,
    id: Id,
    request: Request,
) -> Result<Response, Error> {
    let id = named(id)?;
    let asked = finalise_request(&writes.read(request).await?)?;
    // In one step: the loss of a connection that the sender has left may be noticed at any moment.
    let done = match asked.offset {
        Some(offset) => writes.service.finalise_at(id, offset).await,
        None => writes.service.finalise(id).await,
    };
    let view = done.map_err(|problem| writes.refused(id, problem))?;
    match &view.problem {
        Some(problem) if problem.code == "EMPTY_CONTENT" => Err(writes.refused(id, problem.clone())),
        _ => answer(view),
    }
}

pub(super) async fn patch(State(writes): WritesState, id: Id, request: Request) -> Result<Response, Error> {
    let id = named(id)?;
    let spec = patch_request(&writes.read(request).await?)?;
    let done = writes.service.patch(id, spec).await;
    answer(done.map_err(|problem| writes.refused(id, problem))?)
}

/// Takes content as it comes. Answers when all of it is durable.
pub(super) async fn send(
    State(writes): WritesState,
    id: Id,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, Error> {
    let id = named(id)?;
    let offset = parameter(query.as_deref(), "offset").map(str::parse::<u64>).transpose();
    let offset = offset.map_err(|_| WriteError::Options("'offset' is to be a number from 0".to_owned()))?;
    writes.service.sessions().get(id)?;
    let mut pieces = request.into_body().into_data_stream();
    let mut gone = ClientGone { writes: Arc::clone(&writes), id, is_armed: true };
    let sent = stream_in(&writes.service, id, offset, &mut pieces).await;
    gone.is_armed = matches!(sent, Err(Error::BodyIncomplete));
    let view = match sent {
        Ok(view) => view,
        Err(Error::Write(refusal)) => return Err(writes.refused(id, refusal.problem)),
        Err(error) => return Err(error),
    };
    answer(view)
}

async fn stream_in(
    service: &WriteService,
    id: WriteSessionId,
    offset: Option<u64>,
    pieces: &mut BodyDataStream,
) -> Result<WriteSessionView, Error> {
    let mut at = offset;
    let mut piece = gather(pieces).await?;
    loop {
        let length = piece.bytes.len() as u64;
        if piece.follows != Follows::More {
            let view = service.chunk(id, at, piece.bytes, ChunkEnd::Whole).await?;
            return if piece.follows == Follows::Nothing { Ok(view) } else { Err(Error::BodyIncomplete) };
        }
        // While one piece is written, the next one comes.
        let written = service.chunk(id, at, piece.bytes, ChunkEnd::More);
        let (view, next) = tokio::join!(written, gather(pieces));
        let view = view?;
        if view.state.is_final() {
            return Ok(view);
        }
        at = at.map(|at| at + length);
        piece = next?;
    }
}

/// Some of a body.
struct Piece {
    bytes: Bytes,
    follows: Follows,
}

/// What comes behind a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    More,
    Nothing,
    /// More was announced, and the connection is gone. What has come is kept.
    Loss,
}

/// The next piece: what is there, at least one byte if there is more at all.
async fn gather(pieces: &mut BodyDataStream) -> Result<Piece, Error> {
    let mut bytes: Vec<u8> = Vec::new();
    loop {
        let next = if bytes.is_empty() {
            timeout(SILENCE, pieces.next()).await.map_err(|_| Error::BodyIncomplete)?
        } else {
            match pieces.next().now_or_never() {
                Some(next) => next,
                None => return Ok(Piece { bytes: bytes.into(), follows: Follows::More }),
            }
        };
        let Some(next) = next else { return Ok(Piece { bytes: bytes.into(), follows: Follows::Nothing }) };
        let Ok(next) = next else { return Ok(Piece { bytes: bytes.into(), follows: Follows::Loss }) };
        if bytes.is_empty() && next.len() >= LARGE {
            return Ok(Piece { bytes: next, follows: Follows::More });
        }
        bytes.extend_from_slice(&next);
        if bytes.len() >= PIECE {
            return Ok(Piece { bytes: bytes.into(), follows: Follows::More });
        }
    }
}

/// Tells a session that its sender is gone, however the request ends.
struct ClientGone {
    writes: Arc<Writes>,
    id: WriteSessionId,
    is_armed: bool,
}

impl Drop for ClientGone {
    fn drop(&mut self) {
        if self.is_armed {
            self.writes.service.disconnect(self.id);
        }
    }
}

/// Streams what happens, from the beginning or behind `Last-Event-ID`.
pub(super) async fn events(
    State(writes): WritesState,
    id: Id,
    headers: HeaderMap,
) -> Result<Response, Error> {
    let last = headers.get(LAST_EVENT_ID).and_then(|last| last.to_str().ok()?.trim().parse().ok());
    let listener = writes.service.listen(named(id)?, last.unwrap_or_default())?;
    let beat = writes.limits.heartbeat;
    let stream = stream::unfold(listener, move |listener| event(listener, beat));
    let mut response = Response::new(Body::from_stream(stream));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

async fn event(
    mut listener: WriteListener,
    beat: Duration,
) -> Option<(Result<Bytes, Infallible>, WriteListener)> {
    let mut out = Out::default();
    match timeout(beat, listener.next()).await {
        Ok(Some(told)) => news_event(&told, &mut out),
        Ok(None) => return None,
        Err(_) => drop(out.raw(": hb\n\n")),
    }
    Some((Ok(out.take()), listener))
}

/// Where the session stands; a failure if the request made it fail.
fn answer(view: WriteSessionView) -> Result<Response, Error> {
    match &view.problem {
        Some(problem) if fails_request(&view) => {
            let problem = problem.clone();
            Err(Error::Write(WriteRefusal::of(problem, Some(view))))
        }
        _ => Ok(json(&state_body(&view))),
    }
}

/// The client that begins a session: its key, the address that it comes from, and the name that it gives itself, if it does. Its
/// bound is its own, so that it stands in nobody else's way.
pub(super) fn client(request: &Request) -> Result<WriteCaller, Error> {
    let name = headers::client_name(request.headers())?.unwrap_or_default();
    let key = request.extensions().get::<Caller>().map(|caller| &*caller.key).unwrap_or_default();
    let address = request.extensions().get().map(|Peer(address)| address.to_string()).unwrap_or_default();
    Ok(WriteCaller::Client(format!("{key}@{address} {name}")))
}

/// The session that the path names.
fn named(id: Id) -> Result<WriteSessionId, Error> {
    let text = id.map(|Path(id)| id).unwrap_or_default();
    parsed(&text)
}

/// The session of that name.
pub(super) fn parsed(text: &str) -> Result<WriteSessionId, Error> {
    text.parse().map_err(|_| WriteError::SessionNotFound(text.chars().take(64).collect()).into())
}

/// What a query says about `name`; `None` when that is nothing.
pub(super) fn parameter<'a>(query: Option<&'a str>, name: &str) -> Option<&'a str> {
    let mut pairs = query.unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, value)| *key == name && !value.is_empty()).map(|(_, value)| value)
}

/// A body of JSON.
pub(super) fn json(value: &Value) -> Response {
    reply::json(value.to_string())
}
