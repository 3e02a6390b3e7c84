//! Finds a fence that wraps the whole file.
//!
//! Only used when a session asks for it, and what it takes away is reported.

use std::ops::Range;

use super::fence::FenceTracker;

/// The longest sentence before the fence that is taken for an introduction, in bytes.
const INTRODUCTION: usize = 200;

/// What is left of a wrapped file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnwrappedText {
    /// The bytes between the two fence lines.
    pub content: Range<usize>,
    /// The line before the fence, if there was one: a sentence that ends in a colon.
    pub introduction: Option<String>,
}

/// The file inside the one fence that wraps all of `content`; nothing when there is more than one fence, or text around
/// it other than one introducing line that ends in a colon.
#[must_use]
pub fn unwrap(content: &[u8]) -> Option<UnwrappedText> {
    let mut fences = FenceTracker::default();
    let mut introduction = None;
    let (mut start, mut body, mut end) = (0, None, None);
    for (number, line) in (1u64..).zip(content.split_inclusive(|byte| *byte == b'\n')) {
        let next = start + line.len();
        let text = line.trim_ascii();
        let was_open = fences.open().is_some();
        fences.begin_line();
        fences.feed(line.strip_suffix(b"\n").unwrap_or(line));
        fences.end_line(number);
        match (was_open, fences.open().is_some()) {
            (false, true) if body.is_none() => body = Some(next),
            (true, false) if end.is_none() => end = Some(start),
            (true, true) => {}
            _ if text.is_empty() => {}
            _ if body.is_none()
                && introduction.is_none()
                && text.len() <= INTRODUCTION
                && text.ends_with(b":") =>
            {
                introduction = Some(String::from_utf8_lossy(text).into_owned());
            }
            _ => return None,
        }
        start = next;
    }
    Some(UnwrappedText { content: body?..end?, introduction })
}
