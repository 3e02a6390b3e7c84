//! Where the characters of a story stand once its changes are accepted: two stories that then say the same have them in the same
//! places, so that what marks one of them can be put at the other.
//!
//! Text boxes are stories of their own and are left out. Must never change a tree.

use engross_xml::{Document, NodeId, NodeKind};

use crate::model::{effective_text, is_range_marker, mark_revisions};
use crate::names::{
    CELL_DEL, COMMENT_REFERENCE, DEL, DEL_TEXT, FALLBACK, MOVE_FROM, P, RUN, T, TC, TC_PR, TR, TR_PR,
    TXBX_CONTENT,
};
use crate::signature::is_silent;

/// A leaf that stays, and where its text begins in its paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StandingLeaf {
    pub(super) run: NodeId,
    pub(super) leaf: NodeId,
    pub(super) start: usize,
    /// Bytes of its text; 1 for what is no text.
    pub(super) length: usize,
}

/// A paragraph of the accepted story.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct StandingParagraph {
    pub(super) leaves: Vec<StandingLeaf>,
    pub(super) length: usize,
    /// The element with the mark that ends it.
    pub(super) end: Option<NodeId>,
}

/// A place in the accepted story: the paragraph, and how many bytes of it stand before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) paragraph: usize,
    pub(super) offset: usize,
}

/// A story as it is when its changes are accepted.
#[derive(Debug, Default)]
pub(super) struct StandingStory {
    pub(super) paragraphs: Vec<StandingParagraph>,
    /// Marks of ranges and of comments, in order.
    pub(super) marks: Vec<(NodeId, Position)>,
    open: StandingParagraph,
}

impl StandingStory {
    pub(super) fn read(document: &Document, container: NodeId) -> Self {
        let mut story = Self::default();
        story.visit(document, container);
        if !story.open.leaves.is_empty() {
            let open = std::mem::take(&mut story.open);
            story.paragraphs.push(open);
        }
        story
    }

    /// Whether another story has its characters in the same places.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let lengths = |story: &Self| story.paragraphs.iter().map(|own| own.length).collect::<Vec<_>>();
        lengths(self) == lengths(other)
    }

    fn here(&self) -> Position {
        Position { paragraph: self.paragraphs.len(), offset: self.open.length }
    }

    // Depth is bounded by the XML parser's limit.
    fn visit(&mut self, document: &Document, parent: NodeId) {
        for node in document.children(parent) {
            let name = document.name(node);
            let goes = |properties, mark| {
                document.child(node, properties).is_some_and(|own| document.child(own, mark).is_some())
            };
            match name {
                _ if document.kind(node) != NodeKind::Element => {}
                _ if is_range_marker(name) => self.marks.push((node, self.here())),
                DEL | MOVE_FROM | TXBX_CONTENT | FALLBACK => {}
                TR if goes(TR_PR, DEL) => {}
                TC if goes(TC_PR, CELL_DEL) => {}
                P => {
                    self.visit(document, node);
                    let is_joined = mark_revisions(document, node)
                        .any(|mark| matches!(document.name(mark), DEL | MOVE_FROM));
                    if !is_joined {
                        let open = std::mem::take(&mut self.open);
                        self.paragraphs.push(StandingParagraph { end: Some(node), ..open });
                    }
                }
                RUN => self.run(document, node),
                name if document.local_name(name).ends_with("Pr") => {}
                _ => self.visit(document, node),
            }
        }
    }

    fn run(&mut self, document: &Document, run: NodeId) {
        for leaf in document.children(run) {
            let length = match document.name(leaf) {
                COMMENT_REFERENCE => {
                    self.marks.push((leaf, self.here()));
                    continue;
                }
                T | DEL_TEXT => effective_text(document, leaf).len(),
                name if document.kind(leaf) != NodeKind::Element || is_silent(name) => continue,
                _ => 1,
            };
            let start = self.open.length;
            self.open.leaves.push(StandingLeaf { run, leaf, start, length });
            self.open.length += length;
        }
    }
}
