//! Handles the end of the content: assembly, validation, repair, commit.

use super::machine::WriteSession;
use super::options::{Join, Unwrap, WriteOperation};
use super::prompts;
use super::state::{
    Assembly, AssemblyBase, CommittedFile, Prompt, Spool, State, WriteAction, WriteEvent, WriteReceipt,
    WriteWarning,
};
use crate::codes;
use crate::error::{Error, WriteFailure};
use crate::framing::ContentEnd;
use crate::patch::{PatchError, PatchSpec};
use crate::validate::{ContentFinding, FindingSeverity, ValidationMode, ValidationReport};

impl WriteSession {
    /// The content has ended.
    pub(super) fn close(&mut self, end: ContentEnd, spool: &mut impl Spool, actions: &mut Vec<WriteAction>) {
        if end.length < self.framer.released() {
            spool.truncate(end.length);
        }
        if end.length > self.options.max_bytes {
            return self.fail(Error::TooLarge { limit: self.options.max_bytes }, actions);
        }
        let is_empty = self.framer.is_blank() || end.length == 0;
        let is_patch = self.options.operation == WriteOperation::Patch || self.patch.is_some();
        if is_empty && !self.options.allow_empty && !is_patch {
            self.replace = true;
            self.go_to(State::Incomplete, Some(Error::EmptyContent.into()), actions);
            actions.push(WriteAction::Ask(prompts::empty(&self.options, &self.marker)));
            return;
        }
        actions.push(WriteAction::Sync);
        self.go_to(State::Validating, None, actions);
        actions.push(WriteAction::Validate(self.assembly()));
    }

    pub(super) fn assembly(&self) -> Assembly {
        let base = match (&self.patch, &self.options.patch, self.options.operation) {
            (Some(spec), ..) => AssemblyBase::SetAside(spec.clone()),
            (None, Some(spec), _) => AssemblyBase::Target(spec.clone()),
            (None, None, WriteOperation::Append) => {
                AssemblyBase::BehindTarget { newline: self.options.join == Some(Join::Newline) }
            }
            (None, None, _) => AssemblyBase::Nothing,
        };
        let kind = self.options.kind();
        let unwrap = self.options.unwrap == Unwrap::Auto;
        Assembly { base, unwrap, kind, mode: self.options.mode() }
    }

    /// Why the file is not written as it is, if its report says so.
    pub(crate) fn refusal(&self, report: &ValidationReport) -> Option<Error> {
        let mode = self.options.mode();
        let errors: Vec<&ContentFinding> =
            report.findings.iter().filter(|finding| finding.severity == FindingSeverity::Error).collect();
        // An end line that was not understood as one is never content, however little is looked at.
        let marked = errors.iter().find(|finding| finding.code == codes::MARKER_IN_CONTENT.name);
        // Who sends the same once more means it.
        let is_again = self.refused == Some(self.seam.digest());
        let part = report.missing_part().filter(|_| self.has_seam() && !is_again);
        // A hint may be meant; what else was put between or around the content is of a file only where nobody looks.
        let is_asked = self.has_seam() && self.options.validate.is_none();
        let stray =
            report.stray().filter(|stray| is_asked && (!is_again || stray.severity != FindingSeverity::Hint));
        match (marked, errors.first()) {
            (Some(marked), _) if mode != ValidationMode::Off => {
                Some(Error::MarkerInContent { line: marked.line })
            }
            _ if self.has_seam() && !is_again && self.framer.done_within().is_some() => {
                Some(Error::AmbiguousEnd { line: self.framer.done_within().unwrap_or_default() })
            }
            _ if part.is_some() => Some(Error::ValidationFailed {
                errors: 1,
                line: 1,
                message: part.map(|part| part.message.clone()).unwrap_or_default(),
            }),
            (None, Some(first)) if mode == ValidationMode::Strict || self.is_doubted(report) => {
                Some(Error::ValidationFailed {
                    errors: errors.len(),
                    line: first.line,
                    message: first.message.clone(),
                })
            }
            (None, _) if stray.is_some() => {
                let (line, message) =
                    stray.map(|stray| (stray.line, stray.message.clone())).unwrap_or_default();
                Some(Error::ValidationFailed { errors: 1, line, message })
            }
            _ => None,
        }
    }

