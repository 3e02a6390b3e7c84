//! The story as it was before the batch: the coordinates in which all of its operations think.

use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use crate::edit::content::PARAGRAPH_BREAK;
use crate::edit::marks::next_block;
use crate::edit::rows::is_new_table;
use crate::error::{Refusal, RefusalCode};
use crate::model::{
    FieldContext, Paragraph, View, controls, fields_at_start, is_id_since, mark_revisions, next_paragraph,
    paragraphs,
};
use crate::names::{DEL, INS, MOVE_FROM, MOVE_TO, P};
use crate::numbering::{Counter, Numbering, paragraph_numbering};
use crate::parts::Relationship;
use crate::styles::Styles;
use crate::text::{Finder, NearestIndex, TextIndex};

/// What the parts beside the story say of styles and lists.
#[derive(Clone, Copy)]
pub(crate) struct StyleContext<'a> {
    pub(crate) styles: &'a Styles,
    pub(crate) numbering: &'a Numbering,
}

/// Refusals of a batch that name what is near; more would only repeat themselves.
const SUGGESTIONS: usize = 20;

/// The story as it was before the batch.
pub(crate) struct StorySnapshot<'a> {
    pub(crate) tree: &'a mut Document,
    pub(crate) styles: &'a Styles,
    pub(crate) numbering: &'a Numbering,
    pub(crate) paragraphs: Vec<NodeId>,
    /// Its content controls in order.
    pub(crate) controls: Vec<NodeId>,
    pub(crate) fields: HashMap<NodeId, FieldContext>,
    pub(crate) view: View,
    texts: Vec<Option<String>>,
    /// Made of all texts when the first of many searches asks.
    index: Option<TextIndex>,
    nearest: Option<NearestIndex>,
    /// Paragraphs of which pending revisions delete text, with all of their text.
    deleted: Option<Vec<(usize, String)>>,
    /// What its addresses begin with: `footnote:3/`; nothing for the body.
    pub(crate) prefix: String,
    /// Those of its part.
    pub(crate) relationships: Vec<Relationship>,
    /// How many more refusals may look through the story for what is near.
    pub(crate) suggestions: usize,
    /// By number as it was read, from 0: the place of the paragraph now. Without, they are the same.
    as_read: Option<Vec<Option<usize>>>,
}

impl<'a> StorySnapshot<'a> {
    /// Takes down the story `name` below `story`. `first_id` is the first id that the batch will give out.
    pub(crate) fn new(
        tree: &'a mut Document,
        story: NodeId,
        name: &str,
        context: StyleContext<'a>,
        first_id: i64,
    ) -> Self {
        let paragraphs = paragraphs(tree, story);
        let fields = fields_at_start(tree, &paragraphs);
        let controls = controls(tree, story);
        let texts = vec![None; paragraphs.len()];
        Self {
            tree,
            styles: context.styles,
            numbering: context.numbering,
            paragraphs,
            controls,
            fields,
            view: View::Before(first_id),
            texts,
            index: None,
            nearest: None,
            deleted: None,
            prefix: if name.is_empty() { String::new() } else { format!("{name}/") },
            relationships: Vec::new(),
            suggestions: SUGGESTIONS,
            as_read: None,
        }
    }

    /// Lets numbers of paragraphs mean those that `read` has, which were the story's when it was read.
    pub(crate) fn count_as(&mut self, read: &[NodeId]) {
        let now: HashMap<NodeId, usize> =
            self.paragraphs.iter().enumerate().map(|(index, node)| (*node, index)).collect();
        self.as_read = Some(read.iter().map(|node| now.get(node).copied()).collect());
    }

    /// The paragraph that was read as `P` and this number.
    pub(crate) fn index_of_number(&self, number: usize) -> Result<usize, Refusal> {
        let place = number.checked_sub(1);
        let count = self.as_read.as_ref().map_or(self.paragraphs.len(), Vec::len);
        let Some(place) = place.filter(|place| *place < count) else {
            return Err(Refusal::new(
                RefusalCode::TargetNotFound,
                format!("there is no P{number}; {} has {count} paragraphs, P1 to P{count}", self.name()),
            ));
        };
        let Some(read) = &self.as_read else { return Ok(place) };
        read.get(place).copied().flatten().ok_or_else(|| {
            Refusal::new(
                RefusalCode::TargetNotFound,
                format!(
                    "P{number} is gone or joined to another paragraph by the tracked changes that this batch accepts or rejects; \
                     name its words instead"
                ),
            )
        })
    }

