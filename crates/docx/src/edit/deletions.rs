//! Whole paragraphs that go, and what of them cannot: the last border of a container stays, so another goes for it or a
//! new paragraph takes its element.
//!
//! Must never read operations: the caller hands in what the batch deleted before.

use engross_xml::{Document, NodeId, NodeKind};

use crate::edit::insertion::put;
use crate::edit::long_fields::write_all_long;
use crate::edit::marks::{change_properties, delete_mark, has_deleted_mark, next_block, previous_block};
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::splice::{Cursor, refuse_barrier, wrap_neighbours};
use crate::error::{Refusal, RefusalCode};
use crate::model::{
    Barrier, Paragraph, barrier_inside, is_id_since, is_range_marker, is_revision_wrapper, mark_revisions,
    next_paragraph,
};
use crate::names::{
    ALTERNATE_CONTENT, COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, DEL, ID, INS, LOCK,
    MOVE_FROM, MOVE_TO, O_MATH, O_MATH_PARA, P, P_PR, P_PR_CHANGE, R_PR, RUN, SDT, SDT_PR, SECT_PR, SUB_DOC,
    VAL,
};
use crate::revisions::restore_properties;

/// The comments that a paragraph carries, by `w:id`, each once. One whose id is no number is `-1`, as nobody can name it.
pub(crate) fn comments_in(document: &Document, paragraph: NodeId) -> Vec<i64> {
    let is_anchor = |node: &NodeId| {
        matches!(document.name(*node), COMMENT_REFERENCE | COMMENT_RANGE_START | COMMENT_RANGE_END)
    };
    let id = |node| document.attribute(node, ID).and_then(|id| id.parse().ok()).unwrap_or(-1);
    let mut found: Vec<i64> = document.descendants(paragraph).filter(is_anchor).map(id).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// What `delete_whole` left of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remainder {
    /// Nothing: accepting removes it.
    Nothing,
    /// Nothing: the new paragraph that stood before `first` took the place of `last`, which ends the container.
    TakenOver { first: NodeId, last: NodeId },
    /// The empty paragraph, because its container needs one.
    EmptyParagraph,
    /// The empty paragraph, whose border an earlier revision already deletes.
    EarlierDeletion,
    /// What an earlier revision deletes: it holds on to the paragraph, since it cannot join a table.
    DeletedText,
}

/// Marks a whole paragraph as deleted: all content, and the border that has to go with it. `gone` are neighbours that
/// the batch deleted before.
pub(crate) fn delete_whole(
    writer: &mut RevisionWriter<'_>,
    model: &Paragraph,
    gone: &[NodeId],
) -> Result<Remainder, Refusal> {
    let paragraph = model.node;
    refuse_undeletable(writer, model)?;
    delete_all(writer, paragraph);
    let earlier = |mark: NodeId| {
        matches!(writer.document.name(mark), DEL | MOVE_FROM)
            && !is_id_since(writer.document, mark, writer.since)
    };
    if mark_revisions(writer.document, paragraph).any(earlier) {
        return Ok(Remainder::EarlierDeletion);
    }
    if has_deleted_mark(writer.document, paragraph) || next_block(writer.document, paragraph).is_none() {
        return Ok(collapse_tail(writer, paragraph, gone));
    }
    // The border to the next paragraph goes.
    if ends_at_table(writer, paragraph) && keeps_content(writer, paragraph) {
        return Ok(Remainder::DeletedText);
    }
    delete_mark(writer, paragraph);
    Ok(Remainder::Nothing)
}

/// Marks all of a paragraph as deleted whose element new paragraphs behind it took: what it held joins the first of
/// them, `next`. `owner` is the element that it had.
pub(crate) fn delete_displaced(
    writer: &mut RevisionWriter<'_>,
    model: &Paragraph,
    owner: NodeId,
    next: NodeId,
) -> Result<(), Refusal> {
    refuse_undeletable(writer, model)?;
    refuse_section_end(writer, owner)?;
    delete_all(writer, model.node);
    let content: Vec<NodeId> = content_of(writer, model.node);
    let first = content_of(writer, next).first().copied();
    for node in content {
        put(writer, Cursor { parent: next, before: first }, node);
    }
    writer.document.detach(model.node);
    Ok(())
}

