//! Findings about elements that stand where the schema has no place for them, in the wrong order, or once too often.
//!
//! The tables are in `schema.rs`. Paragraph and run properties, cells and revisions have rules of their own beside this.

use engross_xml::{Document, NodeId, NodeKind};

use crate::names::W_URIS;

use super::findings::Findings;
use super::rule::Rule;
use super::schema::{may_hold, sequence};

/// Looks at the children of one element. `find` gets the rule, the child and what is wrong with it.
pub(crate) fn check(document: &Document, node: NodeId, mut find: impl FnMut(Rule, NodeId, String)) {
    let Some(parent) = main_name(document, node) else { return };
    let order = sequence(parent);
    let mut at = 0;
    let mut last = "";
    let mut told = false;
    let mut seen = 0_u128;
    for child in document.children(node) {
        let Some(name) = main_name(document, child) else { continue };
        let Some(order) = order else {
            if may_hold(parent, name) == Some(false) && !has_own_rule(parent, name) {
                find(Rule::ElementMisplaced, child, misplaced(name, parent));
            }
            continue;
        };
        let slot = |slot: &&str| slot.trim_end_matches('*').split('|').any(|known| known == name);
        let Some((place, slot)) = order.split(' ').enumerate().find(|(_, text)| slot(text)) else {
            if may_hold(parent, name) != Some(true) {
                find(Rule::ElementMisplaced, child, misplaced(name, parent));
            }
            continue;
        };
        let bit = 1_u128.checked_shl(u32::try_from(place).unwrap_or(u32::MAX)).unwrap_or(0);
        if seen & bit != 0 && !slot.ends_with('*') {
            find(Rule::ElementRepeated, child, format!("<{name}> stands in <{parent}> more than once"));
        }
        seen |= bit;
        if place < at && !told {
            // One is enough: what follows it is likely late as well.
            told = true;
            find(Rule::ElementOrder, child, format!("in <{parent}>, <{name}> comes after <{last}>"));
        }
        if place >= at {
            (at, last) = (place, name);
        }
    }
}

/// Looks at all of a part without text: styles, numbering, settings.
pub(crate) fn check_part(part: &Document, name: &str, findings: &mut Findings) {
    for node in part.descendants(part.root()) {
        check(part, node, |rule, _, message| findings.add(rule, || name.to_owned(), || message));
    }
}

/// The name of an element of the main namespace.
fn main_name(document: &Document, node: NodeId) -> Option<&str> {
    if document.kind(node) != NodeKind::Element {
        return None;
    }
    let name = document.name(node);
    W_URIS.contains(&document.namespace_uri(name)).then(|| document.local_name(name))
}

/// Whether other rules of the check report it.
fn has_own_rule(parent: &str, child: &str) -> bool {
    matches!((parent, child), ("p" | "r", "p") | ("r", "r" | "ins" | "del" | "moveFrom" | "moveTo"))
}

fn misplaced(name: &str, parent: &str) -> String {
    format!("<{name}> stands in <{parent}>, which has no place for it")
}
