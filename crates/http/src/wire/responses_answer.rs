//! `POST /v1/responses`: from an answer to a body or a stream of events.
//!
//! An event's number depends on the answer's content only, not on how its text came in pieces, so that a listener can go
//! on behind any event. Must never end a stream of an answer that failed as if it were whole.

use engross_agent::codes::TURN_CANCELLED;
use engross_agent::session::{AnswerFinish, PositionedEvent, TurnEvent};
use engross_llm::{
    AttachmentKind, AttachmentSource, Message, MessageAttachment, Thought, ToolCall, Usage, seal_thoughts,
};
use serde_json::{Value, json};

use super::answer::{self, AnswerShape, Encoder, Head, Item, Progress, Whole};
use super::responses_shape::ResponsesShape;
use super::{Notice, Out};
use crate::error::Error;

/// The event of a response that has failed.
const FAILED: &str = "response.failed";

/// The body of a whole answer.
pub(crate) fn responses_body(head: &Head, whole: &Whole, shape: &ResponsesShape) -> Out {
    let shows = |item: &&Item| shape.reasoning || !matches!(item, Item::Thoughts(_));
    let items: Vec<&Item> = whole.items.iter().filter(shows).collect();
    let follows = |index: usize, kind: fn(&Item) -> bool| items[index..].iter().skip(1).any(|it| kind(it));
    let mut output: Vec<Value> = items
        .iter()
        .enumerate()
        .map(|(index, item)| match item {
            Item::Text(text) => {
                let phase = Phase::of(follows(index, |it| matches!(it, Item::Call(_))));
                let is_last = !follows(index, |it| matches!(it, Item::Text(_)));
                let likelihoods = if is_last { whole.likelihoods.as_slice() } else { &[] };
                message_item(head, index, text, likelihoods, phase)
            }
            Item::Thoughts(thoughts) => reasoning_item(head, index, thoughts),
            Item::Call(call) => call_item(head, index, call, shape),
        })
        .collect();
    if output.is_empty() {
        output.push(message_item(head, 0, "", &[], Phase::FinalAnswer));
    }
    let (finish, usage) = whole.end.unwrap_or((AnswerFinish::Stop, None));
    let mut out = Out::default();
    out.json(&response(head, shape, &State::of(finish), &output, usage, &whole.notices));
    out
}

/// The body of a response that has no output to show: it is being made, or it failed.
pub(crate) fn response_state(head: &Head, shape: &ResponsesShape, failed: Option<&Error>) -> Value {
    let state = match failed {
        None => State::InProgress,
        Some(error) if error.code() == TURN_CANCELLED.name => State::Cancelled,
        Some(error) => State::Failed { code: error.code().to_owned(), message: error.to_string() },
    };
    response(head, shape, &state, &[], None, &[])
}

/// What a request brought, as items of a response's input.
pub(crate) fn input_items(head: &Head, input: &[Message]) -> Value {
    let mut items: Vec<Value> = Vec::new();
    for message in input {
        let id = head.item_id("in", items.len());
        match message {
            Message::User { content, attachments } => {
                let mut parts = input_attachments(attachments);
                if !content.is_empty() {
                    parts.insert(0, json!({"type": "input_text", "text": content}));
                }
                items.push(json!({
                    "id": id, "type": "message", "role": "user", "status": "completed", "content": parts,
                }));
            }
            Message::Assistant { content, tool_calls, .. } => {
                if !content.is_empty() {
                    items.push(json!({
                        "id": id, "type": "message", "role": "assistant", "status": "completed",
                        "content": [text_part(content, &[])],
                    }));
                }
                for call in tool_calls {
                    items.push(json!({
                        "id": head.item_id("in", items.len()), "type": "function_call", "call_id": call.id,
                        "name": call.name, "arguments": call.arguments, "status": "completed",
                    }));
                }
            }
            Message::Tool { tool_call_id, content, attachments, .. } => {
                let mut output = json!(content);
                if !attachments.is_empty() {
                    let mut parts = input_attachments(attachments);
                    parts.insert(0, json!({"type": "input_text", "text": content}));
                    output = json!(parts);
                }
                items.push(json!({
                    "id": id, "type": "function_call_output", "call_id": tool_call_id, "output": output,
                    "status": "completed",
                }));
            }
        }
    }
    let id = |item: Option<&Value>| item.map_or(Value::Null, |item| item["id"].clone());
    json!({
        "object": "list", "first_id": id(items.first()), "last_id": id(items.last()), "has_more": false, "data": items,
    })
}