/// What a paragraph holds besides its properties.
fn content_of(writer: &RevisionWriter<'_>, paragraph: NodeId) -> Vec<NodeId> {
    writer.document.children(paragraph).filter(|child| writer.document.name(*child) != P_PR).collect()
}

/// Whether no paragraph is left behind this one for its content to join: the ones that follow lose their borders, and a
/// table or the like comes next.
fn ends_at_table(writer: &RevisionWriter<'_>, paragraph: NodeId) -> bool {
    let mut at = paragraph;
    while let Some(next) = next_paragraph(writer.document, at) {
        if !has_deleted_mark(writer.document, next) {
            return false;
        }
        at = next;
    }
    true
}

/// Whether something stays in the deleted paragraph, or in one that runs into it, when the batch is accepted: what
/// earlier revisions delete, and content controls around it.
fn keeps_content(writer: &RevisionWriter<'_>, paragraph: NodeId) -> bool {
    let stays = |node: NodeId| match writer.document.name(node) {
        DEL | MOVE_FROM => !is_id_since(writer.document, node, writer.since),
        RUN => is_comment_mark(writer.document, node),
        SDT => !writer.document.ancestors(node).any(|above| {
            writer.document.name(above) == DEL && is_id_since(writer.document, above, writer.since)
        }),
        _ => false,
    };
    let before = |node: &NodeId| {
        previous_block(writer.document, *node)
            .filter(|block| writer.document.name(*block) == P && has_deleted_mark(writer.document, *block))
    };
    std::iter::successors(Some(paragraph), before).any(|paragraph| {
        content_of(writer, paragraph)
            .into_iter()
            .any(|child| stays(child) || writer.document.descendants(child).any(stays))
    })
}

/// Marks all content of a paragraph as deleted, and leaves its border.
pub(crate) fn delete_text(writer: &mut RevisionWriter<'_>, model: &Paragraph) -> Result<(), Refusal> {
    refuse_undeletable(writer, model)?;
    delete_all(writer, model.node);
    Ok(())
}

/// The last border of a container cannot go. So the border *before* the deleted paragraphs at its end goes, and the
/// last element takes over the properties of the paragraph that now ends the container.
fn collapse_tail(writer: &mut RevisionWriter<'_>, deleted: NodeId, gone: &[NodeId]) -> Remainder {
    let is_gone = |node: NodeId| node == deleted || gone.contains(&node);
    let mut last = deleted;
    while let Some(next) = next_block(writer.document, last) {
        if !is_gone(next) {
            return Remainder::Nothing;
        }
        last = next;
    }
    let mut first = last;
    let keeper = loop {
        match previous_block(writer.document, first) {
            Some(block) if is_gone(block) => first = block,
            // A border that somebody else's revision deletes is not ours to delete.
            Some(block)
                if writer.document.name(block) == P
                    && !ends_section(writer, block)
                    && !has_deleted_mark(writer.document, block) =>
            {
                break block;
            }
            _ => return Remainder::EmptyParagraph,
        }
    };
    let is_new = mark_revisions(writer.document, keeper).any(|mark| {
        matches!(writer.document.name(mark), INS | MOVE_TO)
            && is_id_since(writer.document, mark, writer.since)
    });
    let mut at = if is_new { first } else { keeper };
    while at != last {
        delete_mark(writer, at);
        let Some(next) = next_block(writer.document, at) else { break };
        at = next;
    }
    let properties = writer.copy_paragraph_properties(keeper);
    change_properties(writer, last, properties);
    if !is_new {
        return Remainder::Nothing;
    }
    // A border that was both inserted and deleted was never there: the new paragraph takes the last element.
    for node in content_of(writer, keeper) {
        writer.document.append(last, node);
    }
    writer.document.detach(keeper);
    Remainder::TakenOver { first, last }
}

