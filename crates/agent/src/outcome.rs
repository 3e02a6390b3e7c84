//! How a run ended and what it did.

use engross_docx::ops::{OperationResult, Status, Summary};
use engross_llm::Error;
use serde::Serialize;

use crate::codes;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditRunEnd {
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
    /// Every change that the model tried failed, in two rounds in a row.
    NoProgress,
    /// The model failed.
    ModelFailed(Error),
}

impl EditRunEnd {
    /// The stable code of an ending other than [`EditRunEnd::Finished`].
    #[must_use]
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::Finished => None,
            Self::AnswerCut => Some(codes::ANSWER_CUT.name),
            Self::AnswerFiltered => Some(codes::ANSWER_FILTERED.name),
            Self::RoundsExhausted { .. } => Some(codes::ROUNDS_EXHAUSTED.name),
            Self::RepeatedCall { .. } => Some(codes::REPEATED_CALL.name),
            Self::NoProgress => Some(codes::NO_PROGRESS.name),
            Self::ModelFailed(error) => Some(error.code()),
        }
    }

    /// The same for people; empty for [`EditRunEnd::Finished`].
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
            Self::NoProgress => {
                "nothing that the model tried could be applied, twice in a row; the operations say why, so rephrase or choose \
                 another model"
                    .to_owned()
            }
            Self::ModelFailed(error) => error.to_string(),
        }
    }
}

/// An operation of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EditRunOperation {
    /// What became of it; its index counts through the run.
    #[serde(flatten)]
    pub result: OperationResult,
    /// The model call that proposed it, from 1.
    pub round: u32,
    /// Index of the later operation that made this refused one good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repaired_by: Option<usize>,
}

/// A run that has ended. What was applied is in the document, whatever the ending.
#[derive(Debug, Clone, PartialEq)]
pub struct EditRunOutcome {
    /// How it ended.
    pub ending: EditRunEnd,
    /// The model's closing words, or the last it said.
    pub text: String,
    /// Model calls made.
    pub rounds: u32,
    /// All operations, in the order they were proposed.
    pub operations: Vec<EditRunOperation>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

impl EditRunOutcome {
    /// Counts the operations; a refused one that was repaired counts as neither.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let standing = self.operations.iter().filter(|operation| operation.repaired_by.is_none());
        let results: Vec<OperationResult> = standing.map(|operation| operation.result.clone()).collect();
        Summary::of(&results)
    }

    /// Whether the model ended by itself and nothing that it proposed is left undone.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let summary = self.summary();
        self.ending == EditRunEnd::Finished && summary.refused + summary.failed == 0
    }

    /// Whether an operation changed the document.
    #[must_use]
    pub fn has_edits(&self) -> bool {
        self.operations.iter().any(|operation| operation.result.status == Status::Applied)
    }
}
