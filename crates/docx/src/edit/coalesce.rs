//! Between two batches: one's own revisions become one redline. What one inserted and then deleted again was never there, text
//! that one deleted and put back stays, neighbouring insertions are one, and of several records of earlier formatting the first counts.
//!
//! Within a batch nothing may vanish, since positions count from its start; so this runs at its end. Must never change what the
//! document says when one's own revisions are all accepted or all rejected, or touch anybody else's.

use std::collections::{HashMap, HashSet};

use engross_xml::{Document, NodeId, NodeKind, QName};

use crate::canon::normal_form;
use crate::edit::link_pieces::join_link_pieces;
use crate::edit::put_back::put_back;
use crate::model::{OwnRevisions, RevisionStamp, is_revision_wrapper, mark_revisions, next_paragraph};
use crate::names::{DATE, DEL, INS, P, P_PR, P_PR_CHANGE, R_PR, R_PR_CHANGE, SECT_PR, TR, TR_PR};
use crate::revisions::{Selection, Side, resolve_paragraphs};

/// Makes one's own revisions in `paragraphs` one redline. Gives the ids of revisions that went, and those that hold their text
/// now.
pub(crate) fn coalesce(
    document: &mut Document,
    paragraphs: &[NodeId],
    own: &OwnRevisions,
) -> HashMap<i64, i64> {
    // What loses its border goes on in the next paragraph.
    let behind: Vec<NodeId> = paragraphs.iter().filter_map(|node| next_paragraph(document, *node)).collect();
    let taken_back = own_deletions_of_own_insertions(document, paragraphs, own);
    if !taken_back.is_empty() {
        resolve_paragraphs(document, paragraphs, Side::Accept, Selection::Only(&taken_back));
    }
    let mut joined = HashMap::new();
    let mut seen = HashSet::new();
    for paragraph in paragraphs.iter().chain(&behind).filter(|paragraph| seen.insert(**paragraph)) {
        join_link_pieces(document, *paragraph, own);
        for node in wrappers(document, *paragraph) {
            if let Some(next) = own_neighbour(document, node, own)
                && document.name(next) != document.name(node)
            {
                put_back(document, node, next);
            }
        }
        let nodes: Vec<NodeId> = document.descendants(*paragraph).collect();
        for node in nodes {
            settle_record(document, node, own);
        }
        for node in wrappers(document, *paragraph) {
            join_with_around(document, node, own, &mut joined);
        }
        for node in wrappers(document, *paragraph) {
            join_with_next(document, node, own, &mut joined);
        }
    }
    joined
}

/// Deletions of one's own that delete nothing but what one inserted: text, the border of a paragraph, a row.
fn own_deletions_of_own_insertions(
    document: &Document,
    paragraphs: &[NodeId],
    own: &OwnRevisions,
) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    let mut rows = HashSet::new();
    for paragraph in paragraphs {
        for node in wrappers(document, *paragraph) {
            if document.name(node) == DEL
                && insertion_around(document, node)
                    .is_some_and(|around| own.is_pair(document, (around, node)))
            {
                found.insert(node);
            }
        }
        found.extend(deletion_beside_insertion(document, mark_revisions(document, *paragraph), own));
        for row in document.ancestors(*paragraph).filter(|above| document.name(*above) == TR) {
            if rows.insert(row)
                && let Some(properties) = document.child(row, TR_PR)
            {
                found.extend(deletion_beside_insertion(document, document.children(properties), own));
            }
        }
    }
    found
}

/// The deletion among the marks of a paragraph or row, where both it and an insertion are there and one's own.
fn deletion_beside_insertion(
    document: &Document,
    marks: impl Iterator<Item = NodeId>,
    own: &OwnRevisions,
) -> Option<NodeId> {
    let (mut inserted, mut deleted) = (None, None);
    for mark in marks {
        match document.name(mark) {
            INS => inserted = Some(mark),
            DEL => deleted = Some(mark),
            _ => {}
        }
    }
    deleted.filter(|deleted| inserted.is_some_and(|inserted| own.is_pair(document, (inserted, *deleted))))
}

