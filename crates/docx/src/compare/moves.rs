//! Paragraphs that stand elsewhere: found by what they say, and written as moves.

use std::collections::{HashMap, HashSet};

use engross_xml::{Document, NodeId, NodeKind, QName};

use super::blocks::{Block, behind_number, word_bag};
use super::moved::MovedParagraph;
use super::ops::{Op, steps};
use super::redliner::{Closeness, Redliner};
use super::stream::{Piece, Stream};
use crate::edit::{close_range, open_range};
use crate::model::effective_text;
use crate::names::{
    DEL, DEL_TEXT, DRAWING, ENDNOTE_REFERENCE, FLD_CHAR, FLD_SIMPLE, FOOTNOTE_REFERENCE, INS, MOVE_FROM,
    MOVE_FROM_RANGE_END, MOVE_FROM_RANGE_START, MOVE_TO, MOVE_TO_RANGE_END, MOVE_TO_RANGE_START, O_MATH,
    O_MATH_PARA, PICT, RUN, SDT, SECT_PR, T,
};
use crate::signature::{Signer, is_silent};
use crate::text::pairing::{Pair, WordBag, gaps};

/// Letters of a shortest text that is taken for one that was moved: shorter ones recur.
const SHORTEST: usize = 24;

/// How alike two paragraphs in different places must be to be one that moved and was changed.
const LEAST_ALIKE: f32 = 0.65;

/// How much more alike they must be than what stands in the same place.
const MORE_ALIKE: f32 = 0.15;

/// The most pairs of paragraphs for which similarity is worked out.
const MOST_PAIRS: usize = 40_000;

/// A paragraph without a partner, and the gap it stands in.
struct LoneParagraph {
    node: NodeId,
    gap: usize,
    words: WordBag,
}

