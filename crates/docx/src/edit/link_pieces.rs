//! A link over words of several formats: its pieces, which a batch writes one by one, become one link.
//!
//! Must never touch a link that holds anything but one's own new words: rejecting them has to give back the source.

use engross_xml::{Document, NodeId, NodeKind};

use crate::model::OwnRevisions;
use crate::names::{DEL, HYPERLINK, INS};

/// Joins own new links of a paragraph that lead to the same place and have nothing between them but own deletions, which then stand
/// before the link.
pub(super) fn join_link_pieces(document: &mut Document, paragraph: NodeId, own: &OwnRevisions) {
    let links: Vec<NodeId> = document
        .descendants(paragraph)
        .filter(|node| document.name(*node) == HYPERLINK && is_new(document, *node, own))
        .collect();
    for link in links {
        while document.parent(link).is_some()
            && let Some((between, next)) = next_piece(document, link, own)
        {
            for deletion in between {
                document.detach(deletion);
                document.insert_before(link, deletion);
            }
            while let Some(child) = document.first_child(next) {
                document.append(link, child);
            }
            document.detach(next);
        }
    }
}

/// The link that goes on behind `link`, and the deletions between both.
fn next_piece(document: &Document, link: NodeId, own: &OwnRevisions) -> Option<(Vec<NodeId>, NodeId)> {
    let mut between = Vec::new();
    for node in std::iter::successors(document.next(link), |node| document.next(*node)) {
        match document.name(node) {
            _ if document.kind(node) != NodeKind::Element => {}
            DEL if own.holds(document, node) => between.push(node),
            HYPERLINK if is_new(document, node, own) && same_target(document, link, node) => {
                return Some((between, node));
            }
            _ => return None,
        }
    }
    None
}

/// Whether a link holds one's own insertions and nothing else.
fn is_new(document: &Document, link: NodeId, own: &OwnRevisions) -> bool {
    let mut elements =
        document.children(link).filter(|child| document.kind(*child) == NodeKind::Element).peekable();
    elements.peek().is_some()
        && elements.all(|child| document.name(child) == INS && own.holds(document, child))
}

fn same_target(document: &Document, one: NodeId, other: NodeId) -> bool {
    let attributes = |node| {
        let mut found: Vec<_> =
            document.raw_attributes(node).map(|(name, _, value)| (name, value.to_owned())).collect();
        found.sort();
        found
    };
    attributes(one) == attributes(other)
}