/// A record of earlier formatting in which one's own earlier one stands keeps what that one keeps; it goes when the formatting is
/// that again.
fn settle_record(document: &mut Document, record: NodeId, own: &OwnRevisions) {
    let name = document.name(record);
    let held = match name {
        R_PR_CHANGE => R_PR,
        P_PR_CHANGE => P_PR,
        _ => return,
    };
    let Some(before) = document.child(record, held) else { return };
    let Some(earlier) = document.child(before, name) else { return };
    if !own.is_pair(document, (record, earlier)) {
        return;
    }
    let first = match document.child(earlier, held) {
        Some(first) => first,
        None => document.new_element(held),
    };
    document.insert_before(before, first);
    document.detach(before);
    let Some(owner) = document.parent(record) else { return };
    let forms = |document: &Document, properties: NodeId| -> Vec<Vec<u8>> {
        let children = document.children(properties).filter(|child| {
            let child = document.name(*child);
            child != QName::NONE && child != name && !(held == P_PR && matches!(child, R_PR | SECT_PR))
        });
        let children = children.filter(|child| !is_revision_wrapper(document.name(*child)));
        children.map(|child| normal_form(document, child)).collect()
    };
    if forms(document, owner) == forms(document, first) {
        document.detach(record);
        if document.first_child(owner).is_none() {
            document.detach(owner);
        }
    }
}

/// The insertion in which a revision of a text stands, whatever lies between them.
fn insertion_around(document: &Document, node: NodeId) -> Option<NodeId> {
    let is_filled = |above: &NodeId| document.name(*above) == INS && document.first_child(*above).is_some();
    document.ancestors(node).take_while(|above| document.name(*above) != P).find(is_filled)
}

/// What one inserts into a link or a control that one inserted before is a part of that insertion.
fn join_with_around(
    document: &mut Document,
    node: NodeId,
    own: &OwnRevisions,
    joined: &mut HashMap<i64, i64>,
) {
    let around = insertion_around(document, node).filter(|_| document.name(node) == INS);
    let Some(around) = around.filter(|around| own.is_pair(document, (*around, node))) else { return };
    let (went, stays) = (RevisionStamp::of(document, node), RevisionStamp::of(document, around));
    if let (Some(went), Some(stays)) = (went.id, stays.id) {
        joined.insert(went, stays);
    }
    document.unwrap(node);
}

fn join_with_next(document: &mut Document, node: NodeId, own: &OwnRevisions, joined: &mut HashMap<i64, i64>) {
    if document.parent(node).is_none() {
        return;
    }
    while let Some(next) = own_neighbour(document, node, own)
        && document.name(next) == document.name(node)
    {
        while let Some(child) = document.first_child(next) {
            document.append(node, child);
        }
        let (went, stays) = (RevisionStamp::of(document, next), RevisionStamp::of(document, node));
        if let (Some(went), Some(stays)) = (went.id, stays.id) {
            joined.insert(went, stays);
        }
        // Dates of one form compare as texts; the later round is the last word.
        if let Some(date) = went.date.filter(|date| stays.date.as_ref().is_some_and(|known| known < date)) {
            document.set_attribute(node, DATE, &date);
        }
        document.detach(next);
    }
}

/// The insertion or deletion right behind one, where both are of one author and one's own.
fn own_neighbour(document: &Document, node: NodeId, own: &OwnRevisions) -> Option<NodeId> {
    let is_filled = |node: NodeId| is_wrapper(document.name(node)) && document.first_child(node).is_some();
    let mut next = document.next(node);
    while let Some(between) = next.filter(|next| document.kind(*next) != NodeKind::Element) {
        next = document.next(between);
    }
    next.filter(|next| {
        document.parent(node).is_some()
            && is_filled(node)
            && is_filled(*next)
            && own.is_pair(document, (node, *next))
    })
}

fn is_wrapper(name: QName) -> bool {
    matches!(name, INS | DEL)
}

/// The insertions and deletions in a paragraph's text, in order; those of text boxes in it, which are stories of their own, too.
fn wrappers(document: &Document, paragraph: NodeId) -> Vec<NodeId> {
    let is_text = |node: &NodeId| {
        is_wrapper(document.name(*node)) && document.first_child(*node).is_some() && document.name(*node) != P
    };
    document.descendants(paragraph).filter(is_text).collect()
}