impl Redliner<'_> {
    /// Notes the paragraphs without a partner that say the same elsewhere in the container, each once; then those that say nearly
    /// the same there.
    pub(super) fn find_moves(&mut self, pairs: &[Pair], old: &[Block], new: &[Block]) {
        if !self.manner.with_moves || !matches!(self.manner.closeness, Closeness::Words(_)) {
            return;
        }
        let mut alone: HashMap<u64, (Vec<NodeId>, Vec<NodeId>)> = HashMap::new();
        let mut gone: Vec<(NodeId, usize)> = Vec::new();
        let mut new_places: Vec<(NodeId, usize)> = Vec::new();
        for (gap, (old_gap, new_gap)) in gaps(pairs, (old.len(), new.len())).into_iter().enumerate() {
            // The mark of the last paragraph of a container goes nowhere.
            let own = old.get(old_gap.start..old_gap.end.min(old.len().saturating_sub(1)));
            for block in own.unwrap_or_default().iter().filter(|block| block.is_paragraph) {
                alone.entry(block.key).or_default().0.push(block.node);
                gone.push((block.node, gap));
            }
            let other = new.get(new_gap.start..new_gap.end.min(new.len().saturating_sub(1)));
            for block in other.unwrap_or_default().iter().filter(|block| block.is_paragraph) {
                alone.entry(block.key).or_default().1.push(block.node);
                new_places.push((block.node, gap));
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
        for pair in &found {
            self.add_move(*pair, Default::default());
        }
        gone.retain(|(node, _)| !self.moves.has_before(*node));
        new_places.retain(|(node, _)| !self.moves.has_after(*node));
        for pair in self.alike_elsewhere(&gone, &new_places) {
            if let Some(changed) = self.changed_on_the_way(pair) {
                self.add_move(pair, changed);
                found.push(pair);
            }
        }
        let lone = |places: &[(NodeId, usize)]| -> HashSet<NodeId> {
            places.iter().map(|(node, _)| *node).collect()
        };
        self.take_along(found, (old, &lone(&gone)), (new, &lone(&new_places)));
    }

    /// Short paragraphs beside those that moved go with them: the heading of a section, with its number counted anew.
    fn take_along(
        &mut self,
        found: Vec<(NodeId, NodeId)>,
        (old, gone): (&[Block], &HashSet<NodeId>),
        (new, come): (&[Block], &HashSet<NodeId>),
    ) {
        if found.is_empty() {
            return;
        }
        let places = |blocks: &[Block]| -> HashMap<NodeId, usize> {
            blocks.iter().enumerate().map(|(at, block)| (block.node, at)).collect()
        };
        let (old_places, new_places) = (places(old), places(new));
        let mut waiting = found;
        while let Some((one, other)) = waiting.pop() {
            let (Some(one), Some(other)) = (old_places.get(&one), new_places.get(&other)) else { continue };
            let beside =
                [(one.checked_sub(1), other.checked_sub(1)), (one.checked_add(1), other.checked_add(1))];
            for (before, after) in beside {
                let Some(before) = before.and_then(|at| old.get(at)) else { continue };
                let Some(after) = after.and_then(|at| new.get(at)) else { continue };
                let pair = (before.node, after.node);
                let is_open = gone.contains(&pair.0)
                    && come.contains(&pair.1)
                    && !self.moves.has_before(pair.0)
                    && !self.moves.has_after(pair.1);
                if !is_open || !can_move(self.tree, pair.0, 1) || !can_move(self.after, pair.1, 1) {
                    continue;
                }
                let changed = if before.key == after.key {
                    Some(Default::default())
                } else {
                    let number = behind_number(self.tree, pair.0);
                    let is_same = number.is_some() && number == behind_number(self.after, pair.1);
                    if is_same { self.changed_on_the_way(pair) } else { None }
                };
                if let Some(changed) = changed {
                    self.add_move(pair, changed);
                    waiting.push(pair);
                }
            }
        }
    }

    fn add_move(&mut self, pair: (NodeId, NodeId), [gone, new]: [Vec<Piece>; 2]) {
        self.moved += 1;
        let name = format!("move{}", self.ids.peek() + self.moved);
        let end = |changed| MovedParagraph { name: name.clone(), changed };
        self.moves.add(pair, [end(gone), end(new)]);
    }

    /// Paragraphs that are each other's likest, in different gaps.
    fn alike_elsewhere(&self, old: &[(NodeId, usize)], new: &[(NodeId, usize)]) -> Vec<(NodeId, NodeId)> {
        if old.len().saturating_mul(new.len()) > MOST_PAIRS {
            return Vec::new();
        }
        let lone = |document: &Document, places: &[(NodeId, usize)]| -> Vec<LoneParagraph> {
            let own = places.iter().filter(|(node, _)| is_movable(document, *node));
            own.map(|(node, gap)| LoneParagraph { node: *node, gap: *gap, words: word_bag(document, *node) })
                .collect()
        };
        let (old, new) = (lone(self.tree, old), lone(self.after, new));
        // The likest elsewhere, and how alike the likest in the same place is.
        let likest = |own: &LoneParagraph, others: &[LoneParagraph]| {
            let (mut best, mut here) = (None, 0.0_f32);
            for (at, other) in others.iter().enumerate() {
                let alike = own.words.similarity(&other.words);
                if own.gap == other.gap {
                    here = here.max(alike);
                } else if best.is_none_or(|(_, known)| alike > known) {
                    best = Some((at, alike));
                }
            }
            best.filter(|(_, alike)| *alike >= LEAST_ALIKE && *alike >= here + MORE_ALIKE).map(|(at, _)| at)
        };
        let back: Vec<Option<usize>> = new.iter().map(|own| likest(own, &old)).collect();
        old.iter()
            .enumerate()
            .filter_map(|(at, own)| {
                let other = likest(own, &new)?;
                let is_mutual = back.get(other).copied().flatten() == Some(at);
                new.get(other).filter(|_| is_mutual).map(|other| (own.node, other.node))
            })
            .collect()
    }

    /// What of a paragraph goes, and what comes, where it moved; none when more than words changed.
    fn changed_on_the_way(&self, (before, after): (NodeId, NodeId)) -> Option<[Vec<Piece>; 2]> {
        let stream = |signer: Signer<'_>, node: NodeId| {
            let mut stream = Stream::default();
            stream.add_paragraph(signer, node);
            stream
        };
        let Closeness::Words(granularity) = self.manner.closeness else { return None };
        let ours = stream(self.before_signer(), before);
        let theirs = stream(self.after_signer(), after);
        let (mut gone, mut new) = (Vec::new(), Vec::new());
        for op in steps(&ours, &theirs, granularity) {
            match op {
                Op::Keep { .. } | Op::KeepMark { .. } => {}
                Op::Delete(piece) => gone.push(piece),
                Op::Insert(piece) => new.push(piece),
                _ => return None,
            }
        }
        Some([gone, new])
    }

    /// Marks a paragraph that stands elsewhere.
    pub(super) fn move_away(&mut self, paragraph: NodeId) {
        let Some(end) = self.moves.before(paragraph) else { return };
        let changed = self.cut_out(&end.changed, &HashMap::new());
        self.mark_moved(paragraph, &end.name, (MOVE_FROM, MOVE_FROM_RANGE_START, MOVE_FROM_RANGE_END));
        self.mark_changed(&changed, DEL);
    }

    /// Marks the copy of a paragraph of the document after, at the place to which it moved.
    pub(super) fn move_here(&mut self, paragraph: NodeId, copy: NodeId) {
        let Some(end) = self.moves.after(paragraph) else { return };
        let runs = |document: &Document, top: NodeId| -> Vec<NodeId> {
            document.descendants(top).filter(|node| document.name(*node) == RUN).collect()
        };
        let copies = runs(self.after, paragraph).into_iter().zip(runs(self.tree, copy)).collect();
        let changed = self.cut_out(&end.changed, &copies);
        self.mark_moved(copy, &end.name, (MOVE_TO, MOVE_TO_RANGE_START, MOVE_TO_RANGE_END));
        self.mark_changed(&changed, INS);
    }

    /// Gives pieces runs of their own, from the end on. `copies` leads from the runs of the document after to those here.
    fn cut_out(&mut self, pieces: &[Piece], copies: &HashMap<NodeId, NodeId>) -> Vec<NodeId> {
        let mut cut = Vec::with_capacity(pieces.len());
        for piece in pieces.iter().rev() {
            let run = copies.get(&piece.run).copied().unwrap_or(piece.run);
            let leaf = match run == piece.run {
                true => Some(piece.leaf),
                false => leaf_at(self.tree, run, place_of(self.after, piece)),
            };
            let Some(leaf) = leaf else { continue };
            let length = effective_text(self.tree, leaf).len();
            if piece.is_text && piece.range.end < length {
                self.cut_at(run, leaf, piece.range.end);
            } else if let Some(next) = self.tree.next(leaf) {
                self.cut_at(run, next, 0);
            }
            cut.push(self.cut_at(run, leaf, piece.range.start));
        }
        cut
    }

    /// Runs within a move that did not move: they only go, or only come.
    fn mark_changed(&mut self, runs: &[NodeId], kind: QName) {
        for run in runs {
            let Some(wrapper) = self.tree.parent(*run) else { continue };
            if !matches!(self.tree.name(wrapper), MOVE_FROM | MOVE_TO) {
                continue;
            }
            self.split_revision(wrapper, *run);
            if let Some(next) = self.tree.next(*run) {
                self.split_revision(wrapper, next);
                if let Some(own) = self.tree.parent(*run) {
                    self.tree.rename(own, kind);
                }
            } else {
                self.tree.rename(wrapper, kind);
            }
            if kind == DEL {
                for leaf in self.tree.children(*run).collect::<Vec<_>>() {
                    if self.tree.name(leaf) == T {
                        self.tree.rename(leaf, DEL_TEXT);
                    }
                }
            }
        }
    }

    fn mark_moved(&mut self, paragraph: NodeId, name: &str, (kind, start, end): (QName, QName, QName)) {
        self.wrap_content(paragraph, kind);
        let mut writer = self.writer();
        writer.mark_paragraph(paragraph, kind);
        let id = open_range(&mut writer, paragraph, start, name);
        close_range(&mut writer, paragraph, end, &id);
    }
}

