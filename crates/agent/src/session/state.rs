//! The state of a session: a fold of its log.
//!
//! Must never be changed but by [`SessionState::apply`], so that a state read from the log is the state that was.

use std::collections::{BTreeMap, BTreeSet};

use engross_llm::{Message, Thought, ToolCall};
use engross_protocol::WriteSessionId;
use serde::{Deserialize, Serialize};

use super::calls::same_call;
use super::log::{AcceptedRequest, LogEvent, ModelCall, OpenedFile, Standing, TurnEnding, WriteReport};
use super::request::{ClientTool, Parameters};
use super::settings::Settings;
use super::turn_state::{FileInProgress, OpenCall, TurnPhase, TurnState};

/// How many files that were left are remembered.
const LEFT: usize = 16;

/// A session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionState {
    /// Its canonical key.
    pub key: String,
    /// The active branch of the conversation. Calls whose result is missing belong to [`SessionState::turn`].
    pub messages: Vec<Message>,
    /// Number of the last turn.
    pub turns: u64,
    /// What the client can carry out.
    pub tools: Vec<ClientTool>,
    /// The turn that is not over.
    pub turn: Option<TurnState>,
    /// What was set for it.
    pub settings: Settings,
    /// The workspace whose tools the model has.
    pub workspace: Option<String>,
    /// Files as the model last saw them: name and revision.
    pub seen: BTreeMap<String, String>,
    /// Files that the model has left incomplete, the last few, with their write sessions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left: BTreeMap<String, WriteSessionId>,
    /// Messages that a provider refused for good: they stay in the conversation, and no model is given them again.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub refused: BTreeSet<usize>,
    /// What the beginning of the conversation said, for the model that is not given it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<ConversationSummary>,
    /// The message that is what was heard of an answer which never became whole, while it is the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<usize>,
}

/// What the first messages of a conversation said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationSummary {
    /// How many messages it stands for.
    pub until: usize,
    /// The model's words.
    pub text: String,
}

impl SessionState {
    /// When it is due even if no request comes, in milliseconds since 1970: when calls of the client
    /// have waited for too long, or when nothing was stored of a background turn for `patience` milliseconds after `now`.
    #[must_use]
    pub fn wake_at(&self, now: u64, patience: u64) -> Option<u64> {
        let turn = self.turn.as_ref()?;
        match turn.phase {
            TurnPhase::Suspended { deadline } => u64::try_from(deadline).ok(),
            TurnPhase::Asking | TurnPhase::Calling => turn.background.then(|| now.saturating_add(patience)),
        }
    }

    /// Takes an entry of the log.
    pub fn apply(&mut self, event: &LogEvent) {
        match event {
            LogEvent::Opened { key } => self.key.clone_from(key),
            LogEvent::Accepted(accepted) => self.accept(accepted),
            LogEvent::Answered { text, calls, thoughts, .. } => self.answered(text, calls, thoughts),
            LogEvent::Began { id } => {
                if let Some(call) = self.open_call(id) {
                    call.began = true;
                }
            }
            LogEvent::Resulted { id, content, is_error, attachments, seen, opens, waits, .. } => {
                self.seen.extend(seen.iter().map(|seen| (seen.file.clone(), seen.revision.clone())));
                if let Some(call) = self.open_call(id) {
                    call.result = Some((content.clone(), *is_error));
                    call.attachments.clone_from(attachments);
                    let waiting = waits.then(|| call.call.clone());
                    self.turn.iter_mut().for_each(|turn| turn.waiting.extend(waiting.clone()));
                }
                self.close_calls();
                if let Some(opens) = opens {
                    self.open(opens, id);
                }
            }
            LogEvent::Wrote(wrote) => self.wrote(wrote),
            LogEvent::Steered { content } | LogEvent::Reminded { content } => {
                self.messages.push(Message::user(content.clone()));
            }
            LogEvent::Summarised { until, text, .. } => {
                self.summary = Some(ConversationSummary { until: *until, text: text.clone() });
            }
            LogEvent::Configured(settings) => self.settings.clone_from(settings),
            LogEvent::Suspended { deadline } => {
                if let Some(turn) = &mut self.turn {
                    turn.phase = TurnPhase::Suspended { deadline: *deadline };
                    turn.client_rounds += 1;
                }
            }
            LogEvent::Ended(ending) => {
                // A call without a result would wedge the conversation; nobody may end a turn with one.
                debug_assert!(self.turn.as_ref().is_none_or(|turn| turn.calls.is_empty()));
                self.leave();
                self.keep_partial(ending);
                self.forget_thoughts();
                self.turn = None;
            }
            LogEvent::Streamed { text, from } => {
                if let Some(turn) = &mut self.turn {
                    turn.partial.truncate(*from);
                    turn.partial.push_str(text);
                }
            }
            LogEvent::Noted { .. } => {}
        }
    }

