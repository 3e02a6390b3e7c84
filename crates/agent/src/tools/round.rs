//! The calls of one answer on one document, and what becomes of each.
//!
//! Must never drop a call or change the order: each gets one result. What edits is applied as one batch in the place of the
//! first edit, so that every paragraph number means the document that the model has read.

use engross_docx::ops::{Operation, OperationResult};
use engross_docx::{EditOptions, Error, WordDocument};
use engross_llm::{Answer, Error as ModelError, ToolCall};
use serde_json::Value;

use crate::codes;
use crate::writing::Texts;

use super::{
    CallResult, ParsedCall, Proposal, Question, QuestionAnswer, ROUND_CALLS, ToolError, ToolUse,
    apply_together, parse_call, read_document, share_of_round,
};

/// A round of calls.
#[derive(Debug, Clone)]
pub(crate) struct Round {
    fates: Vec<Fate>,
}

#[derive(Debug, Clone)]
enum Fate {
    /// To be done.
    Use(ToolUse),
    /// The model is asked first.
    Ask(Question),
    /// Answered without doing anything.
    QuestionAnswer(CallResult),
}

/// What a round did.
#[derive(Debug, Clone, Default)]
pub(crate) struct RoundResult {
    /// One for each call, in order.
    pub(crate) results: Vec<CallResult>,
    /// The operations that were tried, each with the model's words for it; indices count from 0.
    pub(crate) operations: Vec<(OperationResult, Value)>,
}

impl Round {
    /// Understands the calls of an answer.
    pub(crate) fn of(calls: &[ToolCall], texts: &Texts) -> Self {
        let fate = |(index, call): (usize, &ToolCall)| {
            if index >= ROUND_CALLS {
                return Fate::QuestionAnswer(too_many_calls().into());
            }
            match parse_call(call, texts) {
                Ok(ParsedCall::Use(tool)) => Fate::Use(tool),
                Ok(ParsedCall::Ask(question)) => Fate::Ask(question),
                Err(error) => Fate::QuestionAnswer(error.into()),
            }
        };
        Self { fates: calls.iter().enumerate().map(fate).collect() }
    }

    /// The next question that the model has to answer.
    pub(crate) fn next_question(&self) -> Option<&Question> {
        self.fates.iter().find_map(|fate| match fate {
            Fate::Ask(question) => Some(question),
            _ => None,
        })
    }

    /// Takes the answer to [`Round::next_question`].
    pub(crate) fn answered(&mut self, answer: Result<Answer, ModelError>) {
        let bytes = share_of_round(self.fates.len());
        self.settle(|question| question.read(answer, bytes));
    }

    /// Says why [`Round::next_question`] is not asked.
    pub(crate) fn not_asked(&mut self, why: impl FnOnce(&Question) -> ToolError) {
        self.settle(|question| Err(why(question)));
    }

    fn settle(&mut self, answered: impl FnOnce(&Question) -> Result<QuestionAnswer, ToolError>) {
        let next = self.fates.iter_mut().find(|fate| matches!(fate, Fate::Ask(_)));
        if let Some(fate) = next
            && let Fate::Ask(question) = &*fate
        {
            *fate = match answered(question) {
                Ok(QuestionAnswer::Operations(operations)) => Fate::Use(ToolUse::Apply(operations)),
                Ok(QuestionAnswer::Result(result)) => Fate::QuestionAnswer(result),
                Err(error) => Fate::QuestionAnswer(error.into()),
            };
        }
    }

    /// The operations to be tried, call by call.
    pub(crate) fn edits(&self) -> Vec<&[Proposal]> {
        let edits = self.fates.iter().filter_map(|fate| match fate {
            Fate::Use(ToolUse::Apply(proposals)) => Some(proposals.as_slice()),
            _ => None,
        });
        edits.collect()
    }

    /// The operations that can be tried.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.edits().into_iter().flatten().filter_map(|proposal| proposal.operation.as_ref().ok())
    }

    /// The operations that can be tried, as one batch of the language.
    pub(crate) fn batch(&self) -> Value {
        let proposals = self.edits().into_iter().flatten().filter(|proposal| proposal.operation.is_ok());
        proposals.map(|proposal| proposal.filled.as_ref().unwrap_or(&proposal.json).clone()).collect()
    }

    /// Which calls edit, by their place in the round.
    pub(crate) fn editing(&self) -> Vec<usize> {
        let edits = |fate: &Fate| matches!(fate, Fate::Use(ToolUse::Apply(_)));
        self.fates.iter().enumerate().filter(|(_, fate)| edits(fate)).map(|(place, _)| place).collect()
    }

    /// The round with its first `count` edits only.
    pub(crate) fn first_edits(&self, count: usize) -> Self {
        let mut round = self.clone();
        let not_yet = CallResult { content: String::new(), is_error: false };
        for place in self.editing().into_iter().skip(count) {
            if let Some(fate) = round.fates.get_mut(place) {
                *fate = Fate::QuestionAnswer(not_yet.clone());
            }
        }
        round
    }

    /// Answers every edit with an error, so that nothing is changed.
    pub(crate) fn refuse_edits(&mut self, error: &ToolError) {
        for fate in &mut self.fates {
            if matches!(fate, Fate::Use(ToolUse::Apply(_)) | Fate::Ask(Question::Operations(_))) {
                *fate = Fate::QuestionAnswer(error.clone().into());
            }
        }
    }

    /// Does what can be done now. A question that nobody answered is an error of its call.
    pub(crate) fn carry_out(
        &self,
        document: &mut WordDocument,
        options: &EditOptions,
    ) -> Result<RoundResult, Error> {
        let edits = self.edits();
        let uses = self.fates.iter().filter(|fate| matches!(fate, Fate::Use(_))).count();
        let bytes = share_of_round(uses);
        let mut applied = None;
        let mut done = RoundResult::default();
        for fate in &self.fates {
            done.results.push(match fate {
                Fate::QuestionAnswer(result) => result.clone(),
                Fate::Ask(question) => question.no_calls_left().into(),
                Fate::Use(ToolUse::Read(options)) => read_document(document, options, bytes),
                Fate::Use(ToolUse::Apply(proposals)) => {
                    let answers = match &mut applied {
                        Some(answers) => answers,
                        None => applied.insert(apply_together(document, &edits, options, bytes)?.into_iter()),
                    };
                    match answers.next() {
                        None => ToolError::new(
                            engross_protocol::shared::INVALID_ARGUMENTS.name,
                            "the call was not carried out",
                        )
                        .into(),
                        Some(answer) => {
                            for (result, proposal) in answer.results.into_iter().zip(proposals) {
                                let result = OperationResult { index: done.operations.len(), ..result };
                                done.operations.push((result, proposal.json.clone()));
                            }
                            answer.answer
                        }
                    }
                }
            });
        }
        Ok(done)
    }
}

/// For calls beyond what one answer may hold.
fn too_many_calls() -> ToolError {
    ToolError::new(
        codes::CALL_LIMIT.name,
        format!("only {ROUND_CALLS} calls of one answer are carried out; make the rest in your next answer"),
    )
}
