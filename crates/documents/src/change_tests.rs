use engross_docx::ops::{OperationResult, Status};

use crate::change::{Palette, describe, excerpts, places, printable, words};

fn plain(before: &str, after: &str) -> String {
    words(before, after, Palette::new(false))
}

#[test]
fn changed_words_are_marked() {
    assert_eq!(plain("the fee is due", "the price is due"), "the [-fee-]{+price+} is due");
    assert_eq!(plain("", "New."), "{+New.+}");
    assert_eq!(plain("Old.", ""), "[-Old.-]");
    assert_eq!(plain("same", "same"), "same");
    assert_eq!(words("a", "b", Palette::new(true)), "\u{1b}[31;9ma\u{1b}[0m\u{1b}[32;4mb\u{1b}[0m");
}

#[test]
fn only_the_text_near_a_change_is_shown() {
    let far = "x".repeat(100);
    assert_eq!(
        plain(&format!("{far} fee {far}"), &format!("{far} price {far}")),
        format!("…{} [-fee-]{{+price+}} {}…", "x".repeat(39), "x".repeat(39))
    );
    let long = "word ".repeat(200);
    assert!(plain("", &long).ends_with("… (1000 characters)+}"));
}

#[test]
fn text_of_a_document_cannot_steer_the_terminal() {
    assert_eq!(printable("a\u{1b}[2Jb\u{7}\u{202e}c\nd\te"), "a\u{fffd}[2Jb\u{fffd}\u{fffd}c⏎d e");
}

#[test]
fn a_refusal_names_its_code_and_what_to_do() {
    let result = OperationResult {
        index: 0,
        op: "modify_text".to_owned(),
        status: Status::Refused,
        code: Some("TEXT_NOT_FOUND".to_owned()),
        message: Some("the text is not there".to_owned()),
        address: None,
        revision_ids: vec![],
        gone_revision_ids: Vec::new(),
        more_revisions: 0,
        comment_ids: vec![],
        untracked: Vec::new(),
        before: None,
        after: None,
    };
    assert_eq!(
        describe(&result, Palette::new(false)),
        "–      modify_text       refused TEXT_NOT_FOUND\n       the text is not there\n"
    );
}

/// A text of so many paragraphs, each with a number and a name.
fn paragraphs(count: usize, name: &str) -> String {
    let lines: Vec<String> = (1..=count).map(|number| format!("Clause {number} binds the {name}.")).collect();
    lines.join("\n")
}

#[test]
fn of_a_change_of_many_paragraphs_the_first_are_shown() {
    let (before, after) = (paragraphs(2_000, "Supplier"), paragraphs(2_000, "Vendor"));
    let shown = plain(&before, &after);
    assert!(shown.starts_with("Clause 1 binds the [-Supplier-]{+Vendor+}. ⏎ Clause 2"), "{shown}");
    assert!(shown.ends_with(" … and 1997 more paragraphs"), "{shown}");
    // One that is gone, and the others are as they were.
    let without = before.replacen("Clause 500 binds the Supplier.\n", "", 1);
    assert_eq!(plain(&before, &without), "[-Clause 500 binds the Supplier.-]");
    let (was, is) = excerpts(&before, &after);
    assert_eq!(was.lines().count(), 4);
    assert!(is.ends_with("… (1997 more paragraphs)"), "{is}");
}

#[test]
fn an_excerpt_is_the_change_with_a_little_around_it() {
    assert_eq!(
        excerpts("the fee is due", "the price is due"),
        ("the fee is due".to_owned(), "the price is due".to_owned())
    );
    let far = "x".repeat(100);
    let (was, is) = excerpts(&format!("{far} fee {far}"), &format!("{far} price {far}"));
    assert_eq!(was, format!("…{} fee {}…", "x".repeat(39), "x".repeat(39)));
    assert_eq!(is, format!("…{} price {}…", "x".repeat(39), "x".repeat(39)));
    let (was, is) = excerpts("", &"word ".repeat(400));
    assert!(was.is_empty() && is.ends_with('…') && is.chars().count() < 620, "{is}");
    // What is left out is always told, were it one character.
    let (_, is) = excerpts("", &"é".repeat(601));
    assert_eq!(is, format!("{}…", "é".repeat(600)));
    let (was, is) = excerpts(&"é".repeat(500), "");
    assert!(was.ends_with('é') && is.is_empty(), "{was}");
}

#[test]
fn the_first_of_many_places_are_named() {
    assert_eq!(places("P1, P2"), "P1, P2");
    let many: Vec<String> = (1..=20).map(|number| format!("P{number}")).collect();
    assert_eq!(places(&many.join(", ")), "P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12 … and 8 more");
}
