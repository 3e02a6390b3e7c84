//! What the parts without text define: styles and numbering, with what is wrong with those parts themselves.
//!
//! Must never look at a story.

use std::borrow::Cow;
use std::collections::HashSet;

use engross_xml::Document;

use crate::document::WordDocument;
use crate::error::Error;
use crate::names::{ABSTRACT_NUM, ABSTRACT_NUM_ID, NUM, NUM_ID, STYLE, STYLE_ID};
use crate::styles::value_of;

use super::findings::Findings;
use super::order::check_part;
use super::rules::Rule;

/// What the parts without text define. A part that is not there, or cannot be read, forbids nothing.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub(super) styles: Option<HashSet<String>>,
    pub(super) numbers: Option<HashSet<String>>,
}

impl Definitions {
    /// Reads styles, numbering and settings, and looks at them.
    pub(super) fn of(document: &WordDocument, findings: &mut Findings) -> Result<Self, Error> {
        let mut known = Self::default();
        for kind in ["styles", "numbering", "settings"] {
            let Some((name, tree)) = related(document, kind)? else { continue };
            check_part(&tree, &name, findings);
            match kind {
                "styles" => known.styles = Some(styles(&tree, &name, findings)),
                "numbering" => known.numbers = Some(numbers(&tree, &name, findings)),
                _ => {}
            }
        }
        Ok(known)
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

/// A part that the main part relates to, as it is now. One that is no XML is a finding of its own.
pub(super) fn related<'a>(
    document: &'a WordDocument,
    kind: &str,
) -> Result<Option<(String, Cow<'a, Document>)>, Error> {
    let Some(name) = document.related_name(kind) else { return Ok(None) };
    match document.story_tree(&name) {
        Ok(tree) => Ok(Some((name, tree))),
        Err(Error::Xml { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
