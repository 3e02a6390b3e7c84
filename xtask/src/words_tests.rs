//! The rules of the glossary hold in all code and prose.

use crate::words::breaches;

#[test]
fn replaced_words_and_bare_participles_are_gone() {
    let breaches: Vec<String> =
        breaches().unwrap().into_iter().map(|breach| format!("{}: {}", breach.place, breach.what)).collect();
    assert!(breaches.is_empty(), "{} breaches:\n{}", breaches.len(), breaches.join("\n"));
}
