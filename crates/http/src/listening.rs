//! From an answer that is being listened to, to a body or a stream of events.
//!
//! Must never send the head of a stream before it is known whether the answer fails at once, unless that takes too long;
//! and never let a stream be silent for longer than a heartbeat.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use engross_agent::session::{PositionedEvent, TurnEvent};
use futures_util::{FutureExt, stream};
use tokio::time::{Instant, timeout, timeout_at};

use super::error::Error;
use super::metrics::Metrics;
use super::service::AnswerEvents;
use super::wire::{Encoder, Notice, Out, Progress, Whole};

/// A comment that keeps proxies from closing a silent stream.
const HEARTBEAT: &str = ": hb\n\n";

/// Events that are there already are sent together, up to so many bytes.
const TOGETHER: usize = 16 * 1024;

/// An answer, and the counters that watch it.
pub(crate) struct SseResponse<A> {
    answering: A,
    metrics: Arc<Metrics>,
    streams: bool,
}

impl<A: AnswerEvents> SseResponse<A> {
    pub(crate) fn new(answering: A, metrics: Arc<Metrics>) -> Self {
        Self { answering, metrics, streams: false }
    }

    /// The answer as a whole. `notices` are those of the request.
    pub(crate) async fn whole(mut self, notices: Vec<Notice>) -> Result<Whole, Error> {
        let mut whole = Whole { notices, ..Whole::default() };
        loop {
            let placed = self.next().await.ok_or(Error::AnswerInterrupted)?;
            if whole.take(placed.event)? == Progress::Over {
                return Ok(whole);
            }
        }
    }

    /// The answer as a stream, once it is known how it begins or `beat` is over. An answer that fails before is no stream.
    pub(crate) async fn stream(mut self, encoder: impl Encoder, beat: Duration) -> Result<Response, Error> {
        let first = self.first(beat).await?;
        self.streams = true;
        self.metrics.streams(1);
        let pump =
            Pump { listening: self, encoder, out: Out::default(), first, beat, phase: PumpPhase::Beginning };
        let mut response = Response::new(Body::from_stream(stream::unfold(pump, Pump::piece)));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        Ok(response)
    }

    /// What comes up to the first piece of the answer.
    async fn first(&mut self, wait: Duration) -> Result<VecDeque<PositionedEvent>, Error> {
        let until = Instant::now() + wait;
        let mut first = VecDeque::new();
        while let Ok(placed) = timeout_at(until, self.next()).await {
            let Some(placed) = placed else { break };
            if let TurnEvent::Failed { code, message, retry_after } = placed.event {
                return Err(Error::Answer { code, message, retry_after });
            }
            // A model that thinks has not failed at once.
            let is_content = !placed.event.is_aside() || matches!(placed.event, TurnEvent::Thinking { .. });
            first.push_back(placed);
            if is_content {
                break;
            }
        }
        Ok(first)
    }

    async fn next(&mut self) -> Option<PositionedEvent> {
        let placed = self.answering.next().await;
        if let Some(PositionedEvent { event: TurnEvent::Failed { code, .. }, .. }) = &placed {
            self.metrics.answer_failed(code);
        }
        placed
    }
}

impl<A> Drop for SseResponse<A> {
    fn drop(&mut self) {
        if self.streams {
            self.metrics.streams(-1);
        }
    }
}

/// Moves events from an answer into a stream.
struct Pump<A, E> {
    listening: SseResponse<A>,
    encoder: E,
    out: Out,
    first: VecDeque<PositionedEvent>,
    beat: Duration,
    phase: PumpPhase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PumpPhase {
    Beginning,
    Running,
    Over,
}

impl<A: AnswerEvents, E: Encoder> Pump<A, E> {
    /// The next piece of the stream, and what is left to do.
    async fn piece(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            match self.phase {
                PumpPhase::Over => return None,
                PumpPhase::Beginning => {
                    self.phase = PumpPhase::Running;
                    self.encoder.begin(&mut self.out);
                    while let Some(placed) = self.first.pop_front() {
                        self.write(Some(placed));
                    }
                }
                PumpPhase::Running => match timeout(self.beat, self.listening.next()).await {
                    Ok(placed) => self.write(placed),
                    Err(_) => drop(self.out.raw(HEARTBEAT)),
                },
            }
            while self.phase == PumpPhase::Running && self.out.len() < TOGETHER {
                let Some(placed) = self.listening.next().now_or_never() else { break };
                self.write(placed);
            }
            if self.out.len() > 0 {
                return Some((Ok(self.out.take()), self));
            }
        }
    }

    fn write(&mut self, placed: Option<PositionedEvent>) {
        let progress = match placed {
            Some(placed) => self.encoder.event(placed, &mut self.out),
            None => {
                self.encoder.broken(&mut self.out);
                Progress::Over
            }
        };
        if progress == Progress::Over {
            self.phase = PumpPhase::Over;
        }
    }
}
