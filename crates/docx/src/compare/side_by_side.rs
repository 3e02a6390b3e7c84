//! A redline paragraph by paragraph, each with what stays, goes and comes: for pages that show both documents.

use std::borrow::Cow;
use std::collections::HashMap;

use engross_xml::Document;

use crate::document::WordDocument;
use crate::error::Error;
use crate::limits::Limits;
use crate::model::{AtomKind, Paragraph, View, fields_at_start, mark_revisions, paragraphs};
use crate::names::{DEL, INS, MOVE_FROM, MOVE_TO, P_PR_CHANGE, R_PR_CHANGE, TR, TR_PR, TXBX_CONTENT};
use crate::read::{kind_label, story_root};

/// What becomes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextFate {
    /// Both documents have it.
    Kept,
    /// Only the one before has it.
    Deleted,
    /// Only the one after has it.
    Inserted,
}

/// A paragraph of a redline.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ComparedParagraph {
    /// `P12`, or with the story as `footnote:3/P1`.
    pub address: String,
    /// What becomes of the paragraph as a whole.
    pub fate: TextFate,
    /// Its text in pieces, in order. What is no text is told in brackets: `⟦image⟧`.
    pub pieces: Vec<(TextFate, String)>,
    /// Whether its look, or that of some of its words, is another.
    pub is_formatted: bool,
    /// Whether it moves: the same text goes in one place and comes in another.
    pub is_moved: bool,
}

impl ComparedParagraph {
    /// Whether both documents have it, word for word, in the same look.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.fate == TextFate::Kept
            && !self.is_formatted
            && self.pieces.iter().all(|(fate, _)| *fate == TextFate::Kept)
    }
}

/// The paragraphs of all stories of a redline, in order.
///
/// # Errors
/// When it cannot be read.
pub fn side_by_side(redline: Vec<u8>, limits: &Limits) -> Result<Vec<ComparedParagraph>, Error> {
    let document = WordDocument::open(redline, limits)?;
    let mut all = Vec::new();
    read(&document.tree, document.body, "", &mut all);
    let mut parts: HashMap<String, Document> = HashMap::new();
    let mut seen: Vec<(String, String)> = Vec::new();
    for story in document.stories()? {
        let place = (story.part.clone(), story.key.clone());
        if story.kind() == "comment" || seen.contains(&place) {
            continue;
        }
        seen.push(place);
        if !parts.contains_key(&story.part) {
            parts.insert(story.part.clone(), document.part_tree(&story.part)?);
        }
        if let Some(tree) = parts.get(&story.part)
            && let Some(root) = story_root(tree, &story)
        {
            read(tree, root, &format!("{}/", story.name), &mut all);
        }
    }
    Ok(all)
}

fn read(tree: &Document, root: engross_xml::NodeId, prefix: &str, all: &mut Vec<ComparedParagraph>) {
    let nodes = paragraphs(tree, root);
    let fields = fields_at_start(tree, &nodes);
    for (at, node) in nodes.iter().enumerate() {
        let paragraph = Paragraph::read(tree, *node, View::Markup, fields.get(node));
        let mut pieces: Vec<(TextFate, String)> = Vec::new();
        for atom in paragraph.visible() {
            let fate = match (atom.deleted, atom.inserted) {
                (Some(_), _) => TextFate::Deleted,
                (None, Some(_)) => TextFate::Inserted,
                (None, None) => TextFate::Kept,
            };
            let text = match atom.kind {
                AtomKind::Object => Cow::Owned(kind_label(tree, atom)),
                _ => Cow::Borrowed(paragraph.text.get(atom.range.clone()).unwrap_or_default()),
            };
            match pieces.last_mut() {
                Some((last, known)) if *last == fate => known.push_str(&text),
                _ => pieces.push((fate, text.into_owned())),
            }
        }
        let row = tree.ancestors(*node).find(|above| tree.name(*above) == TR);
        let row = row.and_then(|row| tree.child(row, TR_PR));
        let row_marks = row.into_iter().flat_map(|properties| tree.children(properties));
        let marks: Vec<_> =
            mark_revisions(tree, *node).chain(row_marks).map(|mark| tree.name(mark)).collect();
        let has_only = |wanted: TextFate| pieces.iter().all(|(fate, _)| *fate == wanted);
        let fate = if marks.iter().any(|name| matches!(*name, INS | MOVE_TO)) && has_only(TextFate::Inserted)
        {
            TextFate::Inserted
        } else if marks.iter().any(|name| matches!(*name, DEL | MOVE_FROM)) && has_only(TextFate::Deleted) {
            TextFate::Deleted
        } else {
            TextFate::Kept
        };
        let is_moved =
            marks.iter().any(|name| matches!(*name, MOVE_FROM | MOVE_TO)) && fate != TextFate::Kept;
        let is_formatted = has_other_look(tree, *node);
        let address = format!("{prefix}P{}", at + 1);
        all.push(ComparedParagraph { address, fate, pieces, is_formatted, is_moved });
    }
}

/// Whether a paragraph, or a run of it, has a record of another look.
fn has_other_look(tree: &Document, paragraph: engross_xml::NodeId) -> bool {
    let mut below = tree.descendants(paragraph);
    while let Some(node) = below.next() {
        match tree.name(node) {
            R_PR_CHANGE | P_PR_CHANGE => return true,
            TXBX_CONTENT => below.skip_below(node),
            _ => {}
        }
    }
    false
}
