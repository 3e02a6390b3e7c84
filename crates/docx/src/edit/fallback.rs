//! The copies of a text box in `mc:Fallback`, which programs show that do not know DrawingML (ISO/IEC 29500-3 §10.2.3).
//!
//! Paragraphs and tables of a copy that say the same as those of the box get the same edits, with the same revision ids, as Word writes
//! it; else the old words would stay in the file when the edit is long accepted. Must never change a block that differs from its
//! twin in the box: rejecting could not give it back.

use std::collections::HashMap;

use engross_xml::{Document, NodeId, NodeKind};

use crate::canon::normal_form;
use crate::model::mark_revisions;
use crate::names::{ALTERNATE_CONTENT, DEL, FALLBACK, MOVE_FROM, TXBX_CONTENT};
use crate::text::pairing::equal_pairs;

/// The copies of one text box, as they were before it was edited.
#[derive(Debug, Default)]
pub(crate) struct FallbackCopies {
    /// The blocks of the box with what they say.
    blocks: Vec<(NodeId, Vec<u8>)>,
    /// For each copy, the twin of each block of the box.
    copies: Vec<Vec<Option<NodeId>>>,
    /// Whether there is a fallback without a copy.
    is_missing: bool,
}

impl FallbackCopies {
    /// Those of the box with this `w:txbxContent`; none for any other element.
    pub(crate) fn of(document: &Document, content: NodeId) -> Self {
        let mut copies = Self::default();
        if document.name(content) != TXBX_CONTENT {
            return copies;
        }
        copies.blocks = blocks(document, content);
        let mut below = content;
        for above in document.ancestors(content).collect::<Vec<_>>() {
            if document.name(above) == ALTERNATE_CONTENT && document.name(below) != FALLBACK {
                let number = boxes(document, below).iter().position(|node| *node == content);
                let is_fallback = |child: &NodeId| document.name(*child) == FALLBACK;
                for fallback in document.children(above).filter(is_fallback) {
                    let copy = number.and_then(|number| boxes(document, fallback).get(number).copied());
                    match copy {
                        Some(copy) => copies.copies.push(copies.twins(&blocks(document, copy))),
                        None => copies.is_missing |= document.first_child(fallback).is_some(),
                    }
                }
            }
            below = above;
        }
        copies
    }

    /// For each block of the box the one of a copy that says the same, in order.
    fn twins<'a>(&'a self, copy: &'a [(NodeId, Vec<u8>)]) -> Vec<Option<NodeId>> {
        let mut twins = vec![None; self.blocks.len()];
        let mut numbers: HashMap<&[u8], u64> = HashMap::new();
        let mut keys = |blocks: &'a [(NodeId, Vec<u8>)]| -> Vec<u64> {
            let mut number = |form: &'a [u8]| {
                let next = numbers.len() as u64;
                *numbers.entry(form).or_insert(next)
            };
            blocks.iter().map(|(_, form)| number(form)).collect()
        };
        for (own, other) in equal_pairs(&keys(&self.blocks), &keys(copy)) {
            if let Some(twin) = twins.get_mut(own) {
                *twin = copy.get(other).map(|(node, _)| *node);
            }
        }
        twins
    }

    /// Gives the copies what the box holds now, block by block; whether all of it found its place.
    pub(crate) fn renew(&self, document: &mut Document, content: NodeId) -> bool {
        let mut is_whole = !self.is_missing;
        if self.copies.is_empty() {
            return is_whole;
        }
        let places: HashMap<NodeId, usize> =
            self.blocks.iter().enumerate().map(|(at, (node, _))| (*node, at)).collect();
        let is_same = |document: &Document, node: NodeId| {
            let at = places.get(&node).copied()?;
            let (_, form) = self.blocks.get(at)?;
            (document.is_clean(node) || normal_form(document, node) == *form).then_some(at)
        };
        // What lies between two blocks that say what they said is one change: blocks that were there, and those that are there now.
        let mut changes: Vec<(std::ops::Range<usize>, Vec<NodeId>)> = Vec::new();
        let (mut from, mut new) = (0, Vec::new());
        let now: Vec<NodeId> =
            document.children(content).filter(|node| document.kind(*node) == NodeKind::Element).collect();
        for node in now {
            match is_same(document, node).filter(|at| *at >= from) {
                Some(at) => {
                    changes.push((from..at, std::mem::take(&mut new)));
                    from = at + 1;
                }
                None => new.push(node),
            }
        }
        changes.push((from..self.blocks.len(), new));
        changes.retain(|(old, new)| !old.is_empty() || !new.is_empty());
        for twins in &self.copies {
            for (old, new) in &changes {
                is_whole &= bring(document, twins, old.clone(), new);
            }
        }
        is_whole
    }
}

/// Puts copies of `new` in the places of the twins of the blocks `old`; whether there is such a place.
fn bring(
    document: &mut Document,
    twins: &[Option<NodeId>],
    old: std::ops::Range<usize>,
    new: &[NodeId],
) -> bool {
    let twin = |at: Option<usize>| at.and_then(|at| twins.get(at).copied()).flatten();
    let gone: Option<Vec<NodeId>> = old.clone().map(|at| twin(Some(at))).collect();
    let Some(gone) = gone else { return false };
    // What loses its border goes on in the block behind, which must be the same in the copy.
    let is_lost = |mark| matches!(document.name(mark), DEL | MOVE_FROM);
    let goes_on = new.iter().any(|node| mark_revisions(document, *node).any(is_lost));
    let behind = if goes_on { twin(Some(old.end)) } else { None };
    let row: Vec<NodeId> = gone.iter().copied().chain(behind).collect();
    if goes_on && old.end < twins.len() && behind.is_none() || !are_neighbours(document, &row) {
        return false;
    }
    let before = match gone.first() {
        Some(first) => *first,
        None => {
            let (previous, next) = (twin(old.start.checked_sub(1)), twin(Some(old.end)));
            match (previous, next) {
                (_, Some(next)) => next,
                (Some(previous), None) if old.end == twins.len() => {
                    // Behind all others.
                    for node in new.iter().rev() {
                        let copy = document.copy(*node);
                        document.insert_after(previous, copy);
                    }
                    return true;
                }
                _ => return false,
            }
        }
    };
    for node in new {
        let copy = document.copy(*node);
        document.insert_before(before, copy);
    }
    for node in gone {
        document.detach(node);
    }
    true
}

/// Whether nothing stands between these nodes.
fn are_neighbours(document: &Document, nodes: &[NodeId]) -> bool {
    nodes.windows(2).all(|pair| match pair {
        [one, other] => {
            let mut next = document.next(*one);
            while let Some(between) = next.filter(|next| document.kind(*next) != NodeKind::Element) {
                next = document.next(between);
            }
            next == Some(*other)
        }
        _ => true,
    })
}

/// The blocks directly in a text box, with what they say.
fn blocks(document: &Document, content: NodeId) -> Vec<(NodeId, Vec<u8>)> {
    let elements = document.children(content).filter(|node| document.kind(*node) == NodeKind::Element);
    elements.map(|node| (node, normal_form(document, node))).collect()
}

/// The text boxes below an element, in order, those in each other, too; of alternatives within it, one.
fn boxes(document: &Document, root: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut nodes = document.descendants(root);
    while let Some(node) = nodes.next() {
        match document.name(node) {
            FALLBACK if node != root => nodes.skip_below(node),
            TXBX_CONTENT => found.push(node),
            _ => {}
        }
    }
    found
}
