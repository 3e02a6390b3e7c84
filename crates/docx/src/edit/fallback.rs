//! The copies of a text box in `mc:Fallback`, which programs show that do not know DrawingML (ISO/IEC 29500-3 §10.2.3).
//!
//! A copy with the same content gets the same edits, with the same revision ids, as Word writes it; else the old words would stay in
//! the file when the edit is long accepted. Must never change a copy that differs from its box: rejecting could not give it back.

use engross_xml::{Document, NodeId, NodeKind};

use crate::canon::normal_form;
use crate::names::{ALTERNATE_CONTENT, FALLBACK, TXBX_CONTENT};

/// The copies of one text box, as they were before it was edited.
#[derive(Debug, Default)]
pub(crate) struct FallbackCopies {
    same: Vec<NodeId>,
    has_others: bool,
}

impl FallbackCopies {
    /// Those of the box with this `w:txbxContent`; none for any other element.
    pub(crate) fn of(document: &Document, content: NodeId) -> Self {
        let mut copies = Self::default();
        if document.name(content) != TXBX_CONTENT {
            return copies;
        }
        let form = normal_form(document, content);
        let mut below = content;
        for above in document.ancestors(content).collect::<Vec<_>>() {
            if document.name(above) == ALTERNATE_CONTENT && document.name(below) != FALLBACK {
                let number = boxes(document, below).iter().position(|node| *node == content);
                let is_fallback = |child: &NodeId| document.name(*child) == FALLBACK;
                for fallback in document.children(above).filter(is_fallback) {
                    let twin = number.and_then(|number| boxes(document, fallback).get(number).copied());
                    match twin.filter(|twin| normal_form(document, *twin) == form) {
                        Some(twin) => copies.same.push(twin),
                        None => copies.has_others |= document.first_child(fallback).is_some(),
                    }
                }
            }
            below = above;
        }
        copies
    }

    /// Whether there is a copy that stays as it is.
    pub(crate) fn has_others(&self) -> bool {
        self.has_others
    }

    /// Gives the copies what the box holds now.
    pub(crate) fn renew(&self, document: &mut Document, content: NodeId) {
        for copy in &self.same {
            let old: Vec<NodeId> = document.children(*copy).collect();
            for node in old {
                document.detach(node);
            }
            let new: Vec<NodeId> =
                document.children(content).filter(|node| document.kind(*node) == NodeKind::Element).collect();
            for node in new {
                let node = document.copy(node);
                document.append(*copy, node);
            }
        }
    }
}

/// The text boxes below an element, in order, those in each other, too; of alternatives within it, one.
fn boxes(document: &Document, root: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut nodes = document.descendants(root);
    while let Some(node) = nodes.next() {
        match document.name(node) {
            FALLBACK if node != root => nodes.skip_below(node),
            TXBX_CONTENT => found.push(node),
            _ => {}
        }
    }
    found
}
