use engross_docx::read::ReadOptions;
use engross_docx::{Limits, WordDocument};

use crate::reading::{around, text};

fn nda() -> WordDocument {
    WordDocument::open(include_bytes!("../../../examples/nda.docx").to_vec(), &Limits::default()).unwrap()
}

#[test]
fn a_reading_that_fits_is_whole() {
    let document = nda();
    let whole = text(&document, &ReadOptions::default(), 1 << 20).unwrap();
    assert_eq!(whole.paragraphs, document.paragraph_count());
    assert!(whole.text.contains("\nComments:\n"), "{}", whole.text);
    assert!(!whole.text.contains("read on from"));
}

#[test]
fn a_reading_never_passes_its_bound_and_says_what_is_missing() {
    let document = nda();
    for bytes in [0, 1, 40, 100, 333, 1000, 4000, 9999] {
        let part = text(&document, &ReadOptions::default(), bytes).unwrap();
        assert!(part.text.len() <= bytes.max(" ⟦cut⟧".len()), "{bytes}: {}", part.text.len());
        if bytes >= 333 {
            assert!(part.text.contains("read on from P"), "{bytes}: {}", part.text);
        }
    }
}

#[test]
fn reading_on_from_cursor_to_cursor_shows_every_paragraph_once() {
    let document = nda();
    let mut from = None;
    let mut seen = 0;
    loop {
        let options = ReadOptions { from: from.clone(), ..ReadOptions::default() };
        let part = text(&document, &options, 3000).unwrap();
        assert!(part.paragraphs > 0);
        let stories = part.text.split_once("\n\n").filter(|(line, _)| line.starts_with("Stories: "));
        let shown = stories.map_or(part.text.as_str(), |(_, shown)| shown);
        assert!(
            shown.starts_with(&format!("[P{}|", seen + 1)) || shown.starts_with(&format!("[P{}]", seen + 1))
        );
        seen += part.paragraphs;
        match part.text.split_once("read on from ") {
            Some((_, cursor)) => from = Some(cursor.trim().to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, document.paragraph_count());
}

#[test]
fn a_single_long_paragraph_is_cut_visibly() {
    let document = nda();
    let options = ReadOptions { from: Some("P21".to_owned()), limit: Some(1), ..ReadOptions::default() };
    let part = text(&document, &options, 140).unwrap();
    assert_eq!(part.paragraphs, 1);
    assert!(part.text.contains("⟦cut⟧"), "{}", part.text);
}

#[test]
fn nothing_changed_shows_nothing() {
    assert_eq!(around(&nda(), &[], 1000).unwrap().paragraphs, 0);
}
