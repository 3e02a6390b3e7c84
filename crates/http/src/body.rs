//! Reads the body of a request, within bounds.
//!
//! Must never hold more than the limit, and never cut a client off in the middle of its request: one that is still
//! sending does not see the answer.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, EXPECT};
use futures_util::StreamExt;
use tokio::time::timeout;

use super::error::Error;

/// How much more than the limit is received, and thrown away, for the client to come to the answer.
const THROWN_AWAY: u64 = 256 * 1024 * 1024;

/// How long that may take.
const THROWING_AWAY: Duration = Duration::from_secs(10);

/// Reads a body of at most `limit` bytes. Each piece has to come within `idle`.
///
/// # Errors
/// [`Error::BodyTooLarge`], [`Error::BodyIncomplete`].
pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
    idle: Duration,
) -> Result<Vec<u8>, Error> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let mut pieces = body.into_data_stream();
    if announced.is_some_and(|length| length > limit as u64) {
        // A client that waits to be told to go on sends nothing once it is refused.
        let is_sending =
            !headers.contains_key(EXPECT) && announced.is_some_and(|length| length <= THROWN_AWAY);
        return Err(too_large(pieces, limit, is_sending).await);
    }
    let capacity = announced.and_then(|length| usize::try_from(length).ok()).unwrap_or(4096);
    let mut bytes = Vec::with_capacity(capacity.min(64 * 1024));
    loop {
        let piece = timeout(idle, pieces.next()).await.map_err(|_| Error::BodyIncomplete)?;
        let Some(piece) = piece else { return Ok(bytes) };
        let piece = piece.map_err(|_| Error::BodyIncomplete)?;
        if bytes.len() + piece.len() > limit {
            drop(bytes);
            return Err(too_large(pieces, limit, true).await);
        }
        bytes.extend_from_slice(&piece);
    }
}

async fn too_large(pieces: BodyDataStream, limit: usize, is_sending: bool) -> Error {
    if is_sending {
        throw_away(pieces).await;
    }
    Error::BodyTooLarge { limit }
}

/// Receives what nobody needs, for a while, so that the client comes to the answer.
pub(super) async fn throw_away(mut pieces: BodyDataStream) {
    let all = async {
        let mut left = THROWN_AWAY;
        while let Some(Ok(piece)) = pieces.next().await {
            let Some(rest) = left.checked_sub(piece.len() as u64) else { break };
            left = rest;
        }
    };
    // Whether it came to an end or not, the answer is the same.
    let _ = timeout(THROWING_AWAY, all).await;
}
