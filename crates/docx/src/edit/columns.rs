//! Writes what becomes of columns: the grid with a record of what it was (ISO/IEC 29500-1 §17.13.5.33), spans, and widths.
//!
//! The grid is that of the accepted table; its record is that of the source. Must never decide which cells come or go.

use engross_xml::{Document, NodeId};

use crate::edit::column_edits::TableColumns;
use crate::edit::plan::ColumnChange;
use crate::edit::properties::Setting;
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::rows::{is_marked_since, is_new_block};
use crate::edit::tracked_properties::{
    change_tracked, drop_idle_record, has_foreign_record, has_own_record, properties_before,
};
use crate::edit::tree_editor::{TreeEditor, WriteOutcome};
use crate::error::{Refusal, RefusalCode};
use crate::model::{TableGrid, is_id_since, number, text_width, whole_width};
use crate::names::{
    CELL_DEL, GRID_AFTER, GRID_BEFORE, GRID_COL, GRID_SPAN, ID, TBL_GRID, TBL_GRID_CHANGE, TC_PR, TC_W,
    TR_PR, TYPE, V_MERGE, VAL, WIDTH,
};
use crate::ops::Where;

/// A whole table in the fiftieths of a percent that a width may be given in.
const WHOLE: u64 = 5000;

impl TreeEditor<'_> {
    /// Gives a table, row or cell other properties.
    pub(super) fn write_table_format(
        &mut self,
        owner: NodeId,
        settings: &[Setting],
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let is_new = is_new_block(self.snapshot.tree, owner, self.first_id);
        let changed = change_tracked(&mut self.writer(author), owner, settings, is_new)?;
        Ok(if changed { WriteOutcome::Done } else { WriteOutcome::Nothing("it already looks like that") })
    }

    /// A cell covers columns more, or less.
    pub(super) fn write_span(
        &mut self,
        cell: NodeId,
        by: i32,
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let tree = &*self.snapshot.tree;
        let span = tree.child(cell, TC_PR).and_then(|properties| tree.child(properties, GRID_SPAN));
        let span = span.and_then(|span| number(tree, span, VAL)).unwrap_or(1).max(1);
        let wanted = span.saturating_add_signed(by).max(1);
        let setting = if wanted == 1 {
            Setting::gone(GRID_SPAN)
        } else {
            Setting::value(GRID_SPAN, &wanted.to_string())
        };
        self.columns.spans.push((cell, by));
        self.write_table_format(cell, &[setting], author)
    }

    /// A row leaves out columns more, or less.
    pub(super) fn write_row_offset(
        &mut self,
        (row, side): (NodeId, Where),
        by: i32,
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let name = if side == Where::Before { GRID_BEFORE } else { GRID_AFTER };
        let tree = &*self.snapshot.tree;
        let offset = tree.child(row, TR_PR).and_then(|properties| tree.child(properties, name));
        let offset = offset.and_then(|offset| number(tree, offset, VAL)).unwrap_or_default();
        let wanted = offset.saturating_add_signed(by);
        let setting =
            if wanted == 0 { Setting::gone(name) } else { Setting::value(name, &wanted.to_string()) };
        self.write_table_format(row, &[setting], author)
    }

    /// Takes note of what becomes of the columns of a table. Which cells stand in which of them is what it was before the batch, so
    /// operations that change columns do not go with those that change what is in them.
    fn note_change(&mut self, table: NodeId, change: ColumnChange) -> Result<(), Refusal> {
        let known = &mut self.columns.by_table.entry(table).or_default().changes;
        if known.iter().any(|known| (*known == ColumnChange::Stay) != (change == ColumnChange::Stay)) {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                "one operation of this batch adds or deletes columns of the table, and another one merges or splits its cells or gives \
                 it widths; send the later one after reading again",
            ));
        }
        known.push(change);
        Ok(())
    }

    /// The grid of a table has one column more or less, and its cells have their widths.
    pub(super) fn write_columns(
        &mut self,
        (table, columns_before): (NodeId, usize),
        change: ColumnChange,
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        self.note_change(table, change)?;
        if change == ColumnChange::Stay {
            return Ok(WriteOutcome::Nothing("it already looks like that"));
        }
        let source = SourceGrid::read(self.snapshot.tree, (table, columns_before), self.first_id);
        let cells = std::mem::take(&mut self.columns.new_cells);
        let spans = std::mem::take(&mut self.columns.spans);
        let columns = self.columns.by_table.entry(table).or_default();
        let width = source.as_ref().map_or(0, |source| source.width_of(change));
        columns.new_cells.extend(cells.into_iter().map(|cell| (cell, width)));
        for (cell, by) in spans {
            *columns.wider.entry(cell).or_default() += i64::from(by) * i64::from(width);
        }
        let columns = columns.clone();
        if let Some(source) = source {
            self.fit_columns(table, &source, &columns, author)?;
        }
        Ok(WriteOutcome::Done)
    }

    /// Writes the grid, and the widths of cells. A table that would be wider than its page is as wide as before.
    fn fit_columns(
        &mut self,
        table: NodeId,
        source: &SourceGrid,
        columns: &TableColumns,
        author: &str,
    ) -> Result<(), Refusal> {
        let wanted = source.with(&columns.changes);
        let total: u64 = wanted.iter().copied().map(u64::from).sum();
        let old_total: u64 = source.widths.iter().copied().map(u64::from).sum();
        let limit = old_total.max(text_width(self.snapshot.tree, table).map_or(0, u64::from));
        let ratio = if total > limit { (limit, total) } else { (1, 1) };
        let since = self.first_id;
        let mut writer = self.writer(author);
        let widths = wanted.iter().map(|width| scaled(u64::from(*width), ratio));
        write_grid(&mut writer, source.grid, &widths.collect::<Vec<_>>());
        let cells =
            TableGrid::read(writer.document, table, |_| true).rows.into_iter().flat_map(|row| row.cells);
        for cell in cells {
            let new =
                columns.new_cells.iter().find(|(known, _)| *known == cell.node).map(|(_, width)| *width);
            let goes = is_marked_since(writer.document, cell.node, (TC_PR, CELL_DEL), since);
            let wider = columns.wider.get(&cell.node).copied().unwrap_or_default();
            let is_as_it_was = new.is_none()
                && wider == 0
                && ratio == (1, 1)
                && !has_own_record(writer.document, cell.node, since);
            if goes || is_as_it_was || has_foreign_record(writer.document, cell.node, since) {
                continue;
            }
            let own = match new {
                Some(_) => writer.document.child(cell.node, TC_PR),
                None => properties_before(writer.document, cell.node, since),
            };
            let Some(own) = own.and_then(|own| writer.document.child(own, TC_W)) else { continue };
            let kind = writer.document.attribute(own, TYPE).unwrap_or_default().into_owned();
            let Some(given) = number(writer.document, own, WIDTH).map(u64::from).filter(|given| *given > 0)
            else {
                continue;
            };
            let whole = writer
                .document
                .attribute(own, WIDTH)
                .is_some_and(|value| value.bytes().all(|b| b.is_ascii_digit()));
            let width = match (kind.as_str(), new) {
                _ if !whole => continue,
                ("dxa" | "", Some(width)) => scaled(u64::from(width), ratio),
                ("dxa" | "", None) => scaled(given.saturating_add_signed(wider), ratio),
                ("pct", Some(width)) if total > 0 => u64::from(width) * WHOLE / total,
                ("pct", None) if total > 0 => {
                    let share = given * old_total / WHOLE;
                    share.saturating_add_signed(wider) * WHOLE / total
                }
                _ => continue,
            };
            let setting = Setting::merged(TC_W, &[(WIDTH, &width.to_string())]);
            change_tracked(&mut writer, cell.node, &[setting], new.is_some())?;
            drop_idle_record(&mut writer, cell.node);
        }
        Ok(())
    }

    /// Gives the columns of a table these widths, and its cells theirs.
    pub(super) fn write_widths(
        &mut self,
        table: NodeId,
        widths: &[u32],
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        self.note_change(table, ColumnChange::Stay)?;
        let since = self.first_id;
        let is_old = |document: &Document, node| !is_new_block(document, node, since);
        let grid = TableGrid::read(self.snapshot.tree, table, |node| is_old(self.snapshot.tree, node));
        let mut writer = self.writer(author);
        if let Some(node) = grid.grid {
            let record = writer.document.child(node, TBL_GRID_CHANGE);
            if record.is_some_and(|record| !is_id_since(writer.document, record, since)) {
                return Err(Refusal::new(
                    RefusalCode::FormatRevision,
                    "a pending revision already changes the columns of the table; accept or reject it first",
                ));
            }
            write_grid(&mut writer, node, &widths.iter().copied().map(u64::from).collect::<Vec<_>>());
        }
        for cell in grid.rows.into_iter().flat_map(|row| row.cells) {
            let width: u32 = whole_width(widths.get(cell.start..cell.end()).unwrap_or_default());
            let setting = Setting::with(TC_W, &[(WIDTH, &width.to_string()), (TYPE, "dxa")]);
            if width > 0 {
                change_tracked(&mut writer, cell.node, &[setting], false)?;
            }
        }
        Ok(WriteOutcome::Done)
    }

    /// Makes a new cell part of the vertical merge around it.
    pub(super) fn continue_merge(document: &mut Document, cell: NodeId) {
        let properties = match document.child(cell, TC_PR) {
            Some(properties) => properties,
            None => {
                let properties = document.new_element(TC_PR);
                document.prepend(cell, properties);
                properties
            }
        };
        Setting::with(V_MERGE, &[]).apply(document, properties);
    }
}

