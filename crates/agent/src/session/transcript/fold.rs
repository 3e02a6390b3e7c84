//! Turns the entries of a log into transcript lines, one by one.
//!
//! Lines form a tree as the format wants it: each names its parent, and what was said on another branch stays where it
//! is. The active branch is the way from the last line to the first. Must never end a branch between a call and its
//! result.

use engross_llm::{Message, MessageAttachment, ToolCall, Usage};
use engross_protocol::SessionId;
use serde_json::{Value, json};

use super::super::calls::NO_RESULT;
use super::super::event::AnswerFinish;
use super::super::log::{AcceptedRequest, CallSide, LogEvent, ModelCall, TurnEnding, TurnEndingKind};
use super::line::{self, LineId, ModelMessage, Speaker};
use super::mark::{Line, Mark};

/// What stands in a line for text of an answer that was begun anew.
const BEGUN_ANEW: &str = "the server stopped before this answer was whole, and it was begun anew";

/// A session's transcript in the making: what has to be known of the lines so far to write the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcriber {
    session: SessionId,
    /// Lines so far, but for the header.
    count: u32,
    begun: bool,
    /// The first line behind the header: a branch that keeps no message begins behind it.
    root: Option<LineId>,
    /// The line that the next one follows.
    leaf: Option<LineId>,
    /// For each message of the active branch the line that a branch which keeps it begins behind.
    path: Vec<LineId>,
    /// Calls of the last answer that have no result yet.
    open: Vec<Open>,
    /// How many results the last answer has already.
    resulted: usize,
    /// Where in the path the last answer with calls stands.
    calling: usize,
    /// Text of an answer that is not whole.
    partial: String,
    /// Who answered last on the active branch.
    model: String,
    turn: u64,
}

#[derive(Debug, Clone, PartialEq)]
struct Open {
    id: String,
    name: String,
    side: CallSide,
}

impl Transcriber {
    /// For a session without a transcript.
    #[must_use]
    pub fn new(session: SessionId) -> Self {
        Self {
            session,
            count: 0,
            begun: false,
            root: None,
            leaf: None,
            path: Vec::new(),
            open: Vec::new(),
            resulted: 0,
            calling: 0,
            partial: String::new(),
            model: String::new(),
            turn: 0,
        }
    }

    /// Takes the next entry, number `seq`, of `at` in milliseconds since 1970; gives its lines, possibly none.
    pub fn fold(&mut self, seq: u64, at: u64, event: &LogEvent) -> Vec<Line> {
        let mut lines = EntryLines { to: self, seq, at, lines: Vec::new() };
        lines.begin(event);
        lines.transcribe(event);
        lines.lines
    }
}

/// The lines of one entry.
struct EntryLines<'a> {
    to: &'a mut Transcriber,
    seq: u64,
    at: u64,
    lines: Vec<Line>,
}

