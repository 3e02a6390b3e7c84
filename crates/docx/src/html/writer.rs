//! The writer of one story. What it writes stands beside: `blocks`, `inline`, `tables`, `objects`.
//!
//! Must never know one of these.

use std::collections::HashMap;
use std::rc::Rc;

use engross_xml::{Document, NodeId};

use super::changes::Changes;
use super::source::PartSource;
use super::state::ViewState;
use super::story::StoryIndex;

/// Writes one story.
pub(super) struct StoryWriter<'a, 'v> {
    pub(super) state: &'v mut ViewState<'a>,
    pub(super) part: &'a PartSource<'a>,
    pub(super) document: &'a Document,
    pub(super) changes: Changes<'a>,
    pub(super) index: Rc<StoryIndex>,
    /// The names of the text boxes of the part.
    pub(super) box_names: Rc<HashMap<NodeId, String>>,
    /// Paragraphs whose end the view does not show: the next one goes on with them.
    pub(super) unended: Vec<NodeId>,
    /// Text boxes that are anchored in the paragraph under way.
    pub(super) boxes: Vec<NodeId>,
    /// Whether headings may not stand here.
    pub(super) in_header_cell: bool,
}

impl<'a, 'v> StoryWriter<'a, 'v> {
    /// Of the story below `root`; `name` is empty for the body, and `None` for a story without addresses.
    pub(super) fn new(
        state: &'v mut ViewState<'a>,
        part: &'a PartSource<'a>,
        root: NodeId,
        name: Option<&str>,
        box_names: Rc<HashMap<NodeId, String>>,
    ) -> Self {
        let document: &'a Document = &part.tree;
        let known = (state.source.styles, state.source.numbering);
        let index = StoryIndex::read((document, root), name, state.view, known, &state.comment_numbers);
        let changes = Changes { names: &part.revisions, shown: std::collections::HashSet::new() };
        Self {
            state,
            part,
            document,
            changes,
            index: Rc::new(index),
            box_names,
            unended: Vec::new(),
            boxes: Vec::new(),
            in_header_cell: false,
        }
    }
}
