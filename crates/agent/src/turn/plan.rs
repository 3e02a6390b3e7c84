//! The calls of one answer and what becomes of each.
//!
//! Must never drop a call or change the order: each gets one result.

use engross_llm::{Answer, Error, FinishReason, Message, ToolCall};

use super::guard::RepeatGuard;
use crate::tools::{
    CallResult, Proposal, READ_DOCUMENT, ROUND_CALLS, ToolError, ToolUse, Understood, parse_call,
};

/// What the model reads before the result of a call that it repeats.
const REPEATED: &str = "You made this very call before.";

/// A round of calls.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    calls: Vec<Planned>,
}

#[derive(Debug, Clone)]
struct Planned {
    call: ToolCall,
    fate: Fate,
    repeated: bool,
}

#[derive(Debug, Clone)]
enum Fate {
    /// To be done.
    Use(ToolUse),
    /// To be turned into operations first.
    Instruction(String),
    /// Answered without doing anything.
    Answered(CallResult),
    /// Answered with the result of the same call before.
    Earlier,
    /// Not done, because the run stops here.
    Stopped,
}

impl Plan {
    /// Plans the calls of an answer.
    pub(super) fn of(answer: &Answer, guard: &mut RepeatGuard) -> Self {
        let is_cut = matches!(answer.finish, FinishReason::Length | FinishReason::ContentFilter);
        let mut stopped = false;
        let plan = |(index, call): (usize, &ToolCall)| {
            let count = guard.count(call);
            stopped |= count >= 3 && !is_cut;
            let fate = if stopped {
                Fate::Stopped
            } else if is_cut {
                Fate::Answered(cut_answer().into())
            } else if index >= ROUND_CALLS {
                Fate::Answered(too_many_calls().into())
            } else if count == 2 && call.name != READ_DOCUMENT {
                Fate::Earlier
            } else {
                match parse_call(call) {
                    Ok(Understood::Use(tool)) => Fate::Use(tool),
                    Ok(Understood::Instruction(instruction)) => Fate::Instruction(instruction),
                    Err(error) => Fate::Answered(error.into()),
                }
            };
            Planned { call: call.clone(), fate, repeated: count > 1 }
        };
        Self { calls: answer.tool_calls.iter().enumerate().map(plan).collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// What the person should know of the round.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        self.calls.iter().filter_map(|planned| match planned.fate {
            Fate::Answered(_) | Fate::Stopped if planned.repeated => None,
            _ if planned.repeated => {
                Some(format!("the model repeated its call of {} without a change", planned.call.name))
            }
            _ => None,
        })
    }

    /// The next instruction that has to become operations.
    pub(super) fn next_instruction(&self) -> Option<String> {
        self.calls.iter().find_map(|planned| match &planned.fate {
            Fate::Instruction(instruction) => Some(instruction.clone()),
            _ => None,
        })
    }

    /// Takes what the instruction of [`Plan::next_instruction`] became.
    pub(super) fn translated(&mut self, operations: Result<Vec<Proposal>, ToolError>) {
        let next = self.calls.iter_mut().find(|planned| matches!(planned.fate, Fate::Instruction(_)));
        if let Some(planned) = next {
            planned.fate = match operations {
                Ok(operations) => Fate::Use(ToolUse::Apply(operations)),
                Err(error) => Fate::Answered(error.into()),
            };
        }
    }

    /// What is to be done, in order.
    pub(super) fn uses(&self) -> Vec<ToolUse> {
        let uses = self.calls.iter().filter_map(|planned| match &planned.fate {
            Fate::Use(tool) => Some(tool.clone()),
            _ => None,
        });
        uses.collect()
    }

    /// The tool that was called too often, if the run has to stop.
    pub(super) fn repeated_tool(&self) -> Option<String> {
        let stopped = self.calls.iter().find(|planned| matches!(planned.fate, Fate::Stopped));
        stopped.map(|planned| planned.call.name.clone())
    }

    /// One message for each call. `results` are those of [`Plan::uses`].
    pub(super) fn into_messages(self, results: Vec<CallResult>, guard: &mut RepeatGuard) -> Vec<Message> {
        let mut results = results.into_iter();
        let mut messages = Vec::with_capacity(self.calls.len());
        for planned in self.calls {
            let mut result = match planned.fate {
                Fate::Use(_) | Fate::Instruction(_) => results.next().unwrap_or_else(|| no_result().into()),
                Fate::Answered(result) => result,
                Fate::Earlier => guard.earlier().cloned().unwrap_or_else(|| no_result().into()),
                Fate::Stopped => stopped().into(),
            };
            guard.keep(&result);
            if planned.repeated {
                result.content = format!("{REPEATED}\n{}", result.content);
            }
            messages.push(Message::Tool {
                tool_call_id: planned.call.id,
                name: planned.call.name,
                content: result.content,
                is_error: result.is_error,
            });
        }
        messages
    }
}

/// For an instruction when the model may not be called again.
pub(super) fn no_calls_left() -> ToolError {
    ToolError::new(
        "ROUNDS_EXHAUSTED",
        "no model call is left to read the instruction; give the operations yourself",
    )
}

/// For an instruction when the model failed to read it.
pub(super) fn translation_failed(error: &Error) -> ToolError {
    ToolError::new(error.code(), format!("the instruction was not turned into operations: {error}"))
}

fn cut_answer() -> ToolError {
    ToolError::new(
        "ANSWER_CUT",
        "your answer was cut, so nothing of it was done; send the calls again, in smaller steps",
    )
}

fn too_many_calls() -> ToolError {
    ToolError::new(
        "CALL_LIMIT",
        format!("only {ROUND_CALLS} calls are made at once; this one was not, send it again"),
    )
}

fn stopped() -> ToolError {
    ToolError::new("REPEATED_CALL", "this was not done: the run stops because the same call came three times")
}

fn no_result() -> ToolError {
    ToolError::new("INVALID_ARGUMENTS", "the call gave no result")
}
