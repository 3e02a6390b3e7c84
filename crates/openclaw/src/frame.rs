//! Parses the frames that a gateway sends.
//!
//! Must never fail: what cannot be read, is too long, or is for somebody else is [`Frame::Other`].

use serde::Deserialize;
use serde_json::Value;

use super::error::shown;

/// A message of a gateway.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Frame {
    /// It wants a nonce signed.
    Challenge(String),
    /// The answer to the request of that id.
    Answer(String, Result<Value, Refusal>),
    /// Something of a run that somebody listens to.
    Event(GatewayEvent),
    /// Nothing that matters.
    Other,
}

/// An error of a gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) is_passing: bool,
    /// The request to pair this device, where that is what is missing.
    pub(super) pairing: Option<String>,
}

/// Something of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GatewayEvent {
    pub(super) run: String,
    pub(super) kind: GatewayEventKind,
    pub(super) payload: Value,
    /// Bytes of the message.
    pub(super) size: usize,
}

/// Which of its two voices speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GatewayEventKind {
    /// What a chat shows: text so far, and the end.
    Chat,
    /// What the agent does meanwhile.
    Work,
}

impl GatewayEvent {
    /// Whether it tells an end. Nothing else will come for it.
    pub(super) fn is_end(&self) -> bool {
        self.kind == GatewayEventKind::Chat
            && matches!(text(&self.payload["state"]), "final" | "aborted" | "error")
    }
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    event: Option<String>,
}

#[derive(Deserialize)]
struct RunEnvelope {
    payload: RunPayload,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunPayload {
    run_id: String,
}

/// Reads a message. Events of runs that are not `wanted` are left unread, and so are those of work above `largest` bytes: text
/// and ends come as chat.
pub(super) fn read(message: &str, largest: usize, wanted: impl Fn(&str) -> bool) -> Frame {
    let Ok(head) = serde_json::from_str::<Head>(message) else { return Frame::Other };
    match (head.kind.as_str(), head.event.as_deref()) {
        ("res", _) => answer(message),
        ("event", Some("connect.challenge")) => {
            let payload = payload(message);
            match payload["nonce"].as_str() {
                Some(nonce) => Frame::Challenge(nonce.to_owned()),
                None => Frame::Other,
            }
        }
        ("event", Some("chat")) => told(message, GatewayEventKind::Chat, wanted),
        ("event", Some("agent")) if message.len() <= largest => told(message, GatewayEventKind::Work, wanted),
        _ => Frame::Other,
    }
}

fn told(message: &str, kind: GatewayEventKind, wanted: impl Fn(&str) -> bool) -> Frame {
    match serde_json::from_str::<RunEnvelope>(message) {
        Ok(whose) if wanted(&whose.payload.run_id) => Frame::Event(GatewayEvent {
            run: whose.payload.run_id,
            kind,
            payload: payload(message),
            size: message.len(),
        }),
        _ => Frame::Other,
    }
}

fn payload(message: &str) -> Value {
    let mut whole: Value = serde_json::from_str(message).unwrap_or_default();
    whole.get_mut("payload").map(Value::take).unwrap_or_default()
}

fn answer(message: &str) -> Frame {
    let Ok(mut whole) = serde_json::from_str::<Value>(message) else { return Frame::Other };
    let Some(id) = whole["id"].as_str().map(str::to_owned) else { return Frame::Other };
    if whole["ok"] == true {
        return Frame::Answer(id, Ok(whole.get_mut("payload").map(Value::take).unwrap_or_default()));
    }
    let error = &whole["error"];
    let code = match &error["code"] {
        Value::String(code) => shown(code),
        Value::Null => String::new(),
        code => code.to_string(),
    };
    let message = error.as_str().or(error["message"].as_str()).unwrap_or("it says no more");
    let is_passing = error["retryable"] == true;
    let pairing = error["details"]["requestId"].as_str().map(shown);
    Frame::Answer(id, Err(Refusal { code, message: shown(message), is_passing, pairing }))
}

/// The text that a value is, or nothing.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
