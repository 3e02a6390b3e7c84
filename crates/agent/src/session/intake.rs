//! From a request to entries of the log: what is new in it, which results belong to which calls.
//!
//! Must never store a message twice, take a result for a call that is not open, or leave a call without a result: nothing
//! of that could be mended later. A pure function.

use std::collections::HashSet;

use engross_llm::{Message, MessageAttachment, ToolCall};
use serde_json::{Value, json};

use super::calls::{NO_RESULT, which};
use super::error::RequestError;
use super::known::{KnownMessages, is_assistant};
use super::log::{AcceptedRequest, CallSide, LogEvent, ResultSource, ToolResult, TurnEnding, TurnEndingKind};
use super::mend::mend;
use super::request::TurnRequest;
use super::state::SessionState;
use super::turn_state::{OpenCall, TurnPhase};
use crate::codes;

/// The entries that a request adds. `now` in milliseconds since 1970.
///
/// # Errors
/// When the request does not fit the session; nothing may be stored then.
pub(crate) fn take_in(
    session: &SessionState,
    request: &TurnRequest,
    now: i64,
) -> Result<Vec<LogEvent>, RequestError> {
    if !request.messages.iter().any(|message| !matches!(message, Message::Assistant { .. })) {
        return Err(RequestError::of(
            codes::MESSAGES_EMPTY,
            "the request has no user message and no tool result; send one in 'messages'",
        ));
    }
    let waiting = session.turn.as_ref().map_or(&[][..], |turn| &turn.calls);
    let mended = mend(&request.messages, waiting, session.messages.is_empty());
    let sent = mended.as_ref().map_or(&request.messages, |mended| &mended.messages);
    let known = KnownMessages::find(session, sent, request.is_whole);
    let rest = sent.get(known.consumed..).unwrap_or_default();
    let mut intake = Intake { session, request, events: Vec::new(), known, now };
    intake.run(rest)?;
    // What the session knows already was told when it came.
    if let Some(mended) = mended.as_ref().filter(|mended| mended.from >= known.consumed) {
        intake.events.push(LogEvent::Noted {
            code: codes::CONVERSATION_MENDED.name.to_owned(),
            message: mended.told(),
        });
    }
    Ok(intake.events)
}

struct Intake<'a> {
    session: &'a SessionState,
    request: &'a TurnRequest,
    events: Vec<LogEvent>,
    known: KnownMessages,
    now: i64,
}

