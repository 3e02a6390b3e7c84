//! Content controls that come or go by a tracked change: which marks record it, and which control they mean
//! (ISO/IEC 29500-1 §17.13.5.4 to .7).
//!
//! Word puts a range around each end of a control: one begins before the control and ends first in its content, the other begins
//! last in its content and ends behind the control. The first mark is the change; the other three go with it. Must change nothing.

use std::collections::HashSet;

use engross_xml::{Document, NodeId, NodeKind, QName};

use crate::model::is_range_marker;
use crate::names::{
    CUSTOM_XML, CUSTOM_XML_DEL_RANGE_END, CUSTOM_XML_DEL_RANGE_START, CUSTOM_XML_INS_RANGE_END,
    CUSTOM_XML_INS_RANGE_START, ID, P, SDT, SDT_CONTENT,
};

/// Whether an element begins the range around an end of a control that comes or goes.
pub(super) fn is_start(name: QName) -> bool {
    matches!(name, CUSTOM_XML_INS_RANGE_START | CUSTOM_XML_DEL_RANGE_START)
}

/// The control, or the custom XML element, that begins right behind a mark.
pub(super) fn behind(document: &Document, mark: NodeId) -> Option<NodeId> {
    let mut next = document.next(mark);
    while let Some(node) = next.filter(|node| is_between(document, *node)) {
        next = document.next(node);
    }
    next.filter(|node| matches!(document.name(*node), SDT | CUSTOM_XML))
}

/// What holds the content of a control.
fn content_of(document: &Document, control: NodeId) -> Option<NodeId> {
    match document.name(control) {
        SDT => document.child(control, SDT_CONTENT),
        _ => Some(control),
    }
}

/// Whether a mark only records the end of a control whose beginning is recorded, too.
pub(super) fn is_of_end(document: &Document, mark: NodeId) -> bool {
    control_that_ends(document, mark).is_some_and(|control| start_of(document, control, document.name(mark)))
}

/// The control that ends right behind a mark.
fn control_that_ends(document: &Document, mark: NodeId) -> Option<NodeId> {
    let mut next = document.next(mark);
    while let Some(node) = next.filter(|node| is_between(document, *node)) {
        next = document.next(node);
    }
    if next.is_some() {
        return None;
    }
    let parent = document.parent(mark)?;
    match document.name(parent) {
        SDT_CONTENT => document.parent(parent),
        CUSTOM_XML => Some(parent),
        _ => None,
    }
}

/// Whether a mark of this name stands right before a control.
fn start_of(document: &Document, control: NodeId, name: QName) -> bool {
    let mut before = document.previous(control);
    while let Some(node) = before.filter(|node| is_between(document, *node)) {
        if document.name(node) == name {
            return true;
        }
        before = document.previous(node);
    }
    false
}

/// Marks of ranges, and the white space of an indented file.
fn is_between(document: &Document, node: NodeId) -> bool {
    document.kind(node) != NodeKind::Element || is_range_marker(document.name(node))
}

/// The first paragraph that a control stands in or holds.
pub(super) fn paragraph_of(document: &Document, mark: NodeId) -> Option<NodeId> {
    let around = document.ancestors(mark).find(|above| document.name(*above) == P);
    around.or_else(|| {
        let control = behind(document, mark)?;
        document.descendants(control).find(|below| document.name(*below) == P)
    })
}

/// The marks that go with those chosen: the ends of their ranges, and what records the other end of the control.
pub(super) fn with_them(document: &Document, chosen: &HashSet<NodeId>) -> Vec<NodeId> {
    let mut starts: HashSet<NodeId> =
        chosen.iter().copied().filter(|node| is_start(document.name(*node))).collect();
    if starts.is_empty() {
        return Vec::new();
    }
    let ends: Vec<NodeId> = starts.iter().filter_map(|mark| last_mark(document, *mark)).collect();
    starts.extend(ends);
    let mut open: Vec<NodeId> = Vec::new();
    let mut found: Vec<NodeId> = Vec::new();
    for node in document.descendants(document.root()) {
        let begins = match document.name(node) {
            name if is_start(name) => {
                open.push(node);
                continue;
            }
            CUSTOM_XML_INS_RANGE_END => CUSTOM_XML_INS_RANGE_START,
            CUSTOM_XML_DEL_RANGE_END => CUSTOM_XML_DEL_RANGE_START,
            _ => continue,
        };
        let id = document.attribute(node, ID);
        let own = |mark: &NodeId| document.name(*mark) == begins && document.attribute(*mark, ID) == id;
        if let Some(at) = open.iter().rposition(own)
            && starts.contains(&open.remove(at))
        {
            found.push(node);
        }
    }
    found.extend(starts.into_iter().filter(|mark| !chosen.contains(mark)));
    found
}

/// The mark that records the end of the control behind a mark.
fn last_mark(document: &Document, mark: NodeId) -> Option<NodeId> {
    let content = content_of(document, behind(document, mark)?)?;
    let mut last = document.last_child(content);
    while let Some(node) = last.filter(|node| is_between(document, *node)) {
        if document.name(node) == document.name(mark) {
            return Some(node);
        }
        last = document.previous(node);
    }
    None
}
