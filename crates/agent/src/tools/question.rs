//! Calls that need an answer of the model before anything can be done.
//!
//! Must never ask by itself: what drives the model asks.

use engross_docx::{Error, WordDocument};
use engross_llm::{Answer, Error as ModelError, Model, Request};

use super::research::Research;
use super::{CallResult, Proposal, ToolError};
use crate::translate;

/// What the model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Question {
    /// Which operations does this instruction mean?
    Operations(String),
    /// What is there in the web?
    Research(Research),
}

/// What an answer comes to.
pub(crate) enum QuestionAnswer {
    /// Operations to apply.
    Operations(Vec<Proposal>),
    /// What the model reads.
    Result(CallResult),
}

impl Question {
    /// What to ask `model`, or why it is not asked.
    pub(crate) fn request(
        &self,
        document: &WordDocument,
        model: &dyn Model,
    ) -> Result<Result<Request, ToolError>, Error> {
        match self {
            Self::Operations(instruction) => translate::request(document, instruction).map(Ok),
            Self::Research(research) => Ok(research.request(model)),
        }
    }

    /// Reads the answer. What the model is told of it has at most `bytes` bytes.
    pub(crate) fn read(
        &self,
        answer: Result<Answer, ModelError>,
        bytes: usize,
    ) -> Result<QuestionAnswer, ToolError> {
        match (self, answer) {
            (Self::Operations(_), Ok(answer)) => {
                translate::read_answer(&answer).map(QuestionAnswer::Operations)
            }
            (Self::Operations(_), Err(error)) => Err(translate::failed(&error)),
            (Self::Research(_), Ok(answer)) => Research::read(&answer, bytes).map(QuestionAnswer::Result),
            (Self::Research(_), Err(error)) => Err(Research::failed(&error)),
        }
    }

    /// For a question when no model call is left to answer it.
    pub(crate) fn no_calls_left(&self) -> ToolError {
        match self {
            Self::Operations(_) => translate::no_calls_left(),
            Self::Research(_) => Research::no_calls_left(),
        }
    }
}
