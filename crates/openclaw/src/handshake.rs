//! Opens a connection: the gateway's nonce, our signature, its greeting.
//!
//! Must never send the token before the gateway has spoken.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::error::{GatewayFault, shown};
use super::frame::{Frame, Refusal, read};
use super::identity::{Identity, Login};
use super::socket::Socket;

/// The versions of the protocol that are spoken.
const OLDEST: u8 = 3;
const NEWEST: u8 = 4;

const CLIENT: &str = "gateway-client";
const MODE: &str = "backend";
const ROLE: &str = "operator";

/// Reading and writing for turns; the methods of plugins ask for `operator.admin`.
const SCOPES: &[&str] = &["operator.admin", "operator.read", "operator.write"];

/// The id of the first request.
const FIRST: &str = "connect";

/// What the gateway says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hello {
    /// How often it tells that it is there.
    pub(super) tick: Duration,
    /// Bytes of the longest message it takes.
    pub(super) largest: usize,
}

impl Hello {
    fn read(payload: &Value) -> Self {
        let policy = &payload["policy"];
        let tick = policy["tickIntervalMs"].as_u64().filter(|tick| *tick > 0).unwrap_or(30_000);
        let largest = policy["maxPayload"].as_u64().unwrap_or(25 << 20);
        Self { tick: Duration::from_millis(tick), largest: usize::try_from(largest).unwrap_or(usize::MAX) }
    }
}

/// Greets the gateway.
pub(super) async fn greet(
    socket: &mut Socket,
    identity: &Identity,
    token: Option<&SecretString>,
    at: u64,
) -> Result<Hello, GatewayFault> {
    let nonce = loop {
        if let Frame::Challenge(nonce) = next(socket).await? {
            break nonce;
        }
    };
    let token = token.map(SecretString::expose_secret).unwrap_or_default();
    let login = Login { client: CLIENT, mode: MODE, role: ROLE, scopes: SCOPES, token, nonce: &nonce, at };
    let version = env!("CARGO_PKG_VERSION");
    let request = json!({
        "type": "req", "id": FIRST, "method": "connect",
        "params": {
            "minProtocol": OLDEST, "maxProtocol": NEWEST,
            "client": { "id": CLIENT, "version": version, "platform": std::env::consts::OS, "mode": MODE },
            "role": ROLE, "scopes": SCOPES, "caps": ["tool-events"], "commands": [], "permissions": {},
            "auth": { "token": token },
            "locale": "en-US", "userAgent": format!("engross/{version}"),
            "device": identity.device(login),
        },
    });
    socket.send(Message::text(request.to_string())).await.map_err(|error| broken(&error.to_string()))?;
    loop {
        if let Frame::Answer(id, outcome) = next(socket).await?
            && id == FIRST
        {
            return outcome.map(|payload| Hello::read(&payload)).map_err(refused);
        }
    }
}

async fn next(socket: &mut Socket) -> Result<Frame, GatewayFault> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(message))) => return Ok(read(&message, 0, |_| false)),
            Some(Ok(Message::Close(frame))) => {
                let reason = frame.map(|frame| frame.reason.to_string()).unwrap_or_default();
                return Err(broken(&format!("it hung up before it greeted {reason}")));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(broken(&error.to_string())),
            None => return Err(broken("it hung up before it greeted")),
        }
    }
}

fn broken(problem: &str) -> GatewayFault {
    GatewayFault::Connect { problem: shown(problem) }
}

fn refused(refusal: Refusal) -> GatewayFault {
    let Refusal { code, message, pairing, .. } = refusal;
    let help = match (pairing, code.as_str()) {
        (Some(request), _) => {
            format!("approve this device there: `openclaw devices approve {request}`")
        }
        (None, "NOT_PAIRED") => "approve this device there: `openclaw devices list`".to_owned(),
        _ => "check its address and its token".to_owned(),
    };
    let problem = if code.is_empty() { message } else { format!("{code} {message}") };
    GatewayFault::Login { problem, help }
}
