//! The markers of inline Markdown, one at a time: where one stands, whether it can open or close, where markers are
//! text.
//!
//! Must never pair anything: that takes the whole paragraph and happens in `markdown`.

use std::collections::BTreeMap;
use std::ops::Range;

/// What a delimiter means. Tags carry their name, because `<b>` is closed by `</b>` and not by `</strong>`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Star,
    Underscore,
    Plus,
    Tilde,
    /// Index into [`TAGS`].
    Tag(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    Bold,
    Italic,
    Underline,
    Strike,
}

pub(super) const TAGS: [(&str, Mark); 8] = [
    ("b", Mark::Bold),
    ("strong", Mark::Bold),
    ("i", Mark::Italic),
    ("em", Mark::Italic),
    ("u", Mark::Underline),
    ("s", Mark::Strike),
    ("strike", Mark::Strike),
    ("del", Mark::Strike),
];

/// Longer runs, as in `____` and `*****`, are blanks and rules, not emphasis.
pub(super) const LONGEST_EMPHASIS: usize = 3;

/// A run of marker characters, or a tag, that may open or close something.
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
    if bytes[at] == b'<' {
        let (name, closes, length) = tag_at(source, at)?;
        return Some(Delimiter {
            kind: Kind::Tag(name),
            source: at..at + length,
            left: 1,
            opens: !closes,
            closes,
            substance: 0,
        });
    }
    let end = run_end(bytes, at);
    let length = end - at;
    let kind = match bytes[at] {
        b'*' if length <= LONGEST_EMPHASIS => Kind::Star,
        b'_' if length <= LONGEST_EMPHASIS => Kind::Underscore,
        b'+' if length == 2 => Kind::Plus,
        b'~' if length == 2 => Kind::Tilde,
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
            Kind::Underscore => (opens, closes) = (false, false),
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
    let (Some(before), Some(after)) = (text[..run.start].chars().next_back(), text[run.end..].chars().next())
    else {
        return false;
    };
    let is_spaced = before.is_whitespace() && after.is_whitespace();
    let inside_word = before.is_alphanumeric() && after.is_alphanumeric();
    match text.as_bytes()[run.start] {
        b'*' => is_spaced || inside_word && run.len() == 1,
        b'_' => is_spaced || inside_word,
        b'+' | b'~' => is_spaced || run.len() == 1,
        _ => false,
    }
}

/// Where markers are text: code spans and the destinations of links. Sorted and disjoint.
pub(super) fn quiet_zones(source: &str) -> Vec<Range<usize>> {
    let bytes = source.as_bytes();
    let mut ticks = Vec::new();
    let mut at = 0;
    while let Some(offset) = source[at..].find('`') {
        let start = at + offset;
        at = run_end(bytes, start);
        ticks.push(start..at);
    }
    // The next run of the same length, found from the end.
    let mut partners = vec![None; ticks.len()];
    let mut last_of_length = BTreeMap::new();
    for (index, run) in ticks.iter().enumerate().rev() {
        partners[index] = last_of_length.insert(run.len(), index);
    }
    let mut zones = Vec::new();
    let mut index = 0;
    while index < ticks.len() {
        match partners[index] {
            Some(partner) => {
                zones.push(ticks[index].start..ticks[partner].end);
                index = partner + 1;
            }
            None => index += 1,
        }
    }
    zones.extend(link_destinations(source));
    zones.sort_by_key(|zone| zone.start);
    let mut end = 0;
    zones.retain(|zone| {
        let is_new = zone.start >= end;
        end = end.max(zone.end);
        is_new
    });
    zones
}

/// `](…)` without white space inside and with balanced parentheses.
fn link_destinations(source: &str) -> Vec<Range<usize>> {
    let mut zones = Vec::new();
    let mut at = 0;
    while let Some(offset) = source[at..].find("](") {
        let start = at + offset + 1;
        at = start + 1;
        let mut depth = 0_usize;
        for (index, byte) in source.bytes().enumerate().skip(start) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                // The next "](" starts a search of its own, so that no byte is visited twice.
                b']' => break,
                byte if byte.is_ascii_whitespace() => break,
                _ => {}
            }
            at = index + 1;
            if depth == 0 {
                zones.push(start..at);
                break;
            }
        }
    }
    zones
}

/// A known tag without attributes: its index in [`TAGS`], whether it closes, and its length in bytes.
fn tag_at(source: &str, at: usize) -> Option<(usize, bool, usize)> {
    let rest = source.as_bytes().get(at..)?.strip_prefix(b"<")?;
    let (name, closes) = match rest.strip_prefix(b"/") {
        Some(name) => (name, true),
        None => (rest, false),
    };
    let index = TAGS.iter().position(|(tag, _)| {
        name.get(tag.len()) == Some(&b'>') && name[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
    })?;
    Some((index, closes, TAGS[index].0.len() + 2 + usize::from(closes)))
}

pub(super) fn is_marker(source: &str, at: usize) -> bool {
    match source.as_bytes().get(at) {
        Some(b'*' | b'_' | b'+' | b'~') => true,
        Some(b'<') => tag_at(source, at).is_some(),
        _ => false,
    }
}

/// The end of the run of one byte that starts here; a `<` stands alone.
pub(super) fn run_end(bytes: &[u8], at: usize) -> usize {
    let first = bytes[at];
    let longest = if first == b'<' { 1 } else { usize::MAX };
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
