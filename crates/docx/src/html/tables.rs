//! Tables: rows and cells with their spans, and what was inserted, deleted or changed of them.

use std::collections::HashSet;

use engross_xml::NodeId;

use super::writer::StoryWriter;
use crate::model::{GridCell, GridRow, TableGrid, VerticalMerge, View, is_on};
use crate::names::{
    BIDI_VISUAL, CELL_DEL, CELL_INS, CELL_MERGE, DEL, INS, T, TBL_GRID, TBL_GRID_CHANGE, TBL_HEADER, TBL_PR,
    TBL_PR_CHANGE, TBL_PR_EX, TBL_PR_EX_CHANGE, TC_PR, TC_PR_CHANGE, TR_PR, TR_PR_CHANGE,
};
use crate::revisions::RevisionKind;

/// The most columns that HTML lets a cell cover.
const MOST_COLUMNS: usize = 1000;
/// The most rows.
const MOST_ROWS: usize = 65_000;

type Change = (NodeId, RevisionKind);

impl StoryWriter<'_, '_> {
    pub(super) fn table(&mut self, table: NodeId) {
        let document = self.document;
        let view = self.state.view;
        let grid = TableGrid::read(document, table, |node| self.is_in_view(node, view));
        if grid.rows.is_empty() {
            return;
        }
        let properties = document.child(table, TBL_PR);
        let is_rtl = properties
            .and_then(|properties| document.child(properties, BIDI_VISUAL))
            .is_some_and(|node| is_on(document, node));
        self.state.out.raw(if is_rtl { "<table dir=\"rtl\">\n" } else { "<table>\n" });
        let mut changes: Vec<Change> = Vec::new();
        let of = |holder, name| document.child(table, holder).and_then(|node| document.child(node, name));
        changes.extend(of(TBL_PR, TBL_PR_CHANGE).map(|node| (node, RevisionKind::TableFormatting)));
        changes.extend(of(TBL_GRID, TBL_GRID_CHANGE).map(|node| (node, RevisionKind::TableFormatting)));
        if !changes.is_empty() && view == View::Markup {
            self.state.out.raw("<caption class=\"generated\">");
            self.write_marks(&changes);
            self.state.out.raw("</caption>\n");
        }
        self.state.out.raw("<tbody>\n");
        let mut covered = HashSet::new();
        for (at, row) in grid.rows.iter().enumerate() {
            self.row(row, grid.rows.get(at + 1..).unwrap_or_default(), &mut covered);
        }
        self.state.out.raw("</tbody>\n</table>\n");
    }

    /// Whether a row or cell is there in a view.
    fn is_in_view(&self, node: NodeId, view: View) -> bool {
        let document = self.document;
        let has = |holder, name| {
            document.child(node, holder).is_some_and(|holder| document.child(holder, name).is_some())
        };
        match view {
            View::Accepted => !has(TR_PR, DEL) && !has(TC_PR, CELL_DEL),
            View::Original => !has(TR_PR, INS) && !has(TC_PR, CELL_INS),
            View::Markup | View::Before(_) => true,
        }
    }

