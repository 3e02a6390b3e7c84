//! The smallest word-level difference between two texts, placed where a person would place it.
//!
//! Must never split a grapheme, and never join two changes across a word that both texts keep: a person who reviews a
//! redline should see exactly what changed. The number of changed tokens is minimal up to
//! two thousand edits between tokens that both texts have; beyond that, correct and close to minimal for real text.

use std::collections::BTreeMap;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::shortest::{Script, shortest};

/// One change: the old bytes give way to the new bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk {
    /// Bytes of the old text; empty for an insertion at that place.
    pub old: Range<usize>,
    /// Bytes of the new text; empty for a deletion.
    pub new: Range<usize>,
}

/// The changes that turn one text into the other, in order. At least one side of each is non-empty, and between two
/// of them at least one token is kept. Both texts have a grapheme boundary at each edge. Empty when the texts are equal.
///
/// A pure insertion or deletion that could stand in several places begins at a word where it can:
/// `the cat` → `the black cat` inserts `black ` before `cat`.
pub fn diff(old: &str, new: &str) -> Vec<Hunk> {
    if old == new {
        return Vec::new();
    }
    let old_tokens = tokens(old);
    let new_tokens = tokens(new);
    let mut numbers = BTreeMap::new();
    let old_numbers = number(old, &old_tokens, &mut numbers);
    let new_numbers = number(new, &new_tokens, &mut numbers);
    let old = TokenSide { text: old, tokens: &old_tokens, numbers: &old_numbers };
    let new = TokenSide { text: new, tokens: &new_tokens, numbers: &new_numbers };
    let bytes = |side: &TokenSide<'_>, range: &Range<usize>| side.offset(range.start)..side.offset(range.end);
    diff_tokens(old, new, numbers.len())
        .iter()
        .map(|(removed, added)| Hunk { old: bytes(&old, removed), new: bytes(&new, added) })
        .collect()
}

/// The same for tokens that the caller has numbered, all below `distinct`: which of them give way to which.
pub(crate) fn diff_tokens(
    old: TokenSide<'_>,
    new: TokenSide<'_>,
    distinct: usize,
) -> Vec<(Range<usize>, Range<usize>)> {
    let script = shortest(old.numbers, new.numbers, distinct);
    let sides = Sides { old, new };
    coalesce(changes(&script), &sides).into_iter().map(|change| (change.old, change.new)).collect()
}

/// Cuts a text into the pieces that [`diff`] compares: words and numbers (`don't`, `1,000.50`), each white-space
/// character and each punctuation mark for itself. They cover the text without gaps and never split a grapheme.
///
/// Words are those of UAX #29, except that a full stop or colon joins digits only.
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    if text.is_ascii() { ascii_tokens(text.as_bytes()) } else { tokens_of_any(text) }
}

/// The same for ASCII, where each rule is about single bytes: most texts, and several times as fast.
fn ascii_tokens(text: &[u8]) -> Vec<Range<usize>> {
    let is = |at: usize, rule: fn(&u8) -> bool| text.get(at).is_some_and(rule);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut tokens = Vec::with_capacity(text.len() / 3);
    let mut start = 0;
    while let Some(first) = text.get(start) {
        let mut end = start + 1;
        if is_word(first) {
            while let Some(byte) = text.get(end) {
                let between =
                    |rule: fn(&u8) -> bool| text.get(end - 1).is_some_and(rule) && is(end + 1, rule);
                let joins = match byte {
                    b'\'' => between(u8::is_ascii_alphabetic) || between(u8::is_ascii_digit),
                    b'.' | b',' | b';' => between(u8::is_ascii_digit),
                    byte => is_word(byte),
                };
                if !joins {
                    break;
                }
                end += 1;
            }
        } else if *first == b'\r' && text.get(end) == Some(&b'\n') {
            end += 1;
        }
        tokens.push(start..end);
        start = end;
    }
    tokens
}

/// The same for any text, by the tables of Unicode.
pub(super) fn tokens_of_any(text: &str) -> Vec<Range<usize>> {
    let mut tokens = Vec::with_capacity(text.len() / 3);
    let mut word_starts = text.split_word_bound_indices().map(|(at, _)| at).peekable();
    let mut start = 0;
    let mut before_stands_alone = false;
    for (at, grapheme) in text.grapheme_indices(true) {
        while word_starts.next_if(|word_start| *word_start < at).is_some() {}
        let alone = stands_alone(text, at, grapheme);
        if at > start && (alone || before_stands_alone || word_starts.peek() == Some(&at)) {
            tokens.push(start..at);
            start = at;
        }
        before_stands_alone = alone;
    }
    if start < text.len() {
        tokens.push(start..text.len());
    }
    tokens
}

