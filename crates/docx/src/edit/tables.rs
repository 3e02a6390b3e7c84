//! Writes rows, cells and tables: the marks that say whether they are there (ISO/IEC 29500-1 §17.13.5.16, .22),
//! with their text tracked as Word does.

use std::ops::Range;

use engross_xml::{Document, NodeId};

use crate::edit::content::{pieces, split_at_breaks};
use crate::edit::deletions::{comments_in, delete_text};
use crate::edit::expected::ExpectedText;
use crate::edit::plan::{NewParagraphs, NewTable};
use crate::edit::properties::{Setting, set_property};
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::rows::{has_mark, is_marked_since, is_new_block, is_new_row};
use crate::edit::tree_editor::{NewBlock, TreeEditor, WriteOutcome};
use crate::error::{Refusal, RefusalCode};
use crate::model::Paragraph;
use crate::names::{
    B, BOTTOM, CELL_DEL, CELL_INS, COLOR, DEL, GRID_COL, GRID_SPAN, H_MERGE, INS, INSIDE_H, INSIDE_V, LEFT,
    P, P_PR, R_PR, RIGHT, SPACE, SZ, TBL, TBL_BORDERS, TBL_GRID, TBL_HEADER, TBL_PR, TBL_STYLE, TBL_W, TC,
    TC_PR, TC_W, TOP, TR, TR_PR, TYPE, V_MERGE, VAL, WIDTH,
};
use crate::ops::Where;
use crate::text::{ColumnAlignment, StyledText};

/// Width of the text of an ordinary page in twentieths of a point.
const PAGE_WIDTH: usize = 9000;

