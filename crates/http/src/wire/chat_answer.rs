//! `POST /v1/chat/completions`: from an answer to a body or a stream of chunks.
//!
//! Must never end a stream of an answer that failed as if it were whole.

use engross_agent::session::{AnswerFinish, PositionedEvent, TurnEvent};
use engross_llm::{Thought, Usage, seal_thoughts};
use serde_json::{Value, json};

use super::answer::{self, AnswerShape, Encoder, Head, Item, Place, Progress, Whole};
use super::content::{REASONING_DETAILS, REASONING_FORMAT};
use super::{Notice, Out};
use crate::error::Error;

/// What ends every stream.
const DONE: &str = "data: [DONE]\n\n";

/// The body of a whole answer.
pub(crate) fn chat_body(head: &Head, whole: &Whole) -> Out {
    let mut out = Out::default();
    let mut content = String::new();
    let mut calls = Vec::new();
    let mut thoughts: &[Thought] = &[];
    for item in &whole.items {
        match item {
            Item::Text(text) => content.push_str(text),
            Item::Thoughts(thought) => thoughts = thought,
            Item::Call(call) => calls.push(call),
        }
    }
    out.raw("{\"id\":").json(&head.completion_id());
    out.raw(",\"object\":\"chat.completion\",\"created\":").number(head.created);
    out.raw(",\"model\":").json(&head.model).raw(",");
    answer::about(&mut out, head.turn, &whole.notices);
    out.raw(",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":").json(&content);
    if !whole.reasoning.is_empty() {
        out.raw(",\"reasoning_content\":").json(&whole.reasoning);
    }
    if !thoughts.is_empty() {
        out.raw(",\"").raw(REASONING_DETAILS).raw("\":").json(&details(thoughts));
    }
    for (index, call) in calls.iter().enumerate() {
        out.raw(if index == 0 { ",\"tool_calls\":[" } else { "," });
        out.raw("{\"id\":")
            .json(&call.id)
            .raw(",\"type\":\"function\",\"function\":{\"name\":")
            .json(&call.name);
        out.raw(",\"arguments\":").json(&call.arguments).raw("}}");
    }
    out.raw(if calls.is_empty() { "}" } else { "]}" });
    let (finish, usage) = whole.end.unwrap_or((AnswerFinish::Stop, None));
    if !whole.likelihoods.is_empty() {
        out.raw(",\"logprobs\":{\"content\":").json(&whole.likelihoods).raw(",\"refusal\":null}");
    }
    out.raw(",\"finish_reason\":").json(reason(finish)).raw("}]");
    write_usage(&mut out, usage);
    out.raw("}");
    out
}

/// What the model thought, for clients that keep it unread and bring it back.
fn details(thoughts: &[Thought]) -> Value {
    json!([{"type": "reasoning.encrypted", "format": REASONING_FORMAT, "index": 0, "data": seal_thoughts(thoughts)}])
}

/// An answer as a stream of chunks.
pub(crate) struct ChatStream {
    answer: u64,
    turn: u64,
    wanted: AnswerShape,
    /// How every chunk begins, up to the turn.
    head: String,
    /// How far the answer has come.
    position: u64,
    notices: Vec<Notice>,
}

impl ChatStream {
    /// A stream for one listener. `notices` are those of the request.
    pub(crate) fn new(head: &Head, wanted: AnswerShape, notices: Vec<Notice>) -> Self {
        let mut out = Out::default();
        out.raw("data: {\"id\":").json(&head.completion_id());
        out.raw(",\"object\":\"chat.completion.chunk\",\"created\":").number(head.created);
        out.raw(",\"model\":").json(&head.model).raw(",");
        let head_text = String::from_utf8_lossy(&out.take()).into_owned();
        let position = wanted.behind.map_or(0, |behind| behind.position);
        Self { answer: head.answer, turn: head.turn, wanted, head: head_text, position, notices }
    }

    fn id(&self, out: &mut Out, place: Place) {
        out.raw("id: ").number(self.answer).raw("-").number(place.position);
        out.raw(if place.in_call { "+\n" } else { "\n" });
    }

    /// A chunk up to its delta.
    fn open(&self, out: &mut Out, place: Place) {
        self.id(out, place);
        out.raw(&self.head);
        answer::about(out, self.turn, &[]);
        out.raw(",\"choices\":[{\"index\":0,\"delta\":{");
    }

    /// A chunk up to its delta that has no place: nothing of the answer is missing without it.
    fn open_aside(&self, out: &mut Out) {
        out.raw(&self.head);
        answer::about(out, self.turn, &[]);
        out.raw(",\"choices\":[{\"index\":0,\"delta\":{");
    }

    fn close(out: &mut Out) {
        out.raw("},\"finish_reason\":null}]}\n\n");
    }

    /// Whether the listener has what lies at `position` already.
    fn has(&self, position: u64) -> bool {
        self.wanted.behind.is_some_and(|behind| position <= behind.position)
    }

    fn finish(&mut self, position: u64, finish: AnswerFinish, usage: Option<Usage>, out: &mut Out) {
        if !self.has(position) {
            self.id(out, at(position));
            out.raw(&self.head);
            answer::about(out, self.turn, &self.notices);
            out.raw(",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":")
                .json(reason(finish))
                .raw("}]}\n\n");
        }
        if let (true, Some(_)) = (self.wanted.usage, usage) {
            self.id(out, at(position));
            out.raw(&self.head);
            answer::about(out, self.turn, &[]);
            out.raw(",\"choices\":[]");
            write_usage(out, usage);
            out.raw("}\n\n");
        }
        out.raw(DONE);
    }

    fn fail(&self, error: &Error, out: &mut Out) {
        out.raw("data: {\"error\":").json(&error.body()).raw(",");
        answer::about(out, self.turn, &self.notices);
        out.raw("}\n\n").raw(DONE);
    }
}

impl Encoder for ChatStream {
    fn begin(&mut self, out: &mut Out) {
        if self.wanted.behind.is_none() {
            self.open(out, at(0));
            out.raw("\"role\":\"assistant\"");
            Self::close(out);
        }
    }

    fn event(&mut self, placed: PositionedEvent, out: &mut Out) -> Progress {
        let (before, position) = (self.position, placed.position);
        let resume_point = placed.resume_point();
        self.position = before.max(position);
        match placed.event {
            TurnEvent::Text(text) => {
                let rest = answer::rest(&text, position, self.wanted.behind);
                if !rest.is_empty() {
                    self.open(out, at(position));
                    out.raw("\"content\":").json(rest);
                    Self::close(out);
                }
            }
            TurnEvent::Call { index, id, name, arguments } if !self.has(position) => {
                let start = Place { position: before, in_call: true };
                if self.wanted.behind != Some(start) {
                    self.open(out, start);
                    out.raw("\"tool_calls\":[{\"index\":").number(index as u64).raw(",\"id\":").json(&id);
                    out.raw(",\"type\":\"function\",\"function\":{\"name\":").json(&name);
                    out.raw(",\"arguments\":\"\"}}]");
                    Self::close(out);
                }
                self.open(out, at(position));
                out.raw("\"tool_calls\":[{\"index\":").number(index as u64);
                out.raw(",\"function\":{\"arguments\":").json(&arguments).raw("}}]");
                Self::close(out);
            }
            TurnEvent::Call { .. } => {}
            TurnEvent::Thoughts(thoughts) => {
                if !self.has(position) {
                    self.open(out, at(position));
                    out.raw("\"").raw(REASONING_DETAILS).raw("\":").json(&details(&thoughts));
                    Self::close(out);
                }
            }
            TurnEvent::Likelihoods(tokens) => {
                self.open_aside(out);
                out.raw("},\"logprobs\":{\"content\":").json(&tokens);
                out.raw(",\"refusal\":null},\"finish_reason\":null}]}\n\n");
            }
            TurnEvent::Status { .. }
            | TurnEvent::Content { .. }
            | TurnEvent::Thinking { .. }
            | TurnEvent::Warning { .. } => {
                let is_asked_for = matches!(placed.event, TurnEvent::Content { .. });
                if self.wanted.events || is_asked_for {
                    answer::status_event(out, self.turn, &placed.event);
                }
                match placed.event {
                    TurnEvent::Warning { code, message } => self.notices.push(Notice { code, message }),
                    TurnEvent::Thinking { more, .. } => {
                        self.open_aside(out);
                        out.raw("\"reasoning_content\":").json(&more);
                        Self::close(out);
                    }
                    _ => {}
                }
            }
            TurnEvent::Done { finish, usage } => {
                self.finish(position, finish, usage, out);
                return Progress::Over;
            }
            TurnEvent::Failed { code, message, retry_after } => {
                self.id(out, at(resume_point));
                self.fail(&Error::Answer { code, message, retry_after }, out);
                return Progress::Over;
            }
        }
        Progress::More
    }

    fn broken(&mut self, out: &mut Out) {
        // A listener that has the end already is told no more than that nothing follows.
        if self.wanted.behind.is_some() {
            out.raw(DONE);
        } else {
            self.fail(&Error::AnswerInterrupted, out);
        }
    }
}

/// A place between events.
fn at(position: u64) -> Place {
    Place { position, in_call: false }
}

fn reason(finish: AnswerFinish) -> &'static str {
    match finish {
        AnswerFinish::Stop => "stop",
        AnswerFinish::ToolCalls => "tool_calls",
        AnswerFinish::Length => "length",
        AnswerFinish::ContentFilter => "content_filter",
    }
}

/// The usage, where it is known: a made-up zero would be taken for a figure.
fn write_usage(out: &mut Out, usage: Option<Usage>) {
    let Some(Usage { input_tokens, output_tokens }) = usage else { return };
    out.raw(",\"usage\":{\"prompt_tokens\":").number(input_tokens);
    out.raw(",\"completion_tokens\":").number(output_tokens);
    out.raw(",\"total_tokens\":").number(input_tokens.saturating_add(output_tokens)).raw("}");
}
