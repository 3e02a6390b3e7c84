//! The receipt of a change and what it did besides, as people and agents read it.

use std::fmt::Write as _;

use engross_docx::ops::{OperationResult, Proof, ProofBase, ProofState, Summary};
use engross_docx::{Effects, NumberChange, Reference, TermChange, Tracking};

use crate::Receipt;
use crate::change::{Palette, describe, printable};

/// How many new numbers are told.
const RENUMBERED_SHOWN: usize = 3;

/// The receipt for people; `results` are the operations' results.
pub fn text<'a, O>(
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
    let _ = writeln!(out, "{}. {end}", counts(receipt.summary));
    out
}

/// How many operations ended how.
#[must_use]
pub fn counts(summary: Summary) -> String {
    let Summary { applied, no_change, refused, failed } = summary;
    let mut out = format!("{applied} applied");
    for (count, name) in [(no_change, "without effect"), (refused, "refused"), (failed, "failed")] {
        if count > 0 {
            let _ = write!(out, ", {count} {name}");
        }
    }
    out
}

/// What happened to the file, in a sentence.
#[must_use]
pub fn ending(output: Option<&str>, proof: Proof, tracking: Tracking) -> String {
    let Some(output) = output else { return "No file was written.".to_owned() };
    let proven = match (tracking, proof.reject, proof.accept) {
        (Tracking::Tracked, ProofState::Holds, ProofState::Holds) if proof.base == ProofBase::BeforeOwn => {
            ": rejecting your changes gives back the text before all of your rounds, accepting them the edited text (both \
             checked)"
        }
        (Tracking::Tracked, ProofState::Holds, ProofState::Holds) if proof.base == ProofBase::Resolved => {
            ": rejecting all gives back the document with the changes accepted or rejected as asked, accepting all the edited text (both \
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

/// The further effects of the edits, for people.
#[must_use]
pub fn effects(effects: &Effects) -> String {
    let mut out = String::new();
    // A clause that comes or goes moves all behind it; the first say how.
    for NumberChange { address, from, to } in effects.renumbered.iter().take(RENUMBERED_SHOWN) {
        let _ = writeln!(out, "{address} was {from} and is {to}.");
    }
    if let Some(more) = effects.renumbered.len().checked_sub(RENUMBERED_SHOWN).filter(|more| *more > 0) {
        let s = if more == 1 { "" } else { "s" };
        let _ = writeln!(out, "{more} more paragraph{s} behind have other numbers; --json lists them.");
    }
    for Reference { address, names, now, .. } in &effects.stale_references {
        let now = now.as_deref().unwrap_or("gone");
        let _ = writeln!(out, "{address} says {}, which is {now} now.", printable(names));
    }
    for Reference { address, names, .. } in &effects.dangling_references {
        let _ = writeln!(out, "{address} refers to {}, which has no text any more.", printable(names));
    }
    for address in &effects.outdated_contents {
        let _ = writeln!(out, "The table of contents at {address} needs an update.");
    }
    if effects.fields_to_update > 0 {
        let fields = if effects.fields_to_update == 1 { "field shows" } else { "fields show" };
        let _ = writeln!(out, "{} {fields} something old until updated.", effects.fields_to_update);
    }
    for term in &effects.defined_terms {
        let what = match term.change {
            TermChange::Added => "is defined now",
            TermChange::Removed => "is not defined any more",
            TermChange::Changed => "is defined in other words",
        };
        let used = if term.used.is_empty() {
            "not used".to_owned()
        } else {
            format!("used in {}", term.used.join(", "))
        };
        let _ = writeln!(out, "{} {what}; {used}.", printable(&term.term));
    }
    let more = effects.more;
    let left_out = more.renumbered + more.stale_references + more.dangling_references + more.defined_terms;
    if left_out > 0 {
        let _ = writeln!(out, "There are {left_out} more such effects.");
    }
    out
}
