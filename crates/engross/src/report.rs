//! The receipt of a change, for people.

use std::fmt::Write as _;

use engross_documents::Receipt;
use engross_docx::Tracking;
use engross_docx::ops::{OperationResult, Proof, ProofBase, ProofState, Summary};

use crate::change::{Palette, describe};

/// The receipt for people; `results` are the operations' results.
pub(crate) fn text<'a, O>(
    receipt: &Receipt<O>,
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
    for warning in &receipt.warnings {
        let _ = writeln!(out, "Warning: {warning}");
    }
    let Summary { applied, no_change, refused, failed } = receipt.summary;
    let _ = write!(out, "{applied} applied");
    for (count, name) in [(no_change, "without effect"), (refused, "refused"), (failed, "failed")] {
        if count > 0 {
            let _ = write!(out, ", {count} {name}");
        }
    }
    let _ = writeln!(out, ". {end}");
    out
}

/// What happened to the file, in a sentence.
pub(crate) fn ending(output: Option<&str>, proof: Proof, tracking: Tracking) -> String {
    let Some(output) = output else { return "No file was written.".to_owned() };
    let proven = match (tracking, proof.reject, proof.accept) {
        (Tracking::Tracked, ProofState::Holds, ProofState::Holds) if proof.base == ProofBase::BeforeOwn => {
            ": rejecting your changes gives back the text before all of your rounds, accepting them the edited text (both \
             checked)"
        }
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
