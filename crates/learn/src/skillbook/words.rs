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

/// Stems that mean the same as another, in order.
const SYNONYMS: &[(&str, &str)] = &[
    ("addresse", "recipient"),
    ("authenticat", "auth"),
    ("backoff", "delay"),
    ("belong", "put"),
    ("build", "generat"),
    ("cap", "limit"),
    ("chunk", "batch"),
    ("client", "customer"),
    ("complet", "end"),
    ("config", "setting"),
    ("configuration", "setting"),
    ("creat", "generat"),
    ("csvs", "csv"),
    ("day", "date"),
    ("dir", "folder"),
    ("directory", "folder"),
    ("documentation", "docs"),
    ("download", "get"),
    ("drop", "delet"),
    ("e-mail", "mail"),
    ("eight", "8"),
    ("eighteen", "18"),
    ("eighty", "80"),
    ("element", "item"),
    ("eleven", "11"),
    ("email", "mail"),
    ("emit", "put"),
    ("entir", "whole"),
    ("entry", "item"),
    ("eras", "delet"),
    ("execut", "run"),
    ("failur", "error"),
    ("fetch", "get"),
    ("fifteen", "15"),
    ("fifty", "50"),
    ("finish", "end"),
    ("five", "5"),
    ("forty", "40"),
    ("four", "4"),
    ("fourteen", "14"),
    ("full", "whole"),
    ("hundred", "100"),
    ("imag", "picture"),
    ("invok", "run"),
    ("keep", "put"),
    ("launch", "run"),
    ("look", "read"),
    ("max", "limit"),
    ("maximum", "limit"),
    ("nine", "9"),
    ("nineteen", "19"),
    ("ninety", "90"),
    ("obtain", "get"),
    ("open", "read"),
    ("parallelis", "parallel"),
    ("parallelize", "parallel"),
    ("pause", "delay"),
    ("photo", "picture"),
    ("phrase", "put"),
    ("place", "put"),
    ("preferenc", "setting"),
    ("prod", "production"),
    ("produc", "generat"),
    ("record", "item"),
    ("remov", "delet"),
    ("reply", "answer"),
    ("repository", "repo"),
    ("respons", "answer"),
    ("retriev", "get"),
    ("row", "item"),
    ("save", "put"),
    ("seven", "7"),
    ("seventeen", "17"),
    ("seventy", "70"),
    ("six", "6"),
    ("sixteen", "16"),
    ("sixty", "60"),
    ("start", "run"),
    ("store", "put"),
    ("subject", "message"),
    ("summari", "summary"),
    ("summaris", "summary"),
    ("summariz", "summary"),
    ("temp", "temporary"),
    ("ten", "10"),
    ("thirteen", "13"),
    ("thirty", "30"),
    ("thousand", "1000"),
    ("three", "3"),
    ("tmp", "temporary"),
    ("twelve", "12"),
    ("twenty", "20"),
    ("two", "2"),
    ("validat", "check"),
    ("verify", "check"),
    ("wait", "delay"),
    ("word", "put"),
    ("write", "put"),
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

/// Whether the word says nothing about the matter.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
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
    said.map(|word| canonical(&word)).collect()
}

/// Whether a word may stand for others.
pub(crate) fn is_canonical(word: &str) -> bool {
    SYNONYMS.iter().any(|(_, to)| *to == word)
}

/// A word without its ending, and one word for several that mean the same where agents work.
pub(super) fn canonical(word: &str) -> String {
    let stem = stem(word);
    match SYNONYMS.binary_search_by_key(&stem.as_str(), |(from, _)| from) {
        Ok(at) => SYNONYMS.get(at).map_or(stem, |(_, to)| (*to).to_owned()),
        Err(_) => stem,
    }
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