impl Intake<'_> {
    fn run(&mut self, rest: &[Message]) -> Result<(), RequestError> {
        let stays = self.known.keep == self.session.messages.len();
        let turn = self.session.turn.as_ref().filter(|_| stays);
        // Behind the deadline no result is taken any more: a new message closes the calls.
        let waits = turn
            .filter(|turn| !matches!(turn.phase, TurnPhase::Suspended { deadline } if deadline <= self.now));
        let calls: &[OpenCall] = waits.map_or(&[], |turn| &turn.calls);
        let results = rest.iter().take_while(|message| matches!(message, Message::Tool { .. })).count();
        let (results, new) = rest.split_at(results);
        let given = bind(&self.session.messages, calls, results)?;
        if let Some(turn) = turn.filter(|_| new.is_empty()) {
            return self.resume(turn.number, &given, calls);
        }
        if new.is_empty() && !is_to_answer(&self.session.messages, self.known.keep) {
            return Err(RequestError::of(
                codes::NOTHING_NEW,
                "the session has all of these messages and has answered them; send a new message",
            ));
        }
        let history = self.adopt(new)?;
        if let Some(turn) = &self.session.turn {
            // The person goes on without waiting: what is still open is closed, or the conversation could never go on.
            let ids: HashSet<&str> = given.iter().map(|given| given.id).collect();
            for call in turn.calls.iter().filter(|call| call.result.is_none()) {
                let result = given.iter().find(|given| given.id == call.call.id);
                self.events.push(match result.filter(|_| ids.contains(call.call.id.as_str())) {
                    Some(given) => given.event(),
                    None => closed(&call.call.id),
                });
            }
            self.events.push(LogEvent::Ended(TurnEnding {
                kind: TurnEndingKind::Cancelled,
                code: codes::TURN_SUPERSEDED.name.to_owned(),
                message: "a new message came before the turn was over".to_owned(),
                retry_after: None,
                keeps_part: turn.has_part(),
                is_refused: false,
            }));
        }
        self.accept(self.session.turns + 1, history);
        Ok(())
    }

    /// Results for the suspended turn, some or all that it waits for.
    fn resume(
        &mut self,
        turn: u64,
        given: &[GivenResult<'_>],
        calls: &[OpenCall],
    ) -> Result<(), RequestError> {
        let suspended =
            self.session.turn.as_ref().is_some_and(|turn| matches!(turn.phase, TurnPhase::Suspended { .. }));
        if given.is_empty() && suspended {
            return Err(RequestError::of(codes::RESULTS_MISSING,
                "the session waits for results of its calls; send them with role \"tool\", or a new user message",
            )
            .with_details(open_calls(calls)));
        }
        self.accept(turn, Vec::new());
        self.events.extend(given.iter().map(GivenResult::event));
        Ok(())
    }

    fn accept(&mut self, turn: u64, messages: Vec<Message>) {
        // A client that sends what it heard of an answer which was cut brings in the place of what the session kept of it.
        let brings_answer = messages.first().is_some_and(is_assistant);
        let is_cut = self.session.turn.as_ref().is_some_and(|turn| !turn.partial.is_empty());
        let diverges = self.known.keep < self.session.messages.len() || (brings_answer && is_cut);
        let keep = diverges.then_some(self.known.keep);
        let tools = self.request.tools.as_ref().filter(|tools| **tools != self.session.tools);
        self.events.push(LogEvent::Accepted(AcceptedRequest {
            turn,
            keep,
            messages,
            sent_from: self.known.sent_from,
            system: self.request.system.clone(),
            tools: tools.cloned(),
            parameters: self.request.parameters.clone(),
            background: self.request.background,
            workspace: self
                .request
                .workspace
                .clone()
                .filter(|name| Some(name) != self.session.workspace.as_ref()),
            retake: false,
        }));
    }

    /// Messages to be adopted: calls and their results as pairs.
    fn adopt(&mut self, new: &[Message]) -> Result<Vec<Message>, RequestError> {
        let mut adopted: Vec<Message> = Vec::with_capacity(new.len());
        let mut open: Vec<ToolCall> = Vec::new();
        // What was thought in turns that are over is of no use any more.
        let present = new.iter().rposition(|message| matches!(message, Message::User { .. })).unwrap_or(0);
        for (at, message) in new.iter().enumerate() {
            match message {
                Message::Tool { tool_call_id, name, content, is_error, attachments } => {
                    let at = which(open.iter(), tool_call_id, name);
                    let Some(at) = at else {
                        return Err(unknown_call(tool_call_id, name, json!({"open": names(&open)})));
                    };
                    let call = open.remove(at);
                    adopted.push(Message::Tool {
                        tool_call_id: call.id,
                        name: call.name,
                        content: content.clone(),
                        is_error: *is_error,
                        attachments: attachments.clone(),
                    });
                }
                other => {
                    close(&mut adopted, &mut open);
                    let mut other = other.clone();
                    if let Message::Assistant { tool_calls, thoughts, .. } = &mut other {
                        open.clone_from(tool_calls);
                        if at < present {
                            thoughts.clear();
                        }
                    }
                    adopted.push(other);
                }
            }
        }
        close(&mut adopted, &mut open);
        Ok(adopted)
    }
}

