//! What the tests of all dialects share: decoding without a connection.

use std::collections::VecDeque;

use reqwest::header::{AUTHORIZATION, HeaderMap};

use super::{Dialect, Progress};
use crate::http::{Endpoint, Key};
use crate::{Error, Event, FinishReason, HttpPolicy, Request};

/// An endpoint that is never asked.
pub(crate) fn endpoint() -> Endpoint {
    let key = Key { secret: None, variable: "KEY", header: AUTHORIZATION, prefix: "" };
    let url = "http://127.0.0.1:1".parse().unwrap();
    Endpoint::new("test", url, HeaderMap::new(), key, HttpPolicy::default()).unwrap()
}

/// What the events with this data mean, and what the answer ended with.
pub(super) fn decode(
    dialect: &impl Dialect,
    request: &Request,
    data: &[&str],
) -> Result<(Vec<Event>, Option<FinishReason>), Error> {
    let mut decoder = dialect.decoder(request);
    let mut events = VecDeque::new();
    for data in data {
        if decoder.decode("", data, &endpoint(), &mut events)? == Progress::Done {
            break;
        }
    }
    let finish = decoder.end(&mut events);
    Ok((events.into(), finish))
}

pub(super) fn start(index: usize, id: &str) -> Event {
    Event::ToolCallStart { index, id: id.to_owned(), name: "f".to_owned() }
}

pub(super) fn arguments(index: usize, delta: &str) -> Event {
    Event::ToolCallArguments { index, delta: delta.to_owned() }
}

pub(super) fn text(text: &str) -> Event {
    Event::Text(text.to_owned())
}

/// The error that this message makes.
pub(super) fn protocol(message: &str) -> Error {
    Error::Protocol { provider: "test", message: message.to_owned() }
}

pub(super) fn failed(message: &str) -> Error {
    Error::Stream { provider: "test", message: message.to_owned() }
}
