//! Compares the blocks of two containers: the body, a cell, a note, a text box, a content control.

use engross_xml::{Document, NodeId};

use super::align::{Pair, WordBag, equal_pairs, gaps, similar_pairs, with_heavy};
use super::ops::{Op, steps, whole_steps};
use super::redliner::{Closeness, Redliner};
use super::segment::Segment;
use super::signature::{Signer, number_of};
use super::stream::Stream;
use crate::model::effective_text;
use crate::names::{CUSTOM_XML, DEL_TEXT, P, P_PR, SDT, SECT_PR, T, TBL};
use crate::text::tokens;

/// A paragraph, a table or a control.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) node: NodeId,
    key: u64,
    is_paragraph: bool,
    /// It says nothing: many have such a partner, and none has one of its own.
    is_weak: bool,
    section: Option<NodeId>,
}

/// How alike two tables must be to be one that was changed.
const LEAST_TABLE: f32 = 0.1;

fn blocks_of(signer: Signer<'_>, container: NodeId) -> Vec<Block> {
    let document = signer.document;
    let empty = Signer::content_of_nothing();
    document
        .children(container)
        .filter(|child| matches!(document.name(*child), P | TBL | SDT | CUSTOM_XML))
        .map(|node| {
            let is_paragraph = document.name(node) == P;
            let section = document.child(node, P_PR).filter(|_| is_paragraph);
            let section = section.and_then(|properties| document.child(properties, SECT_PR));
            let is_weak = is_paragraph && section.is_none() && signer.content(node) == empty;
            Block { node, key: signer.block(node), is_paragraph, is_weak, section }
        })
        .collect()
}

impl Redliner<'_> {
    /// Makes a redline of the blocks of two containers, `before` in the tree and `after` in the other document.
    pub(super) fn compare_containers(&mut self, before: NodeId, after: NodeId) {
        let old = blocks_of(self.before_signer(), before);
        let new = blocks_of(self.after_signer(), after);
        let pairs = self.anchors(&old, &new);
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
        if self.closeness == Closeness::Whole {
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
        let (old, new) = (&self.opened(old, new, false), &self.opened(new, old, true));
        let pairs = self.partners(old, new);
        let mut behind = last;
        let mut ends = gaps(&pairs, (old.len(), new.len())).into_iter().peekable();
        let mut partners = pairs.iter();
        while let Some((old_part, new_part)) = ends.next() {
            let next = old.get(old_part.end).map(|block| block.node).filter(|_| ends.peek().is_some()).or(ahead);
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

    /// Blocks with those controls taken apart whose content stands without one on the other side: that a control came or went
    /// is no tracked change, and its text did neither.
    fn opened(&self, blocks: &[Block], others: &[Block], is_after: bool) -> Vec<Block> {
        let (signer, other) = match is_after {
            false => (self.before_signer(), self.after_signer()),
            true => (self.after_signer(), self.before_signer()),
        };
        let mut opened = Vec::with_capacity(blocks.len());
        for block in blocks {
            let name = signer.document.name(block.node);
            let is_control = matches!(name, SDT | CUSTOM_XML) && self.closeness == Closeness::Words;
            let has_partner = || {
                let shell = signer.shell(block.node);
                others.iter().any(|one| other.document.name(one.node) == name && other.shell(one.node) == shell)
            };
            if !is_control || has_partner() {
                opened.push(*block);
                continue;
            }
            let bag = word_bag(signer.document, block.node);
            let theirs = WordBag::joined(others.iter().map(|one| word_bag(other.document, one.node)));
            if bag.share_in(&theirs) < 0.5 {
                opened.push(*block);
                continue;
            }
            let content = signer.document.child(block.node, crate::names::SDT_CONTENT).unwrap_or(block.node);
            let inner = blocks_of(signer, content);
            opened.extend(self.opened(&inner, others, is_after));
        }
        opened
    }

    /// Tables and controls of a gap that are the same one, changed.
    fn partners(&self, old: &[Block], new: &[Block]) -> Vec<Pair> {
        if self.closeness == Closeness::Whole {
            return Vec::new();
        }
        let place = |blocks: &[Block]| -> Vec<usize> {
            blocks.iter().enumerate().filter(|(_, block)| !block.is_paragraph).map(|(at, _)| at).collect()
        };
        let (old_places, new_places) = (place(old), place(new));
        let (ours, theirs) = (self.before_signer(), self.after_signer());
        let bags = |signer: Signer<'_>, blocks: &[Block], places: &[usize]| -> Vec<(engross_xml::QName, u64, WordBag)> {
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
                use crate::names::SDT_CONTENT;
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
        (behind, ahead): (Option<NodeId>, Option<NodeId>),
        old: &[Block],
        new: &[Block],
    ) {
        if old.is_empty() && new.is_empty() {
            return;
        }
        let stream = |signer: Signer<'_>, blocks: &[Block], side: &str| {
            let mut stream = Stream::default();
            for (at, block) in blocks.iter().enumerate() {
                if block.is_paragraph {
                    stream.add_paragraph(signer, block.node);
                } else {
                    stream.add_block(number_of(21, &format!("{side}{at}")), block.node);
                }
            }
            stream
        };
        let before = stream(self.before_signer(), old, "before");
        let after = stream(self.after_signer(), new, "after");
        let ops: Vec<Op> = match self.closeness {
            Closeness::Words => steps(&before, &after),
            _ => whole_steps(&before, &after),
        };
        let paragraphs = old.iter().filter(|block| block.is_paragraph).map(|block| block.node).collect();
        self.write_segment(Segment { container, paragraphs, behind, ahead }, &ops);
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
