//! What becomes of each position, from the first look to the last.
//!
//! Must never ask a model a third time, nor let it talk a red line away that is in the words of the document.

use engross_docx::ops::{OperationResult, Proof, Status, parse_batch};
use engross_docx::{EditOptions, WordDocument};
use engross_llm::{Limits, Model, collect_within};
use serde_json::{Map, Value, json};

use crate::answer::{Judgement, Problem, answers_in, answers_of, entries, judge};
use crate::clauses::{Clause, clauses_of};
use crate::codes;
use crate::edits;
use crate::playbook::{Playbook, PlaybookPosition};
use crate::question::{self, AskedPosition};
use crate::report::{
    Citation, ClausePlace, ClauseVerdict, PositionProblem, PositionReport, ReviewReport, VerdictCounts,
    VerdictSource,
};
use crate::text::{DocumentText, find};

/// How often the model is asked.
const ROUNDS: u32 = 2;

/// Why there is no review.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The document cannot be read or edited.
    #[error(transparent)]
    Document(#[from] engross_docx::Error),
    /// The model could not be asked.
    #[error(transparent)]
    Model(#[from] engross_llm::Error),
}

/// A position on its way.
struct OpenPosition<'a> {
    position: &'a PlaybookPosition,
    clause: Option<Clause>,
    /// Words that `Never:` quotes, in the clause.
    crossed: Option<Citation>,
    judgement: Option<Judgement>,
    /// Why the last answer was not taken.
    problem: Option<Problem>,
}

/// Answers the positions of a playbook for a document, and writes changes and comments into it. Without a model only missing clauses
/// and the quoted words of `Never:` are found.
///
/// # Errors
/// When the document cannot be read, or the model fails. What the engine refuses is in the report.
pub async fn review(
    document: &mut WordDocument,
    playbook: &Playbook,
    model: Option<&dyn Model>,
    options: &EditOptions,
) -> Result<ReviewReport, ReviewError> {
    Ok(plan(document, playbook, model).await?.carry_out(document, options)?)
}

/// The same without the changes: what is to be done is in the plan.
///
/// # Errors
/// When the document cannot be read, or the model fails.
pub async fn plan(
    document: &WordDocument,
    playbook: &Playbook,
    model: Option<&dyn Model>,
) -> Result<ReviewPlan, ReviewError> {
    let text = DocumentText::of(document)?;
    let mut open = look(&text, playbook);
    let (mut rounds, mut warnings) = (0, Vec::new());
    if let Some(model) = model {
        while rounds < ROUNDS && open.iter().any(|open| open.wants_answer(rounds)) {
            ask(&mut open, &text, model, rounds, &mut warnings).await?;
            rounds += 1;
        }
    }
    let asked = model.map_or_else(|| "none".to_owned(), |model| model.info().spec);
    let settled = settle(&text, open, rounds);
    Ok(ReviewPlan { title: playbook.title.clone(), settled, of_model: (asked, rounds, warnings) })
}

/// The same with answers that somebody gives who has read the document: an agent, by the text of a call. They are checked as a
/// model's are, and told what does not hold; `None` is nobody's answer yet.
///
/// # Errors
/// When the document cannot be read or edited.
pub fn review_with(
    document: &mut WordDocument,
    playbook: &Playbook,
    answers: Option<&Value>,
    options: &EditOptions,
) -> Result<ReviewReport, engross_docx::Error> {
    plan_with(document, playbook, answers)?.carry_out(document, options)
}

/// The same without the changes: what is to be done is in the plan.
///
/// # Errors
/// When the document cannot be read.
pub fn plan_with(
    document: &WordDocument,
    playbook: &Playbook,
    answers: Option<&Value>,
) -> Result<ReviewPlan, engross_docx::Error> {
    let text = DocumentText::of(document)?;
    let mut open = look(&text, playbook);
    let mut warnings = Vec::new();
    if let Some(answers) = answers {
        take(&mut open, answers_of(answers.clone()), &text, 0, &mut warnings);
    }
    let (asked, rounds) = callers(answers);
    let settled = settle(&text, open, rounds);
    Ok(ReviewPlan { title: playbook.title.clone(), settled, of_model: (asked, rounds, warnings) })
}

