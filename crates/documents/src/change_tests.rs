use engross_docx::ops::{OperationResult, Status};

use crate::change::{Palette, describe, printable, words};

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
