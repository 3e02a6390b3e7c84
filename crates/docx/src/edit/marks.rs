//! Paragraph marks: splitting, joining, inserting and deleting whole paragraphs as Word writes them.
//!
//! The rule behind all of it (ISO/IEC 29500-1 §17.13.5.15, .20): a revision on a mark tells what happened to the border
//! between its paragraph and the next one. When the border goes, the content joins the *next* paragraph, whose
//! properties stay. So a paragraph that is split keeps its element for the last part, and a new element takes the part
//! before: rejecting gives back the very element that was there.

use engross_xml::{Kind, NodeId};

use crate::edit::insertion::put;
use crate::edit::pen::Pen;
use crate::edit::splice::{Cursor, refuse_barrier, wrap_neighbours};
use crate::error::{Refusal, RefusalCode};
use crate::model::{
    Barrier, Paragraph, barrier_inside, is_id_since, is_range_marker, is_revision_wrapper, mark_revisions,
    next_paragraph,
};
use crate::names::{
    DEL, FLD_SIMPLE, HYPERLINK, INS, LOCK, MOVE_FROM, MOVE_TO, O_MATH, O_MATH_PARA, P, P_PR, P_PR_CHANGE,
    P_STYLE, R_PR, RUN, SDT, SDT_PR, SECT_PR, SUB_DOC, TBL, TC, VAL,
};

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
    change_properties(pen, last, properties);
    if let Some(content) = content {
        put(pen, Cursor { parent: last, before: None }, content);
    }
    Ok(first)
}

/// Properties of a new paragraph that has only a style.
pub(crate) fn style_properties(pen: &mut Pen<'_>, style: &str) -> NodeId {
    let properties = pen.document.new_element(P_PR);
    let reference = pen.document.new_element(P_STYLE);
    pen.document.set_attribute(reference, VAL, style);
    pen.document.append(properties, reference);
    properties
}

/// Marks the border behind `paragraph` as deleted, unless it already is.
pub(crate) fn delete_mark(pen: &mut Pen<'_>, paragraph: NodeId) {
    if !has_deleted_mark(pen, paragraph) {
        pen.mark_paragraph(paragraph, DEL);
    }
}

pub(crate) fn has_deleted_mark(pen: &Pen<'_>, paragraph: NodeId) -> bool {
    mark_revisions(pen.document, paragraph).any(|node| matches!(pen.document.name(node), DEL | MOVE_FROM))
}

/// What `delete_whole` left of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing: accepting removes it.
    Nothing,
    /// The empty paragraph, because its container needs one.
    EmptyParagraph,
    /// The empty paragraph, whose border an earlier revision already deletes.
    EarlierDeletion,
    /// What an earlier revision deletes: it holds on to the paragraph, since it cannot join a table.
    DeletedText,
}

/// Marks a whole paragraph as deleted: all content, and the border that has to go with it. `gone` are neighbours that
/// the batch deleted before.
pub(crate) fn delete_whole(pen: &mut Pen<'_>, model: &Paragraph, gone: &[NodeId]) -> Result<Left, Refusal> {
    let paragraph = model.node;
    refuse_undeletable(pen, model)?;
    delete_content(pen, paragraph);
    let earlier = |mark: NodeId| {
        matches!(pen.document.name(mark), DEL | MOVE_FROM) && !is_id_since(pen.document, mark, pen.since)
    };
    if mark_revisions(pen.document, paragraph).any(earlier) {
        return Ok(Left::EarlierDeletion);
    }
    if has_deleted_mark(pen, paragraph) && next_block(pen, paragraph).is_some() {
        return Ok(collapse_tail(pen, paragraph, gone));
    }
    match next_block(pen, paragraph) {
        // The border to the next paragraph goes.
        Some(_) => {
            let holds_deletion = |pen: &Pen<'_>| {
                let earlier = |node| {
                    matches!(pen.document.name(node), DEL | MOVE_FROM)
                        && !is_id_since(pen.document, node, pen.since)
                };
                pen.document.descendants(paragraph).any(earlier)
            };
            if ends_at_table(pen, paragraph) && holds_deletion(pen) {
                return Ok(Left::DeletedText);
            }
            delete_mark(pen, paragraph);
            Ok(Left::Nothing)
        }
        None => Ok(collapse_tail(pen, paragraph, gone)),
    }
}

