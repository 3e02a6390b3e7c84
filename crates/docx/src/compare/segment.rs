//! Writes the steps of a row of paragraphs into the tree.
//!
//! The content before is cut where a step begins and ends. A border that is new takes what stands before it into a new
//! paragraph, so that rejecting gives back the very element that was there (`edit::marks`).

use engross_xml::NodeId;

use super::kept::KeptState;
use super::ops::Op;
use super::redliner::{NotePair, Redliner};
use crate::edit::{change_properties, delete_mark, wrap_neighbours, write_long};
use crate::model::is_range_marker;
use crate::names::{
    DEL, ENDNOTE_REFERENCE, FLD_SIMPLE, FOOTNOTE_REFERENCE, HYPERLINK, ID, INS, P, P_PR, P_PR_CHANGE, R_PR,
    SECT_PR, TXBX_CONTENT,
};

/// Where the next node goes.
#[derive(Debug, Clone, Copy)]
struct Place {
    parent: NodeId,
    /// The node it stands behind; none at the start.
    behind: Option<NodeId>,
}

/// A row of paragraphs, and the blocks between them that have no partner.
pub(super) struct Segment {
    pub(super) container: NodeId,
    /// The paragraphs before, in order.
    pub(super) paragraphs: Vec<NodeId>,
    /// The block in front of them.
    pub(super) behind: Option<NodeId>,
    /// The block that follows them.
    pub(super) ahead: Option<NodeId>,
}

struct Progress {
    segment: Segment,
    /// Of the segment's paragraphs, the one that is being written.
    current: usize,
    /// The last block that is done.
    done: Option<NodeId>,
    /// A new paragraph behind all others, whose mark has not come yet.
    tail: Option<NodeId>,
    place: Option<Place>,
    /// Runs that go, in order.
    going: Vec<NodeId>,
    /// The insertion that the next new content joins.
    open: Option<NodeId>,
    /// Wrappers that were entered.
    entered: usize,
}

