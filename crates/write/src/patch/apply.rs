//! Applies a patch: from the bytes of a file and the body of the patch to new bytes.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr_iter, memmem};
use regex::bytes::{Regex, RegexBuilder};

use super::spec::{PatchError, PatchSpec};

/// The longest pattern, in bytes, and what it may cost compiled.
const PATTERN: usize = 1_000;
const COMPILED: usize = 1 << 20;
/// Lines that an ambiguous match names.
const LINES: usize = 20;

/// `base` with `body` where `spec` says. A body of whole lines ends with a line end; it is added if text follows.
///
/// # Errors
/// When the place is not there, is there more than once, or makes no sense.
pub fn apply(base: &[u8], body: &[u8], spec: &PatchSpec) -> Result<Vec<u8>, PatchError> {
    let crlf = uses_crlf(base);
    let body = with_line_ends(body, crlf);
    match spec {
        PatchSpec::Prepend => Ok(lines_in(base, 0..0, &body, crlf)),
        PatchSpec::InsertAfterLine { line } => {
            let at = line_end(base, *line)?;
            Ok(lines_in(base, at..at, &body, crlf))
        }
        PatchSpec::InsertBeforeLine { line } => {
            let before = line.checked_sub(1).ok_or_else(|| invalid("lines count from 1"))?;
            let at = line_end(base, before)?;
            Ok(lines_in(base, at..at, &body, crlf))
        }
        PatchSpec::ReplaceLines { start_line, end_line } => {
            if start_line > end_line {
                return Err(invalid(format!("line {start_line} comes after line {end_line}")));
            }
            let before = start_line.checked_sub(1).ok_or_else(|| invalid("lines count from 1"))?;
            Ok(lines_in(base, line_end(base, before)?..line_end(base, *end_line)?, &body, crlf))
        }
        PatchSpec::ReplaceText { find } => {
            if find.is_empty() {
                return Err(invalid("'find' is empty"));
            }
            let needle = with_line_ends(find.as_bytes(), crlf);
            let at = only(base, overlapping(base, &needle), &format!("'{}'", shortened(find)))?;
            let body = if needle.ends_with(b"\n") { &body } else { without_last_end(&body) };
            Ok(spliced(base, &[at], body))
        }
        PatchSpec::ReplacePattern { pattern, flags } => {
            let (regex, all) = compiled(pattern, flags)?;
            let found: Vec<Range<usize>> = regex.find_iter(base).map(|found| found.range()).collect();
            if found.iter().any(Range::is_empty) {
                return Err(invalid("the pattern matches nothing at all: let it match a text"));
            }
            let what = format!("the pattern '{}'", shortened(pattern));
            let body = without_last_end(&body);
            if all && !found.is_empty() {
                return Ok(spliced(base, &found, body));
            }
            Ok(spliced(base, &[only(base, found, &what)?], body))
        }
    }
}

fn invalid(problem: impl Into<String>) -> PatchError {
    PatchError::Invalid { problem: problem.into() }
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

fn uses_crlf(text: &[u8]) -> bool {
    let lines = memchr_iter(b'\n', text).count();
    lines > 0 && memmem::find_iter(text, b"\r\n").count() * 2 > lines
}

fn with_line_ends(text: &[u8], crlf: bool) -> Cow<'_, [u8]> {
    if crlf == uses_crlf(text)
        && (!crlf || memmem::find_iter(text, b"\r\n").count() == memchr_iter(b'\n', text).count())
    {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(line) => {
                out.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
                out.extend_from_slice(line_end_of(crlf));
            }
            None => out.extend_from_slice(line),
        }
    }
    Cow::Owned(out)
}

fn line_end_of(crlf: bool) -> &'static [u8] {
    if crlf { b"\r\n" } else { b"\n" }
}

fn without_last_end(body: &[u8]) -> &[u8] {
    let line = body.strip_suffix(b"\n").unwrap_or(body);
    if line.len() < body.len() { line.strip_suffix(b"\r").unwrap_or(line) } else { line }
}

/// Where line `line` ends, its line end included; 0 for line 0.
fn line_end(base: &[u8], line: u64) -> Result<usize, PatchError> {
    let Some(before) = line.checked_sub(1) else { return Ok(0) };
    let newline = usize::try_from(before).ok().and_then(|before| memchr_iter(b'\n', base).nth(before));
    let lines =
        memchr_iter(b'\n', base).count() as u64 + u64::from(base.last().is_some_and(|last| *last != b'\n'));
    match newline {
        Some(newline) => Ok(newline + 1),
        None if line == lines => Ok(base.len()),
        None => Err(invalid(format!("there is no line {line}: the file has {lines}"))),
    }
}

/// Whole lines in place of `range`, which begins and ends at lines.
fn lines_in(base: &[u8], range: Range<usize>, body: &[u8], crlf: bool) -> Vec<u8> {
    let (before, after) = (&base[..range.start], &base[range.end..]);
    let mut out = Vec::with_capacity(base.len() + body.len() + 4);
    out.extend_from_slice(before);
    if !body.is_empty() && before.last().is_some_and(|last| *last != b'\n') {
        out.extend_from_slice(line_end_of(crlf));
    }
    out.extend_from_slice(body);
    if !after.is_empty() && body.last().is_some_and(|last| *last != b'\n') {
        out.extend_from_slice(line_end_of(crlf));
    }
    out.extend_from_slice(after);
    out
}

fn spliced(base: &[u8], places: &[Range<usize>], body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(base.len() + body.len());
    let mut from = 0;
    for place in places {
        out.extend_from_slice(&base[from..place.start]);
        out.extend_from_slice(body);
        from = place.end;
    }
    out.extend_from_slice(&base[from..]);
    out
}

/// Every place of `needle`, overlapping ones too, as far as they are named.
fn overlapping(base: &[u8], needle: &[u8]) -> Vec<Range<usize>> {
    let finder = memmem::Finder::new(needle);
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = base.get(from..).and_then(|rest| finder.find(rest)) {
        found.push(from + at..from + at + needle.len());
        from += at + 1;
        if found.len() > LINES {
            break;
        }
    }
    found
}

fn only(base: &[u8], found: Vec<Range<usize>>, what: &str) -> Result<Range<usize>, PatchError> {
    match <[Range<usize>; 1]>::try_from(found) {
        Ok([only]) => Ok(only),
        Err(none) if none.is_empty() => Err(PatchError::NoMatch { what: what.to_owned() }),
        Err(several) => {
            let line = |place: &Range<usize>| memchr_iter(b'\n', &base[..place.start]).count() as u64 + 1;
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
    let mut builder = RegexBuilder::new(pattern);
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
