//! Carries a run out: a session of one turn without a store, whose tools work on a document in memory.
//!
//! Must never decide what comes next (that is `session/decide.rs`), and never keep an edit that the engine has not proven.
//! Dropping the future of [`EditRun::run`] cancels the run; what was applied until then is in the document.

use std::collections::BTreeMap;
use std::sync::Arc;

use engross_docx::ops::{Operation, OperationResult};
use engross_docx::{EditOptions, Error, WordDocument};
use engross_llm::{Answer, Event, Message, Model, Request, ToolCall, collect};
use serde_json::Value;

use crate::outcome::{EditRunEnd, EditRunOperation, EditRunOutcome};
use crate::prompt::{SYSTEM, first_message};
use crate::repair::mark_repaired;
use crate::session::one_turn::{Action, AnswerFinish, Input, OneTurn, PartialAnswer, TurnEnd};
use crate::session::{ServerTool, ToolResult};
use crate::tools::{APPLY_REDLINES, Proposal, Question, Round, research_spec, specs};
use crate::writing::Texts;

/// How a run is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditRunOptions {
    /// Who edits, and when.
    pub edit: EditOptions,
    /// Model calls that one run may make; 6 is usual.
    pub max_rounds: u32,
}

/// What happens in a run, as it happens.
#[derive(Debug, Clone, PartialEq)]
pub enum EditRunEvent {
    /// The document was read for the model.
    Reading {
        /// How many paragraphs it has.
        paragraphs: usize,
    },
    /// The model is called.
    Asking {
        /// Which call this is, from 1.
        round: u32,
        /// How many there may be.
        of: u32,
        /// The model.
        model: String,
    },
    /// More text by the model.
    Text(String),
    /// Operations are about to be applied.
    Applying {
        /// Which, in short: `modify_text ×2, delete_paragraph`.
        summary: String,
    },
    /// An operation was applied or refused; its index counts through the run.
    Operation(Box<OperationResult>),
    /// Something that a person should know.
    Warning(String),
    /// The run is over.
    Done,
}

/// Reads the pictures that operations name, by those names.
pub type PictureReader<'a> = &'a (dyn Fn(&[&Operation]) -> BTreeMap<String, Vec<u8>> + Sync);

/// One instruction, carried out on one document.
pub struct EditRun<'a> {
    document: &'a mut WordDocument,
    model: Arc<dyn Model>,
    options: EditRunOptions,
    operations: Vec<EditRunOperation>,
    proposed: Vec<Value>,
    warnings: Vec<String>,
    /// Model calls that answered calls of the model.
    translations: u32,
    pictures: Option<PictureReader<'a>>,
}

impl<'a> EditRun<'a> {
    /// A run that has not begun.
    pub fn new(document: &'a mut WordDocument, model: Arc<dyn Model>, options: EditRunOptions) -> Self {
        Self {
            document,
            model,
            options,
            operations: Vec::new(),
            proposed: Vec::new(),
            warnings: Vec::new(),
            translations: 0,
            pictures: None,
        }
    }

    /// The same with pictures that operations may name.
    #[must_use]
    pub fn with_pictures(self, pictures: PictureReader<'a>) -> Self {
        Self { pictures: Some(pictures), ..self }
    }

    /// Runs to the end. Failures of the model end the run and are in the outcome.
    ///
    /// # Errors
    /// When the document cannot be read or edited at all.
    pub async fn run(
        &mut self,
        instruction: &str,
        events: &mut dyn FnMut(EditRunEvent),
    ) -> Result<EditRunOutcome, Error> {
        events(EditRunEvent::Reading { paragraphs: self.document.paragraph_count() });
        let limit = self.options.max_rounds.max(1);
        let first = first_message(self.document, instruction)?;
        let mut turn = OneTurn::begin(
            Message::User { content: first, attachments: Vec::new() },
            SYSTEM.to_owned(),
            tools(&*self.model),
        );
        let mut input = Input::Continue;
        let mut text = String::new();
        let mut failure = None;
        let over = loop {
            let step = turn.step(input, limit - self.translations.min(limit - 1));
            for warning in step.warnings {
                events(EditRunEvent::Warning(warning.clone()));
                self.warnings.push(warning);
            }
            match step.action {
                Action::Ask(request, _) => {
                    let round = turn.asked() + self.translations + 1;
                    input = match self.ask(request, round, events).await {
                        Ok(answer) => {
                            if !answer.text.trim().is_empty() {
                                text.clone_from(&answer.text);
                            }
                            Input::Answered(answer, self.model.info().spec)
                        }
                        Err(error) => {
                            failure = Some(error.clone());
                            Input::Failed(error, PartialAnswer::default())
                        }
                    };
                }
                Action::Run(calls) => {
                    let results = self.use_tools(&calls, turn.asked(), events).await?;
                    let ids = calls.into_iter().map(|call| call.id);
                    input = Input::Ran { results: ids.zip(results).collect(), stop: false };
                }
                // One turn has no beginning that could be left out.
                Action::Summarise(_, _, until) => {
                    input = Input::Summarised(until, Err("one turn is given whole".to_owned()));
                }
                Action::Rest => break step.over,
            }
        };
        events(EditRunEvent::Done);
        mark_repaired(&mut self.operations, &self.proposed);
        Ok(EditRunOutcome {
            ending: ending(over, failure, self.options.max_rounds.max(1)),
            text,
            rounds: turn.asked() + self.translations,
            operations: std::mem::take(&mut self.operations),
            warnings: std::mem::take(&mut self.warnings),
        })
    }

