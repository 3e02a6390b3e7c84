//! From the log to what listeners hear: the same live and read again later.
//!
//! Must never tell of an end that is not in the log.

use engross_llm::{Message, ToolCall, Usage};

use super::event::{AnswerFinish, PositionedEvent, ToolStep, TurnEvent};
use super::log::{CallSide, LogEvent, TurnEndingKind};
use super::state::SessionState;

/// Parts the texts of several answers of the model within one answer to the client.
const BETWEEN: &str = "\n\n";

/// Renders one answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Renderer {
    position: u64,
    /// Bytes of the model's present answer that were published as they came.
    streamed: usize,
    /// Whether an earlier answer of the model had text.
    spoke: bool,
    usage: Option<Usage>,
    over: bool,
}

impl Renderer {
    /// More text of the model's present answer, as it comes.
    pub(crate) fn delta(&mut self, text: &str) -> Option<PositionedEvent> {
        if text.is_empty() {
            return None;
        }
        let mut rendered = String::with_capacity(text.len() + BETWEEN.len());
        if self.streamed == 0 && self.spoke {
            rendered.push_str(BETWEEN);
        }
        rendered.push_str(text);
        self.streamed += text.len();
        Some(self.place(rendered.len() as u64, TurnEvent::Text(rendered)))
    }

    /// What the server is doing for a call; it has no place of its own.
    pub(crate) fn status(&self, message: String, call: &ToolCall, step: ToolStep) -> PositionedEvent {
        let (id, tool) = (call.id.clone(), call.name.clone());
        PositionedEvent { position: self.position, event: TurnEvent::Status { message, id, tool, step } }
    }

    /// Content of a file, for those who ask for it; it has no place of its own either.
    pub(crate) fn content(&self, text: String, id: &str) -> PositionedEvent {
        PositionedEvent { position: self.position, event: TurnEvent::Content { text, id: id.to_owned() } }
    }

    /// What has no place of its own.
    pub(crate) fn aside(&self, event: TurnEvent) -> PositionedEvent {
        PositionedEvent { position: self.position, event }
    }

    /// Whether the answer is over.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// The events of an entry of the log, which `session` has taken in already.
    pub(crate) fn entry(&mut self, event: &LogEvent, session: &SessionState) -> Vec<PositionedEvent> {
        match event {
            LogEvent::Answered { text, usage, .. } => {
                let rest = text.get(self.streamed..).unwrap_or_default().to_owned();
                let rendered: Vec<PositionedEvent> = self.delta(&rest).into_iter().collect();
                self.spoke |= self.streamed > 0;
                self.streamed = 0;
                self.cost(*usage);
                rendered
            }
            LogEvent::Wrote(wrote) => {
                self.cost(wrote.usage);
                Vec::new()
            }
            LogEvent::Summarised { usage, .. } => {
                self.cost(*usage);
                Vec::new()
            }
            LogEvent::Streamed { text, from } => {
                let rest = self.streamed.checked_sub(*from).and_then(|heard| text.get(heard..));
                self.delta(rest.unwrap_or_default()).into_iter().collect()
            }
            LogEvent::Suspended { .. } => {
                let open = session.turn.iter().flat_map(|turn| turn.open(CallSide::Client));
                let mut rendered: Vec<PositionedEvent> = Vec::new();
                let answered = session.messages.last();
                if let Some(Message::Assistant { thoughts, .. }) = answered
                    && !thoughts.is_empty()
                {
                    rendered.push(self.place(1, TurnEvent::Thoughts(thoughts.clone())));
                }
                for (index, open) in open.enumerate() {
                    let call = TurnEvent::Call {
                        index,
                        id: open.call.id.clone(),
                        name: open.call.name.clone(),
                        arguments: open.call.arguments.clone(),
                    };
                    rendered.push(self.place(1, call));
                }
                rendered.push(self.done(AnswerFinish::ToolCalls));
                rendered
            }
            LogEvent::Ended(ending) => vec![match ending.kind {
                TurnEndingKind::Whole(finish) => self.done(finish),
                TurnEndingKind::Stopped => self.done(AnswerFinish::Stop),
                TurnEndingKind::Failed | TurnEndingKind::Cancelled => {
                    self.failed(ending.code.clone(), ending.message.clone(), ending.retry_after)
                }
            }],
            LogEvent::Noted { code, message } => {
                let event = TurnEvent::Warning { code: code.clone(), message: message.clone() };
                vec![PositionedEvent { position: self.position, event }]
            }
            LogEvent::Opened { .. }
            | LogEvent::Accepted(_)
            | LogEvent::Configured(_)
            | LogEvent::Steered { .. }
            | LogEvent::Reminded { .. }
            | LogEvent::Began { .. }
            | LogEvent::Resulted { .. } => Vec::new(),
        }
    }

    fn cost(&mut self, usage: Option<Usage>) {
        if let Some(usage) = usage {
            let sum = self.usage.get_or_insert_with(Usage::default);
            sum.input_tokens += usage.input_tokens;
            sum.output_tokens += usage.output_tokens;
        }
    }

    /// The answer failed.
    pub(crate) fn failed(
        &mut self,
        code: String,
        message: String,
        retry_after: Option<u64>,
    ) -> PositionedEvent {
        self.over = true;
        self.place(1, TurnEvent::Failed { code, message, retry_after })
    }

    fn done(&mut self, finish: AnswerFinish) -> PositionedEvent {
        self.over = true;
        self.place(1, TurnEvent::Done { finish, usage: self.usage })
    }

    fn place(&mut self, size: u64, event: TurnEvent) -> PositionedEvent {
        self.position += size;
        PositionedEvent { position: self.position, event }
    }
}
