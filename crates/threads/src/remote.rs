//! A bridge at the other end of HTTP: JSON-RPC out, server-sent events back, files by their links.
//!
//! Must never follow a redirect, send its token to another host than the bridge, or take an event for an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::stream::{self, StreamExt};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RANGE};
use reqwest::{Client, ClientBuilder, Response, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use sse_stream::{Sse, SseByteStream};

use super::link::{BridgeCall, BridgeFrame, Frames, Link, LinkError, LinkFuture};
use super::outcome::RemoteArtifact;
use super::sync::{FetchError, FileSource, Sink};

/// How long it may take until a bridge takes a connection.
const CONNECT: Duration = Duration::from_secs(12);

/// How long a bridge may be silent; it says every 20 seconds that it is there.
const SILENCE: Duration = Duration::from_secs(120);

/// The longest answer that is no stream, in bytes.
const LARGEST_ANSWER: usize = 64 << 20;

/// A bridge that is reached over HTTP. Made and used inside a tokio runtime.
pub struct RemoteBridge {
    place: Arc<Remote>,
    count: AtomicU64,
    /// What agents that work for us are given of our environment.
    environment: Vec<(String, String)>,
}

struct Remote {
    base: Url,
    token: Option<SecretString>,
    client: Client,
    runtime: tokio::runtime::Handle,
}

impl RemoteBridge {
    /// The bridge at `base`, such as `https://bridge.example/`; a path that ends with `/acp` or `/acp/rpc` is one, too.
    ///
    /// # Errors
    /// What is wrong with the address: another scheme than http and https, or a path of a single provider, which is not for
    /// programs like this (contracts/tasks.md §1.1).
    pub fn new(base: &str, token: Option<SecretString>) -> Result<Self, String> {
        let mut base = Url::parse(base).map_err(|error| format!("'{base}' is no address: {error}"))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(format!(
                "'{base}' is no address of a bridge: it must begin with http:// or https://"
            ));
        }
        let path = base.path().trim_end_matches('/');
        if path.starts_with("/acp-server") || path.starts_with("/gateway") {
            return Err(format!("'{base}' is the address of one provider; give that of the bridge"));
        }
        let path =
            path.strip_suffix("/acp/rpc").or_else(|| path.strip_suffix("/acp")).unwrap_or(path).to_owned();
        base.set_path(&path);
        base.set_query(None);
        base.set_fragment(None);
        let client = build(builder(&base)?)?;
        Self::of(base, token, client)
    }

    /// The bridge that listens at a socket of this machine's files.
    ///
    /// # Errors
    /// When no client can be made.
    #[cfg(unix)]
    pub fn at_socket(path: &std::path::Path, token: Option<SecretString>) -> Result<Self, String> {
        let base = Url::parse("http://localhost/").map_err(|error| error.to_string())?;
        let client = build(builder(&base)?.unix_socket(path))?;
        Self::of(base, token, client)
    }

    fn of(base: Url, token: Option<SecretString>, client: Client) -> Result<Self, String> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|error| error.to_string())?;
        let place = Arc::new(Remote { base, token, client, runtime });
        Ok(Self { place, count: AtomicU64::new(0), environment: Vec::new() })
    }

    /// The same bridge; agents that work for a task are given these variables.
    #[must_use]
    pub fn with_environment(&self, environment: Vec<(String, String)>) -> Self {
        Self { place: Arc::clone(&self.place), count: AtomicU64::new(0), environment }
    }
}

fn builder(base: &Url) -> Result<ClientBuilder, String> {
    let tls = engross_tls::of_scheme(base.scheme()).map_err(|error| error.to_string())?;
    Ok(Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .user_agent(concat!("engross/", env!("CARGO_PKG_VERSION"))))
}

fn build(builder: ClientBuilder) -> Result<Client, String> {
    builder.build().map_err(|error| format!("no HTTP client can be made: {error}"))
}

