//! Finds what wraps a whole text: reasoning before it, one fence around it with a few words outside, a fence that only ends.
//!
//! Only used when a session asks for it, and what it takes away is reported.

use std::ops::Range;

use super::speech::{is_closing, is_opening, is_sentence};
use crate::framing::FenceTracker;
use crate::validate::FileKind;

/// Words around a fence: so many lines at most, and so many bytes.
const LINES: usize = 6;
const BYTES: usize = 800;
/// So far into a text, reasoning may end that nothing opens: some models are given its opening.
const REASONING: usize = 32 << 10;

/// What is left of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanedText {
    /// The bytes that are left.
    pub content: Range<usize>,
    /// What went, for people.
    pub removed: Vec<String>,
}

/// A line, and where it stands.
struct Line<'a> {
    text: std::borrow::Cow<'a, str>,
    start: usize,
    end: usize,
}

/// The text of a file of `kind` without what wraps all of it; nothing when nothing does.
#[must_use]
pub fn clean(content: &[u8], kind: FileKind) -> Option<CleanedText> {
    let mut removed = Vec::new();
    let mut left = 0..content.len();
    if let Some(start) = behind_reasoning(content) {
        removed.push("reasoning before the file".to_owned());
        left.start = start;
    }
    let rest = content.get(left.clone()).unwrap_or_default();
    let invisible = invisible(rest);
    if invisible > 0 {
        removed.push("an invisible blank before the file".to_owned());
        left.start += invisible;
    }
    let rest = content.get(left.clone()).unwrap_or_default();
    if let Some(cleaned) = unfenced(rest, kind) {
        left = left.start + cleaned.content.start..left.start + cleaned.content.end;
        removed.extend(cleaned.removed);
    } else if let Some(end) = before_lone_fence(rest, kind) {
        removed.push("a fence at its end that nothing opens".to_owned());
        left.end = left.start + end;
    }
    let rest = content.get(left.clone()).unwrap_or_default();
    if let Some(end) = before_format_end(rest, kind) {
        removed.push("the end of a form that is not of the file".to_owned());
        left.end = left.start + end;
    }
    (!removed.is_empty()).then_some(CleanedText { content: left, removed })
}

/// Where the text begins behind a block of reasoning.
fn behind_reasoning(content: &[u8]) -> Option<usize> {
    let start = content.len() - content.trim_ascii_start().len();
    let close = match content.get(start..).filter(|rest| rest.starts_with(b"<think")) {
        Some(tag) => start + memchr::memmem::find(tag, b"</think")?,
        None => closed_reasoning(content)?,
    };
    let end = content.get(close..)?.iter().position(|byte| *byte == b'>')?;
    let behind = close + end + 1;
    let blank = content.get(behind..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    Some(behind + blank)
}

/// Where the tag stands that closes reasoning, alone in its line, where nothing opens it.
fn closed_reasoning(content: &[u8]) -> Option<usize> {
    let start = content.get(..content.len().min(REASONING))?;
    let line =
        lines_of(start).into_iter().find(|line| matches!(line.text.trim(), "</think>" | "</thinking>"))?;
    let before = content.get(..line.start)?;
    let opens =
        memchr::memmem::find(before, b"<think").is_some() || memchr::memmem::find(before, b"```").is_some();
    let blank = line.text.len() - line.text.trim_start().len();
    (!opens).then_some(line.start + blank)
}

/// Bytes at the beginning of a text that are blanks without width. A byte order mark alone may be meant.
pub(crate) fn invisible(content: &[u8]) -> usize {
    let text = String::from_utf8_lossy(content.get(..content.len().min(64)).unwrap_or_default());
    let rest = text.trim_start_matches(['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}']);
    let bytes = text.len() - rest.len();
    if text.get(..bytes) == Some("\u{feff}") { 0 } else { bytes }
}

/// What is inside the one fence around the text.
fn unfenced(content: &[u8], kind: FileKind) -> Option<CleanedText> {
    let lines = lines_of(content);
    let fences: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| is_fence(&line.text)).map(|(at, _)| at).collect();
    let (first, last) = (*fences.first()?, *fences.last()?);
    let opening = lines.get(first)?;
    let info = opening.text.trim().trim_start_matches(['`', '~']).trim().to_ascii_lowercase();
    let is_prose = matches!(kind, FileKind::Markdown | FileKind::Docx);
    if is_prose && !matches!(info.as_str(), "markdown" | "md") {
        return None;
    }
    let closing = lines.get(last).filter(|_| {
        last > first && is_bare_fence(&lines.get(last).map_or_else(String::new, |line| line.text.to_string()))
    })?;
    let is_one = if is_prose { fences.len().is_multiple_of(2) } else { closes_once(&lines, first, last) };
    let intro = words(lines.get(..first)?);
    let outro = words(lines.get(last + 1..)?);
    let inside: usize = closing.start - opening.end;
    let is_around = match kind {
        FileKind::Text => {
            let intro_fits = intro.iter().all(|line| is_opening(line) || line.ends_with(':'));
            intro.len() <= 1
                && intro_fits
                && outro.iter().all(|line| is_closing(line))
                && inside * 2 > content.len()
        }
        _ => {
            let said = |line: &&str| is_sentence(line) || is_opening(line) || is_closing(line);
            intro.iter().all(|line| said(&line.as_str()) || line.ends_with(':'))
                && outro.iter().all(|line| said(&line.as_str()))
        }
    };
    let size =
        |lines: &[String]| lines.len() <= LINES && lines.iter().map(String::len).sum::<usize>() <= BYTES;
    if !is_one || !is_around || !size(&intro) || !size(&outro) {
        return None;
    }
    let mut removed = vec!["the fence around the file".to_owned()];
    removed.extend(intro.into_iter().chain(outro).map(|line| format!("the line: {line}")));
    Some(CleanedText { content: opening.end..closing.start, removed })
}

