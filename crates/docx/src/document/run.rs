//! A batch under way: what is known of each of its operations.
//!
//! Must never change a document.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use engross_xml::{Document, NodeId};

use super::controls::BoundData;
use crate::edit::{PendingParts, Signature};
use crate::error::Refusal;
use crate::names::P;
use crate::ops::{Batch, Operation, OperationOutcome, Outcome};

/// A paragraph of a part.
pub(super) type PartNode = (String, NodeId);

/// A paragraph as it was before a batch.
#[derive(Debug, Clone)]
pub(super) struct Anchor {
    pub(super) part: String,
    /// `P12`, as it was.
    pub(super) address: String,
    pub(super) paragraph: NodeId,
    /// Its first run: what new paragraphs at the end of a container do not move it out of.
    pub(super) run: Option<NodeId>,
}

impl Anchor {
    /// The element in which the paragraph's beginning stands now.
    pub(super) fn element(&self, tree: &Document) -> NodeId {
        let around = self.run.and_then(|run| tree.ancestors(run).find(|above| tree.name(*above) == P));
        around.unwrap_or(self.paragraph)
    }
}

/// A batch under way.
pub(super) struct Run<'a> {
    pub(super) batch: &'a Batch,
    pub(super) signature: Signature<'a>,
    pub(super) pending: PendingParts,
    /// The first revision id of the batch.
    pub(super) first_id: i64,
    /// One for each operation.
    pub(super) outcomes: Vec<OperationOutcome>,
    /// The outcomes of operations on several stories, one for each.
    pub(super) parts: BTreeMap<usize, Vec<OperationOutcome>>,
    /// What people should know of operations, however they end.
    pub(super) remarks: BTreeMap<usize, Vec<String>>,
    /// The data that operations change when they are applied.
    pub(super) data: BTreeMap<usize, Vec<BoundData>>,
    /// Operations that are refused before they are tried.
    pub(super) skipped: BTreeSet<usize>,
    /// Whether any field or link may refer to something.
    pub(super) has_references: bool,
    /// By operation on references: the paragraph that it changes.
    pub(super) anchors: BTreeMap<usize, Anchor>,
    /// By operation: the paragraph to which it lets references lead.
    pub(super) targets: BTreeMap<usize, Anchor>,
    /// Paragraphs that the batch deletes, empties or moves away.
    pub(super) gone: HashSet<PartNode>,
    /// By story: its paragraphs as they were read, where the batch resolved revisions before it edits.
    pub(super) as_read: HashMap<PartNode, Vec<NodeId>>,
}

impl<'a> Run<'a> {
    pub(super) fn operation(&self, index: usize) -> Option<&'a Operation> {
        self.batch.operations.get(index)
    }

    /// The operations with their numbers.
    pub(super) fn operations(&self) -> impl Iterator<Item = (usize, &'a Operation)> + use<'a> {
        self.batch.operations.iter().enumerate()
    }

    pub(super) fn is_skipped(&self, index: usize) -> bool {
        self.skipped.contains(&index)
    }

    /// Refuses an operation before it is tried.
    pub(super) fn refuse(&mut self, index: usize, refusal: Refusal) {
        self.skipped.insert(index);
        self.set(index, Outcome::from(refusal));
    }

    /// The outcome of an operation that is refused after all, with the place that it looked at.
    pub(super) fn refused(&self, index: usize, refusal: Refusal) -> OperationOutcome {
        let done = self.outcomes.get(index).cloned().unwrap_or_default();
        OperationOutcome { outcome: refusal.into(), ..done }
    }

    /// In whose name an operation writes.
    pub(super) fn author_of(&self, index: usize) -> &'a str {
        let own = self.operation(index).and_then(|operation| operation.author.as_deref());
        own.unwrap_or(self.signature.author)
    }

    /// The operations that made any of these revisions.
    pub(super) fn operations_with(&self, ids: &BTreeSet<i64>) -> BTreeSet<usize> {
        let made = |done: &OperationOutcome| match &done.outcome {
            Outcome::Applied(change) => change.revision_ids.iter().any(|id| ids.contains(id)),
            _ => false,
        };
        self.outcomes.iter().enumerate().filter(|(_, done)| made(done)).map(|(index, _)| index).collect()
    }

    pub(super) fn set(&mut self, index: usize, outcome: impl Into<OperationOutcome>) {
        if let Some(known) = self.outcomes.get_mut(index) {
            *known = outcome.into();
        }
    }
}
