//! Paragraph marks: splitting, joining and inserting paragraphs as Word writes them.
//!
//! The rule behind all of it (ISO/IEC 29500-1 §17.13.5.15, .20): a revision on a mark tells what happened to the border
//! between its paragraph and the next one. When the border goes, the content joins the *next* paragraph, whose
//! properties stay. So a paragraph that is split keeps its element for the last part, and a new element takes the part
//! before: rejecting gives back the very element that was there.

use engross_xml::{Document, NodeId, NodeKind};

use crate::edit::insertion::put;
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::splice::Cursor;
use crate::error::{Refusal, RefusalCode};
use crate::model::{is_id_since, is_range_marker, mark_revisions};
use crate::names::{DEL, INS, MOVE_FROM, P, P_PR, P_PR_CHANGE, P_STYLE, R_PR, SDT, SECT_PR, TBL, TC, VAL};

/// Splits the paragraph at the cursor. The new element before it takes what stands before the cursor, and an inserted
/// mark. Gives the new element.
pub(crate) fn split(writer: &mut RevisionWriter<'_>, cursor: Cursor) -> Result<NodeId, Refusal> {
    let paragraph = cursor.parent;
    if writer.document.name(paragraph) != P {
        return Err(Refusal::new(
            RefusalCode::SplitRefused,
            "a paragraph cannot be split inside a link, field or content control; break it before or after",
        ));
    }
    let first = writer.document.new_element(P);
    if let Some(properties) = writer.copy_paragraph_properties(paragraph) {
        writer.document.append(first, properties);
    }
    writer.document.insert_before(paragraph, first);
    let mut next = writer.document.first_child(paragraph);
    while let Some(node) = next.filter(|node| Some(*node) != cursor.before) {
        next = writer.document.next(node);
        if writer.document.name(node) != P_PR {
            writer.document.append(first, node);
        }
    }
    writer.mark_paragraph(first, INS);
    Ok(first)
}

/// Puts a new paragraph before the sibling `before`, with an inserted mark and `content` (insertions) in it.
pub(crate) fn insert_paragraph_before(
    writer: &mut RevisionWriter<'_>,
    before: NodeId,
    properties: Option<NodeId>,
    content: &[NodeId],
) -> NodeId {
    let paragraph = writer.document.new_element(P);
    if let Some(properties) = properties {
        writer.document.append(paragraph, properties);
    }
    for node in content {
        writer.document.append(paragraph, *node);
    }
    writer.document.insert_before(before, paragraph);
    writer.mark_paragraph(paragraph, INS);
    paragraph
}

/// Puts a new paragraph behind the last one of its container: the old content moves into a new element with an
/// inserted mark, and the element itself takes the new content, so that its mark stays the last.
pub(crate) fn insert_paragraph_at_end(
    writer: &mut RevisionWriter<'_>,
    last: NodeId,
    properties: Option<NodeId>,
    content: &[NodeId],
) -> Result<NodeId, Refusal> {
    let first = split(writer, Cursor { parent: last, before: None })?;
    fill_paragraph(writer, last, properties, content);
    Ok(first)
}

/// Puts a new paragraph into an element from which all else goes.
pub(crate) fn fill_paragraph(
    writer: &mut RevisionWriter<'_>,
    paragraph: NodeId,
    properties: Option<NodeId>,
    content: &[NodeId],
) {
    change_properties(writer, paragraph, properties);
    for node in content {
        put(writer, Cursor { parent: paragraph, before: None }, *node);
    }
}

/// Properties of a new paragraph that has only a style, or none at all.
pub(crate) fn style_properties(writer: &mut RevisionWriter<'_>, style: &str) -> NodeId {
    let properties = writer.document.new_element(P_PR);
    if style.is_empty() {
        return properties;
    }
    let reference = writer.document.new_element(P_STYLE);
    writer.document.set_attribute(reference, VAL, style);
    writer.document.append(properties, reference);
    properties
}

/// Marks the border behind `paragraph` as deleted, unless it already is.
pub(crate) fn delete_mark(writer: &mut RevisionWriter<'_>, paragraph: NodeId) {
    if !has_deleted_mark(writer.document, paragraph) {
        writer.mark_paragraph(paragraph, DEL);
    }
}

/// Whether a revision of any author deletes the border behind the paragraph.
pub(crate) fn has_deleted_mark(document: &Document, paragraph: NodeId) -> bool {
    mark_revisions(document, paragraph).any(|node| matches!(document.name(node), DEL | MOVE_FROM))
}

/// Gives the paragraph other properties, tracked (§17.13.5.29). Section break and mark formatting stay.
pub(crate) fn change_properties(writer: &mut RevisionWriter<'_>, paragraph: NodeId, wanted: Option<NodeId>) {
    let is_base = |writer: &RevisionWriter<'_>, node: NodeId| {
        !matches!(writer.document.name(node), R_PR | SECT_PR | P_PR_CHANGE)
    };
    let snapshot = |writer: &RevisionWriter<'_>, properties: Option<NodeId>| -> Vec<NodeId> {
        let children = properties.into_iter().flat_map(|properties| writer.document.children(properties));
        children
            .filter(|node| writer.document.kind(*node) == NodeKind::Element && is_base(writer, *node))
            .collect()
    };
    let own = writer.document.child(paragraph, P_PR);
    let old = snapshot(writer, own);
    let new = snapshot(writer, wanted);
    let written = |writer: &RevisionWriter<'_>, nodes: &[NodeId]| -> Vec<Vec<u8>> {
        nodes.iter().map(|node| writer.document.write_node(*node)).collect()
    };
    if written(writer, &old) == written(writer, &new) {
        return;
    }
    let properties = writer.ensure_paragraph_properties(paragraph);
    let record = writer.document.child(properties, P_PR_CHANGE);
    // A paragraph has one record, and what an earlier revision keeps there is not ours to change.
    let earlier = record.filter(|record| !is_id_since(writer.document, *record, writer.since));
    if earlier.is_some_and(|earlier| !writer.ids.own().holds(writer.document, earlier)) {
        return;
    }
    if record.is_none() || earlier.is_some() {
        let change = writer.revision(P_PR_CHANGE);
        let before = writer.document.new_element(P_PR);
        writer.document.append(change, before);
        for node in old.iter().chain(&earlier) {
            writer.document.append(before, *node);
        }
        writer.document.append(properties, change);
    } else {
        // The record of an earlier change keeps what was there first.
        for node in &old {
            writer.document.detach(*node);
        }
    }
    for node in new.into_iter().rev() {
        writer.document.prepend(properties, node);
    }
}

/// The next block beside the paragraph, markers passed over; the section properties of a body are no block.
pub(crate) fn next_block(document: &Document, node: NodeId) -> Option<NodeId> {
    let mut at = document.next(node);
    while let Some(next) = at {
        match document.name(next) {
            SECT_PR => return None,
            name if is_range_marker(name) || document.kind(next) != NodeKind::Element => {
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
