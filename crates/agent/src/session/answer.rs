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
        let mut state = SessionState::default();
        let mut renderer = Renderer::default();
        let mut events = Vec::new();
        let (mut turn, mut created) = (0, 0);
        for LogEntry { seq, at, event } in log {
            state.apply(event);
            if *seq == answer
                && let LogEvent::Accepted(accepted) = event
            {
                (turn, created) = (accepted.turn, *at);
            }
            if *seq > answer && !renderer.is_over() {
                if matches!(event, LogEvent::Accepted(_)) {
                    break;
                }
                events.extend(renderer.entry(event, &state));
            }
        }
        if !renderer.is_over() {
            let message =
                "the server stopped before this answer was whole; send the message again".to_owned();
            events.push(renderer.failed(codes::ANSWER_INTERRUPTED.name.to_owned(), message, None));
        }
        let source = Source::Recorded(events.into_iter());
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