    fn accept(&mut self, accepted: &AcceptedRequest) {
        self.cut = None;
        if let Some(tools) = &accepted.tools {
            self.tools.clone_from(tools);
        }
        if let Some(workspace) = &accepted.workspace {
            if self.workspace.as_ref() != Some(workspace) {
                self.seen.clear();
            }
            self.workspace = Some(workspace.clone());
        }
        if let Some(keep) = accepted.keep {
            self.messages.truncate(keep);
            self.refused.retain(|at| *at < keep);
            self.summary.take_if(|summary| summary.until > keep);
        }
        if self.turn.as_ref().is_some_and(|turn| turn.number != accepted.turn) {
            self.leave();
            self.forget_thoughts();
        }
        self.messages.extend(accepted.messages.iter().cloned());
        let continued = self.turn.take_if(|turn| turn.number == accepted.turn);
        let fresh = continued.is_none();
        let start = self.messages.len().saturating_sub(1);
        let mut turn = continued.unwrap_or(TurnState {
            number: accepted.turn,
            phase: TurnPhase::Asking,
            calls: Vec::new(),
            asked: 0,
            client_rounds: 0,
            start,
            sent_from: accepted.sent_from,
            system: None,
            parameters: Parameters::default(),
            background: false,
            writing: None,
            waiting: Vec::new(),
            partial: String::new(),
        });
        turn.partial.clear();
        turn.sent_from = turn.sent_from.min(accepted.sent_from);
        if fresh || accepted.system.is_some() {
            turn.system.clone_from(&accepted.system);
        }
        turn.parameters = accepted.parameters.clone();
        turn.background = accepted.background;
        turn.asked = 0;
        turn.phase = if turn.calls.is_empty() { TurnPhase::Asking } else { TurnPhase::Calling };
        self.turns = self.turns.max(accepted.turn);
        self.turn = Some(turn);
    }

    fn answered(&mut self, text: &str, calls: &[ModelCall], thoughts: &[Thought]) {
        let tool_calls = calls.iter().map(|call| call.call.clone()).collect();
        self.messages.push(Message::Assistant {
            content: text.to_owned(),
            tool_calls,
            thoughts: thoughts.to_vec(),
        });
        if let Some(turn) = &mut self.turn {
            turn.asked += 1;
            turn.partial.clear();
            // What is made again waits no more.
            turn.waiting.retain(|waiting| !calls.iter().any(|call| same_call(waiting, &call.call)));
            turn.calls = calls
                .iter()
                .map(|call| OpenCall {
                    call: call.call.clone(),
                    side: call.side,
                    began: false,
                    result: None,
                    attachments: Vec::new(),
                })
                .collect();
            if !turn.calls.is_empty() {
                turn.phase = TurnPhase::Calling;
            }
        }
    }

    /// What a person has heard stays in the conversation; what a provider has refused stays there for people alone.
    fn keep_partial(&mut self, ending: &TurnEnding) {
        let Some(turn) = &mut self.turn else { return };
        if ending.keeps_part && !turn.partial.is_empty() {
            let content = std::mem::take(&mut turn.partial);
            self.cut = Some(self.messages.len());
            self.messages.push(Message::Assistant { content, tool_calls: Vec::new(), thoughts: Vec::new() });
        }
        if ending.is_refused {
            self.refused.extend(turn.start..self.messages.len());
        }
    }

    /// What was thought is of use to the model for as long as its turn goes on, and providers want no more of it then.
    fn forget_thoughts(&mut self) {
        for message in &mut self.messages {
            if let Message::Assistant { thoughts, .. } = message {
                *thoughts = Vec::new();
            }
        }
    }