/// Which child of its run a piece's leaf is.
fn place_of(document: &Document, piece: &Piece) -> usize {
    leaves(document, piece.run).position(|leaf| leaf == piece.leaf).unwrap_or(usize::MAX)
}

fn leaf_at(document: &Document, run: NodeId, place: usize) -> Option<NodeId> {
    leaves(document, run).nth(place)
}

/// The leaves of a run that a copy has, too.
fn leaves(document: &Document, run: NodeId) -> impl Iterator<Item = NodeId> {
    document
        .children(run)
        .filter(|leaf| document.kind(*leaf) == NodeKind::Element && !is_silent(document.name(*leaf)))
}

/// Whether a paragraph says enough to be known elsewhere, and can be in two places for a while.
fn is_movable(document: &Document, paragraph: NodeId) -> bool {
    can_move(document, paragraph, SHORTEST)
}

/// Whether a paragraph of at least so many letters can be in two places for a while.
fn can_move(document: &Document, paragraph: NodeId, shortest: usize) -> bool {
    let mut length = 0;
    for below in document.descendants(paragraph) {
        match document.name(below) {
            T => length += document.element_text(below).chars().count(),
            FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE | FLD_CHAR | FLD_SIMPLE | DRAWING | PICT | O_MATH
            | O_MATH_PARA | SDT | SECT_PR => return false,
            _ => {}
        }
    }
    length >= shortest
}
