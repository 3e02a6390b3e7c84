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

use crate::attachment::{MessageAttachment, attachment_refusal};
use crate::dialect::{Decoder, Dialect, Progress, REASONING_FIELDS};
use crate::http::Endpoint;
use crate::options::{OptionTreatment, treatment};
use crate::{Error, Event, Model, ModelInfo, Request};

/// The option by which servers are asked for the cost.
const USAGE_OPTION: &str = "stream_options";

fn has_reasoning(body: &Value) -> bool {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    messages.iter().any(|message| REASONING_FIELDS.iter().any(|field| !message[*field].is_null()))
}

fn without_reasoning(mut body: Value) -> Value {
    let messages = body.get_mut("messages").and_then(Value::as_array_mut);
    for message in messages.into_iter().flatten().filter_map(Value::as_object_mut) {
        for field in REASONING_FIELDS {
            message.remove(field);
        }
    }
    body
}

fn without_usage(mut body: Value) -> Value {
    if let Some(body) = body.as_object_mut() {
        body.remove(USAGE_OPTION);
    }
    body
}

/// What stands for a body as a server takes it, once it has refused what is not needed for an answer.
#[derive(Default)]
pub(crate) struct ServerHabits {
    /// It refuses to be asked for the cost.
    no_usage: AtomicBool,
    /// It refuses its own reasoning in a conversation.
    no_reasoning: AtomicBool,
}

impl ServerHabits {
    fn fit(&self, mut body: Value) -> Value {
        if self.no_usage.load(Ordering::Relaxed) {
            body = without_usage(body);
        }
        if self.no_reasoning.load(Ordering::Relaxed) {
            body = without_reasoning(body);
        }
        body
    }

    /// Learns from a refusal; whether the request is worth another try.
    fn learn(&self, message: &str, body: &Value) -> bool {
        let told = message.contains(USAGE_OPTION) && !body[USAGE_OPTION].is_null();
        let no_usage = told && !self.no_usage.swap(true, Ordering::Relaxed);
        let told = message.contains("reasoning") && has_reasoning(body);
        let no_reasoning = told && !self.no_reasoning.swap(true, Ordering::Relaxed);
        no_usage || no_reasoning
    }
}

/// A provider's model.
pub(crate) struct ProviderModel {
    spec: String,
    endpoint: Arc<Endpoint>,
    dialect: Arc<dyn Dialect>,
    habits: Arc<ServerHabits>,
}

impl ProviderModel {
    /// The model `spec`, reached at `endpoint` in `dialect`.
    pub(crate) fn new(spec: String, endpoint: Endpoint, dialect: impl Dialect) -> Self {
        Self { spec, endpoint: Arc::new(endpoint), dialect: Arc::new(dialect), habits: Arc::default() }
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

    fn refuses(&self, attachment: &MessageAttachment) -> Option<&'static str> {
        attachment_refusal(self.dialect.provider(), attachment)
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        let body = self.habits.fit(self.dialect.body(&request));
        let body = Bytes::from(body.to_string());
        let reading = Reading {
            habits: Arc::clone(&self.habits),
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
    pub(crate) habits: Arc<ServerHabits>,
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
        let mut body = body;
        let response = loop {
            match self.endpoint.send(body.clone()).await {
                Err(Error::BadRequest { provider, status, message }) => {
                    // Some servers know no such fields; they are worth less than the answer.
                    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
                    if !self.habits.learn(&message, &asked) {
                        return Err(Error::BadRequest { provider, status, message });
                    }
                    body = Bytes::from(self.habits.fit(asked).to_string());
                }
                response => break response?,
            }
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