impl Redliner<'_> {
    pub(super) fn write_segment(&mut self, segment: Segment, ops: &[Op]) {
        let runs = self.cut(ops);
        let done = segment.behind;
        let mut progress = Progress {
            segment,
            current: 0,
            done,
            tail: None,
            place: None,
            going: Vec::new(),
            open: None,
            entered: 0,
        };
        for (at, op) in ops.iter().enumerate() {
            self.write_step(op, runs.get(&at).copied(), &mut progress);
        }
        self.flush(&mut progress);
    }

    fn write_step(&mut self, op: &Op, run: Option<NodeId>, progress: &mut Progress) {
        if !matches!(op, Op::Delete(_) | Op::DeleteNode(_)) {
            self.flush(progress);
        }
        if !matches!(op, Op::Insert(_) | Op::InsertNode(_)) {
            progress.open = None;
        }
        match op {
            Op::Keep { before, after } => {
                let run = run.unwrap_or(before.run);
                self.settle(run, after.run);
                if before.format != after.format
                    && self.tree.child(run, R_PR).is_none_or(|p| !self.is_changed(p))
                {
                    self.change_format(run, Some(after.run));
                }
                self.go_behind(run, progress);
                if !before.is_text {
                    self.pair_within(before.leaf, after.leaf);
                }
            }
            Op::Delete(piece) => {
                let run = run.unwrap_or(piece.run);
                if progress.going.last() != Some(&run) {
                    progress.going.push(run);
                }
            }
            Op::DeleteNode(node) => {
                if matches!(self.tree.name(*node), HYPERLINK) {
                    self.flush(progress);
                    self.wrap_content(*node, DEL);
                    self.go_behind(*node, progress);
                } else if self.tree.name(*node) == FLD_SIMPLE {
                    progress.going.extend(write_long(self.tree, *node).content);
                } else {
                    progress.going.push(*node);
                }
            }
            Op::Insert(piece) => {
                let run = self.import_piece(piece);
                self.insert(run, progress);
            }
            Op::InsertNode(node) => {
                let copy = self.import(*node);
                if self.tree.name(copy) == HYPERLINK {
                    self.wrap_content(copy, INS);
                    self.place_at(copy, progress);
                    progress.open = None;
                } else if self.tree.name(copy) == FLD_SIMPLE {
                    for run in write_long(self.tree, copy).content {
                        self.insert(run, progress);
                    }
                } else {
                    self.insert(copy, progress);
                }
            }
            Op::Enter { before: node, after } => {
                self.settle(*node, *after);
                progress.entered += 1;
                let parent = self.tree.child(*node, crate::names::SDT_CONTENT).unwrap_or(*node);
                let properties = self
                    .tree
                    .children(parent)
                    .filter(|child| self.tree.local_name(self.tree.name(*child)).ends_with("Pr"));
                progress.place = Some(Place { parent, behind: properties.last() });
            }
            Op::Leave(node) => {
                progress.entered -= 1;
                self.go_behind(*node, progress);
            }
            Op::KeepMark { before, after } => {
                self.settle(*before, *after);
                self.change_paragraph(*before, *after);
                progress.advance(*before);
            }
            Op::DeleteMark(node) => {
                delete_mark(&mut self.writer(), *node);
                progress.advance(*node);
            }
            Op::InsertMark(after) => self.insert_mark(*after, progress),
            Op::DeleteBlock(node) => match self.moves.has_before(*node) {
                true => self.move_away(*node),
                false => self.delete_block(*node),
            },
            Op::InsertBlock(node) => {
                let copy = self.import(*node);
                self.put_block(copy, progress);
                match self.moves.has_after(*node) {
                    true => self.move_here(*node, copy),
                    false => self.mark_block_inserted(copy),
                }
                // What comes next stands behind the marks of a control, too.
                let mut last = copy;
                while let Some(mark) =
                    self.tree.next(last).filter(|next| is_range_marker(self.tree.name(*next)))
                {
                    last = mark;
                }
                progress.done = Some(last);
            }
        }
    }

    fn is_changed(&self, properties: NodeId) -> bool {
        let since = self.ids.own().first();
        self.tree
            .child(properties, crate::names::R_PR_CHANGE)
            .is_some_and(|record| crate::model::is_id_since(self.tree, record, since))
    }

    /// Wraps what goes.
    fn flush(&mut self, progress: &mut Progress) {
        let going = std::mem::take(&mut progress.going);
        let Some(last) = going.last().copied() else { return };
        wrap_neighbours(&mut self.writer(), &going);
        let wrapper = self.tree.parent(last).filter(|above| self.tree.name(*above) == DEL);
        self.go_behind(wrapper.unwrap_or(last), progress);
    }

    fn go_behind(&self, node: NodeId, progress: &mut Progress) {
        if let Some(parent) = self.tree.parent(node) {
            progress.place = Some(Place { parent, behind: Some(node) });
        }
    }

    /// Where new content goes; behind all paragraphs a new one is begun for it.
    fn place(&mut self, progress: &mut Progress) -> Place {
        if let Some(place) = progress.place {
            return place;
        }
        let parent = match progress.segment.paragraphs.get(progress.current).copied() {
            Some(paragraph) => paragraph,
            None => match progress.tail {
                Some(tail) => tail,
                None => {
                    let tail = self.tree.new_element(P);
                    self.put_block(tail, progress);
                    progress.tail = Some(tail);
                    tail
                }
            },
        };
        let place = Place { parent, behind: self.tree.child(parent, P_PR) };
        progress.place = Some(place);
        place
    }

    fn place_at(&mut self, node: NodeId, progress: &mut Progress) {
        let place = self.place(progress);
        match place.behind {
            Some(behind) => self.tree.insert_after(behind, node),
            None => self.tree.prepend(place.parent, node),
        }
        progress.place = Some(Place { behind: Some(node), ..place });
    }

    /// Puts a copied run, or another element that a revision can hold, into an insertion.
    fn insert(&mut self, node: NodeId, progress: &mut Progress) {
        if let Some(open) = progress.open {
            self.tree.append(open, node);
            return;
        }
        let wrapper = self.writer().revision(INS);
        self.tree.append(wrapper, node);
        self.place_at(wrapper, progress);
        progress.open = Some(wrapper);
    }

    fn insert_mark(&mut self, after: NodeId, progress: &mut Progress) {
        let properties = self.after.child(after, P_PR).map(|properties| self.import(properties));
        let paragraph = match progress.segment.paragraphs.get(progress.current).copied() {
            Some(current) => {
                let place = self.place(progress);
                let new = self.tree.new_element(P);
                self.tree.insert_before(current, new);
                // What was written of the paragraph stands before the new border.
                let last = place.behind.filter(|last| self.tree.name(*last) != P_PR);
                let mut next = self.tree.first_child(current).filter(|_| last.is_some());
                while let Some(node) = next {
                    next = self.tree.next(node).filter(|_| Some(node) != last);
                    if self.tree.name(node) != P_PR {
                        self.tree.append(new, node);
                    }
                }
                progress.place = None;
                new
            }
            None => {
                self.place(progress);
                progress.place = None;
                let Some(tail) = progress.tail.take() else { return };
                tail
            }
        };
        if let Some(properties) = properties {
            self.tree.prepend(paragraph, properties);
        }
        if self.manner.keeps_revisions {
            KeptState::of(self.after, after).write(self.tree, paragraph);
        }
        self.writer().mark_paragraph(paragraph, INS);
        progress.done = Some(paragraph);
    }

    /// Puts a block before the paragraph that comes next, or behind what is done.
    fn put_block(&mut self, block: NodeId, progress: &mut Progress) {
        let next = progress.segment.paragraphs.get(progress.current).copied();
        match (next.or(progress.segment.ahead.filter(|_| progress.done.is_none())), progress.done) {
            (Some(next), _) => self.tree.insert_before(next, block),
            (None, Some(done)) => self.tree.insert_after(done, block),
            (None, None) => {
                let container = progress.segment.container;
                let properties = self.tree.children(container).filter(|child| {
                    let name = self.tree.name(*child);
                    name != SECT_PR && self.tree.local_name(name).ends_with("Pr")
                });
                match properties.last() {
                    Some(last) => self.tree.insert_after(last, block),
                    None => self.tree.prepend(container, block),
                }
            }
        }
        progress.done = Some(block);
    }

    /// Properties of a paragraph that stays, of its mark and of the section that it ends.
    fn change_paragraph(&mut self, before: NodeId, after: NodeId) {
        let (ours, theirs) = (self.tree.child(before, P_PR), self.after.child(after, P_PR));
        if self.before_signer().properties(ours) != self.after_signer().properties(theirs) {
            let wanted = theirs.map(|theirs| self.import(theirs));
            match ours.and_then(|ours| self.tree.child(ours, P_PR_CHANGE)) {
                Some(earlier) => self.change_below(earlier, wanted),
                None => {
                    change_properties(&mut self.writer(), before, wanted);
                    let own = self.tree.child(before, P_PR);
                    if let Some(record) = own.and_then(|own| self.tree.child(own, P_PR_CHANGE)) {
                        self.sign_as_there(record, theirs, P_PR_CHANGE);
                    }
                }
            }
        }
        let format = |signer: crate::signature::Signer<'_>, properties: Option<NodeId>| {
            properties.map_or(0, |properties| signer.format(properties))
        };
        if format(self.before_signer(), ours) != format(self.after_signer(), theirs) {
            let properties = self.writer().ensure_paragraph_properties(before);
            self.change_format(properties, theirs);
        }
        let section = self.tree.child(before, P_PR).and_then(|ours| self.tree.child(ours, SECT_PR));
        let other = theirs.and_then(|theirs| self.after.child(theirs, SECT_PR));
        if let (Some(section), Some(other)) = (section, other) {
            self.compare_sections(section, other);
        }
    }

    /// Gives a paragraph other properties beside an earlier author's record, which keeps what was there first.
    fn change_below(&mut self, record: NodeId, wanted: Option<NodeId>) {
        let Some(own) = self.tree.parent(record) else { return };
        let is_base = |document: &engross_xml::Document, node: &NodeId| {
            !matches!(document.name(*node), R_PR | SECT_PR | P_PR_CHANGE)
        };
        let base = |document: &engross_xml::Document, properties: NodeId| -> Vec<NodeId> {
            document.children(properties).filter(|node| is_base(document, node)).collect()
        };
        for node in base(self.tree, own) {
            self.tree.detach(node);
        }
        let first = self.tree.first_child(own).unwrap_or(record);
        for node in wanted.map(|wanted| base(self.tree, wanted)).unwrap_or_default() {
            self.tree.insert_before(first, node);
        }
    }

    /// What stands within a kept object: text boxes, and the note that a reference leads to.
    fn pair_within(&mut self, before: NodeId, after: NodeId) {
        let name = self.tree.name(before);
        if matches!(name, FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE) {
            let id = |document: &engross_xml::Document, node| {
                document.attribute(node, ID).unwrap_or_default().into_owned()
            };
            self.notes.push(NotePair {
                is_footnote: name == FOOTNOTE_REFERENCE,
                before: id(self.tree, before),
                is_new: false,
                after: id(self.after, after),
            });
            return;
        }
        let boxes = |document: &engross_xml::Document, top: NodeId| -> Vec<NodeId> {
            let mut found = Vec::new();
            let mut nodes = document.descendants(top);
            while let Some(node) = nodes.next() {
                if document.name(node) == TXBX_CONTENT {
                    found.push(node);
                    nodes.skip_below(node);
                }
            }
            found
        };
        let pairs: Vec<(NodeId, NodeId)> =
            boxes(self.tree, before).into_iter().zip(boxes(self.after, after)).collect();
        for (before, after) in pairs {
            self.compare_containers(before, after);
        }
    }
}

impl Progress {
    /// A mark of a paragraph before has come.
    fn advance(&mut self, paragraph: NodeId) {
        if self.segment.paragraphs.get(self.current) == Some(&paragraph) {
            self.current += 1;
        }
        self.done = Some(paragraph);
        self.place = None;
    }
}
