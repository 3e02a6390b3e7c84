//! Blocks of Markdown in the place of paragraphs.

use crate::edit::content::{Syntax, read_content};
use crate::edit::pending_parts::PendingParts;
use crate::edit::plan::align::{TargetParagraph, align};
use crate::edit::plan::lists::{ListFinder, kind_of_marker};
use crate::edit::plan::step::{ListWish, NewParagraphs, Plan, Step};
use crate::edit::plan::tables::{TableModel, edit_table, new_table};
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::ops::{TableAction, Where};
use crate::read::without_object_labels;
use crate::text::{Block, Table, parse_blocks};

/// Puts blocks of Markdown in the place of the paragraphs `first..=last`.
pub(super) fn replace(
    snapshot: &mut StorySnapshot<'_>,
    pending: &mut PendingParts,
    (first, last): (usize, usize),
    content: &str,
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let content = without_object_labels(content.trim_matches(['\n', '\r']));
    let blocks = match syntax {
        Syntax::Markdown => parse_blocks(&content),
        Syntax::Plain => content.split("\n\n").map(|text| Block::Paragraph(text.to_owned())).collect(),
    };
    if blocks.is_empty() {
        return Err(Refusal::new(
            RefusalCode::InvalidContent,
            "the content is empty; to take paragraphs away, use delete_paragraph",
        ));
    }
    let table = snapshot.table_at(first).filter(|table| snapshot.table_at(last) == Some(*table));
    let mut whole = None;
    if let Some(table) = table {
        let model = TableModel::read(snapshot, table);
        let in_one_cell = model.cell_of(first).is_some() && model.cell_of(first) == model.cell_of(last);
        let is_whole = model.is_whole(first, last);
        if is_whole && !matches!(blocks.as_slice(), [Block::Table(_)]) {
            whole = Some(beside_table(snapshot, (first, last))?);
        } else if !in_one_cell || (first < last && is_whole) {
            return replace_table(snapshot, first, &blocks, syntax);
        }
    }
    let table = table.filter(|_| whole.is_none());
    let (mut old, mut rows) = (Vec::new(), Vec::new());
    for index in first..=last {
        match snapshot.table_at(index).filter(|_| table.is_none()) {
            None => old.push(index),
            Some(table) => {
                if !rows.contains(&table) {
                    rows.push(table);
                }
            }
        }
    }
    let mut steps = Vec::new();
    for table in rows {
        let model = TableModel::read(snapshot, snapshot.outermost_table(table));
        if !model.is_within(first, last) {
            return Err(Refusal::new(
                RefusalCode::TableEditRefused,
                "the range begins or ends inside a table; take all of the table into it, or only paragraphs of one cell",
            ));
        }
        for row in model.rows {
            let step = Step::DeleteRow { row: row.node, paragraphs: row.all };
            if !steps.iter().any(|known| matches!((known, &step), (Step::DeleteRow { row: a, .. }, Step::DeleteRow { row: b, .. }) if a == b)) {
                steps.push(step);
            }
        }
    }
    let anchor = whole.or(old.first().map(|first| (*first, Where::Before))).unwrap_or((first, Where::Before));
    let mut finder = ListFinder::new(snapshot, &old);
    let mut wanted: Vec<TargetParagraph> = Vec::new();
    let has_headings = blocks.iter().any(|block| matches!(block, Block::Heading(..)));
    // Beside a heading text is body text, whatever stood there.
    let body = has_headings.then(|| body_style(snapshot, first));
    let has_items = blocks.iter().any(|block| matches!(block, Block::Item(_)));
    let mut tables: Vec<(usize, Table)> = Vec::new();
    for block in blocks {
        match block {
            Block::Paragraph(text) => {
                let list = if has_items { ListWish::Outside } else { ListWish::Like };
                wanted.push(TargetParagraph {
                    content: read_content(&text, syntax)?,
                    style: body.clone(),
                    list,
                });
            }
            Block::Heading(level, text) => {
                let style = snapshot.styles.id_of(&format!("heading {level}")).map(str::to_owned);
                let list = if style.is_some() { ListWish::Like } else { ListWish::Outside };
                wanted.push(TargetParagraph { content: read_content(&text, syntax)?, style, list });
            }
            Block::Item(item) => {
                let (kind, start) = kind_of_marker(item.marker);
                let number = finder.number(snapshot, pending, (kind, item.level), start);
                let content = read_content(&item.text, syntax)?;
                wanted.push(TargetParagraph {
                    content,
                    style: body.clone(),
                    list: ListWish::In(number, item.level),
                });
            }
            Block::Table(table) => tables.push((wanted.len(), table)),
        }
    }
    if tables.is_empty() {
        steps.extend(align(snapshot, &old, &wanted, anchor));
        return Ok(steps.into());
    }
    // Around a table, what stands before it changes the old paragraphs, and what stands behind it is new.
    let before = tables.first().map_or(0, |(at, _)| *at);
    let kept = old.len().min(before);
    steps.extend(align(
        snapshot,
        old.get(..kept).unwrap_or_default(),
        wanted.get(..before).unwrap_or_default(),
        anchor,
    ));
    let gone = old.get(kept..).unwrap_or_default();
    let (index, side) = match (gone.first(), old.last()) {
        (Some(first), _) => (*first, Where::Before),
        (None, Some(last)) => (*last, Where::After),
        (None, None) => anchor,
    };
    let mut at = before;
    for (place, table) in tables {
        for wanted in wanted.get(at..place).unwrap_or_default() {
            steps.push(inserted(index, side, wanted));
        }
        steps.push(Step::Table { index, side, table: new_table(&table, syntax)? });
        at = place;
    }
    for wanted in wanted.get(at..).unwrap_or_default() {
        steps.push(inserted(index, side, wanted));
    }
    steps.extend(gone.iter().map(|index| Step::Delete { index: *index }));
    Ok(steps.into())
}

