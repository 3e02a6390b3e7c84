//! A model behind an HTTP endpoint: one request, one streamed answer.
//!
//! Must never report an answer as whole that its dialect has not seen the end of.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::Value;
use sse_stream::{Sse, SseByteStream};

use crate::dialect::{Decoder, Dialect, Progress};
use crate::http::Endpoint;
use crate::options::{OptionTreatment, treatment};
use crate::{Error, Event, Model, ModelInfo, Request};

/// The option by which servers are asked for the cost.
const USAGE_OPTION: &str = "stream_options";

fn without_usage(mut body: Value) -> Value {
    if let Some(body) = body.as_object_mut() {
        body.remove(USAGE_OPTION);
    }
    body
}

/// A provider's model.
pub(crate) struct ProviderModel {
    spec: String,
    endpoint: Arc<Endpoint>,
    dialect: Arc<dyn Dialect>,
    /// Whether the server refuses to be asked for the cost.
    frugal: Arc<AtomicBool>,
}

impl ProviderModel {
    /// The model `spec`, reached at `endpoint` in `dialect`.
    pub(crate) fn new(spec: String, endpoint: Endpoint, dialect: impl Dialect) -> Self {
        Self { spec, endpoint: Arc::new(endpoint), dialect: Arc::new(dialect), frugal: Arc::default() }
    }
}

impl Model for ProviderModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: self.spec.clone(), language_model: true }
    }

    fn searches(&self) -> bool {
        self.dialect.searches()
    }

    fn treats(&self, option: &str, value: &Value) -> OptionTreatment {
        treatment(self.dialect.provider(), option, value)
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        let mut body = self.dialect.body(&request);
        if self.frugal.load(Ordering::Relaxed) {
            body = without_usage(body);
        }
        let body = Bytes::from(body.to_string());
        let reading = Reading {
            frugal: Arc::clone(&self.frugal),
            endpoint: Arc::clone(&self.endpoint),
            decoder: self.dialect.decoder(&request),
            source: Source::Request(body),
            ready: VecDeque::new(),
        };
        stream::unfold(reading, Reading::next).boxed()
    }
}

/// An answer on its way.
pub(crate) struct Reading {
    pub(crate) frugal: Arc<AtomicBool>,
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) decoder: Box<dyn Decoder>,
    pub(crate) source: Source,
    /// Events not handed out yet.
    pub(crate) ready: VecDeque<Event>,
}

pub(crate) enum Source {
    /// Not sent yet.
    Request(Bytes),
    /// Being read.
    Answer(BoxStream<'static, Result<Sse, sse_stream::Error>>),
    /// Over: only what is ready remains.
    Over,
}

impl Reading {
    /// The next event and the rest of the answer; `None` when it is over.
    pub(crate) async fn next(mut self) -> Option<(Result<Event, Error>, Self)> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((Ok(event), self));
            }
            let step = match &mut self.source {
                Source::Over => return None,
                Source::Request(body) => {
                    let body = std::mem::take(body);
                    self.open(body).await
                }
                Source::Answer(answer) => {
                    let piece = answer.next().await;
                    self.read(piece)
                }
            };
            if let Err(error) = step {
                self.source = Source::Over;
                return Some((Err(error), self));
            }
        }
    }

    async fn open(&mut self, body: Bytes) -> Result<(), Error> {
        let response = match self.endpoint.send(body.clone()).await {
            Err(Error::BadRequest { message, .. }) if message.contains(USAGE_OPTION) => {
                // Some servers know no such option; the cost is worth less than the answer.
                self.frugal.store(true, Ordering::Relaxed);
                let plain = serde_json::from_slice(&body).map(without_usage).unwrap_or_default();
                self.endpoint.send(Bytes::from(plain.to_string())).await?
            }
            response => response?,
        };
        let bytes = Arc::clone(&self.endpoint).bytes(response);
        self.source = Source::Answer(SseByteStream::new(bytes).boxed());
        Ok(())
    }

    /// Takes in one event of the stream, its end, or its failure. What came before a failure is still handed out.
    fn read(&mut self, piece: Option<Result<Sse, sse_stream::Error>>) -> Result<(), Error> {
        let error = match piece {
            None => Error::Truncated,
            Some(Err(sse_stream::Error::Body(error))) => match error.downcast::<Error>() {
                Ok(error) => *error,
                Err(_) => Error::Truncated,
            },
            Some(Err(error)) => return Err(self.endpoint.protocol(error.to_string())),
            Some(Ok(Sse { data: None, .. })) => return Ok(()),
            Some(Ok(Sse { event, data: Some(data), .. })) => {
                let name = event.unwrap_or_default();
                return match self.decoder.decode(&name, &data, &self.endpoint, &mut self.ready)? {
                    Progress::More => Ok(()),
                    Progress::Done => self.end(Error::Truncated),
                };
            }
        };
        self.end(error)
    }

    /// The stream is over. The answer is whole if the dialect saw its end, whatever happened to the connection since.
    fn end(&mut self, error: Error) -> Result<(), Error> {
        let finish = self.decoder.end(&mut self.ready).ok_or(error)?;
        self.ready.push_back(Event::Finish(finish));
        self.source = Source::Over;
        Ok(())
    }
}
