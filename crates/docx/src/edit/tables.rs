//! Rows, cells and tables in a draft: the marks that say whether they are there (ISO/IEC 29500-1 §17.13.5.16, .22),
//! with their text tracked as Word does.

use std::ops::Range;

use engross_xml::{Document, NodeId};

use crate::edit::content::{pieces, split_at_breaks};
use crate::edit::deletions::{comments_in, delete_text};
use crate::edit::draft::{Draft, NewBlock, Written};
use crate::edit::expected::Expected;
use crate::edit::pen::Pen;
use crate::edit::plan::NewTable;
use crate::edit::properties::{Setting, set_property};
use crate::edit::rows::{has_mark, is_marked_since, is_new_row};
use crate::error::{Refusal, RefusalCode};
use crate::model::Paragraph;
use crate::names::{
    B, BOTTOM, CELL_DEL, CELL_INS, COLOR, DEL, GRID_COL, INS, INSIDE_H, INSIDE_V, LEFT, P, P_PR, R_PR, RIGHT,
    SPACE, SZ, TBL, TBL_BORDERS, TBL_GRID, TBL_HEADER, TBL_PR, TBL_STYLE, TBL_W, TC, TC_PR, TC_W, TOP, TR,
    TR_PR, TYPE, V_MERGE, VAL, WIDTH,
};
use crate::ops::Where;
use crate::text::{ColumnAlignment, StyledText};

/// Width of the text of an ordinary page in twentieths of a point.
const PAGE_WIDTH: usize = 9000;

