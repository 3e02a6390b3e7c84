//! Links within a document made of Markdown: `[see](#governing-law)` leads to the heading of these words.
//!
//! Only for documents in which all is new: a bookmark is no tracked change.

use std::collections::BTreeMap;

use engross_xml::{Document, NodeId};

use crate::document::WordDocument;
use crate::error::Error;
use crate::limits::Limits;
use crate::markdown::slug;
use crate::model::{Paragraph, View};
use crate::names::{ANCHOR, BOOKMARK_END, BOOKMARK_START, HYPERLINK, ID, NAME, P, P_PR};

/// Gives headings the bookmarks that links ask for. Says which links lead nowhere; their words stay.
pub(super) fn set_anchors(bytes: Vec<u8>, limits: &Limits) -> Result<(Vec<u8>, Vec<String>), Error> {
    let document = WordDocument::open(bytes, limits)?;
    let (tree, body, styles) = document.main();
    let links: Vec<(NodeId, String)> = tree
        .descendants(body)
        .filter(|node| tree.name(*node) == HYPERLINK)
        .filter_map(|node| Some((node, tree.attribute(node, ANCHOR)?.into_owned())))
        .collect();
    if links.is_empty() {
        return Ok((document.source().to_vec(), Vec::new()));
    }
    let mut headings: BTreeMap<String, NodeId> = BTreeMap::new();
    for node in tree.descendants(body).filter(|node| tree.name(*node) == P) {
        let style = styles.of_paragraph(tree, node);
        if style.and_then(|style| styles.outline_level(style)).is_none() {
            continue;
        }
        let slug = slug(&Paragraph::read(tree, node, View::Accepted, None).text);
        let mut names = std::iter::once(slug.clone()).chain((1..).map(|number| format!("{slug}-{number}")));
        if let Some(free) = names.find(|name| !headings.contains_key(name)) {
            headings.insert(free, node);
        }
    }
    let mut warnings = Vec::new();
    let mut tree = tree.clone();
    let mut made: BTreeMap<String, String> = BTreeMap::new();
    for (link, anchor) in links {
        let wanted = slug(&anchor.replace("%20", " "));
        let Some(heading) = headings.get(&wanted).copied() else {
            if !has_bookmark(&tree, &anchor) {
                warnings.push(format!(
                    "no heading is called '#{anchor}', so the link to it is left out; its words stay"
                ));
                tree.unwrap(link);
            }
            continue;
        };
        let number = made.len();
        let name = made.entry(wanted.clone()).or_insert_with(|| {
            let name = bookmark_name(&wanted, number);
            put_bookmark(&mut tree, heading, &name, number);
            name
        });
        tree.set_attribute(link, ANCHOR, name);
    }
    Ok((document.with_main(&tree)?, warnings))
}

fn has_bookmark(tree: &Document, name: &str) -> bool {
    let mut starts = tree.descendants(tree.root()).filter(|node| tree.name(*node) == BOOKMARK_START);
    starts.any(|node| tree.attribute(node, NAME).is_some_and(|own| own == name))
}

fn put_bookmark(tree: &mut Document, paragraph: NodeId, name: &str, number: usize) {
    // Documents made of Markdown have no other bookmarks; a template's are gone with its text.
    let id = (number + 1).to_string();
    let start = tree.new_element(BOOKMARK_START);
    tree.set_attribute(start, ID, &id);
    tree.set_attribute(start, NAME, name);
    match tree.child(paragraph, P_PR) {
        Some(properties) => tree.insert_after(properties, start),
        None => tree.prepend(paragraph, start),
    }
    let end = tree.new_element(BOOKMARK_END);
    tree.set_attribute(end, ID, &id);
    tree.append(paragraph, end);
}

/// A name that Word takes: a letter first, then letters, digits and `_`, forty characters at most.
fn bookmark_name(slug: &str, number: usize) -> String {
    let clean: String = slug.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).take(30).collect();
    let begins = clean.chars().next().is_some_and(char::is_alphabetic);
    if begins { format!("{clean}_{}", number + 1) } else { format!("h_{clean}_{}", number + 1) }
}
