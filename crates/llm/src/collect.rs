//! Gathers the pieces of an answer into the whole.
//!
//! Must never return part of an answer as if it were whole, nor keep more than its limits allow.

use futures_util::StreamExt;
use futures_util::stream::BoxStream;

use crate::{Answer, Error, Event, FinishReason, Source, ToolCall};

/// What one answer may hold at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text, reasoning, names, ids and arguments together.
    pub bytes: usize,
    /// Tool calls.
    pub calls: usize,
}

impl Default for Limits {
    /// 16 MiB and 128 calls: far above what a model writes in one answer.
    fn default() -> Self {
        Self { bytes: 16 << 20, calls: 128 }
    }
}

/// Reads `answer` to its end within the default [`Limits`]. `on_event` sees each piece as it comes.
///
/// # Errors
/// The stream's own error; [`Error::Truncated`] if it ends without [`Event::Finish`]; [`Error::TooLarge`].
pub async fn collect(
    answer: BoxStream<'_, Result<Event, Error>>,
    on_event: impl FnMut(&Event),
) -> Result<Answer, Error> {
    collect_within(Limits::default(), answer, on_event).await
}

/// [`collect`] with other limits.
///
/// # Errors
/// As [`collect`].
pub async fn collect_within(
    limits: Limits,
    mut answer: BoxStream<'_, Result<Event, Error>>,
    mut on_event: impl FnMut(&Event),
) -> Result<Answer, Error> {
    let mut whole = Answer {
        text: String::new(),
        tool_calls: Vec::new(),
        thoughts: Vec::new(),
        finish: FinishReason::Stop,
        usage: None,
        sources: Vec::new(),
    };
    let mut bytes_left = limits.bytes;
    while let Some(event) = answer.next().await {
        let event = event?;
        bytes_left = bytes_left
            .checked_sub(size(&event))
            .ok_or(Error::TooLarge { what: "bytes", limit: limits.bytes })?;
        on_event(&event);
        match event {
            Event::Text(text) => whole.text.push_str(&text),
            Event::Reasoning(_) | Event::Likelihoods(_) => {}
            Event::Thought(thought) => whole.thoughts.push(thought),
            Event::ToolCallStart { index, id, name } => {
                if whole.tool_calls.len() >= limits.calls {
                    return Err(Error::TooLarge { what: "tool calls", limit: limits.calls });
                }
                if index != whole.tool_calls.len() {
                    return Err(out_of_order());
                }
                whole.tool_calls.push(ToolCall { id, name, arguments: String::new() });
            }
            Event::ToolCallArguments { index, delta } => {
                whole.tool_calls.get_mut(index).ok_or_else(out_of_order)?.arguments.push_str(&delta);
            }
            Event::Source(source) => {
                if !whole.sources.contains(&source) {
                    whole.sources.push(source);
                }
            }
            Event::Usage(usage) => whole.usage = Some(usage),
            Event::Finish(finish) => {
                whole.finish = finish;
                return Ok(whole);
            }
        }
    }
    Err(Error::Truncated)
}

fn size(event: &Event) -> usize {
    match event {
        Event::Text(text) | Event::Reasoning(text) => text.len(),
        Event::Thought(thought) => thought.size(),
        // So much each has, whatever its token: the alternatives are as many as were asked for.
        Event::Likelihoods(tokens) => tokens.iter().map(|token| token.to_string().len()).sum(),
        Event::ToolCallStart { id, name, .. } => id.len() + name.len(),
        Event::ToolCallArguments { delta, .. } => delta.len(),
        Event::Source(Source { url, title, quote }) => {
            url.len() + title.len() + quote.as_ref().map_or(0, String::len)
        }
        Event::Usage(_) | Event::Finish(_) => 0,
    }
}

fn out_of_order() -> Error {
    Error::Protocol { provider: "the model", message: "its tool calls are out of order".to_owned() }
}