impl TreeEditor<'_> {
    pub(super) fn write_row(
        &mut self,
        (like, side): (NodeId, Where),
        pattern: NodeId,
        (cells, plain, merged): (&[StyledText], bool, &[bool]),
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let mut writer = self.writer(author);
        let row = writer.document.new_element(TR);
        let properties = match writer.document.child(pattern, TR_PR) {
            Some(old) => {
                let copy = writer.document.copy(old);
                let marks: Vec<NodeId> = writer
                    .document
                    .children(copy)
                    .filter(|child| {
                        let name = writer.document.name(*child);
                        matches!(name, INS | DEL | TBL_HEADER) || crate::revisions::is_property_change(name)
                    })
                    .collect();
                marks.into_iter().for_each(|mark| writer.document.detach(mark));
                copy
            }
            None => writer.document.new_element(TR_PR),
        };
        let mark = writer.revision(INS);
        writer.document.append(properties, mark);
        writer.document.append(row, properties);
        let since = writer.since;
        let mut texts = Vec::new();
        // Contents are those of the columns that were there: the batch may have put new ones beside them, and taken some away.
        let (mut at, mut left_out) = (0, false);
        for pattern in cells_of(writer.document, pattern) {
            let is_new = is_new_block(writer.document, pattern, since);
            let goes = is_marked_since(writer.document, pattern, (TC_PR, CELL_DEL), since);
            let (content, continues) = match is_new {
                true => (StyledText::default(), false),
                false => {
                    let told = (cells.get(at).cloned(), merged.get(at).copied());
                    at += 1;
                    (told.0.unwrap_or_default(), told.1.unwrap_or(false))
                }
            };
            if goes {
                left_out |= !content.text.trim().is_empty();
                continue;
            }
            let cell = new_cell(&mut writer, Some(pattern), &content, plain, &mut texts);
            if continues {
                Self::continue_merge(writer.document, cell);
            }
            writer.document.append(row, cell);
        }
        match side {
            Where::Before => writer.document.insert_before(like, row),
            Where::After => {
                // Several new rows behind one keep the order in which they were asked for.
                let mut behind = like;
                while let Some(next) =
                    writer.document.next(behind).filter(|next| is_new_row(writer.document, *next, since))
                {
                    behind = next;
                }
                writer.document.insert_after(behind, row);
            }
        }
        self.blocks.push(NewBlock { node: row, texts });
        Ok(match left_out {
            true => WriteOutcome::DoneWith("its text for a column that the batch deletes is left out"),
            false => WriteOutcome::Done,
        })
    }

    pub(super) fn write_row_deletion(
        &mut self,
        row: NodeId,
        paragraphs: &[usize],
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        if has_mark(self.snapshot.tree, row, (TR_PR, DEL)) {
            return Ok(WriteOutcome::Nothing("an earlier revision already deletes the row"));
        }
        self.delete_texts_within(paragraphs, author)?;
        let mut writer = self.writer(author);
        let properties = match writer.document.child(row, TR_PR) {
            Some(properties) => properties,
            None => {
                let properties = writer.document.new_element(TR_PR);
                let first = writer.document.children(row).find(|child| {
                    matches!(writer.document.name(*child), TC | crate::names::SDT | crate::names::CUSTOM_XML)
                });
                match first {
                    Some(first) => writer.document.insert_before(first, properties),
                    None => writer.document.append(row, properties),
                }
                properties
            }
        };
        let mark = writer.revision(DEL);
        append_mark(writer.document, properties, mark);
        self.expect_gone(paragraphs);
        Ok(WriteOutcome::Done)
    }

    pub(super) fn write_cell(
        &mut self,
        (like, side): (NodeId, Where),
        content: &StyledText,
        settings: &[Setting],
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let mut writer = self.writer(author);
        let mut texts = Vec::new();
        let cell = new_cell(&mut writer, Some(like), content, false, &mut texts);
        let properties = match writer.document.child(cell, TC_PR) {
            Some(properties) => properties,
            None => {
                let properties = writer.document.new_element(TC_PR);
                writer.document.prepend(cell, properties);
                properties
            }
        };
        for name in [GRID_SPAN, H_MERGE] {
            if let Some(merge) = writer.document.child(properties, name) {
                writer.document.detach(merge);
            }
        }
        settings.iter().for_each(|setting| setting.apply(writer.document, properties));
        let mark = writer.revision(CELL_INS);
        append_mark(writer.document, properties, mark);
        match side {
            Where::Before => writer.document.insert_before(like, cell),
            Where::After => {
                // Several new cells behind one keep the order in which they were asked for.
                let since = writer.since;
                let mut behind = like;
                while let Some(next) =
                    writer.document.next(behind).filter(|next| is_new_block(writer.document, *next, since))
                {
                    behind = next;
                }
                writer.document.insert_after(behind, cell);
            }
        }
        self.columns.note_cell(cell);
        self.blocks.push(NewBlock { node: cell, texts });
        Ok(WriteOutcome::Done)
    }

    pub(super) fn write_cell_deletion(
        &mut self,
        cell: NodeId,
        paragraphs: &[usize],
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        self.delete_texts_within(paragraphs, author)?;
        let mut writer = self.writer(author);
        let properties = match writer.document.child(cell, TC_PR) {
            Some(properties) => properties,
            None => {
                let properties = writer.document.new_element(TC_PR);
                writer.document.prepend(cell, properties);
                properties
            }
        };
        let mark = writer.revision(CELL_DEL);
        append_mark(writer.document, properties, mark);
        self.expect_gone(paragraphs);
        Ok(WriteOutcome::Done)
    }

    /// Puts a new table beside a paragraph; behind the last of a container, another one follows it.
    pub(super) fn write_table(
        &mut self,
        (index, side): (usize, Where),
        table: &NewTable,
        behind: Option<&NewParagraphs>,
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let flows = side == Where::After && self.snapshot.flowed_on(index);
        let keeps_end = match side {
            Where::Before => self.keep_end_behind_table(index, author),
            Where::After => flows && self.keep_end_behind_table(index + 1, author),
        };
        let before = match side {
            Where::Before => self.front(index),
            Where::After if flows => self.front(index + 1),
            Where::After => {
                let empty = NewParagraphs::empty_behind(index);
                self.write_paragraphs(behind.unwrap_or(&empty), author)?;
                self.snapshot.chain(index).last().copied()
            }
        };
        let Some(before) = before else {
            return Ok(WriteOutcome::Nothing("there is no paragraph beside it"));
        };
        let style = self.snapshot.styles.id_of_table("Table Grid").map(str::to_owned);
        let mut texts = Vec::new();
        let mut writer = self.writer(author);
        let node = new_table(&mut writer, table, style.as_deref(), &mut texts);
        writer.document.insert_before(before, node);
        self.blocks.push(NewBlock { node, texts });
        if let Some(behind) = behind.filter(|_| flows || side == Where::Before) {
            self.write_paragraphs(behind, author)?;
        }
        Ok(match keeps_end {
            true => WriteOutcome::DoneWith(
                "the last of the deleted paragraphs stays, empty, since a container must end with one",
            ),
            false => WriteOutcome::Done,
        })
    }

    fn delete_texts_within(&mut self, paragraphs: &[usize], author: &str) -> Result<(), Refusal> {
        for index in paragraphs {
            let is_new = |expected: &ExpectedText| !expected.before.is_empty() || !expected.after.is_empty();
            if self.expected.get(index).is_some_and(is_new) {
                return Err(Refusal::new(
                    RefusalCode::OverlappingOperations,
                    format!("an earlier operation of this batch puts new paragraphs beside P{}", index + 1),
                ));
            }
            let Some(node) = self.snapshot.paragraphs.get(*index).copied() else { continue };
            let tree = &*self.snapshot.tree;
            let comments = comments_in(tree, node);
            if !comments.is_empty() {
                return Err(Refusal::commented(&format!("P{}", index + 1), comments));
            }
            let model = Paragraph::read(tree, node, self.snapshot.view, self.snapshot.fields.get(&node));
            delete_text(&mut self.writer(author), &model)?;
        }
        Ok(())
    }

    fn expect_gone(&mut self, paragraphs: &[usize]) {
        for index in paragraphs {
            self.expect(*index).own = Vec::new();
        }
    }

    /// Refuses to put a cell into a row that the batch deletes.
    pub(super) fn refuse_deleted_row(&self, cell: NodeId) -> Result<(), Refusal> {
        let tree = &*self.snapshot.tree;
        let row = tree.ancestors(cell).find(|above| tree.name(*above) == TR);
        if row.is_some_and(|row| is_marked_since(tree, row, (TR_PR, DEL), self.first_id)) {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                "an earlier operation of this batch deletes a row in which the column would have a cell; \
                 change the columns first, or send this one after reading again",
            ));
        }
        Ok(())
    }

    /// Refuses to touch what stands in a row or cell that the batch deletes.
    pub(super) fn refuse_deleted_blocks(&self, paragraphs: Range<usize>) -> Result<(), Refusal> {
        let tree = &*self.snapshot.tree;
        let goes = |above: NodeId| match tree.name(above) {
            TR => is_marked_since(tree, above, (TR_PR, DEL), self.first_id),
            TC => is_marked_since(tree, above, (TC_PR, CELL_DEL), self.first_id),
            _ => false,
        };
        for index in paragraphs {
            let node = self.snapshot.paragraphs.get(index).copied();
            if node.is_some_and(|node| tree.ancestors(node).any(goes)) {
                return Err(Refusal::new(
                    RefusalCode::OverlappingOperations,
                    format!("an earlier operation of this batch deletes the row or column of P{}", index + 1),
                ));
            }
        }
        Ok(())
    }
}

