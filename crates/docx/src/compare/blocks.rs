//! Compares the blocks of two containers: the body, a cell, a note, a text box, a content control.

use engross_xml::{Document, NodeId};

use super::homes::homes;
use super::ops::{Op, steps, whole_steps};
use super::redliner::{Closeness, Redliner};
use super::segment::Segment;
use super::stream::Stream;
use crate::model::{Paragraph, View, effective_text};
use crate::names::{CUSTOM_XML, DEL, DEL_TEXT, P, P_PR, SDT, SDT_CONTENT, SECT_PR, T, TBL};
use crate::signature::{Signer, number_of};
use crate::text::pairing::{Pair, WordBag, equal_pairs, gaps, similar_pairs, with_heavy};
use crate::text::tokens;
use crate::text::typed_numbers::typed_number;

/// A paragraph, a table or a control.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) node: NodeId,
    pub(super) key: u64,
    pub(super) is_paragraph: bool,
    /// It says nothing: many have such a partner, and none has one of its own.
    is_weak: bool,
    section: Option<NodeId>,
}

/// How often a row of paragraphs is parted within its parts. Each time finds less, and what is left is compared as one.
const PARTINGS: usize = 8;

/// How alike two tables must be to be one that was changed.
const LEAST_TABLE: f32 = 0.1;

fn blocks_of(signer: Signer<'_>, container: NodeId) -> Vec<Block> {
    let document = signer.document;
    document
        .children(container)
        .filter(|child| matches!(document.name(*child), P | TBL | SDT | CUSTOM_XML))
        .map(|node| {
            let is_paragraph = document.name(node) == P;
            let section = document.child(node, P_PR).filter(|_| is_paragraph);
            let section = section.and_then(|properties| document.child(properties, SECT_PR));
            let (key, is_empty) =
                if is_paragraph { signer.paragraph(node) } else { (signer.block(node), false) };
            Block { node, key, is_paragraph, is_weak: is_empty && section.is_none(), section }
        })
        .collect()
}

