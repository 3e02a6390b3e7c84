//! Tables: which rows and cells come, go and change.

use crate::edit::content::{Syntax, read_content};
use crate::edit::plan::align::{TargetParagraph, align, longest_common};
use crate::edit::plan::columns;
use crate::edit::plan::phrases::visible;
use crate::edit::plan::step::{ListWish, NewTable, Plan, Step};
use crate::edit::plan::table_model::{Row, TableCell, TableModel, refused};
use crate::edit::properties::Setting;
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::model::{GridCell, TableGrid, VerticalMerge};
use crate::names::V_MERGE;
use crate::ops::{CommentPolicy, TableAction, Where};
use crate::text::{StyledText, Table};

pub(super) fn edit_table(
    snapshot: &mut StorySnapshot<'_>,
    index: usize,
    action: &TableAction,
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let Some(table) = snapshot.table_at(index) else {
        return Err(Refusal::new(
            RefusalCode::TargetNotFound,
            format!(
                "P{} is in no table; to make one, use replace_paragraph with a Markdown table",
                index + 1
            ),
        ));
    };
    let model = TableModel::read(snapshot, table);
    match action {
        TableAction::UpdateCell { row, column, content } => {
            let cell = cell_at(&model, *row, *column)?;
            refuse_continued(&model, *row, *column)?;
            update_cell(snapshot, cell, content, syntax).map(Plan::from)
        }
        TableAction::AddRow { at, content } => {
            add_row(&model, at.unwrap_or(model.rows.len()), content, syntax).map(|step| vec![step].into())
        }
        TableAction::DeleteRow(row) => delete_merged_row(snapshot, &model, *row),
        TableAction::AddColumn { at, content } => {
            columns::add_column(snapshot, (table, &model), *at, &texts(content, syntax)?)
        }
        TableAction::DeleteColumn(column) => columns::delete_column(snapshot, (table, &model), *column),
        TableAction::ReplaceContent(rows) => replace_content(snapshot, &model, rows, syntax),
    }
}

fn cell_at(model: &TableModel, row: usize, column: usize) -> Result<&TableCell, Refusal> {
    let row_model = model.row(row)?;
    row_model.cells.get(column).ok_or_else(|| {
        let count = row_model.cells.len();
        refused(format!("row {row} has {count} cells, counted from 0; there is no cell {column}"))
    })
}

fn update_cell(
    snapshot: &mut StorySnapshot<'_>,
    cell: &TableCell,
    content: &str,
    syntax: Syntax,
) -> Result<Vec<Step>, Refusal> {
    let Some(first) = cell.paragraphs.first().copied() else {
        return Err(refused("the cell has no paragraph of its own; edit the table in it"));
    };
    let mut wanted = Vec::new();
    // In a cell every line is a paragraph.
    for line in content.trim_matches(['\n', '\r']).replace("\r\n", "\n").split('\n') {
        let content = read_content(line, syntax)?;
        wanted.push(TargetParagraph { content, style: None, list: ListWish::Like, settings: Vec::new() });
    }
    Ok(align(snapshot, &cell.paragraphs, &wanted, (first, Where::Before)))
}

fn texts(content: &[String], syntax: Syntax) -> Result<Vec<StyledText>, Refusal> {
    content
        .iter()
        .map(|text| read_content(&text.replace("\r\n", "\n").replace('\n', "\n\n"), syntax))
        .collect()
}

