//! The shortest edit script between two sequences of numbers, with a bound on the work.
//!
//! Must never look at text: tokens are made, numbered and judged in `words`.
//!
//! Up to [`MOST_EDITS`] insertions and deletions the script is minimal (Myers, "An O(ND) Difference Algorithm and Its
//! Variations", 1986, the greedy forward search). Beyond that the sequences are cut at tokens that occur once on each
//! side, and what lies between is searched piece by piece: still correct, close to minimal for real text, and linear
//! on hostile text.

use std::ops::Range;

/// The longest script that is searched for exactly, counted without tokens that only one side has. Its search takes
/// at most two million steps and sixteen megabytes.
pub(super) const MOST_EDITS: usize = 2_000;

/// The edits per piece when there are more.
const EDITS_PER_PIECE: usize = 250;

/// Which tokens are not kept.
pub(crate) struct Script {
    /// Per old token.
    pub removed: Vec<bool>,
    /// Per new token; as many are kept here as in `removed`, in the same order.
    pub added: Vec<bool>,
}

/// Compares two sequences of token numbers, all below `distinct`.
pub(crate) fn shortest(old: &[u32], new: &[u32], distinct: usize) -> Script {
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let suffix = old[prefix..]
        .iter()
        .rev()
        .zip(new[prefix..].iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let old_middle = prefix..old.len() - suffix;
    let new_middle = prefix..new.len() - suffix;
    // A token that the other side lacks can never be kept: leaving it out makes the search shorter, not worse.
    let old_kept = shared(&old[old_middle.clone()], &new[new_middle.clone()], distinct);
    let new_kept = shared(&new[new_middle.clone()], &old[old_middle.clone()], distinct);
    let old_tokens: Vec<u32> = old_kept.iter().map(|at| old[prefix + at]).collect();
    let new_tokens: Vec<u32> = new_kept.iter().map(|at| new[prefix + at]).collect();

    let mut inner = Script { removed: vec![false; old_tokens.len()], added: vec![false; new_tokens.len()] };
    let is_complete = match search(&old_tokens, &new_tokens, MOST_EDITS) {
        Some(path) if path.end == (old_tokens.len(), new_tokens.len()) => {
            path.mark(0, 0, &mut inner);
            true
        }
        _ => false,
    };
    if !is_complete {
        for (old_part, new_part) in parts(&old_tokens, &new_tokens, distinct) {
            search_in_pieces(&old_tokens, old_part, &new_tokens, new_part, &mut inner);
        }
    }

    let mut script = Script { removed: vec![false; old.len()], added: vec![false; new.len()] };
    script.removed[old_middle].fill(true);
    script.added[new_middle].fill(true);
    for (at, removed) in old_kept.iter().zip(inner.removed) {
        script.removed[prefix + at] = removed;
    }
    for (at, added) in new_kept.iter().zip(inner.added) {
        script.added[prefix + at] = added;
    }
    script
}

/// The positions of the tokens that also occur on the other side.
fn shared(tokens: &[u32], others: &[u32], distinct: usize) -> Vec<usize> {
    let mut occurs = vec![false; distinct];
    for other in others {
        occurs[*other as usize] = true;
    }
    (0..tokens.len()).filter(|at| occurs[tokens[*at] as usize]).collect()
}

/// A way through the edit graph, from the start of both sequences.
struct Path {
    /// The positions it reaches in the old and in the new sequence.
    end: (usize, usize),
    /// Old positions that are removed.
    removed: Vec<usize>,
    /// New positions that are added.
    added: Vec<usize>,
}

impl Path {
    fn mark(self, old_offset: usize, new_offset: usize, script: &mut Script) {
        for at in self.removed {
            script.removed[old_offset + at] = true;
        }
        for at in self.added {
            script.added[new_offset + at] = true;
        }
    }
}

/// The shortest way to the end of both sequences; when that takes more than `limit` edits, the way that gets furthest
/// with so many, or none when there is no such way.
fn search(old: &[u32], new: &[u32], limit: usize) -> Option<Path> {
    let limit = limit.min(old.len() + new.len());
    // Diagonals are numbered by old minus new position; diagonal `k` is at index `k + centre`. Each holds the furthest
    // old position reached on it.
    let centre = limit + 1;
    let mut furthest = vec![0_usize; 2 * limit + 3];
    // After each round, the diagonals that it touched: -round, -round + 2, …, round.
    let mut rounds: Vec<usize> = Vec::new();
    let mut reached = None;
    'rounds: for round in 0..=limit {
        for diagonal in (centre - round..=centre + round).step_by(2) {
            let is_insertion = round == 0
                || diagonal == centre - round
                || diagonal != centre + round && furthest[diagonal - 1] < furthest[diagonal + 1];
            let mut at = if is_insertion { furthest[diagonal + 1] } else { furthest[diagonal - 1] + 1 };
            while old.get(at).is_some_and(|token| new.get(at + centre - diagonal) == Some(token)) {
                at += 1;
            }
            furthest[diagonal] = at;
            if at == old.len() && at + centre == new.len() + diagonal {
                reached = Some((round, diagonal));
                break 'rounds;
            }
        }
        rounds.extend((centre - round..=centre + round).step_by(2).map(|diagonal| furthest[diagonal]));
    }
    // Ways may leave the graph at its far sides; such an end is no candidate.
    let (last_round, mut diagonal) = reached.or_else(|| {
        (1..=2 * limit + 1)
            .step_by(2)
            .filter(|k| furthest[*k] <= old.len() && furthest[*k] + centre <= new.len() + k)
            .max_by_key(|k| 2 * furthest[*k] + 2 * centre - k)
            .map(|k| (limit, k))
    })?;
    let end = (furthest[diagonal], furthest[diagonal] + centre - diagonal);
    let mut path = Path { end, removed: Vec::new(), added: Vec::new() };
    for round in (1..=last_round).rev() {
        let before = &rounds[(round - 1) * round / 2..][..round];
        let value = |diagonal: usize| before[(diagonal + round - 1 - centre) / 2];
        let is_insertion = diagonal == centre - round
            || diagonal != centre + round && value(diagonal - 1) < value(diagonal + 1);
        if is_insertion {
            diagonal += 1;
            path.added.push(value(diagonal) + centre - diagonal);
        } else {
            diagonal -= 1;
            path.removed.push(value(diagonal));
        }
    }
    Some(path)
}

