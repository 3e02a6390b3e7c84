//! To which paragraph a border between two paragraphs belongs that comes or goes.
//!
//! A new clause behind a paragraph whose own border stays at the end of it all is marked like this: the paragraph that was there
//! gets the new border, and all text behind it is new. People call the second one new.
//!
//! Must never look past the siblings of a paragraph.

use engross_xml::{Document, NodeId};

use crate::model::mark_revisions;
use crate::names::{DEL, DEL_TEXT, FALLBACK, INS, MOVE_FROM, MOVE_TO, P, P_PR, R_PR, RUN};

/// Whose a border is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BorderOwner {
    /// The paragraph that it ends comes or goes with it.
    Paragraph,
    /// This one behind it does.
    Next(NodeId),
    /// No paragraph's: one was split, or two were joined.
    Nobody,
}

/// Whose the border behind a paragraph is, which comes or, without `comes`, goes.
pub(super) fn owner_of(tree: &Document, paragraph: NodeId, comes: bool) -> BorderOwner {
    // An empty paragraph comes and goes with its border.
    if has_only(tree, paragraph, comes).unwrap_or(true) {
        return BorderOwner::Paragraph;
    }
    let marked = |node: NodeId| {
        mark_revisions(tree, node).any(|mark| match comes {
            true => matches!(tree.name(mark), INS | MOVE_TO),
            false => matches!(tree.name(mark), DEL | MOVE_FROM),
        })
    };
    let mut at = paragraph;
    while let Some(next) = tree.next(at) {
        at = next;
        if tree.name(next) != P {
            continue;
        }
        if !marked(next) {
            return match has_only(tree, next, comes) {
                Some(true) => BorderOwner::Next(next),
                _ => BorderOwner::Nobody,
            };
        }
        if has_only(tree, next, comes) == Some(false) {
            return BorderOwner::Nobody;
        }
    }
    BorderOwner::Nobody
}

/// Whether all that a paragraph says comes, or goes; none when it says nothing.
fn has_only(tree: &Document, paragraph: NodeId, comes: bool) -> Option<bool> {
    let mut says_something = false;
    let mut below = tree.descendants(paragraph);
    while let Some(node) = below.next() {
        match tree.name(node) {
            P_PR | R_PR | FALLBACK => below.skip_below(node),
            INS | MOVE_TO if comes => {
                // What was deleted again within an insertion is another's change.
                says_something |= tree.descendants(node).any(|leaf| tree.name(leaf) == RUN);
                if tree.descendants(node).any(|leaf| tree.name(leaf) == DEL_TEXT) {
                    return Some(false);
                }
                below.skip_below(node);
            }
            DEL | MOVE_FROM if !comes => {
                says_something |= tree.descendants(node).any(|leaf| tree.name(leaf) == RUN);
                below.skip_below(node);
            }
            RUN => return Some(false),
            _ => {}
        }
    }
    says_something.then_some(true)
}
