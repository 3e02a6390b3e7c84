//! Where connections come in: at an address, or at a socket of this machine's files.
//!
//! Must never take a connection for one of another machine that is not: only an address can be reached from there.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;

/// Where a server is reached.
pub enum Listener {
    /// By an address.
    Address(TcpListener),
    /// By a file, by those who may open it.
    #[cfg(unix)]
    File(tokio::net::UnixListener),
}

/// The bytes of a connection.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// A connection of either kind.
pub(super) type BoxedStream = Pin<Box<dyn Stream>>;

impl Listener {
    /// The next connection, and from where it is.
    pub(super) async fn accept(&self) -> io::Result<(BoxedStream, IpAddr)> {
        match self {
            Self::Address(listener) => {
                let (stream, peer) = listener.accept().await?;
                // Small pieces of a stream must not wait for the next one.
                let _ = stream.set_nodelay(true);
                Ok((Box::pin(stream), peer.ip()))
            }
            #[cfg(unix)]
            Self::File(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Box::pin(stream), Ipv4Addr::LOCALHOST.into()))
            }
        }
    }
}

impl From<TcpListener> for Listener {
    fn from(listener: TcpListener) -> Self {
        Self::Address(listener)
    }
}