    async fn ask(
        &self,
        request: Request,
        round: u32,
        events: &mut dyn FnMut(EditRunEvent),
    ) -> Result<Answer, engross_llm::Error> {
        let of = self.options.max_rounds.max(1);
        events(EditRunEvent::Asking { round, of, model: self.model.info().spec });
        let answer = collect(self.model.answer(request), |event| {
            if let Event::Text(text) = event {
                events(EditRunEvent::Text(text.clone()));
            }
        });
        answer.await
    }

    async fn use_tools(
        &mut self,
        calls: &[ToolCall],
        asked: u32,
        events: &mut dyn FnMut(EditRunEvent),
    ) -> Result<Vec<ToolResult>, Error> {
        let mut round = Round::of(calls, &Texts::default());
        while let Some(question) = round.next_question() {
            if asked + self.translations >= self.options.max_rounds.max(1) {
                round.not_asked(Question::no_calls_left);
                continue;
            }
            let request = match question.request(self.document, &*self.model)? {
                Ok(request) => request,
                Err(error) => {
                    round.not_asked(|_| error);
                    continue;
                }
            };
            self.translations += 1;
            // What the model writes here is for us or for itself, not words for the person.
            let mut quiet = |event| {
                if !matches!(event, EditRunEvent::Text(_)) {
                    events(event);
                }
            };
            round.answered(self.ask(request, asked + self.translations, &mut quiet).await);
        }
        let edits = round.edits();
        if !edits.is_empty() {
            events(EditRunEvent::Applying { summary: summary(&edits) });
        }
        if let Some(read) = self.pictures {
            let operations: Vec<&Operation> = round.operations().collect();
            self.document.give_files(read(&operations));
        }
        let done = round.carry_out(self.document, &self.options.edit)?;
        for (result, proposed) in done.operations {
            let result = OperationResult { index: self.operations.len(), ..result };
            events(EditRunEvent::Operation(Box::new(result.clone())));
            self.operations.push(EditRunOperation {
                result,
                round: asked + self.translations,
                repaired_by: None,
            });
            self.proposed.push(proposed);
        }
        let result = |result: crate::CallResult| ToolResult {
            content: result.content,
            is_error: result.is_error,
            ..ToolResult::default()
        };
        Ok(done.results.into_iter().map(result).collect())
    }
}

/// The tools of a run; reading changes nothing.
fn tools(model: &dyn Model) -> Vec<ServerTool> {
    let tool = |spec: engross_llm::ToolSpec| ServerTool { read_only: spec.name != APPLY_REDLINES, spec };
    let research = model.searches().then(research_spec);
    specs().into_iter().chain(research).map(tool).collect()
}

fn ending(over: TurnEnd, failure: Option<engross_llm::Error>, limit: u32) -> EditRunEnd {
    match (over, failure) {
        (TurnEnd::Whole(AnswerFinish::Stop | AnswerFinish::ToolCalls), _) => EditRunEnd::Finished,
        (TurnEnd::Whole(AnswerFinish::Length), _) => EditRunEnd::AnswerCut,
        (TurnEnd::Whole(AnswerFinish::ContentFilter), _) => EditRunEnd::AnswerFiltered,
        (TurnEnd::Repeated(tool), _) => EditRunEnd::RepeatedCall { tool },
        (TurnEnd::Stuck, _) => EditRunEnd::NoProgress,
        (TurnEnd::Failed, Some(error)) => EditRunEnd::ModelFailed(error),
        (TurnEnd::Exhausted | TurnEnd::Failed, _) => EditRunEnd::RoundsExhausted { limit },
    }
}

/// The names of the operations with their numbers, in the order of their first appearance.
fn summary(calls: &[&[Proposal]]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for proposal in calls.iter().copied().flatten() {
        let name = proposal.json.get("op").or_else(|| proposal.json.get("operation"));
        let name = name.and_then(Value::as_str).filter(|_| proposal.operation.is_ok()).unwrap_or("invalid");
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    if counts.is_empty() {
        return "nothing to do".to_owned();
    }
    let parts: Vec<String> = counts
        .into_iter()
        .map(|(name, count)| if count == 1 { name.to_owned() } else { format!("{name} ×{count}") })
        .collect();
    parts.join(", ")
}
