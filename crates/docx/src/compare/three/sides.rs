//! What became of each block of the base on one side.

use std::ops::Range;

use engross_xml::{Document, NodeId};

use crate::model::{Paragraph, View, mark_revisions};
use crate::names::{CUSTOM_XML, INS, MOVE_TO, P, SDT, TBL, TR, TR_PR};
use crate::signature::Signer;
use crate::text::pairing::{equal_pairs, gaps};

/// A side's blocks, by those of the base.
pub(super) struct SideBlocks {
    /// For each block of the base: itself on this side, and whether it changed; nothing where it is in a tangle.
    pub(super) own: Vec<Option<(NodeId, bool)>>,
    /// Blocks that are new before each block of the base, and behind the last.
    pub(super) new: Vec<Vec<NodeId>>,
    /// Blocks of the base that became others in a way that says not which became which.
    pub(super) tangles: Vec<(Range<usize>, Vec<NodeId>)>,
}

/// The paragraphs, tables and controls of a container; the rows of a table.
pub(super) fn blocks(document: &Document, container: NodeId) -> Vec<NodeId> {
    let is_block = |node: &NodeId| matches!(document.name(*node), P | TBL | TR | SDT | CUSTOM_XML);
    document.children(container).filter(is_block).collect()
}

impl SideBlocks {
    pub(super) fn of(
        (base, source): (Signer<'_>, &[NodeId]),
        (side, side_blocks): (Signer<'_>, &[NodeId]),
    ) -> Self {
        let numbers = |signer: Signer<'_>, blocks: &[NodeId]| -> Vec<u64> {
            blocks.iter().map(|block| signer.block(*block)).collect()
        };
        let (old, new) = (numbers(base, source), numbers(side, side_blocks));
        let pairs = equal_pairs(&old, &new);
        let mut found =
            Self { own: vec![None; old.len()], new: vec![Vec::new(); old.len() + 1], tangles: Vec::new() };
        for (old_gap, new_gap) in gaps(&pairs, (old.len(), new.len())) {
            found.gap(
                (base.document, source),
                old_gap,
                side.document,
                side_blocks.get(new_gap).unwrap_or_default(),
            );
        }
        for (at, other) in pairs {
            if let Some(slot) = found.own.get_mut(at) {
                *slot = side_blocks.get(other).map(|node| (*node, false));
            }
        }
        found
    }

    fn gap(
        &mut self,
        (base, source): (&Document, &[NodeId]),
        old: Range<usize>,
        document: &Document,
        side: &[NodeId],
    ) {
        if old.is_empty() {
            // Nothing of the base is there, so a control that came is new, too.
            if let Some(new) = self.new.get_mut(old.start) {
                new.extend_from_slice(side);
            }
            return;
        }
        let kept = side.iter().filter(|node| !is_new(document, **node)).count();
        if kept != old.len() {
            match parts(&old, (base, source), document, side) {
                Some(parts) => {
                    for GapPart { between, between_side, block } in parts {
                        self.gap((base, source), between, document, between_side);
                        if let Some((at, node)) = block
                            && let Some(slot) = self.own.get_mut(at)
                        {
                            *slot = Some((node, true));
                        }
                    }
                }
                None => self.tangles.push((old, side.to_vec())),
            }
            return;
        }
        let mut at = old.start;
        for node in side {
            if is_new(document, *node) {
                if let Some(new) = self.new.get_mut(at) {
                    new.push(*node);
                }
            } else {
                if let Some(slot) = self.own.get_mut(at) {
                    *slot = Some((*node, true));
                }
                at += 1;
            }
        }
    }
}

/// A part of a gap: paragraphs, and the table or control behind them.
struct GapPart<'a> {
    between: Range<usize>,
    between_side: &'a [NodeId],
    block: Option<(usize, NodeId)>,
}

/// A gap of the base, parted at tables and controls where each of them became one; nothing where that says no more of the paragraphs.
fn parts<'a>(
    old: &Range<usize>,
    (base, source): (&Document, &[NodeId]),
    document: &Document,
    side: &'a [NodeId],
) -> Option<Vec<GapPart<'a>>> {
    let is_kept = |node: &NodeId| !is_new(document, *node);
    let blocks = source.get(old.clone()).unwrap_or_default();
    let ours = blocks.iter().enumerate().filter(|(_, node)| base.name(**node) != P);
    let theirs = side.iter().enumerate().filter(|(_, node)| document.name(**node) != P && is_kept(node));
    let (ours, theirs): (Vec<_>, Vec<_>) = (ours.collect(), theirs.collect());
    if ours.is_empty() || ours.len() != theirs.len() {
        return None;
    }
    let mut parts = Vec::new();
    let (mut at, mut behind) = (old.start, 0);
    for ((own, _), (place, node)) in ours.into_iter().zip(theirs) {
        let block = Some((old.start + own, *node));
        let between = at..old.start + own;
        parts.push(GapPart { between, between_side: side.get(behind..place).unwrap_or_default(), block });
        (at, behind) = (old.start + own + 1, place + 1);
    }
    parts.push(GapPart { between: at..old.end, between_side: side.get(behind..)?, block: None });
    // A paragraph that is none of the base's, and not new as a whole, came of one beyond the table.
    let is_sound = |part: &GapPart<'_>| !part.between.is_empty() || !part.between_side.iter().any(is_kept);
    parts.iter().all(is_sound).then_some(parts)
}

/// Whether a block came as a whole by tracked changes.
fn is_new(document: &Document, block: NodeId) -> bool {
    match document.name(block) {
        P => {
            let mut marks = mark_revisions(document, block);
            marks.any(|mark| matches!(document.name(mark), INS | MOVE_TO))
                && Paragraph::read(document, block, View::Original, None).visible().next().is_none()
        }
        TR => {
            document.child(block, TR_PR).is_some_and(|properties| document.child(properties, INS).is_some())
        }
        TBL => {
            let mut rows = document.children(block).filter(|row| document.name(*row) == TR).peekable();
            rows.peek().is_some() && rows.all(|row| is_new(document, row))
        }
        _ => false,
    }
}
