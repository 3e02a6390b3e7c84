//! The configuration of a gateway and its time limits.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use engross_protocol::Clock;
use secrecy::SecretString;

/// What a gateway is reached with.
#[derive(Clone)]
pub struct GatewayConfig {
    /// Its address, such as `ws://127.0.0.1:18789` or `wss://gateway.example`. Without TLS only this machine is reached.
    pub url: String,
    /// The token that it shares with its clients.
    pub token: Option<SecretString>,
    /// The folder, beneath the folder for data, where the key of this device is kept. It must exist.
    pub identity: PathBuf,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// How long and how much a gateway may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayLimits {
    /// Until it has taken a connection and greeted.
    pub connect: Duration,
    /// To answer an ordinary request.
    pub request: Duration,
    /// To accept a turn.
    pub send: Duration,
    /// To confirm that a turn is being stopped.
    pub abort: Duration,
    /// To hand over a file.
    pub file: Duration,
    /// The first pause before it is called again; it doubles.
    pub pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// Silence of a run before the gateway is asked how it stands.
    pub silence: Duration,
    /// The same after the line was lost, when the end may have been missed.
    pub recovery: Duration,
    /// How long it may be out of reach before a run is given up.
    pub lost: Duration,
    /// Bytes of a message from it. A longer one ends the connection.
    pub message: usize,
    /// Bytes of an event that tells of work. A longer one is left out.
    pub event: usize,
    /// Bytes of a run's events that wait to be heard. Above it, pieces are left out; ends never are.
    pub waiting: usize,
    /// Bytes of a file that is fetched from it.
    pub largest_file: u64,
}

impl Default for GatewayLimits {
    fn default() -> Self {
        const MINUTE: Duration = Duration::from_secs(60);
        Self {
            connect: Duration::from_secs(30),
            request: Duration::from_secs(30),
            send: 6 * MINUTE,
            abort: Duration::from_secs(5),
            file: MINUTE,
            pause: Duration::from_millis(250),
            longest_pause: Duration::from_secs(30),
            silence: MINUTE,
            recovery: Duration::from_secs(5),
            lost: 10 * MINUTE,
            message: 64 << 20,
            event: 256 << 10,
            waiting: 4 << 20,
            largest_file: 16 << 20,
        }
    }
}
