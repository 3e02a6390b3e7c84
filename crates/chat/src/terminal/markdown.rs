//! Markdown as it streams in, as lines of a terminal.
//!
//! Must never show a line that what comes later would change, or lose text: what is not understood is shown as it is.

use super::blocks::{RenderedBlock, render};
use super::styled::StyledLine;

/// So many bytes of new text are looked at together, unless a line ends.
const STEP: usize = 24;

/// A block of more bytes than this is not looked at with each of its lines.
const LONG_BLOCK: usize = 16 << 10;

/// A code block of more bytes than this is not read again from its beginning.
const LONG_CODE: usize = 4 << 10;

/// An answer in Markdown.
#[derive(Debug, Default)]
pub(super) struct MarkdownStream {
    /// What has come, from the beginning of the last block.
    source: String,
    /// Bytes of it that were looked at.
    seen: usize,
    /// Lines of the last block that were given out.
    given: usize,
    /// Whether a block was given out before.
    has_before: bool,
}

impl MarkdownStream {
    /// Takes text; gives the lines that are certain now, for a terminal of `width` cells.
    pub(super) fn push(&mut self, text: &str, width: usize) -> Vec<StyledLine> {
        self.source.push_str(&text.replace('\r', ""));
        // The longer a block is, the more of it comes before it is looked at again.
        let step = STEP.max(self.seen / 8);
        let is_line = text.contains('\n') && self.seen < LONG_BLOCK;
        if self.source.len() < self.seen + step && !is_line {
            return Vec::new();
        }
        self.lines(width, false)
    }

    /// No more text comes; gives the other lines.
    pub(super) fn end(&mut self, width: usize) -> Vec<StyledLine> {
        let lines = self.lines(width, true);
        *self = Self::default();
        lines
    }

    /// Whether anything was given out, or will be.
    pub(super) fn has_text(&self) -> bool {
        self.has_before || self.given > 0 || !self.source.trim().is_empty()
    }

    fn lines(&mut self, width: usize, is_end: bool) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        let blocks = render(&self.source, width, is_end);
        // A line that is not whole may still belong to the block before it, unless it begins with a word.
        let whole = self.source.rfind('\n').map_or(0, |end| end + 1);
        let begins_anew = begins_with_word(self.source.get(whole..).unwrap_or_default());
        let next: Vec<usize> = blocks.iter().skip(1).map(|block| block.from).collect();
        let mut start = 0;
        for (index, RenderedBlock { from, lines: all, certain }) in blocks.into_iter().enumerate() {
            let is_done = is_end
                || next.get(index).is_some_and(|next| *next < whole || (*next == whole && begins_anew));
            let certain = if is_done { all.len() } else { certain };
            if self.given == 0 && certain > 0 && self.has_before {
                lines.push(StyledLine::default());
            }
            lines.extend(all.into_iter().take(certain).skip(self.given));
            if !is_done {
                self.given = self.given.max(certain);
                start = from;
                break;
            }
            self.given = 0;
            self.has_before = true;
        }
        if is_end {
            start = self.source.len();
        }
        self.source.drain(..start);
        self.shorten_code();
        self.seen = self.source.len();
        lines
    }

    /// Of a long code block, only its fence and the line that is not whole are kept.
    fn shorten_code(&mut self) {
        if self.source.len() < LONG_CODE
            || !(self.source.starts_with("```") || self.source.starts_with("~~~"))
        {
            return;
        }
        let (Some(fence), Some(last)) = (self.source.find('\n'), self.source.rfind('\n')) else { return };
        if self.given > 0 && last > fence {
            self.source.replace_range(fence + 1..=last, "");
            // The lines that are left out were all given out; none of the rest was.
            self.given = 0;
            self.has_before = false;
        }
    }
}

/// Whether a line begins with a word, perhaps an emphasised one, so that it is no marker of a list, a table or a fence, however it goes
/// on.
fn begins_with_word(line: &str) -> bool {
    line.trim_start_matches(['*', '_', '"', '“', '„', '(']).starts_with(char::is_alphabetic)
}
