//! `GET /artifacts/openclaw/download`: one artifact's bytes, by a signed link.
//!
//! Must never hold a file in memory, nor hand out what the link does not name.

use std::io::Read;

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    IF_RANGE, RANGE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::Response;
use engross_artifacts::{
    ArtifactStream, ByteSpan, LinkQuery, LinkTarget, OpenArtifact, ScopeError, content_type,
};
use engross_store::blobs::BlobError;
use engross_tasks::runs::{Runs, StoredFile};
use futures_util::stream;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::acp::{AcpState, envelope, error_of};

/// The bytes that are read at once.
const PIECE: usize = 256 * 1024;

pub(super) async fn download(
    State(acp): AcpState,
    method: Method,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let runs = acp.bridge.runs().clone();
    let query = query.unwrap_or_default();
    let target = match follow(&runs, &query) {
        Ok(target) => target,
        Err(error) => return refused(&error),
    };
    let (opening, wanted) = (runs.clone(), target.clone());
    let opened = tokio::task::spawn_blocking(move || open(&opening, &wanted)).await;
    let served = match opened {
        Ok(Ok(file)) => ServedFile::of_disk(file),
        // Its folder is not here any more, or is another machine's: it may be kept elsewhere.
        Ok(Err(error @ (ScopeError::NotFound { .. } | ScopeError::ScopeMissing { .. }))) => {
            match runs.kept(&target).await {
                Ok(Some(kept)) => match kept.is_there().await {
                    Ok(true) => ServedFile::of_storage(kept),
                    Ok(false) => return refused(&error),
                    Err(error) => return lost(&error),
                },
                Ok(None) => return refused(&error),
                Err(error) => return envelope(503, &error_of(-32002, error.code(), error.to_string())),
            }
        }
        Ok(Err(error)) => return refused(&error),
        Err(_) => {
            return envelope(
                503,
                &error_of(-32002, "SERVER_STOPPING", "the server is about to stop: ask again in a moment"),
            );
        }
    };
    match respond(served, &headers, method == Method::HEAD).await {
        Ok(response) => response,
        Err(NotServed::Refused(error)) => refused(&error),
        Err(NotServed::Storage(error)) => lost(&error),
    }
}

fn lost(error: &BlobError) -> Response {
    envelope(502, &error_of(-32043, error.code(), error.to_string()))
}

/// A file that is handed out, wherever it is.
struct ServedFile {
    name: String,
    tag: String,
    size: u64,
    kind: &'static str,
    source: Source,
}

enum Source {
    Disk(OpenArtifact),
    Storage(StoredFile),
}

/// Why a file cannot be handed out after all.
enum NotServed {
    Refused(ScopeError),
    Storage(BlobError),
}

impl From<ScopeError> for NotServed {
    fn from(error: ScopeError) -> Self {
        Self::Refused(error)
    }
}

impl ServedFile {
    fn of_disk(file: OpenArtifact) -> Self {
        Self {
            name: file.path().name().to_owned(),
            tag: file.etag(),
            size: file.size(),
            kind: file.content_type(),
            source: Source::Disk(file),
        }
    }

    fn of_storage(kept: StoredFile) -> Self {
        let name = kept.file.label().to_owned();
        Self {
            tag: format!("\"{}\"", kept.file.sha256),
            size: kept.file.size_bytes,
            kind: content_type(&name),
            name,
            source: Source::Storage(kept),
        }
    }

    async fn body(self, span: ByteSpan) -> Result<Body, NotServed> {
        match self.source {
            Source::Disk(file) => Ok(stream_of(file.stream(span)?)),
            Source::Storage(kept) => {
                let found = kept.stream(span.start..span.end).await.map_err(NotServed::Storage)?;
                let gone = || BlobError::Unavailable {
                    place: "object storage".to_owned(),
                    problem: "the file is not there any more".to_owned(),
                };
                Ok(Body::from_stream(found.ok_or_else(gone).map_err(NotServed::Storage)?))
            }
        }
    }
}

fn follow(runs: &Runs, query: &str) -> Result<LinkTarget, ScopeError> {
    let field = |name: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    let query = LinkQuery {
        session_key: field("sessionKey"),
        run_id: field("runId"),
        relative_path: field("relativePath"),
        expires: field("expires"),
        sha256: Some(field("sha256")).filter(|sha256| !sha256.is_empty()),
        sig: field("sig"),
    };
    let config = runs.config();
    config.keys.follow(&query, config.clock.millis())
}

