//! Which paragraphs of two documents moved, and which of their words changed on the way.

use std::collections::HashMap;

use engross_xml::NodeId;

use super::stream::Piece;

/// Which paragraphs moved, by node on either side.
#[derive(Debug, Default)]
pub(super) struct Moves {
    before: HashMap<NodeId, MovedParagraph>,
    after: HashMap<NodeId, MovedParagraph>,
}

/// One end of a move.
#[derive(Debug, Clone, Default)]
pub(super) struct MovedParagraph {
    /// The name of the move.
    pub(super) name: String,
    /// What of this end the other one has not: words that go, or words that come.
    pub(super) changed: Vec<Piece>,
}

impl Moves {
    pub(super) fn add(&mut self, (before, after): (NodeId, NodeId), ends: [MovedParagraph; 2]) {
        let [goes, comes] = ends;
        self.before.insert(before, goes);
        self.after.insert(after, comes);
    }

    pub(super) fn has_before(&self, node: NodeId) -> bool {
        self.before.contains_key(&node)
    }

    pub(super) fn has_after(&self, node: NodeId) -> bool {
        self.after.contains_key(&node)
    }

    /// The end of the move at which a paragraph of the document before goes.
    pub(super) fn before(&self, node: NodeId) -> Option<MovedParagraph> {
        self.before.get(&node).cloned()
    }

    /// The end of the move at which a paragraph of the document after comes.
    pub(super) fn after(&self, node: NodeId) -> Option<MovedParagraph> {
        self.after.get(&node).cloned()
    }
}
