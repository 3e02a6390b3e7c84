//! Renders the block that AGENTS.md shows of a book.

use crate::skillbook::Book;
use crate::skillbook::render::{RecallQuery, choose, wrapped};

/// Tokens of the heading, the words on how to use lessons, the markers and our own line.
const FRAME: usize = 180;

/// What stands in the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonBlock {
    /// Markdown; `None` when there is nothing to show.
    pub inner: Option<String>,
    /// Skills that are shown.
    pub shown: usize,
    /// Active skills that did not fit.
    pub left_out: usize,
}

/// Chooses what fits into `tokens`. `rest` names the file that holds everything.
#[must_use]
pub fn block(book: &Book, tokens: usize, now: u64, rest: &str) -> LessonBlock {
    // What stands round the rows counts, too.
    let frame = FRAME + rest.len() / 4;
    let chosen = choose(book, &RecallQuery { query: None, tokens: tokens.saturating_sub(frame), now });
    let active = book.count(crate::skillbook::SkillStatus::Active);
    let left_out = active - chosen.len();
    if chosen.is_empty() {
        return LessonBlock { inner: None, shown: 0, left_out };
    }
    let mut inner = format!("## Learned Strategies\n\n{}", wrapped(&chosen));
    if left_out > 0 {
        inner.push_str(&format!("- {left_out} more lessons stand in {}.\n", crate::safety::neutral(rest)));
    }
    LessonBlock { inner: Some(inner), shown: chosen.len(), left_out }
}