/// Whether no paragraph is left behind this one for its content to join: the ones that follow lose their borders, and a
/// table or the like comes next.
fn ends_at_table(pen: &Pen<'_>, paragraph: NodeId) -> bool {
    let mut at = paragraph;
    while let Some(next) = next_paragraph(pen.document, at) {
        if !has_deleted_mark(pen, next) {
            return false;
        }
        at = next;
    }
    true
}

/// Marks all content of a paragraph as deleted, and leaves its border.
pub(crate) fn delete_text(pen: &mut Pen<'_>, model: &Paragraph) -> Result<(), Refusal> {
    refuse_undeletable(pen, model)?;
    delete_content(pen, model.node);
    Ok(())
}

/// The last border of a container cannot go. So the border *before* the deleted paragraphs at its end goes, and the
/// last element takes over the properties of the paragraph that now ends the container.
fn collapse_tail(pen: &mut Pen<'_>, deleted: NodeId, gone: &[NodeId]) -> Left {
    // An empty paragraph does not show that it is deleted.
    let is_emptied = |pen: &Pen<'_>, node: NodeId| is_emptied(pen, node) || gone.contains(&node);
    let mut last = deleted;
    while let Some(next) = next_block(pen, last) {
        if pen.document.name(next) != P || !is_emptied(pen, next) {
            return Left::Nothing;
        }
        last = next;
    }
    let mut first = last;
    let keeper = loop {
        match previous_block(pen, first) {
            Some(block) if pen.document.name(block) == P && is_emptied(pen, block) => first = block,
            // A border that somebody else's revision deletes is not ours to delete.
            Some(block)
                if pen.document.name(block) == P
                    && !ends_section(pen, block)
                    && !has_deleted_mark(pen, block) =>
            {
                break block;
            }
            _ => return Left::EmptyParagraph,
        }
    };
    let mut at = keeper;
    while at != last {
        delete_mark(pen, at);
        let Some(next) = next_block(pen, at) else { break };
        at = next;
    }
    let properties = pen.copy_paragraph_properties(keeper);
    change_properties(pen, last, properties);
    Left::Nothing
}

/// Whether this batch deleted the paragraph whole.
fn is_emptied(pen: &Pen<'_>, paragraph: NodeId) -> bool {
    let ours = |node: NodeId| pen.document.name(node) == DEL && is_id_since(pen.document, node, pen.since);
    let mut deleted = mark_revisions(pen.document, paragraph).any(ours);
    for child in pen.document.children(paragraph) {
        match pen.document.name(child) {
            P_PR => {}
            DEL => deleted |= ours(child),
            name if is_range_marker(name) || pen.document.kind(child) != Kind::Element => {}
            HYPERLINK | INS if pen.document.children(child).all(|node| pen.document.name(node) == DEL) => {
                deleted |= pen.document.children(child).any(ours);
            }
            _ => return false,
        }
    }
    deleted
}

