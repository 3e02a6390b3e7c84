//! The parts that hold text, and the addresses of what is in them.

use std::borrow::Cow;
use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use crate::document::WordDocument;
use crate::error::Error;
use crate::model::paragraphs;
use crate::names::{COMMENT, ENDNOTE, FALLBACK, FOOTNOTE, ID, TBL, TXBX_CONTENT};
use crate::read::find_stories;

use super::findings::Findings;
use super::rules::Rule;

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

/// A part with text.
pub(super) struct CheckedPart<'a> {
    /// Its name in the package.
    pub(super) name: String,
    /// Its tree.
    pub(super) document: &'a Document,
    /// Names of the stories in it; empty for the body.
    stories: Vec<String>,
    /// Roots of the stories.
    roots: HashMap<NodeId, usize>,
    /// Story and number of each paragraph.
    places: HashMap<NodeId, (usize, usize)>,
}

impl<'a> CheckedPart<'a> {
    /// The main part, then the others.
    pub(super) fn all(document: &'a WordDocument, trees: &'a Trees<'a>) -> Vec<Self> {
        let main = (document.main_name.as_str(), &document.tree);
        // Only the names of headers are wanted; they are lost when another part cannot be read.
        let named = find_stories(&document.package, main, &document.relationships, &document.limits.xml)
            .unwrap_or_default();
        let mut parts = vec![Self::new(&document.main_name, &document.tree, "")];
        for name in document.other_story_parts() {
            let story = named.iter().find(|story| story.part == name && story.key.is_empty());
            if let Some(part) = trees.get(&name) {
                parts.push(Self::new(&name, part, story.map_or(name.as_str(), |story| story.name.as_str())));
            }
        }
        parts
    }

    fn new(name: &str, document: &'a Document, story: &str) -> Self {
        let mut part = Self {
            name: name.to_owned(),
            document,
            stories: Vec::new(),
            roots: HashMap::new(),
            places: HashMap::new(),
        };
        let top = document.root();
        let inner: Vec<NodeId> = document
            .children(top)
            .filter(|node| matches!(document.name(*node), FOOTNOTE | ENDNOTE | COMMENT))
            .collect();
        if inner.is_empty() {
            part.add_story(top, story.to_owned());
        }
        for node in inner {
            let prefix = document.local_name(document.name(node));
            let id = document.attribute(node, ID).unwrap_or_default();
            part.add_story(node, format!("{prefix}:{id}"));
        }
        if story.is_empty() {
            for (at, node) in text_boxes(document).into_iter().enumerate() {
                part.add_story(node, format!("textbox:{}", at + 1));
            }
        }
        part
    }

    fn add_story(&mut self, root: NodeId, name: String) {
        let story = self.stories.len();
        self.roots.insert(root, story);
        for (at, paragraph) in paragraphs(self.document, root).into_iter().enumerate() {
            self.places.insert(paragraph, (story, at + 1));
        }
        self.stories.push(name);
    }

    /// Where `node` is: its paragraph, else the first paragraph below it or its table, else its story, else the part.
    ///
    /// `document` is the part's tree, or a copy of it that was changed since.
    pub(super) fn address(&self, document: &Document, node: NodeId) -> String {
        let up = || std::iter::once(node).chain(document.ancestors(node));
        let placed = |node: &NodeId| self.places.get(node);
        let below = |node| document.descendants(node).take(FAR).find_map(|node| placed(&node));
        let table = || up().find(|node| document.name(*node) == TBL);
        let place =
            up().find_map(|node| placed(&node)).or_else(|| below(node)).or_else(|| table().and_then(below));
        let story = match place {
            Some((story, _)) => Some(*story),
            None => up().find_map(|node| self.roots.get(&node).copied()),
        };
        let story = story.and_then(|story| self.stories.get(story)).map_or("", String::as_str);
        match (place, story) {
            (Some((_, number)), "") => format!("P{number}"),
            (Some((_, number)), story) => format!("{story}/P{number}"),
            (None, "") => self.name.clone(),
            (None, story) => story.to_owned(),
        }
    }
}

/// How many nodes are looked at to find a paragraph that says where something is.
const FAR: usize = 1000;

/// Contents of text boxes in file order; the old-style copy of a box is not counted.
fn text_boxes(document: &Document) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut nodes = document.descendants(document.root());
    while let Some(node) = nodes.next() {
        match document.name(node) {
            FALLBACK => nodes.skip_below(node),
            TXBX_CONTENT => found.push(node),
            _ => {}
        }
    }
    found
}