/// Marks come before the record of earlier properties (CT_TrPr, CT_TcPr).
fn append_mark(document: &mut Document, properties: NodeId, mark: NodeId) {
    let record = document
        .children(properties)
        .find(|child| crate::revisions::is_property_change(document.name(*child)));
    match record {
        Some(record) => document.insert_before(record, mark),
        None => document.append(properties, mark),
    }
}

fn cells_of(document: &Document, row: NodeId) -> Vec<NodeId> {
    let mut nodes = document.descendants(row);
    let mut cells = Vec::new();
    while let Some(node) = nodes.next() {
        if document.name(node) == TC {
            nodes.skip_below(node);
            cells.push(node);
        }
    }
    cells
}

/// A cell like another, with new text. Each line of it is a paragraph.
fn new_cell(
    writer: &mut RevisionWriter<'_>,
    like: Option<NodeId>,
    content: &StyledText,
    plain: bool,
    texts: &mut Vec<String>,
) -> NodeId {
    let cell = writer.document.new_element(TC);
    if let Some(properties) = like.and_then(|like| writer.document.child(like, TC_PR)) {
        let copy = writer.document.copy(properties);
        let marks: Vec<NodeId> = writer
            .document
            .children(copy)
            .filter(|child| {
                let name = writer.document.name(*child);
                matches!(name, CELL_INS | CELL_DEL | V_MERGE | crate::names::CELL_MERGE)
                    || crate::revisions::is_property_change(name)
            })
            .collect();
        marks.into_iter().for_each(|mark| writer.document.detach(mark));
        writer.document.append(cell, copy);
    }
    let pattern = like.and_then(|like| writer.document.child(like, P));
    let format = pattern.and_then(|pattern| first_format(writer.document, pattern)).filter(|_| !plain);
    for line in split_at_breaks(content) {
        let paragraph = writer.document.new_element(P);
        if let Some(properties) = pattern.and_then(|pattern| writer.copy_paragraph_properties(pattern)) {
            if plain && let Some(mark) = writer.document.child(properties, R_PR) {
                writer.document.detach(mark);
            }
            writer.document.append(paragraph, properties);
        }
        for inserted in writer.inserted_runs(&pieces(&line), format) {
            writer.document.append(paragraph, inserted);
        }
        writer.mark_paragraph(paragraph, INS);
        writer.document.append(cell, paragraph);
        texts.push(line.text.clone());
    }
    cell
}

