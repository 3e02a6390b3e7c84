//! `engross read`

use serde_json::{Value, json};

use crate::desk::TestBench;

fn paragraph(desk: &TestBench, arguments: &[&str]) -> Value {
    let ran = desk.run(&[&["read", "nda.docx", "--json"], arguments].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json()
}

#[test]
fn one_paragraph_as_json() {
    let desk = TestBench::new();
    let before = desk.files();
    let mut reading = paragraph(&desk, &["--from", "P32", "--limit", "1"]);
    let revision = reading["revision"].take();
    assert_eq!(revision.as_str().unwrap().len(), 64);
    let only = reading["paragraphs"][0].clone();
    reading["paragraphs"] = Value::Null;
    assert_eq!(
        reading,
        json!({"file": "nda.docx", "revision": null, "view": "accepted", "paragraphs": null, "cursor": "P33", "total": 90})
    );
    let keys: Vec<&String> = only.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "address",
            "index",
            "style",
            "listLevel",
            "marker",
            "bullet",
            "table",
            "section",
            "text",
            "revisions",
            "comments",
            "paraId",
            "fingerprint"
        ]
    );
    assert_eq!(
        (&only["address"], &only["index"], &only["revisions"]),
        (&json!("P32"), &json!(32), &json!(["901", "902"]))
    );
    assert_eq!(desk.files(), before);
}

#[test]
fn cursors_lead_through_the_whole_document() {
    let desk = TestBench::new();
    let mut from = "P1".to_owned();
    let mut seen = Vec::new();
    loop {
        let reading = paragraph(&desk, &["--from", &from, "--limit", "40"]);
        seen.extend(reading["paragraphs"].as_array().unwrap().clone());
        match reading["cursor"].as_str() {
            Some(cursor) => from = cursor.to_owned(),
            None => break,
        }
    }
    assert_eq!(Value::Array(seen), paragraph(&desk, &[])["paragraphs"]);
}

#[test]
fn views_and_searches() {
    let desk = TestBench::new();
    let text = |view: &str| {
        paragraph(&desk, &["--view", view, "--from", "P32", "--limit", "1"])["paragraphs"][0]["text"].clone()
    };
    assert!(text("markup").as_str().unwrap().contains("{--ten--}{++three++}"), "{}", text("markup"));
    assert!(text("original").as_str().unwrap().contains("ten"));
    assert!(text("accepted").as_str().unwrap().contains("three"));
    let found = desk.run(&["read", "nda.docx", "--search", "IRELAND"]);
    assert!(
        found.stdout.lines().filter(|line| line.starts_with('[')).all(|line| line.contains("Ireland")),
        "{found:?}"
    );
    let none = desk.run(&["read", "nda.docx", "--search", "no such words", "--json"]);
    assert_eq!((none.code, &none.json()["paragraphs"]), (Some(0), &json!([])));
}

#[test]
fn patterns_and_room() {
    let desk = TestBench::new();
    let years = paragraph(&desk, &["--pattern", r"(one|three) \(\d\) YEARS?"]);
    let texts: Vec<&str> =
        years["paragraphs"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert!(!texts.is_empty() && texts.iter().all(|text| text.contains(") year")), "{texts:?}");
    assert_eq!(
        desk.refuses(&["read", "nda.docx", "--pattern", "(", "--json"]),
        (2, "INVALID_PATTERN".to_owned())
    );
    // A page does not make the document shorter.
    let sizes = |more: &[&str]| paragraph(&desk, more)["stories"].clone();
    assert!(!sizes(&[]).as_array().unwrap().is_empty());
    assert_eq!(sizes(&["--max-bytes", "500"]), sizes(&[]));
    // Page by page, all of it, and never more than there is room for but one paragraph.
    let (mut seen, mut from) = (Vec::new(), "P1".to_owned());
    loop {
        let page = paragraph(&desk, &["--from", &from, "--max-bytes", "1500"]);
        let paragraphs = page["paragraphs"].as_array().unwrap().clone();
        let size: usize = paragraphs.iter().map(|one| one["text"].as_str().unwrap().len()).sum();
        assert!(size <= 1_500 || paragraphs.len() == 1, "{size}");
        seen.extend(paragraphs);
        match page["cursor"].as_str() {
            Some(cursor) => from = cursor.to_owned(),
            None => break,
        }
    }
    assert_eq!(Value::Array(seen), paragraph(&desk, &[])["paragraphs"]);
}

#[test]
fn other_stories() {
    let desk = TestBench::new();
    let notes = paragraph(&desk, &["--story", "footnotes"]);
    assert!(notes["paragraphs"][0]["address"].as_str().unwrap().starts_with("footnote:"), "{notes}");
    assert_eq!(
        desk.refuses(&["read", "nda.docx", "--story", "margin", "--json"]),
        (2, "UNKNOWN_STORY".to_owned())
    );
    assert_eq!(
        desk.refuses(&["read", "nda.docx", "--from", "P999", "--json"]),
        (2, "INVALID_CURSOR".to_owned())
    );
    assert_eq!(desk.refuses(&["read", "nda.docx", "--limit", "0", "--json"]), (2, "USAGE".to_owned()));
    assert_eq!(desk.refuses(&["read", "nda.docx", "--view", "pretty", "--json"]), (2, "USAGE".to_owned()));
}

/// contracts/word.md §8 case 185: what cannot be understood is refused, and never read as "everything".
#[test]
fn case_185_no_malformed_filter_means_everything() {
    let desk = TestBench::new();
    let usage = (2, "USAGE".to_owned());
    for command in ["accept", "reject"] {
        for wrong in [["--range", "P9-P3"], ["--range", "three"], ["--kind", "everything"], ["--kin", "ins"]]
        {
            assert_eq!(
                desk.refuses(&[command, "nda.docx", wrong[0], wrong[1], "--json"]),
                usage,
                "{wrong:?}"
            );
        }
        assert_eq!(desk.refuses(&[command, "nda.docx", "--id", "9999", "--json"]).0, 2);
    }
    for wrong in [["--limit", "many"], ["--view", "all"], ["--serch", "x"]] {
        assert_eq!(desk.refuses(&["read", "nda.docx", wrong[0], wrong[1], "--json"]), usage, "{wrong:?}");
    }
    for operation in [
        json!({"op": "accept", "rnage": "P1"}),
        json!({"op": "accept", "range": "P9-P3"}),
        json!({"op": "reject", "kind": "everything"}),
        json!({"op": "modify_text", "originalText": "a", "replacementText": "b", "occurence": 2}),
        json!({"op": "modify_text", "originalText": "a", "replacementText": "b", "occurrence": 0}),
    ] {
        desk.put("ops.json", json!([operation]).to_string().as_bytes());
        let refused = desk.refuses(&["apply", "nda.docx", "ops.json", "--json"]);
        assert_eq!(refused, (2, "INVALID_OPERATION".to_owned()), "{operation}");
    }
}

#[test]
fn for_people_the_notation_with_comments_below() {
    let ran = TestBench::new().run(&["read", "nda.docx"]);
    assert!(ran.stdout.starts_with("Stories: body ("), "{ran:?}");
    assert!(ran.stdout.contains("\n\n[P1|"), "{ran:?}");
    assert!(ran.stdout.contains("\nComments:\nc:0 Dana Whitfield, "), "{ran:?}");
    assert_eq!(ran.stderr, "");
}
