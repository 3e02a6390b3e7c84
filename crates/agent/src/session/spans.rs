//! The spans of a turn for a tracing collector: names, numbers and codes.
//!
//! Must never hold a word of a conversation, nor cost anything where nobody traces.

use engross_llm::Usage;
use engross_protocol::SessionId;
use tracing::Span;
use tracing::field::Empty;

use super::event::AnswerFinish;
use super::log::{LogEvent, TurnEndingKind, WriteReport};

/// The span of a turn, from a request to the end of its answer. What only the end shows is recorded when this is dropped,
/// however the turn ends.
pub(super) struct TurnSpan {
    span: Span,
    model: String,
    usage: Option<Usage>,
    finish: String,
}

impl TurnSpan {
    /// The session's turn of this number begins, or goes on.
    pub(super) fn new(session: SessionId, turn: u64) -> Self {
        let span = tracing::info_span!(
            "turn", %session, turn, model = Empty, input_tokens = Empty, output_tokens = Empty, finish = Empty
        );
        Self { span, model: String::new(), usage: None, finish: String::new() }
    }

    /// What to run the turn in.
    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Takes in entries of the log that were stored.
    pub(super) fn record(&mut self, events: &[LogEvent]) {
        if self.span.is_disabled() {
            return;
        }
        for event in events {
            match event {
                LogEvent::Answered { usage, model, .. }
                | LogEvent::Wrote(WriteReport { usage, model, .. })
                    if !model.is_empty() =>
                {
                    model_name(model).clone_into(&mut self.model);
                    if let Some(usage) = usage {
                        let sum = self.usage.get_or_insert_default();
                        sum.input_tokens = sum.input_tokens.saturating_add(usage.input_tokens);
                        sum.output_tokens = sum.output_tokens.saturating_add(usage.output_tokens);
                    }
                }
                LogEvent::Suspended { .. } => self.ended(finish(AnswerFinish::ToolCalls)),
                LogEvent::Ended(ending) => match ending.kind {
                    TurnEndingKind::Whole(why) => self.ended(finish(why)),
                    TurnEndingKind::Stopped | TurnEndingKind::Failed | TurnEndingKind::Cancelled => {
                        self.ended(&ending.code);
                    }
                },
                _ => {}
            }
        }
    }

    /// How the turn ended: a word for an answer that is whole, a code for any other.
    pub(super) fn ended(&mut self, finish: &str) {
        finish.clone_into(&mut self.finish);
    }
}

impl Drop for TurnSpan {
    fn drop(&mut self) {
        if !self.model.is_empty() {
            self.span.record("model", self.model.as_str());
        }
        if let Some(usage) = self.usage {
            self.span.record("input_tokens", usage.input_tokens);
            self.span.record("output_tokens", usage.output_tokens);
        }
        if !self.finish.is_empty() {
            self.span.record("finish", self.finish.as_str());
        }
    }
}

/// The span of one call of a model, `spec` as it names itself.
pub(super) fn model_call(spec: impl FnOnce() -> String) -> Span {
    let span = tracing::info_span!("model_call", model = Empty);
    if !span.is_disabled() {
        span.record("model", model_name(&spec()));
    }
    span
}

/// The span of a round of tools of the server.
pub(super) fn tool_round(calls: usize) -> Span {
    tracing::info_span!("tool_round", calls)
}

/// A model's name without the address of its provider, in which there may be a key.
#[must_use]
pub fn model_name(spec: &str) -> &str {
    match (spec.starts_with("openai-compatible:"), spec.rsplit_once('#')) {
        (true, Some((_, name))) => name,
        _ => spec,
    }
}

fn finish(why: AnswerFinish) -> &'static str {
    match why {
        AnswerFinish::Stop => "stop",
        AnswerFinish::ToolCalls => "tool_calls",
        AnswerFinish::Length => "length",
        AnswerFinish::ContentFilter => "content_filter",
    }
}
