//! Writes a replacement in the typography of the document: what the caller kept keeps the document's quotes, dashes,
//! spaces and inline objects, although the caller wrote it with plain ones.
//!
//! Must never change what the caller asked to change: a no-break space that is to become a space becomes one.

use std::ops::Range;

use super::folding::{FoldedText, Folding, OBJECT, fold, is_curly_double, is_curly_single};
use super::words::diff;

/// The replacement as it should stand in the document.
///
/// `found` is the document's own text where `needle` matched, `replacement` the caller's new text for `needle`. Every
/// piece of `needle` that `replacement` keeps is spelled as in `found`. In new text only straight quotes change: they
/// are curled when `found` has curly ones, except after a digit where they may be inches or minutes. When `found` is
/// `needle` (inline objects apart), the caller saw the typography and everything is as requested.
///
/// Inline objects stay as long as the text on one side of them stays. When `found` is no match of `needle`, the
/// replacement is returned as it is.
pub fn adapt(found: &str, needle: &str, replacement: &str) -> String {
    if found == needle {
        return replacement.to_owned();
    }
    let Some(atoms) = align(found, needle) else {
        return replacement.to_owned();
    };
    let curling = if fold(found, Folding::Objects).text == needle {
        QuoteStyle { double: None, single: false }
    } else {
        QuoteStyle::of(found)
    };
    let mut writer = Writer {
        found,
        needle,
        replacement,
        atoms: &atoms,
        next: 0,
        consumed: 0,
        keeps_gap: false,
        curling,
        needle_quotes: quotes(needle),
        replacement_quotes: quotes(replacement),
        output: String::with_capacity(replacement.len() + 16),
    };
    let (mut old, mut new) = (0, 0);
    for hunk in diff(needle, replacement) {
        writer.keep(old..hunk.old.start, new);
        writer.replace(hunk.old.clone(), hunk.new.clone());
        (old, new) = (hunk.old.end, hunk.new.end);
    }
    writer.keep(old..needle.len(), new);
    if writer.keeps_gap {
        writer.output.push_str(&found[writer.consumed..]);
    }
    writer.output
}

/// The smallest piece of the needle that corresponds to a piece of the document.
struct Atom {
    /// Bytes of the needle; atoms cover it.
    needle: Range<usize>,
    /// Bytes of the document's text; between atoms lie objects and invisible characters, "gaps".
    found: Range<usize>,
    is_space: bool,
}

/// Pairs the pieces of both texts, or none when they are not the same text.
fn align(found: &str, needle: &str) -> Option<Vec<Atom>> {
    let folding = if needle.contains(OBJECT) { Folding::Typography } else { Folding::TypographyAndObjects };
    let found = fold(found, folding);
    let folded_needle = fold(needle, folding);
    if found.text != folded_needle.text || found.units.is_empty() {
        return None;
    }
    let mut atoms: Vec<Atom> = Vec::with_capacity(found.units.len());
    let mut start = 0;
    while start < found.text.len() {
        let end = atom_end(&found, &folded_needle, start);
        let found_source = found.source(&(start..end))?;
        let needle_source = folded_needle.source(&(start..end))?;
        let needle_start = atoms.last_mut().map_or(0, |last| {
            // What the needle has between two atoms goes to the first of them.
            last.needle.end = needle_source.start;
            needle_source.start
        });
        let is_space = found.unit_at(start).is_some_and(|unit| found.units[unit].spaces > 0);
        atoms.push(Atom { needle: needle_start..needle_source.end, found: found_source, is_space });
        start = end;
    }
    if let Some(last) = atoms.last_mut() {
        last.needle.end = needle.len();
    }
    Some(atoms)
}

/// The first place after `start` where a unit begins on both sides.
fn atom_end(found: &FoldedText, needle: &FoldedText, start: usize) -> usize {
    let length = found.text.len();
    (start + 1..length)
        .find(|at| found.unit_at(*at).is_some() && needle.unit_at(*at).is_some())
        .unwrap_or(length)
}

struct Writer<'a> {
    found: &'a str,
    needle: &'a str,
    replacement: &'a str,
    atoms: &'a [Atom],
    /// The first atom that is not yet dealt with.
    next: usize,
    /// How much of `found` is dealt with.
    consumed: usize,
    /// Whether the text before the next gap was kept, so that the gap stays whatever follows.
    keeps_gap: bool,
    curling: QuoteStyle,
    needle_quotes: Vec<Quote>,
    replacement_quotes: Vec<Quote>,
    output: String,
}