impl EntryLines<'_> {
    fn begin(&mut self, event: &LogEvent) {
        if std::mem::replace(&mut self.to.begun, true) {
            return;
        }
        let header = line::header(self.to.session, self.at);
        self.push(header);
        let key = if let LogEvent::Opened { key } = event { key.as_str() } else { "" };
        self.custom("engross:session", json!({"session": self.to.session.to_string(), "key": key}));
        self.to.root = self.to.leaf;
    }

    fn transcribe(&mut self, event: &LogEvent) {
        match event {
            LogEvent::Opened { .. } | LogEvent::Began { .. } => {}
            LogEvent::Accepted(accepted) => self.accepted(accepted),
            LogEvent::Answered { text, calls, usage, cut, model, .. } => {
                self.answered(text, calls, *usage, *cut, model);
            }
            LogEvent::Streamed { text, from } => {
                if *from == 0 {
                    self.abandon();
                }
                self.to.partial.push_str(text);
            }
            LogEvent::Resulted { id, content, is_error, details, attachments, .. } => {
                self.resulted(id, (content, attachments), *is_error, details.as_ref());
            }
            LogEvent::Wrote(wrote) => {
                self.custom("engross:wrote", serde_json::to_value(wrote).unwrap_or_default());
            }
            LogEvent::Steered { content } | LogEvent::Reminded { content } => {
                self.message(line::user(content, &[], self.at));
            }
            LogEvent::Summarised { until, text, .. } => {
                self.custom("engross:summary", json!({"messages": until, "text": text}));
            }
            LogEvent::Configured(settings) => {
                self.custom("engross:settings", serde_json::to_value(settings).unwrap_or_default());
            }
            LogEvent::Suspended { deadline } => {
                let of_client = self.to.open.iter().filter(|open| open.side == CallSide::Client);
                let calls: Vec<Value> =
                    of_client.map(|open| json!({"id": open.id, "name": open.name})).collect();
                self.custom("engross:issued", json!({"calls": calls, "deadline": deadline}));
            }
            LogEvent::Ended(ending) => self.ended(ending),
            LogEvent::Noted { code, message } => {
                self.custom("engross:note", json!({"code": code, "message": message}));
            }
        }
    }

    fn accepted(&mut self, accepted: &AcceptedRequest) {
        self.abandon();
        if accepted.turn != self.to.turn || !accepted.messages.is_empty() {
            self.close();
        }
        self.to.turn = accepted.turn;
        if let Some(keep) = accepted.keep {
            self.to.path.truncate(keep);
            self.to.leaf = self.to.path.last().copied().or(self.to.root);
            // A reader of this branch must find its model on it.
            self.to.model.clear();
        }
        for message in &accepted.messages {
            match message {
                Message::User { content, attachments } => {
                    self.message(line::user(content, attachments, self.at));
                }
                Message::Assistant { content, tool_calls, .. } => {
                    self.close();
                    let calls: Vec<&ToolCall> = tool_calls.iter().collect();
                    self.spoke(&ModelMessage {
                        by: Speaker::Adopted,
                        text: content,
                        stop: if calls.is_empty() { "stop" } else { "toolUse" },
                        calls,
                        usage: None,
                        error: None,
                    });
                    self.to.open.extend(tool_calls.iter().map(|call| opened(call, CallSide::Nobody)));
                }
                Message::Tool { tool_call_id, content, is_error, attachments, .. } => {
                    self.resulted(tool_call_id, (content, attachments), *is_error, None);
                }
            }
        }
    }

    fn answered(
        &mut self,
        text: &str,
        calls: &[ModelCall],
        usage: Option<Usage>,
        cut: Option<AnswerFinish>,
        model: &str,
    ) {
        self.close();
        if text.starts_with(&self.to.partial) {
            self.to.partial.clear();
        }
        self.abandon();
        let by = Speaker::of(model);
        if by != Speaker::Session && self.to.model != model {
            let (provider, name) = by.names();
            self.follow(
                "model_change",
                [("provider", Value::from(provider)), ("modelId", Value::from(name))],
            );
            model.clone_into(&mut self.to.model);
        }
        let usual = if calls.is_empty() { "stop" } else { "toolUse" };
        let (stop, error) = match cut {
            Some(AnswerFinish::Length) => ("length", None),
            Some(AnswerFinish::ContentFilter) => {
                let stop = if calls.is_empty() { "error" } else { usual };
                (stop, Some("the provider's filter cut this answer".to_owned()))
            }
            Some(AnswerFinish::Stop | AnswerFinish::ToolCalls) | None => (usual, None),
        };
        let spoken = calls.iter().map(|call| &call.call).collect();
        self.spoke(&ModelMessage { by, text, calls: spoken, usage, stop, error });
        self.to.open.extend(calls.iter().map(|call| opened(&call.call, call.side)));
    }

    /// Writes the result of an open call; any other was refused before it came to the log.
    fn resulted(
        &mut self,
        id: &str,
        content: (&str, &[MessageAttachment]),
        is_error: bool,
        details: Option<&Value>,
    ) {
        let Some(at) = self.to.open.iter().position(|open| open.id == id) else { return };
        let open = self.to.open.remove(at);
        let result = line::result((&open.id, &open.name), content, is_error, details, self.at);
        self.follow("message", [("message", result)]);
        self.to.resulted += 1;
        if self.to.open.is_empty()
            && let Some(leaf) = self.to.leaf
        {
            // Results have places in the conversation once all are there.
            self.to.path.extend(std::iter::repeat_n(leaf, self.to.resulted));
            self.to.path.iter_mut().skip(self.to.calling).for_each(|kept| *kept = leaf);
        }
    }

    fn ended(&mut self, TurnEnding { kind, code, message, keeps_part, .. }: &TurnEnding) {
        self.close();
        let stays = *keeps_part && !self.to.partial.is_empty();
        let (end, stop) = match kind {
            TurnEndingKind::Whole(_) => ("whole", None),
            TurnEndingKind::Stopped => ("stopped", None),
            TurnEndingKind::Failed => ("failed", Some("error")),
            TurnEndingKind::Cancelled => {
                ("cancelled", Some("aborted").filter(|_| !self.to.partial.is_empty()))
            }
        };
        match stop {
            Some(stop) => {
                self.part(stop, format!("{code}: {message}"));
                if stays {
                    self.to.path.extend(self.to.leaf);
                }
            }
            None => self.abandon(),
        }
        let mut data = json!({"turn": self.to.turn, "end": end});
        if let Some(fields) = data.as_object_mut().filter(|_| !code.is_empty()) {
            fields.insert("code".to_owned(), Value::String(code.clone()));
            fields.insert("message".to_owned(), Value::String(message.clone()));
        }
        self.custom("engross:turn", data);
    }

    /// Text of an answer that was begun anew becomes a branch of its own, which nothing follows.
    fn abandon(&mut self) {
        if !self.to.partial.is_empty() {
            let leaf = self.to.leaf;
            self.part("aborted", BEGUN_ANEW.to_owned());
            self.to.leaf = leaf;
        }
    }

    /// What came of an answer that never became whole.
    fn part(&mut self, stop: &'static str, error: String) {
        let text = std::mem::take(&mut self.to.partial);
        let model = self.to.model.clone();
        let spoken = ModelMessage {
            by: Speaker::of(&model),
            text: &text,
            calls: Vec::new(),
            usage: None,
            stop,
            error: Some(error),
        };
        let message = spoken.json(self.at);
        self.follow("message", [("message", message)]);
    }

    /// No line of the conversation may follow a call without its result.
    fn close(&mut self) {
        let open: Vec<String> = self.to.open.iter().map(|open| open.id.clone()).collect();
        for id in open {
            self.resulted(&id, (NO_RESULT, &[]), true, None);
        }
    }

    fn spoke(&mut self, spoken: &ModelMessage<'_>) {
        self.to.calling = self.to.path.len();
        self.to.resulted = 0;
        self.message(spoken.json(self.at));
    }

    /// A message of the conversation, at the end of the active branch.
    fn message(&mut self, message: Value) {
        self.follow("message", [("message", message)]);
        self.to.path.extend(self.to.leaf);
    }

    fn custom(&mut self, kind: &str, data: Value) {
        self.follow("custom", [("customType", Value::from(kind)), ("data", data)]);
    }

    /// A line behind the last one of the active branch.
    fn follow<const N: usize>(&mut self, kind: &str, fields: [(&str, Value); N]) {
        let id = LineId::new(self.to.session, self.to.count);
        self.to.count = self.to.count.wrapping_add(1);
        let place = [
            ("type", Value::from(kind)),
            ("id", id.json()),
            ("parentId", self.to.leaf.map_or(Value::Null, LineId::json)),
            ("timestamp", Value::from(line::moment(self.at))),
        ];
        self.to.leaf = Some(id);
        let fields = place.into_iter().chain(fields).map(|(name, value)| (name.to_owned(), value));
        self.push(Value::Object(fields.collect()));
    }

    fn push(&mut self, value: Value) {
        let index = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        self.lines.push(Mark { seq: self.seq, index }.line(value));
    }
}

fn opened(call: &ToolCall, side: CallSide) -> Open {
    Open { id: call.id.clone(), name: call.name.clone(), side }
}
