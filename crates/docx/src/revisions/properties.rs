//! Changed properties: what the record holds, and how it is put back (ISO/IEC 29500-1 §17.13.5.29 – .37).

use engross_xml::{Document, NodeId, QName};

use crate::names::{
    CELL_DEL, CELL_INS, CELL_MERGE, DEL, FOOTER_REFERENCE, HEADER_REFERENCE, INS, MOVE_FROM, MOVE_TO,
    NUMBERING_CHANGE, P_PR, P_PR_CHANGE, R_PR, R_PR_CHANGE, SECT_PR, SECT_PR_CHANGE, TBL_GRID_CHANGE,
    TBL_PR_CHANGE, TBL_PR_EX_CHANGE, TC_PR_CHANGE, TR_PR_CHANGE,
};

/// Whether a name is that of a record of earlier properties.
pub(crate) fn is_change(name: QName) -> bool {
    matches!(
        name,
        R_PR_CHANGE
            | P_PR_CHANGE
            | SECT_PR_CHANGE
            | TBL_PR_CHANGE
            | TBL_PR_EX_CHANGE
            | TR_PR_CHANGE
            | TC_PR_CHANGE
            | TBL_GRID_CHANGE
            | NUMBERING_CHANGE
    )
}

/// Puts back the properties that a record holds, and removes the record.
pub(crate) fn restore(document: &mut Document, change: NodeId) {
    let Some(owner) = document.parent(change) else { return };
    document.detach(change);
    // The old numbering is only told as text; the paragraph's own change record holds what counts.
    if document.name(change) == NUMBERING_CHANGE {
        return;
    }
    let owner_name = document.name(owner);
    let old: Vec<NodeId> = document
        .children(change)
        .filter(|child| document.name(*child) != QName::NONE)
        .flat_map(|properties| document.children(properties))
        .collect();
    let current: Vec<NodeId> = document.children(owner).collect();
    let (kept, dropped): (Vec<NodeId>, Vec<NodeId>) =
        current.into_iter().partition(|child| is_outside_record(owner_name, document.name(*child)));
    for node in dropped {
        document.detach(node);
    }
    let leads =
        |name| matches!(name, HEADER_REFERENCE | FOOTER_REFERENCE) || (owner_name == R_PR && is_marker(name));
    let anchor = kept.iter().copied().find(|node| !leads(document.name(*node)));
    for node in old {
        let name = document.name(node);
        // A record may repeat what stands outside of it; once is enough.
        if kept.iter().any(|kept| document.name(*kept) == name && name != QName::NONE && !is_marker(name)) {
            continue;
        }
        match anchor.filter(|_| !is_change(name)) {
            Some(anchor) => document.insert_before(anchor, node),
            None => document.append(owner, node),
        }
    }
}

/// Children of a property element that its change record does not speak of, so that they stay.
fn is_outside_record(owner: QName, child: QName) -> bool {
    match owner {
        P_PR => matches!(child, R_PR | SECT_PR),
        SECT_PR => matches!(child, HEADER_REFERENCE | FOOTER_REFERENCE),
        _ => is_marker(child),
    }
}

fn is_marker(name: QName) -> bool {
    matches!(name, INS | DEL | MOVE_FROM | MOVE_TO | CELL_INS | CELL_DEL | CELL_MERGE)
}
