//! Paragraphs in the place of others: which of the old ones stay, which change, which go, and which are new.

use crate::edit::base::Base;
use crate::edit::content::{Syntax, read_content};
use crate::edit::plan::lists::{ListFinder, kind_of_marker};
use crate::edit::plan::tables::{TableModel, edit_table, new_table};
use crate::edit::plan::{ListWish, NewParagraphs, Planned, Step, styled_text};
use crate::edit::properties::Setting;
use crate::edit::supplies::Supplies;
use crate::error::{Refusal, RefusalCode};
use crate::ops::{TableAction, Where};
use crate::read::without_object_labels;
use crate::text::{Block, StyledText, Table, parse_blocks};

/// Beyond this many pairs, old and new paragraphs are matched in order.
const MOST_PAIRS: usize = 250_000;

/// A paragraph as it shall be.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) content: StyledText,
    /// Id of its style; as it is without.
    pub(super) style: Option<String>,
    pub(super) list: ListWish,
}

/// The steps that make `wanted` of the paragraphs `old`, which follow each other. Without old ones the new stand on
/// `side` of `anchor`.
pub(super) fn align(
    base: &mut Base<'_>,
    old: &[usize],
    wanted: &[Wanted],
    (anchor, side): (usize, Where),
) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut previous: Option<usize> = None;
    let insert = |previous: Option<usize>, next: Option<usize>, wanted: &Wanted| {
        let (index, side) = match (previous, next) {
            (Some(previous), _) => (previous, Where::After),
            (None, Some(next)) => (next, Where::Before),
            (None, None) => (anchor, side),
        };
        let content = wanted.content.clone();
        let goes_on = wanted.list != ListWish::Outside;
        Step::Insert(NewParagraphs {
            index,
            side,
            content,
            style: wanted.style.clone(),
            list: wanted.list,
            goes_on,
        })
    };
    let (mut old_at, mut new_at) = (0, 0);
    let ends = std::iter::once((old.len(), wanted.len()));
    for (old_end, new_end) in matches(base, old, wanted).into_iter().chain(ends) {
        let gone = old.get(old_at..old_end).unwrap_or_default();
        let come = wanted.get(new_at..new_end).unwrap_or_default();
        let pairs = gone.len().min(come.len());
        for (index, wanted) in gone.iter().zip(come) {
            steps.extend(change(base, *index, wanted));
            previous = Some(*index);
        }
        for wanted in come.get(pairs..).unwrap_or_default() {
            steps.push(insert(previous, old.get(old_end).copied(), wanted));
        }
        for index in gone.get(pairs..).unwrap_or_default() {
            steps.push(Step::Delete { index: *index });
            previous = Some(*index);
        }
        if let (Some(index), Some(wanted)) = (old.get(old_end), wanted.get(new_end)) {
            steps.extend(change(base, *index, wanted));
            previous = Some(*index);
        }
        (old_at, new_at) = (old_end + 1, new_end + 1);
    }
    steps
}

/// Makes one paragraph what it shall be.
fn change(base: &mut Base<'_>, index: usize, wanted: &Wanted) -> Vec<Step> {
    let mut steps = styled_text(base, index, &wanted.content);
    let mut settings = Vec::new();
    if let Some(style) = wanted.style.as_ref().filter(|style| !style.is_empty())
        && base
            .paragraphs
            .get(index)
            .is_some_and(|node| base.styles.of_paragraph(base.tree, *node) != Some(style))
    {
        settings.push(Setting::style(style));
    }
    if let ListWish::In(number, level) = wanted.list
        && base.list_of(index) != Some((number, level))
    {
        settings.push(Setting::list(number, level));
    }
    if !settings.is_empty() {
        steps.push(Step::ParagraphLook { index, settings });
    }
    steps
}

/// Places of equal texts in both, rising: a longest common row.
fn matches(base: &mut Base<'_>, old: &[usize], wanted: &[Wanted]) -> Vec<(usize, usize)> {
    if old.len() * wanted.len() > MOST_PAIRS {
        return Vec::new();
    }
    let texts: Vec<String> = old.iter().map(|index| base.text(*index).trim().to_owned()).collect();
    let same = |left: usize, right: usize| {
        let (old, new) = (texts.get(left), wanted.get(right));
        old.zip(new).is_some_and(|(old, new)| !old.is_empty() && *old == new.content.text.trim())
    };
    longest_common(old.len(), wanted.len(), same)
}

