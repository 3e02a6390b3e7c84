//! Nodes that share what owners have: which requests another node must answer, and how it is asked.
//!
//! Must never pass a request on twice, nor one whose body is not there any more; nor hold what is on its way: bodies flow through.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::{CONNECTION, CONTENT_LENGTH, HOST, TE, TRANSFER_ENCODING, UPGRADE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use engross_llm::codes::MODEL_NOT_OFFERED;
use engross_protocol::shared;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream, Stream};
use hyper::body::{Frame, SizeHint};
use hyper_util::rt::TokioIo;
use reqwest::{Client, Url};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::TaskTracker;

use super::error::{Error, ErrorCode};

/// Says that a node passed the request on, and which one.
const FORWARDED: HeaderName = HeaderName::from_static("x-engross-forwarded-by");

/// Tells the node that passed a request on that nothing of it was done, since what it needs is at another node by now.
const UNDONE: HeaderName = HeaderName::from_static("x-engross-undone");

/// How long it may take until another node takes a connection.
const CONNECT: Duration = Duration::from_millis(1_500);

/// How long a request waits while nobody has what it needs, or the one who had it does not answer: longer than it takes until another
/// node has taken it up.
const PATIENCE: Duration = Duration::from_secs(6);

/// How long is waited for news of a node that did not answer.
const AGAIN: Duration = Duration::from_millis(500);

/// Where an owner's things are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HomePlace {
    /// At this node.
    Here,
    /// At the node with this address.
    At(String),
    /// At none, as far as is known.
    Nowhere,
}

/// A wait for news. It may end without any.
pub type HomeNews<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// What answers a request at this node.
pub(crate) type Answerer<'a> =
    &'a (dyn Fn(Request) -> Pin<Box<dyn Future<Output = Response> + Send>> + Send + Sync);

/// What is counted of those who use what an owner has here: a home moves by choice when nobody does.
#[derive(Debug, Clone, Default)]
pub struct HomeUses(Arc<()>);

