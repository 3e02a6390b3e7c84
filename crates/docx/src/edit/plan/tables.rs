//! Tables: which rows and cells come, go and change.

use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use crate::edit::content::{Syntax, read_content};
use crate::edit::plan::align::{TargetParagraph, align, longest_common};
use crate::edit::plan::step::{ListWish, NewTable, Plan, Step};
use crate::edit::rows::is_new_block;
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::names::{GRID_SPAN, SDT, SDT_CONTENT, TBL, TC, TC_PR, TR, V_MERGE};
use crate::ops::{TableAction, Where};
use crate::text::{StyledText, Table};

/// A table with the numbers of its paragraphs.
pub(super) struct TableModel {
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    pub(super) node: NodeId,
    cells: Vec<TableCell>,
    /// Every paragraph in it, those of nested tables, too.
    pub(super) all: Vec<usize>,
}

struct TableCell {
    node: NodeId,
    /// Its own paragraphs.
    paragraphs: Vec<usize>,
    /// Every paragraph in it.
    all: Vec<usize>,
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
        Self { rows: rows.collect() }
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

    fn row(&self, at: usize) -> Result<&Row, Refusal> {
        self.rows.get(at).ok_or_else(|| {
            refused(format!("the table has {} rows, counted from 0; there is no row {at}", self.rows.len()))
        })
    }
}

/// Children of a name, content controls around them looked through.
fn children_through_controls(document: &Document, parent: NodeId, name: engross_xml::QName) -> Vec<NodeId> {
    let mut found = Vec::new();
    for child in document.children(parent) {
        match document.name(child) {
            own if own == name => found.push(child),
            SDT | SDT_CONTENT => found.extend(children_through_controls(document, child, name)),
            _ => {}
        }
    }
    found
}

fn refused(message: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::TableEditRefused, message)
}

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
            update_cell(snapshot, cell, content, syntax).map(Plan::from)
        }
        TableAction::AddRow { at, content } => {
            add_row(&model, at.unwrap_or(model.rows.len()), content, syntax).map(|step| vec![step].into())
        }
        TableAction::DeleteRow(row) => Ok(vec![delete_row(model.row(*row)?)].into()),
        TableAction::AddColumn { at, content } => add_column(snapshot, &model, *at, content, syntax),
        TableAction::DeleteColumn(column) => delete_column(snapshot, &model, *column),
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
    let (like, side) = match at {
        0 => (0, Where::Before),
        at => (at - 1, Where::After),
    };
    let like = model.row(like)?;
    if content.len() > like.cells.len() {
        return Err(Refusal::new(
            RefusalCode::StructuredContentInvalid,
            format!("the row has {} cells, and {} texts were given", like.cells.len(), content.len()),
        ));
    }
    let index = like.all.first().copied().unwrap_or_default();
    // What stands first is often a head, and looks like one.
    let pattern = if at <= 1 { model.rows.get(1) } else { None };
    let pattern = pattern.filter(|row| row.cells.len() == like.cells.len());
    let plain = at <= 1 && pattern.is_none();
    let pattern = pattern.map_or(like.node, |row| row.node);
    Ok(Step::InsertRow { index, like: like.node, pattern, side, cells: texts(content, syntax)?, plain })
}

fn delete_row(row: &Row) -> Step {
    Step::DeleteRow { row: row.node, paragraphs: row.all.clone() }
}

/// Merged cells have no column of their own.
fn refuse_merged(snapshot: &StorySnapshot<'_>, model: &TableModel) -> Result<(), Refusal> {
    let document = snapshot.document();
    let is_merged = |cell: &TableCell| {
        document.child(cell.node, TC_PR).is_some_and(|properties| {
            document.child(properties, GRID_SPAN).is_some() || document.child(properties, V_MERGE).is_some()
        })
    };
    let width = model.rows.first().map_or(0, |row| row.cells.len());
    let is_even = model.rows.iter().all(|row| row.cells.len() == width);
    if !is_even || model.rows.iter().flat_map(|row| &row.cells).any(is_merged) {
        return Err(refused("the table has merged cells, so its columns cannot come or go; edit its cells"));
    }
    Ok(())
}

fn add_column(
    snapshot: &StorySnapshot<'_>,
    model: &TableModel,
    at: Option<usize>,
    content: &[String],
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    refuse_merged(snapshot, model)?;
    let width = model.rows.first().map_or(0, |row| row.cells.len());
    let at = at.unwrap_or(width);
    if at > width || content.len() > model.rows.len() {
        return Err(refused(format!(
            "the table has {width} columns and {} rows; a new column is 0 to {width}, with a text for each row at most",
            model.rows.len()
        )));
    }
    let (like, side) = if at == 0 { (0, Where::Before) } else { (at - 1, Where::After) };
    let texts = texts(content, syntax)?;
    let mut steps = Vec::new();
    for (number, row) in model.rows.iter().enumerate() {
        let Some(cell) = row.cells.get(like) else { continue };
        let index = cell.all.first().copied().unwrap_or_default();
        let content = texts.get(number).cloned().unwrap_or_default();
        steps.push(Step::InsertCell { index, like: cell.node, side, content });
    }
    Ok(steps.into())
}

fn delete_column(snapshot: &StorySnapshot<'_>, model: &TableModel, column: usize) -> Result<Plan, Refusal> {
    refuse_merged(snapshot, model)?;
    let cells =
        (0..model.rows.len()).map(|row| cell_at(model, row, column)).collect::<Result<Vec<_>, _>>()?;
    if model.rows.first().is_some_and(|row| row.cells.len() == 1) {
        return Err(refused("it is the only column; delete the rows instead"));
    }
    let step = |cell: &TableCell| Step::DeleteCell { cell: cell.node, paragraphs: cell.all.clone() };
    Ok(cells.into_iter().map(step).collect::<Vec<_>>().into())
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