/// What messages carry beside text, in the form in which it is sent to this route.
fn input_attachments(attachments: &[MessageAttachment]) -> Vec<Value> {
    let part = |attachment: &MessageAttachment| {
        let url = match &attachment.source {
            AttachmentSource::Inline { media_type, data } => format!("data:{media_type};base64,{data}"),
            AttachmentSource::Url(url) => url.clone(),
        };
        match (attachment.kind, &attachment.source) {
            (AttachmentKind::Picture, _) => json!({
                "type": "input_image", "image_url": url, "detail": attachment.detail.as_deref().unwrap_or("auto"),
            }),
            (AttachmentKind::Sound, AttachmentSource::Inline { media_type, data }) => {
                let format = if media_type == "audio/wav" { "wav" } else { "mp3" };
                json!({"type": "input_audio", "input_audio": {"data": &**data, "format": format}})
            }
            (_, AttachmentSource::Url(url)) => json!({"type": "input_file", "file_url": url}),
            _ => json!({"type": "input_file", "filename": attachment.name, "file_data": url}),
        }
    };
    attachments.iter().map(part).collect()
}

/// An answer as a stream of events.
pub(crate) struct ResponsesStream {
    head: Head,
    wanted: AnswerShape,
    shape: ResponsesShape,
    notices: Vec<Notice>,
    /// How likely the pieces of the open text were.
    likelihoods: Vec<Value>,
    /// Items that are whole.
    output: Vec<Value>,
    /// The message that is open: its id and its text.
    message: Option<(String, String)>,
    /// Events so far besides pieces of text. With the position it makes the number of the next event.
    events: u64,
}

impl ResponsesStream {
    /// A stream for one listener. `notices` are those of the request.
    pub(crate) fn new(head: Head, wanted: AnswerShape, shape: ResponsesShape, notices: Vec<Notice>) -> Self {
        let (likelihoods, output) = (Vec::new(), Vec::new());
        Self { head, wanted, shape, notices, likelihoods, output, message: None, events: 0 }
    }

    /// An event up to its particulars. False when the listener has it.
    fn open(&self, out: &mut Out, kind: &str, number: u64) -> bool {
        if self.wanted.behind.is_some_and(|behind| number <= behind.position) {
            return false;
        }
        out.raw("event: ").raw(kind);
        // Who goes on behind a failure goes on behind what was heard before it, as `PositionedEvent::resume_point` says.
        if kind != FAILED {
            out.raw("\nid: ").number(self.head.answer).raw("-").number(number);
        }
        out.raw("\ndata: {\"type\":\"").raw(kind).raw("\",\"sequence_number\":").number(number);
        true
    }

    /// An event besides pieces of text. `particulars` is an object.
    fn event_at(&mut self, out: &mut Out, position: u64, kind: &str, particulars: &Value) {
        let number = position + self.events;
        self.events += 1;
        if self.open(out, kind, number) {
            for (name, value) in particulars.as_object().into_iter().flatten() {
                out.raw(",\"").raw(name).raw("\":").json(value);
            }
            out.raw("}\n\n");
        }
    }

    /// The event that shows the response as a whole.
    fn response_at(&mut self, out: &mut Out, position: u64, kind: &str, state: &State, usage: Option<Usage>) {
        let response = response(&self.head, &self.shape, state, &self.output, usage, &self.notices);
        self.event_at(out, position, kind, &json!({"response": response}));
    }

    fn open_text(&mut self, out: &mut Out, position: u64) {
        let index = self.output.len();
        let id = self.head.item_id("msg", index);
        self.message = Some((id.clone(), String::new()));
        let item =
            json!({"id": id, "type": "message", "status": "in_progress", "role": "assistant", "content": []});
        self.event_at(
            out,
            position,
            "response.output_item.added",
            &json!({"output_index": index, "item": item}),
        );
        let particulars =
            json!({"item_id": id, "output_index": index, "content_index": 0, "part": text_part("", &[])});
        self.event_at(out, position, "response.content_part.added", &particulars);
    }

    fn text(&mut self, out: &mut Out, text: &str, position: u64) {
        if self.message.is_none() {
            self.open_text(out, position.saturating_sub(text.len() as u64));
        }
        let number = position + self.events;
        let rest = answer::rest(text, number, self.wanted.behind);
        let writes = !rest.is_empty() && self.open(out, "response.output_text.delta", number);
        let Some((id, all)) = &mut self.message else { return };
        if writes {
            out.raw(",\"item_id\":").json(id).raw(",\"output_index\":").number(self.output.len() as u64);
            out.raw(",\"content_index\":0,\"delta\":").json(rest).raw(",\"logprobs\":[]}\n\n");
        }
        all.push_str(text);
    }

