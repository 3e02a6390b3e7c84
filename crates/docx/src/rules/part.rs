//! A part that holds text, and the addresses of what is in it.

use std::cell::OnceCell;
use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use crate::model::paragraphs;
use crate::names::{COMMENT, ENDNOTE, FALLBACK, FOOTNOTE, ID, TBL, TXBX_CONTENT};

/// A part with text.
pub(crate) struct CheckedPart<'a> {
    /// Its name in the package.
    pub(crate) name: String,
    /// Its tree.
    pub(crate) document: &'a Document,
    /// The name of the story that it is; empty for the body.
    story: String,
    /// Where its paragraphs are. Of a sound part nobody asks that.
    places: OnceCell<ParagraphNumbers>,
}

/// The stories of a part, and the numbers of their paragraphs.
#[derive(Default)]
struct ParagraphNumbers {
    /// Names of the stories; empty for the body.
    stories: Vec<String>,
    /// Roots of the stories.
    roots: HashMap<NodeId, usize>,
    /// Story and number of each paragraph.
    paragraphs: HashMap<NodeId, (usize, usize)>,
}

impl ParagraphNumbers {
    fn of(document: &Document, story: &str) -> Self {
        let mut places = Self::default();
        let top = document.root();
        let inner: Vec<NodeId> = document
            .children(top)
            .filter(|node| matches!(document.name(*node), FOOTNOTE | ENDNOTE | COMMENT))
            .collect();
        if inner.is_empty() {
            places.add(document, top, story.to_owned());
        }
        for node in inner {
            let prefix = document.local_name(document.name(node));
            let id = document.attribute(node, ID).unwrap_or_default();
            places.add(document, node, format!("{prefix}:{id}"));
        }
        if story.is_empty() {
            for (at, node) in text_boxes(document).into_iter().enumerate() {
                places.add(document, node, format!("textbox:{}", at + 1));
            }
        }
        places
    }

    fn add(&mut self, document: &Document, root: NodeId, name: String) {
        let story = self.stories.len();
        self.roots.insert(root, story);
        for (at, paragraph) in paragraphs(document, root).into_iter().enumerate() {
            self.paragraphs.insert(paragraph, (story, at + 1));
        }
        self.stories.push(name);
    }
}

impl<'a> CheckedPart<'a> {
    /// The part `name` with that tree. `story` is the name of the story that it is; empty for the body.
    pub(crate) fn new(name: &str, document: &'a Document, story: &str) -> Self {
        Self { name: name.to_owned(), document, story: story.to_owned(), places: OnceCell::new() }
    }

    /// Where `node` is: its paragraph, else the first paragraph below it or its table, else its story, else the part.
    ///
    /// `document` is the part's tree, or a copy of it that was changed since.
    pub(crate) fn address(&self, document: &Document, node: NodeId) -> String {
        let up = || std::iter::once(node).chain(document.ancestors(node));
        let places = self.places.get_or_init(|| ParagraphNumbers::of(self.document, &self.story));
        let placed = |node: &NodeId| places.paragraphs.get(node);
        let below = |node| document.descendants(node).take(FAR).find_map(|node| placed(&node));
        let table = || up().find(|node| document.name(*node) == TBL);
        let place =
            up().find_map(|node| placed(&node)).or_else(|| below(node)).or_else(|| table().and_then(below));
        let story = match place {
            Some((story, _)) => Some(*story),
            None => up().find_map(|node| places.roots.get(&node).copied()),
        };
        let story = story.and_then(|story| places.stories.get(story)).map_or("", String::as_str);
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
