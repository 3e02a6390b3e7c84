//! How an answer is told: its words on standard output, everything else on standard error.
//!
//! Must never send to a terminal what a model or a document could steer it with.

use std::io::IsTerminal;
use std::path::Path;

use engross_agent::session::{
    AnswerFinish, LogEvent, Observer, Standing, StoredEntries, ToolStep, TurnEvent, WriteReport,
};
use engross_documents::change::{Palette, describe, printable, printable_lines};
use engross_documents::report::ending;
use engross_docx::Tracking;
use engross_docx::ops::{OperationResult, Proof, ProofState, Status, Summary};
use engross_llm::Message;
use engross_protocol::Failure;
use engross_write::session::WriteWarning;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use engross_compose::console::{note, print};

/// The tool whose end is told: a file that is written.
const WRITES: &str = "WritePlanTool_begin";

/// What a person is told of an answer without a word.
pub(super) const EMPTY: &str = "The model has answered nothing; ask again, or in other words";

/// Characters of an earlier message that are shown.
const RECALLED: usize = 300;

/// What came of a round of tools, or of a file.
pub(super) enum StoredOutcome {
    /// The particulars of a round of tools.
    Round(Value),
    File(WriteReport),
    /// A call that came to nothing, as the model reads it.
    Refused(String),
}

/// Hears what tools have done, and passes it on.
pub(super) struct Outcomes(UnboundedSender<StoredOutcome>);

impl Outcomes {
    pub(super) fn new(sender: UnboundedSender<StoredOutcome>) -> Self {
        Self(sender)
    }
}

impl Observer for Outcomes {
    fn stored(&self, stored: StoredEntries<'_>) {
        let mut last = None;
        for event in stored.events {
            match event {
                // All calls of one round have the same particulars.
                LogEvent::Resulted { details: Some(details), .. }
                    if last.replace(details) != Some(details) =>
                {
                    let _ = self.0.send(StoredOutcome::Round(details.clone()));
                }
                LogEvent::Resulted { details: None, is_error: true, content, .. } => {
                    let _ = self.0.send(StoredOutcome::Refused(content.clone()));
                }
                LogEvent::Wrote(report) if report.standing != Standing::GoesOn => {
                    let _ = self.0.send(StoredOutcome::File(report.clone()));
                }
                _ => {}
            }
        }
    }
}

/// What people read of a call that was refused; nothing where they know already, or are told of its operations one by one.
pub(super) fn refusal_of(content: &str) -> Option<String> {
    let Ok(refusal) = serde_json::from_str::<ToolRefusal>(content) else {
        // Words for the model, such as that there is no such tool: the first of them say what is wrong.
        let first = content.lines().next().unwrap_or_default();
        let end = first.find(". ").map_or(first.len(), |at| at + 1);
        return first.get(..end).filter(|said| !said.is_empty()).map(str::to_owned);
    };
    let ToolProblem { code, message } = refusal.error;
    (!code.is_empty() && code != "EDITS_DECLINED").then(|| format!("{message} [{code}]"))
}

/// What the model reads of a call that was refused.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolRefusal {
    error: ToolProblem,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolProblem {
    code: String,
    message: String,
}

/// The result of a file, as the model reads it.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct FileOutcome {
    pub(super) target_file: String,
    pub(super) receipt: ReceiptDetails,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ReceiptDetails {
    pub(super) sha256: String,
    pub(super) previous_sha256: Option<String>,
    pub(super) warnings: Vec<WriteWarning>,
}

impl FileOutcome {
    pub(super) fn of(report: &WriteReport) -> Self {
        let mut outcome: Self = serde_json::from_str(&report.say).unwrap_or_default();
        if outcome.target_file.is_empty() {
            "The file".clone_into(&mut outcome.target_file);
        }
        outcome
    }
}

/// The particulars of a round of edits.
#[derive(Deserialize)]
pub(super) struct EditDetails {
    #[serde(default)]
    pub(super) operations: Vec<OperationResult>,
    proof: Option<Proof>,
}

/// What a turn did to the document.
#[derive(Debug, Default)]
pub(super) struct PrintedEdit {
    summary: Summary,
    proof: Option<Proof>,
}

impl PrintedEdit {
    /// Counts a round of edits; gives whether the document was changed.
    pub(super) fn add(&mut self, edit: &EditDetails) -> bool {
        let EditDetails { operations, proof } = edit;
        let Summary { applied, no_change, refused, failed } = Summary::of(operations);
        let sum = &mut self.summary;
        sum.applied += applied;
        sum.no_change += no_change;
        sum.refused += refused;
        sum.failed += failed;
        let is_edited = proof.is_some()
            && (operations.is_empty() || operations.iter().any(|one| one.status == Status::Applied));
        if is_edited {
            self.proof = *proof;
        }
        is_edited
    }

    /// What was done to the document, and what was proven.
    pub(super) fn sentence(&self, target: &Path) -> Option<String> {
        let proof = self.proof?;
        let tracking =
            if proof.reject == ProofState::Holds { Tracking::Tracked } else { Tracking::Untracked };
        let Summary { applied, refused, failed, .. } = self.summary;
        let left = refused + failed;
        let left = if left > 0 { format!(", {left} not") } else { String::new() };
        let end = ending(Some(&target.display().to_string()), proof, tracking);
        Some(format!("{applied} applied{left}. {end}"))
    }