/// Gives the paragraph other properties, tracked (§17.13.5.29). Section break and mark formatting stay.
fn change_properties(pen: &mut Pen<'_>, paragraph: NodeId, wanted: Option<NodeId>) {
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

fn refuse_undeletable(pen: &Pen<'_>, model: &Paragraph) -> Result<(), Refusal> {
    let document = &*pen.document;
    if model.fields_at_end > 0 || model.closes_outer_field {
        return Err(Refusal::new(
            RefusalCode::FieldEditRefused,
            "a field begins or ends in this paragraph and goes on in another; delete the whole field in Word",
        ));
    }
    let outer_result = model.atoms.first().is_some_and(|atom| atom.fields > 0)
        && model.atoms.iter().all(|atom| matches!(atom.barrier, Some(Barrier::Field(_))));
    if let Some(barrier) = model.atoms.first().and_then(|atom| atom.barrier.as_ref()).filter(|_| outer_result)
    {
        return Err(refuse_barrier(barrier));
    }
    if let Some(barrier) = document.parent(model.node).and_then(|parent| barrier_inside(document, parent)) {
        return Err(refuse_barrier(&barrier));
    }
    if ends_section(pen, model.node) {
        return Err(Refusal::new(
            RefusalCode::SectionBreakParagraph,
            "the paragraph carries the end of a section with its page layout; delete its text with edit_paragraph instead",
        ));
    }
    for node in document.descendants(model.node) {
        match document.name(node) {
            FLD_SIMPLE => {
                return Err(Refusal::new(
                    RefusalCode::FieldEditRefused,
                    "the paragraph holds a simple field, whose deletion cannot be tracked; edit the text around it",
                ));
            }
            MOVE_FROM | MOVE_TO => return Err(refuse_barrier(&Barrier::Move)),
            SUB_DOC => {
                return Err(Refusal::new(
                    RefusalCode::ObjectEditRefused,
                    "the paragraph holds a sub-document, whose deletion cannot be tracked",
                ));
            }
            SDT => {
                let lock = document
                    .child(node, SDT_PR)
                    .and_then(|properties| document.child(properties, LOCK))
                    .and_then(|lock| document.attribute(lock, VAL).map(std::borrow::Cow::into_owned));
                if lock.is_some_and(|lock| lock != "unlocked") {
                    return Err(refuse_barrier(&Barrier::ContentControl("it is locked")));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn ends_section(pen: &Pen<'_>, paragraph: NodeId) -> bool {
    let properties = pen.document.child(paragraph, P_PR);
    properties.is_some_and(|properties| pen.document.child(properties, SECT_PR).is_some())
}

/// Marks everything in the paragraph as deleted that is not yet.
fn delete_content(pen: &mut Pen<'_>, parent: NodeId) {
    let children: Vec<NodeId> = pen.document.children(parent).collect();
    let mut pending: Vec<NodeId> = Vec::new();
    for child in children {
        match pen.document.name(child) {
            RUN | O_MATH | O_MATH_PARA => pending.push(child),
            // A deletion may hold a content control (EG_ContentRunContent), so the control goes with its text.
            SDT if !holds_revisions(pen, child) => pending.push(child),
            P_PR | SDT_PR | R_PR | DEL | MOVE_FROM => {}
            name if is_range_marker(name) => {}
            _ if pen.document.kind(child) == Kind::Element => {
                wrap_neighbours(pen, &std::mem::take(&mut pending));
                delete_content(pen, child);
            }
            _ => {}
        }
    }
    wrap_neighbours(pen, &pending);
}

fn holds_revisions(pen: &Pen<'_>, node: NodeId) -> bool {
    pen.document.descendants(node).any(|below| is_revision_wrapper(pen.document.name(below)))
}

/// The next block beside the paragraph, markers passed over; the section properties of a body are no block.
pub(crate) fn next_block(pen: &Pen<'_>, node: NodeId) -> Option<NodeId> {
    let mut at = pen.document.next(node);
    while let Some(next) = at {
        match pen.document.name(next) {
            SECT_PR => return None,
            name if is_range_marker(name) || pen.document.kind(next) != Kind::Element => {
                at = pen.document.next(next);
            }
            _ => return Some(next),
        }
    }
    None
}

/// The block before the paragraph, markers passed over; properties of a cell or control are no block.
pub(crate) fn previous_block(pen: &Pen<'_>, node: NodeId) -> Option<NodeId> {
    let mut at = pen.document.previous(node);
    while let Some(previous) = at {
        match pen.document.name(previous) {
            P | TBL | SDT | TC => return Some(previous),
            _ => at = pen.document.previous(previous),
        }
    }
    None
}