fn open(runs: &Runs, target: &LinkTarget) -> Result<OpenArtifact, ScopeError> {
    let config = runs.config();
    if let (Some(sha256), Some(frozen)) = (target.sha256, config.workspace.frozen())
        && let Some(file) = frozen.open(sha256, &target.path, config.hashing())?
    {
        return Ok(file);
    }
    let scope = config.workspace.open(&target.session, &target.run, None)?;
    let file = scope.open(&target.path, config.hashing())?;
    // A link leads to the bytes that were delivered, and to no others.
    match target.sha256 {
        Some(sha256) if sha256 != file.sha256() => {
            Err(ScopeError::Changed { path: target.path.as_str().to_owned() })
        }
        _ => Ok(file),
    }
}

async fn respond(file: ServedFile, asked: &HeaderMap, head: bool) -> Result<Response, NotServed> {
    let given = |name: HeaderName| asked.get(name).and_then(|value| value.to_str().ok());
    let (tag, size, kind) = (file.tag.clone(), file.size, file.kind);
    let name = utf8_percent_encode(&file.name, NON_ALPHANUMERIC).to_string();
    let known = given(IF_NONE_MATCH).is_some_and(|known| {
        known.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == tag)
    });
    let fits = given(IF_RANGE).is_none_or(|known| known == tag);
    let span = match given(RANGE) {
        Some(range) if fits && !known => ByteSpan::of_header(range, size)?,
        _ => None,
    };
    let whole = ByteSpan { start: 0, end: size };
    let ByteSpan { start, end } = span.unwrap_or(whole);
    let mut response = Response::new(Body::empty());
    let values = [
        (CONTENT_TYPE, kind.to_owned()),
        (ACCEPT_RANGES, "bytes".to_owned()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (ETAG, tag),
        (CONTENT_DISPOSITION, format!("attachment; filename*=UTF-8''{name}")),
    ];
    for (header, value) in values {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(header, value);
        }
    }
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(end - start));
    if span.is_some() {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        if let Ok(value) = HeaderValue::from_str(&format!("bytes {start}-{}/{size}", end.saturating_sub(1))) {
            response.headers_mut().insert(CONTENT_RANGE, value);
        }
    }
    if !head {
        *response.body_mut() = file.body(ByteSpan { start, end }).await?;
    }
    Ok(response)
}

/// The bytes as they are read, one piece at a time, each on a thread that may block. A failure breaks the answer off.
fn stream_of(source: ArtifactStream) -> Body {
    let pieces = stream::unfold(Some(source), |source| async {
        let mut source = source?;
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; PIECE];
            let count = source.read(&mut piece)?;
            piece.truncate(count);
            Ok::<_, std::io::Error>((piece, source))
        });
        match read.await {
            Ok(Ok((piece, _))) if piece.is_empty() => None,
            Ok(Ok((piece, source))) => Some((Ok(Bytes::from(piece)), Some(source))),
            Ok(Err(error)) => Some((Err(error), None)),
            Err(_) => Some((Err(std::io::Error::other("the server is about to stop")), None)),
        }
    });
    Body::from_stream(pieces)
}

fn refused(error: &ScopeError) -> Response {
    let (status, number) = match error {
        ScopeError::LinkExpired => (410, -32041),
        ScopeError::LinkInvalid => (403, -32042),
        ScopeError::PathInvalid { .. } | ScopeError::KeyInvalid { .. } => (400, -32602),
        ScopeError::NotFound { .. } | ScopeError::ScopeMissing { .. } | ScopeError::Refused { .. } => {
            (404, -32044)
        }
        ScopeError::Changed { .. } => (409, -32048),
        ScopeError::RangeInvalid { .. } => (416, -32602),
        _ => (502, -32043),
    };
    let mut response = envelope(status, &error_of(number, error.code(), error.to_string()));
    if let ScopeError::RangeInvalid { size } = error
        && let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}"))
    {
        response.headers_mut().insert(CONTENT_RANGE, value);
    }
    response
}
