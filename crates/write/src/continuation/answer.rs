//! The lines of an answer, and which of them are words before a text.
//!
//! Must never judge by a language: words are known by being few, and by what follows them.

use memchr::memmem;

use super::lines::{is_fence, plain, without_end};
use crate::cleaning::invisible;

/// Words before a text: so many lines at most, and so many bytes.
pub(super) const WORDS: usize = 3;
pub(super) const WORD_BYTES: usize = 320;

/// One line of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerLine<'a> {
    pub(super) text: &'a [u8],
    pub(super) start: usize,
    /// Where the next one begins.
    pub(super) end: usize,
    pub(super) is_ended: bool,
}

pub(super) fn answer_lines(answer: &[u8], is_whole: bool) -> Vec<AnswerLine<'_>> {
    let mut start = invisible(answer);
    let mut lines = Vec::new();
    for line in answer.get(start..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
        let end = start + line.len();
        lines.push(AnswerLine {
            text: without_end(line),
            start,
            end,
            is_ended: line.ends_with(b"\n") || is_whole,
        });
        start = end;
    }
    lines
}

pub(super) fn plain_lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split(|byte| *byte == b'\n').map(plain).filter(|line| !line.is_empty()).collect()
}

/// The lines without those at their end that repeat the end of `earlier`.
pub(super) fn without_repeated<'l, 'a>(
    lines: &'l [&'l AnswerLine<'a>],
    earlier: &[Vec<u8>],
) -> &'l [&'l AnswerLine<'a>] {
    let repeated = lines.iter().rev().zip(earlier.iter().rev());
    let repeated = repeated.take_while(|(line, earlier)| plain(line.text) == **earlier).count();
    lines.get(..lines.len() - repeated).unwrap_or_default()
}

/// Whether the lines are words before a text: reasoning, fences, and few lines besides.
pub(super) fn is_preamble(lines: &[&AnswerLine<'_>]) -> bool {
    let words: Vec<_> = outside_reasoning(lines).into_iter().filter(|line| !is_fence(line.text)).collect();
    words.len() <= WORDS && words.iter().map(|line| line.text.len()).sum::<usize>() <= WORD_BYTES
}

/// The lines without a block of reasoning.
pub(super) fn outside_reasoning<'l, 'a>(lines: &'l [&'l AnswerLine<'a>]) -> Vec<&'l AnswerLine<'a>> {
    // Some models are given the opening of their reasoning, and only close it.
    let closes = |line: &&&AnswerLine<'_>| memmem::find(line.text, b"</think").is_some();
    let opens = |line: &&AnswerLine<'_>| memmem::find(line.text, b"<think").is_some();
    let closed = lines.iter().position(|line| closes(&line));
    let lines = match closed.filter(|at| !lines.iter().take(at + 1).any(opens)) {
        Some(at) => lines.get(at + 1..).unwrap_or_default(),
        None => lines,
    };
    let mut thinks = false;
    let is_outside = |line: &&AnswerLine<'_>| {
        let text = line.text.trim_ascii();
        let is_inside = thinks || text.starts_with(b"<think");
        thinks = is_inside && memmem::find(text, b"</think").is_none();
        !is_inside
    };
    lines.iter().copied().filter(is_outside).collect()
}