/// One use, until all clones are dropped.
#[derive(Debug, Clone)]
pub struct HomeUse(#[expect(dead_code, reason = "it is counted, not read")] Arc<()>);

impl HomeUses {
    /// Begins one.
    #[must_use]
    pub fn begin(&self) -> HomeUse {
        HomeUse(Arc::clone(&self.0))
    }

    /// Whether there is none. One that begins meanwhile is not seen: who asks has to keep others out first.
    #[must_use]
    pub fn are_over(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// Knows which node has what.
pub trait HomeFinder: Send + Sync {
    /// Says that a request for what an owner has is about to be answered. It is asked for before [`HomeFinder::find`], so that what was
    /// found to be here stays as long as this is kept.
    fn begin(&self, owner: &str) -> HomeUse;

    /// Where an owner's things are now.
    fn find(&self, owner: &str) -> HomePlace;

    /// Resolves when something has changed since it was asked, or soon.
    fn changed(&self) -> HomeNews<'_>;

    /// The addresses of the other nodes that have anything; nothing as long as what some owner has is at no node.
    fn others(&self) -> Option<Vec<String>>;
}

/// Passes requests on to the nodes that have what they need. Clones share it.
#[derive(Clone)]
pub struct HomeDoor {
    finder: Arc<dyn HomeFinder>,
    client: Client,
    name: HeaderValue,
    /// What flows both ways, until it ends.
    streams: TaskTracker,
}

impl HomeDoor {
    /// Passes requests on in the name of this node, with certificates that this machine trusts where an address says `https`.
    ///
    /// # Errors
    /// When no client can be made, or `name` is none.
    pub fn new(finder: Arc<dyn HomeFinder>, name: &str, is_secured: bool) -> Result<Self, String> {
        let tls = engross_tls::of_scheme(if is_secured { "https" } else { "http" });
        let client = Client::builder()
            .tls_backend_preconfigured(tls.map_err(|error| error.to_string())?)
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .build()
            .map_err(|error| format!("no HTTP client can be made: {error}"))?;
        let name = HeaderValue::from_str(name).map_err(|error| error.to_string())?;
        Ok(Self { finder, client, name, streams: TaskTracker::new() })
    }

    /// Where a request for what `owner` has is to be answered. Waits a while for somebody to have it.
    async fn place(&self, owner: &str, was_forwarded: bool, deadline: Instant) -> Result<HomePlace, Error> {
        loop {
            let changed = self.finder.changed();
            match self.finder.find(owner) {
                HomePlace::Here => return Ok(HomePlace::Here),
                // The one who asks knows the nodes, and hears where it is now.
                HomePlace::At(_) if was_forwarded => return Err(Error::HomeAway),
                HomePlace::At(address) => return Ok(HomePlace::At(address)),
                HomePlace::Nowhere => {}
            }
            if timeout_at(deadline, changed).await.is_err() {
                return Err(Error::HomeAway);
            }
        }
    }

    /// Has the node answer a request that has what `owner` has; `here` answers it when that is this one.
    pub(crate) async fn answer(&self, owner: &str, request: Request, here: Answerer<'_>) -> Response {
        let (parts, body) = request.into_parts();
        let used = self.finder.begin(owner);
        self.lead(owner, parts, &LentBody::of(body), here, used).await
    }

    /// Has this node answer a request that any node may, as `here` does, and the one that has what `owner` has, where it turns out that
    /// only that one can.
    pub(crate) async fn answer_anywhere(
        &self,
        owner: &str,
        request: Request,
        here: Answerer<'_>,
    ) -> Response {
        let used = self.finder.begin(owner);
        if self.finder.find(owner) == HomePlace::Here {
            return at_home(here, request, used).await;
        }
        let (parts, body) = request.into_parts();
        let lent = LentBody::kept(body);
        let response = here(Request::from_parts(parts.clone(), Body::new(lent.body()))).await;
        // Also a model that the owner has brought is where the owner's things are.
        let theirs = [shared::HOME_AWAY.name, MODEL_NOT_OFFERED.name];
        let code = response.extensions().get::<ErrorCode>();
        let is_away = code.is_some_and(|code| theirs.contains(&code.0.as_str()));
        // One that was led here waits until it is open, too.
        match is_away {
            true => self.lead(owner, parts, &lent, here, used).await,
            false => response,
        }
    }

    async fn lead(
        &self,
        owner: &str,
        mut parts: Parts,
        lent: &LentBody,
        here: Answerer<'_>,
        used: HomeUse,
    ) -> Response {
        let was_forwarded = parts.headers.contains_key(FORWARDED);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let address = match self.place(owner, was_forwarded, deadline).await {
                Ok(HomePlace::At(address)) => address,
                Ok(_) => {
                    let request = Request::from_parts(parts, Body::new(lent.body()));
                    return at_home(here, request, used).await;
                }
                Err(error) => {
                    let mut response = error.into_response();
                    if was_forwarded {
                        response.headers_mut().insert(UNDONE, HeaderValue::from_static("1"));
                    }
                    return response;
                }
            };
            let moved = moved(Arc::clone(&self.finder), owner.to_owned(), address.clone());
            match self.forward(&address, &mut parts, lent, moved).await {
                Ok(mut response) => {
                    // It has just gone from there, which this node has not heard yet.
                    let is_undone = response.headers_mut().remove(UNDONE).is_some();
                    if !is_undone || was_forwarded || lent.is_gone() || Instant::now() > deadline {
                        return response;
                    }
                    let _ = timeout(AGAIN, self.finder.changed()).await;
                }
                Err(problem) => {
                    tracing::debug!("{address} did not answer: {problem}");
                    // What was read of the body is gone, and what may have been done is not done twice.
                    let is_safe = problem == ForwardProblem::NotReached || parts.method.is_safe();
                    if lent.is_gone() || !is_safe || Instant::now() > deadline {
                        return Error::HomeAway.into_response();
                    }
                    let _ = timeout(AGAIN, self.finder.changed()).await;
                }
            }
        }
    }

    /// Asks the other nodes for what this one does not know, until one does; nothing when none does. Waits a while for each owner's
    /// things to be at some node. A request that another node asks is refused.
    pub(crate) async fn ask_others(&self, request: Request) -> Option<Response> {
        if request.headers().contains_key(FORWARDED) {
            // Who asks all nodes goes on with the next one, and asks again where something is not open yet.
            return Some(match self.finder.others() {
                Some(_) => StatusCode::FORBIDDEN.into_response(),
                None => Error::HomeAway.into_response(),
            });
        }
        let (mut parts, _) = request.into_parts();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let changed = self.finder.changed();
            let others = self.finder.others();
            let mut are_all_reached = others.is_some();
            for address in others.into_iter().flatten() {
                let empty = LentBody::of(Body::empty());
                match self.forward(&address, &mut parts, &empty, std::future::pending()).await {
                    Ok(response) if response.status() == StatusCode::FORBIDDEN => {}
                    Ok(response) if response.status() == StatusCode::SERVICE_UNAVAILABLE => {
                        are_all_reached = false;
                    }
                    Ok(response) => return Some(response),
                    Err(problem) => {
                        tracing::debug!("{address} did not answer: {problem}");
                        are_all_reached = false;
                    }
                }
            }
            if are_all_reached {
                return None;
            }
            if timeout_at(deadline, changed).await.is_err() {
                return Some(Error::HomeAway.into_response());
            }
        }
    }

    /// Asks the node at `address`. When `moved` resolves before the answer is there, or before its end, it is cut off.
    async fn forward(
        &self,
        address: &str,
        parts: &mut Parts,
        body: &LentBody,
        moved: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Response, ForwardProblem> {
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let url = format!("{}{path}", address.trim_end_matches('/'));
        let url = Url::parse(&url).map_err(|_| ForwardProblem::NotReached)?;
        let is_upgrade = parts.headers.contains_key(UPGRADE);
        let mut headers = end_to_end(&parts.headers, is_upgrade);
        headers.insert(FORWARDED, self.name.clone());
        let has_body =
            parts.headers.contains_key(CONTENT_LENGTH) || parts.headers.contains_key(TRANSFER_ENCODING);
        let mut asked = self.client.request(parts.method.clone(), url).headers(headers);
        if has_body {
            asked = asked.body(reqwest::Body::wrap(body.body()));
        }
        let mut moved = Box::pin(moved);
        let answer = tokio::select! {
            answer = asked.send() => answer.map_err(|error| match error.is_connect() {
                true => ForwardProblem::NotReached,
                false => ForwardProblem::Broken,
            })?,
            () = &mut moved => return Err(ForwardProblem::Moved),
        };
        let status = answer.status();
        let is_switched = status == StatusCode::SWITCHING_PROTOCOLS;
        let headers = end_to_end(answer.headers(), is_switched);
        let body = if is_switched {
            let own = parts.extensions.remove::<hyper::upgrade::OnUpgrade>().ok_or(ForwardProblem::Broken)?;
            self.streams.spawn(async move {
                let (Ok(mut there), Ok(here)) = (answer.upgrade().await, own.await) else { return };
                let mut here = TokioIo::new(here);
                tokio::select! {
                    _ = tokio::io::copy_bidirectional(&mut there, &mut here) => {}
                    () = moved => {}
                }
            });
            Body::empty()
        } else {
            Body::from_stream(until_moved(answer.bytes_stream().boxed(), moved))
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}

/// Answers at this node. What is used is in use until the end of the answer, or of the socket that took the use from the request.
async fn at_home(here: Answerer<'_>, mut request: Request, used: HomeUse) -> Response {
    request.extensions_mut().insert(used.clone());
    here(request).await.map(|body| Body::new(UsingBody { body, _used: used }))
}

/// A body during which an owner's home does not move by choice.
struct UsingBody {
    body: Body,
    _used: HomeUse,
}

impl HttpBody for UsingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Why another node has not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum ForwardProblem {
    #[error("it takes no connection")]
    NotReached,
    #[error("the connection broke off")]
    Broken,
    #[error("what it had is at another node")]
    Moved,
}

/// Resolves when what `owner` has is known to be elsewhere than at `address`.
async fn moved(finder: Arc<dyn HomeFinder>, owner: String, address: String) {
    loop {
        finder.changed().await;
        match finder.find(&owner) {
            HomePlace::At(now) if now == address => {}
            HomePlace::Nowhere => {}
            _ => return,
        }
    }
}

/// A body whose end is an error where `moved` comes first: cut off, and not taken for whole.
fn until_moved(
    stream: BoxStream<'static, reqwest::Result<Bytes>>,
    moved: Pin<Box<impl Future<Output = ()> + Send + 'static>>,
) -> impl Stream<Item = Result<Bytes, ForwardProblem>> + Send + 'static {
    stream::unfold(Some((stream, moved)), async |state| {
        let (mut stream, mut moved) = state?;
        tokio::select! {
            biased;
            next = stream.next() => match next? {
                Ok(bytes) => Some((Ok(bytes), Some((stream, moved)))),
                Err(_) => Some((Err(ForwardProblem::Broken), None)),
            },
            () = &mut moved => Some((Err(ForwardProblem::Moved), None)),
        }
    })
}

/// Whether what is asked for is with an owner's home: all but sessions, and what has no memory.
pub(crate) fn is_at_home(path: &str) -> bool {
    let anywhere = ["/v1/chat/completions", "/v1/responses", "/v1/sessions", "/v1/models", "/v1/errors"];
    let is_beneath =
        |root: &str| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    !(anywhere.into_iter().any(is_beneath)
        || matches!(path, "/v1/compare" | "/v1/view" | "/healthz" | "/readyz" | "/metrics"))
}

/// The headers that are not of one connection.
fn end_to_end(headers: &HeaderMap, is_upgrade: bool) -> HeaderMap {
    let of_connection = |name: &HeaderName| {
        [HOST, TE, TRANSFER_ENCODING].contains(name)
            || name.as_str() == "keep-alive"
            || name.as_str().starts_with("proxy-")
            || (!is_upgrade && [CONNECTION, UPGRADE].contains(name))
    };
    let mut kept = HeaderMap::with_capacity(headers.len() + 1);
    for (name, value) in headers {
        if !of_connection(name) {
            kept.append(name.clone(), value.clone());
        }
    }
    kept
}

/// A body that may be given to one after the other: from its beginning where it is kept, else as long as nobody has read from it.
struct LentBody(Arc<Mutex<LentState>>);

struct LentState {
    body: Body,
    is_begun: bool,
    /// What was read; nothing where it is not kept.
    kept: Option<Vec<Bytes>>,
}

impl LentBody {
    fn of(body: Body) -> Self {
        Self(Arc::new(Mutex::new(LentState { body, is_begun: false, kept: None })))
    }

    /// One that is small, and kept as it is read.
    fn kept(body: Body) -> Self {
        Self(Arc::new(Mutex::new(LentState { body, is_begun: false, kept: Some(Vec::new()) })))
    }

    /// Whether it cannot be given to another one.
    fn is_gone(&self) -> bool {
        let state = lock(&self.0);
        state.is_begun && state.kept.is_none()
    }

    fn body(&self) -> BorrowedBody {
        BorrowedBody { state: Arc::clone(&self.0), told: 0 }
    }
}

/// The body of a [`LentBody`], for one reader.
struct BorrowedBody {
    state: Arc<Mutex<LentState>>,
    /// The pieces of what was kept that it has told.
    told: usize,
}

impl HttpBody for BorrowedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let shared = Arc::clone(&self.state);
        let mut state = lock(&shared);
        if let Some(known) = state.kept.as_ref().and_then(|kept| kept.get(self.told)) {
            let known = known.clone();
            self.told += 1;
            return Poll::Ready(Some(Ok(Frame::data(known))));
        }
        state.is_begun = true;
        let frame = ready!(Pin::new(&mut state.body).poll_frame(context));
        if let (Some(Ok(frame)), Some(kept)) = (&frame, &mut state.kept)
            && let Some(bytes) = frame.data_ref()
        {
            kept.push(bytes.clone());
            self.told += 1;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        let state = lock(&self.state);
        state.kept.as_ref().is_none_or(|kept| kept.len() <= self.told) && state.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let state = lock(&self.state);
        let left = state.kept.iter().flatten().skip(self.told).map(|bytes| bytes.len() as u64).sum::<u64>();
        let hint = state.body.size_hint();
        let mut whole = SizeHint::new();
        whole.set_lower(hint.lower().saturating_add(left));
        if let Some(upper) = hint.upper().and_then(|upper| upper.checked_add(left)) {
            whole.set_upper(upper);
        }
        whole
    }
}

fn lock(state: &Mutex<LentState>) -> std::sync::MutexGuard<'_, LentState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
