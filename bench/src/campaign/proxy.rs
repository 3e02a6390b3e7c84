//! What stands between a node and its database: a network that can be cut, go silent, or become slow.
//!
//! Must never change or lose a byte of a connection that it leaves open: what a silent network has taken in arrives later.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::{Error, Result};

/// How the network is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// As it should be.
    Open,
    /// Connections are ended, and none is let in.
    Cut,
    /// Nothing arrives, and nobody is told.
    Silent,
    /// Each piece takes so much longer.
    Slow(Duration),
}

/// Where the database listens at present.
pub(super) type Target = Arc<Mutex<PathBuf>>;

/// The way of one node to the database.
pub(super) struct Proxy {
    port: u16,
    link: watch::Sender<Link>,
}

impl Proxy {
    /// Opens a way to `target`.
    pub(super) fn start(runtime: &Handle, target: Target) -> Result<Self> {
        let opened = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok((listener.local_addr()?.port(), listener))
        });
        let (port, listener) = opened.map_err(|error| Error::Server(format!("no port is free: {error}")))?;
        let (link, seen) = watch::channel(Link::Open);
        runtime.spawn(async move {
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(connect(client, Arc::clone(&target), seen.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { port, link })
    }

    /// The address of the database for the node.
    pub(super) fn url(&self) -> String {
        format!("postgres://engross@127.0.0.1:{}/postgres", self.port)
    }

    /// How the network is from now on.
    pub(super) fn set(&self, link: Link) {
        self.link.send_replace(link);
    }
}

async fn connect(client: TcpStream, target: Target, mut link: watch::Receiver<Link>) {
    if *link.borrow_and_update() == Link::Cut {
        return;
    }
    let path = target.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Ok(server) = UnixStream::connect(path).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let mut cut = link.clone();
    tokio::select! {
        () = pass(from_client, to_server, link.clone()) => {}
        () = pass(from_server, to_client, link) => {}
        _ = cut.wait_for(|link| *link == Link::Cut) => {}
    }
}

/// Passes on what comes until either side is done.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut link: watch::Receiver<Link>,
) {
    let mut piece = vec![0; 64 << 10];
    while let Ok(length @ 1..) = from.read(&mut piece).await {
        if link.wait_for(|link| *link != Link::Silent).await.is_err() {
            return;
        }
        let link = *link.borrow();
        if let Link::Slow(delay) = link {
            tokio::time::sleep(delay).await;
        }
        if to.write_all(&piece[..length]).await.is_err() {
            return;
        }
    }
}
