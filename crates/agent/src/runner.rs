//! Carries a run out: asks the model, uses the tools, tells what happens.
//!
//! Must never decide what comes next (that is [`step`]), and never keep an edit that the engine has not proven. Dropping
//! the future of [`EditRun::run`] cancels the run; what was applied until then is in the document.

use std::sync::Arc;

use engross_docx::ops::OperationResult;
use engross_docx::{EditOptions, Error, WordDocument};
use engross_llm::{Event, Model, Request, collect};
use serde_json::Value;

use crate::outcome::{Outcome, RunOperation};
use crate::prompt::{SYSTEM, first_message};
use crate::repair::mark_repaired;
use crate::tools::{CallResult, Proposal, ToolUse, apply_together, read_document, share_of_round, specs};
use crate::translate;
use crate::turn::{Action, Ending, Input, State, step};

/// How a run is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOptions {
    /// Who edits, and when.
    pub edit: EditOptions,
    /// Model calls that one run may make; 6 is usual.
    pub max_rounds: u32,
}

/// What happens in a run, as it happens.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent {
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
    Operation(OperationResult),
    /// Something that a person should know.
    Warning(String),
    /// The run is over.
    Done,
}

/// One instruction, carried out on one document.
pub struct EditRun<'a> {
    document: &'a mut WordDocument,
    model: Arc<dyn Model>,
    options: RunOptions,
    operations: Vec<RunOperation>,
    proposed: Vec<Value>,
    warnings: Vec<String>,
}

impl<'a> EditRun<'a> {
    /// A run that has not begun.
    pub fn new(document: &'a mut WordDocument, model: Arc<dyn Model>, options: RunOptions) -> Self {
        Self { document, model, options, operations: Vec::new(), proposed: Vec::new(), warnings: Vec::new() }
    }

    /// Runs to the end. Failures of the model end the run and are told in the outcome.
    ///
    /// # Errors
    /// When the document cannot be read or edited at all.
    pub async fn run(
        &mut self,
        instruction: &str,
        events: &mut dyn FnMut(RunEvent),
    ) -> Result<Outcome, Error> {
        events(RunEvent::Reading { paragraphs: self.document.paragraph_count() });
        let mut state = State::new(first_message(self.document, instruction)?, self.options.max_rounds);
        let mut actions = step(&mut state, Input::Start);
        let mut ending = None;
        while !actions.is_empty() {
            let mut input = None;
            for action in std::mem::take(&mut actions) {
                match action {
                    Action::Ask { round } => {
                        let request = Request {
                            system: SYSTEM.to_owned(),
                            messages: state.messages().to_vec(),
                            tools: specs(),
                            ..Request::default()
                        };
                        input = Some(self.ask(request, round, events).await);
                    }
                    Action::Translate { instruction, round } => {
                        let request = translate::request(self.document, &instruction)?;
                        // What the model writes here is JSON for us, not words for the person.
                        let mut quiet = |event| {
                            if !matches!(event, RunEvent::Text(_)) {
                                events(event);
                            }
                        };
                        input = Some(self.ask(request, round, &mut quiet).await);
                    }
                    Action::Run(uses) => {
                        input = Some(Input::Ran(self.use_tools(&uses, state.rounds(), events)?));
                    }
                    Action::Warn(warning) => {
                        events(RunEvent::Warning(warning.clone()));
                        self.warnings.push(warning);
                    }
                    Action::End(how) => ending = Some(how),
                }
            }
            if let Some(input) = input {
                actions = step(&mut state, input);
            }
        }
        events(RunEvent::Done);
        mark_repaired(&mut self.operations, &self.proposed);
        Ok(Outcome {
            ending: ending.unwrap_or(Ending::Finished),
            text: state.text().to_owned(),
            rounds: state.rounds(),
            operations: std::mem::take(&mut self.operations),
            warnings: std::mem::take(&mut self.warnings),
        })
    }

    async fn ask(&self, request: Request, round: u32, events: &mut dyn FnMut(RunEvent)) -> Input {
        let of = self.options.max_rounds.max(1);
        events(RunEvent::Asking { round, of, model: self.model.info().spec });
        let answer = collect(self.model.answer(request), |event| {
            if let Event::Text(text) = event {
                events(RunEvent::Text(text.clone()));
            }
        });
        match answer.await {
            Ok(answer) => Input::Answer(answer),
            Err(error) => Input::Failed(error),
        }
    }

    /// Uses the tools of a round. What edits is applied as one batch in the place of the first edit, so that every paragraph
    /// number means the document that the model has read.
    fn use_tools(
        &mut self,
        uses: &[ToolUse],
        round: u32,
        events: &mut dyn FnMut(RunEvent),
    ) -> Result<Vec<CallResult>, Error> {
        let bytes = share_of_round(uses.len());
        let edits: Vec<&[Proposal]> = uses
            .iter()
            .filter_map(|tool| match tool {
                ToolUse::Apply(proposals) => Some(proposals.as_slice()),
                ToolUse::Read(_) => None,
            })
            .collect();
        let mut applied = None;
        let mut results = Vec::with_capacity(uses.len());
        for tool in uses {
            results.push(match tool {
                ToolUse::Read(options) => read_document(self.document, options, bytes),
                ToolUse::Apply(_) => {
                    let answers = match &mut applied {
                        Some(answers) => answers,
                        None => applied.insert(self.apply(&edits, round, bytes, events)?.into_iter()),
                    };
                    answers.next().unwrap_or(CallResult { content: String::new(), is_error: true })
                }
            });
        }
        Ok(results)
    }

    fn apply(
        &mut self,
        calls: &[&[Proposal]],
        round: u32,
        bytes: usize,
        events: &mut dyn FnMut(RunEvent),
    ) -> Result<Vec<CallResult>, Error> {
        events(RunEvent::Applying { summary: summary(calls) });
        let mut answers = Vec::with_capacity(calls.len());
        for (applied, proposals) in
            apply_together(self.document, calls, &self.options.edit, bytes)?.into_iter().zip(calls)
        {
            for (result, proposal) in applied.results.into_iter().zip(*proposals) {
                let result = OperationResult { index: self.operations.len(), ..result };
                events(RunEvent::Operation(result.clone()));
                self.operations.push(RunOperation { result, round, repaired_by: None });
                self.proposed.push(proposal.json.clone());
            }
            answers.push(applied.answer);
        }
        Ok(answers)
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