impl Link for RemoteBridge {
    fn call(&self, call: BridgeCall) -> LinkFuture<'_, Result<Frames, LinkError>> {
        let id = self.count.fetch_add(1, Ordering::Relaxed).to_string();
        Box::pin(async move {
            let place = &self.place;
            let mut url = place.base.clone();
            url.set_path(&format!("{}/acp/rpc", place.base.path().trim_end_matches('/')));
            let mut params = call.params;
            let looks_on = matches!(call.method, "session.start" | "session.message" | "xworkmate.tasks.get");
            if looks_on && !self.environment.is_empty() {
                let variables = self.environment.iter().map(|(name, value)| (name.clone(), json!(value)));
                params["viewerEnvironment"] = Value::Object(variables.collect());
            }
            let body = json!({"jsonrpc": "2.0", "id": id, "method": call.method, "params": params});
            let mut request = place
                .client
                .post(url)
                .header(CONTENT_TYPE, "application/json")
                .header(ACCEPT, "text/event-stream")
                .body(body.to_string());
            if let Some(token) = place.bearer()? {
                request = request.header(AUTHORIZATION, token);
            }
            if let Some(last) = &call.last_event {
                request = request.header("last-event-id", last);
            }
            let response = request.send().await.map_err(|error| not_sent(&error))?;
            if !response.status().is_success() {
                return Err(refused(response).await);
            }
            Ok(frames(response, id).await)
        })
    }

    fn files(&self) -> Box<dyn FileSource + Send> {
        Box::new(RemoteFiles(Arc::clone(&self.place)))
    }
}

