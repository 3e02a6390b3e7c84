//! Paragraph marks: splitting, joining and inserting paragraphs as Word writes them.
//!
//! The rule behind all of it (ISO/IEC 29500-1 §17.13.5.15, .20): a revision on a mark tells what happened to the border
//! between its paragraph and the next one. When the border goes, the content joins the *next* paragraph, whose
//! properties stay. So a paragraph that is split keeps its element for the last part, and a new element takes the part
//! before: rejecting gives back the very element that was there.

use engross_xml::{Document, Kind, NodeId};

use crate::edit::insertion::put;
use crate::edit::pen::Pen;
use crate::edit::splice::Cursor;
use crate::error::{Refusal, RefusalCode};
use crate::model::{is_id_since, is_range_marker, mark_revisions};
use crate::names::{DEL, INS, MOVE_FROM, P, P_PR, P_PR_CHANGE, P_STYLE, R_PR, SDT, SECT_PR, TBL, TC, VAL};

/// Splits the paragraph at the cursor. The new element before it takes what stands before the cursor, and an inserted
/// mark. Gives the new element.
pub(crate) fn split(pen: &mut Pen<'_>, cursor: Cursor) -> Result<NodeId, Refusal> {
    let paragraph = cursor.parent;
    if pen.document.name(paragraph) != P {
        return Err(Refusal::new(
            RefusalCode::SplitRefused,
            "a paragraph cannot be split inside a link, field or content control; break it before or after",
        ));
    }
    let first = pen.document.new_element(P);
    if let Some(properties) = pen.copy_paragraph_properties(paragraph) {
        pen.document.append(first, properties);
    }
    pen.document.insert_before(paragraph, first);
    let mut next = pen.document.first_child(paragraph);
    while let Some(node) = next.filter(|node| Some(*node) != cursor.before) {
        next = pen.document.next(node);
        if pen.document.name(node) != P_PR {
            pen.document.append(first, node);
        }
    }
    pen.mark_paragraph(first, INS);
    Ok(first)
}

/// Puts a new paragraph before the sibling `before`, with an inserted mark and `content` (an insertion) in it.
pub(crate) fn insert_paragraph_before(
    pen: &mut Pen<'_>,
    before: NodeId,
    properties: Option<NodeId>,
    content: Option<NodeId>,
) -> NodeId {
    let paragraph = pen.document.new_element(P);
    if let Some(properties) = properties {
        pen.document.append(paragraph, properties);
    }
    if let Some(content) = content {
        pen.document.append(paragraph, content);
    }
    pen.document.insert_before(before, paragraph);
    pen.mark_paragraph(paragraph, INS);
    paragraph
}

/// Puts a new paragraph behind the last one of its container: the old content moves into a new element with an
/// inserted mark, and the element itself takes the new content, so that its mark stays the last.
pub(crate) fn insert_paragraph_at_end(
    pen: &mut Pen<'_>,
    last: NodeId,
    properties: Option<NodeId>,
    content: Option<NodeId>,
) -> Result<NodeId, Refusal> {
    let first = split(pen, Cursor { parent: last, before: None })?;
    fill_paragraph(pen, last, properties, content);
    Ok(first)
}

/// Puts a new paragraph into an element from which all else goes.
pub(crate) fn fill_paragraph(
    pen: &mut Pen<'_>,
    paragraph: NodeId,
    properties: Option<NodeId>,
    content: Option<NodeId>,
) {
    change_properties(pen, paragraph, properties);
    if let Some(content) = content {
        put(pen, Cursor { parent: paragraph, before: None }, content);
    }
}

/// Properties of a new paragraph that has only a style, or none at all.
pub(crate) fn style_properties(pen: &mut Pen<'_>, style: &str) -> NodeId {
    let properties = pen.document.new_element(P_PR);
    if style.is_empty() {
        return properties;
    }
    let reference = pen.document.new_element(P_STYLE);
    pen.document.set_attribute(reference, VAL, style);
    pen.document.append(properties, reference);
    properties
}

/// Marks the border behind `paragraph` as deleted, unless it already is.
pub(crate) fn delete_mark(pen: &mut Pen<'_>, paragraph: NodeId) {
    if !has_deleted_mark(pen.document, paragraph) {
        pen.mark_paragraph(paragraph, DEL);
    }
}

/// Whether a revision, whoever's, deletes the border behind the paragraph.
pub(crate) fn has_deleted_mark(document: &Document, paragraph: NodeId) -> bool {
    mark_revisions(document, paragraph).any(|node| matches!(document.name(node), DEL | MOVE_FROM))
}

/// Gives the paragraph other properties, tracked (§17.13.5.29). Section break and mark formatting stay.
pub(crate) fn change_properties(pen: &mut Pen<'_>, paragraph: NodeId, wanted: Option<NodeId>) {
    let is_base =
        |pen: &Pen<'_>, node: NodeId| !matches!(pen.document.name(node), R_PR | SECT_PR | P_PR_CHANGE);
    let base = |pen: &Pen<'_>, properties: Option<NodeId>| -> Vec<NodeId> {
        let children = properties.into_iter().flat_map(|properties| pen.document.children(properties));
        children.filter(|node| pen.document.kind(*node) == Kind::Element && is_base(pen, *node)).collect()
    };
    let own = pen.document.child(paragraph, P_PR);
    let old = base(pen, own);
    let new = base(pen, wanted);
    let written = |pen: &Pen<'_>, nodes: &[NodeId]| -> Vec<Vec<u8>> {
        nodes.iter().map(|node| pen.document.write_node(*node)).collect()
    };
    if written(pen, &old) == written(pen, &new) {
        return;
    }
    let properties = pen.ensure_paragraph_properties(paragraph);
    let record = pen.document.child(properties, P_PR_CHANGE);
    // A paragraph has one record, and what an earlier revision keeps there is not ours to change.
    if record.is_some_and(|record| !is_id_since(pen.document, record, pen.since)) {
        return;
    }
    if record.is_none() {
        let change = pen.revision(P_PR_CHANGE);
        let before = pen.document.new_element(P_PR);
        pen.document.append(change, before);
        for node in &old {
            pen.document.append(before, *node);
        }
        pen.document.append(properties, change);
    } else {
        // The record of an earlier change keeps what was there first.
        for node in &old {
            pen.document.detach(*node);
        }
    }
    for node in new.into_iter().rev() {
        pen.document.prepend(properties, node);
    }
}

/// The next block beside the paragraph, markers passed over; the section properties of a body are no block.
pub(crate) fn next_block(document: &Document, node: NodeId) -> Option<NodeId> {
    let mut at = document.next(node);
    while let Some(next) = at {
        match document.name(next) {
            SECT_PR => return None,
            name if is_range_marker(name) || document.kind(next) != Kind::Element => {
                at = document.next(next);
            }
            _ => return Some(next),
        }
    }
    None
}

/// The block before the paragraph, markers passed over; properties of a cell or control are no block.
pub(crate) fn previous_block(document: &Document, node: NodeId) -> Option<NodeId> {
    let mut at = document.previous(node);
    while let Some(previous) = at {
        match document.name(previous) {
            P | TBL | SDT | TC => return Some(previous),
            _ => at = document.previous(previous),
        }
    }
    None
}
