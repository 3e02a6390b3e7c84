//! What every answer has, whatever its wire: ids, places in a stream, and its whole content.
//!
//! Must never give two answers of a session the same id.

use std::str::FromStr;

use engross_agent::session::{AnswerFinish, AnswerPlace, PositionedEvent, TurnEvent};
use engross_llm::{Thought, ToolCall, Usage};
use engross_protocol::SessionId;
use serde_json::Value;

use super::content::shorten;
use super::{Notice, Out};
use crate::error::Error;

/// Which answer it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// The session's id.
    pub(crate) session: SessionId,
    /// The answer's number in its session.
    pub(crate) answer: u64,
    /// The turn it belongs to.
    pub(crate) turn: u64,
    /// The model as the client named it.
    pub(crate) model: String,
    /// When it was sent, in seconds since 1970.
    pub(crate) created: u64,
}

impl Head {
    /// The id of a chat completion.
    pub(super) fn completion_id(&self) -> String {
        format!("chatcmpl-{}-{}", self.session, self.answer)
    }

    /// The id of a response. It leads back to the session.
    pub(super) fn response_id(&self) -> String {
        format!("resp_{}_{}", self.session, self.answer)
    }

    /// The id of an item of a response.
    pub(super) fn item_id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}_{}_{}_{index}", self.session, self.answer)
    }
}

/// The answer that a response is, if its id is one of ours.
///
/// # Errors
/// [`Error::ResponseNotFound`].
pub(crate) fn place_of_response(id: &str) -> Result<AnswerPlace, Error> {
    let parts = id.strip_prefix("resp_").and_then(|rest| rest.rsplit_once('_'));
    let place = parts.and_then(|(session, answer)| {
        Some(AnswerPlace { session: SessionId::from_str(session).ok()?, answer: answer.parse().ok()? })
    });
    place.ok_or_else(|| Error::ResponseNotFound { id: shorten(id).to_owned() })
}

/// The id of the response that an item is of, if its id is one of ours.
pub(crate) fn response_of_item(id: &str) -> Option<String> {
    let (_, place) = id.split_once('_')?;
    let (place, number) = place.rsplit_once('_')?;
    let response = format!("resp_{place}");
    let is_ours = number.parse::<usize>().is_ok() && place_of_response(&response).is_ok();
    is_ours.then_some(response)
}

/// A place in the stream of an answer: the `id:` of an event and the `Last-Event-ID` of a request. Printed as
/// `ANSWER-POSITION`, and with a `+` behind it where the start of a call was told but not yet its arguments: both are one
/// event of the session, and two of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    /// The answer's number in its session.
    pub(crate) answer: u64,
    /// How far its stream had come.
    pub(crate) place: Place,
}

/// How far a listener has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// What it has of the stream: positions of the session, or numbers of events.
    pub(crate) position: u64,
    /// Whether it also has the start of the call that follows.
    pub(crate) in_call: bool,
}

impl FromStr for EventId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (answer, place) = text.trim().split_once('-').ok_or(())?;
        let (position, in_call) = place.strip_suffix('+').map_or((place, false), |position| (position, true));
        let number = |text: &str| text.parse::<u64>().map_err(|_| ());
        Ok(Self { answer: number(answer)?, place: Place { position: number(position)?, in_call } })
    }
}

/// What a listener wants of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct AnswerShape {
    /// Whether the usage comes at the end of chat completions.
    pub(crate) usage: bool,
    /// Whether it understands `engross.status` events.
    pub(crate) events: bool,
    /// How much of the stream it has already; `None` when it has not heard its beginning.
    pub(crate) behind: Option<Place>,
}

/// Whether more comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The answer goes on.
    More,
    /// That was the last of it.
    Over,
}

/// Writes an answer as an event stream.
pub(crate) trait Encoder: Send + 'static {
    /// Called once, before any event.
    fn begin(&mut self, out: &mut Out);

    /// Writes what happened.
    fn event(&mut self, placed: PositionedEvent, out: &mut Out) -> Progress;

    /// The answer ended without its last event.
    fn broken(&mut self, out: &mut Out);
}

