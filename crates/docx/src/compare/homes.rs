//! Which paragraphs of a row stay themselves, although a word of them stands in another paragraph, too.
//!
//! A row of paragraphs is compared word by word, over their ends, so that what is split or joined keeps its words. But then a new
//! clause that holds a `4.1` can take it from the paragraph above, or the end of that: few characters less, and nobody can read it.
//!
//! Must never cut a paragraph off whose words really went to another: a split and a join have most of one of the two.

use std::collections::HashMap;

use super::ops::kept_tokens;
use super::stream::{Stream, Token, TokenKind};
use crate::text::pairing::Pair;

/// A paragraph stays itself when it keeps one part in so many of what it says, on both sides.
const OWN_PART: usize = 2;
/// A scrap is at most one part in so many of what either paragraph says, and has at most so many letters: a phrase of a long paragraph
/// that went elsewhere is worth to be told.
const SCRAP_PART: usize = 4;
const SCRAP_LETTERS: usize = 12;

/// Paragraphs at which the row is to be parted, by their places in it: both stay themselves, and one of them shares a scrap with
/// another. With `is_end`, nothing follows the row: its last paragraphs have nothing to join, and stay together.
pub(super) fn homes(before: &Stream, after: &Stream, is_end: bool) -> Vec<Pair> {
    let (old, new) = (StreamBlocks::of(before), StreamBlocks::of(after));
    if old.weights.len() < 2 && new.weights.len() < 2 {
        return Vec::new();
    }
    let mut shared: HashMap<Pair, usize> = HashMap::new();
    for (one, other) in kept_tokens(before, after) {
        let (Some(at), Some(there)) = (old.owners.get(one), new.owners.get(other)) else { continue };
        let weight = before.tokens.get(one).map_or(0, |token| weight_of(before, token));
        *shared.entry((*at, *there)).or_default() += weight;
    }
    let mut shared: Vec<(Pair, usize)> = shared.into_iter().collect();
    shared.sort_unstable();
    let weights = |pair: Pair| {
        let (one, other) = (old.weights.get(pair.0), new.weights.get(pair.1));
        (one.copied().unwrap_or_default(), other.copied().unwrap_or_default())
    };
    let is_home = |(pair, weight): &(Pair, usize)| {
        let (one, other) = weights(*pair);
        let are_paragraphs = old.is_paragraph(pair.0) && new.is_paragraph(pair.1);
        are_paragraphs && *weight > 0 && weight * OWN_PART >= one.max(other)
    };
    let is_scrap = |(pair, weight): &(Pair, usize)| {
        let (one, other) = weights(*pair);
        *weight <= SCRAP_LETTERS && weight * SCRAP_PART <= one.min(other)
    };
    let mut scraps = (vec![false; old.weights.len()], vec![false; new.weights.len()]);
    for (pair, _) in shared.iter().filter(|found| is_scrap(found) && !is_home(found)) {
        if let (Some(one), Some(other)) = (scraps.0.get_mut(pair.0), scraps.1.get_mut(pair.1)) {
            (*one, *other) = (true, true);
        }
    }
    let ends = (old.weights.len(), new.weights.len());
    let is_open = |pair: &Pair| is_end && (pair.0 + 1 == ends.0) != (pair.1 + 1 == ends.1);
    let has_scrap = |pair: &Pair| {
        scraps.0.get(pair.0).copied().unwrap_or_default() || scraps.1.get(pair.1).copied().unwrap_or_default()
    };
    let homes = shared.iter().filter(|found| is_home(found)).map(|(pair, _)| *pair);
    homes.filter(|pair| has_scrap(pair) && !is_open(pair)).collect()
}

/// The paragraphs and blocks of a stream.
struct StreamBlocks {
    /// The place of each token's paragraph.
    owners: Vec<usize>,
    /// How much each of them says.
    weights: Vec<usize>,
    /// Of each, whether it is a paragraph.
    paragraphs: Vec<bool>,
}

impl StreamBlocks {
    fn of(stream: &Stream) -> Self {
        let mut blocks = Self { owners: Vec::new(), weights: Vec::new(), paragraphs: Vec::new() };
        let mut weight = 0;
        for token in &stream.tokens {
            blocks.owners.push(blocks.weights.len());
            weight += weight_of(stream, token);
            if matches!(token.kind, TokenKind::Mark(_) | TokenKind::Block(_)) {
                blocks.weights.push(std::mem::take(&mut weight));
                blocks.paragraphs.push(matches!(token.kind, TokenKind::Mark(_)));
            }
        }
        blocks
    }

    fn is_paragraph(&self, at: usize) -> bool {
        self.paragraphs.get(at).copied().unwrap_or_default()
    }
}

/// How much a token says: its letters and digits; an object is one.
fn weight_of(stream: &Stream, token: &Token) -> usize {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    match &token.kind {
        TokenKind::Pieces => letters(stream.text.get(token.text.clone()).unwrap_or_default()),
        TokenKind::Field { shown, .. } => letters(&shown.text).max(1),
        TokenKind::Wrapper { content, .. } | TokenKind::Formula { content, .. } => {
            letters(&content.text).max(1)
        }
        TokenKind::Node(_) => 1,
        TokenKind::Mark(_) | TokenKind::Block(_) => 0,
    }
}