impl Remote {
    fn bearer(&self) -> Result<Option<HeaderValue>, LinkError> {
        let Some(token) = &self.token else { return Ok(None) };
        let token = token.expose_secret();
        // A token that names its scheme is sent as it is.
        let text = if token.contains(' ') { token.to_owned() } else { format!("Bearer {token}") };
        let mut value = HeaderValue::from_str(&text).map_err(|_| LinkError {
            code: "ACP_HTTP_401".to_owned(),
            message: "the token of the bridge holds characters that no token has".to_owned(),
            is_passing: false,
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

fn not_sent(error: &reqwest::Error) -> LinkError {
    let (code, message) = if error.is_connect() && error.is_timeout() {
        ("ACP_HTTP_CONNECT_TIMEOUT", "the bridge did not take the connection in time")
    } else if error.is_connect() {
        ("ACP_HTTP_CONNECT_FAILED", "the bridge cannot be reached")
    } else {
        ("ACP_HTTP_CONNECTION_CLOSED", "the connection to the bridge was lost")
    };
    LinkError { code: code.to_owned(), message: message.to_owned(), is_passing: true }
}

fn closed() -> LinkError {
    LinkError {
        code: "ACP_HTTP_CONNECTION_CLOSED".to_owned(),
        message: "the connection to the bridge was lost".to_owned(),
        is_passing: true,
    }
}

async fn refused(response: Response) -> LinkError {
    let status = response.status();
    let body = whole(response).await.unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let words = body["error"]["message"].as_str().unwrap_or("it says no more").to_owned();
    let is_passing = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    if status == StatusCode::UNAUTHORIZED {
        return LinkError {
            code: "ACP_HTTP_401".to_owned(),
            message: "the server takes nothing without its token: give it with --token or ENGROSS_TOKEN"
                .to_owned(),
            is_passing,
        };
    }
    LinkError {
        code: format!("ACP_HTTP_{}", status.as_u16()),
        message: format!("the bridge answers {status}: {words}"),
        is_passing,
    }
}

async fn whole(response: Response) -> Result<Vec<u8>, LinkError> {
    let mut bytes = Vec::new();
    let mut response = response;
    while let Some(piece) = response.chunk().await.map_err(|_| closed())? {
        if bytes.len() + piece.len() > LARGEST_ANSWER {
            return Err(LinkError {
                code: "ACP_HTTP_ANSWER_TOO_LARGE".to_owned(),
                message: format!("the bridge answers with more than {LARGEST_ANSWER} bytes"),
                is_passing: false,
            });
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// The frames of a response, the answer last. What the connection does behind it is of no concern.
async fn frames(response: Response, id: String) -> Frames {
    let is_stream = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("text/event-stream"));
    if !is_stream {
        let only = match whole(response).await {
            Ok(body) => {
                let read = serde_json::from_slice(&body).ok().and_then(|body| frame(&body, &id, None));
                read.unwrap_or_else(|| Err(no_answer()))
            }
            Err(error) => Err(error),
        };
        return stream::iter([only]).boxed();
    }
    let pieces = stream::try_unfold(response, |mut response| async move {
        Ok::<_, reqwest::Error>(response.chunk().await?.map(|piece| (piece, response)))
    });
    let events = SseByteStream::new(pieces.boxed());
    stream::unfold(Some((events, id)), |listening| async move {
        let (mut events, id) = listening?;
        while let Some(event) = events.next().await {
            let Ok(Sse { data, id: event_id, .. }) = event else { return Some((Err(closed()), None)) };
            let Some(data) = data else { continue };
            if data == "[DONE]" {
                return None;
            }
            let read = serde_json::from_str(&data).ok().and_then(|body| frame(&body, &id, event_id));
            if let Some(frame) = read {
                let more = matches!(frame, Ok(BridgeFrame::Update(..)));
                return Some((frame, more.then_some((events, id))));
            }
        }
        None
    })
    .boxed()
}

fn no_answer() -> LinkError {
    LinkError {
        code: "ACP_SSE_NO_RESULT".to_owned(),
        message: "the bridge sent no answer".to_owned(),
        is_passing: true,
    }
}

/// The frame of an envelope; `None` when it is for somebody else, or says nothing to a thread.
fn frame(body: &Value, id: &str, event: Option<String>) -> Option<Result<BridgeFrame, LinkError>> {
    if let Some(method) = body["method"].as_str() {
        let is_update = matches!(method, "session.update" | "acp.session.update");
        let params = if body["params"].is_null() { &body["payload"] } else { &body["params"] };
        return is_update.then(|| Ok(BridgeFrame::Update(params.clone(), event)));
    }
    if body["id"].as_str() != Some(id) && !body["id"].is_null() {
        return None;
    }
    if let Some(error) = body.get("error").filter(|error| error.is_object()) {
        let code = error["data"]["code"].as_str().map_or_else(|| error["code"].to_string(), str::to_owned);
        let message = error["message"].as_str().unwrap_or_default().to_owned();
        // It takes nothing new, and the next one does.
        let is_stopping = code == engross_protocol::shared::SERVER_STOPPING.name;
        if is_stopping || error["data"]["retryable"] == true {
            return Some(Err(LinkError { code, message, is_passing: true }));
        }
        return Some(Ok(BridgeFrame::Refused { code, message }));
    }
    body.get("result").map(|result| Ok(BridgeFrame::Answer(result.clone())))
}

/// The files that a bridge serves.
struct RemoteFiles(Arc<Remote>);

impl FileSource for RemoteFiles {
    fn fetch(&self, file: &RemoteArtifact, from: u64, sink: &mut dyn Sink) -> Result<(), FetchError> {
        if let Some(content) = &file.content {
            let bytes = STANDARD
                .decode(content)
                .map_err(|error| FetchError::Refused(format!("its content is no base64: {error}")))?;
            sink.begin(0)?;
            return Ok(sink.take(&bytes)?);
        }
        let url = self.0.download(&file.download_url)?;
        self.0.runtime.block_on(self.0.fetch(url, from, sink))
    }
}

impl Remote {
    /// Where to fetch a file: on this bridge, whatever host a signed link names (contracts/tasks.md §4.6, case 116).
    fn download(&self, link: &str) -> Result<Url, FetchError> {
        let refused = |problem: &str| FetchError::Refused(format!("its link {problem}"));
        let url = match Url::parse(link) {
            Ok(url) => url,
            Err(_) if link.starts_with('/') => self.base.join(link).map_err(|_| refused("is no address"))?,
            Err(_) => return Err(refused("is no address")),
        };
        let is_here = url.origin() == self.base.origin();
        let is_signed = url.query_pairs().any(|(name, _)| name == "sig");
        if is_here {
            return Ok(url);
        }
        if !is_signed {
            return Err(refused("leads to another host"));
        }
        let mut here = self.base.clone();
        here.set_path(url.path());
        here.set_query(url.query());
        Ok(here)
    }

    async fn fetch(&self, url: Url, from: u64, sink: &mut dyn Sink) -> Result<(), FetchError> {
        let mut request = self.client.get(url);
        if let Some(token) = self.bearer().map_err(|error| FetchError::Refused(error.message))? {
            request = request.header(AUTHORIZATION, token);
        }
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        let response = request.send().await.map_err(|error| FetchError::Lost(not_sent(&error).message))?;
        match response.status() {
            StatusCode::OK => sink.begin(0)?,
            StatusCode::PARTIAL_CONTENT => sink.begin(from)?,
            StatusCode::RANGE_NOT_SATISFIABLE => {
                // What is here is not a beginning of what is there.
                sink.begin(0)?;
                return Err(FetchError::Lost("it has changed meanwhile".to_owned()));
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => return Err(FetchError::Gone),
            status if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS => {
                return Err(FetchError::Refused(format!("the bridge answers {status}")));
            }
            status => return Err(FetchError::Lost(format!("the bridge answers {status}"))),
        }
        let mut response = response;
        let lost = |_| FetchError::Lost("the connection was lost".to_owned());
        while let Some(piece) = response.chunk().await.map_err(lost)? {
            sink.take(&piece)?;
        }
        Ok(())
    }
}