/// Gives a grid these columns, with a record of those it had before the batch.
fn write_grid(writer: &mut RevisionWriter<'_>, grid: NodeId, widths: &[u64]) {
    let old: Vec<NodeId> =
        writer.document.children(grid).filter(|child| writer.document.name(*child) == GRID_COL).collect();
    if writer.document.child(grid, TBL_GRID_CHANGE).is_none() {
        // The record has neither author nor date (CT_TblGridChange).
        let record = writer.document.new_element(TBL_GRID_CHANGE);
        let id = writer.ids.take().to_string();
        writer.document.set_attribute(record, ID, &id);
        let before = writer.document.new_element(TBL_GRID);
        old.iter().for_each(|column| writer.document.append(before, *column));
        writer.document.append(record, before);
        writer.document.append(grid, record);
    } else {
        old.iter().for_each(|column| writer.document.detach(*column));
    }
    for width in widths.iter().rev() {
        let column = writer.document.new_element(GRID_COL);
        writer.document.set_attribute(column, WIDTH, &width.to_string());
        writer.document.prepend(grid, column);
    }
}

fn scaled(width: u64, (limit, total): (u64, u64)) -> u64 {
    (width * limit + total / 2).checked_div(total).unwrap_or(width)
}

/// The grid of a table as it was before the batch.
struct SourceGrid {
    grid: NodeId,
    widths: Vec<u32>,
}

