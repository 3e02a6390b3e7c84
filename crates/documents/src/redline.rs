//! Two documents as one redline, with what people and programs want to know of it.
//!
//! Must never read or write a file.

use engross_docx::ops::Proof;
use engross_docx::{
    CompareError, CompareOptions, DocumentChange, Limitation, Limits, changes_of, compare, counts_by_story,
};
use serde::Serialize;
use serde_json::Value;

/// What a redline holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
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

/// Makes a redline of two documents.
///
/// # Errors
/// When one of them is no Word document, or passes a limit.
pub fn redline(before: Vec<u8>, after: Vec<u8>, options: &CompareOptions) -> Result<Redline, CompareError> {
    let limits = Limits::default();
    let made = compare(before, after, options, &limits)?;
    let changes =
        changes_of(made.bytes.clone(), &limits).map_err(|error| CompareError { error, is_after: false })?;
    let summary = serde_json::to_value(counts_by_story(&changes)).unwrap_or_default();
    let report = RedlineReport { proof: made.proof, summary, changes, limitations: made.limitations };
    Ok(Redline { bytes: made.bytes, report })
}
