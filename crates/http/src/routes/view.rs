//! `/v1/view`: a document that is sent, as HTML.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::multipart::Multipart;
use axum::extract::{FromRequest, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::Response;
use engross_docx::html::HtmlOptions;

use crate::body;
use crate::error::Error;
use crate::server::Server;
use crate::service::Service;
use crate::wire::view_options;

/// Largest request, in bytes.
const LARGEST: usize = 64 << 20;

/// The document as HTML.
pub(crate) async fn create<S: Service>(
    State(server): State<Arc<Server<S>>>,
    request: Request,
) -> Result<Response, Error> {
    let (parts, sent) = request.into_parts();
    let bytes = body::read_up_to(LARGEST, &parts.headers, sent, &server.limits).await?;
    let (bytes, room) = bytes.into_parts();
    let (document, options) = read(Request::from_parts(parts, Body::from(bytes))).await?;
    let html = server.documents.view(document, options).await?;
    drop(room);
    Ok(response(html))
}

/// HTML of a document, which must never act as a page of this server.
pub(super) fn response(html: String) -> Response {
    let mut response = Response::new(Body::from(html));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// The parts of a form: `document` and, if given, `options`.
async fn read(request: Request) -> Result<(Vec<u8>, HtmlOptions), Error> {
    let wrong = |message: String| Error::invalid("body", message);
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| wrong("must be multipart/form-data with the file 'document'".to_owned()))?;
    let (mut document, mut options) = (None, None);
    while let Some(field) = form.next_field().await.map_err(|error| wrong(error.body_text()))? {
        let name = field.name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(|error| wrong(error.body_text()))?.to_vec();
        let slot = match name.as_str() {
            "document" => &mut document,
            "options" => &mut options,
            other => {
                let other: String = other.chars().take(40).collect();
                return Err(Error::invalid(&other, "is no part of a view; send document, options"));
            }
        };
        if slot.replace(bytes).is_some() {
            return Err(Error::invalid(&name, "was sent twice"));
        }
    }
    let missing = || Error::invalid("document", "is missing; send a Word document as a file of the form");
    Ok((document.ok_or_else(missing)?, view_options(options.as_deref())?))
}
