//! Answers over HTTP that are no streams.
//!
//! Must never send a header that a client wrote without checking that it can be one.

use axum::body::{Body, Bytes};
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::error::{Error, ErrorCode};
use super::headers::{OPENCLAW_SESSION_KEY, SESSION_ID, SESSION_KEY, SHOULD_RETRY, TURN, WARNINGS};
use super::service::AnswerEvents;
use super::wire::Notice;

/// A body of JSON with status 200.
pub(crate) fn json(body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Body::from(body.into()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The headers that say which session and turn an answer belongs to.
pub(crate) fn description(answering: &impl AnswerEvents) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Ok(key) = HeaderValue::from_bytes(answering.key().as_bytes()) {
        headers.insert(OPENCLAW_SESSION_KEY, key.clone());
        headers.insert(SESSION_KEY, key);
    }
    if let Ok(id) = HeaderValue::from_str(&answering.session().to_string()) {
        headers.insert(SESSION_ID, id);
    }
    headers.insert(TURN, HeaderValue::from(answering.turn()));
    headers
}

/// A response with its description. A request that was accepted has a session, also when its answer fails.
pub(crate) fn described(response: Result<Response, Error>, description: HeaderMap) -> Response {
    let mut response = response.unwrap_or_else(IntoResponse::into_response);
    response.headers_mut().extend(description);
    response
}

/// Most bytes of all warnings in a header: proxies take little more for all headers together.
const WARNING_BYTES: usize = 2048;

/// Says in a header what the client should know: no client library shows the object `engross` of a body.
pub(crate) fn warn(response: &mut Response, notices: &[Notice]) {
    let mut text = String::new();
    for notice in notices {
        let separator = if text.is_empty() { "" } else { " | " };
        let line = format!("{separator}{}: {}", notice.code, notice.message);
        if text.len() + line.len() > WARNING_BYTES {
            break;
        }
        text.extend(
            line.chars().map(|letter| if letter == ' ' || letter.is_ascii_graphic() { letter } else { '?' }),
        );
    }
    if let Ok(value) = HeaderValue::from_str(&text)
        && !text.is_empty()
    {
        response.headers_mut().insert(WARNINGS, value);
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = json(self.json());
        response.extensions_mut().insert(ErrorCode(self.code().to_owned()));
        let status = self.status();
        *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after() {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        match self {
            Self::Unauthorized => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            // The same request would meet the same conflict, or as little room.
            _ if matches!(status, 409 | 507) => {
                headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
            }
            _ => {}
        }
        debug_assert!(!headers.contains_key(ALLOW), "the router says what is allowed");
        response
    }
}
