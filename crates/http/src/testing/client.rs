//! A client of the router, without a socket.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response};
use serde_json::Value;
use tower::ServiceExt;

use super::fake::{Fake, server};
use crate::{Server, app};

/// A request of a chat with one message.
pub const HI: &str = r#"{"model":"gpt-4","messages":[{"role":"user","content":"Hi"}]}"#;
/// The same, answered as a stream.
pub const HI_STREAMED: &str = r#"{"stream":true,"messages":[{"role":"user","content":"Hi"}]}"#;
/// The route of chats.
pub const CHAT: &str = "/v1/chat/completions";

/// An answer as a test looks at it.
pub struct Got {
    /// HTTP status.
    pub status: u16,
    /// All headers.
    pub headers: HeaderMap,
    /// The body.
    pub text: String,
}

impl Got {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name).map(|value| String::from_utf8(value.as_bytes().to_vec()).unwrap())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// Status, code and type of an error.
    pub fn error(&self) -> (u16, String, String) {
        let error = &self.json()["error"];
        assert!(!error["message"].as_str().unwrap().is_empty());
        assert!(error["details"].is_object());
        let text = |field: &str| error[field].as_str().unwrap().to_owned();
        (self.status, text("code"), text("type"))
    }
}

/// Sends a request to the routes, without a socket.
pub async fn send(
    app: &Router,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Body>,
) -> Got {
    let mut request = Request::builder().method(method).uri(path).header("host", "localhost:8080");
    for (name, value) in headers {
        request = request.header(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    let response: Response<Body> = app.clone().oneshot(request.body(body.into()).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    Got { status: parts.status.as_u16(), headers: parts.headers, text }
}

/// Posts JSON.
pub async fn post(app: &Router, path: &str, headers: &[(&str, &str)], body: &'static str) -> Got {
    send(app, Method::POST, path, headers, body).await
}

/// Gets a path.
pub async fn get(app: &Router, path: &str, headers: &[(&str, &str)]) -> Got {
    send(app, Method::GET, path, headers, Body::empty()).await
}

/// A server that a test has changed, and its service.
pub fn with(change: impl FnOnce(&mut Server<Fake>)) -> (Fake, Router) {
    let fake = Fake::default();
    let mut server = server(&fake);
    change(&mut server);
    (fake, app(Arc::new(server), Router::new()))
}

/// A server as it is, and its service.
pub fn plain() -> (Fake, Router) {
    with(|_| {})
}
