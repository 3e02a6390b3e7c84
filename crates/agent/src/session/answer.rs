//! An answer as a client reads it: live, or from the log.

use engross_journal::LogEntry;
use engross_protocol::SessionId;

use super::channel::{AnswerHandle, Listener};
use super::event::{PositionedEvent, TurnEvent};
use super::log::LogEvent;
use super::render::Renderer;
use super::state::SessionState;
use crate::codes;

/// An answer to a request. A dropped stream is a client that has gone away.
#[derive(Debug)]
pub struct AnswerStream {
    /// The session.
    pub session: SessionId,
    /// Its canonical key.
    pub key: String,
    /// Counts the session's turns from 1.
    pub turn: u64,
    /// Names the answer within its session.
    pub answer: u64,
    /// When its request was accepted, in milliseconds since 1970, UTC.
    pub created: u64,
    /// Whether an earlier request got this very answer.
    pub replayed: bool,
    source: Source,
    behind: u64,
}

#[derive(Debug)]
enum Source {
    Channel(Listener),
    Recorded(std::vec::IntoIter<PositionedEvent>),
}

impl AnswerStream {
    pub(super) fn live(session: SessionId, key: String, newest: &AnswerHandle, replayed: bool) -> Self {
        Self {
            session,
            key,
            turn: newest.turn,
            answer: newest.answer,
            created: newest.created,
            replayed,
            source: Source::Channel(newest.channel.listen()),
            behind: 0,
        }
    }

    /// The answer that begins with the entry `answer`.
    pub(super) fn recorded(session: SessionId, log: &[LogEntry<LogEvent>], answer: u64) -> Self {
        let mut replay = AnswerReplay::of(answer);
        let mut events: Vec<PositionedEvent> = log.iter().flat_map(|entry| replay.take(entry)).collect();
        if !replay.renderer.is_over() {
            events.push(replay.interrupted());
        }
        let source = Source::Recorded(events.into_iter());
        let AnswerReplay { state, turn, created, .. } = replay;
        Self { session, key: state.key, turn, answer, created, replayed: true, source, behind: 0 }
    }

    /// Leaves out what stands at or before a position: what the client has received already.
    pub fn resume_after(&mut self, position: u64) {
        self.behind = position;
    }

    /// The next event; `None` behind the last.
    pub async fn next(&mut self) -> Option<PositionedEvent> {
        loop {
            let event = match &mut self.source {
                Source::Channel(listener) => listener.next().await?,
                Source::Recorded(events) => events.next()?,
            };
            if let Some(rest) = rest_of(event, self.behind) {
                return Some(rest);
            }
        }
    }
}

/// An answer as its log tells it, entry by entry from the first one of the session.
pub(super) struct AnswerReplay {
    answer: u64,
    pub(super) turn: u64,
    /// When its request was accepted, in milliseconds since 1970, UTC.
    pub(super) created: u64,
    pub(super) state: SessionState,
    pub(super) renderer: Renderer,
    /// The number of the last entry.
    pub(super) seq: u64,
    /// Whether another answer began before this one was over.
    pub(super) is_overtaken: bool,
}

impl AnswerReplay {
    /// The answer that begins with the entry `answer`.
    pub(super) fn of(answer: u64) -> Self {
        let (state, renderer) = (SessionState::default(), Renderer::default());
        Self { answer, turn: 0, created: 0, state, renderer, seq: 0, is_overtaken: false }
    }

    /// Takes the next entry in; gives what its listeners hear.
    pub(super) fn take(&mut self, entry: &LogEntry<LogEvent>) -> Vec<PositionedEvent> {
        let LogEntry { seq, at, event } = entry;
        self.seq = *seq;
        self.state.apply(event);
        let is_open = *seq > self.answer && !self.renderer.is_over() && !self.is_overtaken;
        match event {
            LogEvent::Accepted(accepted) if *seq == self.answer => {
                (self.turn, self.created) = (accepted.turn, *at);
                Vec::new()
            }
            LogEvent::Accepted(_) => {
                self.is_overtaken |= is_open;
                Vec::new()
            }
            event if is_open => self.renderer.entry(event, &self.state),
            _ => Vec::new(),
        }
    }

    /// The end of an answer that nobody works on any more.
    pub(super) fn interrupted(&mut self) -> PositionedEvent {
        let message = "the server stopped before this answer was whole; send the message again".to_owned();
        self.renderer.failed(codes::ANSWER_INTERRUPTED.name.to_owned(), message, None)
    }
}

/// What of an event stands behind a position. A text may come in other pieces than the client received it.
fn rest_of(event: PositionedEvent, behind: u64) -> Option<PositionedEvent> {
    if event.position > behind {
        if let TurnEvent::Text(text) = &event.event {
            let start = event.position - text.len() as u64;
            let known = usize::try_from(behind.saturating_sub(start)).unwrap_or(usize::MAX);
            let rest = text.get(known..).unwrap_or(text).to_owned();
            return Some(PositionedEvent { event: TurnEvent::Text(rest), ..event });
        }
        return Some(event);
    }
    let has_place = !event.event.is_aside();
    (!has_place && behind == 0).then_some(event)
}
