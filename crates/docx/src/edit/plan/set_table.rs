//! A table as a whole: its lines, the widths of its columns, its head, and cells that become one or several.
//!
//! Columns are those of the grid, counted from 0.

use engross_xml::NodeId;

use crate::edit::content::{Syntax, read_content};
use crate::edit::plan::phrases::{styled_text, visible};
use crate::edit::plan::step::{ColumnChange, ListWish, NewParagraphs, Plan, Step};
use crate::edit::plan::table_model::{TableModel, refused};
use crate::edit::properties::Setting;
use crate::edit::snapshot::StorySnapshot;
use crate::edit::tracked_properties::has_foreign_record;
use crate::error::{Refusal, RefusalCode};
use crate::model::{GridCell, VerticalMerge, present_span, whole_width};
use crate::names::{
    BOTTOM, COLOR, GRID_SPAN, INSIDE_H, INSIDE_V, LEFT, RIGHT, SPACE, SZ, TBL_BORDERS, TBL_HEADER, TC_W, TOP,
    TYPE, V_MERGE, VAL, WIDTH,
};
use crate::ops::{Borders, CellRange, TableFormat, Where};
use crate::text::StyledText;

/// A table around a paragraph, or a refusal that says how to make one.
fn table_around(snapshot: &StorySnapshot<'_>, index: usize) -> Result<NodeId, Refusal> {
    snapshot.table_at(index).ok_or_else(|| {
        Refusal::new(
            RefusalCode::TargetNotFound,
            format!("P{} is in no table; name a paragraph of one", index + 1),
        )
    })
}

/// All rows of a table go.
pub(super) fn delete_table(snapshot: &StorySnapshot<'_>, index: usize) -> Result<Plan, Refusal> {
    let table = table_around(snapshot, index)?;
    let rows = TableModel::read(snapshot, table).rows.into_iter();
    Ok(rows.map(|row| Step::DeleteRow { row: row.node, paragraphs: row.all }).collect::<Vec<_>>().into())
}

pub(super) fn set_table(
    snapshot: &mut StorySnapshot<'_>,
    index: usize,
    format: &TableFormat,
) -> Result<Plan, Refusal> {
    let table = table_around(snapshot, index)?;
    let model = TableModel::read(snapshot, table);
    let mut steps = Vec::new();
    let mut remark = None;
    if let Some(borders) = format.borders {
        steps.push(Step::TableFormat { index, owner: table, settings: vec![border_setting(borders)] });
    }
    if let (Some(on), Some(row)) = (format.header_row, model.rows.first()) {
        let setting = if on { Setting::with(TBL_HEADER, &[]) } else { Setting::gone(TBL_HEADER) };
        steps.push(Step::TableFormat { index, owner: row.node, settings: vec![setting] });
    }
    if let Some(widths) = &format.widths {
        let columns = model.grid.columns();
        if widths.len() != columns {
            return Err(refused(format!(
                "the table has {columns} columns, and {} widths were given",
                widths.len()
            )));
        }
        steps.push(Step::Widths { index, table, widths: widths.clone() });
    }
    if let Some(range) = &format.merge {
        remark = merge(snapshot, &model, range, &mut steps)?;
    }
    if let Some((row, column)) = format.split {
        split(snapshot, &model, (row, column), &mut steps)?;
    }
    if format.merge.is_some() || format.split.is_some() {
        let (columns, change) = (model.grid.columns(), ColumnChange::Stay);
        steps.push(Step::Columns { index, table, columns, change });
    }
    Ok(Plan { steps, remark, found: None })
}

fn border_setting(borders: Borders) -> Setting {
    let line = |kind: &str| {
        let size = if kind == "none" { "0" } else { "4" };
        [(VAL, kind), (SZ, size), (SPACE, "0"), (COLOR, "auto")]
            .map(|(name, value)| (name, value.to_owned()))
            .to_vec()
    };
    let (around, inside) = match borders {
        Borders::All => ("single", "single"),
        Borders::None => ("none", "none"),
        Borders::Outer => ("single", "none"),
    };
    let children = [TOP, LEFT, BOTTOM, RIGHT].map(|side| (side, line(around)));
    let inner = [INSIDE_H, INSIDE_V].map(|side| (side, line(inside)));
    let children = children.into_iter().chain(inner).collect();
    Setting { attributes: Some(vec![]), children, ..Setting::gone(TBL_BORDERS) }
}

