//! Finds the parts of a document that the rules are about.
//!
//! Must never judge a part that can be read.

use std::borrow::Cow;
use std::collections::HashMap;

use engross_xml::Document;

use crate::document::WordDocument;
use crate::error::Error;
use crate::rules::{CheckedPart, Findings, Rule};

/// Trees of parts besides the main one, by name.
pub(super) type Trees<'a> = HashMap<String, Cow<'a, Document>>;

/// Reads the parts besides the main one that hold text.
pub(super) fn read_story_parts<'a>(
    document: &'a WordDocument,
    findings: &mut Findings,
) -> Result<Trees<'a>, Error> {
    let mut trees = Trees::new();
    for name in document.other_story_parts() {
        match document.story_tree(&name) {
            Ok(tree) => {
                trees.insert(name, tree);
            }
            Err(Error::Xml { source, .. }) => {
                findings.add(
                    Rule::PartMalformed,
                    || name.clone(),
                    || format!("the part cannot be read: {source}"),
                );
            }
            Err(error) => return Err(error),
        }
    }
    Ok(trees)
}

/// The main part, then the others.
pub(super) fn checked_parts<'a>(document: &'a WordDocument, trees: &'a Trees<'a>) -> Vec<CheckedPart<'a>> {
    // Only the names of headers are wanted; they are lost when another part cannot be read.
    let named = document.stories().unwrap_or_default();
    let mut parts = vec![CheckedPart::new(&document.main_name, &document.tree, "")];
    for name in document.other_story_parts() {
        let story = named.iter().find(|story| story.part == name && story.key.is_empty());
        if let Some(part) = trees.get(&name) {
            parts.push(CheckedPart::new(
                &name,
                part,
                story.map_or(name.as_str(), |story| story.name.as_str()),
            ));
        }
    }
    parts
}
