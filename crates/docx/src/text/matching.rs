//! Where a phrase occurs in the text of a paragraph.
//!
//! Must never guess: a match is the phrase itself, or the phrase in other typography (quotes, dashes, spaces, ellipsis,
//! accents as one character or several, invisible characters), reported as such. Wording always counts, and case unless the
//! caller leaves it out.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use super::folding::{FoldedText, Folding, LetterCase, OBJECT, fold, fold_letters, is_ignorable};

/// A place where a phrase occurs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Match {
    /// Bytes of the text, on grapheme boundaries. May enclose inline objects and invisible characters; does not begin
    /// or end with them unless the phrase does, or a grapheme would be cut.
    pub range: Range<usize>,
    /// False when the typography differs.
    pub exact: bool,
}

/// Every place where a phrase occurs, from left to right, without overlaps. Tolerant matches are returned only when
/// there is no exact one. An empty phrase occurs nowhere.
///
/// Inline objects (U+FFFC) in the text are looked through, in both searches, unless the phrase holds one itself.
/// A tolerant match lets quotes, dashes, kinds of space and the ellipsis differ, leaves out invisible characters, and
/// takes a run of spaces for one of the phrase's that is not longer.
pub fn find(haystack: &str, needle: &str) -> Vec<Match> {
    find_by(haystack, needle, MatchRules::default())
}

/// What counts beside the letters of a phrase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MatchRules {
    pub case: LetterCase,
    /// Whether a letter or digit beside the phrase makes it no match: `Term` is not in `Termination`, but in `Term's`.
    pub whole_words: bool,
}

/// The same by other rules. Without case, a match is exact when only case differs.
pub(crate) fn find_by(haystack: &str, needle: &str, rules: MatchRules) -> Vec<Match> {
    if needle.is_empty() {
        return Vec::new();
    }
    let graphemes = Graphemes::of(haystack);
    let whole = |range: Range<usize>| {
        graphemes.whole(range).filter(|range| !rules.whole_words || is_whole_word(haystack, range))
    };
    let looks_through = !needle.contains(OBJECT);
    if rules.case == LetterCase::Counts {
        let exact = if looks_through && haystack.contains(OBJECT) {
            let folded = fold(haystack, Folding::Objects);
            select(occurrences(&folded.text, needle), |range| {
                whole(folded.source(range)?).map(|range| Match { range, exact: true })
            })
        } else {
            select(occurrences(haystack, needle), |range| {
                whole(range.clone()).map(|range| Match { range, exact: true })
            })
        };
        if !exact.is_empty() || is_plain(haystack) && is_plain(needle) {
            return exact;
        }
    }
    let folding = if looks_through { Folding::TypographyAndObjects } else { Folding::Typography };
    let folded_needle = fold_letters(needle, folding, rules.case);
    let folded = fold_letters(haystack, folding, rules.case);
    let wide_runs: Vec<(usize, usize)> = folded_needle
        .units
        .iter()
        .filter(|unit| unit.spaces > 1)
        .map(|unit| (unit.folded, unit.spaces))
        .collect();
    let mut found = select(occurrences(&folded.text, &folded_needle.text), |range| {
        if !wide_runs.iter().all(|(offset, spaces)| spaces_at(&folded, range.start + offset) >= *spaces) {
            return None;
        }
        let mut source = folded.source(range)?;
        // A joiner belongs to the grapheme before it, so that a match may have to take it along.
        while !graphemes.begin_at(source.end) {
            let next = haystack[source.end..].chars().next().filter(|next| is_ignorable(*next))?;
            source.end += next.len_utf8();
        }
        let range = whole(source)?;
        let exact =
            rules.case == LetterCase::Ignored && differs_in_case_only(&haystack[range.clone()], needle);
        Some(Match { range, exact })
    });
    if found.iter().any(|found| found.exact) {
        found.retain(|found| found.exact);
    }
    found
}

/// Whether a match is the phrase but for capital letters and inline objects.
fn differs_in_case_only(found: &str, needle: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars()
            .filter(|c| *c != OBJECT || needle.contains(OBJECT))
            .flat_map(char::to_lowercase)
            .collect()
    };
    letters(found) == letters(needle)
}