/// The answered positions of a playbook, and what is to be done for them.
#[derive(Debug)]
pub struct ReviewPlan {
    /// What the playbook is called.
    title: String,
    settled: Vec<(PositionReport, Vec<Value>)>,
    /// Who was asked, how often, and what is to be said of the answers.
    of_model: (String, u32, Vec<String>),
}

impl ReviewPlan {
    /// The operations in order, as one batch.
    #[must_use]
    pub fn operations(&self) -> Vec<Value> {
        self.settled.iter().flat_map(|(_, operations)| operations.iter().cloned()).collect()
    }

    /// Has the document changed so, and tells what became of it.
    ///
    /// # Errors
    /// When the document cannot be edited.
    pub fn carry_out(
        mut self,
        document: &mut WordDocument,
        options: &EditOptions,
    ) -> Result<ReviewReport, engross_docx::Error> {
        carry_out(document, &mut self.settled, options)?;
        Ok(self.report())
    }

    /// The report of the positions; those that nobody has carried out have no results.
    fn report(self) -> ReviewReport {
        told(self.title, self.settled, self.of_model)
    }
}

/// The positions with what words alone tell of them.
fn look<'a>(text: &DocumentText, playbook: &'a Playbook) -> Vec<OpenPosition<'a>> {
    let clauses = clauses_of(text, &playbook.positions);
    let found: Vec<Option<Citation>> = playbook
        .positions
        .iter()
        .zip(&clauses)
        .map(|(position, clause)| crossed(text, position, clause.as_ref(), &clauses))
        .collect();
    let positions = playbook.positions.iter().zip(clauses).zip(found);
    positions
        .map(|((position, clause), crossed)| OpenPosition {
            position,
            clause,
            crossed,
            judgement: None,
            problem: None,
        })
        .collect()
}

/// What follows from answers that somebody gives who has read the document, for one who carries operations out in a way of their
/// own: the report, whose positions have no results yet, and the operations in order.
///
/// # Errors
/// When the document cannot be read.
pub fn planned(
    document: &WordDocument,
    playbook: &Playbook,
    answers: Option<&Value>,
) -> Result<(ReviewReport, Vec<Value>), engross_docx::Error> {
    let plan = plan_with(document, playbook, answers)?;
    let operations = plan.operations();
    Ok((plan.report(), operations))
}

/// Who was asked when answers come with a call, and how often.
fn callers(answers: Option<&Value>) -> (String, u32) {
    let asked = if answers.is_some() { "the caller" } else { "none" };
    (asked.to_owned(), u32::from(answers.is_some()))
}

/// Each position with the operations that follow from it.
fn settle(
    text: &DocumentText,
    open: Vec<OpenPosition<'_>>,
    rounds: u32,
) -> Vec<(PositionReport, Vec<Value>)> {
    open.into_iter().map(|open| open.settle(text, rounds > 0)).collect()
}

/// The report of positions; nothing is written yet.
fn told(
    title: String,
    settled: Vec<(PositionReport, Vec<Value>)>,
    (model, rounds, warnings): (String, u32, Vec<String>),
) -> ReviewReport {
    let positions: Vec<PositionReport> = settled.into_iter().map(|(report, _)| report).collect();
    ReviewReport {
        document: String::new(),
        playbook: String::new(),
        title,
        model,
        rounds,
        summary: VerdictCounts::of(&positions),
        positions,
        warnings,
        output: None,
        sha256: None,
        proof: Proof::default(),
    }
}

