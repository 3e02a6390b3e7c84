//! The shortest edit script between two sequences of numbers, with a bound on the work.
//!
//! Must never look at text: tokens are made, numbered and judged in `words`.
//!
//! Up to [`MOST_EDITS`] insertions and deletions the script is minimal (Myers, "An O(ND) Difference Algorithm and Its
//! Variations", 1986, the greedy forward search). Beyond that a histogram diff answers: correct, close to minimal for
//! real text, and fast whatever the input is.

use imara_diff::{Algorithm, Diff, Token};

/// The longest script that is searched for exactly, counted without tokens that only one side has. Its search takes
/// at most two million steps and eight megabytes.
pub(super) const MOST_EDITS: usize = 2_000;

/// Which tokens are not kept.
pub(super) struct Script {
    /// Per old token.
    pub removed: Vec<bool>,
    /// Per new token; as many are kept here as in `removed`, in the same order.
    pub added: Vec<bool>,
}

/// Compares two sequences of token numbers, all below `distinct`.
pub(super) fn shortest(old: &[u32], new: &[u32], distinct: usize) -> Script {
    let mut script = Script { removed: vec![false; old.len()], added: vec![false; new.len()] };
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let suffix = old[prefix..]
        .iter()
        .rev()
        .zip(new[prefix..].iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    // A token that the other side lacks can never be kept: leaving it out makes the search shorter, not worse.
    let old_middle = prefix..old.len() - suffix;
    let new_middle = prefix..new.len() - suffix;
    let old_kept = shared(&old[old_middle.clone()], &new[new_middle.clone()], distinct);
    let new_kept = shared(&new[new_middle.clone()], &old[old_middle.clone()], distinct);
    script.removed[old_middle].fill(true);
    script.added[new_middle].fill(true);
    let old_tokens: Vec<u32> = old_kept.iter().map(|at| old[prefix + at]).collect();
    let new_tokens: Vec<u32> = new_kept.iter().map(|at| new[prefix + at]).collect();
    let inner =
        greedy(&old_tokens, &new_tokens).unwrap_or_else(|| bounded(&old_tokens, &new_tokens, distinct));
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

/// The minimal script, or none when it has more than [`MOST_EDITS`] edits.
fn greedy(old: &[u32], new: &[u32]) -> Option<Script> {
    let limit = MOST_EDITS.min(old.len() + new.len());
    // The furthest old position on each diagonal (old minus new position); diagonal `k` is at `k + limit + 1`.
    let centre = limit + 1;
    let mut furthest = vec![0_usize; 2 * limit + 3];
    // After each round, the diagonals that it touched: -round, -round + 2, …, round.
    let mut rounds: Vec<usize> = Vec::new();
    let mut reached = None;
    'search: for round in 0..=limit {
        for diagonal in (centre - round..=centre + round).step_by(2) {
            let mut at = if comes_from_above(&furthest, diagonal, centre, round) {
                furthest[diagonal + 1]
            } else {
                furthest[diagonal - 1] + 1
            };
            while old.get(at).is_some_and(|token| Some(token) == new.get(at + centre - diagonal)) {
                at += 1;
            }
            furthest[diagonal] = at;
            if at >= old.len() && at + centre >= new.len() + diagonal {
                reached = Some((round, diagonal));
                break 'search;
            }
        }
        rounds.extend((centre - round..=centre + round).step_by(2).map(|diagonal| furthest[diagonal]));
    }
    let (last_round, mut diagonal) = reached?;
    let mut script = Script { removed: vec![false; old.len()], added: vec![false; new.len()] };
    for round in (1..=last_round).rev() {
        let before = &rounds[(round - 1) * round / 2..][..round];
        let value = |diagonal: usize| before[(diagonal + round - 1 - centre) / 2];
        let from_above = diagonal == centre - round
            || diagonal != centre + round && value(diagonal - 1) < value(diagonal + 1);
        if from_above {
            diagonal += 1;
            script.added[value(diagonal) + centre - diagonal] = true;
        } else {
            diagonal -= 1;
            script.removed[value(diagonal)] = true;
        }
    }
    Some(script)
}

/// Whether the best way to a diagonal is an insertion, from the diagonal after it, rather than a deletion.
fn comes_from_above(furthest: &[usize], diagonal: usize, centre: usize, round: usize) -> bool {
    round == 0
        || diagonal == centre - round
        || diagonal != centre + round && furthest[diagonal - 1] < furthest[diagonal + 1]
}

/// For inputs too different for the exact search.
fn bounded(old: &[u32], new: &[u32], distinct: usize) -> Script {
    let tokens = |numbers: &[u32]| numbers.iter().map(|number| Token(*number)).collect::<Vec<_>>();
    let mut diff = Diff::default();
    diff.compute_with(
        Algorithm::Histogram,
        &tokens(old),
        &tokens(new),
        u32::try_from(distinct).unwrap_or(u32::MAX),
    );
    let positions = |length: usize| 0..u32::try_from(length).unwrap_or(u32::MAX);
    Script {
        removed: positions(old.len()).map(|at| diff.is_removed(at)).collect(),
        added: positions(new.len()).map(|at| diff.is_added(at)).collect(),
    }
}