    fn row(&mut self, row: &GridRow, below: &[GridRow], covered: &mut HashSet<NodeId>) {
        let document = self.document;
        let properties = document.child(row.node, TR_PR);
        let of = |name| properties.and_then(|properties| document.child(properties, name));
        let is_header = of(TBL_HEADER).is_some_and(|node| is_on(document, node));
        let mut changes: Vec<Change> = Vec::new();
        changes.extend(of(INS).map(|node| (node, RevisionKind::RowInsertion)));
        changes.extend(of(DEL).map(|node| (node, RevisionKind::RowDeletion)));
        changes.extend(of(TR_PR_CHANGE).map(|node| (node, RevisionKind::TableFormatting)));
        let exceptions = document.child(row.node, TBL_PR_EX);
        let exceptions = exceptions.and_then(|node| document.child(node, TBL_PR_EX_CHANGE));
        changes.extend(exceptions.map(|node| (node, RevisionKind::TableFormatting)));
        let class = match (self.state.view, of(INS), of(DEL)) {
            (View::Markup, _, Some(_)) => " class=\"deleted\"",
            (View::Markup, Some(_), _) => " class=\"inserted\"",
            _ => "",
        };
        self.state.out.raw(&format!("<tr{class}>"));
        self.no_cell(row.before);
        let mut changes = if self.state.view == View::Markup { changes } else { Vec::new() };
        for cell in &row.cells {
            if covered.contains(&cell.node) {
                continue;
            }
            let merged = merged_below(cell, below);
            covered.extend(&merged);
            self.cell(cell, &merged, is_header, &std::mem::take(&mut changes));
        }
        if !changes.is_empty() {
            self.state.out.raw("<td class=\"no-cell\">");
            self.write_marks(&changes);
            self.state.out.raw("</td>");
        }
        self.no_cell(row.after);
        self.state.out.raw("</tr>\n");
    }

    fn no_cell(&mut self, columns: usize) {
        if columns > 0 {
            self.state
                .out
                .raw(&format!("<td class=\"no-cell\"{}></td>", span("colspan", columns, MOST_COLUMNS)));
        }
    }

    fn cell(&mut self, cell: &GridCell, merged: &[NodeId], is_header: bool, of_row: &[Change]) {
        let document = self.document;
        let properties = document.child(cell.node, TC_PR);
        let of = |name| properties.and_then(|properties| document.child(properties, name));
        let mut changes = of_row.to_vec();
        let own = [
            (CELL_INS, RevisionKind::CellInsertion),
            (CELL_DEL, RevisionKind::CellDeletion),
            (CELL_MERGE, RevisionKind::CellMerge),
            (TC_PR_CHANGE, RevisionKind::TableFormatting),
        ];
        changes.extend(own.into_iter().filter_map(|(name, kind)| Some((of(name)?, kind))));
        let class = match (self.state.view, of(CELL_INS), of(CELL_DEL)) {
            (View::Markup, _, Some(_)) => " class=\"deleted\"",
            (View::Markup, Some(_), _) => " class=\"inserted\"",
            _ => "",
        };
        let element = if is_header { "th" } else { "td" };
        let columns = span("colspan", cell.span, MOST_COLUMNS);
        let rows = span("rowspan", merged.len() + 1, MOST_ROWS);
        self.state.out.raw(&format!("<{element}{class}{columns}{rows}>"));
        self.write_marks(&changes);
        let outer = std::mem::replace(&mut self.in_header_cell, is_header);
        self.container(cell.node);
        self.end_unended();
        for node in merged {
            // Word hides what stands in a merged cell; here it is not lost.
            let holds_text = document.descendants(*node).any(|below| document.name(below) == T);
            let properties = document.child(*node, TC_PR);
            let of = |name| properties.and_then(|properties| document.child(properties, name));
            let changes: Vec<Change> =
                own.into_iter().filter_map(|(name, kind)| Some((of(name)?, kind))).collect();
            self.write_marks(&changes);
            if holds_text || self.state.view == View::Markup {
                self.container(*node);
                self.end_unended();
            }
        }
        self.in_header_cell = outer;
        self.state.out.raw(&format!("</{element}>"));
    }
}

/// The cells below that are part of a cell.
fn merged_below(cell: &GridCell, below: &[GridRow]) -> Vec<NodeId> {
    if cell.merge != VerticalMerge::Restart {
        return Vec::new();
    }
    let part = |row: &GridRow| {
        let at = row.cells.binary_search_by_key(&cell.start, |known| known.start).ok()?;
        let known = row.cells.get(at)?;
        (known.merge == VerticalMerge::Continue && known.span == cell.span).then_some(known.node)
    };
    below.iter().map_while(part).take(MOST_ROWS - 1).collect()
}

fn span(name: &str, count: usize, most: usize) -> String {
    if count > 1 { format!(" {name}=\"{}\"", count.min(most)) } else { String::new() }
}
