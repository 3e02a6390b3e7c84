//! The connections of a server: accepted within a bound, closed when they are silent, finished when the server stops.
//!
//! Must never wait for a client without a limit of time, nor give a connection that says nothing the place of one that asks.
//!
//! | File | Question it answers |
//! |---|---|
//! | `leftover` | what of a request's body does nobody want? |
//! | `listener` | where do connections come in? |
//! | `open` | which connections are there, what does each wait for, and which gives way? |
//! | `stream` | how are bytes moved, and when has a reader stopped reading? |

mod leftover;
mod listener;
mod open;
mod stream;

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use engross_tls::{ServerConfig, TlsError};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::OwnedSemaphorePermit;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use self::leftover::{Leftover, is_sent};
pub use self::listener::Listener;
use self::open::{ConnectionState, OpenConnections, Room};
use self::stream::{ReceivedBody, SentBody, TimedStream};

/// How long the server waits when the system gives it no further connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Bounds of connections.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// How many there may be.
    pub connections: usize,
    /// Longest wait from the first byte of a request's head to its last.
    pub head: Duration,
    /// Longest wait for the next request.
    pub idle: Duration,
    /// Longest time in which a client takes nothing of its answer.
    pub unread: Duration,
}

impl Default for ConnectionLimits {
    /// 4,096 connections, 15 s for a head, 75 s between requests, 60 s for a reader.
    fn default() -> Self {
        Self {
            connections: 4096,
            head: Duration::from_secs(15),
            idle: Duration::from_secs(75),
            unread: Duration::from_secs(60),
        }
    }
}

/// Where a request came from: in the extensions of each that came over a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Marks a request that came while there was no room left: only what is asked of a server's health is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overload;

/// What secures connections. Clones share it, so that certificates can be renewed while the server runs.
#[derive(Clone)]
pub struct Tls(Arc<RwLock<Arc<ServerConfig>>>);

impl Tls {
    /// Shows the certificates of `chain`, and holds their `key`: both PEM.
    ///
    /// # Errors
    /// When they cannot be read, or do not belong together.
    pub fn new(chain: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        Ok(Self(Arc::new(RwLock::new(Arc::new(engross_tls::server(chain, key)?)))))
    }

    /// Shows others from the next connection on. After an error the old ones stay.
    ///
    /// # Errors
    /// As [`Tls::new`].
    pub fn renew(&self, chain: &[u8], key: &[u8]) -> Result<(), TlsError> {
        let config = Arc::new(engross_tls::server(chain, key)?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = config;
        Ok(())
    }

    fn acceptor(&self) -> TlsAcceptor {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

/// Serves `routes` until `stopping` resolves, and then until the requests that are under way are answered.
pub async fn serve(
    listener: impl Into<Listener>,
    tls: Option<Tls>,
    routes: Router,
    limits: ConnectionLimits,
    stopping: impl Future<Output = ()>,
) {
    let listener: Listener = listener.into();
    let open = OpenConnections::new(limits.connections);
    let (tasks, closing) = (TaskTracker::new(), CancellationToken::new());
    tokio::pin!(stopping);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stopping => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!("no connection could be accepted: {error}");
                // The system has no descriptor left, as a rule: one that nobody needs is freed.
                open.give_way();
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Some(room) = open.room().await else { continue };
        let connection = Connection { routes: routes.clone(), limits, peer, closing: closing.clone() };
        let acceptor = tls.as_ref().map(Tls::acceptor);
        tasks.spawn(async move {
            let Room { state, permit, is_overload } = room;
            let evicted = state.evicted();
            let work = async {
                match acceptor {
                    None => connection.carry(stream, &state, permit, is_overload).await,
                    Some(acceptor) => {
                        let shaken = tokio::time::timeout(limits.head, acceptor.accept(stream)).await;
                        // Who speaks no TLS hears nothing.
                        if let Ok(Ok(stream)) = shaken {
                            connection.carry(stream, &state, permit, is_overload).await;
                        }
                    }
                }
            };
            tokio::select! {
                () = work => {}
                () = evicted.cancelled() => {}
            }
        });
    }
    drop(listener);
    closing.cancel();
    tasks.close();
    tasks.wait().await;
}

/// What one connection needs.
struct Connection {
    routes: Router,
    limits: ConnectionLimits,
    peer: IpAddr,
    closing: CancellationToken,
}

impl Connection {
    /// Answers the requests of one connection, one after the other.
    async fn carry<S>(
        self,
        stream: S,
        state: &Arc<ConnectionState>,
        permit: OwnedSemaphorePermit,
        is_overload: bool,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Self { routes, limits, peer, closing } = self;
        let stream = TimedStream::new(stream, Arc::clone(state), limits.unread, permit);
        let of_requests = Arc::clone(state);
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let (routes, state) = (routes.clone(), Arc::clone(&of_requests));
            async move {
                let (leftover, is_sent) = (Leftover::default(), is_sent(request.headers()));
                let received =
                    |body| ReceivedBody::new(body, Arc::clone(&state), leftover.clone()).into_body();
                let mut request = request.map(received);
                request.extensions_mut().insert(Peer(peer));
                if is_overload {
                    request.extensions_mut().insert(Overload);
                }
                let response: Response<Body> =
                    routes.oneshot(request).await.unwrap_or_else(|never| match never {});
                // Who was told that the rest did not come in time sends nothing.
                let is_sent = is_sent && response.status() != StatusCode::REQUEST_TIMEOUT;
                leftover.throw_away(is_sent, &state).await;
                let is_upgrade = response.status() == StatusCode::SWITCHING_PROTOCOLS;
                Ok::<_, Infallible>(response.map(|body| SentBody::new(body, state, is_upgrade)))
            }
        });
        // Our own timers watch over it: hyper has one for heads alone.
        let connection = http1::Builder::new()
            .header_read_timeout(None::<Duration>)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        tokio::pin!(connection);
        let mut is_closing = false;
        loop {
            tokio::select! {
                _ = connection.as_mut() => return,
                () = state.timed_out(limits.head, limits.idle) => return,
                () = closing.cancelled(), if !is_closing => {
                    is_closing = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}
