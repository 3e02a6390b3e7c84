use engross_docx::read::ReadOptions;
use engross_docx::{Limits, WordDocument};

use super::read_document;

fn nda() -> WordDocument {
    WordDocument::open(include_bytes!("../../../../examples/nda.docx").to_vec(), &Limits::default()).unwrap()
}

#[test]
fn it_finds_text_and_says_when_there_is_none() {
    let search = |words: &str| {
        let options = ReadOptions { search: Some(words.to_owned()), ..ReadOptions::default() };
        read_document(&nda(), &options, 4000)
    };
    let found = search("ireland");
    assert!(!found.is_error && found.content.contains("Ireland"), "{found:?}");
    assert_eq!(search("no such words").content, "No paragraph fits.");
}

#[test]
fn a_wrong_cursor_is_an_error_for_the_model() {
    let options = ReadOptions { from: Some("P9999".to_owned()), ..ReadOptions::default() };
    let result = read_document(&nda(), &options, 4000);
    assert!(result.is_error && result.content.contains("INVALID_CURSOR"), "{result:?}");
}