/// Gives back to `keeper` the border that went with the deleted paragraphs behind it, and to `last`, which ends the
/// container, the properties it had.
pub(crate) fn release_tail(writer: &mut RevisionWriter<'_>, keeper: NodeId, last: NodeId) {
    let ours = |writer: &RevisionWriter<'_>, node: NodeId| is_id_since(writer.document, node, writer.since);
    let marks: Vec<NodeId> = mark_revisions(writer.document, keeper)
        .filter(|mark| writer.document.name(*mark) == DEL && ours(writer, *mark))
        .collect();
    for mark in marks {
        remove_with_hollow_properties(writer, mark);
    }
    let properties = writer.document.child(last, P_PR);
    let change = properties.and_then(|properties| writer.document.child(properties, P_PR_CHANGE));
    if let (Some(properties), Some(change)) = (properties, change.filter(|change| ours(writer, *change))) {
        restore_properties(writer.document, change);
        if writer.document.first_child(properties).is_none() {
            writer.document.detach(properties);
        }
    }
}

/// Takes a mark's revision out, and the property elements that hold nothing without it.
fn remove_with_hollow_properties(writer: &mut RevisionWriter<'_>, mark: NodeId) {
    let mut node = mark;
    while let Some(above) = writer.document.parent(node) {
        writer.document.detach(node);
        if !matches!(writer.document.name(above), R_PR | P_PR) || writer.document.first_child(above).is_some()
        {
            return;
        }
        node = above;
    }
}

fn refuse_undeletable(writer: &RevisionWriter<'_>, model: &Paragraph) -> Result<(), Refusal> {
    let document = &*writer.document;
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
    refuse_section_end(writer, model.node)?;
    for node in document.descendants(model.node) {
        match document.name(node) {
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

fn refuse_section_end(writer: &RevisionWriter<'_>, paragraph: NodeId) -> Result<(), Refusal> {
    if !ends_section(writer, paragraph) {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalCode::SectionBreakParagraph,
        "the paragraph carries the end of a section with its page layout; delete its text with edit_paragraph instead",
    ))
}

fn ends_section(writer: &RevisionWriter<'_>, paragraph: NodeId) -> bool {
    let properties = writer.document.child(paragraph, P_PR);
    properties.is_some_and(|properties| writer.document.child(properties, SECT_PR).is_some())
}

/// Marks everything in the paragraph as deleted that is not yet.
fn delete_all(writer: &mut RevisionWriter<'_>, paragraph: NodeId) {
    write_all_long(writer.document, paragraph);
    delete_content(writer, paragraph);
}

/// The same for what an element of it holds.
fn delete_content(writer: &mut RevisionWriter<'_>, parent: NodeId) {
    let children: Vec<NodeId> = writer.document.children(parent).collect();
    let mut pending: Vec<NodeId> = Vec::new();
    for child in children {
        match writer.document.name(child) {
            // The mark of a comment is no text: it goes with its comment.
            RUN if is_comment_mark(writer.document, child) => {
                wrap_neighbours(writer, &std::mem::take(&mut pending));
            }
            RUN | O_MATH | O_MATH_PARA | ALTERNATE_CONTENT => pending.push(child),
            // A deletion may hold a content control (EG_ContentRunContent), so the control goes with its text.
            SDT if !holds_revisions(writer, child) => pending.push(child),
            P_PR | SDT_PR | R_PR | DEL | MOVE_FROM => {}
            name if is_range_marker(name) => {}
            _ if writer.document.kind(child) == NodeKind::Element => {
                wrap_neighbours(writer, &std::mem::take(&mut pending));
                delete_content(writer, child);
            }
            _ => {}
        }
    }
    wrap_neighbours(writer, &pending);
}

/// Whether a run holds the mark of a comment and nothing else.
fn is_comment_mark(document: &Document, run: NodeId) -> bool {
    let mut leaves = document
        .children(run)
        .filter(|child| document.kind(*child) == NodeKind::Element && document.name(*child) != R_PR);
    leaves.next().is_some_and(|leaf| document.name(leaf) == COMMENT_REFERENCE) && leaves.next().is_none()
}

fn holds_revisions(writer: &RevisionWriter<'_>, node: NodeId) -> bool {
    writer.document.descendants(node).any(|below| is_revision_wrapper(writer.document.name(below)))
}
