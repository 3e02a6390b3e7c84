//! How much of a text gives way together: changed words alone, or all of the clause or sentence around them.
//!
//! Must never move a change over an object, a field, a link or the end of a paragraph.

use std::ops::Range;

use super::stream::{Stream, Token, TokenKind};

/// The least that a change replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Granularity {
    /// The words that differ.
    #[default]
    Word,
    /// All between two marks such as commas, colons or the ends of sentences.
    Clause,
    /// The whole sentence.
    Sentence,
}

/// Tokens that give way, and those that come for them.
pub(super) type Hunk = (Range<usize>, Range<usize>);

impl Granularity {
    /// Whether a mark ends what gives way together.
    fn ends_at(self, text: &str) -> bool {
        let is_end = matches!(text, "." | "!" | "?" | "…" | "。" | "！" | "？");
        match self {
            Self::Word => true,
            Self::Clause => is_end || matches!(text, "," | ";" | ":" | "–" | "—" | "，" | "；" | "："),
            Self::Sentence => is_end,
        }
    }
}

/// Widens changes up to where the clauses or sentences around them begin and end. Between two changes both sides have the same
/// tokens, so they grow alike.
pub(super) fn widened(
    hunks: Vec<Hunk>,
    granularity: Granularity,
    (before, first): (&Stream, usize),
    (count, new_count): (usize, usize),
) -> Vec<Hunk> {
    if granularity == Granularity::Word {
        return hunks;
    }
    let token = |at: usize| before.tokens.get(first + at);
    let text = |token: &Token| before.text.get(token.text.clone()).unwrap_or_default().to_owned();
    let is_plain = |token: &Token| matches!(token.kind, TokenKind::Pieces) && text(token) != "\u{FFFC}";
    let is_end =
        |at: usize| token(at).is_none_or(|token| !is_plain(token) || granularity.ends_at(&text(token)));
    let is_space = |at: usize| token(at).is_some_and(|token| text(token).trim().is_empty());
    let mut wide: Vec<Hunk> = Vec::new();
    let mut next = hunks.iter().map(|(old, _)| old.start).skip(1).collect::<Vec<_>>().into_iter();
    for (old, new) in hunks {
        let limit = next.next().unwrap_or(count);
        let floor = wide.last().map_or(0, |(old, _)| old.end);
        // A change that ends with the mark itself needs nothing behind it, and one right behind a mark nothing before it.
        let mut left = 0;
        while old.start - left > floor && !is_end(old.start - left - 1) {
            left += 1;
        }
        while left > 0 && is_space(old.start - left) {
            left -= 1;
        }
        let joins = old.start - left == floor && !wide.is_empty();
        let mut right = 0;
        let ends_itself = old.end > old.start && is_end(old.end - 1);
        while !ends_itself && old.end + right < limit && !is_end(old.end + right) {
            right += 1;
        }
        while right > 0 && is_space(old.end + right - 1) && old.end + right < limit {
            right -= 1;
        }
        let old = old.start - left..old.end + right;
        let new = new.start - left..(new.end + right).min(new_count);
        match wide.last_mut().filter(|_| joins) {
            Some((last, last_new)) => {
                last.end = old.end;
                last_new.end = new.end;
            }
            None => wide.push((old, new)),
        }
    }
    wide
}