    /// What messages call it.
    pub(crate) fn name(&self) -> &str {
        if self.prefix.is_empty() { "the body" } else { self.prefix.trim_end_matches('/') }
    }

    pub(crate) fn document(&self) -> &Document {
        self.tree
    }

    /// The first id of the batch.
    pub(crate) fn since(&self) -> i64 {
        match self.view {
            View::Before(first) => first,
            _ => i64::MAX,
        }
    }

    /// The text of a paragraph before the batch.
    pub(crate) fn text(&mut self, index: usize) -> &str {
        if self.texts.get(index).is_some_and(Option::is_none)
            && let Some(node) = self.paragraphs.get(index).copied()
        {
            let chain = chain_of(self.tree, node, self.view);
            let mut text = Paragraph::read_chain(self.tree, &chain, self.view, self.fields.get(&node)).text;
            text.shrink_to_fit();
            if let Some(slot) = self.texts.get_mut(index) {
                *slot = Some(text);
            }
        }
        self.known_text(index)
    }

    /// The same, if it was asked for before; else empty.
    pub(crate) fn known_text(&self, index: usize) -> &str {
        self.texts.get(index).and_then(Option::as_deref).unwrap_or_default()
    }

    /// The paragraph before the batch, with its atoms.
    pub(crate) fn paragraph(&self, index: usize) -> Option<Paragraph> {
        let node = self.paragraphs.get(index)?;
        let chain = chain_of(self.tree, *node, self.view);
        Some(Paragraph::read_chain(self.tree, &chain, self.view, self.fields.get(node)))
    }

    fn read_all(&mut self) {
        for index in 0..self.paragraphs.len() {
            self.text(index);
        }
    }

    /// The paragraphs that may hold what is looked for, in order; all when nobody can tell.
    pub(crate) fn candidates(&mut self, finder: &Finder) -> Vec<usize> {
        let Some(phrase) = finder.phrase() else { return (0..self.paragraphs.len()).collect() };
        self.phrase_candidates(phrase)
    }

    /// The same for a phrase.
    pub(crate) fn phrase_candidates(&mut self, phrase: &str) -> Vec<usize> {
        self.read_all();
        let texts = &self.texts;
        let all = || texts.iter().map(|text| text.as_deref().unwrap_or_default());
        self.index.get_or_insert_with(|| TextIndex::of(all())).candidates(phrase)
    }

    /// The paragraphs whose texts are nearest to a phrase, best first.
    pub(crate) fn nearest(&mut self, phrase: &str, limit: usize) -> Vec<usize> {
        self.read_all();
        let texts = &self.texts;
        let all = || texts.iter().map(|text| text.as_deref().unwrap_or_default());
        let index = self.nearest.get_or_insert_with(|| NearestIndex::of(all()));
        index.nearest(phrase, limit).into_iter().map(|near| near.index).collect()
    }

    /// The paragraphs of which pending revisions delete text, with all of the text that they had.
    pub(crate) fn deleted_texts(&mut self) -> &[(usize, String)] {
        let Self { tree, paragraphs, fields, deleted, .. } = self;
        deleted.get_or_insert_with(|| {
            let loses = |node: &NodeId| {
                tree.descendants(*node).any(|below| matches!(tree.name(below), DEL | MOVE_FROM))
            };
            let text = |node: &NodeId| Paragraph::read(tree, *node, View::Original, fields.get(node)).text;
            let losing = paragraphs.iter().enumerate().filter(|(_, node)| loses(node));
            losing.map(|(index, node)| (index, text(node))).collect()
        })
    }

    /// What stands in the place of the paragraph now.
    pub(crate) fn chain(&self, index: usize) -> Vec<NodeId> {
        self.paragraphs.get(index).map(|node| chain_of(self.tree, *node, self.view)).unwrap_or_default()
    }

