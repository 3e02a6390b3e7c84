//! Comments: their text, and the text they are about.

use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use crate::model::{Paragraph, RevisionStamp, View, effective_text, paragraphs};
use crate::names::{
    COMMENT, COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, DEL, FALLBACK, ID, INITIALS,
    MOVE_FROM, P, T,
};

/// A comment of the comments part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// `w:id`, as written.
    pub id: String,
    /// Who, when.
    pub stamp: RevisionStamp,
    /// `w:initials`.
    pub initials: Option<String>,
    /// Its text, one line a paragraph.
    pub text: String,
    /// The paragraph of the main story where it is anchored.
    pub paragraph: Option<NodeId>,
    /// The text it is about, as accepted; empty when the anchor is a point.
    pub quoted: String,
    /// `w:id` of the comment that it answers.
    pub parent: Option<String>,
    /// Whether its thread is done.
    pub resolved: bool,
}

/// All comments, in the order of the comments part, with their anchors in `story`.
#[must_use]
pub fn comments(part: &Document, main: &Document, story: NodeId) -> Vec<Comment> {
    let mut anchors = anchors(main, story);
    let nodes = part.children(part.root()).filter(|node| part.name(*node) == COMMENT);
    nodes
        .map(|node| {
            let id = part.attribute(node, ID).unwrap_or_default().into_owned();
            let lines = paragraphs(part, node)
                .into_iter()
                .map(|p| Paragraph::read(part, p, View::Accepted, None).text);
            let (paragraph, quoted) = anchors.remove(&id).unwrap_or_default();
            Comment {
                stamp: RevisionStamp::of(part, node),
                initials: part.attribute(node, INITIALS).map(std::borrow::Cow::into_owned),
                text: lines.collect::<Vec<_>>().join("\n"),
                id,
                paragraph,
                quoted,
                parent: None,
                resolved: false,
            }
        })
        .collect()
}

fn anchors(document: &Document, story: NodeId) -> HashMap<String, (Option<NodeId>, String)> {
    let mut found: HashMap<String, (Option<NodeId>, String)> = HashMap::new();
    let mut open: Vec<String> = Vec::new();
    let mut paragraph = None;
    let mut nodes = document.descendants(story);
    while let Some(node) = nodes.next() {
        let id = || document.attribute(node, ID).unwrap_or_default().into_owned();
        match document.name(node) {
            P => {
                paragraph = Some(node);
                for id in &open {
                    if let Some((_, text)) = found.get_mut(id).filter(|(_, text)| !text.is_empty()) {
                        text.push('\n');
                    }
                }
            }
            COMMENT_RANGE_START => {
                // A range may begin between paragraphs: then it is about the next one.
                let inside = document.ancestors(node).any(|above| document.name(above) == P);
                let next = document.next(node).filter(|next| document.name(*next) == P);
                found.insert(id(), (if inside { paragraph } else { next.or(paragraph) }, String::new()));
                open.push(id());
            }
            COMMENT_RANGE_END => {
                let id = id();
                open.retain(|open| *open != id);
            }
            COMMENT_REFERENCE => {
                found.entry(id()).or_insert((paragraph, String::new()));
            }
            T => {
                for id in &open {
                    if let Some((_, text)) = found.get_mut(id) {
                        text.push_str(&effective_text(document, node));
                    }
                }
            }
            DEL | MOVE_FROM | FALLBACK => nodes.skip_below(node),
            _ => {}
        }
    }
    found
}
