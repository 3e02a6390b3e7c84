//! Likeness of lessons: what must and must not count as the same, and the index against a plain count.

use proptest::prelude::*;

use super::compare::{Index, SIMILAR};

fn index(texts: &[&str]) -> Index {
    let mut index = Index::default();
    for (place, text) in texts.iter().enumerate() {
        index.set(place, text);
    }
    index
}

const BOOK: &[&str] = &[
    "Stat a path before reading it",
    "Always check that the API key is set before calling the weather service",
    "Use ISO dates when filtering the calendar by day",
    "Retry the request after a rate limit error with a growing delay",
    "Never pass the --force flag when pushing to the main branch",
    "Page through the list of invoices until the cursor is empty",
];

#[test]
fn the_same_in_other_grammar_is_the_same() {
    let index = index(BOOK);
    for (text, place) in [
        ("stat the paths before reading them", 0),
        ("Check that the API keys are set before you call the weather services.", 1),
        ("When filtering the calendar by day, use ISO dates", 2),
        ("Retry requests after rate limit errors, with growing delays", 3),
        ("Page through lists of invoices until the cursor is empty!", 5),
    ] {
        let found = index.like(text, SIMILAR, 1);
        assert_eq!(
            found.first().map(|found| found.place),
            Some(place),
            "{text}: {:?}",
            index.like(text, 0.1, 1)
        );
    }
}

#[test]
fn another_matter_in_like_words_is_another() {
    let index = index(BOOK);
    for text in [
        "Stat a path before deleting it",
        "Check that the API key is set before calling the billing service",
        "Use ISO dates when exporting the contacts by name",
        "Page through the list of customers until the total is reached",
    ] {
        assert_eq!(index.like(text, SIMILAR, 3), [], "{text}");
    }
}

#[test]
fn words_that_say_nothing_are_found_wherever_they_stand() {
    let said = super::words::topic("a about after zebra you your and us using world");
    assert_eq!(said.into_iter().collect::<Vec<_>>(), ["about", "world", "zebra"]);
}

#[test]
fn what_is_taken_out_is_not_found() {
    let mut index = index(BOOK);
    index.set(0, "");
    assert_eq!(index.like(BOOK[0], 0.5, 3), []);
    index.set(2, BOOK[0]);
    assert_eq!(index.like(BOOK[0], 0.99, 3)[0].place, 2);
}

proptest! {
    #[test]
    fn no_like_lesson_is_overlooked(texts in prop::collection::vec("[a-f]{1}( [a-f]{1}){0,5}", 1..20), least in 0.1f64..1.0) {
        // One letter is a word that no ending is taken from; "a" says nothing.
        let texts: Vec<String> = texts.iter().map(|text| text.replace(' ', "x q").replace('a', "z")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let index = index(&texts);
        for (place, text) in texts.iter().enumerate() {
            let all = index.like(text, 0.0, 1000);
            let expected: Vec<usize> = all.iter().filter(|found| found.similarity >= least).map(|found| found.place).collect();
            let found: Vec<usize> = index.like(text, least, 1000).iter().map(|found| found.place).collect();
            prop_assert_eq!(&found, &expected);
            prop_assert!(found.contains(&place), "a lesson is like itself");
        }
    }
}
