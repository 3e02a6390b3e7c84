//! A session of one turn without a store: the same decisions, for a run that nobody goes on with.
//!
//! Must never decide anything itself.

use engross_llm::Message;

use super::decide::{Offer, Rules, ServerTool, Tries, decide};
use super::log::{Accepted, Ending, EndingKind, LogEvent};
use super::state::Session;

pub(crate) use super::decide::{Action, Heard, Input};
pub(crate) use super::event::Finish;

/// The turn.
pub(crate) struct OneTurn {
    session: Session,
    tries: Tries,
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
    pub(crate) over: Over,
}

/// How the turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Over {
    /// The model was done, or its last answer was cut.
    Whole(Finish),
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
        let mut session = Session::default();
        session.apply(&LogEvent::Accepted(Accepted {
            turn: 1,
            messages: vec![first],
            ..Accepted::default()
        }));
        let offer = Offer { tools, instructions, ..Offer::default() };
        Self { session, tries: Tries::default(), offer, asked: 0, refused: String::new() }
    }

    /// Model calls that were answered.
    pub(crate) fn asked(&self) -> u32 {
        self.asked
    }

    /// What follows from `input`, when the model may be asked `loops` times in all.
    pub(crate) fn step(&mut self, input: Input, loops: u32) -> Step {
        let rules = Rules { loops, ..Rules::default() };
        self.asked += u32::from(matches!(input, Input::Answered(..) | Input::Failed(..)));
        let decision = decide(&mut self.session, &mut self.tries, input, &self.offer, rules, 0);
        let mut warnings = Vec::new();
        let mut over = Over::Failed;
        for event in decision.events {
            match event {
                LogEvent::Noted { message, .. } => warnings.push(message),
                LogEvent::Answered { calls, .. } => {
                    if let Some(last) = calls.into_iter().find(|call| call.side == super::Side::Nobody) {
                        self.refused = last.call.name;
                    }
                }
                LogEvent::Ended(ending) => over = self.over(ending),
                _ => {}
            }
        }
        Step { action: decision.action, warnings, over }
    }

    fn over(&self, Ending { kind, code, .. }: Ending) -> Over {
        match kind {
            EndingKind::Whole(finish) => Over::Whole(finish),
            EndingKind::Stopped if code == "REPEATED_CALL" => Over::Repeated(self.refused.clone()),
            EndingKind::Stopped if code == "NO_PROGRESS" => Over::Stuck,
            EndingKind::Stopped => Over::Exhausted,
            EndingKind::Failed | EndingKind::Cancelled => Over::Failed,
        }
    }
}
