//! Paragraphs that move: what stood there is marked as moved away, and a copy of it as moved here, both under one name
//! (ISO/IEC 29500-1 §17.13.5.21 – .28).

use engross_xml::{Kind, Name, NodeId};

use crate::edit::draft::{Draft, Written};
use crate::edit::expected::New;
use crate::edit::marks::insert_paragraph_at_end;
use crate::edit::pen::Pen;
use crate::error::{Refusal, RefusalCode};
use crate::model::{Paragraph, is_range_marker, is_revision_wrapper, next_paragraph};
use crate::names::{
    COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, ENDNOTE_REFERENCE, FLD_SIMPLE,
    FOOTNOTE_REFERENCE, ID, MOVE_FROM, MOVE_FROM_RANGE_END, MOVE_FROM_RANGE_START, MOVE_TO,
    MOVE_TO_RANGE_END, MOVE_TO_RANGE_START, NAME, O_MATH, O_MATH_PARA, P, P_PR, RUN, SDT, SECT_PR, SUB_DOC,
    TXBX_CONTENT,
};
use crate::ops::Where;
use crate::revisions::is_property_change;

impl Draft<'_> {
    pub(super) fn write_move(
        &mut self,
        (first, last): (usize, usize),
        (to, side): (usize, Where),
        author: &str,
    ) -> Result<Written, Refusal> {
        let sources: Vec<NodeId> =
            (first..=last).filter_map(|index| self.base.paragraphs.get(index).copied()).collect();
        for (index, node) in (first..).zip(&sources) {
            self.refuse_unmovable(index, *node)?;
        }
        let gap = if side == Where::After { to + 1 } else { to };
        let (to, side) = self.spot(to, side)?;
        let texts: Vec<String> = (first..=last).map(|index| self.base.text(index).to_owned()).collect();
        let name = format!("move{}", self.ids.peek());
        let (count, mut opened) = (sources.len(), None);
        for (number, (source, text)) in sources.iter().zip(texts).enumerate() {
            let (before, position) = self.place(to, side, gap);
            let target = self.base.paragraphs.get(to).copied();
            let mut pen = self.pen(author);
            let properties = pen.copy_paragraph_properties(*source);
            let paragraph = match (before, target) {
                (Some(before), _) => {
                    let paragraph = pen.document.new_element(P);
                    if let Some(properties) = properties {
                        pen.document.append(paragraph, properties);
                    }
                    pen.document.insert_before(before, paragraph);
                    pen.mark_paragraph(paragraph, MOVE_TO);
                    paragraph
                }
                (None, Some(target)) => {
                    insert_paragraph_at_end(&mut pen, target, properties, None)?;
                    target
                }
                (None, None) => return Ok(Written::Nothing("there is no paragraph beside it")),
            };
            copy_moved(&mut pen, *source, paragraph);
            if number == 0 {
                opened = Some(open_range(&mut pen, paragraph, MOVE_TO_RANGE_START, &name));
            }
            if let Some(id) = opened.as_ref().filter(|_| number + 1 == count) {
                close_range(&mut pen, paragraph, MOVE_TO_RANGE_END, id);
            }
            self.new_beside(to, side).insert(position, New { gap, text });
        }
        let mut pen = self.pen(author);
        let mut opened = None;
        for (number, source) in sources.iter().enumerate() {
            wrap_moved(&mut pen, *source);
            pen.mark_paragraph(*source, MOVE_FROM);
            if number == 0 {
                opened = Some(open_range(&mut pen, *source, MOVE_FROM_RANGE_START, &name));
            }
            if let Some(id) = opened.as_ref().filter(|_| number + 1 == count) {
                close_range(&mut pen, *source, MOVE_FROM_RANGE_END, id);
            }
        }
        for index in first..=last {
            self.expect(index).own = Vec::new();
        }
        Ok(Written::Done)
    }

    fn refuse_unmovable(&mut self, index: usize, node: NodeId) -> Result<(), Refusal> {
        let why = |what: &str| {
            Refusal::new(
                RefusalCode::MoveRefused,
                format!(
                    "P{} {what}, so it cannot be moved as a tracked change; delete it and insert its text",
                    index + 1
                ),
            )
        };
        let model = Paragraph::read(self.base.tree, node, self.base.view, self.base.fields.get(&node));
        if model.fields_at_end > 0 || model.closes_outer_field || self.base.fields.contains_key(&node) {
            return Err(why("holds only a part of a field"));
        }
        if self.own_chain(index).len() > 1 || self.expected.contains_key(&index) {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                format!("an earlier operation of this batch changes P{}", index + 1),
            ));
        }
        let tree = &*self.base.tree;
        let next = next_paragraph(tree, node);
        if next.is_none_or(|next| tree.parent(next) != tree.parent(node)) {
            return Err(why("is the last of its place"));
        }
        for below in tree.descendants(node) {
            let name = tree.name(below);
            match name {
                SECT_PR => return Err(why("ends a section")),
                COMMENT_REFERENCE | COMMENT_RANGE_START | COMMENT_RANGE_END => {
                    return Err(why("carries a comment"));
                }
                FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE => return Err(why("has a note")),
                TXBX_CONTENT | SUB_DOC => return Err(why("holds a text of its own")),
                SDT | FLD_SIMPLE => return Err(why("holds a content control or a simple field")),
                _ if is_revision_wrapper(name) || is_property_change(name) => {
                    return Err(why("holds pending revisions"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn open_range(pen: &mut Pen<'_>, paragraph: NodeId, name: Name, of: &str) -> String {
    let start = pen.revision(name);
    pen.document.set_attribute(start, NAME, of);
    match pen.document.child(paragraph, P_PR) {
        Some(properties) => pen.document.insert_after(properties, start),
        None => pen.document.prepend(paragraph, start),
    }
    pen.document.attribute(start, ID).unwrap_or_default().into_owned()
}

fn close_range(pen: &mut Pen<'_>, paragraph: NodeId, name: Name, id: &str) {
    let end = pen.document.new_element(name);
    pen.document.set_attribute(end, ID, id);
    pen.document.append(paragraph, end);
}

fn is_content(name: Name) -> bool {
    matches!(name, RUN | O_MATH | O_MATH_PARA)
}

/// Marks the content of an element as moved away.
fn wrap_moved(pen: &mut Pen<'_>, parent: NodeId) {
    let children: Vec<NodeId> = pen.document.children(parent).collect();
    let mut open: Option<NodeId> = None;
    for child in children {
        let name = pen.document.name(child);
        if is_content(name) {
            let wrapper = match open {
                Some(wrapper) => wrapper,
                None => {
                    let wrapper = pen.revision(MOVE_FROM);
                    pen.document.insert_before(child, wrapper);
                    wrapper
                }
            };
            open = Some(wrapper);
            pen.document.append(wrapper, child);
        } else if pen.document.kind(child) == Kind::Element {
            open = None;
            if name != P_PR && !is_range_marker(name) {
                wrap_moved(pen, child);
            }
        }
    }
}

/// Copies content to where it moves; bookmarks stay where they are.
fn copy_moved(pen: &mut Pen<'_>, from: NodeId, to: NodeId) {
    let children: Vec<NodeId> = pen.document.children(from).collect();
    let mut open: Option<NodeId> = None;
    for child in children {
        let name = pen.document.name(child);
        if is_content(name) {
            let wrapper = match open {
                Some(wrapper) => wrapper,
                None => {
                    let wrapper = pen.revision(MOVE_TO);
                    pen.document.append(to, wrapper);
                    wrapper
                }
            };
            open = Some(wrapper);
            let copy = pen.document.copy(child);
            pen.document.append(wrapper, copy);
        } else if pen.document.kind(child) == Kind::Element && name != P_PR && !is_range_marker(name) {
            open = None;
            let shell = pen.document.copy_shallow(child);
            pen.document.append(to, shell);
            copy_moved(pen, child, shell);
        }
    }
}
