use engross_docx::ops::parse_batch;
use engross_docx::{EditOptions, Limits, Tracking, WordDocument, from_markdown};
use serde_json::json;

use crate::losses;

/// The document of `bytes` with a batch applied.
fn with(bytes: &[u8], batch: &serde_json::Value) -> Vec<u8> {
    let mut document = WordDocument::open(bytes.to_vec(), &Limits::default()).unwrap();
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    document.apply(&parse_batch(batch).unwrap(), &options).unwrap();
    document.save(Tracking::Untracked).unwrap().bytes
}

#[test]
fn a_reference_whose_target_moves_down_is_no_change_of_its_paragraph() {
    let plain = from_markdown("# Fees\n\nSee\n\n# Term\n", None, &Limits::default()).unwrap();
    let reference =
        json!([{"op": "insert_cross_reference", "paragraphIndex": 2, "to": "P3", "show": "text"}]);
    let then = with(&plain, &reference);
    let now = with(&then, &json!([{"op": "insert_paragraph", "after": 1, "content": "New."}]));
    let found = losses(&now, &then).unwrap();
    assert_eq!(found.lost, [("P2".to_owned(), "New.".to_owned())]);
    assert_eq!(found.back, []);
}
