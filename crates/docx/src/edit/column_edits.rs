//! What a batch did to the columns of its tables, before it is written into grids and widths (`columns`).
//!
//! Must never touch the tree.

use std::collections::HashMap;

use engross_xml::NodeId;

use crate::edit::plan::ColumnChange;

/// What a batch did to the columns of its tables.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnEdits {
    pub(super) by_table: HashMap<NodeId, TableColumns>,
    /// New cells whose column is not known yet.
    pub(super) new_cells: Vec<NodeId>,
    /// Cells that cover columns more or less, likewise.
    pub(super) spans: Vec<(NodeId, i32)>,
}

/// The columns of one table.
#[derive(Debug, Clone, Default)]
pub(super) struct TableColumns {
    pub(super) changes: Vec<ColumnChange>,
    /// Widths that new cells have.
    pub(super) new_cells: Vec<(NodeId, u32)>,
    /// By how much cells became wider.
    pub(super) wider: HashMap<NodeId, i64>,
}

impl ColumnEdits {
    /// Forgets what an operation left that changes no columns.
    pub(super) fn begin_operation(&mut self) {
        self.new_cells.clear();
        self.spans.clear();
    }

    pub(super) fn note_cell(&mut self, cell: NodeId) {
        self.new_cells.push(cell);
    }
}