fn add_row(model: &TableModel, at: usize, content: &[String], syntax: Syntax) -> Result<Step, Refusal> {
    let count = model.rows.len();
    if at > count {
        return Err(refused(format!(
            "the table has {count} rows, so a new one is row 0 to {count}, not {at}"
        )));
    }
    // A row like those of the body: what stands below the head is the better pattern.
    let (like_at, side) = match at {
        0 => (0, Where::Before),
        at => (at - 1, Where::After),
    };
    let like = model.row(like_at)?;
    if content.len() > like.cells.len() {
        return Err(Refusal::new(
            RefusalCode::StructuredContentInvalid,
            format!("the row has {} cells, and {} texts were given", like.cells.len(), content.len()),
        ));
    }
    let index = like.all.first().copied().unwrap_or_default();
    // What stands first is often a head, and looks like one.
    let pattern = if at <= 1 { model.rows.get(1) } else { None };
    let is_like = model
        .grid
        .rows
        .get(1)
        .zip(model.grid.rows.get(like_at))
        .is_some_and(|(one, other)| one.is_like(other));
    let pattern = pattern.filter(|_| is_like);
    let plain = at <= 1 && pattern.is_none();
    let pattern = pattern.map_or(like.node, |row| row.node);
    // Within a vertical merge the new row is part of it.
    let merged = continued(&model.grid, like_at, at);
    if let Some(column) = (0..content.len()).find(|at| {
        merged.get(*at) == Some(&true) && content.get(*at).is_some_and(|text| !text.trim().is_empty())
    }) {
        return Err(refused(format!(
            "cell {column} of the new row lies within the cell that is merged over rows {like_at} and {at}; give it an empty text"
        )));
    }
    let cells = texts(content, syntax)?;
    Ok(Step::InsertRow { index, like: like.node, pattern, side, cells, plain, merged })
}

/// For each cell of a row, whether the row `below` goes on with it.
fn continued(grid: &TableGrid, row: usize, below: usize) -> Vec<bool> {
    let (Some(row), Some(below)) = (grid.rows.get(row), grid.rows.get(below)) else { return Vec::new() };
    let goes_on = |cell: &GridCell| {
        let same = below.cells.iter().find(|other| other.start == cell.start);
        cell.merge != VerticalMerge::None && same.is_some_and(|other| other.merge == VerticalMerge::Continue)
    };
    row.cells.iter().map(goes_on).collect()
}

/// What stands in a cell that goes on from the one above is not shown.
fn refuse_continued(model: &TableModel, row: usize, column: usize) -> Result<(), Refusal> {
    let merge =
        |row: usize| model.grid.rows.get(row).and_then(|row| row.cells.get(column)).map(|cell| cell.merge);
    if merge(row) != Some(VerticalMerge::Continue) {
        return Ok(());
    }
    let first = (0..row).rev().find(|at| merge(*at) != Some(VerticalMerge::Continue)).unwrap_or_default();
    Err(refused(format!(
        "cell {column} of row {row} is merged into the one above; edit cell {column} of row {first}"
    )))
}

/// Deletes a row. Cells that are merged with those below it go on without it: the next row begins the merge, with its text.
fn delete_merged_row(
    snapshot: &mut StorySnapshot<'_>,
    model: &TableModel,
    at: usize,
) -> Result<Plan, Refusal> {
    let row = model.row(at)?;
    let mut steps = Vec::new();
    let starts = model.grid.rows.get(at).map(|row| row.cells.as_slice()).unwrap_or_default();
    let below = model.grid.rows.get(at + 1).map(|row| row.cells.as_slice()).unwrap_or_default();
    let mut remark = None;
    for (cell, text) in starts.iter().zip(&row.cells) {
        let next = below.iter().position(|other| other.start == cell.start);
        let next =
            next.filter(|next| below.get(*next).is_some_and(|next| next.merge == VerticalMerge::Continue));
        let (VerticalMerge::Restart, Some(next)) = (cell.merge, next) else { continue };
        let Some(heir) = model.row(at + 1)?.cells.get(next) else { continue };
        let [target, ..] = heir.paragraphs.as_slice() else { continue };
        // Only what is merged further down is still a merge.
        let goes_on = continued(&model.grid, at + 1, at + 2).get(next).copied().unwrap_or(false);
        let setting = if goes_on { Setting::value(V_MERGE, "restart") } else { Setting::gone(V_MERGE) };
        steps.push(Step::TableFormat { index: *target, owner: heir.node, settings: vec![setting] });
        let mut wanted = Vec::new();
        for index in &text.paragraphs {
            let content = read_content(&visible(snapshot.text(*index)), Syntax::Plain)?;
            wanted.push(TargetParagraph { content, style: None, list: ListWish::Like, settings: Vec::new() });
        }
        if wanted.iter().any(|wanted| !wanted.content.text.trim().is_empty()) {
            steps.extend(align(snapshot, &heir.paragraphs, &wanted, (*target, Where::Before)));
            remark = Some(format!("the text of the merged cell {next} stands in row {} now", at + 1));
        }
    }
    steps.push(delete_row(row));
    Ok(Plan { steps, remark, found: None })
}