impl Redliner<'_> {
    /// Makes a redline of the blocks of two containers, `before` in the tree and `after` in the other document.
    pub(super) fn compare_containers(&mut self, before: NodeId, after: NodeId) {
        let old = blocks_of(self.before_signer(), before);
        let new = blocks_of(self.after_signer(), after);
        let pairs = self.anchors(&old, &new);
        self.find_moves(&pairs, &old, &new);
        for (one, other) in &pairs {
            let sections = old.get(*one).and_then(|block| block.section);
            let sections = sections.zip(new.get(*other).and_then(|block| block.section));
            self.sections.extend(sections);
        }
        for (old_gap, new_gap) in gaps(&pairs, (old.len(), new.len())) {
            if old_gap.is_empty() && new_gap.is_empty() {
                continue;
            }
            let last = old_gap.start.checked_sub(1).and_then(|at| old.get(at)).map(|block| block.node);
            let ahead = old.get(old_gap.end).map(|block| block.node);
            let (old_gap, new_gap) =
                (old.get(old_gap).unwrap_or_default(), new.get(new_gap).unwrap_or_default());
            self.compare_gap(before, (last, ahead), old_gap, new_gap);
        }
    }

    /// Equal blocks that belong together.
    fn anchors(&self, old: &[Block], new: &[Block]) -> Vec<Pair> {
        if self.manner.closeness == Closeness::Whole {
            return Vec::new();
        }
        let keys = |blocks: &[Block]| blocks.iter().map(|block| block.key).collect::<Vec<_>>();
        let (old_keys, new_keys) = (keys(old), keys(new));
        let weight = |at: usize| old.get(at).map_or(0, |block| text_length(self.tree, block.node));
        let pairs = with_heavy(equal_pairs(&old_keys, &new_keys), (&old_keys, &new_keys), weight);
        let mut pairs = without_lone_weak(&pairs, old, new);
        // A container ends with a paragraph whose mark has nothing to join: the last ones are always compared.
        let (ends, more) = match pairs.last().copied() {
            Some((one, other)) => ((one, other), (one + 1 < old.len(), other + 1 < new.len())),
            None => return pairs,
        };
        let is_open = more.0 != more.1;
        let is_paragraph = old.get(ends.0).is_some_and(|block| block.is_paragraph && block.section.is_none());
        let ends_in_paragraph = |blocks: &[Block]| blocks.last().is_some_and(|block| block.is_paragraph);
        if is_open && is_paragraph && ends_in_paragraph(old) && ends_in_paragraph(new) {
            pairs.pop();
        }
        pairs
    }

    /// What stands between two pairs of equal blocks.
    fn compare_gap(
        &mut self,
        container: NodeId,
        (last, ahead): (Option<NodeId>, Option<NodeId>),
        old: &[Block],
        new: &[Block],
    ) {
        let mut gone = Vec::new();
        let (old, new) = (&self.opened(old, new, &mut gone), &self.opened_after(new, old));
        gone.into_iter().for_each(|control| self.mark_control(control, DEL));
        let mut behind = last;
        let mut counted = self.counted_anew(old, new);
        // The mark of a container's last paragraph has nothing to join: the last ones are always compared.
        let is_open = |pair: &Pair| (pair.0 + 1 == old.len()) != (pair.1 + 1 == new.len());
        if ahead.is_none() && counted.last().is_some_and(is_open) {
            counted.pop();
        }
        let mut partners = counted.iter();
        for (old_part, new_part) in gaps(&counted, (old.len(), new.len())) {
            let next = old.get(old_part.end).map(|block| block.node).or(ahead);
            let (old_part, new_part) =
                (old.get(old_part).unwrap_or_default(), new.get(new_part).unwrap_or_default());
            self.compare_part(container, (behind, next), old_part, new_part);
            if let Some((one, other)) = partners.next()
                && let (Some(old_part), Some(new_part)) = (old.get(*one..=*one), new.get(*other..=*other))
            {
                let behind_it = old.get(one + 1).map(|block| block.node).or(ahead);
                self.compare_row(container, (behind, behind_it), old_part, new_part);
                behind = old.get(*one).map(|block| block.node);
            }
        }
    }

    /// Paragraphs that say the same but for the number that was typed before them: a clause was put in or taken out above.
    fn counted_anew(&self, old: &[Block], new: &[Block]) -> Vec<Pair> {
        if !matches!(self.manner.closeness, Closeness::Words(_)) || old.len() < 2 && new.len() < 2 {
            return Vec::new();
        }
        let (ours, theirs) = (self.before_signer(), self.after_signer());
        let numbers = |(signer, side): (Signer<'_>, &str),
                       blocks: &[Block],
                       is_moved: &dyn Fn(NodeId) -> bool|
         -> Vec<u64> {
            let number = |(at, block): (usize, &Block)| {
                let is_open = block.is_paragraph && block.section.is_none() && !is_moved(block.node);
                let text = Some(block.node)
                    .filter(|_| is_open)
                    .and_then(|node| behind_number(signer.document, node));
                match text {
                    Some(text) => number_of(23, &text),
                    None => number_of(24, &format!("{side} {at}")),
                }
            };
            blocks.iter().enumerate().map(number).collect()
        };
        let old_numbers = numbers((ours, "before"), old, &|node| self.moves.has_before(node));
        let new_numbers = numbers((theirs, "after"), new, &|node| self.moves.has_after(node));
        equal_pairs(&old_numbers, &new_numbers)
    }

    /// What stands between two pairs of paragraphs that belong together.
    fn compare_part(
        &mut self,
        container: NodeId,
        (last, ahead): (Option<NodeId>, Option<NodeId>),
        old: &[Block],
        new: &[Block],
    ) {
        let pairs = self.partners(old, new);
        let mut behind = last;
        let mut ends = gaps(&pairs, (old.len(), new.len())).into_iter().peekable();
        let mut partners = pairs.iter();
        while let Some((old_part, new_part)) = ends.next() {
            let next =
                old.get(old_part.end).map(|block| block.node).filter(|_| ends.peek().is_some()).or(ahead);
            let old_part = old.get(old_part).unwrap_or_default();
            let new_part = new.get(new_part).unwrap_or_default();
            self.compare_row(container, (behind, next), old_part, new_part);
            if let Some((one, other)) = partners.next()
                && let (Some(one), Some(other)) = (old.get(*one), new.get(*other))
            {
                self.compare_blocks(one.node, other.node);
                behind = Some(one.node);
            }
        }
    }

    /// Blocks with those controls taken apart whose content stands without one on the other side: the control goes, its text does
    /// not.
    fn opened(&self, blocks: &[Block], others: &[Block], gone: &mut Vec<NodeId>) -> Vec<Block> {
        let mut opened = Vec::with_capacity(blocks.len());
        for block in blocks {
            match self.content_without_control(self.before_signer(), block, self.after_signer(), others) {
                Some(inner) => {
                    gone.push(block.node);
                    opened.extend(self.opened(&inner, others, gone));
                }
                None => opened.push(*block),
            }
        }
        opened
    }

    /// The same of the document after: that a control came around text that was there is no tracked change.
    fn opened_after(&self, blocks: &[Block], others: &[Block]) -> Vec<Block> {
        let mut opened = Vec::with_capacity(blocks.len());
        for block in blocks {
            match self.content_without_control(self.after_signer(), block, self.before_signer(), others) {
                Some(inner) => opened.extend(self.opened_after(&inner, others)),
                None => opened.push(*block),
            }
        }
        opened
    }

    fn content_without_control(
        &self,
        signer: Signer<'_>,
        block: &Block,
        other: Signer<'_>,
        others: &[Block],
    ) -> Option<Vec<Block>> {
        let name = signer.document.name(block.node);
        if !matches!(name, SDT | CUSTOM_XML) || !matches!(self.manner.closeness, Closeness::Words(_)) {
            return None;
        }
        let shell = signer.shell(block.node);
        let is_partner =
            |one: &Block| other.document.name(one.node) == name && other.shell(one.node) == shell;
        if others.iter().any(is_partner) {
            return None;
        }
        let theirs = WordBag::joined(others.iter().map(|one| word_bag(other.document, one.node)));
        if word_bag(signer.document, block.node).share_in(&theirs) < 0.5 {
            return None;
        }
        let content = signer.document.child(block.node, SDT_CONTENT).unwrap_or(block.node);
        Some(blocks_of(signer, content))
    }

    /// Tables and controls of a gap that are the same one, changed.
    fn partners(&self, old: &[Block], new: &[Block]) -> Vec<Pair> {
        if self.manner.closeness == Closeness::Whole {
            return Vec::new();
        }
        let place = |blocks: &[Block]| -> Vec<usize> {
            blocks.iter().enumerate().filter(|(_, block)| !block.is_paragraph).map(|(at, _)| at).collect()
        };
        let (old_places, new_places) = (place(old), place(new));
        let (ours, theirs) = (self.before_signer(), self.after_signer());
        let bags = |signer: Signer<'_>,
                    blocks: &[Block],
                    places: &[usize]|
         -> Vec<(engross_xml::QName, u64, WordBag)> {
            let nodes = places.iter().filter_map(|at| blocks.get(*at)).map(|block| block.node);
            nodes
                .map(|node| {
                    let name = signer.document.name(node);
                    let shell = if name == TBL { 0 } else { signer.shell(node) };
                    (name, shell, word_bag(signer.document, node))
                })
                .collect()
        };
        let (old_bags, new_bags) = (bags(ours, old, &old_places), bags(theirs, new, &new_places));
        let similarity = |one: usize, other: usize| match (old_bags.get(one), new_bags.get(other)) {
            (Some(one), Some(other)) if one.0 == other.0 && one.1 == other.1 => {
                let bonus = if one.0 == TBL { 0.0 } else { 0.2 };
                one.2.similarity(&other.2) + bonus
            }
            _ => -1.0,
        };
        similar_pairs((old_places.len(), new_places.len()), LEAST_TABLE, similarity)
            .into_iter()
            .filter(|(one, other)| similarity(*one, *other) >= 0.0)
            .filter_map(|(one, other)| Some((*old_places.get(one)?, *new_places.get(other)?)))
            .collect()
    }

    fn compare_blocks(&mut self, before: NodeId, after: NodeId) {
        match self.tree.name(before) {
            TBL => self.compare_tables(before, after),
            SDT => {
                let inner = self.tree.child(before, SDT_CONTENT).zip(self.after.child(after, SDT_CONTENT));
                if let Some((before, after)) = inner {
                    self.compare_containers(before, after);
                }
            }
            _ => self.compare_containers(before, after),
        }
    }

    /// Paragraphs, and blocks between them that have no partner.
    fn compare_row(
        &mut self,
        container: NodeId,
        edges: (Option<NodeId>, Option<NodeId>),
        old: &[Block],
        new: &[Block],
    ) {
        self.compare_row_part(container, edges, (old, new), PARTINGS);
    }

    /// A row, or a part of one, which may be parted so many times more.
    fn compare_row_part(
        &mut self,
        container: NodeId,
        (behind, ahead): (Option<NodeId>, Option<NodeId>),
        (old, new): (&[Block], &[Block]),
        partings: usize,
    ) {
        if old.is_empty() && new.is_empty() {
            return;
        }
        let stream = |signer: Signer<'_>, blocks: &[Block], side: &str, is_moved: &dyn Fn(NodeId) -> bool| {
            let mut stream = Stream::default();
            for (at, block) in blocks.iter().enumerate() {
                if block.is_paragraph && !is_moved(block.node) {
                    stream.add_paragraph(signer, block.node);
                } else {
                    stream.add_block(number_of(21, &format!("{side}{at}")), block.node);
                }
            }
            stream
        };
        let before = stream(self.before_signer(), old, "before", &|node| self.moves.has_before(node));
        let after = stream(self.after_signer(), new, "after", &|node| self.moves.has_after(node));
        let may_part = partings > 0 && old.len() + new.len() > 2;
        if may_part && matches!(self.manner.closeness, Closeness::Words(_)) {
            let pairs = homes(&before, &after, ahead.is_none());
            if !pairs.is_empty() {
                return self.compare_parted((container, partings - 1), (behind, ahead), (old, new), &pairs);
            }
        }
        let ops: Vec<Op> = match self.manner.closeness {
            Closeness::Words(granularity) => steps(&before, &after, granularity),
            _ => whole_steps(&before, &after),
        };
        let stays = |block: &&Block| block.is_paragraph && !self.moves.has_before(block.node);
        let paragraphs = old.iter().filter(stays).map(|block| block.node).collect();
        self.write_segment(Segment { container, paragraphs, behind, ahead }, &ops);
    }

    /// A row that is parted at paragraphs which stay themselves.
    fn compare_parted(
        &mut self,
        (container, partings): (NodeId, usize),
        (mut behind, ahead): (Option<NodeId>, Option<NodeId>),
        (old, new): (&[Block], &[Block]),
        pairs: &[Pair],
    ) {
        let node = |at: usize| old.get(at).map(|block| block.node).or(ahead);
        let mut partners = pairs.iter().copied();
        for (old_part, new_part) in gaps(pairs, (old.len(), new.len())) {
            let next = node(old_part.end);
            let parts = (old.get(old_part).unwrap_or_default(), new.get(new_part).unwrap_or_default());
            self.compare_row_part(container, (behind, next), parts, partings);
            if let Some((one, other)) = partners.next() {
                let parts =
                    (old.get(one..=one).unwrap_or_default(), new.get(other..=other).unwrap_or_default());
                self.compare_row_part(container, (behind, node(one + 1)), parts, partings);
                behind = node(one);
            }
        }
    }
}

