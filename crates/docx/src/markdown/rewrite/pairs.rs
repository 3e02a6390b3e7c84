//! Which blocks of a body are which of a text that was written anew: those that say the same, and between them the most similar.

use std::collections::BTreeSet;

use super::keys::{KeyNumbers, key, objects_of, text_of};
use super::old_body::OldBlock;
use super::texts::CountedNumbers;
use crate::text::pairing::{Pair, WordBag, equal_pairs, gaps, similar_pairs};
use crate::text::{Block, StyledText};

/// Blocks that have fewer of their words in common are not the same block.
const LEAST_SIMILAR: f32 = 0.4;

/// How similar blocks are that hold the same object.
const SAME_OBJECT: f32 = 0.9;

/// Which blocks are the same one: those that say the same, and between them the most similar.
pub(super) fn pairs(old: &[OldBlock], new: &[Block<StyledText>]) -> Vec<Pair> {
    let old_keys: Vec<String> = old.iter().map(|old| key(&old.block, &old.source.number)).collect();
    let counted = CountedNumbers::of(old.iter().map(|old| old.source.number.as_str()));
    let new_keys: Vec<String> = new
        .iter()
        .map(|block| key(block, text_of(block).map_or("", |text| counted.before(&text.text))))
        .collect();
    let mut numbers = KeyNumbers::default();
    let old_numbers: Vec<u64> = old_keys.iter().map(|key| numbers.of(key)).collect();
    let new_numbers: Vec<u64> = new_keys.iter().map(|key| numbers.of(key)).collect();
    let equal = equal_pairs(&old_numbers, &new_numbers);
    let bags = |keys: &[String]| -> Vec<WordBag> {
        keys.iter().map(|key| WordBag::of(key.split_whitespace().map(word_number).collect())).collect()
    };
    let (old_bags, new_bags) = (bags(&old_keys), bags(&new_keys));
    let old_objects: Vec<BTreeSet<String>> = old.iter().map(|old| objects_of(&old.block)).collect();
    let new_objects: Vec<BTreeSet<String>> = new.iter().map(objects_of).collect();
    let mut pairs = Vec::new();
    for (gone, come) in gaps(&equal, (old.len(), new.len())) {
        let similar = similar_pairs((gone.len(), come.len()), LEAST_SIMILAR, |from, to| {
            let (from, to) = (gone.start + from, come.start + to);
            let kinds = old.get(from).zip(new.get(to));
            let fits = kinds.is_some_and(|(old, new)| is_like(&old.block, new));
            let bags = old_bags.get(from).zip(new_bags.get(to));
            let similarity = bags.filter(|_| fits).map_or(0.0, |(old, new)| old.similarity(new));
            // What holds the same object is the same block, whatever it says besides.
            let objects = old_objects.get(from).zip(new_objects.get(to));
            let shares = objects.is_some_and(|(old, new)| !old.is_disjoint(new));
            if fits && shares { similarity.max(SAME_OBJECT) } else { similarity }
        });
        pairs.extend(similar.into_iter().map(|(old, new)| (gone.start + old, come.start + new)));
        pairs.push((gone.end, come.end));
    }
    // The last gap ends behind both.
    pairs.pop();
    pairs
}

fn word_number(word: &str) -> u64 {
    // FNV-1a: the same on every machine.
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Whether one block can become the other in its place.
fn is_like(old: &Block<StyledText>, new: &Block<StyledText>) -> bool {
    let has_text = |block: &Block<StyledText>| text_of(block).is_some();
    has_text(old) && has_text(new) || std::mem::discriminant(&old.kind) == std::mem::discriminant(&new.kind)
}
