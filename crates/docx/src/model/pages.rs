//! Which section of the format a block stands in, and how wide its text is (ISO/IEC 29500-1 §17.6).

use engross_xml::{Document, NodeId};

use crate::model::number;
use crate::names::{BODY, GUTTER, LEFT, P, P_PR, PG_MAR, PG_SZ, RIGHT, SECT_PR, WIDTH};

/// The properties of the section that a node of the body stands in: those of the next paragraph that ends one, else the body's.
pub(crate) fn section_properties(document: &Document, node: NodeId) -> Option<NodeId> {
    let mut at = node;
    loop {
        let parent = document.parent(at)?;
        let own = if document.name(at) == P { own_section(document, at) } else { None };
        if own.is_some() {
            return own;
        }
        let mut next = document.next(at);
        while let Some(sibling) = next {
            if document.name(sibling) == SECT_PR && document.name(parent) == BODY {
                return Some(sibling);
            }
            let mut below = std::iter::once(sibling).chain(document.descendants(sibling));
            let found = below.find_map(|below| match document.name(below) {
                P => own_section(document, below),
                _ => None,
            });
            if found.is_some() {
                return found;
            }
            next = document.next(sibling);
        }
        at = parent;
    }
}

fn own_section(document: &Document, paragraph: NodeId) -> Option<NodeId> {
    document.child(document.child(paragraph, P_PR)?, SECT_PR)
}

/// The width of the text around a block of the body, in twentieths of a point. Nothing within a table or another story.
pub(crate) fn text_width(document: &Document, node: NodeId) -> Option<u32> {
    let is_direct = document.ancestors(node).all(|above| {
        matches!(document.local_name(document.name(above)), "body" | "document" | "sdt" | "sdtContent" | "")
    });
    if !is_direct {
        return None;
    }
    let section = section_properties(document, node)?;
    let page = number(document, document.child(section, PG_SZ)?, WIDTH)?;
    let margins = document.child(section, PG_MAR)?;
    let margin = |name| number(document, margins, name).unwrap_or_default();
    let taken = margin(LEFT).saturating_add(margin(RIGHT)).saturating_add(margin(GUTTER));
    page.checked_sub(taken).filter(|width| *width > 0)
}
