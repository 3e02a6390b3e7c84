//! Opens the socket to a gateway: TCP, TLS where its address asks for it, WebSocket.
//!
//! Must never take a certificate that the system does not trust.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::address::Address;
use super::error::{GatewayFault, shown};

/// A line of bytes, with TLS or without.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// A WebSocket.
pub(super) type Socket = WebSocketStream<Box<dyn Wire>>;

/// Connects to `address`. Messages above `largest` bytes end the connection.
pub(super) async fn connect(address: &Address, largest: usize) -> Result<Socket, GatewayFault> {
    let failed = |problem: String| GatewayFault::Connect { problem: shown(&problem) };
    let stream = TcpStream::connect((address.host.as_str(), address.port))
        .await
        .map_err(|error| failed(error.to_string()))?;
    // Small requests must not wait for the next one.
    let _ = stream.set_nodelay(true);
    let wire: Box<dyn Wire> = if address.is_secure {
        let name = ServerName::try_from(address.host.clone())
            .map_err(|_| failed(format!("'{}' is no name that a certificate can have", address.host)))?;
        let connector = connector().map_err(failed)?;
        Box::new(connector.connect(name, stream).await.map_err(|error| failed(error.to_string()))?)
    } else {
        Box::new(stream)
    };
    let limits = WebSocketConfig::default().max_message_size(Some(largest)).max_frame_size(Some(largest));
    let (socket, _) = tokio_tungstenite::client_async_with_config(address.url.as_str(), wire, Some(limits))
        .await
        .map_err(|error| failed(error.to_string()))?;
    Ok(socket)
}

fn connector() -> Result<TlsConnector, String> {
    let config = engross_tls::secured().map_err(|error| error.to_string())?;
    Ok(TlsConnector::from(Arc::new(config)))
}
