//! What stands between a node and its database: a network that can be cut, go silent, or become slow.
//!
//! Must never change or lose a byte of a connection that it leaves open: what a silent network has taken in arrives later.

use std::net::{IpAddr, SocketAddr};
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

/// Where a way leads to.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// Where the database listens at present.
    Database(Arc<Mutex<PathBuf>>),
    /// A server that is always there.
    Server(SocketAddr),
}

/// The way of one node to the database, or of all to what else they need.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    link: watch::Sender<Link>,
}

impl Proxy {
    /// Opens a way to `target`, which begins at the address `here`.
    pub(super) fn start(runtime: &Handle, here: IpAddr, target: Target) -> Result<Self> {
        let opened = std::net::TcpListener::bind((here, 0)).and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok((listener.local_addr()?, listener))
        });
        let (address, listener) =
            opened.map_err(|error| Error::Server(format!("no port is free: {error}")))?;
        let (link, seen) = watch::channel(Link::Open);
        runtime.spawn(async move {
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(connect(client, target.clone(), seen.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, link })
    }

    /// The address of the database for the node.
    pub(super) fn url(&self) -> String {
        format!("postgres://engross@{}/postgres", self.address)
    }

    /// How the network is from now on.
    pub(super) fn set(&self, link: Link) {
        self.link.send_replace(link);
    }
}

/// The two directions of a connection.
type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

async fn connect(client: TcpStream, target: Target, mut link: watch::Receiver<Link>) {
    if *link.borrow_and_update() == Link::Cut {
        return;
    }
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server): (Reader, Writer) = match target {
        Target::Database(path) => {
            let path = path.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let Ok(server) = UnixStream::connect(path).await else { return };
            let (from, to) = server.into_split();
            (Box::new(from), Box::new(to))
        }
        Target::Server(address) => {
            let Ok(server) = TcpStream::connect(address).await else { return };
            let (from, to) = server.into_split();
            (Box::new(from), Box::new(to))
        }
    };
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
