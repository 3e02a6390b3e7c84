//! The smallest change from one text to another, around inline objects.
//!
//! Objects are transparent: nobody can type one, so a new text without them keeps them where they are. Only a change of one object
//! and nothing else means that object (`is_object`).

use std::ops::Range;

use crate::model::OBJECT;
use crate::text::{StyledText, diff, literal};

/// One change: what goes, and what comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) range: Range<usize>,
    pub(crate) new: StyledText,
}

/// The changes that make `new` of `old`. Ranges are bytes of `old`, moved on by `offset`.
pub(crate) fn hunks(old: &str, new: &StyledText, offset: usize) -> Vec<Hunk> {
    let clean = CleanText::of(old);
    diff(&clean.text, &new.text)
        .into_iter()
        .map(|hunk| {
            let inserted = new.slice(hunk.new);
            let range = clean.place(&hunk.old, &inserted.text);
            Hunk { range: range.start + offset..range.end + offset, new: inserted }
        })
        .collect()
}

/// Whether a range is an object and nothing else: then the object goes. No change of text has such a range.
pub(crate) fn is_object(text: &str, range: &Range<usize>) -> bool {
    let mut characters = text.get(range.clone()).unwrap_or_default().chars();
    characters.next() == Some(OBJECT) && characters.next().is_none()
}

/// Joins replacements that only spaces of the same look part: of a phrase that is all new, the old spaces are nothing to
/// keep, and people read one change instead of many. Positions are bytes of `text`, which the hunks change.
pub(crate) fn join_phrases(
    text: &str,
    hunks: Vec<Hunk>,
    same_look: impl Fn(Range<usize>, usize) -> bool,
) -> Vec<Hunk> {
    let replaces = |hunk: &Hunk| !hunk.range.is_empty() && !hunk.new.text.is_empty();
    let mut joined: Vec<Hunk> = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        let spaces = joined.last().filter(|last| replaces(last) && replaces(&hunk)).and_then(|last| {
            let spaces = text.get(last.range.end..hunk.range.start)?;
            let one = spaces.bytes().all(|byte| byte == b' ')
                && same_look(last.range.start..hunk.range.start, hunk.range.start);
            one.then_some(spaces)
        });
        match (spaces, joined.last_mut()) {
            (Some(spaces), Some(last)) => {
                last.range.end = hunk.range.end;
                last.new.append(literal(spaces));
                last.new.append(hunk.new);
            }
            _ => joined.push(hunk),
        }
    }
    joined
}

/// A text without its objects.
struct CleanText {
    text: String,
    /// Where a stretch of the clean text begins, and how many bytes were left out before it.
    shifts: Vec<(usize, usize)>,
}

impl CleanText {
    fn of(text: &str) -> Self {
        let mut clean = Self { text: String::with_capacity(text.len()), shifts: vec![(0, 0)] };
        let mut removed = 0;
        for c in text.chars() {
            if c == OBJECT {
                removed += c.len_utf8();
                clean.shifts.push((clean.text.len(), removed));
            } else {
                clean.text.push(c);
            }
        }
        clean
    }

    /// A range of the clean text in the full text, objects at its ends left out.
    fn place(&self, range: &Range<usize>, inserted: &str) -> Range<usize> {
        if !range.is_empty() {
            return self.behind(range.start)..self.before(range.end);
        }
        let joins_word = self.text.get(..range.start).and_then(|text| text.chars().next_back());
        let joins_word = joins_word.is_some_and(char::is_alphanumeric);
        let word = inserted.chars().next().is_some_and(char::is_alphanumeric);
        // What lengthens a word stays with it; anything else goes behind a footnote mark or picture.
        let at = if joins_word && word { self.before(range.start) } else { self.behind(range.start) };
        at..at
    }

    /// The place before any objects that stand at `at`.
    fn before(&self, at: usize) -> usize {
        at + self.shifts.iter().rev().find(|(start, _)| *start < at).map_or(0, |(_, removed)| *removed)
    }

    /// The place behind any objects that stand at `at`.
    fn behind(&self, at: usize) -> usize {
        at + self.shifts.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, removed)| *removed)
    }
}
