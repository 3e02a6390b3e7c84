//! What is known of each paragraph of a story before it is shown: address, number, open fields and comments.
//!
//! Numbers and comments run in file order, which is not the order in which merged cells are shown.

use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use crate::model::{FieldContext, View, fields_at_start, paragraphs};
use crate::names::{COMMENT_RANGE_END, COMMENT_RANGE_START, FALLBACK, ID, P, TXBX_CONTENT};
use crate::numbering::{Counter, Marker, Numbering, paragraph_numbering};
use crate::read::has_end;
use crate::styles::Styles;

/// The most comments that are shown around one text.
pub(super) const MOST_COMMENTS: usize = 4;

/// What is known of a paragraph.
#[derive(Debug, Default)]
pub(super) struct ParagraphPlace {
    /// `P12`, `footnote:3/P1`; empty in a story that has no name.
    pub(super) address: String,
    pub(super) marker: Option<Marker>,
    pub(super) list_level: Option<u8>,
    /// Whether the view shows its end; what follows is one paragraph with it otherwise.
    pub(super) has_end: bool,
    /// Numbers of the comments that begin before it.
    pub(super) comments: Vec<usize>,
}

/// What is known of the paragraphs of a story.
#[derive(Debug, Default)]
pub(super) struct StoryIndex {
    pub(super) places: HashMap<NodeId, ParagraphPlace>,
    pub(super) fields: HashMap<NodeId, FieldContext>,
}

impl StoryIndex {
    /// `name` is `None` for a story without addresses, and empty for the body; `comments` gives the numbers of comments.
    pub(super) fn read(
        (document, root): (&Document, NodeId),
        name: Option<&str>,
        view: View,
        (styles, numbering): (&Styles, &Numbering),
        comments: &HashMap<String, usize>,
    ) -> Self {
        let nodes = paragraphs(document, root);
        let fields = fields_at_start(document, &nodes);
        let mut counter = Counter::new(numbering, styles);
        let mut places: HashMap<NodeId, ParagraphPlace> = HashMap::with_capacity(nodes.len());
        for (at, node) in nodes.into_iter().enumerate() {
            let has_end = has_end(document, node, view);
            let list = paragraph_numbering(document, node, styles, numbering).filter(|_| has_end);
            let address = match name {
                None => String::new(),
                Some("") => format!("P{}", at + 1),
                Some(name) => format!("{name}/P{}", at + 1),
            };
            places.insert(
                node,
                ParagraphPlace {
                    address,
                    marker: list.and_then(|(id, level)| counter.next(id, level)),
                    list_level: list.map(|(_, level)| level),
                    has_end,
                    comments: Vec::new(),
                },
            );
        }
        place_comments(document, root, comments, &mut places);
        Self { places, fields }
    }
}

fn place_comments(
    document: &Document,
    root: NodeId,
    comments: &HashMap<String, usize>,
    places: &mut HashMap<NodeId, ParagraphPlace>,
) {
    if comments.is_empty() {
        return;
    }
    let mut open: Vec<usize> = Vec::new();
    let mut nodes = document.descendants(root);
    while let Some(node) = nodes.next() {
        match document.name(node) {
            FALLBACK => nodes.skip_below(node),
            TXBX_CONTENT if node != root => nodes.skip_below(node),
            P => {
                if let Some(place) = places.get_mut(&node) {
                    place.comments.clone_from(&open);
                }
            }
            _ => follow_comments(document, node, comments, &mut open),
        }
    }
}

/// Takes in an end of a comment's range.
pub(super) fn follow_comments(
    document: &Document,
    node: NodeId,
    comments: &HashMap<String, usize>,
    open: &mut Vec<usize>,
) {
    let name = document.name(node);
    if !matches!(name, COMMENT_RANGE_START | COMMENT_RANGE_END) {
        return;
    }
    let id = document.attribute(node, ID).unwrap_or_default();
    let Some(number) = comments.get(&*id) else { return };
    if name == COMMENT_RANGE_END {
        open.retain(|known| known != number);
    } else if open.len() < MOST_COMMENTS && !open.contains(number) {
        open.push(*number);
    }
}
