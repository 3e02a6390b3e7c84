//! A change as people read it: the words that changed, with a little of what stands around them.

use std::fmt::Write as _;
use std::ops::Range;

use engross_docx::diff;
use engross_docx::ops::{OperationResult, Status};

/// Characters of unchanged text shown on each side of a change.
const CONTEXT: usize = 40;

/// Characters of a longest change that is shown whole.
const LONGEST: usize = 600;

/// Characters of a text that an excerpt tells whole.
const TOLD_WHOLE: usize = 120;

/// Bytes of a change, before and after, that is looked at whole.
const SHORT: usize = 16_000;

/// How many changed paragraphs of a longer one are shown.
const PARAGRAPHS: usize = 3;

/// How many places of an operation are named.
const PLACES: usize = 12;

/// How changed words are marked.
#[derive(Debug, Clone, Copy)]
pub struct Palette {
    deleted: (&'static str, &'static str),
    inserted: (&'static str, &'static str),
    refused: (&'static str, &'static str),
}

impl Palette {
    /// With colours or with signs.
    pub fn new(colour: bool) -> Self {
        if colour {
            Self {
                deleted: ("\u{1b}[31;9m", "\u{1b}[0m"),
                inserted: ("\u{1b}[32;4m", "\u{1b}[0m"),
                refused: ("\u{1b}[33m", "\u{1b}[0m"),
            }
        } else {
            Self { deleted: ("[-", "-]"), inserted: ("{+", "+}"), refused: ("", "") }
        }
    }
}

/// One operation in two or three lines: where and what, the words, and why not.
pub fn describe(result: &OperationResult, palette: Palette) -> String {
    let status = match result.status {
        Status::Applied => "applied",
        Status::NoChange => "no change",
        Status::Refused => "refused",
        Status::Failed => "failed",
    };
    let address = result.address.as_deref().map_or_else(|| "–".to_owned(), places);
    let mut out = format!("{address:<6} {:<17} ", printable(&result.op));
    match result.status {
        Status::Applied | Status::NoChange => out.push_str(status),
        Status::Refused | Status::Failed => {
            let (start, end) = palette.refused;
            let code = result.code.as_deref().unwrap_or_default();
            let _ = write!(out, "{start}{status} {code}{end}");
        }
    }
    out.push('\n');
    if result.status == Status::Applied {
        let before = result.before.as_deref().unwrap_or_default();
        let after = result.after.as_deref().unwrap_or_default();
        // A row or a format has no words.
        if !before.is_empty() || !after.is_empty() {
            let _ = writeln!(out, "       {}", words(before, after, palette));
        }
    }
    if let Some(message) = &result.message {
        let _ = writeln!(out, "       {}", printable(message));
    }
    out
}

/// The first places of an address that names many.
pub fn places(address: &str) -> String {
    match address.match_indices(", ").nth(PLACES - 1) {
        Some((cut, _)) => {
            let (first, rest) = address.split_at(cut);
            format!("{first} … and {} more", rest.matches(", ").count())
        }
        None => address.to_owned(),
    }
}

/// An operation that is not carried out yet: where and what, the words, and why it would not be.
pub fn propose(result: &OperationResult, palette: Palette) -> String {
    let described = describe(result, palette);
    if result.status != Status::Applied {
        return described;
    }
    let (head, words) = described.split_once('\n').unwrap_or((&described, ""));
    format!("{}\n{words}", head.strip_suffix("applied").unwrap_or(head).trim_end())
}

/// The words that differ, marked, with what stands around them; of a change of many paragraphs the first few.
pub fn words(before: &str, after: &str, palette: Palette) -> String {
    let ShownParagraphs { pairs, more } = shown(before, after);
    let lines: Vec<String> =
        pairs.iter().map(|(before, after)| words_of_one(before, after, palette)).collect();
    let mut out = lines.join(" ⏎ ");
    if more > 0 {
        let _ = write!(out, " … and {more} more paragraph{}", if more == 1 { "" } else { "s" });
    }
    out
}

/// What an operation did to a text, in few words: the text before and after, each without what stands far from the change.
/// A text of up to 120 characters is told whole.
pub fn excerpts(before: &str, after: &str) -> (String, String) {
    let ShownParagraphs { pairs, more } = shown(before, after);
    let near = |text: &str, spans: Vec<Range<usize>>| -> String {
        let start = spans.iter().map(|span| span.start).min().unwrap_or_default();
        let end = spans.iter().map(|span| span.end).max().unwrap_or_default();
        near(text, start..end)
    };
    let told: (Vec<String>, Vec<String>) = pairs
        .iter()
        .map(|(before, after)| {
            let hunks = diff(before, after);
            let old = hunks.iter().map(|hunk| hunk.old.clone()).collect();
            let new = hunks.iter().map(|hunk| hunk.new.clone()).collect();
            (near(before, old), near(after, new))
        })
        .unzip();
    let whole = |lines: Vec<String>| match more {
        0 => lines.join("\n"),
        _ => format!("{}\n… ({more} more paragraphs)", lines.join("\n")),
    };
    (whole(told.0), whole(told.1))
}