/// Pairs without those empty paragraphs that stand alone between changes: they would cut what belongs together.
fn without_lone_weak(pairs: &[Pair], old: &[Block], new: &[Block]) -> Vec<Pair> {
    let mut kept = Vec::with_capacity(pairs.len());
    let mut start = 0;
    while start < pairs.len() {
        let mut end = start + 1;
        let follows = |at: usize| match (pairs.get(at - 1), pairs.get(at)) {
            (Some(one), Some(other)) => one.0 + 1 == other.0 && one.1 + 1 == other.1,
            _ => false,
        };
        while end < pairs.len() && follows(end) {
            end += 1;
        }
        let run = pairs.get(start..end).unwrap_or_default();
        let is_weak = run.iter().all(|(at, _)| old.get(*at).is_some_and(|block| block.is_weak));
        let at_start = run.first().is_some_and(|(one, other)| *one == 0 || *other == 0);
        let at_end = run.last().is_some_and(|(one, other)| one + 1 == old.len() || other + 1 == new.len());
        if !is_weak || at_start || at_end {
            kept.extend_from_slice(run);
        }
        start = end;
    }
    kept
}

/// What a paragraph says behind a number that was typed before it; none without a number, or without words.
pub(super) fn behind_number(document: &Document, paragraph: NodeId) -> Option<String> {
    let text = Paragraph::read(document, paragraph, View::Markup, None).text;
    let rest = text.get(typed_number(&text)?.len..)?;
    rest.contains(char::is_alphabetic).then(|| rest.to_owned())
}

/// How much a block says.
fn text_length(document: &Document, node: NodeId) -> usize {
    let texts = document.descendants(node).filter(|below| matches!(document.name(*below), T | DEL_TEXT));
    texts.map(|text| document.element_text(text).len()).sum()
}

/// All words below a node.
pub(super) fn word_bag(document: &Document, node: NodeId) -> WordBag {
    let mut words = Vec::new();
    for below in document.descendants(node) {
        if matches!(document.name(below), T | DEL_TEXT) {
            let text = effective_text(document, below);
            let words_of = tokens(&text).into_iter().filter_map(|range| text.get(range));
            words.extend(words_of.filter(|word| !word.trim().is_empty()).map(|word| number_of(22, word)));
        }
    }
    WordBag::of(words)
}