    fn close_text(&mut self, out: &mut Out, position: u64, phase: Phase) {
        let Some((id, text)) = self.message.take() else { return };
        // Pieces of text count by position alone, so the next event needs a number of its own.
        self.events += 1;
        let index = self.output.len();
        let likelihoods = std::mem::take(&mut self.likelihoods);
        let particulars = json!({
            "item_id": id, "output_index": index, "content_index": 0, "text": text, "logprobs": likelihoods,
        });
        self.event_at(out, position, "response.output_text.done", &particulars);
        let part = text_part(&text, &likelihoods);
        let particulars = json!({"item_id": id, "output_index": index, "content_index": 0, "part": part});
        self.event_at(out, position, "response.content_part.done", &particulars);
        self.close_item(out, position, message_item(&self.head, index, &text, &likelihoods, phase));
    }

    fn call(&mut self, out: &mut Out, position: u64, call: &ToolCall) {
        let start = position.saturating_sub(1);
        self.close_text(out, start, Phase::Commentary);
        let index = self.output.len();
        let whole = call_item(&self.head, index, call, &self.shape);
        let mut item = whole.clone();
        item["status"] = json!("in_progress");
        item["arguments"] = json!("");
        let id = item["id"].clone();
        self.event_at(
            out,
            start,
            "response.output_item.added",
            &json!({"output_index": index, "item": item}),
        );
        let particulars = json!({"item_id": id, "output_index": index, "delta": call.arguments});
        self.event_at(out, position, "response.function_call_arguments.delta", &particulars);
        let particulars =
            json!({"item_id": id, "output_index": index, "name": whole["name"], "arguments": call.arguments});
        self.event_at(out, position, "response.function_call_arguments.done", &particulars);
        self.close_item(out, position, whole);
    }

    /// What the model thought, for a client that keeps it.
    fn thoughts(&mut self, out: &mut Out, position: u64, thoughts: &[Thought]) {
        self.close_text(out, position.saturating_sub(1), Phase::Commentary);
        let index = self.output.len();
        let item = reasoning_item(&self.head, index, thoughts);
        let added = json!({"output_index": index, "item": item});
        self.event_at(out, position, "response.output_item.added", &added);
        self.close_item(out, position, item);
    }

    fn close_item(&mut self, out: &mut Out, position: u64, item: Value) {
        let particulars = json!({"output_index": self.output.len(), "item": item});
        self.event_at(out, position, "response.output_item.done", &particulars);
        self.output.push(item);
    }

    fn done(&mut self, out: &mut Out, position: u64, finish: AnswerFinish, usage: Option<Usage>) {
        if self.output.is_empty() && self.message.is_none() {
            self.open_text(out, position);
        }
        self.close_text(out, position, Phase::FinalAnswer);
        let state = State::of(finish);
        self.response_at(out, position, state.event(), &state, usage);
        out.raw("data: [DONE]\n\n");
    }

    fn fail(&mut self, out: &mut Out, position: u64, error: &Error) {
        if let Some((_, text)) = self.message.take() {
            self.events += 1;
            let mut item = message_item(&self.head, self.output.len(), &text, &[], Phase::Commentary);
            item["status"] = json!("incomplete");
            self.output.push(item);
        }
        let state = State::Failed { code: error.code().to_owned(), message: error.to_string() };
        self.response_at(out, position, state.event(), &state, None);
        out.raw("data: [DONE]\n\n");
    }
}

impl Encoder for ResponsesStream {
    fn begin(&mut self, out: &mut Out) {
        self.response_at(out, 0, "response.created", &State::InProgress, None);
        self.response_at(out, 0, "response.in_progress", &State::InProgress, None);
    }

