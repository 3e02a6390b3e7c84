//! The markers of inline Markdown, one at a time: where one stands, and whether it can open or close.
//!
//! Must never pair anything: that takes the whole paragraph and happens in `markdown`.

use std::ops::Range;

use super::constructs::{is_escapable, may_open_small};
use super::html::entity_at;

/// What a delimiter means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Star,
    Underscore,
    Plus,
    Tilde,
    Equals,
}

/// How many marks there are.
pub(super) const MARKS: usize = 8;

/// Longer runs, as in `____` and `*****`, are blanks and rules, not emphasis.
pub(super) const LONGEST_EMPHASIS: usize = 3;

/// A run of marker characters that may open or close something.
#[derive(Clone, Debug)]
pub(super) struct Delimiter {
    pub kind: Kind,
    pub source: Range<usize>,
    /// Units not yet paired: characters for `*` and `_`, one for everything else. What remains at the end is text.
    pub left: usize,
    pub opens: bool,
    pub closes: bool,
    /// How many characters of substance stand before it; equal counts mean nothing but punctuation lies between.
    pub substance: usize,
}

impl Delimiter {
    pub fn rest<'a>(&self, source: &'a str) -> &'a str {
        match self.kind {
            Kind::Star | Kind::Underscore => &source[self.source.start..self.source.start + self.left],
            _ if self.left > 0 => &source[self.source.clone()],
            _ => "",
        }
    }

    /// True when nothing but ASCII punctuation and spaces between two single markers would be emphasised.
    pub fn encloses_nothing(&self, closer: &Delimiter) -> bool {
        let wants_substance =
            self.kind == Kind::Underscore || self.kind == Kind::Star && self.source.len() == 1;
        wants_substance && self.substance == closer.substance
    }

    /// How many units of both the pair uses up, or none when they do not go together.
    pub fn units_shared(&self, closer: &Delimiter) -> Option<usize> {
        if self.kind != closer.kind {
            None
        } else if self.left >= 2 && closer.left >= 2 {
            Some(2)
        } else if matches!(self.kind, Kind::Star | Kind::Underscore)
            && (self.source.len() == 2 || closer.source.len() == 2)
        {
            None
        } else {
            Some(1)
        }
    }
}

/// The delimiter that starts at a marker, or none when it can neither open nor close.
pub(super) fn delimiter_at(source: &str, at: usize) -> Option<Delimiter> {
    let bytes = source.as_bytes();
    let end = run_end(bytes, at);
    let length = end - at;
    let kind = match bytes[at] {
        b'*' if length <= LONGEST_EMPHASIS => Kind::Star,
        b'_' if length <= LONGEST_EMPHASIS => Kind::Underscore,
        b'+' if length == 2 => Kind::Plus,
        b'~' if length == 2 => Kind::Tilde,
        b'=' if length == 2 => Kind::Equals,
        _ => return None,
    };
    let before = source[..at].chars().next_back().unwrap_or(' ');
    let after = source[end..].chars().next().unwrap_or(' ');
    let left_flanking = !after.is_whitespace()
        && (!is_punctuation(after) || before.is_whitespace() || is_punctuation(before));
    let right_flanking = !before.is_whitespace()
        && (!is_punctuation(before) || after.is_whitespace() || is_punctuation(after));
    let inside_word = left_flanking && right_flanking && !is_punctuation(before) && !is_punctuation(after);
    let quoted = before == after && matches!(before, '"' | '\'');
    let mut opens = left_flanking && !quoted && !matches!(after, ')' | ']' | '}');
    let mut closes = right_flanking && !quoted && !matches!(before, '(' | '[' | '{');
    if inside_word {
        match kind {
            Kind::Underscore | Kind::Equals => (opens, closes) = (false, false),
            Kind::Star if length == 1 => (opens, closes) = (false, false),
            _ => opens = before.is_alphabetic() && after.is_alphabetic(),
        }
    } else if kind == Kind::Underscore && left_flanking && right_flanking {
        opens = opens && is_punctuation(before);
        closes = closes && is_punctuation(after);
    }
    let left = if matches!(kind, Kind::Star | Kind::Underscore) { length } else { 1 };
    (opens || closes).then_some(Delimiter { kind, source: at..end, left, opens, closes, substance: 0 })
}

