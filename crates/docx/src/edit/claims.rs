//! Which text a batch has already changed: of two operations on the same text the later is refused.

use std::collections::HashMap;
use std::ops::Range;

/// What an operation needs for itself in a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Bytes of its text; an empty range is a place between two characters.
    Text(Range<usize>),
    /// A place where the new text of a claimed range adds to what stays: whose text comes first there must be clear.
    Addition(usize),
    /// All of it, and whether it is there at all.
    Whole,
}

/// The claims of a batch, by paragraph number from 0.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    by_paragraph: HashMap<usize, Vec<Claim>>,
}

impl Claims {
    /// Whether `claim` touches an earlier one.
    pub(crate) fn conflicts(&self, paragraph: usize, claim: &Claim) -> bool {
        let overlaps = |earlier: &Claim| match (earlier, claim) {
            (Claim::Text(left), Claim::Text(right)) => {
                let common = left.start.max(right.start)..left.end.min(right.end);
                let inside = |point: &Range<usize>, range: &Range<usize>| {
                    point.is_empty() && range.start < point.start && point.start < range.end
                };
                common.start < common.end || inside(left, right) || inside(right, left)
            }
            (Claim::Addition(left), Claim::Addition(right)) => left == right,
            (Claim::Text(range), Claim::Addition(at)) | (Claim::Addition(at), Claim::Text(range)) => {
                range.is_empty() && range.start == *at
            }
            _ => true,
        };
        self.by_paragraph.get(&paragraph).is_some_and(|claims| claims.iter().any(overlaps))
    }

    pub(crate) fn add(&mut self, paragraph: usize, claim: Claim) {
        self.by_paragraph.entry(paragraph).or_default().push(claim);
    }
}
