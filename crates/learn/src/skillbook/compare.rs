//! Measures how similar two lessons are: by shared words, rare ones counting more.
//!
//! Adding to the index costs the words of one lesson, and so does asking, give or take how common they are.

use std::collections::HashMap;

use super::words::topic;

/// From here on two lessons are taken for the same. Measured in `docs/learning-evaluation.md`.
pub const SIMILAR: f64 = 0.74;

/// A lesson like the one that was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarSkill {
    /// Its place in the book.
    pub place: usize,
    /// From 0 to 1: the weight of the words that both have, of the weight of all their words.
    pub similarity: f64,
}

/// Finds like lessons.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    numbers: HashMap<String, u32>,
    /// For each word the places whose lesson has it.
    places: Vec<Vec<u32>>,
    /// For each place its words.
    words: Vec<Vec<u32>>,
    live: usize,
}

impl Index {
    /// Sets what stands at `place`; an empty text takes it out.
    pub(crate) fn set(&mut self, place: usize, text: &str) {
        if self.words.len() <= place {
            self.words.resize_with(place + 1, Vec::new);
        }
        let mut words: Vec<u32> = topic(text).into_iter().map(|word| self.number(word)).collect();
        words.sort_unstable();
        let Some(held) = self.words.get_mut(place) else { return };
        let old = std::mem::replace(held, words.clone());
        self.live = (self.live + usize::from(!words.is_empty())).saturating_sub(usize::from(!old.is_empty()));
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        for word in &old {
            if let Some(places) = self.of_word(*word)
                && let Ok(at) = places.binary_search(&number)
            {
                places.remove(at);
            }
        }
        for word in &words {
            if let Some(places) = self.of_word(*word)
                && let Err(at) = places.binary_search(&number)
            {
                places.insert(at, number);
            }
        }
    }

    /// The lessons most like `text`, best first, at most `limit` of at least this similarity.
    pub(crate) fn like(&self, text: &str, least: f64, limit: usize) -> Vec<SimilarSkill> {
        let words = topic(text);
        let known: Vec<Option<u32>> = words.iter().map(|word| self.numbers.get(word).copied()).collect();
        let own: f64 =
            known.iter().map(|word| word.map_or(self.weight_of(0), |word| self.weight(word))).sum();
        // Beginning with rare words, no lesson can still be like enough once too much weight has gone by unseen.
        let mut rare: Vec<u32> = known.into_iter().flatten().collect();
        rare.sort_unstable_by_key(|word| self.count(*word));
        let mut gone = own - rare.iter().map(|word| self.weight(*word)).sum::<f64>();
        let mut seen: Vec<u32> = Vec::new();
        for word in &rare {
            if own > 0.0 && 1.0 - gone / own < least {
                break;
            }
            gone += self.weight(*word);
            let places = self.places.get(*word as usize).map(Vec::as_slice).unwrap_or_default();
            seen.extend(places.iter());
        }
        seen.sort_unstable();
        seen.dedup();
        rare.sort_unstable();
        let mut matches: Vec<SimilarSkill> = seen
            .into_iter()
            .map(|place| SimilarSkill {
                place: place as usize,
                similarity: self.similarity(&rare, own, place as usize),
            })
            .filter(|found| found.similarity >= least)
            .collect();
        matches.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.place.cmp(&b.place)));
        matches.truncate(limit);
        matches
    }

    /// `words` are sorted; `own` is their weight and that of words nobody else has.
    fn similarity(&self, words: &[u32], own: f64, place: usize) -> f64 {
        let other = self.words.get(place).map(Vec::as_slice).unwrap_or_default();
        let (mut shared, mut theirs) = (0.0, 0.0);
        for word in other {
            let weight = self.weight(*word);
            theirs += weight;
            if words.binary_search(word).is_ok() {
                shared += weight;
            }
        }
        let all = own + theirs - shared;
        if all > 0.0 { shared / all } else { 0.0 }
    }

    /// The weight of a word.
    pub(crate) fn rarity(&self, word: &str) -> f64 {
        self.numbers.get(word).map_or_else(|| self.weight_of(0), |word| self.weight(*word))
    }

    fn number(&mut self, word: String) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(word).or_insert(next);
        if number == next {
            self.places.push(Vec::new());
        }
        number
    }

    fn of_word(&mut self, word: u32) -> Option<&mut Vec<u32>> {
        self.places.get_mut(word as usize)
    }

    fn count(&self, word: u32) -> usize {
        self.places.get(word as usize).map_or(0, Vec::len)
    }

    fn weight(&self, word: u32) -> f64 {
        self.weight_of(self.count(word))
    }

    /// The weight of a word that so many lessons have.
    #[expect(clippy::cast_precision_loss, reason = "a book never has that many lessons")]
    fn weight_of(&self, count: usize) -> f64 {
        1.0 + ((self.live as f64 + 1.0) / (count as f64 + 1.0)).ln().max(0.0)
    }
}