/// Whether no word goes on beyond an end of the range.
pub(super) fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let shows = |c: &char| !is_ignorable(*c);
    let inside = &text[range.clone()];
    let before = text[..range.start].chars().rev().find(shows);
    let behind = text[range.end..].chars().find(shows);
    let goes_on = |outside: Option<char>, own: Option<char>| {
        outside.is_some_and(is_word_character) && own.is_some_and(is_word_character)
    };
    !goes_on(before, inside.chars().find(shows)) && !goes_on(behind, inside.chars().rev().find(shows))
}

/// Letters, digits and their accents, in scripts that part words by spaces: in Chinese, Japanese, Thai and their like every
/// place is the end of a word.
fn is_word_character(c: char) -> bool {
    let unparted = matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}');
    (c.is_alphanumeric() || c == '_' || is_combining_mark(c)) && !unparted
}

/// The occurrences that are accepted, from left to right, without overlaps.
fn select(
    occurrences: Vec<Range<usize>>,
    mut accept: impl FnMut(&Range<usize>) -> Option<Match>,
) -> Vec<Match> {
    let mut matches = Vec::new();
    let mut end = 0;
    for occurrence in occurrences {
        if occurrence.start >= end
            && let Some(found) = accept(&occurrence)
        {
            end = occurrence.end;
            matches.push(found);
        }
    }
    matches
}

/// Every occurrence, overlapping ones too, because the first of two may turn out to cut a grapheme. Linear in both
/// lengths (Knuth, Morris, Pratt).
fn occurrences(haystack: &str, needle: &str) -> Vec<Range<usize>> {
    let (haystack, needle) = (haystack.as_bytes(), needle.as_bytes());
    let Some(first) = memmem::find(haystack, needle).filter(|_| !needle.is_empty()) else {
        return Vec::new();
    };
    // For each prefix of the needle, the length of its longest proper border.
    let mut borders = vec![0; needle.len()];
    let mut length = 0;
    for at in 1..needle.len() {
        while length > 0 && needle[at] != needle[length] {
            length = borders[length - 1];
        }
        length += usize::from(needle[at] == needle[length]);
        borders[at] = length;
    }
    let mut found = Vec::new();
    let mut length = 0;
    for (at, byte) in haystack.iter().enumerate().skip(first) {
        while length > 0 && (length == needle.len() || *byte != needle[length]) {
            length = borders[length - 1];
        }
        length += usize::from(*byte == needle[length]);
        if length == needle.len() {
            found.push(at + 1 - length..at + 1);
        }
    }
    found
}

/// Text on which folding changes nothing, so that a tolerant search can find no more than an exact one.
fn is_plain(text: &str) -> bool {
    text.is_ascii() && memmem::find(text.as_bytes(), b"  ").is_none()
}

/// The grapheme boundaries of a text, found when the first of them matters.
pub(super) struct Graphemes<'a> {
    text: &'a str,
    starts: OnceCell<Vec<usize>>,
}

impl<'a> Graphemes<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Graphemes { text, starts: OnceCell::new() }
    }

    /// The range, unless it cuts one.
    pub(super) fn whole(&self, range: Range<usize>) -> Option<Range<usize>> {
        (self.begin_at(range.start) && self.begin_at(range.end)).then_some(range)
    }

    fn begin_at(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let (Some(before), Some(after)) = (at.checked_sub(1).and_then(|at| bytes.get(at)), bytes.get(at))
        else {
            return true;
        };
        if before.is_ascii() && after.is_ascii() {
            return (*before, *after) != (b'\r', b'\n');
        }
        // All at once: looking back from one place may take as long as the text is (flags).
        let starts =
            self.starts.get_or_init(|| self.text.grapheme_indices(true).map(|(start, _)| start).collect());
        starts.binary_search(&at).is_ok()
    }
}

fn spaces_at(folded: &FoldedText, at: usize) -> usize {
    folded.unit_at(at).map_or(0, |unit| folded.units[unit].spaces)
}
