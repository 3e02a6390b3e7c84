//! Content as a revision holds it: runs that come from the other document, and everything in an element that goes or comes.

use engross_xml::{NodeId, NodeKind, QName};

use super::kept::KeptState;
use super::redliner::Redliner;
use super::stream::Piece;
use crate::edit::write_long;
use crate::model::{effective_text, is_range_marker};
use crate::names::{DEL, FLD_SIMPLE, HYPERLINK, R_PR, RUN, T};
use crate::signature::{holds_inline, is_main};

impl Redliner<'_> {
    /// A run of the document after with a part of its text.
    pub(super) fn import_piece(&mut self, piece: &Piece) -> NodeId {
        let run = self.tree.new_element(RUN);
        if let Some(properties) = self.after.child(piece.run, R_PR) {
            let properties = self.import(properties);
            self.tree.append(run, properties);
        }
        let leaf = if piece.is_text {
            let text = effective_text(self.after, piece.leaf);
            let text = text.get(piece.range.clone()).unwrap_or_default().to_owned();
            self.writer().text_leaf(T, &text)
        } else {
            self.import(piece.leaf)
        };
        self.tree.append(run, leaf);
        if self.manner.keeps_revisions {
            KeptState::of(self.after, piece.run).write(self.tree, run);
        }
        run
    }

    /// Wraps all content of an element into revisions.
    pub(super) fn wrap_content(&mut self, parent: NodeId, kind: QName) {
        let mut open: Vec<NodeId> = Vec::new();
        let children: Vec<NodeId> = self.tree.children(parent).collect();
        for child in children {
            let name = self.tree.name(child);
            let is_property = self.tree.local_name(name).ends_with("Pr");
            if self.tree.kind(child) != NodeKind::Element || is_property {
                continue;
            }
            if is_range_marker(name) {
                self.wrap(&mut open, kind);
            } else if name == FLD_SIMPLE {
                open.extend(write_long(self.tree, child).content);
            } else if name == HYPERLINK {
                self.wrap(&mut open, kind);
                self.wrap_content(child, kind);
            } else if name == RUN || holds_inline(name) || !is_main(self.tree, name) {
                open.push(child);
            } else {
                self.wrap(&mut open, kind);
            }
        }
        self.wrap(&mut open, kind);
    }

    fn wrap(&mut self, nodes: &mut Vec<NodeId>, kind: QName) {
        let nodes = std::mem::take(nodes);
        let Some(first) = nodes.first().copied() else { return };
        if kind == DEL {
            self.writer().wrap_deleted(&nodes);
            return;
        }
        let wrapper = self.writer().revision(kind);
        self.tree.insert_before(first, wrapper);
        for node in nodes {
            self.tree.append(wrapper, node);
        }
    }
}
