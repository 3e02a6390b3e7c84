//! `engross revisions`, `engross comments`, `engross check`

use serde_json::{Value, json};

use crate::desk::TestBench;

#[test]
fn revisions() {
    let desk = TestBench::new();
    let change = |id: &str, kind: &str, text: &str| {
        json!({
            "id": id, "kind": kind, "author": "Counterparty Counsel", "date": "2026-02-10T09:00:00Z", "address": "P32",
            "text": text
        })
    };
    assert_eq!(
        desk.run(&["revisions", "nda.docx", "--json"]).json(),
        json!({"revisions": [change("901", "deletion", "ten"), change("902", "insertion", "three")]})
    );
    let text = desk.run(&["revisions", "nda.docx"]);
    assert_eq!(
        text.stdout,
        "P32    deletion             Counterparty Counsel, 2026-02-10T09:00:00Z  (id 901)\n       ten\n\
         P32    insertion            Counterparty Counsel, 2026-02-10T09:00:00Z  (id 902)\n       three\n\
         2 tracked changes.\n"
    );
}

#[test]
fn comments() {
    let desk = TestBench::new();
    let list = desk.run(&["comments", "nda.docx", "--json"]).json();
    assert_eq!(
        list["comments"][1],
        json!({
            "id": "1", "author": "Counterparty Counsel", "initials": list["comments"][1]["initials"],
            "date": "2026-02-10T09:05:00Z", "address": "P50", "quoted": "three (3) years",
            "text": "Our usual term is five years. Please consider.", "parent": list["comments"][1]["parent"], "resolved": false
        })
    );
    assert_eq!(list["comments"].as_array().map(Vec::len), Some(2));
    let text = desk.run(&["comments", "nda.docx"]);
    assert!(text.stdout.contains("       on “three (3) years”\n"), "{text:?}");
    assert!(text.stdout.ends_with("2 comments.\n"), "{text:?}");
}

#[test]
fn check_is_content_with_the_example_and_not_with_damage() {
    let desk = TestBench::new();
    let sound = desk.run(&["check", "nda.docx", "--json"]);
    let errors = |findings: &Value| {
        let list = findings["findings"].as_array().unwrap().clone();
        list.into_iter().filter(|finding| finding["severity"] == "error").collect::<Vec<_>>()
    };
    assert_eq!((sound.code, errors(&sound.json())), (Some(0), Vec::new()));
    let damaged = engross_testkit::docx::DocxBuilder::new()
        .body("<w:p><w:r><w:t>See </w:t><w:drawing><a:blip r:embed=\"rId99\"/></w:drawing></w:r></w:p>")
        .build();
    desk.put("damaged.docx", &damaged);
    let ran = desk.run(&["check", "damaged.docx", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let first = errors(&ran.json()).remove(0);
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["code", "severity", "address", "message"]);
    assert!(desk.run(&["check", "damaged.docx"]).stdout.contains(first["code"].as_str().unwrap()));
}
