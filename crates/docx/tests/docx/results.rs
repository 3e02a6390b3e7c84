//! What operations report, pinned word for word: the JSON of results is read by clients and kept in logs.
#![expect(clippy::disallowed_methods, reason = "reads and writes the pinned results")]

use std::path::Path;

use engross_docx::ops::parse_batch;
use engross_docx::{EditOptions, Limits, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

/// Two sections that share a header, a comment of Ann's, and changes of Ann's and Bob's.
fn sample() -> Vec<u8> {
    let ann = "w:author=\"Ann\" w:date=\"2025-01-01T00:00:00Z\"";
    let bob = "w:author=\"Bob\" w:date=\"2025-01-01T00:00:00Z\"";
    let section = "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>".to_owned();
    let body = format!(
        "<w:p><w:r><w:t>The fee is due on Monday.</w:t></w:r></w:p>\
         <w:p><w:commentRangeStart w:id=\"4\"/><w:r><w:t>The price.</w:t></w:r><w:commentRangeEnd w:id=\"4\"/>\
         <w:r><w:commentReference w:id=\"4\"/></w:r></w:p>\
         <w:p><w:ins w:id=\"1\" {ann}><w:r><w:t>in</w:t></w:r></w:ins>\
         <w:del w:id=\"2\" {bob}><w:r><w:delText>out</w:delText></w:r></w:del></w:p>\
         <w:p><w:pPr>{section}</w:pPr><w:r><w:t>last of one</w:t></w:r></w:p>{section}"
    );
    DocxBuilder::new()
        .body(&body)
        .header("h", "<w:p><w:r><w:t>head</w:t></w:r></w:p>")
        .comments("<w:comment w:id=\"4\" w:author=\"Ann\"><w:p><w:r><w:t>Why?</w:t></w:r></w:p></w:comment>")
        .build()
}

fn batches() -> Vec<(&'static str, Value)> {
    let fee =
        json!({"op": "modify_text", "paragraphIndex": 1, "originalText": "fee", "replacementText": "sum"});
    let edits = json!([
        fee,
        fee,
        {"op": "edit_paragraph", "paragraphIndex": 2, "newContent": "The price."},
        {"op": "delete_paragraph", "paragraphIndex": 2},
        {"op": "delete_paragraph", "paragraphIndex": 77},
        {"op": "edit_paragraph", "target": "header:default/P1", "append": "er"},
        {"op": "edit_paragraph", "target": "header:default/P7", "append": "er"},
        {"op": "edit_paragraph", "target": "footnote:7/P1", "append": "er"},
        {"op": "insert_comment", "paragraphIndex": 1, "textToFind": "Monday", "commentContent": "Which?"},
        {"op": "comment_reply", "commentId": 4, "content": "Because."},
        {"op": "comment_reply", "commentId": 44, "content": "Because."},
        {"op": "comment_reply", "commentId": 4, "content": " "},
        {"op": "comment_resolve", "commentId": 4},
        {"op": "comment_resolve", "commentId": 4},
        {"op": "navigate_to_section", "instruction": "last of one"},
        {"op": "perform_research", "instruction": "x"},
        {"op": "accept", "by": "Ann"},
        {"op": "format_text", "paragraphIndex": 1, "textToFormat": "due", "bold": true},
    ]);
    let resolutions = json!([
        {"op": "accept", "by": "Ann"},
        {"op": "accept", "by": "Ann"},
        {"op": "reject", "id": "77"},
        {"op": "reject"},
    ]);
    let absent = json!({"op": "delete_paragraph", "paragraphIndex": 77});
    vec![
        ("edits", edits),
        ("resolutions", resolutions),
        ("atomic", json!({"atomic": true, "operations": [fee, absent]})),
        ("atomic and whole", json!({"atomic": true, "operations": [fee]})),
    ]
}

#[test]
fn results_are_pinned() {
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    let mut pinned = serde_json::Map::new();
    for (name, batch) in batches() {
        let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
        let results = document.apply(&parse_batch(&batch).unwrap(), &options).unwrap();
        pinned.insert(name.to_owned(), serde_json::to_value(results).unwrap());
    }
    let text = serde_json::to_string_pretty(&pinned).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/results.json");
    if std::env::var_os("ENGROSS_UPDATE_SCENARIOS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap());
}
