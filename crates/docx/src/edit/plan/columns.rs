//! Columns of a table that come and go, with the merged cells over them.
//!
//! A column is one of the grid, counted from 0; where no cell is merged, that is the place of the cell in its row.

use engross_xml::NodeId;

use crate::edit::plan::step::{ColumnChange, Plan, Step};
use crate::edit::plan::table_model::{Row, TableCell, TableModel, refused};
use crate::edit::rows::{has_mark, is_new_row};
use crate::edit::snapshot::StorySnapshot;
use crate::edit::tracked_properties::has_foreign_record;
use crate::error::{Refusal, RefusalCode};
use crate::model::{GridCell, GridRow, RevisionStamp, children_through_controls, is_id_since, present_span};
use crate::names::{CELL_DEL, CELL_INS, CELL_MERGE, TBL_GRID_CHANGE, TC_PR, TR};
use crate::ops::Where;
use crate::text::StyledText;

/// How many rows a remark names.
const ROWS_SHOWN: usize = 5;

/// One column more, before the one that has the number `at`; the last without.
pub(super) fn add_column(
    snapshot: &StorySnapshot<'_>,
    (table, model): (NodeId, &TableModel),
    at: Option<usize>,
    texts: &[StyledText],
) -> Result<Plan, Refusal> {
    let columns = model.grid.columns();
    let at = at.unwrap_or(columns);
    if at > columns || texts.len() > model.rows.len() {
        return Err(refused(format!(
            "the table has {columns} columns and {} rows; a new column is 0 to {columns}, with a text for each row at most",
            model.rows.len()
        )));
    }
    refuse_pending_grid(snapshot, model)?;
    refuse_new_rows(snapshot, table)?;
    let mut steps = Vec::new();
    let mut wider = Vec::new();
    for (number, (grid, row)) in model.grid.rows.iter().zip(&model.rows).enumerate() {
        let index = row.all.first().copied().unwrap_or_default();
        let content = texts.get(number).cloned().unwrap_or_default();
        let has_text = !content.text.trim().is_empty();
        let over = grid.cells.iter().position(|cell| cell.start < at && at < cell.end());
        let Some(over) = over else {
            match beside(grid, row, at) {
                Some((like, side)) => {
                    let index = like.all.first().copied().unwrap_or(index);
                    let settings = Vec::new();
                    steps.push(Step::InsertCell { index, like: like.node, side, content, settings });
                }
                None if has_text => {
                    return Err(refused(format!(
                        "row {number} has no cells at column {at}; give it an empty text"
                    )));
                }
                None => steps.extend(offset(grid, index, at, 1)),
            }
            continue;
        };
        if has_text {
            return Err(refused(format!(
                "cell {over} of row {number} is merged over column {at}, so the row has no cell for a text there; \
                 give it an empty one, and the merged cell becomes wider"
            )));
        }
        steps.push(span(snapshot, (number, over), grid, row, 1)?);
        wider.push(number);
    }
    finish(steps, (table, model, ColumnChange::Insert(at)), &wider, "wider")
}

/// A column goes. Cells that are merged over it and others stay, and become narrower.
pub(super) fn delete_column(
    snapshot: &StorySnapshot<'_>,
    (table, model): (NodeId, &TableModel),
    column: usize,
) -> Result<Plan, Refusal> {
    let columns = model.grid.columns();
    if column >= columns {
        let last = columns.saturating_sub(1);
        return Err(refused(format!(
            "the table has {columns} columns, 0 to {last}; there is no column {column}"
        )));
    }
    if columns == 1 {
        return Err(refused("it is the only column; delete the table or its rows instead"));
    }
    refuse_pending_grid(snapshot, model)?;
    refuse_new_rows(snapshot, table)?;
    let document = snapshot.document();
    let mut steps = Vec::new();
    let mut narrower = Vec::new();
    let mut already_gone = 0;
    for (number, (grid, row)) in model.grid.rows.iter().zip(&model.rows).enumerate() {
        let index = row.all.first().copied().unwrap_or_default();
        let over = grid.cells.iter().position(|cell| (cell.start..cell.end()).contains(&column));
        let Some((over, cell)) = over.and_then(|over| Some((over, grid.cells.get(over)?))) else {
            steps.extend(offset(grid, index, column, -1));
            continue;
        };
        let is_gone = |cell: &GridCell| has_mark(document, cell.node, (TC_PR, CELL_DEL));
        // Columns that it covered before may have gone by an earlier operation.
        if present_span(document, cell.node) > 1 && !is_gone(cell) {
            steps.push(span(snapshot, (number, over), grid, row, -1)?);
            narrower.push(number);
            continue;
        }
        if is_gone(cell) {
            already_gone += 1;
            continue;
        }
        refuse_pending_cell(snapshot, (number, over), cell)?;
        if grid.cells.iter().filter(|cell| !is_gone(cell)).count() == 1 {
            return Err(refused(format!(
                "row {number} has no cell but the one in column {column}; delete that row first"
            )));
        }
        let paragraphs = row.cells.get(over).map(|cell| cell.all.clone()).unwrap_or_default();
        steps.push(Step::DeleteCell { cell: cell.node, paragraphs });
    }
    if steps.is_empty() && already_gone > 0 {
        let remark = Some("an earlier revision already deletes the column".to_owned());
        return Ok(Plan {
            remark,
            found: model.rows.first().and_then(|row| row.all.first().copied()),
            ..Plan::default()
        });
    }
    if already_gone > 0 {
        return Err(refused(format!(
            "a pending revision already deletes cells of column {column} in some rows; accept or reject it first"
        )));
    }
    finish(steps, (table, model, ColumnChange::Delete(column)), &narrower, "narrower")
}

