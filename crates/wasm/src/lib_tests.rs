//! What JavaScript gets is what the engine gives, and every failure is JSON with a code.

use engross_docx::WordDocument;
use serde_json::Value;

use super::*;

const SIGNATURE: &str = r#"{"author": "Ada", "date": "2026-01-31T09:30:00Z"}"#;

fn file() -> WordFile {
    WordFile::from_markdown("# Terms\n\nThe fee is due within thirty days.").unwrap()
}

#[test]
fn a_document_is_edited_and_saved_as_the_engine_does() {
    let mut edited = file();
    let batch = r#"[{"op": "modify_text", "originalText": "thirty", "replacementText": "sixty"}]"#;
    let results: Value = serde_json::from_str(&edited.apply(batch, SIGNATURE).unwrap()).unwrap();
    assert_eq!(results[0]["status"], "applied");
    let source = file().save(false).unwrap();
    let mut document = WordDocument::open(source, &Limits::default()).unwrap();
    let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    let operations = parse_batch(&serde_json::from_str(batch).unwrap()).unwrap();
    document.apply(&operations, &options).unwrap();
    assert_eq!(edited.save(false).unwrap(), document.save(Tracking::Tracked).unwrap().bytes);

    let revisions: Value = serde_json::from_str(&edited.revisions().unwrap()).unwrap();
    assert_eq!(revisions.as_array().unwrap().len(), 2);
    assert!(edited.html(r#"{"view": "markup"}"#).unwrap().contains("<ins"));
    edited.resolve("accept", "{}").unwrap();
    let reading: Value = serde_json::from_str(&edited.read("").unwrap()).unwrap();
    assert_eq!(reading["paragraphs"][1]["text"], "The fee is due within sixty days.");
    let flat = edited.save_flat(false).unwrap();
    assert_eq!(
        WordFile::open(flat).unwrap().to_markdown("accepted").unwrap(),
        edited.to_markdown("").unwrap()
    );
}

#[test]
fn what_goes_wrong_has_a_code() {
    let code = |failure: Result<String, String>| {
        let failure: Value = serde_json::from_str(&failure.unwrap_err()).unwrap();
        failure["code"].as_str().unwrap().to_owned()
    };
    let mut open = file();
    assert_eq!(code(WordFile::open(b"%PDF-1.7".to_vec()).map(|_| String::new())), "NOT_A_ZIP");
    assert_eq!(code(open.read(r#"{"view": "all"}"#)), "INVALID_REQUEST");
    assert_eq!(code(open.read(r#"{"story": "footnote:9"}"#)), "UNKNOWN_STORY");
    assert_eq!(code(open.apply(r#"[{"op": "dance"}]"#, SIGNATURE)), "INVALID_OPERATION");
    assert_eq!(code(open.apply("[]", "{}")), "INVALID_REQUEST");
    assert_eq!(code(open.resolve("accept", r#"{"ids": ["9"]}"#)), "UNKNOWN_REVISION");
    assert_eq!(code(open.resolve("accept", r#"{"kinds": ["colour"]}"#)), "INVALID_REQUEST");
}
