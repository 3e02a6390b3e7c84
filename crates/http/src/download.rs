//! A file on its way to the client: whole, in part, or not at all because the client has it.
//!
//! Must never let a browser show a file as a page of this server.

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE, RANGE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::documents::Whole;

/// The answer to a request with the headers `asked`.
pub(super) fn response(file: Whole, asked: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", file.sha256);
    let kind = kind_of(file.path.name());
    let name = utf8_percent_encode(file.path.name(), NON_ALPHANUMERIC);
    let named = format!("attachment; filename*=UTF-8''{name}");
    let length = file.bytes.len();
    let mut bytes = Bytes::from(file.bytes);
    let mut status = StatusCode::OK;
    let mut part = None;
    if header(asked, &IF_NONE_MATCH).is_some_and(|known| knows(known, &tag)) {
        status = StatusCode::NOT_MODIFIED;
        bytes.clear();
    } else if header(asked, &IF_RANGE).is_none_or(|known| known == tag)
        && let Some((from, to)) = header(asked, &RANGE).and_then(|range| range_of(range, length))
    {
        status = StatusCode::PARTIAL_CONTENT;
        bytes = bytes.slice(from..=to);
        part = Some(format!("bytes {from}-{to}/{length}"));
    }
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    for (header, value) in [(ETAG, Some(tag)), (CONTENT_DISPOSITION, Some(named)), (CONTENT_RANGE, part)] {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            headers.insert(header, value);
        }
    }
    response
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Whether `tag` is among those that the client knows.
fn knows(known: &str, tag: &str) -> bool {
    known.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

/// First and last byte of the one range that is asked for. Whatever else is asked for gets the whole file, as the standard
/// allows (RFC 9110, 14.2).
fn range_of(range: &str, length: usize) -> Option<(usize, usize)> {
    let last = length.checked_sub(1)?;
    let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
    let (from, to) = match (from, to) {
        ("", count) => (length.saturating_sub(count.parse::<usize>().ok().filter(|count| *count > 0)?), last),
        (from, "") => (from.parse().ok()?, last),
        (from, to) => (from.parse().ok()?, to.parse::<usize>().ok()?.min(last)),
    };
    (from <= to).then_some((from, to))
}

/// What a file of this name holds, as far as the name tells.
fn kind_of(name: &str) -> &'static str {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("docx") => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Some("docm") => "application/vnd.ms-word.document.macroEnabled.12",
        Some("pdf") => "application/pdf",
        Some("json") => "application/json",
        Some("csv") => "text/csv",
        Some("md") => "text/markdown",
        Some("txt") => "text/plain",
        _ => "application/octet-stream",
    }
}
