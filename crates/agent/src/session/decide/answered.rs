//! What follows from an answer of the model: which calls are carried out, and by whom.
//!
//! Must never leave a call without a side that gives its result.

use engross_llm::{Answer, FinishReason, Message};

use super::{Action, Decider};
use crate::codes;
use crate::session::event::AnswerFinish;
use crate::session::log::{CallSide, LogEvent, ModelCall, ResultSource, TurnEndingKind};
use crate::session::rounds;

impl Decider<'_> {
    pub(super) fn answered(&mut self, answer: Answer, model: String) -> Action {
        let cut = match answer.finish {
            FinishReason::Length => Some(AnswerFinish::Length),
            FinishReason::ContentFilter => Some(AnswerFinish::ContentFilter),
            // A reason that is not known: with calls it is that of calls, else the answer may not be whole.
            FinishReason::Other if answer.tool_calls.is_empty() => Some(AnswerFinish::Length),
            FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => None,
        };
        let repeats = rounds::repeats(self.of_turn(), &answer.tool_calls);
        let mut earlier: Vec<(String, String, bool)> = Vec::new();
        let mut refused: Vec<(String, String)> = Vec::new();
        let mut stopped = None;
        let mut calls = Vec::with_capacity(answer.tool_calls.len());
        for (call, count) in answer.tool_calls.into_iter().zip(repeats) {
            let side = self.side(&call.name);
            let reads = self.reads(&call.name);
            let may_come_again = rounds::may_come_again(&self.session.messages, &call);
            let side = if self.content_results.iter().any(|(id, _)| *id == call.id) {
                CallSide::Server
            } else if cut.is_some() {
                refused.push((
                    call.id.clone(),
                    "Your answer was cut, so nothing of it was done; send the call again, smaller."
                        .to_owned(),
                ));
                CallSide::Nobody
            } else if stopped.is_some() || (count >= 3 && !(may_come_again && count < 6)) {
                stopped.get_or_insert_with(|| call.name.clone());
                refused.push((
                    call.id.clone(),
                    "This was not done: the same call came three times in a row.".to_owned(),
                ));
                CallSide::Nobody
            } else if count == 2 && !reads && !may_come_again {
                let before = calls.last().map(|before: &ModelCall| &before.call);
                let (content, is_error) = rounds::told_again(&self.session.messages, &call, before);
                earlier.push((call.id.clone(), content, is_error));
                CallSide::Nobody
            } else if side == CallSide::Nobody {
                let known: Vec<&str> = self.specs().map(|spec| spec.name.as_str()).collect();
                refused.push((
                    call.id.clone(),
                    format!("There is no tool '{}'. There are: {}.", call.name, known.join(", ")),
                ));
                CallSide::Nobody
            } else {
                side
            };
            if count == 2 && !may_come_again {
                let message = format!("the model repeated its call of {} without a change", call.name);
                self.push(LogEvent::Noted { code: codes::REPEATED_CALL.name.to_owned(), message });
            }
            calls.push(ModelCall { call, side });
        }
        let has_calls = !calls.is_empty();
        self.push(LogEvent::Answered { text: answer.text, calls, usage: answer.usage, cut, model });
        for (id, result) in std::mem::take(&mut self.content_results) {
            self.push(LogEvent::resulted(id, result, ResultSource::Server));
        }
        for (id, message) in refused {
            self.result(&id, message, true);
        }
        for (id, content, is_error) in earlier {
            self.result(&id, content, is_error);
        }
        let bounded = self.turn().is_some_and(|turn| turn.parameters.max_output_tokens.is_some());
        let is_writing = self.turn().is_some_and(|turn| turn.writing.is_some());
        if cut == Some(AnswerFinish::Length) && has_calls && (!bounded || is_writing) {
            // Nobody asked for a short answer: the model may try again with less at once.
            return self.proceed();
        }
        if let Some(finish) = cut {
            return self.end(TurnEndingKind::Whole(finish), "", "", None);
        }
        if let Some(name) = stopped {
            self.close_open();
            let message = format!(
                "The model called {name} three times with the same arguments, so it was stopped. Say how to go on."
            );
            return self.stop(codes::REPEATED_CALL.name, &message);
        }
        if !has_calls {
            return self.end(TurnEndingKind::Whole(AnswerFinish::Stop), "", "", None);
        }
        let rounds = self.turn().map_or(0, |turn| turn.client_rounds);
        let asks_client = self.turn().is_some_and(|turn| turn.open(CallSide::Client).next().is_some());
        if asks_client && rounds >= self.rules.client_rounds {
            self.close_open();
            let message = format!(
                "The client was given calls {rounds} times in this turn, so it was stopped. Say how to go on."
            );
            return self.stop(codes::ROUNDS_EXHAUSTED.name, &message);
        }
        self.proceed()
    }

    pub(super) fn side(&self, name: &str) -> CallSide {
        if self.client_tool(name).is_some() {
            CallSide::Client
        } else if self.tool(name).is_some() {
            CallSide::Server
        } else {
            CallSide::Nobody
        }
    }

    /// The messages of the present turn.
    pub(super) fn of_turn(&self) -> &[Message] {
        let start = self.turn().map_or(0, |turn| turn.start);
        self.session.messages.get(start..).unwrap_or_default()
    }

    /// Whether a tool is the server's own and changes something.
    pub(super) fn changes(&self, name: &str) -> bool {
        self.client_tool(name).is_none() && self.tool(name).is_some_and(|tool| !tool.read_only)
    }

    pub(super) fn reads(&self, name: &str) -> bool {
        let server = || self.tool(name).is_some_and(|tool| tool.read_only);
        self.client_tool(name).map_or_else(server, |tool| tool.read_only)
    }
}
