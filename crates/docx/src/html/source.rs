//! What of a document is shown.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use engross_xml::{Document, NodeId};

use crate::document::PlacedComment;
use crate::names::{COMMENT, ENDNOTE, FOOTNOTE, ID};
use crate::numbering::Numbering;
use crate::parts::Relationship;
use crate::read::{StoryPart, story_root};
use crate::styles::Styles;

/// A part with stories, and what is known of it besides.
pub(crate) struct PartSource<'a> {
    pub(crate) tree: Cow<'a, Document>,
    pub(crate) relationships: Vec<Relationship>,
    /// Its notes and comments by their ids; of two with one id the first.
    pub(crate) roots: HashMap<String, NodeId>,
    /// The names of its revisions.
    pub(crate) revisions: HashMap<NodeId, String>,
    /// The numbers of its content controls.
    pub(crate) controls: HashMap<NodeId, usize>,
}

impl PartSource<'_> {
    /// The node below which a story of it stands.
    pub(crate) fn root(&self, story: &StoryPart) -> Option<NodeId> {
        if matches!(story.kind(), "footnote" | "endnote" | "comment") {
            return self.roots.get(&story.key).copied();
        }
        story_root(&self.tree, story)
    }
}

/// The notes and comments of a part by their ids.
pub(crate) fn roots(tree: &Document) -> HashMap<String, NodeId> {
    let mut found = HashMap::new();
    for node in tree.children(tree.root()) {
        if matches!(tree.name(node), FOOTNOTE | ENDNOTE | COMMENT)
            && let Some(id) = tree.attribute(node, ID)
        {
            found.entry(id.into_owned()).or_insert(node);
        }
    }
    found
}

/// What of a document is shown.
pub(crate) struct HtmlSource<'a> {
    /// By their names; the main one among them.
    pub(crate) parts: BTreeMap<String, PartSource<'a>>,
    pub(crate) main: String,
    pub(crate) body: NodeId,
    /// The stories besides the body, each once.
    pub(crate) stories: Vec<StoryPart>,
    pub(crate) comments: Vec<PlacedComment>,
    pub(crate) styles: &'a Styles,
    pub(crate) style_tree: Option<Cow<'a, Document>>,
    pub(crate) numbering: &'a Numbering,
    /// The addresses of the paragraphs in which bookmarks begin, by their names in small letters.
    pub(crate) bookmarks: HashMap<String, String>,
    /// The files of parts by their names.
    pub(crate) file: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}