impl OpenPosition<'_> {
    /// Whether the model is asked for it: once in any case, and again when its answer was not taken or its change does not hold.
    fn wants_answer(&self, rounds: u32) -> bool {
        let has_refused_change =
            self.judgement.as_ref().is_some_and(|judgement| judgement.refused_change.is_some());
        self.judgement.is_none() || (rounds > 0 && has_refused_change)
    }

    fn asked(&self) -> AskedPosition<'_> {
        let mut notes = Vec::new();
        if let Some(crossed) = &self.crossed {
            notes.push(format!(
                "{} has the words \"{}\", so the verdict is never.",
                crossed.address, crossed.quote
            ));
        }
        let refused = self.judgement.as_ref().and_then(|judgement| judgement.refused_change.as_ref());
        notes.extend(self.problem.as_ref().or(refused).map(question::note_of));
        AskedPosition { position: self.position, clause: self.clause.as_ref(), notes }
    }

    /// The report of the position, and the operations that follow from it.
    fn settle(self, text: &DocumentText, was_asked: bool) -> (PositionReport, Vec<Value>) {
        let Self { position, clause, crossed, judgement, problem } = self;
        let mut problems = Vec::new();
        let mut note = |problem: &Problem| {
            let code = problem.code.name.to_owned();
            problems.push(PositionProblem { code, message: problem.message.clone() });
        };
        let refused = judgement.as_ref().and_then(|judgement| judgement.refused_change.as_ref());
        refused.iter().for_each(|problem| note(problem));
        let (verdict, source, citation, reason, change) = match (crossed, judgement) {
            // Words that the playbook never accepts count, whatever a model says of them.
            (Some(crossed), judgement) => {
                let agrees = judgement.filter(|judgement| judgement.verdict == ClauseVerdict::Never);
                let words = format!("“{}” is not acceptable. {}", crossed.quote, position.never);
                let (reason, change) = match agrees {
                    Some(judgement) => (judgement.reason, judgement.change),
                    None => (words, None),
                };
                (ClauseVerdict::Never, VerdictSource::Words, Some(crossed), reason, change)
            }
            (None, Some(judgement)) => {
                let Judgement { verdict, citation, reason, change, .. } = judgement;
                let is_fine = verdict == ClauseVerdict::Missing && position.may_be_missing;
                let verdict = if is_fine { ClauseVerdict::Standard } else { verdict };
                (verdict, VerdictSource::Model, citation, reason, change.filter(|_| !is_fine))
            }
            (None, None) if clause.is_none() && !was_asked => {
                let verdict =
                    if position.may_be_missing { ClauseVerdict::Standard } else { ClauseVerdict::Missing };
                let reason = "no heading, first words of a paragraph or defined term is called so".to_owned();
                (verdict, VerdictSource::Words, None, reason, None)
            }
            (None, None) => {
                note(&problem.unwrap_or_else(|| unasked(was_asked)));
                (ClauseVerdict::Unanswered, VerdictSource::Nobody, None, String::new(), None)
            }
        };
        let operations =
            edits::operations(&position.name, verdict, citation.as_ref(), &reason, change.as_ref());
        let place = |clause: Clause| place_of(text, &clause);
        let report = PositionReport {
            position: position.name.clone(),
            line: position.line,
            clause: clause.map(place),
            verdict,
            source,
            citation,
            reason,
            operations: Vec::new(),
            problems,
        };
        (report, operations)
    }
}

