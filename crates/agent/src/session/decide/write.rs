//! What follows from an answer that is content of a file.
//!
//! Must never put content into the conversation: a stub stands for it, until the result of the call says what came of it.

use engross_llm::{Message, ToolCall};

use super::{Action, Decider};
use crate::session::log::{CallSide, LogEvent, ModelCall, Standing, WriteReport};
use crate::session::turn_state::FileInProgress;
use crate::writing::BEGIN;

/// The conversation goes on with what came of the file so far, and what the model is asked.
pub(super) fn ask_for_more(messages: &mut Vec<Message>, writing: Option<&FileInProgress>) {
    if let Some((stub, ask)) = writing.and_then(|writing| writing.asked.clone()) {
        messages.push(Message::Assistant { content: stub, tool_calls: Vec::new(), thoughts: Vec::new() });
        messages.push(Message::User { content: ask, attachments: Vec::new() });
    }
}

impl Decider<'_> {
    pub(super) fn wrote(&mut self, wrote: WriteReport, calls: Vec<ToolCall>) -> Action {
        let (standing, code) = (wrote.standing, wrote.code.clone());
        let about = self.turn().and_then(|turn| turn.writing.clone());
        let (bytes, model) = (wrote.bytes, wrote.model.clone());
        self.push(LogEvent::Wrote(wrote));
        if !calls.is_empty() && standing != Standing::Left {
            return self.called_behind(calls, model);
        }
        let Some(FileInProgress { id, file, .. }) = about.filter(|_| standing == Standing::Left) else {
            return self.proceed();
        };
        let code = if code.is_empty() { engross_write::codes::INCOMPLETE.name } else { &code };
        self.stop(code, &report(&file, bytes, &id.to_string()))
    }

    /// The next file that has waited is begun: its call is made again, and the model is asked for the content.
    pub(super) fn begin_waiting(&mut self) -> Action {
        let Some(call) = self.turn().and_then(|turn| turn.waiting.first()).cloned() else {
            return self.ask();
        };
        let call = ToolCall { id: format!("{}_again", call.id), ..call };
        let calls = vec![ModelCall { call, side: CallSide::Server }];
        let (text, model) = (String::new(), String::new());
        self.push(LogEvent::Answered { text, calls, usage: None, cut: None, model, thoughts: Vec::new() });
        self.proceed()
    }

    /// Calls behind content: while the file is not complete only a patch of it is looked at.
    fn called_behind(&mut self, tool_calls: Vec<ToolCall>, model: String) -> Action {
        let open = self.turn().and_then(|turn| turn.writing.as_ref()).map(|writing| writing.file.clone());
        let mut refused = Vec::new();
        let mut calls = Vec::with_capacity(tool_calls.len());
        for call in tool_calls {
            let side = match &open {
                Some(_) if call.name == BEGIN => CallSide::Server,
                Some(file) => {
                    refused.push((
                        call.id.clone(),
                        format!("This was not done: {file} is not complete. Finish its content first."),
                    ));
                    CallSide::Nobody
                }
                None => self.side(&call.name),
            };
            if open.is_none() && side == CallSide::Nobody {
                refused.push((call.id.clone(), format!("There is no tool '{}'.", call.name)));
            }
            calls.push(ModelCall { call, side });
        }
        let text = String::new();
        self.push(LogEvent::Answered { text, calls, usage: None, cut: None, model, thoughts: Vec::new() });
        for (id, message) in refused {
            self.result(&id, message, true);
        }
        self.proceed()
    }

    /// The model was asked often enough.
    pub(super) fn write_limit(&mut self) -> Action {
        let Some(writing) = self.turn().and_then(|turn| turn.writing.clone()) else { return Action::Rest };
        self.stop(
            engross_write::codes::CONTINUATION_LIMIT.name,
            &report(&writing.file, writing.bytes, &writing.id.to_string()),
        )
    }
}

fn report(file: &str, bytes: u64, id: &str) -> String {
    format!(
        "{file} is not complete, and nothing was written under its name. {bytes} bytes of it are kept for some minutes in {id}. \
         Say whether to go on with it or to begin anew."
    )
}
