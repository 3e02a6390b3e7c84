//! Cuts runs where a step of a redline begins and ends, so that each step is about whole runs.
//!
//! Every leaf is cut once, and runs from their ends: a paragraph of a hundred thousand words costs what its words cost.

use std::collections::HashMap;

use engross_xml::NodeId;

use super::ops::Op;
use super::redliner::Redliner;
use crate::edit::cut_before;
use crate::model::{effective_text, needs_preserve};
use crate::names::{DEL_TEXT, T, XML_SPACE};

/// What a piece of content becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It stays, with this formatting where that is another, and with what earlier revisions make of it.
    Kept(Option<u64>, u64),
    Deleted,
}

/// Content of one run that has one fate.
struct Unit {
    run: NodeId,
    leaf: NodeId,
    at: usize,
    fate: Fate,
    /// The steps that are about it.
    steps: std::ops::Range<usize>,
}

impl Redliner<'_> {
    /// Cuts runs so that each step is about whole runs. Gives the run of each step.
    pub(super) fn cut(&mut self, ops: &[Op]) -> HashMap<usize, NodeId> {
        let mut units: Vec<Unit> = Vec::new();
        let mut is_open = false;
        for (at, op) in ops.iter().enumerate() {
            let (piece, fate) = match op {
                Op::Keep { before, after } => {
                    let format = Some(after.format).filter(|format| *format != before.format);
                    (before, Fate::Kept(format, after.kept))
                }
                Op::Delete(piece) => (piece, Fate::Deleted),
                _ => {
                    is_open = false;
                    continue;
                }
            };
            match units.last_mut() {
                Some(last) if is_open && last.run == piece.run && last.fate == fate => {
                    last.steps.end = at + 1;
                }
                _ => units.push(Unit {
                    run: piece.run,
                    leaf: piece.leaf,
                    at: piece.range.start,
                    fate,
                    steps: at..at + 1,
                }),
            }
            is_open = true;
        }
        let mut runs = HashMap::new();
        for group in units.chunk_by(|one, other| one.run == other.run) {
            let cuts: Vec<NodeId> = self.cut_leaves(group.get(1..).unwrap_or_default());
            let first = group.iter().take(1).map(|unit| (unit, unit.run)).collect::<Vec<_>>();
            // From the end, so that each cut moves no more than its own part.
            let mut parts: Vec<(&Unit, NodeId)> = Vec::new();
            for (unit, leaf) in group.iter().skip(1).zip(cuts).rev() {
                let run = cut_before(&mut self.writer(), leaf);
                parts.push((unit, run));
            }
            for (unit, run) in first.into_iter().chain(parts) {
                runs.extend(unit.steps.clone().map(|step| (step, run)));
            }
        }
        runs
    }

    /// Cuts a run before a byte of one of its leaves. Gives the run that begins there.
    pub(super) fn cut_at(&mut self, run: NodeId, leaf: NodeId, at: usize) -> NodeId {
        let unit = Unit { run, leaf, at, fate: Fate::Deleted, steps: 0..0 };
        let leaf = self.cut_leaves(std::slice::from_ref(&unit)).first().copied().unwrap_or(leaf);
        cut_before(&mut self.writer(), leaf)
    }

    /// Cuts leaves where units begin. Gives the leaf that each now begins with.
    fn cut_leaves(&mut self, units: &[Unit]) -> Vec<NodeId> {
        let mut starts = Vec::with_capacity(units.len());
        for group in units.chunk_by(|one, other| one.leaf == other.leaf) {
            let Some(leaf) = group.first().map(|unit| unit.leaf) else { continue };
            let text = effective_text(self.tree, leaf).into_owned();
            let cuts: Vec<usize> = group.iter().map(|unit| unit.at).filter(|at| *at > 0).collect();
            let mut pieces = Vec::new();
            for (number, at) in cuts.iter().enumerate() {
                let end = cuts.get(number + 1).copied().unwrap_or(text.len());
                pieces.push(text.get(*at..end).unwrap_or_default().to_owned());
            }
            let mut new = Vec::new();
            if let Some(first) = cuts.first() {
                let kept = text.get(..*first).unwrap_or_default();
                while let Some(child) = self.tree.first_child(leaf) {
                    self.tree.detach(child);
                }
                let characters = self.tree.new_text(kept);
                self.tree.append(leaf, characters);
                if needs_preserve(kept) {
                    self.tree.set_attribute(leaf, XML_SPACE, "preserve");
                }
                let name = if self.tree.name(leaf) == DEL_TEXT { DEL_TEXT } else { T };
                let mut behind = leaf;
                for piece in pieces {
                    let piece = self.writer().text_leaf(name, &piece);
                    self.tree.insert_after(behind, piece);
                    behind = piece;
                    new.push(piece);
                }
            }
            let mut new = new.into_iter();
            for unit in group {
                let start = if unit.at > 0 { new.next() } else { Some(leaf) };
                starts.push(start.unwrap_or(leaf));
            }
        }
        starts
    }
}
