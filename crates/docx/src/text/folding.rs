//! Which spellings count as the same when a phrase is looked for, with the way back to the original bytes.
//!
//! A letter with accents is the same whether it is one character or several (Unicode normalisation form C). Must never fold
//! letters or full-width forms, nor case unless it is asked to: tolerance is for typography only.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Stands in the text of a paragraph for something that is no text, such as a footnote mark.
pub(super) const OBJECT: char = '\u{fffc}';

/// How much is folded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Folding {
    /// Leaves out inline objects, nothing else.
    Objects,
    /// Typography and how accents are written; inline objects are characters like any other.
    Typography,
    /// Both.
    TypographyAndObjects,
}

/// Whether capital and small letters differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum LetterCase {
    #[default]
    Counts,
    Ignored,
}

impl LetterCase {
    /// Adds characters to a folded text.
    fn push(self, folded: &mut String, characters: impl Iterator<Item = char>) {
        match self {
            Self::Counts => folded.extend(characters),
            Self::Ignored => folded.extend(characters.flat_map(char::to_lowercase)),
        }
    }
}

/// A folded text and where its characters come from.
pub(super) struct FoldedText {
    pub text: String,
    /// In order. Source ranges are disjoint; what lies between them was left out.
    pub units: Vec<Unit>,
}

/// The smallest piece that maps to the source: one character with its accents, or one run of spaces.
pub(super) struct Unit {
    /// Offset in the folded text.
    pub folded: usize,
    /// Bytes of the source.
    pub source: Range<usize>,
    /// The number of spaces in a run, otherwise 0.
    pub spaces: usize,
}

impl FoldedText {
    /// The unit that begins at an offset of the folded text.
    pub fn unit_at(&self, folded: usize) -> Option<usize> {
        self.units.binary_search_by_key(&folded, |unit| unit.folded).ok()
    }

    /// The source of a range of the folded text, or none when it cuts a unit (a single dot of an ellipsis).
    pub fn source(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let first = self.unit_at(range.start)?;
        let after = if range.end == self.text.len() { self.units.len() } else { self.unit_at(range.end)? };
        Some(self.units[first].source.start..self.units[after.checked_sub(1)?].source.end)
    }
}

/// Folds a text. Runs of spaces become one space, except when only objects are folded.
pub(super) fn fold(text: &str, folding: Folding) -> FoldedText {
    fold_letters(text, folding, LetterCase::Counts)
}

/// The same, with or without the case of letters.
pub(super) fn fold_letters(text: &str, folding: Folding, case: LetterCase) -> FoldedText {
    let mut folded =
        FoldedText { text: String::with_capacity(text.len()), units: Vec::with_capacity(text.len()) };
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let mut end = at + character.len_utf8();
        let replacement = match (folding, character) {
            (Folding::Objects | Folding::TypographyAndObjects, OBJECT) => Replacement::Nothing,
            (Folding::Objects, _) => Replacement::One(character),
            (_, '\u{2026}') => Replacement::Ellipsis,
            (_, _) if is_ignorable(character) => Replacement::Nothing,
            _ => Replacement::One(plain(character)),
        };
        let place = folded.text.len();
        match replacement {
            Replacement::Nothing => continue,
            Replacement::Ellipsis => folded.text.push_str("..."),
            Replacement::One(' ') if folding != Folding::Objects => {
                if let Some(last) = folded.units.last_mut().filter(|last| last.spaces > 0) {
                    last.source.end = end;
                    last.spaces += 1;
                    continue;
                }
                folded.text.push(' ');
                folded.units.push(Unit { folded: place, source: at..end, spaces: 1 });
                continue;
            }
            Replacement::One(_) if folding != Folding::Objects && takes_marks(&mut characters) => {
                while let Some((mark, accent)) = characters.next_if(|(_, next)| is_combining_mark(*next)) {
                    end = mark + accent.len_utf8();
                }
                case.push(&mut folded.text, text.get(at..end).unwrap_or_default().nfc());
            }
            Replacement::One(character) => case.push(&mut folded.text, [character].into_iter().nfc()),
        }
        folded.units.push(Unit { folded: place, source: at..end, spaces: 0 });
    }
    folded
}

/// A text in the typography of a plain keyboard, for comparisons.
pub(crate) fn folded(text: &str) -> String {
    fold(text, Folding::Typography).text
}

/// A text as somebody quotes it who writes `new`: characters of which `new` has only plain forms are plain.
pub(crate) fn straightened(text: &str, new: &str) -> String {
    let kinds: Vec<char> = new.chars().filter(|c| plain(*c) != *c).map(plain).collect();
    text.chars().map(|c| if kinds.contains(&plain(c)) { c } else { plain(c) }).collect()
}

/// Characters that show nothing: soft hyphens, zero-width characters and marks of direction.
pub(super) fn is_ignorable(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// A double quotation mark that is not straight.
pub(super) fn is_curly_double(character: char) -> bool {
    matches!(character, '\u{201c}'..='\u{201f}')
}

/// A single quotation mark or apostrophe that is not straight.
pub(super) fn is_curly_single(character: char) -> bool {
    matches!(character, '\u{2018}'..='\u{201b}')
}

/// Whether accents follow that stand for themselves in the text.
fn takes_marks(characters: &mut std::iter::Peekable<std::str::CharIndices<'_>>) -> bool {
    characters.peek().is_some_and(|(_, next)| is_combining_mark(*next))
}

enum Replacement {
    Nothing,
    One(char),
    Ellipsis,
}

fn plain(character: char) -> char {
    match character {
        _ if is_curly_double(character) => '"',
        '\u{2033}' | '\u{2036}' => '"',
        _ if is_curly_single(character) => '\'',
        '\u{2032}' | '\u{2035}' | '\u{2bc}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' => ' ',
        _ => character,
    }
}
