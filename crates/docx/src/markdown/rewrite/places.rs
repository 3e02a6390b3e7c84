//! Where new blocks go, and what goes with those that go.

use std::collections::HashSet;

use super::keys::{object_labels, text_of};
use super::old_body::OldBlock;
use super::texts::numberless;
use super::{Rewriter, in_body};
use crate::error::{Refusal, RefusalCode};
use crate::ops::{CommentPolicy, Edit, Where};
use crate::text::{Block, BlockKind, StyledText, write_blocks};

impl Rewriter<'_> {
    /// Takes the blocks `from..to` away.
    pub(super) fn delete(&mut self, from: usize, to: usize) {
        let mut run: Option<(usize, usize)> = None;
        let mut tables = Vec::new();
        let mut runs = Vec::new();
        for at in from..to {
            let Some(old) = self.old.get(at) else { continue };
            if !old.is_free() {
                self.unheeded(at);
                runs.extend(run.take());
                continue;
            }
            let (first, last) = old.range;
            if old.is_table() {
                runs.extend(run.take());
                tables.push(first);
                continue;
            }
            run = match run {
                Some((start, end)) if (end + 1..first).all(|at| self.old.is_blank(at)) => Some((start, last)),
                known => {
                    runs.extend(known);
                    Some((first, last))
                }
            };
        }
        runs.extend(run);
        for (first, last) in runs {
            let last = self.old.with_distance(first, last);
            let end = (last > first).then(|| in_body(last));
            let comments = CommentPolicy::Keep;
            self.rewrite.edits.push(Edit::DeleteParagraph { place: in_body(first), end, comments });
        }
        let delete = |first: usize| Edit::DeleteTable { place: in_body(first) };
        self.rewrite.edits.extend(tables.into_iter().map(delete));
    }

    /// Puts new blocks behind the block `previous`, before the block `next`.
    pub(super) fn insert(&mut self, previous: Option<usize>, next: usize, new: &[Block<StyledText>]) {
        if new.is_empty() {
            return;
        }
        let mut texts = new.iter().filter_map(text_of);
        if let Some(label) = texts.find_map(|text| object_labels(&text.text).next()) {
            let message = format!(
                "{label} stands in a new paragraph, and only what is in the document already can be that; leave it in its paragraph"
            );
            self.refusal.get_or_insert(Refusal::new(RefusalCode::InvalidContent, message));
            return;
        }
        let before = previous.and_then(|at| self.old.get(at));
        let fits = |old: &&OldBlock| old.is_free() && !old.is_table();
        let behind = before.filter(fits);
        let ahead = self.old.get(next).filter(fits);
        let beside_table = before.filter(|old| old.is_table()).map(|old| old.range.1 + 1);
        let is_text = |old: &&OldBlock| old.is_text();
        let gone = previous.map_or(0, |at| at + 1)..next;
        let first_gone = self.old.blocks.get(gone).unwrap_or_default().iter().find(fits);
        let begins_as_text = new.first().is_some_and(Block::is_plain_paragraph);
        // Text stands rather beside text than beside a heading or an item.
        let ahead_first = begins_as_text && behind.as_ref().is_none_or(|old| !is_text(old));
        let (neighbour, (at, side)) = match (behind, ahead, beside_table) {
            (_, Some(old), _) if ahead_first && is_text(&old) => (Some(old), (old.range.0, Where::Before)),
            (Some(old), ..) => (Some(old), (old.range.1, Where::After)),
            (None, Some(old), _) => (Some(old), (old.range.0, Where::Before)),
            (None, None, Some(at)) if at < self.old.numbers.len() && !self.old.is_in_table(at) => {
                (None, (at, Where::Before))
            }
            _ if first_gone.is_some() => {
                (first_gone, (first_gone.map_or(0, |old| old.range.0), Where::Before))
            }
            _ => match self.old.blank_between(before, self.old.get(next)) {
                Some(at) => (None, (at, Where::Before)),
                None => {
                    self.no_place(previous);
                    return;
                }
            },
        };
        let style = match neighbour {
            Some(old) if !begins_as_text || is_text(&old) => None,
            _ => self.old.text_style(next),
        };
        let numbers: HashSet<u8> = self
            .old
            .blocks
            .iter()
            .filter(|old| !old.source.number.is_empty())
            .filter_map(|old| heading_level(&old.block))
            .collect();
        let follows = neighbour.is_some_and(|old| !old.source.number.is_empty());
        let own: Vec<Block<StyledText>> = new
            .iter()
            .cloned()
            .map(|block| match heading_level(&block) {
                Some(level) if numbers.contains(&level) => numberless(block, "1 "),
                None if follows && block.is_plain_paragraph() => numberless(block, "1 "),
                _ => block,
            })
            .collect();
        let continues = neighbour.is_some_and(|old| {
            let is_item = |block: &Block<StyledText>| matches!(block.kind, BlockKind::Item(_));
            is_item(&old.block) && own.first().is_some_and(is_item)
        });
        let content = write_blocks(&own);
        let place = in_body(at);
        self.rewrite.edits.push(Edit::InsertParagraph { place, side, content, style, continues });
    }

    /// Refuses the whole, since text would have to stand where no paragraph of its own can: before a table at the beginning, between
    /// two tables, or in what a field makes.
    fn no_place(&mut self, previous: Option<usize>) {
        let place = match previous.and_then(|at| self.old.get(at)) {
            Some(old) => format!("behind P{}", old.range.1 + 1),
            None => "at the beginning".to_owned(),
        };
        let message = format!(
            "there is new text {place}, where only tables or the results of fields stand; put it beside a paragraph of text"
        );
        self.refusal.get_or_insert(Refusal::new(RefusalCode::TableEditRefused, message));
    }
}

fn heading_level(block: &Block<StyledText>) -> Option<u8> {
    match &block.kind {
        BlockKind::Heading(level, _) => Some(*level),
        _ => None,
    }
}