    /// The fields open at its start.
    pub(crate) fn context(&self, index: usize) -> Option<FieldContext> {
        self.paragraphs.get(index).and_then(|node| self.fields.get(node)).cloned()
    }
}

/// The elements that were one paragraph before the batch: the element itself, and those directly before it whose
/// border the batch inserted.
pub(crate) fn chain_of(document: &Document, node: NodeId, view: View) -> Vec<NodeId> {
    let View::Before(first) = view else { return vec![node] };
    let mut chain = vec![node];
    let mut at = node;
    while let Some(previous) = document.previous(at) {
        // New paragraphs may stand on both sides of a new table.
        if is_new_table(document, previous, first) {
            at = previous;
            continue;
        }
        let inserted = document.name(previous) == P
            && mark_revisions(document, previous).any(|mark| {
                matches!(document.name(mark), INS | MOVE_TO) && is_id_since(document, mark, first)
            });
        if !inserted {
            break;
        }
        chain.push(previous);
        at = previous;
    }
    chain.reverse();
    chain
}

impl StorySnapshot<'_> {
    /// A range of the joined texts of paragraphs as ranges of each.
    pub(crate) fn ranges_of(
        &mut self,
        first: usize,
        last: usize,
        range: std::ops::Range<usize>,
    ) -> Vec<(usize, std::ops::Range<usize>)> {
        let mut found = Vec::new();
        let mut start = 0;
        for index in first..=last {
            let end = start + self.text(index).len();
            let own = range.start.clamp(start, end)..range.end.clamp(start, end);
            if !own.is_empty() {
                found.push((index, own.start - start..own.end - start));
            }
            start = end + PARAGRAPH_BREAK.len_utf8();
        }
        found
    }

    /// The paragraphs whose number as shown is this, alone or with those of the levels above: `(b)` and `4.2(b)`.
    pub(crate) fn provisions(&self, wanted: &str) -> Vec<usize> {
        let clean = |text: &str| -> String {
            let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            text.trim_end_matches(['.', ':']).to_lowercase()
        };
        let wanted = clean(wanted);
        let mut counter = Counter::new(self.numbering, self.styles);
        let mut above: Vec<(u8, String)> = Vec::new();
        let mut hits = Vec::new();
        for (index, node) in self.paragraphs.iter().enumerate() {
            let list = paragraph_numbering(self.tree, *node, self.styles, self.numbering);
            let Some(marker) = list.and_then(|(id, level)| counter.next(id, level)) else { continue };
            if marker.bullet {
                continue;
            }
            above.retain(|(level, _)| *level < marker.level);
            let own = clean(&marker.text);
            let full = match above.last() {
                Some((_, parent)) if !own.starts_with(parent.as_str()) => format!("{parent}{own}"),
                _ => own.clone(),
            };
            if own == wanted || full == wanted {
                hits.push(index);
            }
            above.push((marker.level, full));
        }
        hits
    }

    /// The texts of consecutive paragraphs, joined.
    pub(crate) fn joined(&mut self, first: usize, last: usize) -> String {
        let mut joined = String::new();
        for index in first..=last {
            if index > first {
                joined.push(PARAGRAPH_BREAK);
            }
            joined.push_str(self.text(index));
        }
        joined
    }

    /// Whether the next paragraph stands directly behind this one in the same container.
    pub(crate) fn flows_on(&self, index: usize) -> bool {
        let document = self.document();
        match (self.paragraphs.get(index), self.paragraphs.get(index + 1)) {
            (Some(this), Some(next)) => {
                next_paragraph(document, *this) == Some(*next)
                    && document.parent(*this) == document.parent(*next)
            }
            _ => false,
        }
    }

    /// The same, new paragraphs of the batch and pieces of what it split looked past.
    pub(crate) fn flowed_on(&self, index: usize) -> bool {
        let this = self.paragraphs.get(index).copied();
        let next = self.chain(index + 1).first().copied();
        this.zip(next).is_some_and(|(this, next)| {
            // New tables may stand between.
            let mut at = this;
            while let Some(block) = next_block(self.document(), at)
                && is_new_table(self.document(), block, self.since())
            {
                at = block;
            }
            next_paragraph(self.document(), at) == Some(next)
                && self.document().parent(this) == self.document().parent(next)
        })
    }
}
