//! Reduces a text to the words that comparison uses: lower case, without endings and without stop words.
//!
//! No dictionary and no weights: the same on every machine, and offline.

use std::collections::BTreeSet;

/// Words that say nothing about the matter, in order.
const STOP: &[&str] = &[
    "a", "after", "all", "also", "always", "an", "and", "any", "are", "as", "at", "be", "before", "by",
    "can", "could", "do", "does", "each", "ensure", "every", "first", "for", "from", "has", "have", "i",
    "if", "in", "into", "is", "it", "its", "make", "me", "must", "my", "of", "on", "or", "our", "please",
    "should", "so", "sure", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "us", "use", "using", "was", "we", "were", "when", "which", "while", "will", "with",
    "would", "you", "your",
];

/// Words that turn a sentence round.
const NEGATIONS: &[&str] = &[
    "not", "never", "no", "don't", "dont", "avoid", "without", "stop", "cannot", "can't", "neither", "nor",
    "refrain",
];

/// Whether the word turns a sentence round.
pub(crate) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

/// Whether an odd number of words turns the text round. Only lessons that are turned alike can be the same.
pub(crate) fn is_turned(text: &str) -> bool {
    raw_words(text).filter(|word| is_negation(word)).count() % 2 == 1
}

/// The words of a text, lower case, in order. A word may hold `_`, `-`, `.`, `/` and `'` inside.
pub(crate) fn raw_words(text: &str) -> impl Iterator<Item = String> {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '-' | '.' | '/');
    text.split(move |c: char| !is_inner(c))
        .map(|word| lower(word.trim_matches(|c: char| !c.is_alphanumeric())))
        .filter(|word| !word.is_empty())
}

fn lower(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase() }
}

/// The words of a text that say what it is about, each once.
pub(crate) fn topic(text: &str) -> BTreeSet<String> {
    let said =
        raw_words(text).filter(|word| STOP.binary_search(&word.as_str()).is_err() && !is_negation(word));
    said.map(|word| stem(&word)).collect()
}

/// Whether one text has a word where the other has another one. Such lessons are two, however much else they share: *use port 80* and
/// *use port 81* differ in one word of many, and it is the one that matters.
pub(crate) fn are_exchanged(one: &str, other: &str) -> bool {
    let (one, other) = (topic(one), topic(other));
    let is_left = |word: &String, there: &BTreeSet<String>| {
        !there.contains(word) && !there.iter().any(|known| are_of_one_family(word, known))
    };
    one.iter().any(|word| is_left(word, &other)) && other.iter().any(|word| is_left(word, &one))
}

/// Whether two words differ in how they end only: *validate* and *validation*.
fn are_of_one_family(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short.len() >= 5 && long.starts_with(short) && long.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// A word without the ending that grammar gave it. Only plain words have one.
fn stem(word: &str) -> String {
    if word.len() == 4 && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        return word.strip_suffix('s').unwrap_or(word).to_owned();
    }
    if word.len() < 5 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let cut = |ending: &str, least: usize| word.strip_suffix(ending).filter(|stem| stem.len() >= least);
    let stem = cut("ies", 3).map(|stem| format!("{stem}y"));
    let stem = stem.or_else(|| ["ing", "ed", "es", "s"].iter().find_map(|e| cut(e, 4)).map(str::to_owned));
    let mut stem = stem.unwrap_or_else(|| word.to_owned());
    // "reading" and "read", "stopping" and "stop", "caching" and "cache".
    let mut end = stem.bytes().rev();
    if let (Some(last), Some(before)) = (end.next(), end.next())
        && (last == before && !matches!(last, b's' | b'l') || last == b'e')
        && stem.len() > 4
    {
        stem.pop();
    }
    stem
}