impl Draft<'_> {
    pub(super) fn write_row(
        &mut self,
        (like, side): (NodeId, Where),
        pattern: NodeId,
        (cells, plain): (&[StyledText], bool),
        author: &str,
    ) -> Result<Written, Refusal> {
        let mut pen = self.pen(author);
        let row = pen.document.new_element(TR);
        let properties = match pen.document.child(pattern, TR_PR) {
            Some(old) => {
                let copy = pen.document.copy(old);
                let marks: Vec<NodeId> = pen
                    .document
                    .children(copy)
                    .filter(|child| {
                        let name = pen.document.name(*child);
                        matches!(name, INS | DEL | TBL_HEADER) || crate::revisions::is_property_change(name)
                    })
                    .collect();
                marks.into_iter().for_each(|mark| pen.document.detach(mark));
                copy
            }
            None => pen.document.new_element(TR_PR),
        };
        let mark = pen.revision(INS);
        pen.document.append(properties, mark);
        pen.document.append(row, properties);
        let patterns = cells_of(pen.document, pattern);
        let mut texts = Vec::new();
        for (at, pattern) in patterns.into_iter().enumerate() {
            let content = cells.get(at).cloned().unwrap_or_default();
            let cell = new_cell(&mut pen, Some(pattern), &content, plain, &mut texts);
            pen.document.append(row, cell);
        }
        match side {
            Where::Before => pen.document.insert_before(like, row),
            Where::After => {
                // Several new rows behind one keep the order in which they were asked for.
                let since = pen.since;
                let mut behind = like;
                while let Some(next) =
                    pen.document.next(behind).filter(|next| is_new_row(pen.document, *next, since))
                {
                    behind = next;
                }
                pen.document.insert_after(behind, row);
            }
        }
        self.blocks.push(NewBlock { node: row, texts });
        Ok(Written::Done)
    }

    pub(super) fn write_row_deletion(
        &mut self,
        row: NodeId,
        paragraphs: &[usize],
        author: &str,
    ) -> Result<Written, Refusal> {
        if has_mark(self.base.tree, row, (TR_PR, DEL)) {
            return Ok(Written::Nothing("an earlier revision already deletes the row"));
        }
        self.delete_texts_within(paragraphs, author)?;
        let mut pen = self.pen(author);
        let properties = match pen.document.child(row, TR_PR) {
            Some(properties) => properties,
            None => {
                let properties = pen.document.new_element(TR_PR);
                let first = pen.document.children(row).find(|child| {
                    matches!(pen.document.name(*child), TC | crate::names::SDT | crate::names::CUSTOM_XML)
                });
                match first {
                    Some(first) => pen.document.insert_before(first, properties),
                    None => pen.document.append(row, properties),
                }
                properties
            }
        };
        let mark = pen.revision(DEL);
        append_mark(pen.document, properties, mark);
        self.expect_gone(paragraphs);
        Ok(Written::Done)
    }

    pub(super) fn write_cell(
        &mut self,
        (like, side): (NodeId, Where),
        content: &StyledText,
        author: &str,
    ) -> Result<Written, Refusal> {
        let mut pen = self.pen(author);
        let mut texts = Vec::new();
        let cell = new_cell(&mut pen, Some(like), content, false, &mut texts);
        let properties = match pen.document.child(cell, TC_PR) {
            Some(properties) => properties,
            None => {
                let properties = pen.document.new_element(TC_PR);
                pen.document.prepend(cell, properties);
                properties
            }
        };
        let mark = pen.revision(CELL_INS);
        append_mark(pen.document, properties, mark);
        match side {
            Where::Before => pen.document.insert_before(like, cell),
            Where::After => pen.document.insert_after(like, cell),
        }
        self.blocks.push(NewBlock { node: cell, texts });
        Ok(Written::Done)
    }

    pub(super) fn write_cell_deletion(
        &mut self,
        cell: NodeId,
        paragraphs: &[usize],
        author: &str,
    ) -> Result<Written, Refusal> {
        self.delete_texts_within(paragraphs, author)?;
        let mut pen = self.pen(author);
        let properties = match pen.document.child(cell, TC_PR) {
            Some(properties) => properties,
            None => {
                let properties = pen.document.new_element(TC_PR);
                pen.document.prepend(cell, properties);
                properties
            }
        };
        let mark = pen.revision(CELL_DEL);
        append_mark(pen.document, properties, mark);
        self.expect_gone(paragraphs);
        Ok(Written::Done)
    }

    /// Puts a new table beside a paragraph; behind the last of a container, an empty one follows it.
    pub(super) fn write_table(
        &mut self,
        (index, side): (usize, Where),
        table: &NewTable,
        author: &str,
    ) -> Result<Written, Refusal> {
        let (index, side) = match side {
            Where::After if self.base.flowed_on(index) => (index + 1, Where::Before),
            side => (index, side),
        };
        let before = match side {
            Where::Before => self.front(index),
            Where::After => {
                self.write_paragraphs(&crate::edit::plan::NewParagraphs::empty_behind(index), author)?;
                self.base.chain(index).last().copied()
            }
        };
        let Some(before) = before else { return Ok(Written::Nothing("there is no paragraph beside it")) };
        let style = self.base.styles.id_of_table("Table Grid").map(str::to_owned);
        let mut texts = Vec::new();
        let mut pen = self.pen(author);
        let node = new_table(&mut pen, table, style.as_deref(), &mut texts);
        pen.document.insert_before(before, node);
        self.blocks.push(NewBlock { node, texts });
        Ok(Written::Done)
    }

    fn delete_texts_within(&mut self, paragraphs: &[usize], author: &str) -> Result<(), Refusal> {
        for index in paragraphs {
            let is_new = |expected: &Expected| !expected.before.is_empty() || !expected.after.is_empty();
            if self.expected.get(index).is_some_and(is_new) {
                return Err(Refusal::new(
                    RefusalCode::OverlappingOperations,
                    format!("an earlier operation of this batch puts new paragraphs beside P{}", index + 1),
                ));
            }
            let Some(node) = self.base.paragraphs.get(*index).copied() else { continue };
            let tree = &*self.base.tree;
            let comments = comments_in(tree, node);
            if !comments.is_empty() {
                return Err(Refusal::commented(&format!("P{}", index + 1), comments));
            }
            let model = Paragraph::read(tree, node, self.base.view, self.base.fields.get(&node));
            delete_text(&mut self.pen(author), &model)?;
        }
        Ok(())
    }

    fn expect_gone(&mut self, paragraphs: &[usize]) {
        for index in paragraphs {
            self.expect(*index).own = Vec::new();
        }
    }

    /// Refuses to touch what stands in a row or cell that the batch deletes.
    pub(super) fn refuse_deleted_blocks(&self, paragraphs: Range<usize>) -> Result<(), Refusal> {
        let tree = &*self.base.tree;
        let goes = |above: NodeId| match tree.name(above) {
            TR => is_marked_since(tree, above, (TR_PR, DEL), self.first_id),
            TC => is_marked_since(tree, above, (TC_PR, CELL_DEL), self.first_id),
            _ => false,
        };
        for index in paragraphs {
            let node = self.base.paragraphs.get(index).copied();
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
    pen: &mut Pen<'_>,
    like: Option<NodeId>,
    content: &StyledText,
    plain: bool,
    texts: &mut Vec<String>,
) -> NodeId {
    let cell = pen.document.new_element(TC);
    if let Some(properties) = like.and_then(|like| pen.document.child(like, TC_PR)) {
        let copy = pen.document.copy(properties);
        let marks: Vec<NodeId> = pen
            .document
            .children(copy)
            .filter(|child| {
                let name = pen.document.name(*child);
                matches!(name, CELL_INS | CELL_DEL | V_MERGE | crate::names::CELL_MERGE)
                    || crate::revisions::is_property_change(name)
            })
            .collect();
        marks.into_iter().for_each(|mark| pen.document.detach(mark));
        pen.document.append(cell, copy);
    }
    let pattern = like.and_then(|like| pen.document.child(like, P));
    let look = pattern.and_then(|pattern| first_look(pen.document, pattern)).filter(|_| !plain);
    for line in split_at_breaks(content) {
        let paragraph = pen.document.new_element(P);
        if let Some(properties) = pattern.and_then(|pattern| pen.copy_paragraph_properties(pattern)) {
            if plain && let Some(mark) = pen.document.child(properties, R_PR) {
                pen.document.detach(mark);
            }
            pen.document.append(paragraph, properties);
        }
        if !line.text.is_empty() {
            let inserted = pen.inserted_runs(&pieces(&line), look);
            pen.document.append(paragraph, inserted);
        }
        pen.mark_paragraph(paragraph, INS);
        pen.document.append(cell, paragraph);
        texts.push(line.text.clone());
    }
    cell
}

fn first_look(document: &Document, paragraph: NodeId) -> Option<NodeId> {
    let run = document.descendants(paragraph).find(|node| document.name(*node) == crate::names::RUN)?;
    document.child(run, R_PR)
}

fn new_table(pen: &mut Pen<'_>, table: &NewTable, style: Option<&str>, texts: &mut Vec<String>) -> NodeId {
    let columns = table.rows.first().map_or(1, Vec::len).max(1);
    let width = (PAGE_WIDTH / columns).to_string();
    let node = pen.document.new_element(TBL);
    let properties = pen.document.new_element(TBL_PR);
    pen.document.append(node, properties);
    let add = |pen: &mut Pen<'_>, name, attributes: &[(engross_xml::Name, &str)]| {
        let child = pen.document.new_element(name);
        for (name, value) in attributes {
            pen.document.set_attribute(child, *name, value);
        }
        pen.document.append(properties, child);
        child
    };
    if let Some(style) = style {
        add(pen, TBL_STYLE, &[(VAL, style)]);
    }
    add(pen, TBL_W, &[(WIDTH, "0"), (TYPE, "auto")]);
    if style.is_none() {
        let borders = add(pen, TBL_BORDERS, &[]);
        for side in [TOP, LEFT, BOTTOM, RIGHT, INSIDE_H, INSIDE_V] {
            let line = pen.document.new_element(side);
            for (name, value) in [(VAL, "single"), (SZ, "4"), (SPACE, "0"), (COLOR, "auto")] {
                pen.document.set_attribute(line, name, value);
            }
            pen.document.append(borders, line);
        }
    }
    let grid = pen.document.new_element(TBL_GRID);
    for _ in 0..columns {
        let column = pen.document.new_element(GRID_COL);
        pen.document.set_attribute(column, WIDTH, &width);
        pen.document.append(grid, column);
    }
    pen.document.append(node, grid);
    for (number, row) in table.rows.iter().enumerate() {
        let is_head = table.has_head && number == 0;
        let row_node = pen.document.new_element(TR);
        let properties = pen.document.new_element(TR_PR);
        if is_head {
            let head = pen.document.new_element(TBL_HEADER);
            pen.document.append(properties, head);
        }
        let mark = pen.revision(INS);
        pen.document.append(properties, mark);
        pen.document.append(row_node, properties);
        for (column, content) in row.iter().enumerate() {
            let cell = new_cell(pen, None, content, false, texts);
            let properties = pen.document.new_element(TC_PR);
            let size = pen.document.new_element(TC_W);
            pen.document.set_attribute(size, WIDTH, &width);
            pen.document.set_attribute(size, TYPE, "dxa");
            pen.document.append(properties, size);
            pen.document.prepend(cell, properties);
            dress(pen.document, cell, is_head, table.alignments.get(column).copied());
            pen.document.append(row_node, cell);
        }
        pen.document.append(node, row_node);
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