fn first_format(document: &Document, paragraph: NodeId) -> Option<NodeId> {
    // A first run without a text is what some programs leave behind; it says nothing of how text looks.
    let runs = || document.descendants(paragraph).filter(|node| document.name(*node) == crate::names::RUN);
    let has_text = |run: &NodeId| {
        document
            .children(*run)
            .any(|leaf| matches!(document.name(leaf), crate::names::T | crate::names::DEL_TEXT))
    };
    let run = runs().find(has_text).or_else(|| runs().next())?;
    document.child(run, R_PR)
}

fn new_table(
    writer: &mut RevisionWriter<'_>,
    table: &NewTable,
    style: Option<&str>,
    texts: &mut Vec<String>,
) -> NodeId {
    let columns = table.rows.first().map_or(1, Vec::len).max(1);
    let width = (PAGE_WIDTH / columns).to_string();
    let node = writer.document.new_element(TBL);
    let properties = writer.document.new_element(TBL_PR);
    writer.document.append(node, properties);
    let add = |writer: &mut RevisionWriter<'_>, name, attributes: &[(engross_xml::QName, &str)]| {
        let child = writer.document.new_element(name);
        for (name, value) in attributes {
            writer.document.set_attribute(child, *name, value);
        }
        writer.document.append(properties, child);
        child
    };
    if let Some(style) = style {
        add(writer, TBL_STYLE, &[(VAL, style)]);
    }
    add(writer, TBL_W, &[(WIDTH, "0"), (TYPE, "auto")]);
    if style.is_none() {
        let borders = add(writer, TBL_BORDERS, &[]);
        for side in [TOP, LEFT, BOTTOM, RIGHT, INSIDE_H, INSIDE_V] {
            let line = writer.document.new_element(side);
            for (name, value) in [(VAL, "single"), (SZ, "4"), (SPACE, "0"), (COLOR, "auto")] {
                writer.document.set_attribute(line, name, value);
            }
            writer.document.append(borders, line);
        }
    }
    let grid = writer.document.new_element(TBL_GRID);
    for _ in 0..columns {
        let column = writer.document.new_element(GRID_COL);
        writer.document.set_attribute(column, WIDTH, &width);
        writer.document.append(grid, column);
    }
    writer.document.append(node, grid);
    for (number, row) in table.rows.iter().enumerate() {
        let is_head = table.has_head && number == 0;
        let row_node = writer.document.new_element(TR);
        let properties = writer.document.new_element(TR_PR);
        if is_head {
            let head = writer.document.new_element(TBL_HEADER);
            writer.document.append(properties, head);
        }
        let mark = writer.revision(INS);
        writer.document.append(properties, mark);
        writer.document.append(row_node, properties);
        for (column, content) in row.iter().enumerate() {
            let cell = new_cell(writer, None, content, false, texts);
            let properties = writer.document.new_element(TC_PR);
            let size = writer.document.new_element(TC_W);
            writer.document.set_attribute(size, WIDTH, &width);
            writer.document.set_attribute(size, TYPE, "dxa");
            writer.document.append(properties, size);
            writer.document.prepend(cell, properties);
            dress(writer.document, cell, is_head, table.alignments.get(column).copied());
            writer.document.append(row_node, cell);
        }
        writer.document.append(node, row_node);
    }
    node
}

/// A head is bold; a column stands as its rule says.
fn dress(document: &mut Document, cell: NodeId, is_head: bool, alignment: Option<ColumnAlignment>) {
    let value = match alignment {
        Some(ColumnAlignment::Center) => Some("center"),
        Some(ColumnAlignment::Right) => Some("right"),
        Some(ColumnAlignment::Left) => Some("left"),
        _ => None,
    };
    let below: Vec<NodeId> = document.descendants(cell).collect();
    for node in below {
        match document.name(node) {
            P_PR => {
                if let Some(value) = value {
                    Setting::alignment(value).apply(document, node);
                }
            }
            crate::names::RUN if is_head => {
                let properties = match document.child(node, R_PR) {
                    Some(properties) => properties,
                    None => {
                        let properties = document.new_element(R_PR);
                        document.prepend(node, properties);
                        properties
                    }
                };
                set_property(document, properties, B, &[]);
            }
            _ => {}
        }
    }
}