/// Gives every call that is still open a result.
fn close(adopted: &mut Vec<Message>, open: &mut Vec<ToolCall>) {
    adopted.extend(open.drain(..).map(|call| Message::Tool {
        tool_call_id: call.id,
        name: call.name,
        content: NO_RESULT.to_owned(),
        is_error: true,
        attachments: Vec::new(),
    }));
}

/// Whether the last message that stays waits for an answer.
fn is_to_answer(stored: &[Message], keep: usize) -> bool {
    stored.get(..keep).and_then(<[Message]>::last).is_some_and(|last| !is_assistant(last))
}

/// A result and its call.
struct GivenResult<'a> {
    id: &'a str,
    content: &'a str,
    is_error: bool,
    attachments: &'a [MessageAttachment],
}

impl GivenResult<'_> {
    fn event(&self) -> LogEvent {
        let result = ToolResult {
            content: self.content.to_owned(),
            is_error: self.is_error,
            attachments: self.attachments.to_vec(),
            ..ToolResult::default()
        };
        LogEvent::resulted(self.id, result, ResultSource::Client)
    }
}

fn closed(id: &str) -> LogEvent {
    LogEvent::resulted(id, ToolResult::error(NO_RESULT), ResultSource::Session)
}

/// Finds the call of each result: by id, else by name where just one call of that name is open.
///
/// An id that the session has given to a call means that call and no other: a late result must not pass for another's.
fn bind<'a>(
    stored: &[Message],
    calls: &'a [OpenCall],
    results: &'a [Message],
) -> Result<Vec<GivenResult<'a>>, RequestError> {
    let was_given = |id: &str| {
        stored.iter().any(|message| match message {
            Message::Assistant { tool_calls, .. } => tool_calls.iter().any(|call| call.id == id),
            _ => false,
        })
    };
    let mut given: Vec<GivenResult<'a>> = Vec::with_capacity(results.len());
    for result in results {
        let Message::Tool { tool_call_id, name, content, is_error, attachments } = result else { continue };
        let is_open = calls.iter().any(|call| {
            call.call.id == *tool_call_id && call.side == CallSide::Client && call.result.is_none()
        });
        if given.iter().any(|known| known.id == tool_call_id) || (!is_open && was_given(tool_call_id)) {
            return Err(RequestError::of(codes::RESULT_DUPLICATE,
                format!(
                    "the call '{tool_call_id}' has its result already, perhaps because it was waited for too long; a call has \
                     one result, and it stands"
                ),
            )
            .with_details(open_calls(calls)));
        }
        let open: Vec<&OpenCall> = calls
            .iter()
            .filter(|call| call.side == CallSide::Client && call.result.is_none())
            .filter(|call| !given.iter().any(|known| known.id == call.call.id))
            .collect();
        let Some(at) = which(open.iter().map(|call| &call.call), tool_call_id, name) else {
            return Err(unknown_call(tool_call_id, name, open_calls(calls)));
        };
        if let Some(call) = open.get(at) {
            given.push(GivenResult { id: &call.call.id, content, is_error: *is_error, attachments });
        }
    }
    Ok(given)
}

fn unknown_call(id: &str, name: &str, details: Value) -> RequestError {
    let tool = if name.is_empty() { String::new() } else { format!(" of the tool '{name}'") };
    RequestError::of(codes::CALL_NOT_OPEN,
        format!(
            "no open call has the id '{id}'{tool}, and the tool's name does not single one out; send the id that came with \
             the call, or the whole conversation with the call in it"
        ),
    )
    .with_details(details)
}

fn open_calls(calls: &[OpenCall]) -> Value {
    let open: Vec<ToolCall> = calls
        .iter()
        .filter(|call| call.side == CallSide::Client && call.result.is_none())
        .map(|call| call.call.clone())
        .collect();
    json!({"open": names(&open)})
}

fn names(calls: &[ToolCall]) -> Vec<Value> {
    calls.iter().map(|call| json!({"id": call.id, "name": call.name})).collect()
}
