//! Paragraphs that may refer to something: those of all stories with their words, and the bookmarks that their fields and links name.
//!
//! Must never change the document. A part that cannot be read refers to nothing.

use std::borrow::Cow;

use engross_xml::{Document, NodeId};

use super::WordDocument;
use crate::model::{Paragraph, View, fields_at_start, paragraphs};
use crate::names::{ANCHOR, DEL, FLD_SIMPLE, HYPERLINK, INSTR, INSTR_TEXT, MOVE_FROM};
use crate::read::{find_stories, story_root};

/// A paragraph as it reads when all changes are accepted.
pub(super) struct Referrer {
    /// `P12`, `footnote:3/P1`.
    pub(super) address: String,
    pub(super) text: String,
    /// Bookmarks that it names.
    pub(super) bookmarks: Vec<String>,
}

impl WordDocument {
    /// The paragraphs of the body, then those of all other stories.
    pub(super) fn referrers(&self) -> Vec<Referrer> {
        let mut found = Vec::new();
        gather(&self.tree, self.body, "", &mut found);
        let main = (self.main_name.as_str(), &self.tree);
        let stories = find_stories(&self.package, main, &self.relationships, &self.limits.xml);
        for story in stories.unwrap_or_default() {
            let tree = if story.part == self.main_name {
                Cow::Borrowed(&self.tree)
            } else {
                let Ok(tree) = self.story_tree(&story.part) else { continue };
                tree
            };
            if let Some(root) = story_root(&tree, &story) {
                gather(&tree, root, &format!("{}/", story.name), &mut found);
            }
        }
        found
    }
}

fn gather(tree: &Document, root: NodeId, prefix: &str, found: &mut Vec<Referrer>) {
    let nodes = paragraphs(tree, root);
    let fields = fields_at_start(tree, &nodes);
    for (index, node) in nodes.into_iter().enumerate() {
        found.push(Referrer {
            address: format!("{prefix}P{}", index + 1),
            text: Paragraph::read(tree, node, View::Accepted, fields.get(&node)).text,
            bookmarks: bookmarks_named(tree, node),
        });
    }
}

fn bookmarks_named(tree: &Document, paragraph: NodeId) -> Vec<String> {
    let mut found = Vec::new();
    let mut nodes = tree.descendants(paragraph);
    while let Some(node) = nodes.next() {
        match tree.name(node) {
            DEL | MOVE_FROM => nodes.skip_below(node),
            INSTR_TEXT => found.extend(target_of_field(&tree.element_text(node))),
            FLD_SIMPLE => {
                let code = tree.attribute(node, INSTR).unwrap_or_default();
                found.extend(target_of_field(&code));
            }
            HYPERLINK => {
                found.extend(tree.attribute(node, ANCHOR).map(Cow::into_owned));
            }
            _ => {}
        }
    }
    found
}

/// The bookmark that a field's code refers to: the word behind `REF`, `PAGEREF` or `NOTEREF`.
fn target_of_field(code: &str) -> Option<String> {
    let mut words = code.split_whitespace();
    let kind = words.next()?.to_ascii_uppercase();
    let name = words.next()?.trim_matches('"');
    matches!(kind.as_str(), "REF" | "PAGEREF" | "NOTEREF").then(|| name.to_owned())
}
