//! `POST /acp/rpc`: the protocol of tasks as JSON or as a stream of events; what is not offered, and who answers.
//!
//! Must never read a body before access was checked, nor let a client that goes away end a task.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use engross_tasks::rpc::{self, Bridge, RpcCall, RpcError, RpcFrame};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;
use tokio::time::sleep;

use crate::body;
use crate::error::Error;
use crate::headers::{IDEMPOTENCY_KEY, LAST_EVENT_ID};
use crate::limits::Limits;

/// The largest request: 25 MiB of attachments in base64, and what is around them.
pub(super) const LARGEST: usize = 40 << 20;

/// What the routes share.
pub(super) struct Acp {
    /// Whose tasks these are; nothing for the default owner.
    pub(super) principal: String,
    pub(super) bridge: Bridge,
    pub(super) limits: Limits,
    pub(super) keepalive: Duration,
    /// Whether a token is needed.
    pub(super) is_locked: bool,
}

pub(super) type AcpState = State<Arc<Acp>>;

/// Whether a path is answered in the envelopes of this protocol, refusals too.
pub(crate) fn speaks(path: &str) -> bool {
    ["/acp", "/acp-server", "/gateway"]
        .iter()
        .any(|root| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Whether a signed link stands for the token.
pub(crate) fn is_download(path: &str) -> bool {
    path == "/artifacts/openclaw/download"
}

/// Whether somebody only looks whether anybody is here, which says nothing that a stranger may not know.
pub(crate) fn is_liveness(method: &Method, path: &str) -> bool {
    method == Method::GET && path == "/acp/rpc"
}

/// A refusal of the server as an envelope.
pub(crate) fn refused(error: &Error) -> Response {
    let number = match error.status() {
        401 => -32001,
        403 => -32003,
        404 => -32601,
        _ => -32600,
    };
    let message = match error {
        Error::Unauthorized => "missing bearer authorization".to_owned(),
        error => error.to_string(),
    };
    envelope(error.status(), &error_of(number, error.code(), message))
}

/// A preflight says nothing, and says so.
pub(crate) async fn preflight(request: Request, next: Next) -> Response {
    let asks = request.method() == Method::OPTIONS
        && (speaks(request.uri().path()) || is_download(request.uri().path()));
    let mut response = next.run(request).await;
    if asks && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

pub(super) fn error_of(number: i64, code: &str, message: impl Into<String>) -> RpcError {
    RpcError { number, code: code.to_owned(), message: message.into(), data: Box::new(json!({})) }
}

/// An answer to a request whose id is not known.
pub(super) fn envelope(status: u16, error: &RpcError) -> Response {
    with_status(status, &rpc::reply(&Value::Null, Err(error)))
}

fn with_status(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = [(CONTENT_TYPE, "application/json")];
    (status, kind, body.to_string()).into_response()
}

/// Provider paths of old are not there.
pub(super) async fn gone() -> Response {
    let message =
        "PROVIDER_DIRECT_PATH_DISABLED: providers are reached through /acp/rpc; say in `routing` which one";
    envelope(410, &error_of(-32004, "PROVIDER_DIRECT_PATH_DISABLED", message))
}

/// Somebody looks whether anybody is here: a line, as the protocol has it, also at `/acp/rpc`.
pub(super) async fn alive() -> Response {
    let kind = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
    (kind, concat!("engross ", env!("CARGO_PKG_VERSION"), " is running; tasks are taken at POST /acp/rpc\n"))
        .into_response()
}

pub(super) async fn ping(State(acp): AcpState) -> Response {
    let counters = acp.bridge.runs().counters();
    let body = json!({
        "status": "ok",
        "commit": option_env!("ENGROSS_COMMIT").unwrap_or_default(),
        "version": env!("CARGO_PKG_VERSION"),
        "buildDate": option_env!("ENGROSS_BUILD_DATE").unwrap_or_default(),
        "protocolVersion": rpc::PROTOCOL,
        "metrics": {
            "gatewaySocketClosed": counters.gateway_lost(),
            "taskGetUnconfirmedFallback": counters.unconfirmed(),
            "runDeadlineInterrupt": counters.overdue(),
        },
    });
    with_status(200, &body)
}

/// What the headers of a request say of its call.
pub(super) fn call(acp: &Acp, headers: &HeaderMap, path: &'static str) -> RpcCall {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let is_secure = text(HeaderName::from_static("x-forwarded-proto")) == Some("https");
    let scheme = if is_secure { "https" } else { "http" };
    let good = |host: &&str| {
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
    };
    RpcCall {
        principal: acp.principal.clone(),
        base: text(HOST).filter(good).map(|host| format!("{scheme}://{host}")).unwrap_or_default(),
        path,
        stream: text(ACCEPT).is_some_and(|accept| accept.contains("text/event-stream")),
        idempotency: text(IDEMPOTENCY_KEY)
            .filter(|key| !key.is_empty() && key.len() <= 255)
            .map(str::to_owned),
        last_event: text(LAST_EVENT_ID).and_then(|id| id.parse().ok()),
        if_none_match: text(IF_NONE_MATCH).map(|tag| tag.trim_matches('"').to_owned()),
    }
}

pub(super) async fn answer(State(acp): AcpState, request: Request) -> Response {
    if request.method() == Method::GET {
        return alive().await;
    }
    if request.method() != Method::POST {
        let message = "only POST is answered here: send a JSON-RPC 2.0 request as its body";
        let mut response = envelope(405, &error_of(-32600, "METHOD_NOT_ALLOWED", message));
        response
            .headers_mut()
            .insert(axum::http::header::ALLOW, HeaderValue::from_static("GET, POST, OPTIONS"));
        return response;
    }
    let (parts, body) = request.into_parts();
    let bytes = match body::read_up_to(LARGEST, &parts.headers, body, &acp.limits).await {
        Ok(bytes) => bytes,
        Err(error) => return refused(&error),
    };
    let request = match rpc::RpcRequest::parse(&bytes) {
        Ok(request) => request,
        Err(refusal) => {
            let (id, error) = *refusal;
            let status = if error.number == -32700 { 400 } else { 200 };
            return with_status(status, &rpc::reply(&id, Err(&error)));
        }
    };
    drop(bytes);
    let call = call(&acp, &parts.headers, "/acp/rpc");
    if call.stream {
        return events(acp.bridge.open(call, request), acp.keepalive);
    }
    let is_silent = request.id.is_none();
    let mut frames = acp.bridge.open(call, request);
    while let Some(frame) = frames.recv().await {
        if let RpcFrame::Answer(envelope) = frame {
            let revision = envelope.pointer("/result/revision").and_then(Value::as_str);
            let tag = revision.and_then(|revision| HeaderValue::from_str(&format!("\"{revision}\"")).ok());
            let mut response = with_status(200, &envelope);
            if let Some(tag) = tag {
                response.headers_mut().insert(ETAG, tag);
            }
            return response;
        }
    }
    if is_silent {
        return StatusCode::NO_CONTENT.into_response();
    }
    envelope(503, &error_of(-32002, "SERVER_STOPPING", "the server is about to stop: ask again in a moment"))
}

/// The frames as server-sent events, each that can be resumed from with its id.
fn events(frames: Receiver<RpcFrame>, keepalive: Duration) -> Response {
    let pieces = stream::unfold(Some(frames), move |frames| async move {
        let mut frames = frames?;
        let (text, rest) = tokio::select! {
            biased;
            frame = frames.recv() => match frame {
                Some(RpcFrame::Event(envelope, Some(seq))) => (format!("id: {seq}\ndata: {envelope}\n\n"), Some(frames)),
                Some(RpcFrame::Event(envelope, None)) => (format!("data: {envelope}\n\n"), Some(frames)),
                Some(RpcFrame::Answer(envelope)) => (format!("data: {envelope}\n\ndata: [DONE]\n\n"), None),
                None => ("data: [DONE]\n\n".to_owned(), None),
            },
            () = sleep(keepalive) => {
                let params = json!({ "intervalMs": u64::try_from(keepalive.as_millis()).unwrap_or_default() });
                let told = rpc::notification("xworkmate.bridge.keepalive", &params, None);
                (format!("data: {told}\n\n"), Some(frames))
            }
        };
        Some((Ok::<_, Infallible>(Bytes::from(text)), rest))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}
