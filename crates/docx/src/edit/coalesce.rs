//! Between two batches: what one session inserted and then deleted again was never there.
//!
//! Within a batch nothing may vanish, since positions count from its start; so this runs at its end.

use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use crate::model::{RevisionStamp, is_id_since};
use crate::names::{AUTHOR, DATE, DEL, INS, P};

/// Removes our deletions inside our insertions, and joins our neighbouring insertions, in `paragraphs`. Gives the ids of
/// insertions that went, and those that hold their text now.
pub(crate) fn coalesce(document: &mut Document, paragraphs: &[NodeId], first_id: i64) -> HashMap<i64, i64> {
    let mut joined = HashMap::new();
    for paragraph in paragraphs {
        let nodes: Vec<NodeId> = document.descendants(*paragraph).collect();
        for node in &nodes {
            let Some(parent) = document.parent(*node) else { continue };
            if document.name(*node) == DEL
                && document.name(parent) == INS
                && is_ours(document, *node, first_id)
                && is_ours(document, parent, first_id)
            {
                document.detach(*node);
                if document.first_child(parent).is_none() {
                    document.detach(parent);
                }
            }
        }
        for node in &nodes {
            join_with_next(document, *node, first_id, &mut joined);
        }
    }
    joined
}

fn join_with_next(document: &mut Document, node: NodeId, first_id: i64, joined: &mut HashMap<i64, i64>) {
    let is_insertion = |document: &Document, node: NodeId| {
        document.name(node) == INS
            && document.first_child(node).is_some()
            && is_ours(document, node, first_id)
    };
    if document.parent(node).is_none() || document.name(node) == P || !is_insertion(document, node) {
        return;
    }
    while let Some(next) = document.next(node)
        && is_insertion(document, next)
        && [AUTHOR, DATE]
            .iter()
            .all(|name| document.attribute(node, *name) == document.attribute(next, *name))
    {
        while let Some(child) = document.first_child(next) {
            document.append(node, child);
        }
        if let (Some(went), Some(stays)) =
            (RevisionStamp::of(document, next).id, RevisionStamp::of(document, node).id)
        {
            joined.insert(went, stays);
        }
        document.detach(next);
    }
}

fn is_ours(document: &Document, node: NodeId, first_id: i64) -> bool {
    is_id_since(document, node, first_id)
}
