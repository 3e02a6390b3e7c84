//! The floor under `engross serve`: parses a request, asks the model once, answers, and keeps nothing.
//!
//! Must never do more than that, nor use another HTTP library or other settings of it than the product.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use futures_util::stream;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{Error, Result, say};

/// The client, and where it asks.
struct Upstream {
    client: Client,
    url: String,
}

/// Serves until it is killed. Says where in the words of `engross serve`.
pub(crate) fn run(model: &str) -> Result<()> {
    let failed = |error: &dyn std::fmt::Display| Error::Server(format!("the floor: {error}"));
    let upstream = Arc::new(Upstream { client: client()?, url: format!("{model}/chat/completions") });
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| failed(&error))?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| failed(&error))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        say(&format!("Listening at http://{address}/v1"));
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let app = Router::new().route("/v1/chat/completions", post(chat)).with_state(upstream);
        axum::serve(listener, app).await.map_err(|error| failed(&error))
    })
}

fn client() -> Result<Client> {
    let failed = |error: &dyn std::fmt::Display| Error::Server(format!("the floor's client: {error}"));
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(std::time::Duration::from_secs(10))
        .read_timeout(std::time::Duration::from_secs(120))
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .user_agent("floor")
        .build()
        .map_err(|error| failed(&error))
}

async fn chat(State(upstream): State<Arc<Upstream>>, body: Bytes) -> Response {
    answer(&upstream, &body).await.unwrap_or_else(|| StatusCode::BAD_GATEWAY.into_response())
}

/// Asks the model for a stream, as the product always does, and passes it on or makes one answer of it.
async fn answer(upstream: &Upstream, body: &[u8]) -> Option<Response> {
    let asked: Value = serde_json::from_slice(body).ok()?;
    let sent = json!({"model": "instant", "messages": asked["messages"], "stream": true}).to_string();
    let mut given = upstream
        .client
        .post(&upstream.url)
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header(ACCEPT, HeaderValue::from_static("text/event-stream"))
        .body(sent)
        .send()
        .await
        .ok()?;
    let (kind, body) = if asked["stream"] == true {
        let pieces = stream::try_unfold(given, |mut given| async move {
            Ok::<_, reqwest::Error>(given.chunk().await?.map(|piece| (piece, given)))
        });
        ("text/event-stream", Body::from_stream(pieces))
    } else {
        let mut events = Vec::new();
        while let Some(piece) = given.chunk().await.ok()? {
            events.extend_from_slice(&piece);
        }
        ("application/json", Body::from(whole(std::str::from_utf8(&events).ok()?)?))
    };
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Some(response)
}

fn whole(events: &str) -> Option<String> {
    let mut content = String::new();
    for data in events.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]")
    {
        let chunk: Value = serde_json::from_str(data).ok()?;
        content.push_str(chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
    }
    let message = json!({"role": "assistant", "content": content});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    Some(json!({"object": "chat.completion", "model": "instant", "choices": [choice]}).to_string())
}
