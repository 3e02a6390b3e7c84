//! The answers of the commands that read or change a document: as JSON, and for people.

use std::fmt::Write as _;

use engross_docx::Tracking;
use engross_docx::ops::{OperationResult, Proof, ProofState, Summary};
use engross_docx::read::Reading;
use serde::Serialize;

use crate::change::{Palette, describe};

/// What a command did. `O` is an operation's result, possibly with more about it.
#[derive(Debug, Serialize)]
pub(crate) struct Report<O> {
    /// The document as it was named.
    pub(crate) input: String,
    /// The file that was written.
    pub(crate) output: Option<String>,
    /// SHA-256 of what was written; with `--dry-run` of what would be.
    pub(crate) sha256: Option<String>,
    /// How many operations ended how.
    pub(crate) summary: Summary,
    /// The operations.
    pub(crate) operations: Vec<O>,
    /// What was proven.
    pub(crate) proof: Proof,
    /// What a person should know.
    pub(crate) warnings: Vec<String>,
}

/// What was read.
#[derive(Debug, Serialize)]
pub(crate) struct ReadReport {
    /// The document as it was named.
    pub(crate) file: String,
    /// The paragraphs.
    #[serde(flatten)]
    pub(crate) reading: Reading,
}

/// Nothing was written, so nothing was proven.
pub(crate) const NO_PROOF: Proof =
    Proof { reject: ProofState::NotApplicable, accept: ProofState::NotApplicable };

impl<O> Report<O> {
    /// The report for people; `results` are the operations' results.
    pub(crate) fn text<'a>(
        &self,
        results: impl IntoIterator<Item = &'a OperationResult>,
        palette: Palette,
        end: &str,
    ) -> String {
        let mut out = String::new();
        for result in results {
            out.push_str(&describe(result, palette));
        }
        if !out.is_empty() {
            out.push('\n');
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "Warning: {warning}");
        }
        let Summary { applied, no_change, refused, failed } = self.summary;
        let _ = write!(out, "{applied} applied");
        for (count, name) in [(no_change, "without effect"), (refused, "refused"), (failed, "failed")] {
            if count > 0 {
                let _ = write!(out, ", {count} {name}");
            }
        }
        let _ = writeln!(out, ". {end}");
        out
    }
}

/// What happened to the file, in a sentence.
pub(crate) fn ending(output: Option<&str>, proof: Proof, tracking: Tracking) -> String {
    let Some(output) = output else { return "No file was written.".to_owned() };
    let proven = match (tracking, proof.reject, proof.accept) {
        (Tracking::Tracked, ProofState::Holds, ProofState::Holds) => {
            ": rejecting all gives back the original, accepting all the edited text (both checked)"
        }
        (Tracking::Untracked, _, ProofState::Holds) => {
            ", without tracked changes: it cannot be taken back (the text was checked)"
        }
        _ => "",
    };
    format!("Wrote {output}{proven}.")
}