    fn open_call(&mut self, id: &str) -> Option<&mut OpenCall> {
        let calls = &mut self.turn.as_mut()?.calls;
        calls.iter_mut().find(|call| call.call.id == id && call.result.is_none())
    }

    /// Once every call has its result, the results are messages, in the order of the calls.
    fn close_calls(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        if turn.calls.iter().any(|call| call.result.is_none()) {
            return;
        }
        for call in turn.calls.drain(..) {
            let (content, is_error) = call.result.unwrap_or_default();
            let ToolCall { id, name, .. } = call.call;
            let attachments = call.attachments;
            self.messages.push(Message::Tool { tool_call_id: id, name, content, is_error, attachments });
        }
        turn.phase = TurnPhase::Asking;
    }

    fn open(&mut self, opens: &OpenedFile, call: &str) {
        self.left.remove(&opens.file);
        let Some(turn) = &mut self.turn else { return };
        let mut writing = FileInProgress::new(opens.clone(), call.to_owned());
        let before = turn.writing.take();
        if let Some(before) = &before
            && before.id == opens.id
        {
            (writing.rounds, writing.bytes, writing.lines) = (before.rounds, before.bytes, before.lines);
        }
        turn.writing = Some(writing);
        if let Some(before) = before {
            self.tell_result(&before.call, "It had errors; how it went on stands below.", true);
        }
    }

    fn wrote(&mut self, wrote: &WriteReport) {
        let Some(turn) = &mut self.turn else { return };
        let Some(writing) = turn.writing.as_mut().filter(|writing| writing.id == wrote.id) else { return };
        if wrote.standing == Standing::GoesOn {
            // Only rounds in a row that add nothing are counted.
            writing.rounds = if wrote.bytes > writing.bytes { 0 } else { writing.rounds + 1 };
            (writing.bytes, writing.lines) = (wrote.bytes, wrote.lines);
            let stub = format!(
                "[{} bytes went into {}; it has {} bytes and {} lines so far, which are kept in {}]",
                wrote.part, writing.file, wrote.bytes, wrote.lines, wrote.id
            );
            writing.asked = Some((stub, wrote.say.clone()));
            return;
        }
        if wrote.standing == Standing::Written {
            // A file that is written is progress: the next one has as many rounds.
            turn.asked = turn.asked.min(1);
        }
        let Some(FileInProgress { id, file, call, .. }) = turn.writing.take() else { return };
        self.tell_result(&call, &wrote.say, wrote.standing != Standing::Written);
        if wrote.standing == Standing::Left {
            self.note_left(file, id);
        }
    }

    /// The turn is over and the file it was writing is not.
    fn leave(&mut self) {
        let waiting = self.turn.as_mut().map(|turn| std::mem::take(&mut turn.waiting)).unwrap_or_default();
        for call in waiting {
            self.tell_result(&call.id, "It was not begun, since the turn was over before: call again.", true);
        }
        let Some(FileInProgress { id, file, call, bytes, .. }) =
            self.turn.as_mut().and_then(|turn| turn.writing.take())
        else {
            return;
        };
        let say = format!(
            "{file} is not complete and nothing was written under its name. {bytes} bytes or more are kept for some minutes: \
             go on with session_id {id}, or begin anew."
        );
        self.tell_result(&call, &say, true);
        self.note_left(file, id);
    }

    fn note_left(&mut self, file: String, id: WriteSessionId) {
        if self.left.len() >= LEFT {
            self.left.pop_first();
        }
        self.left.insert(file, id);
    }

    /// The call that opened a file gets the file's result in place of its own: the conversation holds one call and how it
    /// ended, not the way there.
    fn tell_result(&mut self, call: &str, say: &str, failed: bool) {
        let result = self.messages.iter_mut().rev().find_map(|message| match message {
            Message::Tool { tool_call_id, content, is_error, .. } if tool_call_id == call => {
                Some((content, is_error))
            }
            _ => None,
        });
        if let Some((content, is_error)) = result {
            say.clone_into(content);
            *is_error = failed;
        }
    }
}
