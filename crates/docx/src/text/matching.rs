//! Where a phrase occurs in the text of a paragraph, and what comes nearest when it does not occur.
//!
//! Must never guess: a match is the phrase itself, or the phrase in other typography (quotes, dashes, spaces, ellipsis,
//! accents as one character or several, invisible characters), reported as such. Wording and case always count.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem;
use unicode_segmentation::UnicodeSegmentation;

use super::folding::{FoldedText, Folding, OBJECT, fold, is_ignorable};

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
    if needle.is_empty() {
        return Vec::new();
    }
    let graphemes = Graphemes::of(haystack);
    let looks_through = !needle.contains(OBJECT);
    let exact = if looks_through && haystack.contains(OBJECT) {
        let folded = fold(haystack, Folding::Objects);
        select(occurrences(&folded.text, needle), |range| {
            graphemes.whole(folded.source(range)?).map(|range| Match { range, exact: true })
        })
    } else {
        select(occurrences(haystack, needle), |range| {
            graphemes.whole(range.clone()).map(|range| Match { range, exact: true })
        })
    };
    if !exact.is_empty() || is_plain(haystack) && is_plain(needle) {
        return exact;
    }
    let folding = if looks_through { Folding::TypographyAndObjects } else { Folding::Typography };
    let folded_needle = fold(needle, folding);
    let folded = fold(haystack, folding);
    let wide_runs: Vec<(usize, usize)> = folded_needle
        .units
        .iter()
        .filter(|unit| unit.spaces > 1)
        .map(|unit| (unit.folded, unit.spaces))
        .collect();
    select(occurrences(&folded.text, &folded_needle.text), |range| {
        if !wide_runs.iter().all(|(offset, spaces)| spaces_at(&folded, range.start + offset) >= *spaces) {
            return None;
        }
        let mut source = folded.source(range)?;
        // A joiner belongs to the grapheme before it, so that a match may have to take it along.
        while !graphemes.begin_at(source.end) {
            let next = haystack[source.end..].chars().next().filter(|next| is_ignorable(*next))?;
            source.end += next.len_utf8();
        }
        graphemes.whole(source).map(|range| Match { range, exact: false })
    })
}

/// A candidate and how near it comes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Nearest {
    /// Position among the candidates, from 0.
    pub index: usize,
    /// Above 0 and at most 1; 1 means that the texts are the same but for case and typography.
    pub similarity: f64,
}

/// The candidates nearest to a phrase, best first, at most `limit`; equals keep their order. For error messages only:
/// it compares letter triples of the first kilobytes, so that a whole document can be looked through.
pub fn nearest<'a>(
    needle: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<Nearest> {
    let wanted = triples(needle);
    let mut best: Vec<Nearest> = Vec::new();
    for (index, candidate) in candidates.into_iter().enumerate() {
        let similarity = likeness(&wanted, &triples(candidate));
        let place = best.partition_point(|other| other.similarity >= similarity);
        if similarity > 0.0 && place < limit {
            best.truncate(limit - 1);
            best.insert(place, Nearest { index, similarity });
        }
    }
    best
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
struct Graphemes<'a> {
    text: &'a str,
    starts: OnceCell<Vec<usize>>,
}

impl<'a> Graphemes<'a> {
    fn of(text: &'a str) -> Self {
        Graphemes { text, starts: OnceCell::new() }
    }

    fn whole(&self, range: Range<usize>) -> Option<Range<usize>> {
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

/// How much of a text [`nearest`] looks at, in characters.
const LONGEST_COMPARED: usize = 4_000;

/// The distinct triples of neighbouring characters, sorted; shorter texts are padded with spaces.
fn triples(text: &str) -> Vec<[char; 3]> {
    let start: String = text.chars().take(LONGEST_COMPARED).collect();
    let folded = fold(&start, Folding::TypographyAndObjects).text.to_lowercase();
    let characters: Vec<char> = [' '].into_iter().chain(folded.trim().chars()).chain([' ']).collect();
    let mut triples: Vec<[char; 3]> =
        characters.windows(3).map(|window| [window[0], window[1], window[2]]).collect();
    triples.sort_unstable();
    triples.dedup();
    triples
}

/// Mostly how much of the wanted text is there, a little how much else there is.
fn likeness(wanted: &[[char; 3]], other: &[[char; 3]]) -> f64 {
    if wanted.is_empty() || other.is_empty() {
        return 0.0;
    }
    let common = wanted.iter().filter(|triple| other.binary_search(triple).is_ok()).count();
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    0.8 * share(common, wanted.len()) + 0.2 * share(2 * common, wanted.len() + other.len())
}
