//! Which paragraphs of two documents moved.

use std::collections::HashMap;

use engross_xml::NodeId;

/// Which paragraphs moved, by node on either side: the name of the move.
#[derive(Debug, Default)]
pub(super) struct Moves {
    before: HashMap<NodeId, String>,
    after: HashMap<NodeId, String>,
}

impl Moves {
    pub(super) fn add(&mut self, (before, after): (NodeId, NodeId), name: String) {
        self.before.insert(before, name.clone());
        self.after.insert(after, name);
    }

    pub(super) fn has_before(&self, node: NodeId) -> bool {
        self.before.contains_key(&node)
    }

    pub(super) fn has_after(&self, node: NodeId) -> bool {
        self.after.contains_key(&node)
    }

    /// The name of the move of a paragraph of the document before.
    pub(super) fn before(&self, node: NodeId) -> Option<String> {
        self.before.get(&node).cloned()
    }

    /// The name of the move of a paragraph of the document after.
    pub(super) fn after(&self, node: NodeId) -> Option<String> {
        self.after.get(&node).cloned()
    }
}
