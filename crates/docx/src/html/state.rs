//! What is known while a view is written: its notes, its authors, and what stands on the page so far.
//!
//! Must never write an element: `blocks`, `inline`, `tables` and `objects` do.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use engross_xml::{Document, NodeId};

use super::appearance::Appearances;
use super::changes::Authors;
use super::markup::Markup;
use super::pictures::PictureAllowance;
use super::source::HtmlSource;
use crate::model::View;
use crate::read::text_boxes;

/// The notes that a view refers to.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) numbers: [BTreeMap<String, usize>; 2],
    /// The ids of those that there are.
    pub(super) known: [HashSet<String>; 2],
    /// The name of the note that is being written.
    pub(super) current: Option<String>,
}

impl Notes {
    /// The number of a note, and whether this is the first reference to it.
    pub(super) fn refer(&mut self, is_end: bool, id: &str) -> (usize, bool) {
        let [footnotes, endnotes] = &mut self.numbers;
        let known = if is_end { endnotes } else { footnotes };
        let next = known.len() + 1;
        match known.get(id) {
            Some(number) => (*number, false),
            None => {
                known.insert(id.to_owned(), next);
                (next, true)
            }
        }
    }

    /// Whether there is a note to lead to.
    pub(super) fn has(&self, is_end: bool, id: &str) -> bool {
        let [footnotes, endnotes] = &self.known;
        if is_end { endnotes } else { footnotes }.contains(id)
    }

    pub(super) fn number(&self, is_end: bool, id: &str) -> Option<usize> {
        let [footnotes, endnotes] = &self.numbers;
        if is_end { endnotes } else { footnotes }.get(id).copied()
    }

    /// `footnote-3`.
    pub(super) fn name(&self, is_end: bool, number: usize) -> String {
        format!("{}-{number}", if is_end { "endnote" } else { "footnote" })
    }

    /// What readers see of a name: `3`, `iii`.
    pub(super) fn shown(&self, name: &str) -> String {
        let (kind, number) = name.rsplit_once('-').unwrap_or(("", name));
        match (kind, number.parse::<i64>()) {
            ("endnote", Ok(number)) => crate::numbering::NumberFormat::LowerRoman.show(number),
            _ => number.to_owned(),
        }
    }
}

/// A view under way.
pub(super) struct ViewState<'a> {
    pub(super) source: &'a HtmlSource<'a>,
    pub(super) view: View,
    pub(super) prefix: String,
    pub(super) out: Markup,
    pub(super) authors: Authors,
    pub(super) notes: Notes,
    pub(super) pictures: PictureAllowance,
    pub(super) appearances: Rc<Appearances>,
    /// The places of comments in the list of them, by their ids.
    pub(super) comment_numbers: HashMap<String, usize>,
    pub(super) comment_ids: Vec<String>,
}

/// The names of a part's text boxes, which a header's begin with its own.
pub(super) fn box_names(tree: &Document, story: &str) -> HashMap<NodeId, String> {
    let before = if story.is_empty() { String::new() } else { format!("{story}/") };
    let named = |(at, node)| (node, format!("{before}textbox:{}", at + 1));
    text_boxes(tree).into_iter().enumerate().map(named).collect()
}
