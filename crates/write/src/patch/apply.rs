//! Applies a patch to a file.
//!
//! Must never be quadratic in the file, or let a pattern run for longer than that. It thinks in lines that end with LF; what
//! the file has besides is `text`'s.

use std::ops::Range;

use memchr::memchr_iter;
use memchr::memmem;
use regex::{Regex, RegexBuilder};

use super::text::{LineEndStyle, OldText, with_lf};
use super::{PatchError, PatchSpec};

/// Lines that are named for a place that is not unique.
const LINES: usize = 20;
/// The longest pattern, in bytes.
const PATTERN: usize = 4096;
/// Bytes that a compiled pattern may take.
const COMPILED: usize = 1 << 20;

/// The file after `spec`, with `body` as the new text. A byte order mark stays where it is, and so do line ends: what is new
/// has those of the file, or its own where the file has none.
///
/// # Errors
/// When the place is not there, is there more than once, or makes no sense; when the file or the body is not UTF-8.
pub fn apply(base: &[u8], body: &[u8], spec: &PatchSpec) -> Result<Vec<u8>, PatchError> {
    let old = OldText::read(base)?;
    let body = std::str::from_utf8(body)
        .map_err(|error| PatchError::Encoding { offset: error.valid_up_to() as u64 })?;
    // Where the file has no line end, the body keeps its own.
    let body = match old.line_end {
        LineEndStyle::None => body.strip_prefix('\u{feff}').unwrap_or(body).to_owned(),
        LineEndStyle::Lf | LineEndStyle::CrLf => with_lf(body),
    };
    let text = old.text();
    match spec {
        PatchSpec::Prepend => Ok(lines_in(&old, 0..0, &body)),
        PatchSpec::InsertAfterLine { line } => {
            let at = line_end(text, *line)?;
            Ok(lines_in(&old, at..at, &body))
        }
        PatchSpec::InsertBeforeLine { line } => {
            let before = line.checked_sub(1).ok_or_else(|| invalid("lines count from 1"))?;
            let at = line_end(text, before)?;
            Ok(lines_in(&old, at..at, &body))
        }
        PatchSpec::ReplaceLines { start_line, end_line } => {
            if start_line > end_line {
                return Err(invalid(format!("line {start_line} comes after line {end_line}")));
            }
            let before = start_line.checked_sub(1).ok_or_else(|| invalid("lines count from 1"))?;
            Ok(lines_in(&old, line_end(text, before)?..line_end(text, *end_line)?, &body))
        }
        PatchSpec::ReplaceText { find } => {
            if find.is_empty() {
                return Err(invalid("'find' is empty"));
            }
            let needle = with_lf(find);
            let found = only(text, overlapping(text, &needle), &format!("'{}'", shortened(find)))?;
            let body = in_place_of(&needle, &body);
            Ok(old.replaced(&[(found, body)]))
        }
        PatchSpec::ReplacePattern { pattern, flags } => {
            let (regex, all) = compiled(pattern, flags)?;
            let found: Vec<Range<usize>> = regex.find_iter(text).map(|found| found.range()).collect();
            if found.iter().any(Range::is_empty) {
                return Err(invalid("the pattern matches nothing at all: let it match a text"));
            }
            let what = format!("the pattern '{}'", shortened(pattern));
            let places = if all && !found.is_empty() { found } else { vec![only(text, found, &what)?] };
            let with_body = |place: Range<usize>| {
                let body = in_place_of(text.get(place.clone()).unwrap_or_default(), &body);
                (place, body)
            };
            Ok(old.replaced(&places.into_iter().map(with_body).collect::<Vec<_>>()))
        }
    }
}

