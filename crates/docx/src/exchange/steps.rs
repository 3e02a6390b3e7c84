//! What an edit did, paragraph by paragraph: the steps that another editor takes to come from one state to the next.

use std::collections::HashMap;
use std::ops::Range;

use engross_xml::{Document, NodeId};
use serde::Serialize;

use super::items::{Item, StoryItems, stories};
use super::spans::{TextSpan, text_spans};
use crate::document::WordDocument;
use crate::error::Error;
use crate::model::{
    FieldContext, Paragraph, View, fields_at_start, is_revision_wrapper, mark_revisions, paragraphs,
};
use crate::names::{INS, P_PR, SECT_PR, TR, TR_PR};
use crate::read::has_end;
use crate::text::pairing::{equal_pairs, gaps};

/// Paragraphs, the first and the last of them, counted from 1.
type Paragraphs = (usize, usize);

/// What an edit did to one paragraph, or to some that follow each other. `paragraph` and `paragraphs` count in the document before,
/// `now` in the document after; each from 1, as addresses do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum EditStep {
    /// Other words, and nothing else.
    Text {
        /// `body`, or as addresses name it.
        story: String,
        /// The paragraph before.
        paragraph: usize,
        /// The same one after.
        now: usize,
        /// The words, the last first.
        spans: Vec<TextSpan>,
        /// Whether the paragraph had tracked changes before.
        revised: bool,
    },
    /// Another form of text or paragraph, another object, link or field; or words that are formatted as none beside them.
    Format {
        /// `body`, or as addresses name it.
        story: String,
        /// The paragraph before.
        paragraph: usize,
        /// The same one after.
        now: usize,
        /// Whether the paragraph had tracked changes before.
        revised: bool,
    },
    /// New paragraphs.
    Inserted {
        /// `body`, or as addresses name it.
        story: String,
        /// The paragraph before behind which they stand; 0 for none.
        after: usize,
        /// They themselves.
        now: Paragraphs,
    },
    /// Paragraphs that are struck as a whole.
    Deleted {
        /// `body`, or as addresses name it.
        story: String,
        /// They before.
        paragraphs: Paragraphs,
        /// They after, still there as tracked deletions.
        now: Paragraphs,
    },
    /// Anything else: rows, tables, joined and parted paragraphs, sections, moves.
    Other {
        /// `body`, or as addresses name it.
        story: String,
        /// Those before that are concerned; nothing where there are none.
        paragraphs: Option<Paragraphs>,
        /// Those after.
        now: Option<Paragraphs>,
    },
}

/// The steps from a document to the same document after operations, in the order of stories and places. None where nothing differs
/// but comments and bookmarks.
///
/// ```
/// use engross_docx::ops::parse_batch;
/// use engross_docx::{EditOptions, EditStep, Limits, WordDocument, edit_steps, from_markdown};
///
/// # fn main() -> Result<(), engross_docx::Error> {
/// let bytes = from_markdown("Pay within thirty days.", None, &Limits::default())?;
/// let before = WordDocument::open(bytes, &Limits::default())?;
/// let mut after = before.clone();
/// let batch = parse_batch(&serde_json::json!([
///     {"op": "modify_text", "originalText": "thirty", "replacementText": "sixty"}
/// ]))?;
/// after.apply(&batch, &EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() })?;
/// let steps = edit_steps(&before, &after)?;
/// let EditStep::Text { paragraph: 1, spans, .. } = &steps[0] else { panic!("{steps:?}") };
/// assert_eq!((spans[0].start, spans[0].delete.as_str(), spans[0].insert.as_str()), (11, "thirty", "sixty"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When a part cannot be read.
pub fn edit_steps(before: &WordDocument, after: &WordDocument) -> Result<Vec<EditStep>, Error> {
    let (before, after) = (stories(before)?, stories(after)?);
    let mut steps = Vec::new();
    for new in &after {
        match before.iter().find(|old| old.name == new.name) {
            Some(old) => StoryPair::new(old, new).steps(&mut steps),
            None => steps.push(EditStep::Other {
                story: new.name.clone(),
                paragraphs: None,
                now: new.paragraphs(0..new.items.len()),
            }),
        }
    }
    for old in before.iter().filter(|old| after.iter().all(|new| new.name != old.name)) {
        let paragraphs = old.paragraphs(0..old.items.len());
        steps.push(EditStep::Other { story: old.name.clone(), paragraphs, now: None });
    }
    Ok(steps)
}

struct StoryPair<'a, 'b> {
    old: &'a StoryItems<'b>,
    new: &'a StoryItems<'b>,
    old_fields: HashMap<NodeId, FieldContext>,
    new_fields: HashMap<NodeId, FieldContext>,
}

impl<'a, 'b> StoryPair<'a, 'b> {
    fn new(old: &'a StoryItems<'b>, new: &'a StoryItems<'b>) -> Self {
        Self { old, new, old_fields: HashMap::new(), new_fields: HashMap::new() }
    }

    fn steps(mut self, steps: &mut Vec<EditStep>) {
        let (old, new) = (self.old.numbers(), self.new.numbers());
        if old == new {
            return;
        }
        let fields =
            |story: &StoryItems<'_>| fields_at_start(&story.tree, &paragraphs(&story.tree, story.root));
        (self.old_fields, self.new_fields) = (fields(self.old), fields(self.new));
        let pairs = equal_pairs(&old, &new);
        for (old, new) in gaps(&pairs, (old.len(), new.len())) {
            if !(old.is_empty() && new.is_empty()) {
                self.gap(old, new, steps);
            }
        }
    }