/// A part of a text with what stands around it.
fn near(text: &str, part: Range<usize>) -> String {
    if text.chars().count() <= TOLD_WHOLE {
        return text.to_owned();
    }
    let before = text.get(..part.start).unwrap_or_default();
    let start = before.char_indices().rev().nth(CONTEXT - 1).map_or(0, |(at, _)| at);
    let behind = text.get(part.end..).unwrap_or_default();
    let end = behind.char_indices().nth(CONTEXT).map_or(text.len(), |(at, _)| part.end + at);
    let told = text.get(start..end).unwrap_or_default();
    let mut out = String::new();
    if start > 0 {
        out.push('…');
    }
    let cut = told.char_indices().nth(LONGEST).map(|(at, _)| at);
    out.push_str(told.get(..cut.unwrap_or(told.len())).unwrap_or_default());
    if end < text.len() || cut.is_some() {
        out.push('…');
    }
    out
}

/// The paragraphs of a change that are shown: as they were and as they are, and how many more there are.
struct ShownParagraphs<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    more: usize,
}

fn shown<'a>(before: &'a str, after: &'a str) -> ShownParagraphs<'a> {
    if before.len() + after.len() <= SHORT {
        return ShownParagraphs { pairs: vec![(before, after)], more: 0 };
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split('\n').collect(), after.split('\n').collect());
    if old.len() == new.len() {
        let mut changed = old.into_iter().zip(new).filter(|(old, new)| old != new);
        let pairs = changed.by_ref().take(PARAGRAPHS).collect();
        return ShownParagraphs { pairs, more: changed.count() };
    }
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let shorter = old.len().min(new.len()) - same;
    let same_end =
        old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(old, new)| old == new).count();
    let part = |lines: Vec<&'a str>| -> (Vec<&'a str>, usize) {
        let count = lines.len() - same - same_end;
        (lines.into_iter().skip(same).take(count.min(PARAGRAPHS)).collect(), count)
    };
    let ((old, was), (new, is)) = (part(old), part(new));
    let most = old.len().max(new.len());
    let at = |lines: &[&'a str], at: usize| lines.get(at).copied().unwrap_or_default();
    let pairs = (0..most).map(|line| (at(&old, line), at(&new, line))).collect();
    ShownParagraphs { pairs, more: was.max(is) - most }
}

fn words_of_one(before: &str, after: &str, palette: Palette) -> String {
    let hunks = diff(before, after);
    if hunks.is_empty() {
        return shortened(after, LONGEST);
    }
    let mut out = String::new();
    let mut kept_from = 0;
    for hunk in &hunks {
        let kept = before.get(kept_from..hunk.old.start).unwrap_or_default();
        out.push_str(&context(kept, kept_from > 0, true));
        mark(&mut out, before.get(hunk.old.clone()).unwrap_or_default(), palette.deleted);
        mark(&mut out, after.get(hunk.new.clone()).unwrap_or_default(), palette.inserted);
        kept_from = hunk.old.end;
    }
    out.push_str(&context(before.get(kept_from..).unwrap_or_default(), true, false));
    out
}

/// Words that give way to others, without what stands around them.
pub fn replaced(before: &str, after: &str, palette: Palette) -> String {
    let mut out = String::new();
    mark(&mut out, before, palette.deleted);
    mark(&mut out, after, palette.inserted);
    out
}

fn mark(out: &mut String, text: &str, (start, end): (&str, &str)) {
    if !text.is_empty() {
        out.push_str(start);
        out.push_str(&shortened(text, LONGEST));
        out.push_str(end);
    }
}

/// Unchanged text beside changes: its end before a change, its start after one.
fn context(text: &str, after_change: bool, before_change: bool) -> String {
    let length = text.chars().count();
    let shown = CONTEXT * (usize::from(after_change) + usize::from(before_change));
    if length <= shown + 1 {
        return printable(text);
    }
    let start: String = text.chars().take(if after_change { CONTEXT } else { 0 }).collect();
    let end: String = text.chars().skip(length - if before_change { CONTEXT } else { 0 }).collect();
    format!("{}…{}", printable(&start), printable(&end))
}

fn shortened(text: &str, longest: usize) -> String {
    let length = text.chars().count();
    if length <= longest {
        return printable(text);
    }
    let start: String = text.chars().take(longest).collect();
    format!("{}… ({length} characters)", printable(&start))
}

/// Text from a document on one line, without what could steer a terminal.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|character| if matches!(character, '\n' | '\r') { '⏎' } else { harmless(character) })
        .collect()
}

/// Text on its lines, without what could steer a terminal.
pub fn printable_lines(text: &str) -> String {
    let shown = text.chars().filter(|character| *character != '\r');
    shown.map(|character| if character == '\n' { character } else { harmless(character) }).collect()
}

fn harmless(character: char) -> char {
    match character {
        '\t' => ' ',
        character if character.is_control() => '\u{fffd}',
        // Marks that turn the direction of text around.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => '\u{fffd}',
        character => character,
    }
}
