//! Goes on from an answer that is not the newest of its session: a new session with what was said up to there.
//!
//! Must never let one branch see the words of another.

use engross_journal::LogEntry;
use engross_llm::Message;
use engross_protocol::SessionId;

use super::error::RequestError;
use super::log::LogEvent;
use super::prepared::PreparedRequest;
use super::record;
use super::request::{AnswerPlace, SessionName, TurnRequest};
use super::service::Sessions;
use super::settings::Settings;
use super::state::SessionState;
use crate::codes;

impl Sessions {
    /// A request as the first one of a session that another service keeps: with what was said up to the answer that it goes on from.
    ///
    /// # Errors
    /// When there is no such answer, or the store cannot be reached.
    pub async fn copied(&self, request: TurnRequest) -> Result<TurnRequest, RequestError> {
        let Some(after) = request.after else { return Ok(request) };
        let named = SessionName::Named(after.session.to_string());
        let Ok((id, _)) = self.known(&request.principal, &named).await else { return Err(unknown()) };
        let log = record::read_log(self.inner.journal.store(), id).await?;
        if !is_answer(&log, after.answer) {
            return Err(unknown());
        }
        Ok(behind(&log, after.answer, &request).0)
    }

    /// The request as the first one of a new session, with the settings of that; `None` where it goes on in its own, as the answer is
    /// its newest.
    pub(super) async fn branch_of(
        &self,
        id: SessionId,
        after: AnswerPlace,
        prepared: &PreparedRequest,
    ) -> Result<Option<(PreparedRequest, Settings)>, RequestError> {
        let log = record::read_log(self.inner.journal.store(), id).await?;
        let is_known =
            log.iter().any(|entry| entry.seq == after.answer && matches!(entry.event, LogEvent::Accepted(_)));
        if !is_known {
            return Err(unknown());
        }
        if record::last_answer(&log) == Some(record::standing(&log, after.answer)) {
            return Ok(None);
        }
        if prepared.request.key.is_some() {
            return Err(RequestError::of(
                codes::ANSWER_SUPERSEDED,
                "the session has gone on since that response; leave its key out to branch off there, or the response's id \
                 to go on with the session",
            ));
        }
        let (request, settings) = behind(&log, after.answer, &prepared.request);
        let toolbox = match (&prepared.toolbox, &request.workspace) {
            (Some(toolbox), _) => Some(std::sync::Arc::clone(toolbox)),
            (None, Some(workspace)) => {
                match self.inner.config.toolboxes.open(&prepared.request.principal, workspace).await {
                    // Another node has it, and is to answer.
                    Err(error) if error.is_home_away() => return Err(error),
                    opened => opened.ok(),
                }
            }
            (None, None) => None,
        };
        Ok(Some((PreparedRequest { request, claim: prepared.claim.clone(), toolbox }, settings)))
    }
}

/// Whether an answer of this number was begun.
fn is_answer(log: &[LogEntry<LogEvent>], answer: u64) -> bool {
    log.iter().any(|entry| entry.seq == answer && matches!(entry.event, LogEvent::Accepted(_)))
}

/// A request as the first one of a new session that goes on from an answer, and the settings of then.
fn behind(log: &[LogEntry<LogEvent>], answer: u64, asked: &TurnRequest) -> (TurnRequest, Settings) {
    let SessionState { tools, workspace, settings, .. } = state_at(log, answer);
    let mut messages = said_until(log, answer);
    messages.extend(asked.messages.iter().cloned());
    let request = TurnRequest {
        key: None,
        after: None,
        messages,
        tools: asked.tools.clone().or(Some(tools)),
        workspace: asked.workspace.clone().or(workspace),
        ..asked.clone()
    };
    (request, settings)
}

/// The state of a session when an answer of it had ended.
fn state_at(log: &[LogEntry<LogEvent>], answer: u64) -> SessionState {
    let answer = record::standing(log, answer);
    let mut state = SessionState::default();
    for entry in log {
        if entry.seq > answer && matches!(entry.event, LogEvent::Accepted(_)) {
            break;
        }
        state.apply(&entry.event);
    }
    state
}

/// What was said until an answer had ended, with the results of its calls as far as there are any.
fn said_until(log: &[LogEntry<LogEvent>], answer: u64) -> Vec<Message> {
    let mut state = state_at(log, answer);
    let Some(turn) = state.turn.take() else { return state.messages };
    if turn.has_part() {
        state.messages.push(Message::Assistant {
            content: turn.partial,
            tool_calls: Vec::new(),
            thoughts: Vec::new(),
        });
    }
    for call in turn.calls {
        if let Some((content, is_error)) = call.result {
            let (tool_call_id, name, attachments) = (call.call.id, call.call.name, call.attachments);
            state.messages.push(Message::Tool { tool_call_id, name, content, is_error, attachments });
        }
    }
    state.messages
}

/// There is no such answer.
pub(super) fn unknown() -> RequestError {
    RequestError::of(
        codes::ANSWER_UNKNOWN,
        "there is no such response; it may have been deleted. Send the conversation itself",
    )
}

/// The answer belongs to another session than the one that is named beside it.
pub(super) fn elsewhere() -> RequestError {
    let message =
        "the response belongs to another session than the one that the request names; send one of the two";
    RequestError::of(codes::ANSWER_ELSEWHERE, message)
        .with_details(serde_json::json!({"field": "previous_response_id"}))
}