    pub(super) fn validated(&mut self, mut report: ValidationReport, actions: &mut Vec<WriteAction>) {
        self.patch = None;
        if let Some(line) = self.framer.done_within().filter(|_| self.has_seam()) {
            let message = "this line is DONE, and more follows it: these may be two files";
            let mut finding =
                ContentFinding::new(codes::PROMPT_ARTEFACT.name, FindingSeverity::Hint, message);
            finding.line = line;
            report.findings.insert(0, finding);
        }
        if let Some(problem) = self.refusal(&report) {
            self.refused = Some(self.seam.digest());
            let left = self.options.repair_attempts.saturating_sub(self.repairs + 1);
            let prompt = prompts::repair(&self.options, &self.marker, &report, self.has_done_within(), left);
            return self.ask_for_repair(problem, prompt, actions);
        }
        self.validators = report.validators;
        for finding in report.findings {
            self.warn(&finding.code, format!("line {}: {}", finding.line, finding.message));
        }
        self.go_to(State::Committing, None, actions);
        actions.push(WriteAction::Commit);
    }

    /// Whether findings that are warnings as a rule stop the file once: words to the reader in it; errors that the old file had
    /// not, or that a joint may have made. A model that sends the same once more means it, unless it is words to the reader.
    fn is_doubted(&self, report: &ValidationReport) -> bool {
        let mut errors = report.findings.iter().filter(|finding| finding.severity == FindingSeverity::Error);
        if self.options.validate.is_some() || !self.has_seam() {
            return false;
        }
        if errors.clone().any(|finding| finding.code == codes::PROMPT_ARTEFACT.name) {
            return true;
        }
        let is_new = report.was_sound || self.guard.rounds() > 0;
        is_new && errors.next().is_some() && self.refused != Some(self.seam.digest())
    }

    pub(super) fn patch_failed(&mut self, error: PatchError, actions: &mut Vec<WriteAction>) {
        self.patch = None;
        let left = self.options.repair_attempts.saturating_sub(self.repairs + 1);
        let prompt = prompts::patch_again(&self.options, &self.marker, &error, left);
        self.ask_for_repair(error.into(), prompt, actions);
    }

    fn ask_for_repair(&mut self, problem: Error, prompt: Prompt, actions: &mut Vec<WriteAction>) {
        let problem = WriteFailure::from(problem);
        if self.repairs >= self.options.repair_attempts {
            return self.go_to(State::Failed, Some(problem), actions);
        }
        self.repairs += 1;
        self.replace = true;
        self.go_to(State::NeedsRepair, Some(problem), actions);
        actions.push(WriteAction::Ask(prompt));
    }

    /// The next content is a patch: of the content that was refused, or, in a session that patches its target, another
    /// one of that.
    pub(super) fn take_patch(&mut self, spec: PatchSpec) -> Result<(), WriteFailure> {
        if self.state != State::NeedsRepair {
            let problem = "a patch is taken only where a repair was asked for";
            return Err(Error::Options(problem.to_owned()).into());
        }
        if self.options.operation == WriteOperation::Append {
            // The lines that were told count from the beginning of the file, not of what is appended.
            let problem = "an appended text is not patched: send it again";
            return Err(Error::Options(problem.to_owned()).into());
        }
        if self.options.operation == WriteOperation::Patch {
            self.options.patch = Some(spec);
        } else {
            self.patch = Some(spec);
        }
        Ok(())
    }

    pub(super) fn committed(&mut self, written: CommittedFile, actions: &mut Vec<WriteAction>) {
        if self.framer.after_end() > 0 {
            let message = format!(
                "{} bytes of text came after the end and are not in the file",
                self.framer.after_end()
            );
            self.warn(codes::TEXT_AFTER_END.name, message);
        }
        if self.framer.replaced() > 0 {
            let message =
                format!("U+FFFD stands in {} places for what was not UTF-8", self.framer.replaced());
            self.warn(codes::ENCODING_REPLACED.name, message);
        }
        self.warnings.extend(written.changes);
        let receipt = WriteReceipt {
            path: written.path,
            bytes: written.bytes,
            lines: written.lines,
            sha256: written.sha256,
            previous_sha256: written.previous_sha256,
            validators: self.validators.clone(),
            repairs: self.repairs,
            continuations: self.earlier_rounds + self.guard.rounds(),
            warnings: self.warnings.clone(),
            checkpoint: written.checkpoint,
            diff: written.diff,
        };
        self.receipt = Some(receipt.clone());
        self.go_to(State::Committed, None, actions);
        actions.push(WriteAction::Publish(WriteEvent::Receipt(receipt)));
    }

    pub(super) fn warn(&mut self, code: &str, message: String) {
        self.warnings.push(WriteWarning { code: code.to_owned(), message });
    }
}
