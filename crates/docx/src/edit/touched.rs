//! Which text a batch has already changed: of two operations on the same text the later is refused.

use std::collections::HashMap;
use std::ops::Range;

/// What an operation needs for itself in a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TouchedRange {
    /// Bytes of its text; an empty range is a place between two characters.
    Text(Range<usize>),
    /// A place where the new text of a touched range adds to what stays: whose text comes first there must be clear.
    Addition(usize),
    /// The words that a change replaces, and the places beside them; words between them may be changed by others.
    Hunks,
    /// All of it, and whether it is there at all.
    Whole,
}

/// The touched ranges of a batch, by paragraph number from 0.
#[derive(Debug, Default)]
pub(crate) struct TouchedRanges {
    by_paragraph: HashMap<usize, Vec<TouchedRange>>,
}

impl TouchedRanges {
    /// Whether `range` touches an earlier one.
    pub(crate) fn conflicts(&self, paragraph: usize, range: &TouchedRange) -> bool {
        let overlaps = |earlier: &TouchedRange| match (earlier, range) {
            (TouchedRange::Text(left), TouchedRange::Text(right)) => {
                let common = left.start.max(right.start)..left.end.min(right.end);
                let inside = |point: &Range<usize>, range: &Range<usize>| {
                    point.is_empty() && range.start < point.start && point.start < range.end
                };
                common.start < common.end || inside(left, right) || inside(right, left)
            }
            (TouchedRange::Addition(left), TouchedRange::Addition(right)) => left == right,
            (TouchedRange::Text(range), TouchedRange::Addition(at))
            | (TouchedRange::Addition(at), TouchedRange::Text(range)) => {
                range.is_empty() && range.start == *at
            }
            _ => true,
        };
        self.by_paragraph.get(&paragraph).is_some_and(|touched| touched.iter().any(overlaps))
    }

    pub(crate) fn add(&mut self, paragraph: usize, range: TouchedRange) {
        self.by_paragraph.entry(paragraph).or_default().push(range);
    }
}
