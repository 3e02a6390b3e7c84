//! In which order notes stand in their part: that of their references. Programs that count the notes of a part instead of reading
//! their ids, LibreOffice among them, show the wrong text at a reference otherwise.
//!
//! Must never move a note that is there already.

use engross_xml::{Document, NodeId};

use crate::names::{ENDNOTE_REFERENCE, FOOTNOTE_REFERENCE, ID};

/// The ids of the notes of a kind that a main part refers to, in order.
pub(crate) fn note_order(main: &Document, is_footnote: bool) -> Vec<String> {
    let wanted = if is_footnote { FOOTNOTE_REFERENCE } else { ENDNOTE_REFERENCE };
    let references = main.descendants(main.root()).filter(|node| main.name(*node) == wanted);
    references.filter_map(|node| main.attribute(node, ID)).map(std::borrow::Cow::into_owned).collect()
}

/// Puts a new note before the first that is referred to behind it.
pub(crate) fn place_note(notes: &mut Document, note: NodeId, order: &[String]) {
    let id =
        |document: &Document, node: NodeId| document.attribute(node, ID).unwrap_or_default().into_owned();
    let own = id(notes, note);
    let root = notes.root();
    let behind = order.iter().skip_while(|known| **known != own).skip(1);
    let next = behind
        .into_iter()
        .find_map(|wanted| notes.children(root).find(|node| *node != note && id(notes, *node) == *wanted));
    match next {
        Some(next) => notes.insert_before(next, note),
        None => notes.append(root, note),
    }
}
