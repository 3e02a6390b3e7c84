//! The words around a change, as the document reads afterwards: `100` says little, `Pay EUR 100 within` says what it is.
//!
//! Must never look over the end of a paragraph.

use engross_xml::{Document, NodeId, NodeKind};

use crate::model::effective_text;
use crate::names::{DEL, FALLBACK, MOVE_FROM, P, P_PR, T, TAB, TXBX_CONTENT};

/// Characters of a longest context.
const LONGEST: usize = 48;

/// The text in front of a node, and behind another, up to the ends of their paragraph.
pub(super) fn around(tree: &Document, first: NodeId, last: NodeId) -> (String, String) {
    let mut before = String::new();
    walk(tree, first, false, &mut before);
    let mut behind = String::new();
    walk(tree, last, true, &mut behind);
    let kept = before.chars().count().saturating_sub(LONGEST);
    let start: String = before.chars().skip(kept).collect();
    // A context begins and ends with whole words.
    let start = match (kept > 0, start.split_once(' ')) {
        (true, Some((_, whole))) => whole.to_owned(),
        _ => start,
    };
    let is_long = behind.chars().count() > LONGEST;
    let end: String = behind.chars().take(LONGEST).collect();
    let end = match (is_long, end.rsplit_once(' ')) {
        (true, Some((whole, _))) => whole.to_owned(),
        _ => end,
    };
    (start, end)
}

/// Collects what stands on one side of a node until there is enough.
fn walk(tree: &Document, node: NodeId, forward: bool, text: &mut String) {
    let mut at = node;
    loop {
        while let Some(next) = if forward { tree.next(at) } else { tree.previous(at) } {
            at = next;
            let mut own = String::new();
            read(tree, at, &mut own);
            match forward {
                true => text.push_str(&own),
                false => text.insert_str(0, &own),
            }
            if text.chars().count() > 2 * LONGEST {
                return;
            }
        }
        match tree.parent(at) {
            Some(parent) if tree.name(parent) != P => at = parent,
            _ => return,
        }
    }
}

// Depth is bounded by the XML parser's limit.
fn read(tree: &Document, node: NodeId, text: &mut String) {
    match tree.name(node) {
        T => text.push_str(&effective_text(tree, node)),
        TAB => text.push(' '),
        DEL | MOVE_FROM | P_PR | TXBX_CONTENT | FALLBACK => {}
        _ if tree.kind(node) == NodeKind::Element => {
            tree.children(node).for_each(|child| read(tree, child, text));
        }
        _ => {}
    }
}
