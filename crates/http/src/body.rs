//! Reads the body of a request, within bounds.
//!
//! Must never hold more than the limit, nor more for all requests together than the budget. What is left of a body that is refused is
//! the connection's matter.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use futures_util::StreamExt;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout, timeout_at};

use super::error::Error;
use super::limits::{BodyBudget, Limits, STEP, UNIT};

/// Bytes from which on a body is read apart: many small values in it keep a thread for long, on which others wait for their answers.
const LARGE: usize = 256 * 1024;

/// How long a body waits for room.
const ROOM_WAIT: Duration = Duration::from_secs(5);

/// The room that a body takes up, until it is dropped.
#[derive(Debug, Default)]
pub(super) struct BodyRoom {
    permit: Option<OwnedSemaphorePermit>,
}

impl BodyRoom {
    /// Has room for `bytes` bytes.
    async fn grow(&mut self, budget: &BodyBudget, bytes: usize) -> Result<(), Error> {
        let held = self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let wanted = bytes.div_ceil(UNIT).min(budget.all);
        if wanted <= held {
            return Ok(());
        }
        let more = wanted.next_multiple_of(STEP).min(budget.all) - held;
        let more = Arc::clone(&budget.units).acquire_many_owned(u32::try_from(more).unwrap_or(u32::MAX));
        let Ok(Ok(more)) = timeout(ROOM_WAIT, more).await else { return Err(Error::NoRoom) };
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }
}

/// A body, and the room it takes up.
#[derive(Debug)]
pub(super) struct BodyBytes {
    bytes: Vec<u8>,
    room: BodyRoom,
}

impl BodyBytes {
    /// What a reader makes of the bytes; frees them and keeps their room, for what was made of them.
    ///
    /// # Errors
    /// As the reader, and [`Error::AnswerInterrupted`] when the server stops.
    pub(super) async fn parsed<T: Send + 'static>(
        self,
        reader: impl FnOnce(&[u8]) -> Result<T, Error> + Send + 'static,
    ) -> Result<(T, BodyRoom), Error> {
        let Self { bytes, room } = self;
        if bytes.len() < LARGE {
            return Ok((reader(&bytes)?, room));
        }
        let read = tokio::task::spawn_blocking(move || reader(&bytes));
        Ok((read.await.map_err(|_| Error::AnswerInterrupted)??, room))
    }

    /// The bytes, and their room.
    pub(super) fn into_parts(self) -> (Vec<u8>, BodyRoom) {
        (self.bytes, self.room)
    }
}

impl Deref for BodyBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reads a body of the usual size.
///
/// # Errors
/// As [`read_up_to`].
pub(super) async fn read(headers: &HeaderMap, body: Body, limits: &Limits) -> Result<BodyBytes, Error> {
    read_up_to(limits.body, headers, body, limits).await
}

/// Reads a body of at most `limit` bytes.
///
/// # Errors
/// [`Error::BodyTooLarge`], [`Error::BodyIncomplete`], [`Error::NoRoom`], and [`Error::InvalidRequest`] for one that is
/// compressed.
pub(super) async fn read_up_to(
    limit: usize,
    headers: &HeaderMap,
    body: Body,
    limits: &Limits,
) -> Result<BodyBytes, Error> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let mut pieces = body.into_data_stream();
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(Error::BodyTooLarge { limit });
    }
    let encoding =
        headers.get(CONTENT_ENCODING).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    if let Some(encoding) = encoding.filter(|encoding| !encoding.trim().eq_ignore_ascii_case("identity")) {
        let encoding: String = encoding.chars().take(40).collect();
        return Err(Error::invalid("content-encoding", format!("is {encoding}: send the body as it is")));
    }
    let until = Instant::now() + limits.body_whole;
    let capacity = announced.and_then(|length| usize::try_from(length).ok()).unwrap_or(4096);
    let mut bytes = Vec::with_capacity(capacity.min(64 * 1024));
    let mut room = BodyRoom::default();
    loop {
        let piece = timeout(limits.body_idle, pieces.next());
        let piece = timeout_at(until, piece).await.ok().and_then(Result::ok).ok_or(Error::BodyIncomplete)?;
        let Some(piece) = piece else { return Ok(BodyBytes { bytes, room }) };
        let piece = piece.map_err(|_| Error::BodyIncomplete)?;
        if bytes.len() + piece.len() > limit {
            return Err(Error::BodyTooLarge { limit });
        }
        room.grow(&limits.bodies, bytes.len() + piece.len()).await?;
        bytes.extend_from_slice(&piece);
    }
}
