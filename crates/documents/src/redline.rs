//! Two documents as one redline, with what people and programs want to know of it.
//!
//! Must never read or write a file.

use engross_docx::ops::Proof;
use engross_docx::{
    CompareError, CompareOptions, ComparedView, DocumentChange, Limitation, Limits, MergeConflict,
    MergeOptions, MergeProof, MergedDocument, changes_of, compare, compare_three, counts_by_story, merged,
    text_changes,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a redline holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RedlineReport {
    /// Whether rejecting gives the document before, and accepting the one after.
    pub proof: Proof,
    /// How many changes of each kind there are, by story.
    pub summary: Value,
    /// The changes, in order.
    pub changes: Vec<DocumentChange>,
    /// Differences that are no tracked changes.
    pub limitations: Vec<Limitation>,
}

/// A redline, and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Redline {
    /// The file.
    pub bytes: Vec<u8>,
    /// What is in it.
    pub report: RedlineReport,
}

/// What a redline of two sides holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergeReport {
    /// Whether rejecting gives the base, and each side's changes alone that side.
    pub proof: MergeProof,
    /// How many changes of each kind there are, by story.
    pub summary: Value,
    /// The changes, in order.
    pub changes: Vec<DocumentChange>,
    /// Places that both sides changed, each in another way.
    pub conflicts: Vec<MergeConflict>,
    /// How many places both sides changed alike.
    pub agreed: usize,
    /// Differences that are no tracked changes.
    pub limitations: Vec<Limitation>,
}

/// Two sides of one document in one file, and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// What is in the redline of both sides.
    pub report: MergeReport,
}

/// Brings two documents that came from one together: as a redline of both, or with all done that is in no conflict.
///
/// # Errors
/// When one of them is no Word document, or passes a limit.
pub fn merge(
    base: Vec<u8>,
    (one, other): (Vec<u8>, Vec<u8>),
    options: &MergeOptions,
    as_redline: bool,
) -> Result<MergedFile, CompareError> {
    let limits = Limits::default();
    let of_file = |error| CompareError { error, is_after: true };
    let made = compare_three(base, one, other, options, &limits)?;
    let bytes = if as_redline { made.bytes.clone() } else { merged(&made, &limits).map_err(of_file)? };
    let changes = changes_of(made.bytes.clone(), &limits).map_err(of_file)?;
    let summary = serde_json::to_value(counts_by_story(&changes)).unwrap_or_default();
    let MergedDocument { conflicts, agreed, limitations, proof, .. } = made;
    let report = MergeReport { proof, summary, changes, conflicts, agreed, limitations };
    Ok(MergedFile { bytes, report })
}

/// What differs between the texts of two documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextReport {
    /// How many changes of each kind there are, by story.
    pub summary: Value,
    /// The changes, in order.
    pub changes: Vec<DocumentChange>,
}

/// Compares the texts of two documents, and makes no redline.
///
/// # Errors
/// When one of them is no Word document, or passes a limit.
pub fn text_differences(
    before: Vec<u8>,
    after: Vec<u8>,
    view: ComparedView,
) -> Result<TextReport, CompareError> {
    let changes = text_changes(before, after, view, &Limits::default())?;
    let summary = serde_json::to_value(counts_by_story(&changes)).unwrap_or_default();
    Ok(TextReport { summary, changes })
}

/// Makes a redline of two documents.
///
/// # Errors
/// When one of them is no Word document, or passes a limit.
pub fn redline(before: Vec<u8>, after: Vec<u8>, options: &CompareOptions) -> Result<Redline, CompareError> {
    let limits = Limits::default();
    let source = before.clone();
    let made = compare(before, after, options, &limits)?;
    // Nothing differs then: tracked changes that wait in both documents are none of this comparison.
    let changes = match made.bytes == source && !options.keep_revisions {
        true => Vec::new(),
        false => changes_of(made.bytes.clone(), &limits)
            .map_err(|error| CompareError { error, is_after: false })?,
    };
    let summary = serde_json::to_value(counts_by_story(&changes)).unwrap_or_default();
    let report = RedlineReport { proof: made.proof, summary, changes, limitations: made.limitations };
    Ok(Redline { bytes: made.bytes, report })
}
