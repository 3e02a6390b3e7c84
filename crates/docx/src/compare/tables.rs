//! Compares tables: properties, rows and cells; and marks whole blocks as new or gone, as Word does.

use engross_xml::{Document, NodeId, NodeKind, QName};

use super::blocks::word_bag;
use super::redliner::Redliner;
use crate::edit::delete_mark;
use crate::model::{children_through_controls, is_range_marker};
use crate::names::{
    CELL_DEL, CELL_INS, CELL_MERGE, CUSTOM_XML_DEL_RANGE_END, CUSTOM_XML_DEL_RANGE_START,
    CUSTOM_XML_INS_RANGE_END, CUSTOM_XML_INS_RANGE_START, DEL, GRID_COL, ID, INS, P, SDT, SDT_CONTENT, TBL,
    TBL_GRID, TBL_GRID_CHANGE, TBL_PR, TBL_PR_CHANGE, TBL_PR_EX, TC, TC_PR, TC_PR_CHANGE, TR, TR_PR,
    TR_PR_CHANGE,
};
use crate::signature::Signer;
use crate::text::pairing::{WordBag, equal_pairs, gaps, similar_pairs};

/// How alike two rows must be to be one that was changed.
const LEAST_ROW: f32 = 0.2;

impl Redliner<'_> {
    pub(super) fn compare_tables(&mut self, before: NodeId, after: NodeId) {
        self.compare_properties(before, after, TBL_PR, TBL_PR_CHANGE);
        self.compare_grids(before, after);
        let old = children_through_controls(self.tree, before, TR);
        let new = children_through_controls(self.after, after, TR);
        let pairs = self.partners_of(&old, &new, LEAST_ROW);
        let place = |rows: &[NodeId], at: usize| rows.get(at).copied();
        let rows: Vec<(NodeId, NodeId)> = pairs
            .iter()
            .filter_map(|(one, other)| Some((place(&old, *one)?, place(&new, *other)?)))
            .collect();
        let are_shifted = self.are_shifted(&rows);
        for (old_gap, new_gap) in gaps(&pairs, (old.len(), new.len())) {
            let follower = place(&old, old_gap.end).zip(place(&new, new_gap.end));
            let mut behind = old_gap.end.checked_sub(1).and_then(|at| place(&old, at));
            for row in old.get(old_gap).unwrap_or_default() {
                self.delete_row(*row);
            }
            for row in new.get(new_gap).unwrap_or_default() {
                let copy = self.import(*row);
                self.insert_row(copy);
                match (behind, place(&old, 0)) {
                    (Some(last), _) => self.tree.insert_after(last, copy),
                    (None, Some(first)) => self.tree.insert_before(first, copy),
                    (None, None) => self.tree.append(before, copy),
                }
                behind = Some(copy);
            }
            if let Some((row, other)) = follower {
                self.compare_rows(row, other, are_shifted);
            }
        }
    }

    /// Whether more cells say the same one place further than in their own: a column went and another came.
    fn are_shifted(&self, rows: &[(NodeId, NodeId)]) -> bool {
        let (ours, theirs) = (self.before_signer(), self.after_signer());
        let (mut in_place, mut in_order) = (0, 0);
        for (row, other) in rows {
            let keys = |signer: Signer<'_>, row: NodeId| -> Vec<u64> {
                let cells = children_through_controls(signer.document, row, TC);
                cells.into_iter().map(|cell| signer.block(cell)).collect()
            };
            let (old, new) = (keys(ours, *row), keys(theirs, *other));
            if old.len() != new.len() {
                return false;
            }
            in_place += old.iter().zip(&new).filter(|(one, other)| one == other).count();
            in_order += equal_pairs(&old, &new).len();
        }
        in_order > in_place + rows.len() / 2
    }

    fn compare_rows(&mut self, before: NodeId, after: NodeId, are_shifted: bool) {
        self.settle(before, after);
        self.compare_properties(before, after, TR_PR, TR_PR_CHANGE);
        let old = children_through_controls(self.tree, before, TC);
        let new = children_through_controls(self.after, after, TC);
        let pairs = if old.len() == new.len() && !are_shifted {
            (0..old.len()).map(|at| (at, at)).collect()
        } else {
            self.partners_of(&old, &new, 0.0)
        };
        for (old_gap, new_gap) in gaps(&pairs, (old.len(), new.len())) {
            let follower = old.get(old_gap.end).copied().zip(new.get(new_gap.end).copied());
            let mut behind = old_gap.end.checked_sub(1).and_then(|at| old.get(at).copied());
            for cell in old.get(old_gap).unwrap_or_default() {
                self.mark_contents(*cell, DEL);
                self.mark_owner(*cell, TC_PR, CELL_DEL);
            }
            for cell in new.get(new_gap).unwrap_or_default() {
                let copy = self.import(*cell);
                self.mark_contents(copy, INS);
                self.mark_owner(copy, TC_PR, CELL_INS);
                match (behind, old.first().copied()) {
                    (Some(last), _) => self.tree.insert_after(last, copy),
                    (None, Some(first)) => self.tree.insert_before(first, copy),
                    (None, None) => self.tree.append(before, copy),
                }
                behind = Some(copy);
            }
            if let Some((cell, other)) = follower {
                self.settle(cell, other);
                self.compare_properties(cell, other, TC_PR, TC_PR_CHANGE);
                self.compare_containers(cell, other);
            }
        }
    }

    /// Rows, or cells, that belong together.
    fn partners_of(&self, old: &[NodeId], new: &[NodeId], least: f32) -> Vec<(usize, usize)> {
        let (ours, theirs) = (self.before_signer(), self.after_signer());
        let old_keys: Vec<u64> = old.iter().map(|node| ours.block(*node)).collect();
        let new_keys: Vec<u64> = new.iter().map(|node| theirs.block(*node)).collect();
        let equal = equal_pairs(&old_keys, &new_keys);
        let mut pairs = Vec::new();
        for (number, (old_gap, new_gap)) in gaps(&equal, (old.len(), new.len())).into_iter().enumerate() {
            let bags = |document, nodes: &[NodeId]| -> Vec<WordBag> {
                nodes.iter().map(|node| word_bag(document, *node)).collect()
            };
            let (start, other_start) = (old_gap.start, new_gap.start);
            let old_bags = bags(self.tree, old.get(old_gap).unwrap_or_default());
            let new_bags = bags(self.after, new.get(new_gap).unwrap_or_default());
            let is_square = old_bags.len() == new_bags.len();
            let similarity = |one: usize, other: usize| match (old_bags.get(one), new_bags.get(other)) {
                // In equal numbers the ones at the same place are the likeliest.
                (Some(left), Some(right)) => {
                    left.similarity(right) + if is_square && one == other { 0.1 } else { 0.01 }
                }
                _ => -1.0,
            };
            let found = similar_pairs((old_bags.len(), new_bags.len()), least, similarity);
            pairs.extend(found.into_iter().map(|(one, other)| (one + start, other + other_start)));
            pairs.extend(equal.get(number).copied());
        }
        pairs
    }

    /// Properties of a table, row or cell, with a record of what they were.
    fn compare_properties(&mut self, before: NodeId, after: NodeId, name: QName, record: QName) {
        let (ours, theirs) = (self.tree.child(before, name), self.after.child(after, name));
        if self.before_signer().properties(ours) == self.after_signer().properties(theirs) {
            return;
        }
        let new = match theirs {
            Some(theirs) => self.import(theirs),
            None => self.tree.new_element(name),
        };
        match ours {
            Some(ours) => {
                self.tree.insert_before(ours, new);
                self.tree.detach(ours);
            }
            None => put_properties(self.tree, before, new, name),
        }
        if let Some(earlier) = ours.and_then(|ours| self.tree.child(ours, record)) {
            self.tree.append(new, earlier);
            return;
        }
        let mut writer = self.writer();
        let change = writer.revision(record);
        let old = match ours {
            Some(ours) => ours,
            None => writer.document.new_element(name),
        };
        writer.document.append(change, old);
        writer.document.append(new, change);
        self.sign_as_there(change, theirs, record);
    }

    fn compare_grids(&mut self, before: NodeId, after: NodeId) {
        let (Some(ours), Some(theirs)) =
            (self.tree.child(before, TBL_GRID), self.after.child(after, TBL_GRID))
        else {
            return;
        };
        let columns = |document: &Document, grid: NodeId| {
            document.children(grid).filter(|column| document.name(*column) == GRID_COL).count()
        };
        let is_alike = match self.importer.without_formats {
            true => columns(self.tree, ours) == columns(self.after, theirs),
            false => self.before_signer().whole(ours) == self.after_signer().whole(theirs),
        };
        if is_alike {
            return;
        }
        let new = self.import(theirs);
        self.tree.insert_before(ours, new);
        self.tree.detach(ours);
        let record = self.writer().revision(TBL_GRID_CHANGE);
        let attributes = [crate::names::AUTHOR, crate::names::DATE];
        attributes.into_iter().for_each(|name| self.tree.remove_attribute(record, name));
        debug_assert!(self.tree.attribute(record, ID).is_some());
        self.tree.append(record, ours);
        self.tree.append(new, record);
    }

    fn insert_row(&mut self, row: NodeId) {
        for cell in children_through_controls(self.tree, row, TC) {
            self.mark_contents(cell, INS);
        }
        self.mark_owner(row, TR_PR, INS);
    }

    fn delete_row(&mut self, row: NodeId) {
        for cell in children_through_controls(self.tree, row, TC) {
            self.mark_contents(cell, DEL);
        }
        self.mark_owner(row, TR_PR, DEL);
    }

    /// Puts a revision into the properties of a row or cell.
    fn mark_owner(&mut self, owner: NodeId, name: QName, kind: QName) {
        let mark = self.writer().revision(kind);
        put_mark(self.tree, owner, name, mark);
    }

    /// Marks all blocks of a container.
    pub(super) fn mark_contents(&mut self, container: NodeId, kind: QName) {
        let children: Vec<NodeId> = self.tree.children(container).collect();
        for child in children {
            let name = self.tree.name(child);
            if self.tree.kind(child) == NodeKind::Element && !is_range_marker(name) {
                self.mark_block(child, kind);
            }
        }
    }

    fn mark_block(&mut self, block: NodeId, kind: QName) {
        match self.tree.name(block) {
            P => {
                self.wrap_content(block, kind);
                match kind {
                    DEL => delete_mark(&mut self.writer(), block),
                    _ => self.writer().mark_paragraph(block, kind),
                }
            }
            TBL => {
                for row in children_through_controls(self.tree, block, TR) {
                    match kind {
                        DEL => self.delete_row(row),
                        _ => self.insert_row(row),
                    }
                }
            }
            SDT => {
                if let Some(content) = self.tree.child(block, SDT_CONTENT) {
                    self.mark_contents(content, kind);
                }
                self.mark_control(block, kind);
            }
            name if self.tree.local_name(name).ends_with("Pr") => {}
            crate::names::CUSTOM_XML => self.mark_contents(block, kind),
            _ => {}
        }
    }

    /// Marks a control itself as new or gone, whatever becomes of what it holds: both its ends are in ranges, as Word writes it.
    pub(super) fn mark_control(&mut self, control: NodeId, kind: QName) {
        let (start, end) = match kind {
            DEL => (CUSTOM_XML_DEL_RANGE_START, CUSTOM_XML_DEL_RANGE_END),
            _ => (CUSTOM_XML_INS_RANGE_START, CUSTOM_XML_INS_RANGE_END),
        };
        let Some(content) = self.tree.child(control, SDT_CONTENT) else { return };
        let mut range = || {
            let mut writer = self.writer();
            let opening = writer.revision(start);
            let closing = writer.document.new_element(end);
            let id = writer.document.attribute(opening, ID).unwrap_or_default().into_owned();
            writer.document.set_attribute(closing, ID, &id);
            (opening, closing)
        };
        let (first, second) = (range(), range());
        self.tree.insert_before(control, first.0);
        self.tree.prepend(content, first.1);
        self.tree.append(content, second.0);
        self.tree.insert_after(control, second.1);
    }

    pub(super) fn mark_block_inserted(&mut self, block: NodeId) {
        self.mark_block(block, INS);
    }

    pub(super) fn delete_block(&mut self, block: NodeId) {
        self.mark_block(block, DEL);
    }
}

fn put_properties(tree: &mut Document, owner: NodeId, properties: NodeId, name: QName) {
    match tree.child(owner, TBL_PR_EX).filter(|_| name == TR_PR) {
        Some(exceptions) => tree.insert_after(exceptions, properties),
        None => tree.prepend(owner, properties),
    }
}

/// Puts the mark of an insertion or deletion into the properties of a row or cell: behind all else but a deletion, a merge and the
/// record of a change (CT_TrPr, CT_TcPr).
pub(super) fn put_mark(tree: &mut Document, owner: NodeId, name: QName, mark: NodeId) {
    let properties = match tree.child(owner, name) {
        Some(properties) => properties,
        None => {
            let properties = tree.new_element(name);
            put_properties(tree, owner, properties, name);
            properties
        }
    };
    let is_insertion = matches!(tree.name(mark), INS | CELL_INS);
    let behind = tree.children(properties).find(|child| match tree.name(*child) {
        TR_PR_CHANGE | TC_PR_CHANGE => true,
        DEL | CELL_DEL | CELL_MERGE => is_insertion,
        _ => false,
    });
    match behind {
        Some(behind) => tree.insert_before(behind, mark),
        None => tree.append(properties, mark),
    }
}