impl Writer<'_> {
    /// Writes a part of the needle that stays; in the replacement it begins at `new`.
    fn keep(&mut self, range: Range<usize>, new: usize) {
        while let Some(atom) = self.atoms.get(self.next).filter(|atom| atom.needle.start < range.end) {
            let part = atom.needle.start.max(range.start)..atom.needle.end.min(range.end);
            if part.is_empty() {
                break;
            }
            let new_part = new + part.start - range.start..new + part.end - range.start;
            if self.consumed <= atom.found.start {
                self.output.push_str(&self.found[self.consumed..atom.found.start]);
            }
            self.consumed = atom.found.end;
            self.keeps_gap = true;
            if part != atom.needle || atom.is_space && self.is_wider_run(&new_part) {
                self.output.push_str(&self.needle[part.clone()]);
            } else {
                self.write_spelling(atom, part.start, new_part.start);
            }
            if part.end < atom.needle.end {
                break;
            }
            self.next += 1;
        }
    }

    /// Drops a part of the needle and writes a part of the replacement instead.
    fn replace(&mut self, old: Range<usize>, new: Range<usize>) {
        if let Some(atom) = self.atoms.get(self.next)
            && self.keeps_gap
            && self.consumed <= atom.found.start
        {
            self.output.push_str(&self.found[self.consumed..atom.found.start]);
            self.consumed = atom.found.start;
        }
        while let Some(atom) = self.atoms.get(self.next).filter(|atom| atom.needle.start < old.end) {
            self.consumed = atom.found.end;
            self.keeps_gap = false;
            if atom.needle.end > old.end {
                break;
            }
            self.next += 1;
        }
        let first = self.replacement_quotes.partition_point(|quote| quote.at < new.start);
        let mut written = new.start;
        for quote in self.replacement_quotes[first..].iter().take_while(|quote| quote.at < new.end) {
            if let Some(curly) = self.curling.curl(quote) {
                self.output.push_str(&self.replacement[written..quote.at]);
                self.output.push(curly);
                written = quote.at + 1;
            }
        }
        self.output.push_str(&self.replacement[written..new.end]);
    }

    /// A kept atom as the document spells it, except that a quote which now opens instead of closing is turned.
    fn write_spelling(&mut self, atom: &Atom, needle_at: usize, new_at: usize) {
        let spelling = &self.found[atom.found.clone()];
        let quote = |quotes: &[Quote], at: usize| {
            quotes.binary_search_by_key(&at, |quote| quote.at).ok().map(|index| quotes[index])
        };
        if spelling.contains(|c| is_curly_double(c) || is_curly_single(c))
            && let Some(before) = quote(&self.needle_quotes, needle_at)
            && let Some(after) = quote(&self.replacement_quotes, new_at)
            && before.side != after.side
        {
            let straight = if after.is_double { '"' } else { '\'' };
            self.output.push(self.curling.curl(&after).unwrap_or(straight));
        } else {
            self.output.push_str(spelling);
        }
    }

    /// Whether the replacement has more spaces beside a run of spaces that it keeps: the caller minds the width.
    fn is_wider_run(&self, range: &Range<usize>) -> bool {
        self.replacement[..range.start].ends_with(' ') || self.replacement[range.end..].starts_with(' ')
    }
}

/// Which quotes the document curls, and how.
struct QuoteStyle {
    /// The opening and the closing double quote.
    double: Option<(char, char)>,
    single: bool,
}

impl QuoteStyle {
    fn of(found: &str) -> Self {
        let has_double = found.contains(is_curly_double);
        let has_single = found.contains(is_curly_single);
        let double = (has_double || has_single && !found.contains('"')).then(|| {
            let is_low = found.contains('\u{201e}');
            let opening = if is_low { '\u{201e}' } else { '\u{201c}' };
            let closing = if is_low && !found.contains('\u{201d}') { '\u{201c}' } else { '\u{201d}' };
            (opening, closing)
        });
        QuoteStyle { double, single: has_single || has_double && !found.contains('\'') }
    }

    fn curl(&self, quote: &Quote) -> Option<char> {
        match (quote.is_double, quote.side) {
            (_, Side::Measure) => None,
            (true, Side::Opening) => self.double.map(|(opening, _)| opening),
            (true, Side::Closing) => self.double.map(|(_, closing)| closing),
            (false, Side::Opening) => self.single.then_some('\u{2018}'),
            (false, Side::Closing) => self.single.then_some('\u{2019}'),
        }
    }
}

/// A straight quote in a text.
#[derive(Clone, Copy)]
struct Quote {
    at: usize,
    is_double: bool,
    side: Side,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Opening,
    /// Apostrophes too.
    Closing,
    /// Inches, feet, minutes, seconds: no quote at all.
    Measure,
}

/// Every straight quote of a text, with the side that its surroundings give it.
fn quotes(text: &str) -> Vec<Quote> {
    // Quotes in a row share the letters around them; more than a few in a row mean nothing.
    const MOST_IN_A_ROW: usize = 4;
    let is_quote = |c: char| matches!(c, '"' | '\'') || is_curly_double(c) || is_curly_single(c);
    let mut quotes = Vec::new();
    let mut open = [0_usize; 2];
    for (at, character) in text.char_indices().filter(|(_, c)| matches!(c, '"' | '\'')) {
        let is_double = character == '"';
        let open = &mut open[usize::from(is_double)];
        let before = text[..at].chars().rev().take(MOST_IN_A_ROW).find(|c| !is_quote(*c));
        let after = text[at + 1..].chars().take(MOST_IN_A_ROW).find(|c| !is_quote(*c));
        let begins = before.is_none_or(|c| {
            c.is_whitespace()
                || matches!(c, '(' | '[' | '{' | '<' | '/' | '=' | '-' | '\u{2010}'..='\u{2015}')
        });
        let touches_letter = after.is_some_and(char::is_alphabetic);
        let side = if begins && after.is_some_and(|c| !c.is_whitespace()) {
            let is_year = !is_double && after.is_some_and(char::is_numeric);
            if is_year { Side::Closing } else { Side::Opening }
        } else if before.is_some_and(char::is_numeric) && *open == 0 && !touches_letter {
            Side::Measure
        } else {
            Side::Closing
        };
        let is_apostrophe = !is_double && before.is_some_and(char::is_alphanumeric) && touches_letter;
        match side {
            Side::Opening => *open += 1,
            Side::Closing if !is_apostrophe => *open = open.saturating_sub(1),
            _ => {}
        }
        quotes.push(Quote { at, is_double, side });
    }
    quotes
}
