//! Untracked edits in what somebody else has inserted and nobody accepted yet: new words belong to that insertion.
//!
//! Tracked, they stand beside its pieces, so that each author's revision can be resolved by itself. Without tracking they would stay
//! when the insertion around them is rejected. Must never move text into an insertion beside which it was typed.

use engross_xml::{Document, NodeId, NodeKind};

use crate::model::{PIECES_FROM, RevisionStamp, is_id_since};
use crate::names::{DEL, INS};

/// Puts the insertions of a session whose first revision id is `first` into the insertions of others that they cut in two, or whose
/// words they replace; joins the pieces again.
pub(crate) fn join_insertions_of_others(document: &mut Document, first: i64) {
    let is_new = |document: &Document, node: NodeId| is_id_since(document, node, first);
    let inserted = |document: &Document, node: NodeId| {
        document.name(node) == INS && document.first_child(node).is_some()
    };
    let new: Vec<NodeId> = document
        .descendants(document.root())
        .filter(|node| inserted(document, *node) && is_new(document, *node))
        .collect();
    for node in new {
        let theirs =
            |document: &Document, node: &NodeId| inserted(document, *node) && !is_new(document, *node);
        let Some(before) =
            neighbour(document, node, Document::previous).filter(|node| theirs(document, node))
        else {
            continue;
        };
        let after = neighbour(document, node, Document::next)
            .filter(|after| theirs(document, after) && are_pieces(document, before, *after));
        let replaces = document
            .children(before)
            .filter(|child| document.kind(*child) == NodeKind::Element)
            .last()
            .is_some_and(|last| document.name(last) == DEL && is_new(document, last));
        if !replaces && after.is_none() {
            continue;
        }
        for moved in [Some(node), after].into_iter().flatten() {
            while let Some(child) = document.first_child(moved) {
                document.append(before, child);
            }
            document.detach(moved);
        }
    }
}

fn neighbour(
    document: &Document,
    node: NodeId,
    step: impl Fn(&Document, NodeId) -> Option<NodeId>,
) -> Option<NodeId> {
    let mut at = step(document, node);
    while let Some(next) = at.filter(|next| document.kind(*next) != NodeKind::Element) {
        at = step(document, next);
    }
    at
}

/// Whether two insertions were one before a piece was cut off.
fn are_pieces(document: &Document, one: NodeId, other: NodeId) -> bool {
    let (one, other) = (RevisionStamp::of(document, one), RevisionStamp::of(document, other));
    let is_piece = |stamp: &RevisionStamp| stamp.id.is_some_and(|id| id >= PIECES_FROM);
    one.author == other.author && one.date == other.date && (is_piece(&one) || is_piece(&other))
}
