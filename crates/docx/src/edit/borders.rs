//! Borders that revisions delete: what runs into what once they are accepted, and where new paragraphs can stand.
//!
//! Must never change the tree.

use crate::edit::expected::ExpectedText;
use crate::edit::marks::{has_deleted_mark, next_block};
use crate::edit::tree_editor::TreeEditor;
use crate::error::{Refusal, RefusalCode};
use crate::model::{Paragraph, View, next_paragraph};
use crate::ops::Where;

impl TreeEditor<'_> {
    /// Beside which paragraph new ones are written that were asked for beside `index`.
    ///
    /// `Before` means directly before its element; `After` means that the last of them takes its element, because
    /// nothing follows, or because it and all behind it go.
    pub(super) fn spot(&self, index: usize, side: Where) -> Result<(usize, Where), Refusal> {
        // Between two paragraphs is before the second.
        let (index, side) = match side {
            Where::After if self.snapshot.flowed_on(index) => (index + 1, Where::Before),
            side => (index, side),
        };
        if let Some(last) = self.deleted_end(index) {
            return Ok((last, Where::After));
        }
        let before = if side == Where::After { Some(index) } else { index.checked_sub(1) };
        if let Some(before) = before.filter(|before| self.runs_on(*before))
            && self.is_run_into(before + 1)
        {
            if self.is_gone(before) {
                return Err(Refusal::new(
                    RefusalCode::OverlappingOperations,
                    format!(
                        "an earlier operation of this batch joins P{} and P{}; insert before or after the two, \
                         or send this one after reading again",
                        before + 1,
                        before + 2
                    ),
                ));
            }
            // What is joined over the border is one paragraph; with nothing behind it, that is where it ends.
            let end = (before + 1..).find(|at| !self.runs_on(*at)).unwrap_or(before + 1);
            let in_sight = (before..end).all(|at| self.snapshot.flowed_on(at));
            if !in_sight || (before + 1..=end).any(|at| self.shows(at)) {
                return Err(nothing_between(before));
            }
            return self.spot(end, Where::After);
        }
        if side == Where::After && self.is_border_deleted(index) {
            // What shows nothing may as well stand behind; text beside it would run on.
            let hidden = !self.shows(index) && !self.is_run_into(index);
            return if hidden { Ok((index, Where::Before)) } else { Err(nothing_between(index)) };
        }
        Ok((index, side))
    }

    /// The last paragraph of the container, or the last before a table, if new paragraphs have its element or can take
    /// it: the batch deletes it and all others from `index` on.
    fn deleted_end(&self, index: usize) -> Option<usize> {
        let last = (index..).find(|at| !self.is_gone(*at) || !self.snapshot.flowed_on(*at))?;
        let node = self.snapshot.paragraphs.get(last).copied()?;
        let is_taken = self.expected.get(&last).is_some_and(|expected| !expected.after.is_empty());
        let can_take = is_taken || next_block(self.snapshot.tree, node).is_none();
        (self.is_gone(last) && can_take).then_some(last)
    }

    /// Whether the batch deletes the paragraph, or joins it to the next.
    pub(super) fn is_gone(&self, index: usize) -> bool {
        self.expected.get(&index).is_some_and(ExpectedText::is_gone)
    }

    /// Whether text before the paragraph runs into it over a deleted border.
    pub(super) fn is_run_into(&self, index: usize) -> bool {
        (0..index).rev().take_while(|at| self.runs_on(*at)).any(|at| self.shows(at))
    }

    /// Whether the paragraph says anything once all is accepted.
    fn shows(&self, index: usize) -> bool {
        let fields = self.snapshot.context(index);
        let chain = self.own_chain(index);
        !Paragraph::read_chain(self.snapshot.tree, &chain, View::Accepted, fields.as_ref()).text.is_empty()
    }

    /// Whether the border right before the next paragraph is deleted.
    pub(crate) fn runs_on(&self, index: usize) -> bool {
        let this = self.snapshot.paragraphs.get(index).copied();
        let next = this.and_then(|this| next_paragraph(self.snapshot.tree, this));
        next.is_some() && next == self.front(index + 1) && self.is_border_deleted(index)
    }

    fn is_border_deleted(&self, index: usize) -> bool {
        let node = self.snapshot.paragraphs.get(index);
        node.is_some_and(|node| has_deleted_mark(self.snapshot.tree, *node))
    }
}

fn nothing_between(before: usize) -> Refusal {
    Refusal::new(
        RefusalCode::TextDeleted,
        format!(
            "a revision deletes the border behind P{}, so no new paragraph can stand there; \
             reject it first, or insert before or after what it joins",
            before + 1
        ),
    )
}