    /// Whether something was tried, and none of it worked.
    pub(super) fn nothing_worked(&self) -> bool {
        let Summary { applied, no_change, refused, failed } = self.summary;
        refused + failed > 0 && applied + no_change == 0
    }
}

/// Tells an answer.
pub(super) struct AnswerPrinter {
    palette: Palette,
    /// Whether standard output stands in the middle of a line.
    within_line: bool,
    /// Whether anything was told of the answer.
    has_told: bool,
    made: PrintedEdit,
}

impl AnswerPrinter {
    pub(super) fn new(allows_colour: bool) -> Self {
        let palette = Palette::new(allows_colour && std::io::stderr().is_terminal());
        Self { palette, within_line: false, has_told: false, made: PrintedEdit::default() }
    }

    /// Tells how the conversation ended last time.
    pub(super) fn recall(&self, messages: &[Message]) {
        for line in earlier(messages) {
            note(&line);
        }
    }

    /// Tells what happened.
    pub(super) fn event(&mut self, event: TurnEvent) -> Result<(), Failure> {
        self.has_told |= match &event {
            TurnEvent::Text(text) => !text.trim().is_empty(),
            event => matches!(
                event,
                TurnEvent::Status { .. } | TurnEvent::Warning { .. } | TurnEvent::Failed { .. }
            ),
        };
        match event {
            TurnEvent::Text(text) => {
                self.within_line = !text.ends_with('\n');
                print(&printable_lines(&text))
            }
            TurnEvent::Status { message, step: ToolStep::Done, tool, .. } if tool == WRITES => {
                self.break_line()?;
                note(&printable(&message));
                Ok(())
            }
            TurnEvent::Status { message, step: ToolStep::Started, .. } => {
                self.break_line()?;
                note(&printable(&message));
                Ok(())
            }
            TurnEvent::Warning { code, message } => {
                self.break_line()?;
                note(&format!("Warning: {} [{code}]", printable(&message)));
                Ok(())
            }
            TurnEvent::Done { finish, .. } => {
                self.break_line()?;
                match finish {
                    AnswerFinish::Length => note("The answer was cut at the model's limit; ask it to go on"),
                    AnswerFinish::ContentFilter => {
                        note("The provider's filter cut the answer; ask in other words");
                    }
                    AnswerFinish::Stop if !self.has_told => note(EMPTY),
                    AnswerFinish::Stop | AnswerFinish::ToolCalls => {}
                }
                self.has_told = false;
                Ok(())
            }
            TurnEvent::Status { .. }
            | TurnEvent::Content { .. }
            | TurnEvent::Thinking { .. }
            | TurnEvent::Call { .. }
            | TurnEvent::Thoughts(_)
            | TurnEvent::Likelihoods(_)
            | TurnEvent::Failed { .. } => Ok(()),
        }
    }

    /// Ends the line that standard output stands in.
    pub(super) fn break_line(&mut self) -> Result<(), Failure> {
        if std::mem::take(&mut self.within_line) { print("\n") } else { Ok(()) }
    }

    /// Tells a round of edits; gives whether the document was changed.
    pub(super) fn edit(&mut self, details: Value) -> bool {
        let Ok(edit) = serde_json::from_value::<EditDetails>(details) else { return false };
        for operation in &edit.operations {
            note(describe(operation, self.palette).trim_end());
        }
        self.made.add(&edit)
    }

    /// Tells what is to be known of a file beside that it is written; gives whether it is.
    pub(super) fn file(&mut self, report: &WriteReport) -> Result<bool, Failure> {
        let FileOutcome { target_file, receipt } = FileOutcome::of(report);
        let file = printable(&target_file);
        self.break_line()?;
        match report.standing {
            Standing::Written => {
                for WriteWarning { code, message } in &receipt.warnings {
                    note(&format!("Warning: {file}: {} [{code}]", printable(message)));
                }
            }
            // The answer says that it is left, and how to go on.
            Standing::Left | Standing::GoesOn => {}
            Standing::Failed => note(&format!("{file} was not written [{}]", report.code)),
        }
        Ok(report.standing == Standing::Written)
    }

    /// Tells what the turn did to the document; gives it, and begins anew.
    pub(super) fn end(&mut self, target: Option<&Path>) -> PrintedEdit {
        let made = std::mem::take(&mut self.made);
        if let Some(sentence) = target.and_then(|target| made.sentence(target)) {
            note(&sentence);
        }
        made
    }
}

/// How a conversation ended last time, in a line for each side.
pub(super) fn earlier(messages: &[Message]) -> Vec<String> {
    let asked = messages.iter().rev().find_map(|message| match message {
        Message::User { content, .. } => Some(content),
        _ => None,
    });
    let said = messages.iter().rev().find_map(|message| match message {
        Message::Assistant { content, .. } if !content.trim().is_empty() => Some(content),
        _ => None,
    });
    let line = |(who, words): (&str, Option<&String>)| {
        let words = words?.trim();
        let shown: String = printable(words).chars().take(RECALLED).collect();
        let more = if words.chars().nth(RECALLED).is_some() { " …" } else { "" };
        Some(format!("Earlier, {who}: {shown}{more}"))
    };
    [("You", asked), ("engross", said)].into_iter().filter_map(line).collect()
}
