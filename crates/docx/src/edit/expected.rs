//! What paragraphs shall say once a batch is accepted: worked out on texts alone, apart from the tree.

use std::ops::Range;

use crate::edit::content::PARAGRAPH_BREAK;
use crate::edit::hunks::is_object;
use crate::model::OBJECT;

/// A new paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewText {
    /// The paragraph of before the batch, from 0, before which it was asked for.
    pub(crate) gap: usize,
    pub(crate) text: String,
}

/// What shall stand in the place of one paragraph. New paragraphs stand in the order of their gaps, and of one gap in
/// the order in which they were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpectedText {
    /// New paragraphs before it.
    pub(crate) before: Vec<NewText>,
    /// Its own text; nothing when it goes, several when it is split.
    pub(crate) own: Vec<String>,
    /// New paragraphs after it; the last of them stands in the paragraph's own element.
    pub(crate) after: Vec<NewText>,
    source: String,
    edits: Vec<(Range<usize>, String)>,
}

impl ExpectedText {
    pub(crate) fn unchanged(text: String) -> Self {
        Self { before: vec![], own: vec![text.clone()], after: vec![], source: text, edits: vec![] }
    }

    /// Takes in edits in bytes of the text before the batch.
    pub(crate) fn edit(&mut self, edits: impl Iterator<Item = (Range<usize>, String)>) {
        // Most paragraphs have one, and a long document has many paragraphs.
        self.edits.reserve_exact(edits.size_hint().0);
        self.edits.extend(edits);
        // Stable: of several insertions at one place the earlier stands first.
        self.edits.sort_by_key(|(range, _)| (range.start, range.end));
        let text = edited(&self.source, self.edits.iter().map(|(range, new)| (range.clone(), new.as_str())));
        self.own = text.split(PARAGRAPH_BREAK).map(str::to_owned).collect();
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        let new = |new: &NewText| new.text.clone();
        let behind = self.own.iter().cloned().chain(self.after.iter().map(new));
        self.before.iter().map(new).chain(behind)
    }

    /// Whether the paragraph goes.
    pub(crate) fn is_gone(&self) -> bool {
        self.own.is_empty()
    }
}

/// A text with ranges replaced, which are given in order. Objects within a range stay, behind its new text, unless the range is one.
pub(crate) fn edited<'a>(
    source: &str,
    edits: impl DoubleEndedIterator<Item = (Range<usize>, &'a str)>,
) -> String {
    let mut text = source.to_owned();
    for (range, new) in edits.rev() {
        let mut replacement = new.to_owned();
        if !is_object(source, &range) {
            replacement.extend(source.get(range.clone()).unwrap_or_default().matches(OBJECT));
        }
        text.replace_range(range, &replacement);
    }
    text
}