fn invalid(problem: impl Into<String>) -> PatchError {
    PatchError::Invalid { problem: problem.into() }
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

/// The body as it takes the place of `text`: with a line end if that has one, and without its last one if not.
fn in_place_of(text: &str, body: &str) -> String {
    match (text.ends_with('\n'), body.ends_with('\n')) {
        (true, false) if !body.is_empty() => format!("{body}\n"),
        (false, true) => {
            let line = body.strip_suffix('\n').unwrap_or(body);
            line.strip_suffix('\r').unwrap_or(line).to_owned()
        }
        _ => body.to_owned(),
    }
}

/// Where line `line` ends, its line end included; 0 for line 0.
fn line_end(text: &str, line: u64) -> Result<usize, PatchError> {
    let Some(before) = line.checked_sub(1) else { return Ok(0) };
    let newline =
        usize::try_from(before).ok().and_then(|before| memchr_iter(b'\n', text.as_bytes()).nth(before));
    let lines = memchr_iter(b'\n', text.as_bytes()).count() as u64
        + u64::from(!text.is_empty() && !text.ends_with('\n'));
    match newline {
        Some(newline) => Ok(newline + 1),
        None if line == lines => Ok(text.len()),
        None => Err(invalid(format!("there is no line {line}: the file has {lines}"))),
    }
}

/// Whole lines in place of `range`, which begins and ends at lines.
fn lines_in(old: &OldText<'_>, range: Range<usize>, body: &str) -> Vec<u8> {
    let text = old.text();
    let (before, after) =
        (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
    let mut lines = String::with_capacity(body.len() + 2);
    let own_end = if old.line_end == LineEndStyle::None && body.contains("\r\n") { "\r\n" } else { "\n" };
    if !body.is_empty() && !before.is_empty() && !before.ends_with('\n') {
        lines.push_str(own_end);
    }
    lines.push_str(body);
    if !after.is_empty() && !body.is_empty() && !body.ends_with('\n') {
        lines.push_str(own_end);
    }
    old.replaced(&[(range, lines)])
}

/// Every place of `needle`, overlapping ones too, as far as they are named.
fn overlapping(text: &str, needle: &str) -> Vec<Range<usize>> {
    let finder = memmem::Finder::new(needle);
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
        found.push(from + at..from + at + needle.len());
        from += at + 1;
        if found.len() > LINES {
            break;
        }
    }
    found
}

fn only(text: &str, found: Vec<Range<usize>>, what: &str) -> Result<Range<usize>, PatchError> {
    match <[Range<usize>; 1]>::try_from(found) {
        Ok([only]) => Ok(only),
        Err(none) if none.is_empty() => Err(PatchError::NoMatch { what: what.to_owned() }),
        Err(several) => {
            let before = |place: &Range<usize>| text.as_bytes().get(..place.start).unwrap_or_default();
            let line = |place: &Range<usize>| memchr_iter(b'\n', before(place)).count() as u64 + 1;
            let lines = several.iter().take(LINES).map(line).collect();
            Err(PatchError::Ambiguous { what: what.to_owned(), count: several.len(), lines })
        }
    }
}

/// The pattern, and whether every match is meant. Its time is linear in the file whatever it is.
fn compiled(pattern: &str, flags: &str) -> Result<(Regex, bool), PatchError> {
    if pattern.is_empty() || pattern.len() > PATTERN {
        return Err(invalid(format!("a pattern has 1 to {PATTERN} bytes, this one has {}", pattern.len())));
    }
    let pattern = pattern.replace("\\r\\n", "\\n").replace("\\r?\\n", "\\n").replace("\r\n", "\n");
    let mut builder = RegexBuilder::new(&pattern);
    builder.size_limit(COMPILED).dfa_size_limit(COMPILED).nest_limit(50);
    let mut all = false;
    for flag in flags.chars() {
        match flag {
            'g' => all = true,
            'i' => _ = builder.case_insensitive(true),
            'm' => _ = builder.multi_line(true),
            's' => _ = builder.dot_matches_new_line(true),
            'x' => _ = builder.ignore_whitespace(true),
            _ => return Err(invalid(format!("'{flag}' is no flag: there are g, i, m, s and x"))),
        }
    }
    builder
        .build()
        .map(|regex| (regex, all))
        .map_err(|error| invalid(format!("the pattern is wrong: {error}")))
}
