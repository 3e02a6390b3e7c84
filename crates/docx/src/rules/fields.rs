//! Whether complex fields are balanced in a story, both as accepted and as rejected (ISO/IEC 29500-1 §17.16.18).

use std::collections::BTreeSet;

use engross_xml::NodeId;

/// The fields of one story.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// Fields open in the accepted and in the original text.
    open: [Vec<NodeId>; 2],
    stray: BTreeSet<NodeId>,
}

impl Fields {
    /// Takes in a field character that stands in the accepted text, in the original text, or in both.
    pub(crate) fn take(&mut self, node: NodeId, kind: &str, in_views: [bool; 2]) {
        for (open, in_view) in self.open.iter_mut().zip(in_views) {
            if !in_view {
                continue;
            }
            match kind {
                "begin" => open.push(node),
                "end" if open.pop().is_none() => {
                    self.stray.insert(node);
                }
                _ => {}
            }
        }
    }

    /// Field characters without their counterpart, and whether each is a beginning.
    pub(crate) fn unbalanced(self) -> impl Iterator<Item = (NodeId, bool)> {
        let open: BTreeSet<NodeId> = self.open.into_iter().flatten().collect();
        let stray = self.stray.into_iter().map(|node| (node, false));
        open.into_iter().map(|node| (node, true)).chain(stray)
    }
}