impl SourceGrid {
    /// Nothing for a table without a grid.
    fn read(document: &Document, (table, columns): (NodeId, usize), since: i64) -> Option<Self> {
        let known = TableGrid::read(document, table, |node| !is_new_block(document, node, since));
        let grid = known.grid?;
        let record =
            document.child(grid, TBL_GRID_CHANGE).filter(|record| is_id_since(document, *record, since));
        let before = record.and_then(|record| document.child(record, TBL_GRID));
        let mut widths: Vec<u32> = match before {
            Some(before) => document
                .children(before)
                .filter(|child| document.name(*child) == GRID_COL)
                .map(|column| number(document, column, WIDTH).unwrap_or_default())
                .collect(),
            None => {
                // A grid that does not fit the rows is made to fit them.
                let mut widths = known.widths;
                widths.resize(columns, widths.last().copied().unwrap_or_default());
                widths
            }
        };
        if widths.is_empty() {
            widths.push(0);
        }
        Some(Self { grid, widths })
    }

    /// The width of the column that comes or goes: a new one is as wide as the one before it.
    fn width_of(&self, change: ColumnChange) -> u32 {
        let at = match change {
            ColumnChange::Insert(at) => at.saturating_sub(1),
            ColumnChange::Delete(at) => at,
            ColumnChange::Stay => return 0,
        };
        self.widths.get(at).or(self.widths.last()).copied().unwrap_or_default()
    }

    /// The widths of the columns after these changes.
    fn with(&self, changes: &[ColumnChange]) -> Vec<u32> {
        let mut wanted = Vec::with_capacity(self.widths.len() + changes.len());
        for at in 0..=self.widths.len() {
            let new = changes.iter().filter(|change| **change == ColumnChange::Insert(at));
            wanted.extend(new.map(|change| self.width_of(*change)));
            let goes = changes.contains(&ColumnChange::Delete(at));
            wanted.extend(self.widths.get(at).copied().filter(|_| !goes));
        }
        wanted
    }
}
