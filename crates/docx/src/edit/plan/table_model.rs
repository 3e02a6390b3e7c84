//! A table of the snapshot: its rows and cells with the numbers of their paragraphs. Must never plan a change.

use std::collections::HashMap;

use engross_xml::NodeId;

use crate::edit::rows::is_new_block;
use crate::edit::snapshot::StorySnapshot;
use crate::edit::tracked_properties::properties_before;
use crate::error::{Refusal, RefusalCode};
use crate::model::{TableGrid, children_through_controls};
use crate::names::{TBL, TC, TR};

/// A table with the numbers of its paragraphs.
pub(super) struct TableModel {
    pub(super) rows: Vec<Row>,
    /// The same rows and cells with the columns they cover.
    pub(super) grid: TableGrid,
}

pub(super) struct Row {
    pub(super) node: NodeId,
    pub(super) cells: Vec<TableCell>,
    /// Every paragraph in it, those of nested tables, too.
    pub(super) all: Vec<usize>,
}

pub(super) struct TableCell {
    pub(super) node: NodeId,
    /// Its own paragraphs.
    pub(super) paragraphs: Vec<usize>,
    /// Every paragraph in it.
    pub(super) all: Vec<usize>,
}

impl StorySnapshot<'_> {
    /// The nearest table around a paragraph.
    pub(super) fn table_at(&self, index: usize) -> Option<NodeId> {
        let document = self.document();
        let node = self.paragraphs.get(index)?;
        document.ancestors(*node).find(|above| document.name(*above) == TBL)
    }

    /// The table itself, or the outermost around it.
    pub(super) fn outermost_table(&self, table: NodeId) -> NodeId {
        let document = self.document();
        document.ancestors(table).filter(|above| document.name(*above) == TBL).last().unwrap_or(table)
    }
}

impl TableModel {
    pub(super) fn read(snapshot: &StorySnapshot<'_>, table: NodeId) -> Self {
        let document = snapshot.document();
        // Paragraphs below each row and cell, and those that are nearest to a cell: each paragraph is looked at once.
        let (mut below, mut nearest) =
            (HashMap::<NodeId, Vec<usize>>::new(), HashMap::<NodeId, Vec<usize>>::new());
        for (index, node) in snapshot.paragraphs.iter().enumerate() {
            let mut is_own = true;
            let mut path = Vec::new();
            for above in document.ancestors(*node) {
                if above == table {
                    for (owner, is_nearest) in path {
                        below.entry(owner).or_default().push(index);
                        if is_nearest {
                            nearest.entry(owner).or_default().push(index);
                        }
                    }
                    break;
                }
                if matches!(document.name(above), TR | TC) {
                    path.push((above, document.name(above) == TC && std::mem::take(&mut is_own)));
                }
            }
        }
        // What the batch put there is not in the table that the operation means.
        let is_old = |node: &NodeId| !is_new_block(document, *node, snapshot.since());
        let rows = children_through_controls(document, table, TR).into_iter().filter(is_old).map(|row| {
            let cells = children_through_controls(document, row, TC).into_iter().filter(is_old).map(|cell| {
                let paragraphs = nearest.remove(&cell).unwrap_or_default();
                TableCell { node: cell, paragraphs, all: below.get(&cell).cloned().unwrap_or_default() }
            });
            Row { node: row, cells: cells.collect(), all: below.get(&row).cloned().unwrap_or_default() }
        });
        let rows = rows.collect();
        // Nor is a cell as wide for it as an earlier operation made it.
        let before = |owner| properties_before(document, owner, snapshot.since());
        Self { rows, grid: TableGrid::read_with(document, table, |node| is_old(&node), before) }
    }

    /// Row and place of the cell that holds a paragraph.
    pub(super) fn cell_of(&self, index: usize) -> Option<(usize, usize)> {
        self.rows.iter().enumerate().find_map(|(at, row)| {
            row.cells.iter().position(|cell| cell.all.contains(&index)).map(|column| (at, column))
        })
    }

    fn all(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().flat_map(|row| row.all.iter().copied())
    }

    /// Whether the range is the whole table.
    pub(super) fn is_whole(&self, first: usize, last: usize) -> bool {
        self.all().min() == Some(first) && self.all().max() == Some(last)
    }

    /// Whether the range holds the whole table.
    pub(super) fn is_within(&self, first: usize, last: usize) -> bool {
        self.all().all(|index| (first..=last).contains(&index))
    }

    pub(super) fn row(&self, at: usize) -> Result<&Row, Refusal> {
        self.rows.get(at).ok_or_else(|| {
            refused(format!("the table has {} rows, counted from 0; there is no row {at}", self.rows.len()))
        })
    }
}

pub(super) fn refused(message: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::TableEditRefused, message)
}
