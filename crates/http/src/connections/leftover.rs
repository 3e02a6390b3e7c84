//! What is left of a request's body when its answer is there: received and thrown away first, so that a client which sends all before
//! it reads comes to the answer, and is not cut off.
//!
//! Must never hold what it receives, nor wait for it without a bound.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::HttpBody;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, EXPECT};
use hyper::body::Incoming;
use tokio::time::timeout;

use super::open::{ConnectionState, Phase};

/// So much is thrown away. Of a body that is longer nothing is received for that.
const THROWN_AWAY: u64 = 256 * 1024 * 1024;

/// How long that may take.
const THROWING_AWAY: Duration = Duration::from_secs(10);

/// How long nothing may come meanwhile.
const SILENCE: Duration = Duration::from_secs(2);

/// The body of one request, once nobody reads it any more and something of it is left.
#[derive(Clone, Default)]
pub(super) struct Leftover(Arc<Mutex<Option<Incoming>>>);

impl Leftover {
    /// Keeps a body that nobody reads any more.
    pub(super) fn keep(&self, body: Incoming) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
    }

    /// Receives what is left of a body that nobody reads any more.
    pub(super) async fn throw_away(self, is_sent: bool, state: &ConnectionState) {
        let Some(mut body) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        if !is_sent {
            return;
        }
        state.enter(Phase::Receiving);
        let all = async {
            let mut left = THROWN_AWAY;
            let mut next = async || timeout(SILENCE, poll_fn(|cx| Pin::new(&mut body).poll_frame(cx))).await;
            while let Ok(Some(Ok(frame))) = next().await {
                let came = frame.data_ref().map_or(0, |piece| piece.len() as u64);
                let Some(rest) = left.checked_sub(came) else { break };
                left = rest;
            }
        };
        // Whether it came to an end or not, the answer is the same.
        let _ = timeout(THROWING_AWAY, all).await;
        state.leave(Phase::Receiving, Phase::Busy);
    }
}

/// Whether a client sends its body whatever it is told, and no more than is thrown away: one that waits to be told to go on sends
/// nothing once it is refused.
pub(super) fn is_sent(headers: &HeaderMap) -> bool {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    !headers.contains_key(EXPECT) && announced.is_none_or(|length| length <= THROWN_AWAY)
}
