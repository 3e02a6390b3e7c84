//! Borders that revisions delete: what runs into what once they are accepted.
//!
//! Must never change the tree.

use crate::edit::draft::Draft;
use crate::error::{Refusal, RefusalCode};
use crate::model::{Paragraph, View, is_id_since, mark_revisions};
use crate::names::{DEL, MOVE_FROM, P};
use crate::ops::Where;

impl Draft<'_> {
    /// Where new paragraphs beside `index` go, so that no text before them runs into them over a deleted border.
    pub(super) fn beside(&self, index: usize, side: Where) -> Result<(usize, Where), Refusal> {
        let before = if side == Where::After { Some(index) } else { index.checked_sub(1) };
        let Some(before) = before.filter(|before| self.runs_on(*before)) else { return Ok((index, side)) };
        if !self.is_run_into(before + 1) {
            return Ok((index, side));
        }
        let end = (before + 1..).find(|at| !self.runs_on(*at)).unwrap_or(before + 1);
        if !(before + 1..=end).any(|at| self.shows(at)) {
            return Ok((end, Where::After));
        }
        Err(Refusal::new(
            RefusalCode::TextDeleted,
            format!(
                "a revision deletes the border between P{} and P{}, so nothing can stand between them; \
                 reject it first, or insert before or after the two",
                before + 1,
                before + 2
            ),
        ))
    }

    /// Whether text before the paragraph runs into it over a deleted border.
    pub(super) fn is_run_into(&self, index: usize) -> bool {
        let new_before = |at: usize| self.expected.get(&at).is_some_and(|known| !known.before.is_empty());
        (0..index).rev().take_while(|at| self.runs_on(*at)).any(|at| new_before(at + 1) || self.shows(at))
    }

    /// Whether the paragraph stands for something once all is accepted.
    fn shows(&self, index: usize) -> bool {
        let tree = &*self.base.tree;
        let fields = self.base.context(index);
        let chain = self.own_chain(index);
        let text = Paragraph::read_chain(tree, &chain, View::Accepted, fields.as_ref()).text;
        let node = self.base.paragraphs.get(index).copied();
        let ours = |mark| is_id_since(tree, mark, self.first_id);
        // An empty paragraph stands for itself where the batch took the border behind it for another's sake.
        let kept = node.is_some_and(|node| mark_revisions(tree, node).any(ours))
            && self.expected.get(&index).is_none_or(|expected| !expected.own.is_empty());
        kept || !text.is_empty()
    }

    /// Whether the border right before the next paragraph is deleted.
    pub(crate) fn runs_on(&self, index: usize) -> bool {
        let tree = &*self.base.tree;
        let deletes = |mark| matches!(tree.name(mark), DEL | MOVE_FROM);
        let mut before = self.own_chain(index + 1).first().and_then(|next| tree.previous(*next));
        while let Some(node) = before.filter(|node| tree.name(*node) != P) {
            before = tree.previous(node);
        }
        before.is_some_and(|node| mark_revisions(tree, node).any(deletes)) && self.base.flowed_on(index)
    }
}
