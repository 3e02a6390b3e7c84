//! Which of many texts come nearest to a phrase that is in none of them. For error messages only.
//!
//! Must never be taken for a match: it compares letter triples of the first kilobytes, so that a whole document can be looked
//! through.

use std::collections::HashMap;

use super::folding::{Folding, LetterCase, fold_letters};

/// A candidate and how near it comes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Nearest {
    /// Position among the candidates, from 0.
    pub(crate) index: usize,
    /// Above 0 and at most 1; 1 means that the texts are the same but for case and typography.
    pub(crate) similarity: f64,
}

/// Candidates by the triples of characters that they hold, so that many phrases can be compared with them.
#[derive(Debug, Clone, Default)]
pub(crate) struct NearestIndex {
    /// How many triples each candidate has.
    sizes: Vec<u32>,
    /// By triple: the candidates that hold it, in order.
    holders: HashMap<[char; 3], Vec<u32>>,
}

impl NearestIndex {
    pub(crate) fn of<'a>(candidates: impl IntoIterator<Item = &'a str>) -> Self {
        let mut index = Self::default();
        for (number, candidate) in (0_u32..).zip(candidates) {
            let triples = triples(candidate);
            index.sizes.push(u32::try_from(triples.len()).unwrap_or(u32::MAX));
            for triple in triples {
                index.holders.entry(triple).or_default().push(number);
            }
        }
        index
    }

    /// The candidates nearest to a phrase, best first, at most `limit`; equals keep their order.
    pub(crate) fn nearest(&self, needle: &str, limit: usize) -> Vec<Nearest> {
        let wanted = triples(needle);
        let mut common = vec![0_u32; self.sizes.len()];
        for number in wanted.iter().filter_map(|triple| self.holders.get(triple)).flatten() {
            if let Some(count) = usize::try_from(*number).ok().and_then(|number| common.get_mut(number)) {
                *count += 1;
            }
        }
        let mut best: Vec<Nearest> = Vec::new();
        for (index, (common, size)) in common.iter().zip(&self.sizes).enumerate() {
            let similarity = likeness(*common, wanted.len(), *size);
            let place = best.partition_point(|other| other.similarity >= similarity);
            if similarity > 0.0 && place < limit {
                best.truncate(limit - 1);
                best.insert(place, Nearest { index, similarity });
            }
        }
        best
    }
}

/// How much of a text is looked at, in characters.
const LONGEST_COMPARED: usize = 4_000;

/// The distinct triples of neighbouring characters, sorted; shorter texts are padded with spaces.
fn triples(text: &str) -> Vec<[char; 3]> {
    let start: String = text.chars().take(LONGEST_COMPARED).collect();
    let folded = fold_letters(&start, Folding::TypographyAndObjects, LetterCase::Ignored).text;
    let characters: Vec<char> = [' '].into_iter().chain(folded.trim().chars()).chain([' ']).collect();
    let mut triples: Vec<[char; 3]> =
        characters.windows(3).map(|window| [window[0], window[1], window[2]]).collect();
    triples.sort_unstable();
    triples.dedup();
    triples
}

/// Mostly how much of the wanted text is there, a little how much else there is.
fn likeness(common: u32, wanted: usize, other: u32) -> f64 {
    if wanted == 0 || other == 0 {
        return 0.0;
    }
    let wanted = wanted as f64;
    0.8 * f64::from(common) / wanted + 0.2 * f64::from(2 * common) / (wanted + f64::from(other))
}
