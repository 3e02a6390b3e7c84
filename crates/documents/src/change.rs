//! A change as people read it: the words that changed, with a little of what stands around them.

use std::fmt::Write as _;

use engross_docx::diff;
use engross_docx::ops::{OperationResult, Status};

/// Characters of unchanged text shown on each side of a change.
const CONTEXT: usize = 40;

/// Characters of a longest change that is shown whole.
const LONGEST: usize = 600;

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
    let address = result.address.as_deref().unwrap_or("–");
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
        let _ = writeln!(out, "       {}", words(before, after, palette));
    }
    if let Some(message) = &result.message {
        let _ = writeln!(out, "       {}", printable(message));
    }
    out
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

/// The words that differ, marked, with what stands around them.
pub fn words(before: &str, after: &str, palette: Palette) -> String {
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
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        character => character,
    }
}
