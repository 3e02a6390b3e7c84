//! `POST /a2a` and the agent card: tasks for other people's agents, in the Agent2Agent protocol.
//!
//! Must never let a client that goes away end a task, or tell more on the card than a stranger may know.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use engross_tasks::a2a::{self, A2aError, A2aFrame};
use engross_tasks::rpc::RpcRequest;
use futures_util::stream;
use serde_json::Value;
use tokio::sync::mpsc::Receiver;
use tokio::time::sleep;

use super::acp::{Acp, AcpState, LARGEST, call};
use crate::body;

/// Where the card is.
pub(crate) const CARD: &str = "/.well-known/agent-card.json";

/// The header that names the version.
const VERSION: &str = "a2a-version";

/// The card of this server.
pub(super) async fn card(State(acp): AcpState, headers: HeaderMap) -> Response {
    let base = call(&acp, &headers, CARD).base;
    json_of(StatusCode::OK, &a2a::card(&base, env!("CARGO_PKG_VERSION"), acp.is_locked))
}

pub(super) async fn answer(State(acp): AcpState, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = match body::read_up_to(LARGEST, &parts.headers, body, &acp.limits).await {
        Ok(bytes) => bytes,
        Err(error) => return error.into_response(),
    };
    let request = match RpcRequest::parse(&bytes) {
        Ok(request) => request,
        Err(refusal) => {
            let (id, error) = *refusal;
            return json_of(StatusCode::OK, &a2a::refusal(&id, &A2aError::from(error)));
        }
    };
    drop(bytes);
    let version = parts.headers.get(VERSION).and_then(|version| version.to_str().ok());
    if !a2a::speaks(version) {
        let id = request.id.unwrap_or_default();
        return json_of(StatusCode::OK, &a2a::refusal(&id, &A2aError::version()));
    }
    let is_streamed = a2a::is_streamed(&request.method);
    let mut frames = a2a::open(&acp.bridge, call(&acp, &parts.headers, "/a2a"), request);
    match frames.recv().await {
        Some(A2aFrame::Answer(answer)) => json_of(StatusCode::OK, &answer),
        Some(first) if is_streamed => events(first, frames, &acp),
        _ => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

fn json_of(status: StatusCode, body: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// The frames as server-sent events.
fn events(first: A2aFrame, frames: Receiver<A2aFrame>, acp: &Acp) -> Response {
    let keepalive = acp.keepalive;
    let pieces = stream::unfold((Some(first), frames), move |(first, mut frames)| async move {
        let text = match first {
            Some(frame) => data(&frame),
            None => tokio::select! {
                biased;
                frame = frames.recv() => data(&frame?),
                () = sleep(keepalive) => ": \n\n".to_owned(),
            },
        };
        Some((Ok::<_, Infallible>(Bytes::from(text)), (None, frames)))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

fn data(frame: &A2aFrame) -> String {
    let (A2aFrame::Event(told) | A2aFrame::Answer(told)) = frame;
    format!("data: {told}\n\n")
}
