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
    /// How many lessons the commonest word stands in, or stood in once.
    most: usize,
}

/// What sums of weights may differ by, which are rounded.
const SLACK: f64 = 1e-3;

/// Into so many heaps lessons are sorted by how alike they can be at most.
const HEAPS: usize = 64;

/// The lessons most alike so far.
struct BestSkills {
    least: f64,
    limit: usize,
    /// Once there are too many, the best in front, sorted.
    found: Vec<SimilarSkill>,
    /// What the last of the best has, once there are `limit`.
    last: Option<f64>,
}

impl BestSkills {
    fn new(least: f64, limit: usize) -> Self {
        Self { least, limit, found: Vec::new(), last: None }
    }

    /// How alike a lesson must be to be among the best.
    fn least(&self) -> f64 {
        self.last.unwrap_or(self.least)
    }

    fn add(&mut self, skill: SimilarSkill) {
        if skill.similarity < self.least() {
            return;
        }
        self.found.push(skill);
        if self.found.len() >= self.limit.saturating_mul(2).max(16) {
            self.sort();
        } else if self.last.is_none() && self.found.len() == self.limit {
            self.last = self.found.iter().map(|found| found.similarity).min_by(f64::total_cmp);
        }
    }

    fn sort(&mut self) {
        self.found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.place.cmp(&b.place)));
        self.found.truncate(self.limit);
        if self.found.len() == self.limit {
            self.last = self.found.last().map(|found| found.similarity);
        }
    }

    fn finish(mut self) -> Vec<SimilarSkill> {
        self.sort();
        self.found
    }
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
                let count = places.len();
                self.most = self.most.max(count);
            }
        }
    }

    /// The lessons most like `text`, best first, at most `limit` of at least this similarity.
    ///
    /// In a large book a common word stands in thousands of lessons: their shared weight is summed up word by word, which bounds how
    /// alike a lesson can be, and only those that may be among the best are compared in full.
    pub(crate) fn like(&self, text: &str, least: f64, limit: usize) -> Vec<SimilarSkill> {
        let words = topic(text);
        let known: Vec<Option<u32>> = words.iter().map(|word| self.numbers.get(word).copied()).collect();
        let own: f64 =
            known.iter().map(|word| word.map_or(self.weight_of(0), |word| self.weight(word))).sum();
        let mut rare: Vec<u32> = known.into_iter().flatten().collect();
        rare.sort_unstable_by_key(|word| self.count(*word));
        let bounds = self.bounds(&rare, own, least);
        rare.sort_unstable();
        let mut best = BestSkills::new(least, limit);
        let mut counts = [0usize; HEAPS];
        for bound in bounds.iter().filter(|bound| **bound > 0.0) {
            if let Some(count) = counts.get_mut(heap_of(*bound)) {
                *count += 1;
            }
        }
        // The highest heaps first, as many at once as hold about as many lessons as are wanted.
        let mut above = HEAPS;
        while above > 0 && heap_end(above) + SLACK >= best.least() {
            let mut heap = above - 1;
            let mut held = counts.get(heap).copied().unwrap_or_default();
            while heap > 0 && held < limit {
                heap -= 1;
                held += counts.get(heap).copied().unwrap_or_default();
            }
            let heaps = heap..above;
            for (place, bound) in bounds.iter().enumerate() {
                if *bound > 0.0
                    && heaps.contains(&heap_of(*bound))
                    && f64::from(*bound) + SLACK >= best.least()
                {
                    best.add(SimilarSkill { place, similarity: self.similarity(&rare, own, place) });
                }
            }
            above = heap;
        }
        best.finish()
    }

    /// For each place how alike its lesson is at most; 0 where it is not like enough. `rare` begins with the rarest word.
    fn bounds(&self, rare: &[u32], own: f64, least: f64) -> Vec<f32> {
        // Beginning with rare words, no lesson can still be like enough once too much weight has gone by unseen.
        let mut left: f64 = rare.iter().map(|word| self.weight(*word)).sum();
        let mut shared = vec![0f32; self.words.len()];
        let mut counts = vec![0u16; self.words.len()];
        let mut unseen = rare.len();
        for word in rare {
            if own > 0.0 && left / own < least {
                break;
            }
            let weight = self.weight(*word);
            for place in self.places.get(*word as usize).map(Vec::as_slice).unwrap_or_default() {
                let place = *place as usize;
                if let (Some(shared), Some(count)) = (shared.get_mut(place), counts.get_mut(place)) {
                    *shared += rounded(weight);
                    *count = count.saturating_add(1);
                }
            }
            left -= weight;
            unseen -= 1;
        }
        let (left, own) = (rounded(left.max(0.0)), rounded(own));
        let (lightest, least) = (rounded(self.weight_of(self.most)), rounded(least - SLACK));
        for ((shared, count), words) in shared.iter_mut().zip(&counts).zip(&self.words) {
            if *count == 0 {
                continue;
            }
            let foreign = words.len().saturating_sub(usize::from(*count) + unseen);
            let bound = (*shared + left) / (own + u16::try_from(foreign).map_or(0.0, f32::from) * lightest);
            *shared = if bound >= least { bound.max(f32::MIN_POSITIVE) } else { 0.0 };
        }
        shared
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

/// The heap of lessons that are alike by so much at most.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a number from 0 to 63"
)]
fn heap_of(bound: f32) -> usize {
    ((bound * HEAPS as f32) as usize).min(HEAPS - 1)
}

/// How alike the lessons of the heaps below `above` are at most; what rounding makes more than 1 stands in the last one.
#[expect(clippy::cast_precision_loss, reason = "a number from 0 to 64")]
fn heap_end(above: usize) -> f64 {
    if above == HEAPS { f64::INFINITY } else { above as f64 / HEAPS as f64 }
}

#[expect(clippy::cast_possible_truncation, reason = "what is lost stays below the slack")]
fn rounded(weight: f64) -> f32 {
    weight as f32
}
