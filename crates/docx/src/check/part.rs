//! The parts that hold text, and the addresses of what is in them.

use std::borrow::Cow;
use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use crate::document::WordDocument;
use crate::model::paragraphs;
use crate::names::{COMMENT, ENDNOTE, FALLBACK, FOOTNOTE, ID, P, TXBX_CONTENT};
use crate::read::find_stories;

/// XML parts by name, as the package check read them.
pub(super) type Readable = HashMap<String, Document>;

/// A part with text.
pub(super) struct CheckedPart<'a> {
    /// Its name in the package.
    pub(super) name: String,
    /// Its tree.
    pub(super) document: Cow<'a, Document>,
    /// Names of the stories in it; empty for the body.
    stories: Vec<String>,
    /// Roots of stories that have a name of their own inside of the part.
    roots: HashMap<NodeId, usize>,
    /// Story and number of each paragraph.
    places: HashMap<NodeId, (usize, usize)>,
}

impl<'a> CheckedPart<'a> {
    /// The main part, then the others that can hold text, as far as they can be read.
    pub(super) fn all(document: &'a WordDocument, readable: &'a Readable) -> Vec<Self> {
        let main = (document.main_name.as_str(), &document.tree);
        // Names of headers; a part that cannot be read is a finding already, and costs only these names.
        let named = find_stories(&document.package, main, &document.relationships, &document.limits.xml)
            .unwrap_or_default();
        let mut parts = vec![Self::new(&document.main_name, &document.tree, "")];
        for name in document.other_story_parts() {
            let story = named.iter().find(|story| story.part == name && story.key.is_empty());
            if let Some(part) = readable.get(&name) {
                parts.push(Self::new(&name, part, story.map_or(name.as_str(), |story| story.name.as_str())));
            }
        }
        parts
    }

    fn new(name: &str, document: &'a Document, story: &str) -> Self {
        let mut part = Self {
            name: name.to_owned(),
            document: Cow::Borrowed(document),
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
            part.roots.insert(node, part.stories.len());
            part.add_story(node, format!("{prefix}:{id}"));
        }
        if story.is_empty() {
            for (at, node) in text_boxes(document).into_iter().enumerate() {
                part.roots.insert(node, part.stories.len());
                part.add_story(node, format!("textbox:{}", at + 1));
            }
        }
        part
    }

    fn add_story(&mut self, root: NodeId, name: String) {
        let story = self.stories.len();
        for (at, paragraph) in paragraphs(&self.document, root).into_iter().enumerate() {
            self.places.insert(paragraph, (story, at + 1));
        }
        self.stories.push(name);
    }

    /// Where `node` is: its paragraph, else the first paragraph below it, else its story, else the part.
    ///
    /// `document` is the part's tree, or a copy of it that was changed since.
    pub(super) fn address(&self, document: &Document, node: NodeId) -> String {
        let up = || std::iter::once(node).chain(document.ancestors(node));
        let paragraph = up().find(|node| self.places.contains_key(node)).or_else(|| {
            document
                .descendants(node)
                .take(1000)
                .find(|below| document.name(*below) == P && self.places.contains_key(below))
        });
        if let Some((story, number)) = paragraph.and_then(|paragraph| self.places.get(&paragraph)) {
            let story = self.stories.get(*story).map_or("", String::as_str);
            return if story.is_empty() { format!("P{number}") } else { format!("{story}/P{number}") };
        }
        let story = up().find_map(|node| self.roots.get(&node)).or(if self.roots.is_empty() { Some(&0) } else { None });
        let story = story.and_then(|story| self.stories.get(*story)).filter(|story| !story.is_empty());
        story.unwrap_or(&self.name).clone()
    }
}

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
