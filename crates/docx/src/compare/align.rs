//! Which blocks of two containers belong together: equal ones first, then the most similar, in order.
//!
//! Must never look at a tree: blocks are numbers and bags of words here.

use std::collections::HashMap;
use std::ops::Range;

use crate::text::{Script, shortest};

/// The most pairs for which similarity is worked out in one gap; beyond that, blocks pair in their order.
const MOST_PAIRS: usize = 40_000;

/// Places that belong together.
pub(super) type Pair = (usize, usize);

/// Equal numbers that belong together, as many as there can be.
pub(super) fn equal_pairs(before: &[u64], after: &[u64]) -> Vec<Pair> {
    let mut known: HashMap<u64, u32> = HashMap::new();
    let mut numbers = |keys: &[u64]| -> Vec<u32> {
        let mut number = |key: &u64| {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(*key).or_insert(next)
        };
        keys.iter().map(&mut number).collect()
    };
    let (old, new) = (numbers(before), numbers(after));
    let Script { removed, added } = shortest(&old, &new, known.len());
    let kept = |flags: Vec<bool>| flags.into_iter().enumerate().filter(|(_, gone)| !gone).map(|(at, _)| at);
    kept(removed).zip(kept(added).collect::<Vec<_>>()).collect()
}

/// The gaps between pairs, the last one included: each with what it is followed by.
pub(super) fn gaps(pairs: &[Pair], ends: Pair) -> Vec<(Range<usize>, Range<usize>)> {
    let mut gaps = Vec::with_capacity(pairs.len() + 1);
    let (mut old, mut new) = (0, 0);
    for (before, after) in pairs.iter().copied().chain([ends]) {
        gaps.push((old..before, new..after));
        (old, new) = (before + 1, after + 1);
    }
    gaps
}

/// Pairs of the highest total similarity that keep their order. A similarity below `least` is none.
pub(super) fn similar_pairs(
    count: Pair,
    least: f32,
    similarity: impl Fn(usize, usize) -> f32,
) -> Vec<Pair> {
    let (old, new) = count;
    if old == 0 || new == 0 {
        return Vec::new();
    }
    if old.saturating_mul(new) > MOST_PAIRS {
        return (0..old.min(new)).map(|at| (at, at)).collect();
    }
    let width = new + 1;
    let mut scores = vec![0.0_f32; (old + 1) * width];
    let mut values = vec![0.0_f32; old * new];
    let get = |scores: &[f32], at: usize| scores.get(at).copied().unwrap_or_default();
    for row in (0..old).rev() {
        for column in (0..new).rev() {
            let value = similarity(row, column);
            let value = if value < least { -1.0 } else { value };
            if let Some(slot) = values.get_mut(row * new + column) {
                *slot = value;
            }
            let down = get(&scores, (row + 1) * width + column);
            let right = get(&scores, row * width + column + 1);
            let both = get(&scores, (row + 1) * width + column + 1) + value;
            let best = if value >= 0.0 { both.max(down).max(right) } else { down.max(right) };
            if let Some(slot) = scores.get_mut(row * width + column) {
                *slot = best;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while row < old && column < new {
        let here = get(&scores, row * width + column);
        let value = get(&values, row * new + column);
        let both = get(&scores, (row + 1) * width + column + 1) + value;
        if value >= 0.0 && both >= here {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if get(&scores, (row + 1) * width + column) >= here {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// The words of a block, as sorted numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WordBag(Vec<u64>);

impl WordBag {
    pub(super) fn of(mut words: Vec<u64>) -> Self {
        words.sort_unstable();
        Self(words)
    }

    /// From 0 for nothing in common to 1 for the same words.
    #[expect(clippy::cast_precision_loss, reason = "a share of words need not be exact")]
    pub(super) fn similarity(&self, other: &Self) -> f32 {
        let total = self.0.len() + other.0.len();
        if total == 0 {
            return 1.0;
        }
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut common = 0_usize;
        while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => _ = left.next(),
                std::cmp::Ordering::Greater => _ = right.next(),
                std::cmp::Ordering::Equal => {
                    common += 1;
                    left.next();
                    right.next();
                }
            }
        }
        2.0 * common as f32 / total as f32
    }
}