/// Beside which paragraph new ones stand in the place of the table of this range.
fn beside_table(
    snapshot: &StorySnapshot<'_>,
    (first, last): (usize, usize),
) -> Result<(usize, Where), Refusal> {
    let outside = |index: usize| index < snapshot.paragraphs.len() && snapshot.table_at(index).is_none();
    if outside(last + 1) {
        return Ok((last + 1, Where::Before));
    }
    first.checked_sub(1).filter(|before| outside(*before)).map(|before| (before, Where::After)).ok_or_else(|| {
        Refusal::new(
            RefusalCode::TableEditRefused,
            "no paragraph stands beside the table, so nothing can take its place; use delete_table, or edit its cells",
        )
    })
}

/// The style of a paragraph, or the default one where that is a heading's; empty for none at all.
fn body_style(snapshot: &StorySnapshot<'_>, index: usize) -> String {
    let own =
        snapshot.paragraphs.get(index).and_then(|node| snapshot.styles.of_paragraph(snapshot.tree, *node));
    let plain = own.filter(|style| snapshot.styles.outline_level(style).is_none());
    plain.or_else(|| snapshot.styles.default_paragraph()).unwrap_or_default().to_owned()
}

fn inserted(index: usize, side: Where, wanted: &TargetParagraph) -> Step {
    Step::Insert(NewParagraphs {
        index,
        side,
        content: wanted.content.clone(),
        style: wanted.style.clone(),
        list: wanted.list,
        goes_on: wanted.list != ListWish::Outside,
    })
}

fn replace_table(
    snapshot: &mut StorySnapshot<'_>,
    index: usize,
    blocks: &[Block],
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    match blocks {
        [Block::Table(table)] => {
            edit_table(snapshot, index, &TableAction::ReplaceContent(table.rows.clone()), syntax)
        }
        _ => Err(Refusal::new(
            RefusalCode::TableEditRefused,
            "the range lies in one table, so only a table can take its place; use edit_table for rows and cells",
        )),
    }
}
