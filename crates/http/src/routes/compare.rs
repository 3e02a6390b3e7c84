//! `/v1/compare`: a redline of two documents that are sent.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::multipart::Multipart;
use axum::extract::{FromRequest, Request, State};
use axum::http::header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;

use crate::codes::NOT_TRACKED;
use crate::error::Error;
use crate::server::Server;
use crate::service::Service;
use crate::wire::{ComparedFiles, Notice, compare_options, redline_body};
use crate::{body, reply};

/// Largest request, in bytes: two documents.
const LARGEST: usize = 64 << 20;

const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/// The redline, or with `Accept: application/json` what is in it.
pub(crate) async fn create<S: Service>(
    State(server): State<Arc<Server<S>>>,
    request: Request,
) -> Result<Response, Error> {
    let (parts, sent) = request.into_parts();
    let wants_json = wants_json(&parts.headers);
    let bytes = body::read_up_to(LARGEST, &parts.headers, sent, &server.limits).await?;
    let (bytes, room) = bytes.into_parts();
    let files = read(Request::from_parts(parts, Body::from(bytes))).await?;
    let made = server.documents.compare(files).await?;
    drop(room);
    if wants_json {
        return Ok(reply::json(redline_body(&made).to_string()));
    }
    let notices: Vec<Notice> = made
        .report
        .limitations
        .iter()
        .map(|left| Notice::new(NOT_TRACKED.name, format!("{}: {}", left.address, left.difference)))
        .collect();
    let mut response = Response::new(Body::from(made.bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(DOCX));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"redline.docx\""));
    reply::warn(&mut response, &notices);
    Ok(response)
}

fn wants_json(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| {
        kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    })
}

/// The parts of a form: `before`, `after` and, if given, `options`.
async fn read(request: Request) -> Result<ComparedFiles, Error> {
    let wrong = |message: String| Error::invalid("body", message);
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| wrong("must be multipart/form-data with the files 'before' and 'after'".to_owned()))?;
    let (mut before, mut after, mut options) = (None, None, None);
    while let Some(field) = form.next_field().await.map_err(|error| wrong(error.body_text()))? {
        let name = field.name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(|error| wrong(error.body_text()))?.to_vec();
        let slot = match name.as_str() {
            "before" => &mut before,
            "after" => &mut after,
            "options" => &mut options,
            other => {
                let other: String = other.chars().take(40).collect();
                return Err(Error::invalid(
                    &other,
                    "is no part of a comparison; send before, after, options",
                ));
            }
        };
        if slot.replace(bytes).is_some() {
            return Err(Error::invalid(&name, "was sent twice"));
        }
    }
    let needed = |bytes: Option<Vec<u8>>, name: &str| {
        bytes.ok_or_else(|| Error::invalid(name, "is missing; send a Word document as a file of the form"))
    };
    Ok(ComparedFiles {
        before: needed(before, "before")?,
        after: needed(after, "after")?,
        options: compare_options(options.as_deref())?,
    })
}
