//! What is wrong with a document, or worth knowing before it is edited: `engross check`.
//!
//! Every finding has a code of [`crate::CODES`], explained in `docs/guide/checks.md`. Must never change the document, and
//! never call sound what it could not read.

mod package;
mod parts;
mod protection;
mod references;
mod resolution;

use crate::document::WordDocument;
use crate::error::Error;

use crate::rules::{Checks, Finding, Findings, Rule};

use parts::{checked_parts, read_story_parts};

/// Checks the whole document as it is now, with edits that were not saved yet.
///
/// ```
/// use engross_docx::{Limits, WordDocument, check, from_markdown};
///
/// # fn main() -> Result<(), engross_docx::Error> {
/// let bytes = from_markdown("A sound document.", None, &Limits::default())?;
/// assert_eq!(check(&WordDocument::open(bytes, &Limits::default())?)?, []);
/// # Ok(())
/// # }
/// ```
///
/// At most [`Finding::MOST`] findings of one code are listed; one more then says how many there are besides.
///
/// # Errors
/// When a part of the package cannot be unpacked. XML that cannot be parsed is a finding, not an error.
pub fn check(document: &WordDocument) -> Result<Vec<Finding>, Error> {
    let mut findings = Findings::default();
    let trees = read_story_parts(document, &mut findings)?;
    let parts = checked_parts(document, &trees);
    package::check(document, &parts, &mut findings)?;
    let mut known = document.definitions(&mut findings)?;
    for part in &parts {
        known.add_notes(part.document);
    }
    let mut checks = Checks::of(&known);
    for part in &parts {
        let before = findings.counts();
        checks.run(part, part.document, &mut findings);
        let own = findings.counts_since(&before);
        resolution::check(document, part, &own, &mut findings);
    }
    references::check_threads(document, &parts, &mut findings)?;
    references::check_targets(document, &mut findings);
    protection::check(document, &mut findings);
    Ok(findings.into_list())
}

/// What guards the document against changes: a signature, a protection, a wish of its author. An editor should tell it
/// before somebody wonders why Word calls the signature invalid; it hinders no edit.
#[must_use]
pub fn guards(document: &WordDocument) -> Vec<Finding> {
    let mut findings = Findings::default();
    protection::check(document, &mut findings);
    findings.into_list().into_iter().filter(|finding| finding.code != Rule::TrackingOn.code()).collect()
}

#[cfg(test)]
mod check_tests;
