//! What a caller gets for a change of a document, the same from every surface.

use engross_docx::ops::{OperationResult, Proof, Status, Summary};
use engross_docx::read::Reading;
use serde::Serialize;

use crate::delivery::Delivery;

/// What was done to a document. `O` is an operation's result, possibly with more about it.
#[derive(Debug, Serialize)]
pub struct Receipt<O> {
    /// The document as it was named.
    pub input: String,
    /// The file that was written.
    pub output: Option<String>,
    /// SHA-256 of what was written; of a dry run, of what would be.
    pub sha256: Option<String>,
    /// How many operations ended how.
    pub summary: Summary,
    /// The operations.
    pub operations: Vec<O>,
    /// What was proven.
    pub proof: Proof,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// What was read.
#[derive(Debug, Serialize)]
pub struct ReadReport {
    /// The document as it was named.
    pub file: String,
    /// The paragraphs.
    #[serde(flatten)]
    pub reading: Reading,
}

impl<O> Receipt<O> {
    /// The receipt for operations on `input`; without a `delivery` nothing was written.
    #[must_use]
    pub fn new(
        input: String,
        summary: Summary,
        operations: Vec<O>,
        delivery: Option<Delivery>,
        warnings: Vec<String>,
    ) -> Self {
        let (output, sha256, proof) = match delivery {
            Some(Delivery { output, sha256, proof }) => (output, Some(sha256), proof),
            // Nothing was written, so nothing was proven.
            None => (None, None, Proof::default()),
        };
        Self { input, output, sha256, summary, operations, proof, warnings }
    }
}

/// Whether there is a file to write: an operation was applied, or nothing had to be.
#[must_use]
pub fn has_result(operations: &[OperationResult]) -> bool {
    operations.is_empty() || operations.iter().any(has_worked)
}

/// Whether an operation did what it should, or found that done.
#[must_use]
pub fn has_worked(result: &OperationResult) -> bool {
    matches!(result.status, Status::Applied | Status::NoChange)
}
