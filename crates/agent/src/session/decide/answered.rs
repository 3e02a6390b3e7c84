//! What follows from an answer of the model: which calls are carried out, and by whom.
//!
//! Must never leave a call without a side that gives its result.

use engross_llm::{Answer, FinishReason, Message, ToolCall};

use super::{Action, Decider};
use crate::codes;
use crate::session::event::AnswerFinish;
use crate::session::log::{CallSide, LogEvent, ModelCall, ResultSource, TurnEndingKind};
use crate::session::request::ClientToolChoice;
use crate::session::rounds;
use crate::tools::{APPLY_REDLINES, complete_operations};
use crate::writing::BEGIN;

/// So many results of the same call, one after the other and all the same, and it is not made again: it gets nowhere.
const SAME_RESULTS: u32 = 8;

/// What the model is told whose content had no file.
const NO_FILE: &str = "No file was open, so your last answer went into none: the call before it was refused. Mend the call and make it \
     again; then write the content once more.";

/// Whether arguments can be carried out. None at all are an empty object.
fn is_object(arguments: &str) -> bool {
    arguments.trim().is_empty()
        || serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments).is_ok()
}

impl Decider<'_> {
    pub(super) fn answered(&mut self, answer: Answer, model: String) -> Action {
        let cut = match answer.finish {
            FinishReason::Length => Some(AnswerFinish::Length),
            FinishReason::ContentFilter | FinishReason::Recitation => Some(AnswerFinish::ContentFilter),
            // A reason that is not known: with calls it is that of calls, else the answer may not be whole.
            FinishReason::Other if answer.tool_calls.is_empty() => Some(AnswerFinish::Length),
            FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => None,
        };
        let repeats = rounds::repeats(self.of_turn(), &answer.tool_calls);
        let mut earlier: Vec<(String, String, bool)> = Vec::new();
        let mut refused: Vec<(String, String)> = Vec::new();
        let mut stopped = None;
        let mut calls = Vec::with_capacity(answer.tool_calls.len());
        // Nobody asked for a short answer: the model may go on at once.
        let bounded = self.turn().is_some_and(|turn| turn.parameters.max_output_tokens.is_some());
        let is_writing = self.turn().is_some_and(|turn| turn.writing.is_some());
        let goes_on = cut == Some(AnswerFinish::Length) && (!bounded || is_writing);
        for (mut call, repetition) in answer.tool_calls.into_iter().zip(repeats) {
            let side = self.side(&call.name);
            let reads = self.reads(&call.name);
            // A client's tool may do more each time that it is called: the next page, one step back. Only results tell.
            let runs_again = side == CallSide::Client && !self.is_idempotent(&call.name);
            let count = if runs_again { 1 } else { repetition.calls };
            let is_stuck = runs_again && repetition.same_results >= SAME_RESULTS;
            let may_come_again = rounds::may_come_again(&self.session.messages, &call);
            let side = if self.content_results.iter().any(|(id, _)| *id == call.id) {
                CallSide::Server
            } else if let Some(kept) = goes_on.then(|| self.kept(&call)).flatten() {
                call.arguments = kept;
                CallSide::Server
            } else if cut.is_some() {
                refused.push((call.id.clone(), self.told_cut(&call)));
                CallSide::Nobody
            } else if side == CallSide::Client && !is_object(&call.arguments) {
                let message = format!("the arguments of a call of {} were no JSON object", call.name);
                self.push(LogEvent::Noted { code: codes::ARGUMENTS_MALFORMED.name.to_owned(), message });
                refused.push((
                    call.id.clone(),
                    "This was not done: its arguments are no JSON object. Send the call again with valid JSON.".to_owned(),
                ));
                CallSide::Nobody
            } else if stopped.is_some() || is_stuck || (count >= 3 && !(may_come_again && count < 6)) {
                stopped.get_or_insert_with(|| call.name.clone());
                refused.push((
                    call.id.clone(),
                    "This was not done: the same call came again and again, with the same result.".to_owned(),
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
        let lost_file = !has_calls && cut.is_none() && self.is_of_no_file(&answer.text);
        let lacks_call = !has_calls && cut.is_none() && self.must_call();
        // Only what goes on needs it.
        let thoughts = if has_calls { answer.thoughts } else { Vec::new() };
        self.push(LogEvent::Answered { text: answer.text, calls, thoughts, usage: answer.usage, cut, model });
        for (id, result) in std::mem::take(&mut self.content_results) {
            self.push(LogEvent::resulted(id, result, ResultSource::Server));
        }
        for (id, message) in refused {
            self.result(&id, message, true);
        }
        for (id, content, is_error) in earlier {
            self.result(&id, content, is_error);
        }
        if goes_on && has_calls {
            return self.proceed();
        }
        if let Some(finish) = cut {
            return self.end(TurnEndingKind::Whole(finish), "", "", None);
        }
        if let Some(name) = stopped {
            self.close_open();
            let message = format!(
                "The model called {name} again and again with the same arguments and results, so it was stopped. Say how to go on."
            );
            return self.stop(codes::REPEATED_CALL.name, &message);
        }
        if lacks_call {
            let message =
                "the request requires a call of a tool, and the model made none; ask again, or let it choose";
            return self.end(TurnEndingKind::Failed, codes::TOOL_CALL_MISSING.name, message, None);
        }
        if lost_file {
            self.push(LogEvent::Reminded { content: NO_FILE.to_owned() });
            return self.proceed();
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

    /// The arguments of a call of operations that was cut, with those that are complete.
    fn kept(&self, call: &ToolCall) -> Option<String> {
        let is_ours = call.name == APPLY_REDLINES && self.side(&call.name) == CallSide::Server;
        if is_ours && !is_object(&call.arguments) { complete_operations(&call.arguments) } else { None }
    }

    fn told_cut(&self, call: &ToolCall) -> String {
        let mut told =
            "Your answer was cut, so nothing of it was done; send the call again, smaller.".to_owned();
        if call.name == APPLY_REDLINES && self.tool(BEGIN).is_some() {
            told.push_str(&format!(
                " A text of more than 4 KiB goes as a file: write it with {BEGIN}, and name its session_id in contentFrom."
            ));
        }
        told
    }

    /// Whether an answer is the content of a file that could not be begun: it ends as files do. Said once in a turn.
    fn is_of_no_file(&self, text: &str) -> bool {
        let last = text.trim_end().lines().next_back().unwrap_or_default().trim();
        let ends = last == "DONE" || (last.starts_with("END-") && !last.contains(' '));
        let told = |message: &Message| matches!(message, Message::User { content, .. } if content == NO_FILE);
        let refused = self.of_turn().iter().rev().find_map(|message| match message {
            Message::Tool { name, is_error, .. } => Some(name == BEGIN && *is_error),
            _ => None,
        });
        ends && refused == Some(true) && !self.of_turn().iter().any(told)
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

    /// Whether the answer that has just come had to call a tool.
    fn must_call(&self) -> bool {
        self.turn().is_some_and(|turn| {
            let choice = &turn.parameters.tool_choice;
            turn.asked == 0 && matches!(choice, ClientToolChoice::Required | ClientToolChoice::Named(_))
        })
    }

    fn is_idempotent(&self, name: &str) -> bool {
        self.client_tool(name).is_some_and(|tool| tool.idempotent)
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
