//! A session of one turn without a store: the same decisions, for a run that nobody goes on with.
//!
//! Must never decide anything itself.

use engross_llm::Message;

use super::decide::{Offer, RetryState, TurnRules, decide};
use super::log::{AcceptedRequest, LogEvent, TurnEnding, TurnEndingKind};
use super::server_tool::ServerTool;
use super::state::SessionState;

pub(crate) use super::decide::{Action, Input, PartialAnswer};
pub(crate) use super::event::AnswerFinish;

/// The turn.
pub(crate) struct OneTurn {
    session: SessionState,
    tries: RetryState,
    offer: Offer,
    /// Model calls that were made.
    asked: u32,
    /// The tool of the last call that nobody carries out.
    refused: String,
}

/// What an input leads to.
pub(crate) struct Step {
    /// What to do.
    pub(crate) action: Action,
    /// What a person should know.
    pub(crate) warnings: Vec<String>,
    /// How the turn ended, once the action is to rest.
    pub(crate) over: TurnEnd,
}

/// How the turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TurnEnd {
    /// The model was done, or its last answer was cut.
    Whole(AnswerFinish),
    /// No model call was left.
    Exhausted,
    /// The model made the same call of this tool over and over.
    Repeated(String),
    /// Every change failed, two rounds in a row.
    Stuck,
    /// The model failed.
    Failed,
}

impl OneTurn {
    /// A turn with a first message, standing instructions and tools.
    pub(crate) fn begin(first: Message, instructions: String, tools: Vec<ServerTool>) -> Self {
        let mut session = SessionState::default();
        session.apply(&LogEvent::Accepted(AcceptedRequest {
            turn: 1,
            messages: vec![first],
            ..AcceptedRequest::default()
        }));
        let offer = Offer { tools, instructions, ..Offer::default() };
        Self { session, tries: RetryState::default(), offer, asked: 0, refused: String::new() }
    }

    /// Model calls that were answered.
    pub(crate) fn asked(&self) -> u32 {
        self.asked
    }

    /// What follows from `input`, when the model may be asked `loops` times in all.
    pub(crate) fn step(&mut self, input: Input, loops: u32) -> Step {
        let rules = TurnRules { loops, ..TurnRules::default() };
        self.asked += u32::from(matches!(input, Input::Answered(..) | Input::Failed(..)));
        let decision = decide(&mut self.session, &mut self.tries, input, &self.offer, rules, 0);
        let mut warnings = Vec::new();
        let mut over = TurnEnd::Failed;
        for event in decision.events {
            match event {
                LogEvent::Noted { message, .. } => warnings.push(message),
                LogEvent::Answered { calls, .. } => {
                    if let Some(last) = calls.into_iter().find(|call| call.side == super::CallSide::Nobody) {
                        self.refused = last.call.name;
                    }
                }
                LogEvent::Ended(ending) => over = self.over(ending),
                _ => {}
            }
        }
        Step { action: decision.action, warnings, over }
    }

    fn over(&self, TurnEnding { kind, code, .. }: TurnEnding) -> TurnEnd {
        match kind {
            TurnEndingKind::Whole(finish) => TurnEnd::Whole(finish),
            TurnEndingKind::Stopped if code == "REPEATED_CALL" => TurnEnd::Repeated(self.refused.clone()),
            TurnEndingKind::Stopped if code == "NO_PROGRESS" => TurnEnd::Stuck,
            TurnEndingKind::Stopped => TurnEnd::Exhausted,
            TurnEndingKind::Failed | TurnEndingKind::Cancelled => TurnEnd::Failed,
        }
    }
}
