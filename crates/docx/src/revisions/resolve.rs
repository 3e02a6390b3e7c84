//! Accepting and rejecting: the tree as it is when revisions are done or were never made
//! (ISO/IEC 29500-1 §17.13.5).
//!
//! This is the same code that proves every edit, so it must not know who wrote a revision or why.

use std::collections::{BTreeSet, HashSet};

use engross_xml::{Document, NodeId, NodeKind};

use crate::model::{
    OwnRevisions, is_id_since, is_range_marker, is_revision_wrapper, mark_revisions, next_paragraph,
};
use crate::names::{
    BDO, BOOKMARK_END, BOOKMARK_START, CELL_DEL, CELL_INS, CELL_MERGE, COMMENT_RANGE_END,
    COMMENT_RANGE_START, COMMENT_REFERENCE, CUSTOM_XML, CUSTOM_XML_DEL_RANGE_END, CUSTOM_XML_DEL_RANGE_START,
    CUSTOM_XML_INS_RANGE_END, CUSTOM_XML_INS_RANGE_START, CUSTOM_XML_MOVE_FROM_RANGE_END,
    CUSTOM_XML_MOVE_FROM_RANGE_START, CUSTOM_XML_MOVE_TO_RANGE_END, CUSTOM_XML_MOVE_TO_RANGE_START,
    CUSTOM_XML_PR, DEL, DEL_INSTR_TEXT, DEL_TEXT, DIR, HYPERLINK, ID, INS, INSTR_TEXT, M_CTRL_PR, M_R_PR,
    MOVE_FROM, MOVE_FROM_RANGE_END, MOVE_FROM_RANGE_START, MOVE_TO, MOVE_TO_RANGE_END, MOVE_TO_RANGE_START,
    NUM_PR, P, P_PR, PERM_END, PERM_START, R_PR, RUN, SDT, SDT_CONTENT, SMART_TAG, SMART_TAG_PR, T, TBL, TC,
    TC_PR, TR, TR_PR, TXBX_CONTENT, V_MERGE, V_MERGE_ORIG, VAL,
};
use crate::revisions::{controls, properties};

/// What becomes of a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// It is done for good.
    Accept,
    /// It was never made.
    Reject,
}

/// Which revisions are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection<'a> {
    /// All of them.
    All,
    /// Those whose `w:id` is at least this: what one batch wrote.
    IdsFrom(i64),
    /// One's own.
    Own(&'a OwnRevisions),
    /// These elements.
    Only(&'a HashSet<NodeId>),
}

impl Selection<'_> {
    pub(crate) fn holds(self, document: &Document, node: NodeId) -> bool {
        match self {
            Self::All => true,
            Self::IdsFrom(first) => is_id_since(document, node, first),
            Self::Own(own) => own.holds(document, node),
            Self::Only(nodes) => nodes.contains(&node),
        }
    }
}

/// Whether a paragraph loses its border, yet stays where it has none to join, when what is selected is accepted: struck words of others
/// are left in it, which nobody reads.
pub(crate) fn keeps_struck_words(document: &Document, paragraph: NodeId, selection: Selection<'_>) -> bool {
    let is_deletion = |node: NodeId| matches!(document.name(node), DEL | MOVE_FROM);
    let goes = |node: NodeId| is_deletion(node) && selection.holds(document, node);
    let is_left = |run: NodeId| {
        let mut above = document.ancestors(run).filter(|above| is_deletion(*above)).peekable();
        document.name(run) == RUN && above.peek().is_some() && !above.any(goes)
    };
    mark_revisions(document, paragraph).any(goes) && document.descendants(paragraph).any(is_left)
}

/// Resolves everything below `root`. Says how many revisions it resolved.
pub fn resolve(document: &mut Document, root: NodeId, side: Side, selection: Selection<'_>) -> usize {
    let nodes: Vec<NodeId> = document.descendants(root).collect();
    Resolver { document, side, selection, resolved: 0 }.run(&nodes)
}

