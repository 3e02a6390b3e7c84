//! Tests of [`super::provider`]: an answer that is cut or spoilt at any byte.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use sse_stream::SseByteStream;

use super::provider::{Reading, Source};
use crate::dialect::decoding_tests::endpoint;
use crate::dialect::{Anthropic, Dialect, Gemini, OpenAi, TokenLimit};
use crate::{Error, Event, Request};

/// A dialect, a whole answer in it, and what ends the answer.
fn answers() -> [(Box<dyn Dialect>, &'static str, &'static str); 3] {
    let openai = OpenAi { name: "m".to_owned(), token_limit: TokenLimit::MaxTokens };
    [
        (
            Box::new(openai),
            concat!(
                ": hello\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"世\"}}]}\r\n\r\n",
                "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\"}}]}}]}\n\n",
                "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
            ),
            "\"finish_reason\":\"stop\"}]}\n\n",
        ),
        (
            Box::new(Anthropic { name: "m".to_owned() }),
            concat!(
                "event: ping\ndata: {\"type\":\"ping\"}\n\nevent: content_block_delta\n",
                "data: {\"type\":\"content_block_delta\",\"index\":0,\ndata: \"delta\":{\"type\":\"text_delta\",\"text\":\"世\"}}\n\n",
                "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
            ),
            "{\"type\":\"message_stop\"}\n\n",
        ),
        (
            Box::new(Gemini::default()),
            concat!(
                "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"世\"}]}}]}\r\n\r\n",
                "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\r\n\r\n",
            ),
            "\"STOP\"}]}\r\n\r",
        ),
    ]
}

/// All that the stream gives for these chunks and then this end.
fn read(dialect: &dyn Dialect, chunks: Vec<Result<Bytes, Error>>) -> Vec<Result<Event, Error>> {
    let reading = Reading {
        habits: Arc::default(),
        endpoint: Arc::new(endpoint()),
        decoder: dialect.decoder(&Request::default()),
        source: Source::Answer(SseByteStream::new(stream::iter(chunks)).boxed()),
        ready: VecDeque::new(),
    };
    stream::unfold(reading, Reading::next).collect().now_or_never().unwrap()
}

/// The invariant of [`crate::Model::answer`].
fn is_well_formed(events: &[Result<Event, Error>]) -> bool {
    let (last, before) = events.split_last().unwrap();
    matches!(last, Ok(Event::Finish(_)) | Err(_))
        && before.iter().all(|event| matches!(event, Ok(event) if !matches!(event, Event::Finish(_))))
}

#[test]
fn a_cut_is_always_noticed() {
    for (dialect, whole, end) in answers() {
        let end = whole.find(end).unwrap() + end.len();
        for cut in 0..=whole.len() {
            let part = Bytes::copy_from_slice(&whole.as_bytes()[..cut]);
            for after in [None, Some(Err(Error::Truncated))] {
                let chunks = [Ok(part.clone())].into_iter().chain(after).collect();
                let events = read(&*dialect, chunks);
                assert!(is_well_formed(&events), "{events:?}");
                let is_whole = matches!(events.last(), Some(Ok(_)));
                assert_eq!(is_whole, cut >= end, "{cut} of {whole}: {events:?}");
                assert!(is_whole || events.last() == Some(&Err(Error::Truncated)), "{events:?}");
            }
        }
    }
}

#[test]
fn spoilt_bytes_never_break_the_stream() {
    for (dialect, whole, _) in answers() {
        for at in 0..whole.len() {
            for byte in [0, b'\n', b'{', b'"', 0xff] {
                let mut spoilt = whole.as_bytes().to_vec();
                spoilt[at] = byte;
                let events = read(&*dialect, vec![Ok(Bytes::from(spoilt))]);
                assert!(is_well_formed(&events), "{byte} at {at} of {whole}: {events:?}");
            }
        }
    }
}

#[test]
fn a_failure_of_the_connection_is_told() {
    for (dialect, _, _) in answers() {
        let error = Error::TooLarge { what: "bytes", limit: 1 };
        assert_eq!(read(&*dialect, vec![Err(error.clone())]), [Err(error)]);
    }
}