/// Whether a grapheme is a token of its own even where UAX #29 sees no boundary.
fn stands_alone(text: &str, at: usize, grapheme: &str) -> bool {
    match grapheme.chars().next() {
        Some(
            '.' | ':' | '\u{2024}' | '\u{2027}' | '\u{fe13}' | '\u{fe52}' | '\u{fe55}' | '\u{ff0e}'
            | '\u{ff1a}',
        ) => {
            let is_digit = |character: Option<char>| character.is_some_and(char::is_numeric);
            !(is_digit(text[..at].chars().next_back())
                && is_digit(text[at + grapheme.len()..].chars().next()))
        }
        Some('\u{fffc}') => true,
        Some(first) => first.is_whitespace(),
        None => false,
    }
}

/// Gives equal tokens equal numbers. An ordered map, because hostile text must not be able to slow it down.
fn number<'a>(text: &'a str, tokens: &[Range<usize>], numbers: &mut BTreeMap<&'a str, u32>) -> Vec<u32> {
    let mut result = Vec::with_capacity(tokens.len());
    for token in tokens {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        result.push(*numbers.entry(&text[token.clone()]).or_insert(next));
    }
    result
}

/// A hunk in tokens.
#[derive(Clone)]
struct TokenHunk {
    old: Range<usize>,
    new: Range<usize>,
}

/// A text with its tokens and their numbers.
#[derive(Clone, Copy)]
pub(crate) struct TokenSide<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Range<usize>],
    pub(crate) numbers: &'a [u32],
}

struct Sides<'a> {
    old: TokenSide<'a>,
    new: TokenSide<'a>,
}

impl TokenSide<'_> {
    fn offset(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(self.text.len(), |range| range.start)
    }

    /// How natural it is to begin or end a change before this token.
    fn edge_quality(&self, token: usize) -> u8 {
        if token == 0 || token >= self.tokens.len() {
            return 3;
        }
        let at = self.offset(token);
        let before = self.text[..at].chars().next_back().unwrap_or(' ');
        let after = self.text[at..].chars().next().unwrap_or(' ');
        match (before.is_whitespace(), after.is_whitespace()) {
            (true, false) if matches!(before, '\n' | '\u{c}') => 4,
            (true, false) => 3,
            (false, true) => 2,
            (false, false) => 1,
            (true, true) => 0,
        }
    }
}

fn changes(script: &Script) -> Vec<TokenHunk> {
    let mut changes = Vec::new();
    let (mut old, mut new) = (0, 0);
    while old < script.removed.len() || new < script.added.len() {
        let removed = script.removed[old..].iter().take_while(|flag| **flag).count();
        let added = script.added[new..].iter().take_while(|flag| **flag).count();
        if removed + added > 0 {
            changes.push(TokenHunk { old: old..old + removed, new: new..new + added });
        }
        old += removed + 1;
        new += added + 1;
    }
    changes
}

/// Moves pure insertions and deletions to their best place, and joins those that can be moved against a neighbour.
fn coalesce(changes: Vec<TokenHunk>, sides: &Sides<'_>) -> Vec<TokenHunk> {
    let mut done: Vec<TokenHunk> = Vec::with_capacity(changes.len());
    let mut waiting = changes.into_iter().peekable();
    while let Some(mut change) = waiting.next() {
        loop {
            let side = match (change.old.is_empty(), change.new.is_empty()) {
                (true, false) => &sides.new,
                (false, true) => &sides.old,
                _ => break,
            };
            let range = if change.old.is_empty() { &change.new } else { &change.old };
            let kept_before = change.old.start - done.last().map_or(0, |last| last.old.end);
            let kept_after =
                waiting.peek().map_or(sides.old.tokens.len(), |next| next.old.start) - change.old.end;
            let up = slack_up(side.numbers, range, kept_before);
            if up == kept_before
                && let Some(last) = done.pop()
            {
                change = TokenHunk {
                    old: last.old.start..change.old.end - up,
                    new: last.new.start..change.new.end - up,
                };
                continue;
            }
            let down = slack_down(side.numbers, range, kept_after);
            if down == kept_after
                && let Some(next) = waiting.next()
            {
                change = TokenHunk {
                    old: change.old.start + down..next.old.end,
                    new: change.new.start + down..next.new.end,
                };
                continue;
            }
            // Of equally good places the last one wins, because people add to the end of a repetition.
            let first = range.start - up;
            let quality = |start: &usize| side.edge_quality(*start) + side.edge_quality(*start + range.len());
            let best = (first..=range.start + down).max_by_key(quality).unwrap_or(first);
            let moved =
                |range: &Range<usize>, from: usize| range.start + best - from..range.end + best - from;
            let from = range.start;
            change = TokenHunk { old: moved(&change.old, from), new: moved(&change.new, from) };
            break;
        }
        done.push(change);
    }
    done
}

/// By how many tokens a range can move towards the start and still cover the same tokens, at most `limit`.
fn slack_up(numbers: &[u32], range: &Range<usize>, limit: usize) -> usize {
    (0..limit).take_while(|step| numbers[range.start - 1 - step] == numbers[range.end - 1 - step]).count()
}

/// By how many tokens a range can move towards the end.
fn slack_down(numbers: &[u32], range: &Range<usize>, limit: usize) -> usize {
    (0..limit).take_while(|step| numbers[range.start + step] == numbers[range.end + step]).count()
}