/// Makes one cell of those in a range; the first one takes the texts of all.
fn merge(
    snapshot: &mut StorySnapshot<'_>,
    model: &TableModel,
    range: &CellRange,
    steps: &mut Vec<Step>,
) -> Result<Option<String>, Refusal> {
    let columns = range.from_column..range.to_column + 1;
    let mut texts: Vec<StyledText> = Vec::new();
    let mut home = None;
    for number in range.from_row..=range.to_row {
        let row = model.row(number)?;
        let cells: Vec<GridCell> =
            model.grid.rows.get(number).map(|row| row.cells.clone()).unwrap_or_default();
        let within: Vec<(usize, GridCell)> = cells
            .into_iter()
            .enumerate()
            .filter(|(_, cell)| cell.start < columns.end && cell.end() > columns.start)
            .collect();
        let (Some((first_at, first)), Some((_, last))) = (within.first(), within.last()) else {
            return Err(refused(format!(
                "row {number} has no cells in columns {} to {}",
                columns.start, range.to_column
            )));
        };
        if first.start != columns.start || last.end() != columns.end {
            return Err(refused(format!(
                "a merged cell of row {number} reaches beyond columns {} to {}; take all of it into the range, or split it first",
                columns.start, range.to_column
            )));
        }
        if within.iter().any(|(_, cell)| cell.merge != VerticalMerge::None) {
            return Err(refused(format!(
                "row {number} has a cell that is merged with those above or below; split it first"
            )));
        }
        for (at, cell) in &within {
            refuse_other_span(snapshot, cell, (number, *at))?;
        }
        if has_foreign_record(snapshot.document(), first.node, snapshot.since()) {
            return Err(refused(format!(
                "the properties of cell {first_at} of row {number} are changed by a pending revision; accept or reject it first"
            )));
        }
        let Some(cell) = row.cells.get(*first_at) else { continue };
        let Some(index) = cell.paragraphs.first().copied() else {
            return Err(refused(format!("cell {first_at} of row {number} has no paragraph of its own")));
        };
        let mut settings = Vec::new();
        if within.len() > 1 {
            settings.push(Setting::value(GRID_SPAN, &columns.len().to_string()));
            let width = whole_width(model.grid.widths.get(columns.clone()).unwrap_or_default());
            if width > 0 {
                settings.push(Setting::with(TC_W, &[(WIDTH, &width.to_string()), (TYPE, "dxa")]));
            }
        }
        if range.to_row > range.from_row {
            let value = if number == range.from_row { "restart" } else { "continue" };
            settings.push(Setting::value(V_MERGE, value));
        }
        steps.push(Step::TableFormat { index, owner: cell.node, settings });
        for (at, _) in within.iter().skip(1) {
            let Some(cell) = row.cells.get(*at) else { continue };
            texts.extend(texts_of(snapshot, &cell.paragraphs)?);
            steps.push(Step::DeleteCell { cell: cell.node, paragraphs: cell.all.clone() });
        }
        if number == range.from_row {
            home = cell.paragraphs.last().copied();
        } else {
            texts.extend(texts_of(snapshot, &cell.paragraphs)?);
            for index in &cell.paragraphs {
                steps.extend(styled_text(snapshot, *index, &StyledText::default()));
            }
        }
    }
    let Some(home) = home else { return Ok(None) };
    let remark = (!texts.is_empty()).then(|| "the merged cell holds the texts of all its cells".to_owned());
    for content in texts {
        steps.push(Step::Insert(NewParagraphs {
            index: home,
            side: Where::After,
            content,
            style: None,
            list: ListWish::Like,
            settings: Vec::new(),
            goes_on: true,
        }));
    }
    Ok(remark)
}