/// A piece of an answer's content.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    /// Text between calls.
    Text(String),
    /// What the model thought before the calls that follow.
    Thoughts(Vec<Thought>),
    /// A call for the client.
    Call(ToolCall),
}

/// An answer as it grows whole.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Whole {
    /// Its content, in order. Texts that follow each other are one.
    pub(crate) items: Vec<Item>,
    /// What the client should know.
    pub(crate) notices: Vec<Notice>,
    /// What the model thought, as far as it is shown.
    pub(crate) reasoning: String,
    /// How likely each piece of the text was, where that was asked.
    pub(crate) likelihoods: Vec<Value>,
    /// Why it ended, once it has.
    pub(crate) end: Option<(AnswerFinish, Option<Usage>)>,
}

impl Whole {
    /// Takes an event.
    ///
    /// # Errors
    /// [`Error::Answer`] when the answer failed.
    pub(crate) fn take(&mut self, event: TurnEvent) -> Result<Progress, Error> {
        match event {
            TurnEvent::Text(text) => match self.items.last_mut() {
                Some(Item::Text(before)) => before.push_str(&text),
                _ => self.items.push(Item::Text(text)),
            },
            TurnEvent::Call { index: _, id, name, arguments } => {
                self.items.push(Item::Call(ToolCall { id, name, arguments }));
            }
            TurnEvent::Thoughts(thoughts) => self.items.push(Item::Thoughts(thoughts)),
            TurnEvent::Thinking { bytes, more, .. } => {
                // Another answer of the model within this one.
                if bytes == more.len() as u64 && !self.reasoning.is_empty() {
                    self.reasoning.push_str("\n\n");
                }
                self.reasoning.push_str(&more);
            }
            TurnEvent::Likelihoods(tokens) => self.likelihoods.extend(tokens),
            TurnEvent::Status { .. } | TurnEvent::Content { .. } => {}
            TurnEvent::Warning { code, message } => self.notices.push(Notice { code, message }),
            TurnEvent::Done { finish, usage } => {
                self.end = Some((finish, usage));
                return Ok(Progress::Over);
            }
            TurnEvent::Failed { code, message, retry_after } => {
                return Err(Error::Answer { code, message, retry_after });
            }
        }
        Ok(Progress::More)
    }
}

/// The part of `text` behind `behind`, where `position` is that of its end.
pub(super) fn rest(text: &str, position: u64, behind: Option<Place>) -> &str {
    let Some(missing) = behind.map(|behind| position.saturating_sub(behind.position)) else { return text };
    let start = text.len().saturating_sub(usize::try_from(missing).unwrap_or(usize::MAX));
    &text[text.floor_char_boundary(start)..]
}

/// The object `engross` of an answer: its turn, and what the client should know.
pub(super) fn about(out: &mut Out, turn: u64, notices: &[Notice]) {
    out.raw("\"engross\":{\"turn\":").number(turn);
    if !notices.is_empty() {
        out.raw(",\"warnings\":").json(notices);
    }
    out.raw("}");
}

/// An event for people, outside the answer. It has no id: nothing of the answer is missing without it.
pub(super) fn status_event(out: &mut Out, turn: u64, event: &TurnEvent) {
    out.raw("event: engross.status\ndata: {\"turn\":").number(turn);
    match event {
        TurnEvent::Status { message, id, tool, step } => out
            .raw(",\"type\":\"status\",\"message\":")
            .json(message)
            .raw(",\"tool\":{\"id\":")
            .json(id)
            .raw(",\"name\":")
            .json(tool)
            .raw(",\"state\":")
            .json(step)
            .raw("}"),
        TurnEvent::Content { text, id } => {
            out.raw(",\"type\":\"content\",\"tool\":{\"id\":").json(id).raw("},\"text\":").json(text)
        }
        TurnEvent::Warning { code, message } => {
            out.raw(",\"type\":\"warning\",\"code\":").json(code).raw(",\"message\":").json(message)
        }
        TurnEvent::Thinking { bytes, more, .. } => {
            out.raw(",\"type\":\"thinking\",\"bytes\":").number(*bytes).raw(",\"text\":").json(more)
        }
        _ => out,
    };
    out.raw("}\n\n");
}
