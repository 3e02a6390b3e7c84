//! What other parts define: styles, numbering, notes and comments, with what is wrong with styles and numbering themselves.
//!
//! Must never look into a story.

use std::borrow::Cow;
use std::collections::HashSet;

use engross_xml::Document;

use crate::names::{
    ABSTRACT_NUM, ABSTRACT_NUM_ID, COMMENTS, ENDNOTES, FOOTNOTES, ID, NUM, NUM_ID, STYLE, STYLE_ID,
};
use crate::styles::value_of;

use super::findings::Findings;
use super::order::check_part;
use super::rule::Rule;

/// What the parts without text define. A part that is not there, or cannot be read, forbids nothing.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    pub(crate) styles: Option<HashSet<String>>,
    pub(crate) numbers: Option<HashSet<String>>,
    pub(crate) footnotes: HashSet<String>,
    pub(crate) endnotes: HashSet<String>,
    pub(crate) comments: HashSet<String>,
}

impl Definitions {
    /// Takes in what the part `tree` of that kind (`styles`, `numbering`) defines, and looks at the part itself.
    pub(crate) fn add(&mut self, kind: &str, name: &str, tree: &Document, findings: &mut Findings) {
        check_part(tree, name, findings);
        match kind {
            "styles" => self.styles = Some(styles(tree, name, findings)),
            "numbering" => self.numbers = Some(numbers(tree, name, findings)),
            _ => {}
        }
    }

    /// Takes in the notes or comments of the part `tree`, if it is one of those.
    pub(crate) fn add_notes(&mut self, tree: &Document) {
        let ids = match tree.name(tree.root()) {
            FOOTNOTES => &mut self.footnotes,
            ENDNOTES => &mut self.endnotes,
            COMMENTS => &mut self.comments,
            _ => return,
        };
        let nodes = tree.children(tree.root());
        ids.extend(nodes.filter_map(|node| tree.attribute(node, ID)).map(Cow::into_owned));
    }
}

fn styles(tree: &Document, part: &str, findings: &mut Findings) -> HashSet<String> {
    let mut ids = HashSet::new();
    for node in tree.children(tree.root()).filter(|node| tree.name(*node) == STYLE) {
        let id = tree.attribute(node, STYLE_ID).unwrap_or_default().into_owned();
        if !id.is_empty() && !ids.insert(id.clone()) {
            let message = || format!("two styles have the id '{id}'");
            findings.add(Rule::StyleIdDuplicate, || part.to_owned(), message);
        }
    }
    ids
}

fn numbers(tree: &Document, part: &str, findings: &mut Findings) -> HashSet<String> {
    let (mut definitions, mut numbers) = (HashSet::new(), HashSet::new());
    for node in tree.children(tree.root()) {
        let (ids, attribute) = match tree.name(node) {
            ABSTRACT_NUM => (&mut definitions, ABSTRACT_NUM_ID),
            NUM => (&mut numbers, NUM_ID),
            _ => continue,
        };
        let id = tree.attribute(node, attribute).unwrap_or_default().into_owned();
        if !ids.insert(id.clone()) {
            let message = || format!("the id {id} is given to two numberings");
            findings.add(Rule::NumberingIdDuplicate, || part.to_owned(), message);
        }
    }
    for node in tree.children(tree.root()).filter(|node| tree.name(*node) == NUM) {
        let definition = value_of(tree, node, ABSTRACT_NUM_ID).unwrap_or_default();
        if !definitions.contains(&definition) {
            let id = tree.attribute(node, NUM_ID).unwrap_or_default().into_owned();
            let message =
                || format!("numbering {id} follows the definition {definition}, which is not there");
            findings.add(Rule::NumberingUndefined, || part.to_owned(), message);
        }
    }
    numbers
}
