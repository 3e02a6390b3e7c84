//! Blocks of Markdown in the place of paragraphs, or beside one.

use crate::edit::content::{Syntax, check_content, read_checked};
use crate::edit::pending_parts::PendingParts;
use crate::edit::plan::align::{TargetParagraph, align};
use crate::edit::plan::list_finder::{ListFinder, joins};
use crate::edit::plan::step::{ListWish, NewTable, Plan, Step};
use crate::edit::plan::table_model::TableModel;
use crate::edit::plan::tables::edit_table;
use crate::edit::plan::targets::{Targets, has_structure};
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::ops::{TableAction, Where};
use crate::read::{OBJECT_BREAK, with_breaks_apart};
use crate::text::{
    Block, BlockKind, Definitions, LineEnds, MarkdownBlocks, StyledText, parse_blocks, split_marker,
    undefined_notes, unmarked_notes,
};

/// What is to stand there, and how it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewContent<'a> {
    pub(super) text: &'a str,
    pub(super) syntax: Syntax,
    pub(super) ends: LineEnds,
    /// Whether its items count on in the list that is there.
    pub(super) continues: bool,
}

impl NewContent<'_> {
    /// Its blocks, with inline Markdown in them; nothing where there is no content.
    fn blocks(&self) -> Result<MarkdownBlocks, Refusal> {
        let content = with_breaks_apart(self.text.trim_matches(['\n', '\r']));
        check_content(&content, self.syntax)?;
        let read = match self.syntax {
            Syntax::Markdown => parse_blocks(&content, self.ends),
            Syntax::Plain => MarkdownBlocks {
                blocks: content
                    .split("\n\n")
                    .map(|text| Block::new(BlockKind::Paragraph(text.trim_matches('\n').to_owned())))
                    .collect(),
                definitions: Definitions::default(),
            },
        };
        if read.blocks.is_empty() {
            return Err(Refusal::new(
                RefusalCode::InvalidContent,
                "the content is empty; to take paragraphs away, use delete_paragraph",
            ));
        }
        Ok(read)
    }

    /// What its inline Markdown means.
    fn read(&self, read: MarkdownBlocks) -> Vec<Block<StyledText>> {
        let inline = |text: String| {
            let mut styled = read_checked(&text, self.syntax, &read.definitions);
            styled.text = styled.text.replace(OBJECT_BREAK, "\n");
            styled
        };
        read.blocks.into_iter().map(|block| block.map(inline)).collect()
    }

    /// What of it says nothing in the document, for people.
    fn remarks(&self, read: &MarkdownBlocks) -> Vec<String> {
        if self.syntax == Syntax::Plain {
            return Vec::new();
        }
        let undefined = undefined_notes(read).into_iter().map(|label| {
            format!("'[^{label}]' is typed as it stands, since no line '[^{label}]: …' says what the note is")
        });
        let unmarked = unmarked_notes(read)
            .into_iter()
            .map(|label| format!("the note '[^{label}]' is left out, since no text has its mark"));
        undefined.chain(unmarked).collect()
    }
}