/// Searches a part of both sequences with a bounded number of edits at a time.
fn search_in_pieces(
    old: &[u32],
    old_part: Range<usize>,
    new: &[u32],
    new_part: Range<usize>,
    script: &mut Script,
) {
    let (mut old_at, mut new_at) = (old_part.start, new_part.start);
    while old_at < old_part.end || new_at < new_part.end {
        let path = search(&old[old_at..old_part.end], &new[new_at..new_part.end], EDITS_PER_PIECE);
        let Some(path) = path.filter(|path| path.end != (0, 0)) else {
            script.removed[old_at..old_part.end].fill(true);
            script.added[new_at..new_part.end].fill(true);
            return;
        };
        let (old_step, new_step) = path.end;
        path.mark(old_at, new_at, script);
        old_at += old_step;
        new_at += new_step;
    }
}

/// Cuts both sequences at the tokens that occur exactly once in each: before each of them, as far as their order
/// agrees (the longest increasing subsequence of their positions).
fn parts(old: &[u32], new: &[u32], distinct: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let old_places = single_places(old, distinct);
    let new_places = single_places(new, distinct);
    let pairs: Vec<(usize, usize)> = old
        .iter()
        .filter_map(|token| Some((old_places[*token as usize]?, new_places[*token as usize]?)))
        .collect();
    // For each length of a subsequence, the pair with the smallest new position that ends one; and before each pair,
    // the pair that precedes it.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, new_place)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *new_place);
        previous.push(length.checked_sub(1).map(|before| ends[before]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut parts = Vec::new();
    let (mut old_end, mut new_end) = (old.len(), new.len());
    let mut last = ends.last().copied();
    while let Some(index) = last {
        let (old_place, new_place) = pairs[index];
        parts.push((old_place..old_end, new_place..new_end));
        (old_end, new_end) = (old_place, new_place);
        last = previous[index];
    }
    parts.push((0..old_end, 0..new_end));
    parts
}

/// Per token, its position if it occurs exactly once.
fn single_places(tokens: &[u32], distinct: usize) -> Vec<Option<usize>> {
    let mut counts = vec![0_u32; distinct];
    let mut places = vec![None; distinct];
    for (at, token) in tokens.iter().enumerate() {
        counts[*token as usize] += 1;
        places[*token as usize] = (counts[*token as usize] == 1).then_some(at);
    }
    places
}
