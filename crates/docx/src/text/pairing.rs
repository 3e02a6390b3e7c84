//! Which blocks of two texts belong together: equal ones first, then the most similar, in order.
//!
//! Must never look at a tree: blocks are numbers and bags of words here.

use std::collections::HashMap;
use std::ops::Range;

use super::shortest::{Script, shortest};

/// The most pairs for which similarity is worked out in one gap; beyond that, blocks pair in their order.
const MOST_PAIRS: usize = 40_000;

/// Places that belong together.
pub(crate) type Pair = (usize, usize);

/// Equal numbers that belong together, as many as there can be.
pub(crate) fn equal_pairs(before: &[u64], after: &[u64]) -> Vec<Pair> {
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

/// The most blocks that are tried elsewhere.
const MOST_MOVED: usize = 500;

/// Keeps a block that says much in the place of those that say less: a long clause that stands elsewhere is not what was moved.
pub(crate) fn with_heavy(
    mut pairs: Vec<Pair>,
    (before, after): (&[u64], &[u64]),
    weight: impl Fn(usize) -> usize,
) -> Vec<Pair> {
    let mut alone: HashMap<u64, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (old, new) in gaps(&pairs, (before.len(), after.len())) {
        for at in old {
            alone.entry(before.get(at).copied().unwrap_or_default()).or_default().0.push(at);
        }
        for at in new {
            alone.entry(after.get(at).copied().unwrap_or_default()).or_default().1.push(at);
        }
    }
    let mut candidates: Vec<Pair> = alone
        .into_values()
        .filter_map(|(old, new)| match (old.as_slice(), new.as_slice()) {
            ([one], [other]) => Some((*one, *other)),
            _ => None,
        })
        .collect();
    candidates.sort_unstable();
    candidates.truncate(MOST_MOVED);
    for (old, new) in candidates {
        let first = pairs.partition_point(|pair| pair.0 < old);
        let second = pairs.partition_point(|pair| pair.1 < new);
        let crossing = first.min(second)..first.max(second);
        let lost: usize =
            pairs.get(crossing.clone()).unwrap_or_default().iter().map(|pair| weight(pair.0)).sum();
        if lost < weight(old) {
            pairs.splice(crossing, [(old, new)]);
        }
    }
    pairs
}

/// The gaps between pairs, the last one included: each with what it is followed by.
pub(crate) fn gaps(pairs: &[Pair], ends: Pair) -> Vec<(Range<usize>, Range<usize>)> {
    let mut gaps = Vec::with_capacity(pairs.len() + 1);
    let (mut old, mut new) = (0, 0);
    for (before, after) in pairs.iter().copied().chain([ends]) {
        gaps.push((old..before, new..after));
        (old, new) = (before + 1, after + 1);
    }
    gaps
}

/// Pairs of the highest total similarity that keep their order. A similarity below `least` is none.
pub(crate) fn similar_pairs(count: Pair, least: f32, similarity: impl Fn(usize, usize) -> f32) -> Vec<Pair> {
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
pub(crate) struct WordBag(Vec<u64>);

impl WordBag {
    pub(crate) fn of(mut words: Vec<u64>) -> Self {
        words.sort_unstable();
        Self(words)
    }

    pub(crate) fn joined(bags: impl Iterator<Item = Self>) -> Self {
        Self::of(bags.flat_map(|bag| bag.0).collect())
    }

    /// Which part of these words the others hold, too.
    pub(crate) fn share_in(&self, other: &Self) -> f32 {
        let total = self.0.len() + other.0.len();
        if self.0.is_empty() { 1.0 } else { self.similarity(other) * share(total, 2 * self.0.len()) }
    }

    /// From 0 for nothing in common to 1 for the same words.
    pub(crate) fn similarity(&self, other: &Self) -> f32 {
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
        share(2 * common, total)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share of words need not be exact")]
fn share(part: usize, whole: usize) -> f32 {
    part as f32 / whole as f32
}