/// Puts blocks in the place of the paragraphs `first..=last`.
pub(super) fn replace(
    snapshot: &mut StorySnapshot<'_>,
    pending: &mut PendingParts,
    (first, last): (usize, usize),
    content: NewContent<'_>,
) -> Result<Plan, Refusal> {
    let read = content.blocks()?;
    let table = snapshot.table_at(first).filter(|table| snapshot.table_at(last) == Some(*table));
    let mut whole = None;
    if let Some(table) = table {
        let model = TableModel::read(snapshot, table);
        let in_one_cell = model.cell_of(first).is_some() && model.cell_of(first) == model.cell_of(last);
        // The only paragraph of a table of one cell is that paragraph: the frame around it stays.
        let is_whole = first < last && model.is_whole(first, last);
        let is_table = matches!(read.blocks.as_slice(), [Block { kind: BlockKind::Table(_), .. }]);
        if is_whole && !is_table {
            whole = Some(beside_table(snapshot, (first, last))?);
        } else if !in_one_cell || is_whole {
            return replace_table(snapshot, first, &read.blocks, content.syntax);
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
    let mut remarks = content.remarks(&read);
    let blocks = content.read(read);
    let mut finder = match content.continues || joins(snapshot, &old, &blocks) {
        true => ListFinder::joining(snapshot, &old, &blocks, content.continues),
        false => ListFinder::apart(snapshot, first),
    };
    let has_headings = blocks.iter().any(|block| matches!(block.kind, BlockKind::Heading(..)));
    // Beside a heading text is body text, whatever stood there.
    let body = has_headings.then(|| body_style(snapshot, first));
    let targets = Targets::of(snapshot, pending, &mut finder, blocks, body.as_deref())?;
    remarks.extend(finder.remark(snapshot, first));
    let remark = (!remarks.is_empty()).then(|| remarks.join("; "));
    let Targets { wanted, tables } = targets;
    if tables.is_empty() {
        steps.extend(align(snapshot, &old, &wanted, anchor));
        return Ok(Plan { steps, remark, found: None });
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
    steps.extend(around_tables((index, side), &wanted, before, tables));
    steps.extend(gone.iter().map(|index| Step::Delete { index: *index }));
    Ok(Plan { steps, remark, found: None })
}

/// Puts blocks beside a paragraph. `style` is the id of the style of paragraphs that have none by what they are.
pub(super) fn insert(
    snapshot: &mut StorySnapshot<'_>,
    pending: &mut PendingParts,
    (index, side): (usize, Where),
    style: Option<String>,
    content: NewContent<'_>,
) -> Result<Option<Plan>, Refusal> {
    let Ok(read) = content.blocks() else { return Ok(None) };
    if !has_structure(&read) || is_typed_like(snapshot, index, &read.blocks) {
        return Ok(None);
    }
    let mut remarks = content.remarks(&read);
    let blocks = content.read(read);
    let mut finder = match content.continues || joins(snapshot, &[index], &blocks) {
        true => ListFinder::joining(snapshot, &[index], &blocks, content.continues),
        false => ListFinder::apart(snapshot, index),
    };
    let body = style.unwrap_or_else(|| body_style(snapshot, index));
    let Targets { wanted, tables } = Targets::of(snapshot, pending, &mut finder, blocks, Some(&body))?;
    remarks.extend(finder.remark(snapshot, index));
    let remark = (!remarks.is_empty()).then(|| remarks.join("; "));
    let steps = around_tables((index, side), &wanted, 0, tables);
    Ok(Some(Plan { steps, remark, found: None }))
}

/// The steps that put paragraphs and the tables between them beside a paragraph, from the paragraph `at` on.
fn around_tables(
    (index, side): (usize, Where),
    wanted: &[TargetParagraph],
    mut at: usize,
    tables: Vec<(usize, NewTable)>,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut tables = tables.into_iter().peekable();
    while let Some((place, table)) = tables.next() {
        let between = wanted.get(at..place).unwrap_or_default();
        steps.extend(between.iter().map(|wanted| Step::Insert(wanted.inserted(index, side))));
        let next_table = tables.peek().map_or(wanted.len(), |(place, _)| *place);
        let behind = wanted.get(place).filter(|_| side == Where::After && place < next_table);
        at = place + usize::from(behind.is_some());
        let behind = behind.map(|behind| Box::new(behind.inserted(index, side)));
        steps.push(Step::Table { index, side, table, behind });
        // Tables with nothing between them would be one.
        if tables.peek().is_some_and(|(next, _)| *next == place) && side == Where::Before {
            let empty = TargetParagraph {
                content: StyledText::default(),
                style: None,
                list: ListWish::Outside,
                settings: Vec::new(),
            };
            steps.push(Step::Insert(empty.inserted(index, side)));
        }
    }
    steps.extend(wanted.iter().skip(at).map(|wanted| Step::Insert(wanted.inserted(index, side))));
    steps
}

/// Whether all new content is items whose markers are typed in the paragraph beside, too: there a new one is typed like it.
fn is_typed_like(snapshot: &mut StorySnapshot<'_>, index: usize, blocks: &[Block<String>]) -> bool {
    if snapshot.list_of(index).is_some() {
        return false;
    }
    let Some((typed, _)) = split_marker(snapshot.text(index)) else { return false };
    let like = |block: &Block<String>| match &block.kind {
        BlockKind::Item(item) => std::mem::discriminant(&item.marker) == std::mem::discriminant(&typed),
        _ => false,
    };
    blocks.iter().all(like)
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
pub(super) fn body_style(snapshot: &StorySnapshot<'_>, index: usize) -> String {
    let own =
        snapshot.paragraphs.get(index).and_then(|node| snapshot.styles.of_paragraph(snapshot.tree, *node));
    let plain = own.filter(|style| snapshot.styles.outline_level(style).is_none());
    plain.or_else(|| snapshot.styles.default_paragraph()).unwrap_or_default().to_owned()
}

fn replace_table(
    snapshot: &mut StorySnapshot<'_>,
    index: usize,
    blocks: &[Block<String>],
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    match blocks {
        [Block { kind: BlockKind::Table(table), .. }] => {
            edit_table(snapshot, index, &TableAction::ReplaceContent(table.rows.clone()), syntax)
        }
        _ => Err(Refusal::new(
            RefusalCode::TableEditRefused,
            "the range lies in one table, so only a table can take its place; use edit_table for rows and cells",
        )),
    }
}