    fn event(&mut self, placed: PositionedEvent, out: &mut Out) -> Progress {
        let position = placed.position;
        match placed.event {
            TurnEvent::Text(text) if text.is_empty() => {}
            TurnEvent::Text(text) => self.text(out, &text, position),
            TurnEvent::Call { index: _, id, name, arguments } => {
                self.call(out, position, &ToolCall { id, name, arguments });
            }
            TurnEvent::Thoughts(thoughts) => {
                if self.shape.reasoning {
                    self.thoughts(out, position, &thoughts);
                }
            }
            TurnEvent::Likelihoods(tokens) => self.likelihoods.extend(tokens),
            TurnEvent::Status { .. }
            | TurnEvent::Content { .. }
            | TurnEvent::Thinking { .. }
            | TurnEvent::Warning { .. } => {
                let is_asked_for = matches!(placed.event, TurnEvent::Content { .. });
                if self.wanted.events || is_asked_for {
                    answer::status_event(out, self.head.turn, &placed.event);
                }
                if let TurnEvent::Warning { code, message } = placed.event {
                    self.notices.push(Notice { code, message });
                }
            }
            TurnEvent::Done { finish, usage } => {
                self.done(out, position, finish, usage);
                return Progress::Over;
            }
            TurnEvent::Failed { code, message, retry_after } => {
                self.fail(out, position, &Error::Answer { code, message, retry_after });
                return Progress::Over;
            }
        }
        Progress::More
    }

    fn broken(&mut self, out: &mut Out) {
        let position = self.wanted.behind.map_or(0, |behind| behind.position).saturating_add(1);
        self.fail(out, position, &Error::AnswerInterrupted);
    }
}

/// Whether a text is the answer, or goes before calls.
#[derive(Debug, Clone, Copy)]
enum Phase {
    Commentary,
    FinalAnswer,
}

impl Phase {
    fn of(calls_follow: bool) -> Self {
        if calls_follow { Self::Commentary } else { Self::FinalAnswer }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Commentary => "commentary",
            Self::FinalAnswer => "final_answer",
        }
    }
}

/// How far a response is.
enum State {
    InProgress,
    Cancelled,
    Completed,
    Incomplete { reason: &'static str },
    Failed { code: String, message: String },
}

impl State {
    fn of(finish: AnswerFinish) -> Self {
        match finish {
            AnswerFinish::Stop | AnswerFinish::ToolCalls => Self::Completed,
            AnswerFinish::Length => Self::Incomplete { reason: "max_output_tokens" },
            AnswerFinish::ContentFilter => Self::Incomplete { reason: "content_filter" },
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Cancelled => "cancelled",
            Self::Completed => "completed",
            Self::Incomplete { .. } => "incomplete",
            Self::Failed { .. } => "failed",
        }
    }

    fn event(&self) -> &'static str {
        match self {
            Self::InProgress => "response.in_progress",
            Self::Completed => "response.completed",
            Self::Incomplete { .. } => "response.incomplete",
            Self::Cancelled | Self::Failed { .. } => FAILED,
        }
    }
}

/// The response as an object. The fields that repeat the request have the values that clients insist on finding.
fn response(
    head: &Head,
    shape: &ResponsesShape,
    state: &State,
    output: &[Value],
    usage: Option<Usage>,
    notices: &[Notice],
) -> Value {
    let mut about = json!({"turn": head.turn});
    if !notices.is_empty() {
        about["warnings"] = json!(notices);
    }
    let error = match state {
        State::Failed { code, message } => json!({"code": code, "message": message}),
        _ => Value::Null,
    };
    let incomplete = match state {
        State::Incomplete { reason } => json!({"reason": reason}),
        _ => Value::Null,
    };
    let usage = usage.map(|Usage { input_tokens, output_tokens }| {
        json!({
            "input_tokens": input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input_tokens.saturating_add(output_tokens),
        })
    });
    let mut response = json!({
        "id": head.response_id(),
        "object": "response",
        "created_at": head.created,
        "completed_at": null,
        "status": state.name(),
        "model": head.model,
        "engross": about,
        "output": output,
        "error": error,
        "incomplete_details": incomplete,
        "usage": usage,
    });
    shape.repeat(&mut response);
    response
}

fn message_item(head: &Head, index: usize, text: &str, likelihoods: &[Value], phase: Phase) -> Value {
    json!({
        "id": head.item_id("msg", index),
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "phase": phase.name(),
        "content": [text_part(text, likelihoods)],
    })
}

fn text_part(text: &str, likelihoods: &[Value]) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": likelihoods})
}

fn reasoning_item(head: &Head, index: usize, thoughts: &[Thought]) -> Value {
    json!({
        "id": head.item_id("rs", index),
        "type": "reasoning",
        "status": "completed",
        "summary": [],
        "encrypted_content": seal_thoughts(thoughts),
    })
}

fn call_item(head: &Head, index: usize, call: &ToolCall, shape: &ResponsesShape) -> Value {
    let mut item = json!({
        "id": head.item_id("fc", index),
        "type": "function_call",
        "status": "completed",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    });
    if let Some((namespace, name)) = shape.namespaces.of(&call.name) {
        item["namespace"] = json!(namespace);
        item["name"] = json!(name);
    }
    item
}
