//! `/v1/workspaces/{name}`: the documents that sessions work on, as files and by operations.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::header::ETAG;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::Value;

use super::view;
use crate::error::Error;
use crate::server::Server;
use crate::service::Service;
use crate::wire::{
    AskedReading, CheckpointQuery, applied_body, checkpoint_query, checkpoints_body, forgotten_body,
    list_body, listed_body, losses_body, names_body, page_query, read_body, read_query, removed_body,
    restore_request, written_body,
};
use crate::{body, download, headers, reply};

/// Name and file as they stand in the path.
type Place = Result<Path<(String, String)>, PathRejection>;

/// Largest file that is put, in bytes.
const LARGEST_FILE: usize = 64 << 20;

/// What stands behind a file's path to apply operations to it.
const OPERATIONS: &str = "/operations";

/// All workspaces.
pub(crate) async fn names<S: Service>(State(server): State<Arc<Server<S>>>) -> Result<Response, Error> {
    Ok(reply::json(names_body(&server.documents.names().await?).to_string()))
}

/// The files of a workspace.
pub(crate) async fn list<S: Service>(
    State(server): State<Arc<Server<S>>>,
    name: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Response, Error> {
    let Path(name) = name.map_err(not_utf8)?;
    let page = page_query(&query.unwrap_or_default())?;
    let listing = server.documents.list(name, page.after, page.limit).await?;
    Ok(reply::json(list_body(&listing).to_string()))
}

/// Puts a file.
pub(crate) async fn put<S: Service>(
    State(server): State<Arc<Server<S>>>,
    place: Place,
    request: Request,
) -> Result<Response, Error> {
    let Path((name, path)) = place.map_err(not_utf8)?;
    let (parts, body) = request.into_parts();
    let precondition = headers::precondition(&parts.headers)?;
    let bytes = body::read_up_to(LARGEST_FILE, &parts.headers, body, &server.limits).await?;
    let (bytes, room) = bytes.into_parts();
    let (path, written) = server.documents.put(name, path, bytes, precondition).await?;
    drop(room);
    let mut response = with_tag(&written_body(&path, &written), Some(&written.sha256));
    if written.previous_sha256.is_none() {
        *response.status_mut() = StatusCode::CREATED;
    }
    Ok(response)
}

/// A file, or what the document in it says.
pub(crate) async fn get<S: Service>(
    State(server): State<Arc<Server<S>>>,
    place: Place,
    RawQuery(query): RawQuery,
    asked: HeaderMap,
) -> Result<Response, Error> {
    let Path((name, path)) = place.map_err(not_utf8)?;
    match read_query(&query.unwrap_or_default())? {
        AskedReading::Bytes => Ok(download::response(server.documents.whole(name, path).await?, &asked)),
        AskedReading::List(list) => {
            let (listed, sha256) = server.documents.listed(name, path, list).await?;
            Ok(with_tag(&listed_body(&listed), sha256.as_deref()))
        }
        AskedReading::Text(options) => {
            let read = server.documents.read(name, path, options).await?;
            let sha256 = read.sha256.clone();
            Ok(with_tag(&read_body(read), sha256.as_deref()))
        }
        AskedReading::Html(options) => {
            let shown = server.documents.html(name, path, options).await?;
            let mut response = tagged(view::response(shown.html), shown.sha256.as_deref());
            if let Ok(revision) = HeaderValue::from_str(&shown.revision) {
                response.headers_mut().insert(headers::REVISION, revision);
            }
            Ok(response)
        }
    }
}

/// Removes a file.
pub(crate) async fn remove<S: Service>(
    State(server): State<Arc<Server<S>>>,
    place: Place,
    asked: HeaderMap,
) -> Result<Response, Error> {
    let Path((name, path)) = place.map_err(not_utf8)?;
    let path = server.documents.remove(name, path, headers::precondition(&asked)?).await?;
    Ok(reply::json(removed_body(&path).to_string()))
}

/// Applies operations to a document.
pub(crate) async fn apply<S: Service>(
    State(server): State<Arc<Server<S>>>,
    place: Place,
    request: Request,
) -> Result<Response, Error> {
    let Path((name, mut path)) = place.map_err(not_utf8)?;
    let Some(file) = path.len().checked_sub(OPERATIONS.len()).filter(|_| path.ends_with(OPERATIONS)) else {
        return Err(Error::RouteNotFound { path: request.uri().path().chars().take(100).collect() });
    };
    path.truncate(file);
    let (parts, body) = request.into_parts();
    let bytes = body::read(&parts.headers, body, &server.limits).await?;
    let asked = server.documents.asked(&name, bytes.into_parts().0).await?;
    let applied = server.documents.apply(name, path, (asked.batch, asked.json), asked.untracked).await?;
    Ok(with_tag(&applied_body(&applied), applied.receipt.sha256.as_deref()))
}

/// What a document was before each change, one of these, or what going back to it would take from the document.
pub(crate) async fn checkpoints<S: Service>(
    State(server): State<Arc<Server<S>>>,
    place: Place,
    RawQuery(query): RawQuery,
    asked: HeaderMap,
) -> Result<Response, Error> {
    let Path((name, path)) = place.map_err(not_utf8)?;
    match checkpoint_query(&query.unwrap_or_default())? {
        CheckpointQuery::All => {
            let checkpoints = server.documents.checkpoints(name, path).await?;
            Ok(reply::json(checkpoints_body(&checkpoints).to_string()))
        }
        CheckpointQuery::Losses(id) => {
            let losses = server.documents.losses(name, path, id.clone()).await?;
            Ok(reply::json(losses_body(&id, &losses).to_string()))
        }
        CheckpointQuery::Whole(id) => {
            Ok(download::response(server.documents.earlier(name, path, id).await?, &asked))
        }
    }
}

/// Forgets for good what a document was.
pub(crate) async fn forget<S: Service>(
    State(server): State<Arc<Server<S>>>,
    place: Place,
) -> Result<Response, Error> {
    let Path((name, path)) = place.map_err(not_utf8)?;
    let (path, count) = server.documents.forget(name, path).await?;
    Ok(reply::json(forgotten_body(&path, count).to_string()))
}

/// Makes a document what it was.
pub(crate) async fn restore<S: Service>(
    State(server): State<Arc<Server<S>>>,
    place: Place,
    request: Request,
) -> Result<Response, Error> {
    let Path((name, path)) = place.map_err(not_utf8)?;
    let (parts, body) = request.into_parts();
    let bytes = body::read(&parts.headers, body, &server.limits).await?;
    let precondition = headers::precondition(&parts.headers)?;
    let (path, written) =
        server.documents.restore(name, path, restore_request(&bytes)?, precondition).await?;
    Ok(with_tag(&written_body(&path, &written), Some(&written.sha256)))
}

fn with_tag(body: &Value, sha256: Option<&str>) -> Response {
    tagged(reply::json(body.to_string()), sha256)
}

fn tagged(mut response: Response, sha256: Option<&str>) -> Response {
    if let Some(tag) = sha256.and_then(|sha256| HeaderValue::from_str(&format!("\"{sha256}\"")).ok()) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

fn not_utf8(_: PathRejection) -> Error {
    Error::invalid("path", "is not UTF-8; percent-encode it as UTF-8")
}
