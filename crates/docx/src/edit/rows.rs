//! The marks of rows, cells and tables that say whether the batch put them there or takes them away (ISO/IEC 29500-1 §17.13.5.16, .22).
//!
//! Must never change anything.

use engross_xml::{Document, NodeId, QName};

use crate::model::is_id_since;
use crate::names::{CELL_INS, INS, TBL, TC, TC_PR, TR, TR_PR};

/// Whether a row or cell bears a mark in its properties.
pub(crate) fn has_mark(document: &Document, owner: NodeId, (properties, mark): (QName, QName)) -> bool {
    document.child(owner, properties).is_some_and(|properties| document.child(properties, mark).is_some())
}

/// Whether it bears a mark that was given since the revision id `since`.
pub(crate) fn is_marked_since(
    document: &Document,
    owner: NodeId,
    (properties, mark): (QName, QName),
    since: i64,
) -> bool {
    let mark = document.child(owner, properties).and_then(|properties| document.child(properties, mark));
    mark.is_some_and(|mark| is_id_since(document, mark, since))
}

/// Whether a row was put there by the batch.
pub(crate) fn is_new_row(document: &Document, node: NodeId, since: i64) -> bool {
    document.name(node) == TR && is_marked_since(document, node, (TR_PR, INS), since)
}

/// Whether a row or cell was put there by the batch.
pub(crate) fn is_new_block(document: &Document, node: NodeId, since: i64) -> bool {
    is_new_row(document, node, since)
        || document.name(node) == TC && is_marked_since(document, node, (TC_PR, CELL_INS), since)
}

/// Whether a table was put there by the batch: all of its rows were.
pub(crate) fn is_new_table(document: &Document, node: NodeId, since: i64) -> bool {
    if document.name(node) != TBL {
        return false;
    }
    let mut rows = document.children(node).filter(|child| document.name(*child) == TR).peekable();
    rows.peek().is_some() && rows.all(|row| is_new_row(document, row, since))
}