fn finish(
    mut steps: Vec<Step>,
    (table, model, change): (NodeId, &TableModel, ColumnChange),
    rows: &[usize],
    how: &str,
) -> Result<Plan, Refusal> {
    let index = model.rows.iter().find_map(|row| row.all.first().copied()).unwrap_or_default();
    steps.push(Step::Columns { index, table, columns: model.grid.columns(), change });
    let shown: Vec<String> = rows.iter().take(ROWS_SHOWN).map(usize::to_string).collect();
    let more = if rows.len() > ROWS_SHOWN { " and more" } else { "" };
    let remark =
        (!rows.is_empty()).then(|| format!("a merged cell became {how} in row {}{more}", shown.join(", ")));
    Ok(Plan { steps, remark, found: None })
}

/// The cell beside which a new one stands at a column, if the row has cells there.
fn beside<'a>(grid: &GridRow, row: &'a Row, at: usize) -> Option<(&'a TableCell, Where)> {
    if at < grid.before || at > grid.end() {
        return None;
    }
    let left = grid.cells.iter().rposition(|cell| cell.end() == at);
    match left {
        Some(left) => row.cells.get(left).map(|cell| (cell, Where::After)),
        None => row.cells.first().map(|cell| (cell, Where::Before)),
    }
}

/// A row without cells at a column leaves out one more or less.
fn offset(grid: &GridRow, index: usize, column: usize, by: i32) -> Option<Step> {
    if column < grid.before {
        return Some(Step::RowOffset { index, row: grid.node, side: Where::Before, by });
    }
    (grid.after > 0).then_some(Step::RowOffset { index, row: grid.node, side: Where::After, by })
}

fn span(
    snapshot: &StorySnapshot<'_>,
    (number, over): (usize, usize),
    grid: &GridRow,
    row: &Row,
    by: i32,
) -> Result<Step, Refusal> {
    let cell = grid.cells.get(over).ok_or_else(|| refused(format!("row {number} has no cell {over}")))?;
    refuse_pending_cell(snapshot, (number, over), cell)?;
    if has_mark(snapshot.document(), cell.node, (TC_PR, CELL_DEL)) {
        return Err(Refusal::new(
            RefusalCode::OverlappingOperations,
            format!(
                "an earlier operation of this batch deletes cell {over} of row {number}, which is merged over the column"
            ),
        ));
    }
    if has_foreign_record(snapshot.document(), cell.node, snapshot.since()) {
        return Err(refused(format!(
            "the properties of cell {over} of row {number}, which is merged over the column, are changed by a pending revision; \
             accept or reject it first"
        )));
    }
    let index = row.cells.get(over).and_then(|cell| cell.all.first().copied()).unwrap_or_default();
    Ok(Step::Span { index, cell: cell.node, by })
}

/// A cell has one mark of its being there; somebody else's is not ours to replace.
fn refuse_pending_cell(
    snapshot: &StorySnapshot<'_>,
    (number, over): (usize, usize),
    cell: &GridCell,
) -> Result<(), Refusal> {
    let document = snapshot.document();
    let Some(properties) = document.child(cell.node, TC_PR) else { return Ok(()) };
    for (name, what) in [(CELL_INS, "inserts"), (CELL_MERGE, "merges or splits"), (CELL_DEL, "deletes")] {
        let mark =
            document.child(properties, name).filter(|mark| !is_id_since(document, *mark, snapshot.since()));
        if let Some(mark) = mark {
            let stamp = RevisionStamp::of(document, mark);
            let id = stamp.id.map_or_else(String::new, |id| format!(" (rev:{id})"));
            return Err(refused(format!(
                "a pending revision of {}{id} {what} cell {over} of row {number}; accept or reject it first",
                if stamp.author.is_empty() { "somebody" } else { &stamp.author }
            )));
        }
    }
    Ok(())
}

/// Rows of the batch have no numbers yet, so nobody can say what becomes of their cells.
fn refuse_new_rows(snapshot: &StorySnapshot<'_>, table: NodeId) -> Result<(), Refusal> {
    let document = snapshot.document();
    let rows = children_through_controls(document, table, TR);
    if rows.into_iter().any(|row| is_new_row(document, row, snapshot.since())) {
        return Err(Refusal::new(
            RefusalCode::OverlappingOperations,
            "an earlier operation of this batch adds a row to the table; change its columns first, or send this one after reading again",
        ));
    }
    Ok(())
}

/// A grid has one record of what it was.
fn refuse_pending_grid(snapshot: &StorySnapshot<'_>, model: &TableModel) -> Result<(), Refusal> {
    let document = snapshot.document();
    let record = model.grid.grid.and_then(|grid| document.child(grid, TBL_GRID_CHANGE));
    if record.is_some_and(|record| !is_id_since(document, record, snapshot.since())) {
        return Err(refused(
            "a pending revision already changes the columns of the table, which has one record of what they were; \
             accept or reject that one first",
        ));
    }
    Ok(())
}
