//! Pictures: which there are below a root, in which order, and what each says to those who do not see it.
//!
//! The order here is the order of their numbers, wherever pictures are numbered. Must never change the tree.

use engross_xml::{Document, NodeId};

use crate::names::{
    A_BLIP, DOC_PR, DRAWING, FALLBACK, N_DESCR, N_TITLE, OBJECT, PICT, TXBX_CONTENT, V_IMAGE_DATA,
};

/// The pictures below `root`, by their `w:drawing` or `w:pict`, in file order. Text boxes and shapes without a picture are none;
/// of alternate content only the first choice counts, and what a text box holds belongs to the text box.
pub(crate) fn pictures(document: &Document, root: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut nodes = document.descendants(root);
    while let Some(node) = nodes.next() {
        match document.name(node) {
            FALLBACK | OBJECT => nodes.skip_below(node),
            TXBX_CONTENT if node != root => nodes.skip_below(node),
            DRAWING | PICT if picture_file(document, node).is_some() => {
                found.push(node);
                nodes.skip_below(node);
            }
            _ => {}
        }
    }
    found
}

/// The element of a drawing that names the picture's file: `a:blip` or `v:imagedata`.
pub(crate) fn picture_file(document: &Document, drawing: NodeId) -> Option<NodeId> {
    let mut nodes = document.descendants(drawing);
    while let Some(node) = nodes.next() {
        match document.name(node) {
            TXBX_CONTENT | FALLBACK => nodes.skip_below(node),
            A_BLIP | V_IMAGE_DATA => return Some(node),
            _ => {}
        }
    }
    None
}

/// What a picture says in words; nothing if nobody gave it any.
pub(crate) fn alternative_text(document: &Document, drawing: NodeId) -> String {
    let about = document.descendants(drawing).find(|node| document.name(*node) == DOC_PR);
    let say = |name| about.and_then(|about| document.attribute(about, name)).unwrap_or_default();
    let words = say(N_DESCR);
    let words = if words.trim().is_empty() { say(N_TITLE) } else { words };
    words.trim().to_owned()
}
