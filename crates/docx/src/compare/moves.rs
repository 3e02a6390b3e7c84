//! Paragraphs that stand elsewhere: found by what they say, and written as moves.

use std::collections::HashMap;

use engross_xml::{Document, NodeId, QName};

use super::blocks::Block;
use super::redliner::{Closeness, Redliner};
use crate::edit::{close_range, open_range};
use crate::names::{
    DRAWING, ENDNOTE_REFERENCE, FLD_CHAR, FLD_SIMPLE, FOOTNOTE_REFERENCE, MOVE_FROM, MOVE_FROM_RANGE_END,
    MOVE_FROM_RANGE_START, MOVE_TO, MOVE_TO_RANGE_END, MOVE_TO_RANGE_START, O_MATH, O_MATH_PARA, PICT, SDT,
    SECT_PR,
};
use crate::text::pairing::{Pair, gaps};

/// Letters of a shortest text that is taken for one that was moved: shorter ones recur.
const SHORTEST: usize = 24;

impl Redliner<'_> {
    /// Notes the paragraphs without a partner that say the same elsewhere in the container, each once.
    pub(super) fn find_moves(&mut self, pairs: &[Pair], old: &[Block], new: &[Block]) {
        if !self.with_moves || !matches!(self.closeness, Closeness::Words(_)) {
            return;
        }
        let mut alone: HashMap<u64, (Vec<NodeId>, Vec<NodeId>)> = HashMap::new();
        for (old_gap, new_gap) in gaps(pairs, (old.len(), new.len())) {
            // The mark of the last paragraph of a container goes nowhere.
            let own = old.get(old_gap.start..old_gap.end.min(old.len().saturating_sub(1)));
            for block in own.unwrap_or_default().iter().filter(|block| block.is_paragraph) {
                alone.entry(block.key).or_default().0.push(block.node);
            }
            let other = new.get(new_gap.start..new_gap.end.min(new.len().saturating_sub(1)));
            for block in other.unwrap_or_default().iter().filter(|block| block.is_paragraph) {
                alone.entry(block.key).or_default().1.push(block.node);
            }
        }
        let mut found: Vec<(NodeId, NodeId)> = alone
            .into_values()
            .filter_map(|(old, new)| match (old.as_slice(), new.as_slice()) {
                ([one], [other]) if is_movable(self.tree, *one) => Some((*one, *other)),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        for (one, other) in found {
            self.moved += 1;
            let name = format!("move{}", self.ids.peek() + self.moved);

            self.moves.add((one, other), name);
        }
    }

    /// Marks a paragraph that stands elsewhere.
    pub(super) fn move_away(&mut self, paragraph: NodeId) {
        let Some(name) = self.moves.before(paragraph) else { return };
        self.mark_moved(paragraph, &name, (MOVE_FROM, MOVE_FROM_RANGE_START, MOVE_FROM_RANGE_END));
    }

    /// Marks the copy of a paragraph of the document after, at the place to which it moved.
    pub(super) fn move_here(&mut self, paragraph: NodeId, copy: NodeId) {
        let Some(name) = self.moves.after(paragraph) else { return };
        self.mark_moved(copy, &name, (MOVE_TO, MOVE_TO_RANGE_START, MOVE_TO_RANGE_END));
    }

    fn mark_moved(&mut self, paragraph: NodeId, name: &str, (kind, start, end): (QName, QName, QName)) {
        self.wrap_content(paragraph, kind);
        let mut writer = self.writer();
        writer.mark_paragraph(paragraph, kind);
        let id = open_range(&mut writer, paragraph, start, name);
        close_range(&mut writer, paragraph, end, &id);
    }
}

/// Whether a paragraph can be in two places for a while.
fn is_movable(document: &Document, paragraph: NodeId) -> bool {
    let mut length = 0;
    for below in document.descendants(paragraph) {
        match document.name(below) {
            crate::names::T => length += document.element_text(below).chars().count(),
            FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE | FLD_CHAR | FLD_SIMPLE | DRAWING | PICT | O_MATH
            | O_MATH_PARA | SDT | SECT_PR => return false,
            _ => {}
        }
    }
    length >= SHORTEST
}
