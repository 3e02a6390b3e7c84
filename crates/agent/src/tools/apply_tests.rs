use engross_docx::ops::Status;
use engross_docx::read::ReadOptions;
use engross_docx::{EditOptions, Limits, WordDocument};
use serde_json::{Value, json};

use crate::writing::Texts;

use super::{Proposal, apply_together, proposals};

fn nda() -> WordDocument {
    WordDocument::open(include_bytes!("../../../../examples/nda.docx").to_vec(), &Limits::default()).unwrap()
}

fn options() -> EditOptions {
    EditOptions { author: "A".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() }
}

fn call(operations: &Value) -> Vec<Proposal> {
    proposals(operations, &Texts::default()).unwrap()
}

fn text_of(document: &WordDocument, address: &str) -> String {
    let options = ReadOptions { from: Some(address.to_owned()), limit: Some(1), ..ReadOptions::default() };
    document.read(&options).unwrap().paragraphs.remove(0).text
}

#[test]
fn an_insertion_in_one_call_does_not_shift_the_numbers_of_the_next() {
    let mut document = nda();
    let before = text_of(&document, "P50");
    let first = call(&json!([{"op": "insert_paragraph", "after": "P34", "content": "New."}]));
    let second = call(
        &json!([{"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3)", "replacementText": "five (5)"}]),
    );
    let applied = apply_together(&mut document, &[&first, &second], &options(), 8000).unwrap();
    let statuses: Vec<Status> = applied.iter().map(|call| call.results[0].status).collect();
    assert_eq!(statuses, [Status::Applied, Status::Applied]);
    assert_eq!(text_of(&document, "P51"), before.replace("three (3)", "five (5)"));
    let answer: Value = serde_json::from_str(&applied[1].answer.content).unwrap();
    assert_eq!(answer["summary"], json!({"applied": 1, "noChange": 0, "refused": 0, "failed": 0}));
    let now = answer["now"].as_str().unwrap();
    assert!(now.contains("[P51|") && now.contains("five (5) years") && !now.contains("New."), "{now}");
}

#[test]
fn a_refusal_tells_its_code_and_leaves_the_rest() {
    let mut document = nda();
    let one = call(&json!([
        {"op": "modify_text", "originalText": "no such words", "replacementText": "x"},
        {"op": "explode"},
        {"op": "modify_text", "paragraphIndex": 69, "originalText": "Ireland", "replacementText": "Scotland", "occurrence": "first"}
    ]));
    let applied = apply_together(&mut document, &[&one], &options(), 8000).unwrap().remove(0);
    let answer: Value = serde_json::from_str(&applied.answer.content).unwrap();
    let codes: Vec<&Value> =
        answer["operations"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, [&json!("TEXT_NOT_FOUND"), &json!("INVALID_OPERATION"), &Value::Null]);
    assert_eq!(answer["operations"][2]["index"], 2);
    assert!(!applied.answer.is_error);

    let nothing = call(&json!([{"op": "explode"}]));
    let applied = apply_together(&mut document, &[&nothing], &options(), 8000).unwrap().remove(0);
    assert!(applied.answer.is_error);
}

#[test]
fn answers_stay_within_their_bound_whatever_is_asked() {
    let long = "x".repeat(5000);
    let many: Vec<Value> = (1..=100)
        .map(|n| json!({"op": "modify_text", "paragraphIndex": n, "originalText": long, "replacementText": "y"}))
        .chain((20..60).map(|n| json!({"op": "edit_paragraph", "paragraphIndex": n, "append": " \"quoted\"\n\n\"new\""})))
        .collect();
    for bytes in [2048, 8000, 24 << 10] {
        let call = call(&Value::Array(many.clone()));
        let applied = apply_together(&mut nda(), &[&call], &options(), bytes).unwrap().remove(0);
        let content = &applied.answer.content;
        assert!(content.len() <= bytes, "{bytes}: {}", content.len());
        let answer: Value = serde_json::from_str(content).unwrap();
        let listed = answer["operations"].as_array().unwrap().len();
        assert_eq!(listed + answer["operationsNotListed"].as_u64().map_or(0, |n| n as usize), 140);
        assert!(answer["operations"][0]["code"].is_string(), "what needs repair comes first");
    }
}