/// Resolves the given paragraphs and the borders behind them, in file order.
pub fn resolve_paragraphs(
    document: &mut Document,
    paragraphs: &[NodeId],
    side: Side,
    selection: Selection<'_>,
) -> usize {
    let mut nodes: Vec<NodeId> = Vec::new();
    let mut owners: HashSet<NodeId> = HashSet::new();
    for paragraph in paragraphs {
        // Marks on the rows and cells around them decide whether they are there at all.
        let above: Vec<NodeId> = document.ancestors(*paragraph).collect();
        for owner in above.into_iter().filter(|owner| matches!(document.name(*owner), TR | TC)) {
            if owners.insert(owner) {
                let properties =
                    document.children(owner).filter(|child| matches!(document.name(*child), TR_PR | TC_PR));
                nodes.extend(properties.flat_map(|properties| document.descendants(properties)));
            }
        }
        nodes.extend(document.descendants(*paragraph));
    }
    Resolver { document, side, selection, resolved: 0 }.run(&nodes)
}

struct Resolver<'a> {
    document: &'a mut Document,
    side: Side,
    selection: Selection<'a>,
    resolved: usize,
}

impl Resolver<'_> {
    /// `nodes` in file order.
    fn run(mut self, nodes: &[NodeId]) -> usize {
        // Whatever changes places below must not hide what was meant, so all is looked up first.
        let lost_borders: Vec<NodeId> = nodes
            .iter()
            .copied()
            .filter(|node| self.document.name(*node) == P && self.loses_border(*node))
            .collect();
        let lost_controls = self.lost_controls(nodes);
        let paragraphs =
            nodes.iter().copied().filter(|node| self.document.name(*node) == P).collect::<Vec<_>>();
        for node in nodes {
            self.property_change(*node);
        }
        for node in nodes {
            self.row_or_cell(*node);
        }
        for control in lost_controls {
            self.unwrap_control(control);
        }
        for node in nodes {
            self.content(*node);
        }
        for paragraph in paragraphs {
            self.clean_mark(paragraph);
        }
        for paragraph in lost_borders {
            self.join(paragraph);
        }
        self.resolved
    }

    /// The controls that go. A control is told where it begins; what is told of moves is told of the text that moves.
    fn lost_controls(&mut self, nodes: &[NodeId]) -> BTreeSet<NodeId> {
        let goes = match self.side {
            Side::Accept => CUSTOM_XML_DEL_RANGE_START,
            Side::Reject => CUSTOM_XML_INS_RANGE_START,
        };
        let mut lost = BTreeSet::new();
        for node in nodes {
            let name = self.document.name(*node);
            if !controls::is_start(name) || !self.selection.holds(self.document, *node) {
                continue;
            }
            self.resolved += usize::from(!controls::is_of_end(self.document, *node));
            lost.extend(controls::behind(self.document, *node).filter(|_| name == goes));
        }
        lost
    }

    fn property_change(&mut self, node: NodeId) {
        if properties::is_change(self.document.name(node)) && self.selection.holds(self.document, node) {
            self.resolved += 1;
            match self.side {
                Side::Accept => self.document.detach(node),
                Side::Reject => {
                    let owner = self.document.parent(node);
                    properties::restore(self.document, node);
                    // Properties that hold nothing were not there before.
                    let empty = owner.filter(|owner| {
                        self.document.name(*owner) == R_PR && self.document.first_child(*owner).is_none()
                    });
                    if let Some(empty) = empty {
                        self.document.detach(empty);
                    }
                }
            }
        }
    }

    fn row_or_cell(&mut self, node: NodeId) {
        let name = self.document.name(node);
        let Some(parent) = self.document.parent(node) else { return };
        let in_row = self.document.name(parent) == TR_PR && matches!(name, INS | DEL);
        let in_cell = self.document.name(parent) == TC_PR && matches!(name, CELL_INS | CELL_DEL | CELL_MERGE);
        if !(in_row || in_cell) || !self.selection.holds(self.document, node) {
            return;
        }
        self.resolved += 1;
        let goes = match self.side {
            Side::Accept => matches!(name, DEL | CELL_DEL),
            Side::Reject => matches!(name, INS | CELL_INS),
        };
        if !goes {
            if name == CELL_MERGE {
                self.settle_merge(parent, node);
            }
            self.document.detach(node);
            return;
        }
        if let Some(owner) = self.document.parent(parent) {
            self.remove_from_table(owner);
        }
    }

    /// Gives a cell the vertical merge that its record tells for this side (§17.13.5.3).
    fn settle_merge(&mut self, properties: NodeId, record: NodeId) {
        let told = if self.side == Side::Accept { V_MERGE } else { V_MERGE_ORIG };
        let state = match self.document.attribute(record, told).as_deref() {
            Some("rest") => Some("restart"),
            Some("cont") => Some("continue"),
            _ => None,
        };
        if let Some(old) = self.document.child(properties, V_MERGE) {
            self.document.detach(old);
        }
        if let Some(state) = state {
            let merge = self.document.new_element(V_MERGE);
            self.document.set_attribute(merge, VAL, state);
            self.document.insert_before(record, merge);
        }
    }

    /// Takes out a row or cell, and whatever of the table is empty without it.
    fn remove_from_table(&mut self, node: NodeId) {
        let Some(mut above) = self.document.parent(node) else { return };
        self.keep_halves(node);
        self.document.detach(node);
        loop {
            let name = self.document.name(above);
            let empty = match name {
                TR => self.document.descendants(above).all(|below| self.document.name(below) != TC),
                TBL => self.document.descendants(above).all(|below| self.document.name(below) != TR),
                _ => false,
            };
            let Some(parent) = self.document.parent(above) else { return };
            if empty {
                self.keep_halves(above);
                self.document.detach(above);
            }
            if name == TBL {
                return;
            }
            above = parent;
        }
    }

    /// Puts the starts and ends of ranges before a node that is about to go, where only one of the two is in it: the other would
    /// begin or end nothing.
    fn keep_halves(&mut self, node: NodeId) {
        let mut halves: Vec<NodeId> = Vec::new();
        for below in self.document.descendants(node) {
            let start = match self.document.name(below) {
                BOOKMARK_START | COMMENT_RANGE_START | PERM_START => {
                    halves.push(below);
                    continue;
                }
                BOOKMARK_END => BOOKMARK_START,
                COMMENT_RANGE_END => COMMENT_RANGE_START,
                PERM_END => PERM_START,
                _ => continue,
            };
            let id = self.document.attribute(below, ID);
            let is_partner = |known: &NodeId| {
                self.document.name(*known) == start && self.document.attribute(*known, ID) == id
            };
            match halves.iter().position(is_partner) {
                Some(partner) => _ = halves.remove(partner),
                None => halves.push(below),
            }
        }
        for half in halves {
            self.document.insert_before(node, half);
        }
    }

    fn content(&mut self, node: NodeId) {
        let name = self.document.name(node);
        if is_move_or_custom_range(name) && self.selection.holds(self.document, node) {
            self.document.detach(node);
            return;
        }
        if !is_revision_wrapper(name) || !self.selection.holds(self.document, node) {
            return;
        }
        let Some(parent) = self.document.parent(node) else { return };
        match self.document.name(parent) {
            TR_PR => return,
            // The mark of a paragraph: its border is dealt with at the end.
            R_PR | NUM_PR | M_R_PR | M_CTRL_PR => {
                self.resolved += 1;
                self.document.detach(node);
                return;
            }
            _ => {}
        }
        self.resolved += 1;
        let goes = match self.side {
            Side::Accept => matches!(name, DEL | MOVE_FROM),
            Side::Reject => matches!(name, INS | MOVE_TO),
        };
        if goes {
            self.document.detach(node);
        } else {
            self.revive(node);
            self.document.unwrap(node);
        }
        self.remove_hollow(parent);
    }

    /// Takes away a control or a custom XML element; what it holds stays.
    fn unwrap_control(&mut self, control: NodeId) {
        let properties = match self.document.name(control) {
            SDT => {
                if let Some(content) = self.document.child(control, SDT_CONTENT) {
                    while let Some(child) = self.document.first_child(content) {
                        self.document.insert_before(control, child);
                    }
                }
                self.document.detach(control);
                return;
            }
            _ => self.document.child(control, CUSTOM_XML_PR),
        };
        if let Some(properties) = properties {
            self.document.detach(properties);
        }
        self.document.unwrap(control);
    }

    /// Deleted text that stays is text again, unless another deletion still holds it.
    fn revive(&mut self, node: NodeId) {
        if !matches!(self.document.name(node), DEL | MOVE_FROM) {
            return;
        }
        let held = |node| matches!(self.document.name(node), DEL | MOVE_FROM);
        // The text of a box in deleted words is not itself deleted.
        let around =
            self.document.ancestors(node).take_while(|above| self.document.name(*above) != TXBX_CONTENT);
        if around.into_iter().any(held) {
            return;
        }
        let below: Vec<NodeId> = self.document.descendants(node).collect();
        for below in below {
            let inner = self
                .document
                .ancestors(below)
                .take_while(|above| *above != node)
                .any(|above| matches!(self.document.name(above), DEL | MOVE_FROM));
            match self.document.name(below) {
                DEL_TEXT if !inner => self.document.rename(below, T),
                DEL_INSTR_TEXT if !inner => self.document.rename(below, INSTR_TEXT),
                _ => {}
            }
        }
    }

    /// A link, tag or revision from which the last content went has nothing left to stand for. The marks of comments on a link stay in
    /// its place.
    fn remove_hollow(&mut self, node: NodeId) {
        let mut node = node;
        while matches!(
            self.document.name(node),
            HYPERLINK | SMART_TAG | CUSTOM_XML | BDO | DIR | INS | DEL | MOVE_FROM | MOVE_TO
        ) && let Some(parent) = self.document.parent(node)
        {
            let marks: Vec<NodeId> = match self.document.name(node) {
                HYPERLINK => {
                    self.document.children(node).filter(|child| self.is_of_a_comment(*child)).collect()
                }
                _ => Vec::new(),
            };
            let is_hollow = self.document.children(node).all(|child| match self.document.kind(child) {
                NodeKind::Element => {
                    matches!(self.document.name(child), SMART_TAG_PR | CUSTOM_XML_PR)
                        || marks.contains(&child)
                }
                // The white space of an indented file.
                _ => self.document.text(child).trim().is_empty(),
            });
            if !is_hollow {
                return;
            }
            marks.into_iter().for_each(|mark| self.document.insert_before(node, mark));
            self.document.detach(node);
            node = parent;
        }
    }

    /// Whether a node is an end of a comment's range or its mark.
    fn is_of_a_comment(&self, node: NodeId) -> bool {
        matches!(self.document.name(node), COMMENT_RANGE_START | COMMENT_RANGE_END)
            || self.document.child(node, COMMENT_REFERENCE).is_some() && self.is_comment_mark(node)
    }

    fn is_block(&self, node: NodeId) -> bool {
        matches!(self.document.name(node), P | TBL | SDT | CUSTOM_XML)
    }

    fn loses_border(&self, paragraph: NodeId) -> bool {
        mark_revisions(self.document, paragraph).any(|node| {
            let name = self.document.name(node);
            let goes = match self.side {
                Side::Accept => matches!(name, DEL | MOVE_FROM),
                Side::Reject => matches!(name, INS | MOVE_TO),
            };
            goes && self.selection.holds(self.document, node)
        })
    }

    /// Removes mark properties that hold nothing any more.
    fn clean_mark(&mut self, paragraph: NodeId) {
        let Some(properties) = self.document.child(paragraph, P_PR) else { return };
        if self.document.is_clean(properties) {
            return;
        }
        if let Some(mark) = self.document.child(properties, R_PR)
            && self.document.first_child(mark).is_none()
        {
            self.document.detach(mark);
        }
        if self.document.first_child(properties).is_none() {
            self.document.detach(properties);
        }
    }

    /// Lets the content of `paragraph` join the next one, whose properties stay.
    fn join(&mut self, paragraph: NodeId) {
        let Some(parent) = self.document.parent(paragraph) else { return };
        let mut content: Vec<NodeId> =
            self.document.children(paragraph).filter(|child| self.document.name(*child) != P_PR).collect();
        if let Some(next) = next_paragraph(self.document, paragraph) {
            // A range that ends between the two must not end before it begins.
            if content.iter().any(|node| is_range_marker(self.document.name(*node))) {
                let mut between = self.document.next(paragraph);
                while let Some(node) = between.filter(|node| *node != next && !self.is_block(*node)) {
                    between = self.document.next(node);
                    if is_range_marker(self.document.name(node)) {
                        content.push(node);
                    }
                }
            }
            self.put_first(next, content);
            self.document.detach(paragraph);
            return;
        }
        let markers_only = content.iter().all(|node| self.is_marker(*node));
        let blocks: Vec<NodeId> = self
            .document
            .children(parent)
            .filter(|child| matches!(self.document.name(*child), P | TBL | SDT))
            .collect();
        // A cell must end with a paragraph (§17.4.65).
        let needed = self.document.name(parent) == TC
            && blocks.last() == Some(&paragraph)
            && blocks.iter().rev().nth(1).is_some_and(|block| self.document.name(*block) == TBL);
        if blocks.len() <= 1 || needed {
            return;
        }
        if markers_only {
            for node in content {
                self.document.insert_before(paragraph, node);
            }
            self.document.detach(paragraph);
        } else if content.iter().all(|node| self.is_marker(*node) || self.is_comment_mark(*node)) {
            // The comments stay, and stand where the text before them ends; without one, where that behind them begins.
            if let Some(before) = self.paragraph_before(paragraph) {
                content.into_iter().for_each(|node| self.document.append(before, node));
            } else if let Some(after) = self.paragraph_after(paragraph) {
                self.put_first(after, content);
            } else {
                return;
            }
            self.document.detach(paragraph);
        }
    }

    /// Puts nodes before all that a paragraph says.
    fn put_first(&mut self, paragraph: NodeId, content: Vec<NodeId>) {
        // In an indented file white space stands before the properties.
        let first = match self.document.child(paragraph, P_PR) {
            Some(properties) => self.document.next(properties),
            None => self.document.first_child(paragraph),
        };
        for node in content {
            match first {
                Some(first) => self.document.insert_before(first, node),
                None => self.document.append(paragraph, node),
            }
        }
    }

    /// Whether a node is the mark of a range, or a revision that stays and has nothing else in it.
    fn is_marker(&self, node: NodeId) -> bool {
        match self.document.kind(node) {
            NodeKind::Element => {
                let name = self.document.name(node);
                is_range_marker(name)
                    || is_revision_wrapper(name)
                        && self.document.children(node).all(|child| self.is_marker(child))
            }
            _ => self.document.text(node).trim().is_empty(),
        }
    }

    /// Whether a run only says that a comment belongs here.
    fn is_comment_mark(&self, node: NodeId) -> bool {
        self.document.name(node) == RUN
            && self.document.children(node).all(|child| match self.document.kind(child) {
                NodeKind::Element => matches!(self.document.name(child), R_PR | COMMENT_REFERENCE),
                _ => self.document.text(child).trim().is_empty(),
            })
    }

    /// The last paragraph of the block before a paragraph.
    fn paragraph_before(&self, paragraph: NodeId) -> Option<NodeId> {
        let mut block = self.document.previous(paragraph)?;
        while !self.is_block(block) {
            block = self.document.previous(block)?;
        }
        let mut last = None;
        let mut below = self.document.descendants(block);
        while let Some(node) = below.next() {
            if self.document.name(node) == P {
                last = Some(node);
                below.skip_below(node);
            }
        }
        last
    }

    /// The first paragraph of the block behind a paragraph.
    fn paragraph_after(&self, paragraph: NodeId) -> Option<NodeId> {
        let mut block = self.document.next(paragraph)?;
        while !self.is_block(block) {
            block = self.document.next(block)?;
        }
        self.document.descendants(block).find(|node| self.document.name(*node) == P)
    }
}

/// Markers that only tell which content was moved or which wrappers were changed.
pub(crate) fn is_move_or_custom_range(name: engross_xml::QName) -> bool {
    matches!(
        name,
        MOVE_FROM_RANGE_START
            | MOVE_FROM_RANGE_END
            | MOVE_TO_RANGE_START
            | MOVE_TO_RANGE_END
            | CUSTOM_XML_INS_RANGE_START
            | CUSTOM_XML_INS_RANGE_END
            | CUSTOM_XML_DEL_RANGE_START
            | CUSTOM_XML_DEL_RANGE_END
            | CUSTOM_XML_MOVE_FROM_RANGE_START
            | CUSTOM_XML_MOVE_FROM_RANGE_END
            | CUSTOM_XML_MOVE_TO_RANGE_START
            | CUSTOM_XML_MOVE_TO_RANGE_END
    )
}