    fn gap(&self, old: Range<usize>, new: Range<usize>, steps: &mut Vec<EditStep>) {
        let mut made = Vec::new();
        if self.try_gap(&old, &new, &mut made).is_some() {
            steps.append(&mut made);
            return;
        }
        steps.push(EditStep::Other {
            story: self.new.name.clone(),
            paragraphs: self.old.paragraphs(old),
            now: self.new.paragraphs(new),
        });
    }

    /// The steps of a gap, if each of its paragraphs went, came, or is still there.
    fn try_gap(&self, old: &Range<usize>, new: &Range<usize>, steps: &mut Vec<EditStep>) -> Option<()> {
        let are_as_many = old.len() == new.len();
        let above = self.old.items.get(..old.start).unwrap_or_default().iter().rev();
        let mut last = above.filter_map(|item| item.paragraph).next().unwrap_or(0);
        let mut old = old.clone();
        let story = || self.new.name.clone();
        for item in self.new.items.get(new.clone())? {
            let now = item.paragraph?;
            if !are_as_many && self.is_new(item) {
                match steps.last_mut() {
                    Some(EditStep::Inserted { after, now: (_, end), .. })
                        if *after == last && *end + 1 == now =>
                    {
                        *end = now;
                    }
                    _ => steps.push(EditStep::Inserted { story: story(), after: last, now: (now, now) }),
                }
                continue;
            }
            let at = old.next()?;
            let source = self.old.items.get(at)?;
            let paragraph = source.paragraph?;
            last = paragraph;
            if source.number == item.number {
                continue;
            }
            match self.change((source, self.is_joined(at)), item)? {
                ParagraphChange::Struck => match steps.last_mut() {
                    Some(EditStep::Deleted { paragraphs: (_, end), now: (_, now_end), .. })
                        if *end + 1 == paragraph && *now_end + 1 == now =>
                    {
                        (*end, *now_end) = (paragraph, now);
                    }
                    _ => steps.push(EditStep::Deleted {
                        story: story(),
                        paragraphs: (paragraph, paragraph),
                        now: (now, now),
                    }),
                },
                ParagraphChange::Words(spans) => {
                    let revised = is_revised(&self.old.tree, source.node);
                    steps.push(EditStep::Text { story: story(), paragraph, now, spans, revised });
                }
                ParagraphChange::More => {
                    let revised = is_revised(&self.old.tree, source.node);
                    steps.push(EditStep::Format { story: story(), paragraph, now, revised });
                }
            }
        }
        old.next().is_none().then_some(())
    }

    /// Whether a paragraph came as a whole: its mark is inserted, and nothing in it was there before.
    fn is_new(&self, item: &Item) -> bool {
        let document: &Document = &self.new.tree;
        let node = item.node;
        let inserted = mark_revisions(document, node).any(|mark| document.name(mark) == INS);
        inserted && {
            let original = Paragraph::read(document, node, View::Original, self.new_fields.get(&node));
            original.visible().next().is_none()
        }
    }

    /// Whether the item at that place is one with the paragraph before or behind it, where all changes are accepted.
    fn is_joined(&self, at: usize) -> bool {
        let document: &Document = &self.old.tree;
        let around = self.old.items.get(at.saturating_sub(1)..=at).unwrap_or_default();
        around.iter().any(|item| item.paragraph.is_some() && is_struck(document, item.node))
    }

    /// What became of a paragraph; nothing where that is more than the paragraph tells.
    fn change(&self, (source, is_joined): (&Item, bool), item: &Item) -> Option<ParagraphChange> {
        let (old, new): (&Document, &Document) = (&self.old.tree, &self.new.tree);
        if row_state(old, source.node) != row_state(new, item.node) {
            return None;
        }
        if is_struck(new, item.node) && !is_struck(old, source.node) {
            let left = Paragraph::read(new, item.node, View::Accepted, self.new_fields.get(&item.node));
            return left.visible().next().is_none().then_some(ParagraphChange::Struck);
        }
        let properties = |story: &StoryItems<'_>, node: NodeId| {
            let (document, signer) = (&*story.tree, story.signer());
            let own = document.child(node, P_PR);
            let section = own.and_then(|own| document.child(own, SECT_PR));
            (signer.properties(own), own.map_or(0, |own| signer.format(own)), signer.properties(section))
        };
        if is_joined || properties(self.old, source.node) != properties(self.new, item.node) {
            return Some(ParagraphChange::More);
        }
        let fields = (self.old_fields.get(&source.node), self.new_fields.get(&item.node));
        let spans = text_spans((self.old, source.node), (self.new, item.node), fields);
        Some(match spans {
            Some(spans) if !spans.is_empty() => ParagraphChange::Words(spans),
            _ => ParagraphChange::More,
        })
    }
}

enum ParagraphChange {
    Struck,
    Words(Vec<TextSpan>),
    More,
}

/// Whether the mark of a paragraph goes by a tracked change.
fn is_struck(document: &Document, paragraph: NodeId) -> bool {
    !has_end(document, paragraph, View::Accepted)
}

/// Whether the rows around a paragraph are inserted or deleted.
fn row_state(document: &Document, paragraph: NodeId) -> Vec<engross_xml::QName> {
    let rows = document.ancestors(paragraph).filter(|above| document.name(*above) == TR);
    let properties = rows.filter_map(|row| document.child(row, TR_PR));
    let marks = properties.flat_map(|properties| document.children(properties));
    marks.map(|mark| document.name(mark)).filter(|name| is_revision_wrapper(*name)).collect()
}

/// Whether a paragraph or its mark has tracked changes.
fn is_revised(document: &Document, paragraph: NodeId) -> bool {
    document.descendants(paragraph).any(|node| {
        let name = document.name(node);
        is_revision_wrapper(name) || crate::revisions::is_property_change(name)
    })
}