/// A marker that could never act, whatever is put around the text.
pub(super) fn is_inert(text: &str, run: Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let behind = |sign: u8| bytes.get(run.end) == Some(&sign);
    let (before, after) = (text[..run.start].chars().next_back(), text[run.end..].chars().next());
    match bytes[run.start] {
        b'~' | b'^' if run.len() == 1 => {
            let note = bytes[run.start] == b'^' && (behind(b'[') || after.is_none());
            let unknown = before.is_none() && after.is_none_or(|c| !c.is_whitespace());
            let small = after.is_none() && before.is_none_or(|c| !c.is_whitespace());
            !(note || unknown || small || may_open_small(text, run.start))
        }
        b'=' if run.len() == 1 => before.is_some() && after.is_some(),
        b'^' => run.len() > 1 && before.is_some() && after.is_some(),
        b']' => !(behind(b'(') || behind(b'[') || behind(b':')),
        b'[' => !behind(b'^'),
        b'<' => !is_escapable(text, run.start),
        b'&' => entity_at(text, run.start).is_none(),
        byte => {
            let (Some(before), Some(after)) = (before, after) else { return false };
            let is_spaced = before.is_whitespace() && after.is_whitespace();
            let inside_word = before.is_alphanumeric() && after.is_alphanumeric();
            match byte {
                b'*' => is_spaced || inside_word && run.len() == 1,
                b'_' | b'=' => is_spaced || inside_word,
                b'+' | b'~' => is_spaced || run.len() == 1,
                _ => false,
            }
        }
    }
}

/// Whether a byte is a marker of emphasis.
pub(super) fn is_marker(source: &str, at: usize) -> bool {
    matches!(source.as_bytes().get(at), Some(b'*' | b'_' | b'+' | b'~' | b'='))
}

/// Whether a byte may have to be escaped to be text.
pub(super) fn is_special(source: &str, at: usize) -> bool {
    matches!(
        source.as_bytes().get(at),
        Some(b'*' | b'_' | b'+' | b'~' | b'=' | b'`' | b'^' | b'[' | b']' | b'<' | b'&')
    )
}

/// The end of the run of one byte that starts here; a bracket stands alone.
pub(super) fn run_end(bytes: &[u8], at: usize) -> usize {
    let first = bytes[at];
    let longest = if b"<[]&".contains(&first) { 1 } else { usize::MAX };
    at + bytes[at..].iter().take(longest).take_while(|byte| **byte == first).count()
}

pub(super) fn is_substance(character: char) -> bool {
    character.is_alphanumeric() || !character.is_ascii() && !character.is_whitespace()
}

/// Punctuation and symbols in CommonMark's sense, by block, because the standard library has no general categories.
fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_punctuation();
    }
    !character.is_alphanumeric()
        && matches!(character,
            '\u{a1}'..='\u{bf}' | '\u{d7}' | '\u{f7}' | '\u{55a}'..='\u{55f}' | '\u{58a}'
            | '\u{5be}' | '\u{5f3}'..='\u{5f4}' | '\u{60c}'..='\u{60d}' | '\u{61b}'..='\u{61f}' | '\u{66a}'..='\u{66d}'
            | '\u{6d4}' | '\u{964}'..='\u{965}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
            | '\u{2070}'..='\u{2bff}' | '\u{3001}'..='\u{3030}' | '\u{fe10}'..='\u{fe1f}' | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff01}'..='\u{ff65}' | '\u{1f000}'..='\u{1faff}')
}