fn delete_row(row: &Row) -> Step {
    Step::DeleteRow { row: row.node, paragraphs: row.all.clone() }
}

/// Deletes paragraphs; a table among them goes with all of its rows.
pub(super) fn delete_range(
    snapshot: &StorySnapshot<'_>,
    (first, last): (usize, usize),
    comments: CommentPolicy,
) -> Result<Plan, Refusal> {
    let home = snapshot.table_at(first).filter(|table| snapshot.table_at(last) == Some(*table));
    let mut steps = Vec::new();
    let mut tables = Vec::new();
    for index in first..=last {
        let table = snapshot.table_at(index).filter(|table| home != Some(*table));
        let Some(table) = table.map(|table| snapshot.outermost_table(table)) else {
            steps.push(match comments {
                CommentPolicy::Refuse => Step::Delete { index },
                CommentPolicy::Keep => Step::DeleteCommented { index, keep: true },
                CommentPolicy::Delete => Step::DeleteCommented { index, keep: false },
            });
            continue;
        };
        if tables.contains(&table) {
            continue;
        }
        tables.push(table);
        let model = TableModel::read(snapshot, table);
        if !model.is_within(first, last) {
            return Err(refused(
                "the range begins or ends inside a table; take all of the table into it, or only paragraphs of one cell",
            ));
        }
        steps.extend(model.rows.iter().map(delete_row));
    }
    Ok(steps.into())
}

fn replace_content(
    snapshot: &mut StorySnapshot<'_>,
    model: &TableModel,
    rows: &[Vec<String>],
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let width = model.rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
    if let Some(at) = rows.iter().position(|row| Some(row.len()) != rows.first().map(Vec::len)) {
        return Err(Refusal::new(
            RefusalCode::StructuredContentInvalid,
            format!("row {at} has another number of texts than row 0; give each row as many"),
        ));
    }
    let given = rows.first().map_or(0, Vec::len);
    if given > width {
        return Err(Refusal::new(
            RefusalCode::StructuredContentInvalid,
            format!("the table has {width} columns, and {given} texts were given; use add_column first"),
        ));
    }
    let mut old: Vec<Vec<String>> = Vec::new();
    for row in &model.rows {
        let mut cells = Vec::new();
        for cell in &row.cells {
            let lines: Vec<String> =
                cell.paragraphs.iter().map(|index| snapshot.text(*index).to_owned()).collect();
            cells.push(lines.join("\n"));
        }
        old.push(cells);
    }
    let same = |left: usize, right: usize| {
        let (old, new) = (old.get(left), rows.get(right));
        old.zip(new).is_some_and(|(old, new)| {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.trim() == new.trim())
        })
    };
    let pairs = longest_common(old.len(), rows.len(), same);
    let mut steps = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (old_end, new_end) in pairs.into_iter().chain([(old.len(), rows.len())]) {
        let paired = (old_end - old_at).min(new_end - new_at);
        for offset in 0..paired {
            let (Some(row), Some(new)) = (model.rows.get(old_at + offset), rows.get(new_at + offset)) else {
                continue;
            };
            for (cell, text) in row.cells.iter().zip(new) {
                steps.extend(update_cell(snapshot, cell, text, syntax)?);
            }
        }
        for row in rows.get(new_at + paired..new_end).unwrap_or_default() {
            steps.push(add_row(model, old_at + paired, row, syntax)?);
        }
        for row in model.rows.get(old_at + paired..old_end).unwrap_or_default() {
            steps.push(delete_row(row));
        }
        (old_at, new_at) = (old_end + 1, new_end + 1);
    }
    Ok(steps.into())
}

/// A table of Markdown as one to be made. A row shorter than the head goes on with empty cells where it `may_be_short`.
pub(super) fn new_table(mut table: Table<StyledText>, may_be_short: bool) -> Result<NewTable, Refusal> {
    let width = table.rows.first().map_or(0, Vec::len);
    if table.has_head && may_be_short {
        for row in &mut table.rows {
            row.resize(row.len().max(width), StyledText::default());
        }
    }
    if !table.is_even() {
        return Err(Refusal::new(
            RefusalCode::StructuredContentInvalid,
            "the rows of the table have different numbers of cells; give each row as many",
        ));
    }
    Ok(NewTable { rows: table.rows, has_head: table.has_head, alignments: table.alignments })
}