/// Whether the fence that opens in line `first` closes in line `last`, and no other one is outside.
fn closes_once(lines: &[Line<'_>], first: usize, last: usize) -> bool {
    let mut fences = FenceTracker::default();
    for (number, line) in lines.iter().enumerate() {
        let was_open = fences.open().is_some();
        fences.begin_line();
        fences.feed(line.text.trim_end_matches(['\n', '\r']).as_bytes());
        fences.end_line(number as u64);
        let is_open = fences.open().is_some();
        if (!was_open && is_open && number != first) || (was_open && !is_open && number != last) {
            return false;
        }
    }
    fences.open().is_none()
}

/// Where the text ends before a last line that only ends the form of a conversation: a token of a model, or a tag around content
/// that nothing opens.
fn before_format_end(content: &[u8], kind: FileKind) -> Option<usize> {
    const TOKENS: [&str; 7] = [
        "<|im_end|>",
        "<|endoftext|>",
        "<|eot_id|>",
        "<|end|>",
        "<end_of_turn>",
        "</s>",
        "<｜end▁of▁sentence｜>",
    ];
    const AROUND: [&str; 4] = ["content", "file_content", "file", "artifact"];
    let lines = lines_of(content);
    let last = lines.iter().rposition(|line| !line.text.trim().is_empty()).filter(|last| *last > 0)?;
    let line = lines.get(last)?;
    let tag = line.text.trim();
    let name = tag.strip_prefix("</").and_then(|tag| tag.strip_suffix('>'));
    let has = |text: String| memchr::memmem::find(content, text.as_bytes()).is_some();
    let is_markup = matches!(kind, FileKind::Xml | FileKind::Html);
    let closes_nothing = |name: &str| {
        AROUND.contains(&name) && !is_markup && !has(format!("<{name}>")) && !has(format!("<{name} "))
    };
    // A file about tokens has them elsewhere, too.
    let is_once = memchr::memmem::find_iter(content, tag.as_bytes()).count() == 1;
    let is_token = TOKENS.contains(&tag) && !is_markup;
    (is_once && (is_token || name.is_some_and(closes_nothing))).then_some(line.start)
}

/// Where the text ends before a fence in its last line that nothing opens.
fn before_lone_fence(content: &[u8], kind: FileKind) -> Option<usize> {
    let lines = lines_of(content);
    let last = lines.iter().rposition(|line| !line.text.trim().is_empty())?;
    let line = lines.get(last).filter(|line| is_bare_fence(&line.text))?;
    let before = lines.iter().take(last).filter(|line| is_fence(&line.text)).count();
    let is_lone = match kind {
        FileKind::Markdown | FileKind::Docx | FileKind::Text => {
            let mut fences = FenceTracker::default();
            for (number, line) in lines.iter().take(last).enumerate() {
                fences.begin_line();
                fences.feed(line.text.trim_end_matches(['\n', '\r']).as_bytes());
                fences.end_line(number as u64);
            }
            fences.open().is_none()
        }
        _ => before == 0,
    };
    is_lone.then_some(line.start)
}

fn lines_of(content: &[u8]) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        let end = start + line.len();
        lines.push(Line { text: String::from_utf8_lossy(line), start, end });
        start = end;
    }
    lines
}

fn words(lines: &[Line<'_>]) -> Vec<String> {
    lines.iter().map(|line| line.text.trim()).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_end();
    let indent = line.len() - line.trim_start_matches(' ').len();
    indent <= 3 && (line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~"))
}

fn is_bare_fence(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && (line.bytes().all(|byte| byte == b'`') || line.bytes().all(|byte| byte == b'~'))
}
