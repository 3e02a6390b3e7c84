//! WebSocket `/acp`: the protocol of tasks over one connection, many requests at once.
//!
//! Must never let one request keep another waiting, nor hold a connection whose other end is gone.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::Response;
use engross_tasks::rpc::{self, Bridge, RpcCall, RpcFrame, RpcRequest};
use futures_util::stream::{SelectAll, Stream};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use crate::homes::HomeUse;

use super::acp::{AcpState, LARGEST, call, envelope, error_of};

/// Requests that may be under way on one connection; more wait.
const AT_ONCE: usize = 64;

/// Requests that may wait; more are not read.
const WAITING: usize = 64;

/// How long the other end may take to receive a frame.
const SENDING: Duration = Duration::from_secs(30);

/// Pings that may go unanswered.
const UNANSWERED: u32 = 3;

type Answers = SelectAll<Pin<Box<dyn Stream<Item = RpcFrame> + Send>>>;

pub(super) async fn open(
    State(acp): AcpState,
    headers: HeaderMap,
    used: Option<Extension<HomeUse>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        let message = "this is a WebSocket: open one, or POST to /acp/rpc";
        return envelope(405, &error_of(-32600, "METHOD_NOT_ALLOWED", message));
    };
    let call = RpcCall { stream: true, ..call(&acp, &headers, "/acp") };
    let (bridge, keepalive) = (acp.bridge.clone(), acp.keepalive);
    upgrade.max_message_size(LARGEST).max_frame_size(LARGEST).on_upgrade(async move |socket| {
        // The connection outlives its request.
        let _used = used;
        serve(socket, bridge, call, keepalive).await;
    })
}

async fn serve(mut socket: WebSocket, bridge: Bridge, call: RpcCall, keepalive: Duration) {
    let mut answers: Answers = SelectAll::new();
    let mut pings = interval_at(Instant::now() + keepalive, keepalive);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut unanswered = 0;
    let mut waiting: VecDeque<RpcRequest> = VecDeque::new();
    loop {
        while answers.len() < AT_ONCE
            && let Some(request) = waiting.pop_front()
        {
            let frames = bridge.open(call.clone(), request);
            answers.push(Box::pin(stream::unfold(frames, |mut frames| async {
                frames.recv().await.map(|frame| (frame, frames))
            })));
        }
        // Also while all places are taken: who does not read learns of no end, and of no answer to a ping.
        let reads = waiting.len() < WAITING;
        let out = tokio::select! {
            message = socket.recv(), if reads => {
                let Some(Ok(message)) = message else { return };
                unanswered = 0;
                let bytes = match &message {
                    Message::Text(text) => text.as_bytes(),
                    Message::Binary(bytes) => bytes,
                    Message::Close(_) => return,
                    Message::Ping(_) | Message::Pong(_) => continue,
                };
                match RpcRequest::parse(bytes) {
                    Ok(request) => {
                        waiting.push_back(request);
                        continue;
                    }
                    Err(refusal) => text(&rpc::reply(&refusal.0, Err(&refusal.1))),
                }
            }
            Some(frame) = answers.next(), if !answers.is_empty() => match frame {
                RpcFrame::Event(envelope, _) | RpcFrame::Answer(envelope) => text(&envelope),
            },
            _ = pings.tick() => {
                unanswered += u32::from(reads);
                if unanswered > UNANSWERED {
                    return;
                }
                Message::Ping(Vec::new().into())
            }
        };
        if !matches!(timeout(SENDING, socket.send(out)).await, Ok(Ok(()))) {
            return;
        }
    }
}

fn text(envelope: &Value) -> Message {
    Message::Text(envelope.to_string().into())
}