/// A cell that an earlier operation of the batch made wider or narrower is not the one that this operation means.
fn refuse_other_span(
    snapshot: &StorySnapshot<'_>,
    cell: &GridCell,
    (row, place): (usize, usize),
) -> Result<(), Refusal> {
    if present_span(snapshot.document(), cell.node) == cell.span {
        return Ok(());
    }
    let message = format!(
        "an earlier operation of this batch changes how many columns cell {place} of row {row} covers; \
         send this one after reading again"
    );
    Err(Refusal::new(RefusalCode::OverlappingOperations, message))
}

fn texts_of(snapshot: &mut StorySnapshot<'_>, paragraphs: &[usize]) -> Result<Vec<StyledText>, Refusal> {
    let mut texts = Vec::new();
    for index in paragraphs {
        let text = visible(snapshot.text(*index));
        if !text.trim().is_empty() {
            texts.push(read_content(&text, Syntax::Plain)?);
        }
    }
    Ok(texts)
}

/// Makes one cell for each column and row of a merged one.
fn split(
    snapshot: &StorySnapshot<'_>,
    model: &TableModel,
    (number, column): (usize, usize),
    steps: &mut Vec<Step>,
) -> Result<(), Refusal> {
    let row = model.row(number)?;
    let grid = model.grid.rows.get(number);
    let found = grid.and_then(|grid| {
        let at = grid.cells.iter().position(|cell| (cell.start..cell.end()).contains(&column))?;
        Some((*grid.cells.get(at)?, row.cells.get(at)?))
    });
    let Some((cell, own)) = found else {
        return Err(refused(format!("row {number} has no cell in column {column}")));
    };
    if cell.merge == VerticalMerge::Continue {
        return Err(refused(format!(
            "cell {column} of row {number} is merged into one above; name the row it begins in"
        )));
    }
    if cell.span == 1 && cell.merge == VerticalMerge::None {
        return Err(refused(format!(
            "cell {column} of row {number} is not merged; use edit_table with add_column or add_row for more cells"
        )));
    }
    let below = (number + 1..model.rows.len()).take_while(|at| {
        let same =
            model.grid.rows.get(*at).and_then(|row| row.cells.iter().find(|other| other.start == cell.start));
        cell.merge == VerticalMerge::Restart && same.is_some_and(|same| same.merge == VerticalMerge::Continue)
    });
    for at in std::iter::once(number).chain(below) {
        let (Some(grid), Some(row)) = (model.grid.rows.get(at), model.rows.get(at)) else { continue };
        let Some(place) = grid.cells.iter().position(|other| other.start == cell.start) else { continue };
        let (Some(part), Some(owner)) = (grid.cells.get(place), row.cells.get(place)) else { continue };
        refuse_other_span(snapshot, part, (at, place))?;
        if has_foreign_record(snapshot.document(), part.node, snapshot.since()) {
            return Err(refused(format!(
                "the properties of cell {place} of row {at} are changed by a pending revision; accept or reject it first"
            )));
        }
        let index = owner.all.first().or(own.all.first()).copied().unwrap_or_default();
        let mut settings = Vec::new();
        if part.merge != VerticalMerge::None {
            settings.push(Setting::gone(V_MERGE));
        }
        if part.span > 1 {
            settings.push(Setting::gone(GRID_SPAN));
            settings.extend(width_setting(model, part.start));
        }
        for column in (part.start + 1..part.end()).rev() {
            steps.push(Step::InsertCell {
                index,
                like: part.node,
                side: Where::After,
                content: StyledText::default(),
                settings: width_setting(model, column).into_iter().collect(),
            });
        }
        steps.push(Step::TableFormat { index, owner: part.node, settings });
    }
    Ok(())
}

fn width_setting(model: &TableModel, column: usize) -> Option<Setting> {
    let width = model.grid.widths.get(column).filter(|width| **width > 0)?;
    Some(Setting::with(TC_W, &[(WIDTH, &width.to_string()), (TYPE, "dxa")]))
}
