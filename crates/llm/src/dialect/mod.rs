//! The formats that providers speak: a request as JSON, an answer as server-sent events.
//!
//! Must never do I/O, and never take the end of a stream for the end of an answer.

mod anthropic;
mod calls;
mod gemini;
mod openai;

#[cfg(test)]
mod anthropic_tests;
#[cfg(test)]
mod calls_tests;
#[cfg(test)]
pub(crate) mod decoding_tests;
#[cfg(test)]
mod gemini_tests;
#[cfg(test)]
mod openai_tests;
#[cfg(test)]
mod published_tests;
#[cfg(test)]
mod search_tests;

use std::collections::VecDeque;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub(crate) use anthropic::Anthropic;
pub(crate) use gemini::Gemini;
pub(crate) use openai::{OpenAi, REASONING_FIELDS, TokenLimit};

use crate::http::{Endpoint, message_in};
use crate::options::Provider;
use crate::{Error, Event, FinishReason, MessageAttachment, Request};

/// A provider's format.
pub(crate) trait Dialect: Send + Sync + 'static {
    /// The body of the request.
    fn body(&self, request: &Request) -> Value;

    /// Whose format it is.
    fn provider(&self) -> Provider;

    /// Whether the provider searches the web for this model.
    fn searches(&self) -> bool;

    /// What will read the answer to `request`.
    fn decoder(&self, request: &Request) -> Box<dyn Decoder>;
}

/// Reads one answer.
pub(crate) trait Decoder: Send {
    /// Takes in one server-sent event, named `name` (empty when it has none), and appends what it says to `events`.
    /// `from` is where it comes from, for error messages.
    fn decode(
        &mut self,
        name: &str,
        data: &str,
        from: &Endpoint,
        events: &mut VecDeque<Event>,
    ) -> Result<Progress, Error>;

    /// The stream is over. Says why the model stopped and appends what was held back, or `None` if the end of the
    /// answer has not been seen.
    fn end(&mut self, events: &mut VecDeque<Event>) -> Option<FinishReason>;
}

/// Whether more is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Read on.
    More,
    /// This was the last event.
    Done,
}

/// A piece of what a message says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum MessagePart<'a> {
    Text(&'a str),
    Attachment(&'a MessageAttachment),
}

/// A message's text and what it carries, in the order in which they were sent. Blank text says nothing.
fn message_parts<'a>(content: &'a str, attachments: &'a [MessageAttachment]) -> Vec<MessagePart<'a>> {
    let mut parts = Vec::with_capacity(attachments.len() * 2 + 1);
    let mut from = 0;
    let mut text = |until: usize, parts: &mut Vec<MessagePart<'a>>| {
        let until = content.floor_char_boundary(until.max(from));
        let piece = content.get(from..until).unwrap_or_default();
        // The line end that joins it to what stands before.
        let piece = if from > 0 { piece.strip_prefix('\n').unwrap_or(piece) } else { piece };
        from = until;
        if !piece.trim().is_empty() {
            parts.push(MessagePart::Text(piece));
        }
    };
    for attachment in attachments {
        text(attachment.at, &mut parts);
        parts.push(MessagePart::Attachment(attachment));
    }
    text(content.len(), &mut parts);
    parts
}

/// Parses the data of an event.
fn parse<T: DeserializeOwned>(data: &str, from: &Endpoint) -> Result<T, Error> {
    serde_json::from_str(data).map_err(|error| from.protocol(format!("an event of it is not valid: {error}")))
}

/// The error that an event reports.
fn reported(error: &Value, from: &Endpoint) -> Error {
    let message = message_in(error).unwrap_or_else(|| error.to_string());
    Error::Stream { provider: from.provider, message: from.clean(&message) }
}

/// The arguments of an earlier call as the object that providers insist on. What is no object was an error of the
/// model, which then reads its own words under a name that says so.
fn arguments_object(arguments: &str) -> Map<String, Value> {
    if arguments.trim().is_empty() {
        return Map::new();
    }
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => object,
        _ => Map::from_iter([("unparsable_arguments".to_owned(), json!(arguments))]),
    }
}
