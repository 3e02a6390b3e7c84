//! What happens next in a run: a pure function from a state and an input to actions.
//!
//! Must never do anything itself, call the model more often than allowed, or leave a call without exactly one result:
//! providers refuse such a conversation.

mod guard;
mod plan;

use engross_llm::{Answer, Error, FinishReason, Message};

use crate::tools::{CallResult, ToolUse};
use crate::translate;
use guard::RepeatGuard;
use plan::Plan;

/// Where a run stands.
#[derive(Debug, Clone)]
pub struct State {
    messages: Vec<Message>,
    limit: u32,
    asked: u32,
    text: String,
    guard: RepeatGuard,
    phase: Phase,
}

#[derive(Debug, Clone)]
enum Phase {
    /// Not begun.
    Ready,
    /// The model is answering.
    Asking,
    /// The model turns an instruction into operations.
    Translating(Plan),
    /// Tools are at work.
    Running(Plan),
    /// Over.
    Ended,
}

/// What has happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The run begins.
    Start,
    /// The model has answered the question of the last [`Action::Ask`] or [`Action::Translate`].
    Answer(Answer),
    /// It has not.
    Failed(Error),
    /// The tools of the last [`Action::Run`] are done: a result for each, in order.
    Ran(Vec<CallResult>),
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Put the conversation, which is [`State::messages`], to the model.
    Ask {
        /// Which model call of the run this is, from 1.
        round: u32,
    },
    /// Have the model turn an instruction into operations.
    Translate {
        /// The instruction.
        instruction: String,
        /// Which model call of the run this is, from 1.
        round: u32,
    },
    /// Use tools, in order, all with the paragraph numbers that the document has now.
    Run(Vec<ToolUse>),
    /// Tell the person.
    Warn(String),
    /// Stop.
    End(Ending),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The model was done.
    Finished,
    /// The provider's length limit cut the answer.
    AnswerCut,
    /// The provider's filter stopped the answer.
    AnswerFiltered,
    /// No model call was left.
    RoundsExhausted {
        /// How many there were.
        limit: u32,
    },
    /// The model made the same call over and over.
    RepeatedCall {
        /// The tool it called.
        tool: String,
    },
    /// The model failed.
    ModelFailed(Error),
}

impl Ending {
    /// The stable code of an ending other than [`Ending::Finished`].
    #[must_use]
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::Finished => None,
            Self::AnswerCut => Some("ANSWER_CUT"),
            Self::AnswerFiltered => Some("ANSWER_FILTERED"),
            Self::RoundsExhausted { .. } => Some("ROUNDS_EXHAUSTED"),
            Self::RepeatedCall { .. } => Some("REPEATED_CALL"),
            Self::ModelFailed(error) => Some(error.code()),
        }
    }

    /// The same for people; empty for [`Ending::Finished`].
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Finished => String::new(),
            Self::AnswerCut => {
                "the model's answer was cut off by its length limit; ask for less at once".to_owned()
            }
            Self::AnswerFiltered => {
                "the provider's content filter stopped the model; rephrase, or choose another model"
                    .to_owned()
            }
            Self::RoundsExhausted { limit } => format!(
                "the model was not done after {limit} calls; review what was applied, then ask for the rest"
            ),
            Self::RepeatedCall { tool } => format!(
                "the model called {tool} three times with the same arguments; rephrase, or choose another model"
            ),
            Self::ModelFailed(error) => error.to_string(),
        }
    }
}

impl State {
    /// A run that begins with `first_message` and may call the model `limit` times, once at least.
    #[must_use]
    pub fn new(first_message: String, limit: u32) -> Self {
        Self {
            messages: vec![Message::User { content: first_message }],
            limit: limit.max(1),
            asked: 0,
            text: String::new(),
            guard: RepeatGuard::default(),
            phase: Phase::Ready,
        }
    }

    /// The conversation so far.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// How often the model was called.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.asked
    }

    /// What the model said last.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn ask(&mut self) -> Action {
        if self.asked >= self.limit {
            return self.end(Ending::RoundsExhausted { limit: self.limit });
        }
        self.asked += 1;
        self.phase = Phase::Asking;
        Action::Ask { round: self.asked }
    }

    fn end(&mut self, ending: Ending) -> Action {
        self.phase = Phase::Ended;
        Action::End(ending)
    }

    /// An answer to the conversation.
    fn answered(&mut self, answer: Answer) -> Vec<Action> {
        if !answer.text.trim().is_empty() {
            self.text.clone_from(&answer.text);
        }
        let finish = answer.finish;
        let plan = Plan::of(&answer, &mut self.guard);
        self.messages.push(Message::Assistant { content: answer.text, tool_calls: answer.tool_calls });
        if !plan.is_empty() {
            let mut actions: Vec<Action> = plan.warnings().map(Action::Warn).collect();
            actions.extend(self.advance(plan));
            return actions;
        }
        vec![self.end(match finish {
            FinishReason::Stop | FinishReason::ToolCalls => Ending::Finished,
            FinishReason::Length => Ending::AnswerCut,
            FinishReason::ContentFilter => Ending::AnswerFiltered,
        })]
    }

    /// Goes on with a round until something has to be waited for.
    fn advance(&mut self, mut plan: Plan) -> Vec<Action> {
        while let Some(instruction) = plan.next_instruction() {
            if self.asked < self.limit {
                self.asked += 1;
                self.phase = Phase::Translating(plan);
                return vec![Action::Translate { instruction, round: self.asked }];
            }
            plan.translated(Err(plan::no_calls_left()));
        }
        let uses = plan.uses();
        if uses.is_empty() {
            return self.close(plan, Vec::new());
        }
        self.phase = Phase::Running(plan);
        vec![Action::Run(uses)]
    }

    /// Answers every call of a round.
    fn close(&mut self, plan: Plan, results: Vec<CallResult>) -> Vec<Action> {
        let stop = plan.repeated_tool();
        self.messages.extend(plan.into_messages(results, &mut self.guard));
        vec![match stop {
            Some(tool) => self.end(Ending::RepeatedCall { tool }),
            None => self.ask(),
        }]
    }
}

/// What follows from `input`. An input that does not fit the state changes nothing.
pub fn step(state: &mut State, input: Input) -> Vec<Action> {
    let phase = std::mem::replace(&mut state.phase, Phase::Ended);
    match (phase, input) {
        (Phase::Ready, Input::Start) => vec![state.ask()],
        (Phase::Asking, Input::Answer(answer)) => state.answered(answer),
        (Phase::Asking, Input::Failed(error)) => vec![state.end(Ending::ModelFailed(error))],
        (Phase::Translating(mut plan), Input::Answer(answer)) => {
            plan.translated(translate::read_answer(&answer));
            state.advance(plan)
        }
        (Phase::Translating(mut plan), Input::Failed(error)) => {
            plan.translated(Err(plan::translation_failed(&error)));
            state.advance(plan)
        }
        (Phase::Running(plan), Input::Ran(results)) => state.close(plan, results),
        (phase, _) => {
            state.phase = phase;
            Vec::new()
        }
    }
}
