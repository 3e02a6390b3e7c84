//! From a request to entries of the log: what is new in it, which results belong to which calls.
//!
//! Must never store a message twice, take a result for a call that is not open, or leave a call without a result: nothing
//! of that could be mended later. A pure function.

use std::collections::HashSet;

use engross_llm::{Message, MessageAttachment, ToolCall};
use serde_json::{Value, json};

use super::error::RequestError;
use super::log::{AcceptedRequest, CallSide, LogEvent, ResultSource, ToolResult, TurnEnding, TurnEndingKind};
use super::mend::mend;
use super::request::TurnRequest;
use super::state::{OpenCall, SessionState, TurnPhase};
use crate::codes;

/// What the model reads for a call whose result never came.
pub(crate) const NO_RESULT: &str = "No result came for this call. It may or may not have been carried out.";

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
    let mut known = if request.is_whole {
        branch(&session.messages, sent)
    } else {
        repeats(session, sent).unwrap_or_else(|| align(&session.messages, sent))
    };
    // A client may leave out results that the session has. A branch never begins between a call and its result.
    let results = session.messages.get(known.keep..).unwrap_or_default();
    known.keep += results.iter().take_while(|message| matches!(message, Message::Tool { .. })).count();
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

/// How much of a request the session knows already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KnownMessages {
    /// Messages of the request that the session has already.
    consumed: usize,
    /// Messages of the session that stay.
    keep: usize,
    /// From which message of the session on the client sent the conversation itself.
    sent_from: usize,
}

/// Finds what of `sent` is in `stored` already.
///
/// A client that keeps the conversation itself sends all of it, or its end. A client that does not sends what is new. The
/// two differ in this: only the former sends words of the model.
fn align(stored: &[Message], sent: &[Message]) -> KnownMessages {
    let tail = stored.iter().rposition(is_assistant).map_or(0, |last| last + 1);
    let Some(last_answer) = sent.iter().rposition(is_assistant) else {
        // Messages that got no answer are sent again when a request is repeated.
        let unanswered = stored.get(tail..).unwrap_or_default();
        let again = unanswered.iter().any(|message| matches!(message, Message::User { .. }))
            && starts_with(sent, unanswered);
        let consumed = if again { unanswered.len() } else { 0 };
        return KnownMessages { consumed, keep: stored.len(), sent_from: stored.len() - consumed };
    };
    let history = sent.get(..=last_answer).unwrap_or_default();
    let common = stored.iter().zip(sent).take_while(|(left, right)| same(left, right)).count();
    if common >= history.len() {
        let diverges = common < stored.len();
        // What is behind the history in the session was sent differently, or not at all.
        return KnownMessages {
            consumed: common,
            keep: if diverges { common } else { stored.len() },
            sent_from: 0,
        };
    }
    // A client that has dropped the beginning sends the end.
    let ends_with = |at: usize| {
        stored.get(at..).is_some_and(|end| end.len() <= sent.len() && starts_with(sent, end)) && at > 0
    };
    let first =
        (0..stored.len()).find(|at| ends_with(*at) && stored.len() - at >= history.len().min(stored.len()));
    if let Some(at) = first.filter(|at| stored.len() - at >= history.len()) {
        return KnownMessages { consumed: stored.len() - at, keep: stored.len(), sent_from: at };
    }
    KnownMessages { consumed: common, keep: common, sent_from: 0 }
}

/// A message that is sent again after its answer was cut: the new answer comes in the place of what was heard of the old one.
fn repeats(session: &SessionState, sent: &[Message]) -> Option<KnownMessages> {
    let before = session.messages.get(..session.cut?)?;
    if session.messages.len() > before.len() + 1 || sent.iter().any(is_assistant) {
        return None;
    }
    let known = align(before, sent);
    (known.consumed > 0).then_some(known)
}

/// Where a conversation that was sent as a whole leaves the stored one: before its last message at the latest.
fn branch(stored: &[Message], sent: &[Message]) -> KnownMessages {
    let before = sent.get(..sent.len().saturating_sub(1)).unwrap_or_default();
    let common = stored.iter().zip(before).take_while(|(left, right)| same(left, right)).count();
    KnownMessages { consumed: common, keep: common, sent_from: common }
}

fn starts_with(messages: &[Message], beginning: &[Message]) -> bool {
    messages.len() >= beginning.len() && messages.iter().zip(beginning).all(|(left, right)| same(left, right))
}

fn is_assistant(message: &Message) -> bool {
    matches!(message, Message::Assistant { .. })
}

/// Whether two messages are the same but for what clients change on the way: outer white space, the form of arguments, the
/// name beside a result.
fn same(left: &Message, right: &Message) -> bool {
    let text = |left: &str, right: &str| left.trim() == right.trim();
    match (left, right) {
        (
            Message::User { content: left, attachments: left_more },
            Message::User { content: right, attachments: right_more },
        ) => text(left, right) && carry_same(left_more, right_more),
        (
            Message::Assistant { content: left, tool_calls: left_calls, .. },
            Message::Assistant { content: right, tool_calls: right_calls, .. },
        ) => {
            text(left, right)
                && left_calls.len() == right_calls.len()
                && left_calls.iter().zip(right_calls).all(|(left, right)| same_call(left, right))
        }
        (
            Message::Tool { tool_call_id: left_id, content: left, attachments: left_more, .. },
            Message::Tool { tool_call_id: right_id, content: right, attachments: right_more, .. },
        ) => left_id == right_id && text(left, right) && carry_same(left_more, right_more),
        _ => false,
    }
}

fn carry_same(left: &[MessageAttachment], right: &[MessageAttachment]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.source == right.source)
}

/// Whether two calls ask for the same, whatever the form of their JSON.
pub(crate) fn same_call(left: &ToolCall, right: &ToolCall) -> bool {
    let json = |call: &ToolCall| serde_json::from_str::<Value>(&call.arguments).ok();
    left.name == right.name
        && (left.arguments == right.arguments || (json(left).is_some() && json(left) == json(right)))
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

/// The call that a result means: the one with its id, else the only one of its tool, else the only one.
pub(super) fn which<'a>(calls: impl Iterator<Item = &'a ToolCall>, id: &str, name: &str) -> Option<usize> {
    let calls: Vec<&ToolCall> = calls.collect();
    if let Some(at) = calls.iter().position(|call| call.id == id) {
        return Some(at);
    }
    let of_name = |call: &&ToolCall| name.is_empty() || call.name == name;
    match calls.iter().filter(|call| of_name(call)).count() {
        1 => calls.iter().position(of_name),
        _ => None,
    }
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
