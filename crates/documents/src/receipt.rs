//! What a caller gets for a change of a document, the same from every surface.

use engross_docx::ops::{OperationResult, Proof, Status, Summary};
use engross_docx::read::Reading;
use serde::Serialize;

use crate::change::{excerpts, places};
use crate::delivery::Delivery;

/// What was done to a document. `O` is an operation's result, possibly with more about it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
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
    /// How many more operations there were that a terse receipt leaves out; all of them were applied.
    #[serde(skip_serializing_if = "is_none")]
    pub more_operations: usize,
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
        Self { input, output, sha256, summary, operations, more_operations: 0, proof, warnings }
    }

    /// The same in fewer words, as [`terse_operations`] has them.
    #[must_use]
    pub fn terse(mut self, result: impl Fn(&mut O) -> &mut OperationResult) -> Self {
        self.more_operations = terse_operations(&mut self.operations, result);
        self
    }
}

/// Tells of operations in fewer words, for models: texts without what stands far from the change, the first of many places, revisions
/// and applied operations. `result` gives the result of an operation. Says how many operations are left out; all of them were
/// applied. To be done once: what is short already must not be shortened again.
#[must_use]
pub fn terse_operations<O>(
    operations: &mut Vec<O>,
    result: impl Fn(&mut O) -> &mut OperationResult,
) -> usize {
    let before = operations.len();
    let mut applied = 0;
    operations.retain_mut(|operation| {
        let result = result(operation);
        shorten(result);
        applied += usize::from(has_worked(result));
        !has_worked(result) || applied <= MOST_OPERATIONS
    });
    before - operations.len()
}

/// How many applied operations a terse receipt tells.
const MOST_OPERATIONS: usize = 100;

/// How many revisions of an operation a terse receipt names.
const MOST_REVISIONS: usize = 32;

fn shorten(result: &mut OperationResult) {
    result.address = result.address.as_deref().map(places);
    for ids in [&mut result.revision_ids, &mut result.gone_revision_ids] {
        result.more_revisions += ids.len().saturating_sub(MOST_REVISIONS);
        ids.truncate(MOST_REVISIONS);
        ids.shrink_to_fit();
    }
    let (before, after) = (result.before.take(), result.after.take());
    let (was, is) = excerpts(before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
    result.before = before.map(|_| was);
    result.after = after.map(|_| is);
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
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