/// Asks for what has no answer yet.
async fn ask(
    open: &mut [OpenPosition<'_>],
    text: &DocumentText,
    model: &dyn Model,
    rounds: u32,
    warnings: &mut Vec<String>,
) -> Result<(), ReviewError> {
    let wanted: Vec<&OpenPosition<'_>> = open.iter().filter(|open| open.wants_answer(rounds)).collect();
    let asked: Vec<AskedPosition<'_>> = wanted.iter().map(|open| open.asked()).collect();
    let request = question::request(text, &asked);
    let answer = collect_within(Limits::default(), model.answer(request), |_| {}).await?;
    take(open, answers_in(&answer), text, rounds, warnings);
    Ok(())
}

/// Takes of the entries of an answer what holds, for the positions that want one.
fn take(
    open: &mut [OpenPosition<'_>],
    given: Vec<Map<String, Value>>,
    text: &DocumentText,
    rounds: u32,
    warnings: &mut Vec<String>,
) {
    let wanted = open.iter().filter(|open| open.wants_answer(rounds));
    let positions: Vec<&PlaybookPosition> = wanted.map(|open| open.position).collect();
    let (entries, more) = entries(given, &positions);
    warnings.extend(more);
    let clauses: Vec<(String, Clause)> =
        open.iter().filter_map(|open| Some((open.position.name.clone(), open.clause.clone()?))).collect();
    let clauses: Vec<(&str, &Clause)> =
        clauses.iter().map(|(name, clause)| (name.as_str(), clause)).collect();
    for open in open.iter_mut().filter(|open| open.wants_answer(rounds)) {
        let judged = match entries.get(&open.position.name) {
            None => {
                let message = "the answer has no entry of this position".to_owned();
                Err(Problem { code: codes::POSITION_UNANSWERED, message })
            }
            Some(entry) => judge(entry, (open.position, open.clause.as_ref()), &clauses, text),
        };
        match judged {
            Ok(judgement) => (open.judgement, open.problem) = (Some(judgement), None),
            // A verdict that was taken before stays.
            Err(problem) => open.problem = Some(problem),
        }
    }
}

/// The words of `Never:` that are in the clause; without a clause those in any paragraph that is no other position's.
fn crossed(
    text: &DocumentText,
    position: &PlaybookPosition,
    clause: Option<&Clause>,
    all: &[Option<Clause>],
) -> Option<Citation> {
    let is_looked_at = |index: usize| match clause {
        Some(clause) => clause.range.contains(&index),
        None => !all.iter().flatten().any(|clause| clause.range.contains(&index)),
    };
    let mut paragraphs = text.paragraphs.iter().filter(|paragraph| is_looked_at(paragraph.index));
    paragraphs.find_map(|paragraph| {
        let found = position.never_words.iter().find_map(|words| find(&paragraph.text, words, true))?;
        let quote = paragraph.text.get(found)?.to_owned();
        Some(Citation { address: paragraph.address.clone(), quote })
    })
}

fn unasked(was_asked: bool) -> Problem {
    if was_asked {
        Problem { code: codes::POSITION_UNANSWERED, message: "there is no answer of the model".to_owned() }
    } else {
        let message = "no language model is set, so nobody compared the clause with the playbook".to_owned();
        Problem { code: codes::NO_LANGUAGE_MODEL, message }
    }
}

fn place_of(text: &DocumentText, clause: &Clause) -> ClausePlace {
    let shown = text.paragraphs.iter().filter(|paragraph| clause.range.contains(&paragraph.index));
    let addresses: Vec<&str> = shown.map(|paragraph| paragraph.address.as_str()).collect();
    let first = addresses.first().copied().unwrap_or_default().to_owned();
    let last = addresses.last().copied().unwrap_or_default().to_owned();
    ClausePlace { from: first, to: last, title: clause.title.clone() }
}

/// Has the engine carry the operations out, all in one batch, and tells each position what became of its own.
fn carry_out(
    document: &mut WordDocument,
    reports: &mut [(PositionReport, Vec<Value>)],
    options: &EditOptions,
) -> Result<(), engross_docx::Error> {
    let all: Vec<Value> = reports.iter().flat_map(|(_, operations)| operations.iter().cloned()).collect();
    if all.is_empty() {
        return Ok(());
    }
    let batch = parse_batch(&json!(all))?;
    let mut results = document.apply(&batch, options)?.into_iter();
    for (report, operations) in reports {
        report.operations = results.by_ref().take(operations.len()).collect();
        let refused = |result: &&OperationResult| matches!(result.status, Status::Refused | Status::Failed);
        for result in report.operations.iter().filter(refused) {
            report.problems.push(PositionProblem {
                code: codes::CHANGE_REFUSED.name.to_owned(),
                message: format!(
                    "{}: {} [{}]",
                    result.op,
                    result.message.as_deref().unwrap_or("it was not carried out"),
                    result.code.as_deref().unwrap_or_default()
                ),
            });
        }
    }
    Ok(())
}
