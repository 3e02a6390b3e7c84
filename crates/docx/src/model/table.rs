//! A table as a grid: which columns each cell of each row covers (ISO/IEC 29500-1 §17.4.16, .17, .84).
//!
//! Must never change the tree, and never trust a table: the grid may be missing, and its rows may be of different lengths.

use engross_xml::{Document, NodeId, QName};

use crate::names::{
    CUSTOM_XML, GRID_AFTER, GRID_BEFORE, GRID_COL, GRID_SPAN, SDT, SDT_CONTENT, TBL_GRID, TC, TC_PR, TR,
    TR_PR, V_MERGE, VAL, WIDTH,
};

/// The most columns that a cell covers; Word has no more than 63 in a table.
const WIDEST: usize = 1024;

/// Whether a cell goes on from the one above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerticalMerge {
    None,
    /// It is the first of its kind.
    Restart,
    /// It is part of the one above.
    Continue,
}

/// A cell and the columns it covers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GridCell {
    pub(crate) node: NodeId,
    /// The first of its columns, from 0.
    pub(crate) start: usize,
    /// How many columns it covers.
    pub(crate) span: usize,
    pub(crate) merge: VerticalMerge,
}

impl GridCell {
    /// The column behind it.
    pub(crate) fn end(&self) -> usize {
        self.start + self.span
    }
}

/// A row and the columns before and behind its cells.
#[derive(Debug, Clone)]
pub(crate) struct GridRow {
    pub(crate) node: NodeId,
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) cells: Vec<GridCell>,
}

impl GridRow {
    /// The column behind its last cell.
    pub(crate) fn end(&self) -> usize {
        self.cells.last().map_or(self.before, GridCell::end)
    }

    /// How many columns the row takes.
    pub(crate) fn width(&self) -> usize {
        self.end() + self.after
    }

    /// Whether the cells cover the same columns in both rows.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let shape = |row: &Self| row.cells.iter().map(|cell| (cell.start, cell.span)).collect::<Vec<_>>();
        shape(self) == shape(other)
    }
}

/// A table as a grid.
#[derive(Debug, Clone)]
pub(crate) struct TableGrid {
    /// The `w:tblGrid`, if the table has one with columns.
    pub(crate) grid: Option<NodeId>,
    /// Widths of its columns in twentieths of a point; 0 where none is given.
    pub(crate) widths: Vec<u32>,
    pub(crate) rows: Vec<GridRow>,
}

impl TableGrid {
    /// Reads a table; rows and cells that do not count are left out.
    pub(crate) fn read(document: &Document, table: NodeId, counts: impl Fn(NodeId) -> bool) -> Self {
        Self::read_with(document, table, counts, |owner| present_properties(document, owner))
    }

    /// The same with the columns that other properties of rows and cells give them than the present ones, such as those before a change.
    /// Which cells are merged with those above them is always as it is now.
    pub(crate) fn read_with(
        document: &Document,
        table: NodeId,
        counts: impl Fn(NodeId) -> bool,
        properties: impl Fn(NodeId) -> Option<NodeId>,
    ) -> Self {
        let grid = document.child(table, TBL_GRID);
        let columns = grid.into_iter().flat_map(|grid| document.children(grid));
        let widths: Vec<u32> = columns
            .filter(|child| document.name(*child) == GRID_COL)
            .map(|column| number(document, column, WIDTH).unwrap_or_default())
            .collect();
        let rows = children_through_controls(document, table, TR)
            .into_iter()
            .filter(|row| counts(*row))
            .map(|row| read_row(document, row, &counts, &properties))
            .collect();
        Self { grid: grid.filter(|_| !widths.is_empty()), widths, rows }
    }

    /// How many columns the rows take at most.
    pub(crate) fn columns(&self) -> usize {
        self.rows.iter().map(GridRow::width).max().unwrap_or_default()
    }

    /// Whether the grid has as many columns as the longest row. A table without a grid says nothing of it.
    pub(crate) fn is_sound(&self) -> bool {
        self.grid.is_none() || self.rows.is_empty() || self.widths.len() == self.columns()
    }
}

fn present_properties(document: &Document, owner: NodeId) -> Option<NodeId> {
    document.child(owner, if document.name(owner) == TR { TR_PR } else { TC_PR })
}

/// How many columns a cell covers now.
pub(crate) fn present_span(document: &Document, cell: NodeId) -> usize {
    span_of(document, present_properties(document, cell), GRID_SPAN).unwrap_or(1).max(1)
}

fn read_row(
    document: &Document,
    row: NodeId,
    counts: &impl Fn(NodeId) -> bool,
    properties_of: &impl Fn(NodeId) -> Option<NodeId>,
) -> GridRow {
    let properties = properties_of(row);
    let beside = |name| span_of(document, properties, name).unwrap_or(0);
    let before = beside(GRID_BEFORE);
    let mut start = before;
    let mut cells = Vec::new();
    for node in children_through_controls(document, row, TC) {
        if !counts(node) {
            continue;
        }
        let span = span_of(document, properties_of(node), GRID_SPAN).unwrap_or(1).max(1);
        let merge = document.child(node, TC_PR).and_then(|properties| document.child(properties, V_MERGE));
        let merge = match merge.map(|merge| document.attribute(merge, VAL)) {
            None => VerticalMerge::None,
            Some(Some(value)) if value == "restart" => VerticalMerge::Restart,
            Some(_) => VerticalMerge::Continue,
        };
        cells.push(GridCell { node, start, span, merge });
        start += span;
    }
    GridRow { node: row, before, after: beside(GRID_AFTER), cells }
}

/// Children of a name, content controls and tags around them looked through.
pub(crate) fn children_through_controls(document: &Document, parent: NodeId, name: QName) -> Vec<NodeId> {
    let mut found = Vec::new();
    for child in document.children(parent) {
        match document.name(child) {
            own if own == name => found.push(child),
            SDT | SDT_CONTENT | CUSTOM_XML => found.extend(children_through_controls(document, child, name)),
            _ => {}
        }
    }
    found
}

fn span_of(document: &Document, properties: Option<NodeId>, name: QName) -> Option<usize> {
    let value = number(document, document.child(properties?, name)?, VAL)?;
    usize::try_from(value).ok().map(|value| value.min(WIDEST))
}

/// A whole number from 0; what a program wrote with decimals is cut.
pub(crate) fn number(document: &Document, node: NodeId, name: QName) -> Option<u32> {
    let value = document.attribute(node, name)?;
    let digits = value.trim().split('.').next().unwrap_or_default();
    digits.parse().ok()
}

/// The width of columns together.
pub(crate) fn whole_width(widths: &[u32]) -> u32 {
    widths.iter().fold(0, |sum: u32, width| sum.saturating_add(*width))
}