/// The longest row of pairs that rise in both and are the same.
pub(super) fn longest_common(
    left: usize,
    right: usize,
    same: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let width = right + 1;
    let mut lengths = vec![0_u32; (left + 1) * width];
    let length =
        |lengths: &[u32], a: usize, b: usize| lengths.get(a * width + b).copied().unwrap_or_default();
    for a in (0..left).rev() {
        for b in (0..right).rev() {
            let value = if same(a, b) {
                length(&lengths, a + 1, b + 1) + 1
            } else {
                length(&lengths, a + 1, b).max(length(&lengths, a, b + 1))
            };
            if let Some(slot) = lengths.get_mut(a * width + b) {
                *slot = value;
            }
        }
    }
    let (mut a, mut b) = (0, 0);
    let mut pairs = Vec::new();
    while a < left && b < right {
        if same(a, b) && length(&lengths, a, b) == length(&lengths, a + 1, b + 1) + 1 {
            pairs.push((a, b));
            a += 1;
            b += 1;
        } else if length(&lengths, a + 1, b) >= length(&lengths, a, b + 1) {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

/// Puts blocks of Markdown in the place of the paragraphs `first..=last`.
pub(super) fn replace(
    base: &mut Base<'_>,
    supplies: &mut Supplies,
    (first, last): (usize, usize),
    content: &str,
    syntax: Syntax,
) -> Result<Planned, Refusal> {
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
    let table = base.table_at(first).filter(|table| base.table_at(last) == Some(*table));
    if let Some(table) = table {
        let model = TableModel::read(base, table);
        let in_one_cell = model.cell_of(first).is_some() && model.cell_of(first) == model.cell_of(last);
        if !in_one_cell || (first < last && model.is_whole(first, last)) {
            return replace_table(base, first, &blocks, syntax);
        }
    }
    let (mut old, mut rows) = (Vec::new(), Vec::new());
    for index in first..=last {
        match base.table_at(index).filter(|_| table.is_none()) {
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
        let model = TableModel::read(base, base.outermost_table(table));
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
    let anchor = old.first().map_or((first, Where::Before), |first| (*first, Where::Before));
    let mut finder = ListFinder::new(base, &old);
    let mut wanted: Vec<Wanted> = Vec::new();
    let has_headings = blocks.iter().any(|block| matches!(block, Block::Heading(..)));
    // Beside a heading text is body text, whatever stood there.
    let body = has_headings.then(|| body_style(base, first));
    let has_items = blocks.iter().any(|block| matches!(block, Block::Item(_)));
    let mut tables: Vec<(usize, Table)> = Vec::new();
    for block in blocks {
        match block {
            Block::Paragraph(text) => {
                let list = if has_items { ListWish::Outside } else { ListWish::Like };
                wanted.push(Wanted { content: read_content(&text, syntax)?, style: body.clone(), list });
            }
            Block::Heading(level, text) => {
                let style = base.styles.id_of(&format!("heading {level}")).map(str::to_owned);
                let list = if style.is_some() { ListWish::Like } else { ListWish::Outside };
                wanted.push(Wanted { content: read_content(&text, syntax)?, style, list });
            }
            Block::Item(item) => {
                let (kind, start) = kind_of_marker(item.marker);
                let number = finder.number(base, supplies, (kind, item.level), start);
                let content = read_content(&item.text, syntax)?;
                wanted.push(Wanted { content, style: body.clone(), list: ListWish::In(number, item.level) });
            }
            Block::Table(table) => tables.push((wanted.len(), table)),
        }
    }
    if tables.is_empty() {
        steps.extend(align(base, &old, &wanted, anchor));
        return Ok(steps.into());
    }
    // Around a table, what stands before it changes the old paragraphs, and what stands behind it is new.
    let before = tables.first().map_or(0, |(at, _)| *at);
    let kept = old.len().min(before);
    steps.extend(align(
        base,
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

/// The style of a paragraph, or the default one where that is a heading's; empty for none at all.
fn body_style(base: &Base<'_>, index: usize) -> String {
    let own = base.paragraphs.get(index).and_then(|node| base.styles.of_paragraph(base.tree, *node));
    let plain = own.filter(|style| base.styles.outline_level(style).is_none());
    plain.or_else(|| base.styles.default_paragraph()).unwrap_or_default().to_owned()
}

fn inserted(index: usize, side: Where, wanted: &Wanted) -> Step {
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
    base: &mut Base<'_>,
    index: usize,
    blocks: &[Block],
    syntax: Syntax,
) -> Result<Planned, Refusal> {
    match blocks {
        [Block::Table(table)] => {
            edit_table(base, index, &TableAction::ReplaceContent(table.rows.clone()), syntax)
        }
        _ => Err(Refusal::new(
            RefusalCode::TableEditRefused,
            "the range lies in one table, so only a table can take its place; use edit_table for rows and cells",
        )),
    }
}
