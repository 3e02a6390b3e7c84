//! Earlier authors' revisions, laid open while two documents are compared: what they are of is noted, and they go.
//!
//! All text stands open then: what somebody inserted is there, and what somebody deleted, too. A run, paragraph, row or cell has in
//! an attribute, which no written file has, who inserted and who deleted it. `kept_markup` puts the revisions back. Records of
//! changed properties stay where they are. Must never decide what is a difference.

use engross_xml::{Document, NodeId, NodeKind};
use serde::{Deserialize, Serialize};

use crate::model::{RevisionStamp, is_range_marker, is_revision_wrapper};
use crate::names::{
    AUTHOR, CELL_DEL, CELL_INS, DATE, DEL, DEL_INSTR_TEXT, DEL_TEXT, INS, INSTR_TEXT, KEPT_REVISION,
    M_CTRL_PR, M_R_PR, MOVE_FROM, NUM_PR, P, P_PR, R_PR, RUN, T, TC, TC_PR, TR, TR_PR, TXBX_CONTENT,
};
use crate::revisions::is_move_or_custom_range;
use crate::signature::holds_inline;

/// Who made a revision, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reviser {
    pub(super) author: String,
    pub(super) date: Option<String>,
}

impl Reviser {
    pub(super) fn of(document: &Document, node: NodeId) -> Self {
        let RevisionStamp { author, date, .. } = RevisionStamp::of(document, node);
        Self { author, date }
    }

    /// Gives a revision this author and date.
    pub(super) fn sign(&self, document: &mut Document, revision: NodeId) {
        document.set_attribute(revision, AUTHOR, &self.author);
        match &self.date {
            Some(date) => document.set_attribute(revision, DATE, date),
            None => document.remove_attribute(revision, DATE),
        }
    }
}

/// What earlier revisions make of a run, a paragraph's border, a row or a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptState {
    pub(super) inserted: Option<Reviser>,
    pub(super) deleted: Option<Reviser>,
}

impl KeptState {
    pub(super) fn of(document: &Document, node: NodeId) -> Self {
        let written = document.attribute(node, KEPT_REVISION);
        written.and_then(|written| serde_json::from_str(&written).ok()).unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.inserted.is_none() && self.deleted.is_none()
    }

    pub(super) fn write(&self, document: &mut Document, node: NodeId) {
        match serde_json::to_string(self) {
            Ok(written) if !self.is_empty() => document.set_attribute(node, KEPT_REVISION, &written),
            _ => document.remove_attribute(node, KEPT_REVISION),
        }
    }

    /// What both documents have: it was there before the first one's insertion, and is gone after the second one's deletion.
    pub(super) fn met(before: Self, after: Self) -> Self {
        Self { inserted: before.inserted, deleted: after.deleted }
    }

    fn note(&mut self, document: &Document, revision: NodeId) {
        let slot = match document.name(revision) {
            DEL | MOVE_FROM | CELL_DEL => &mut self.deleted,
            _ => &mut self.inserted,
        };
        slot.get_or_insert_with(|| Reviser::of(document, revision));
    }
}

/// Takes the revisions off, and notes them where they were when they shall come back.
pub(super) fn lay_open(tree: &mut Document, noted: bool) {
    let nodes: Vec<NodeId> = tree.descendants(tree.root()).collect();
    let mut states: Vec<(NodeId, KeptState)> = Vec::new();
    for node in &nodes {
        // Nobody but this file writes it.
        tree.remove_attribute(*node, KEPT_REVISION);
        let state = state_of(tree, *node);
        if noted && !state.is_empty() {
            states.push((*node, state));
        }
    }
    for (node, state) in states {
        state.write(tree, node);
    }
    for node in nodes {
        let name = tree.name(node);
        match name {
            DEL_TEXT => tree.rename(node, T),
            DEL_INSTR_TEXT => tree.rename(node, INSTR_TEXT),
            CELL_INS | CELL_DEL => take_mark(tree, node),
            name if is_move_or_custom_range(name) => tree.detach(node),
            name if is_revision_wrapper(name) => {
                let above = tree.parent(node).map(|parent| tree.name(parent));
                match above {
                    Some(R_PR | TR_PR | NUM_PR | M_R_PR | M_CTRL_PR) => take_mark(tree, node),
                    _ => tree.unwrap(node),
                }
            }
            _ => {}
        }
    }
}

/// Takes a mark out of its properties, and these when nothing else is in them.
fn take_mark(tree: &mut Document, mark: NodeId) {
    let mut above = tree.parent(mark);
    tree.detach(mark);
    while let Some(node) = above.filter(|node| {
        matches!(tree.name(*node), R_PR | P_PR | TR_PR | TC_PR | NUM_PR | M_CTRL_PR)
            && tree.first_child(*node).is_none()
    }) {
        above = tree.parent(node);
        tree.detach(node);
    }
}

fn state_of(tree: &Document, node: NodeId) -> KeptState {
    let mut state = KeptState::default();
    let name = tree.name(node);
    let mut marks = |owner: NodeId, path: &[engross_xml::QName]| {
        let mut at = Some(owner);
        for step in path {
            at = at.and_then(|at| tree.child(at, *step));
        }
        for mark in at.into_iter().flat_map(|properties| tree.children(properties)) {
            let name = tree.name(mark);
            if is_revision_wrapper(name) || matches!(name, CELL_INS | CELL_DEL) {
                state.note(tree, mark);
            }
        }
    };
    match name {
        P => marks(node, &[P_PR, R_PR]),
        TR => marks(node, &[TR_PR]),
        TC => marks(node, &[TC_PR]),
        _ if is_carrier(tree, node) => {
            for above in tree.ancestors(node) {
                match tree.name(above) {
                    P | TXBX_CONTENT => break,
                    name if is_revision_wrapper(name) => state.note(tree, above),
                    _ => {}
                }
            }
        }
        _ => {}
    }
    state
}

/// Whether a revision around a node is noted at the node itself: at a run, and at what stands in a revision beside runs.
fn is_carrier(tree: &Document, node: NodeId) -> bool {
    let name = tree.name(node);
    if name == RUN {
        return true;
    }
    let is_in_revision = || tree.parent(node).is_some_and(|parent| is_revision_wrapper(tree.name(parent)));
    tree.kind(node) == NodeKind::Element && !is_range_marker(name) && !holds_inline(name) && is_in_revision()
}

/// Whether a part has something noted.
pub(super) fn is_laid_open(tree: &Document) -> bool {
    tree.descendants(tree.root()).any(|node| tree.attribute(node, KEPT_REVISION).is_some())
}

/// The mark that inserted or deleted, among the marks of an owner.
pub(super) fn marks_of(tree: &Document, owner: NodeId) -> Option<NodeId> {
    match tree.name(owner) {
        P => tree.child(owner, P_PR).and_then(|properties| tree.child(properties, R_PR)),
        TR => tree.child(owner, TR_PR),
        TC => tree.child(owner, TC_PR),
        _ => None,
    }
}

/// Whether a mark tells of an insertion.
pub(super) fn is_insertion(name: engross_xml::QName) -> bool {
    matches!(name, INS | CELL_INS)
}
