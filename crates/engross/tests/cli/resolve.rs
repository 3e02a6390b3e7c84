//! `engross accept` and `engross reject`

use serde_json::{Value, json};

use crate::desk::{DATE, Desk, example_argument, settled};

/// The example with five tracked edits as `nda.redline.docx`.
fn redlined() -> Desk {
    let desk = Desk::new();
    let ops = example_argument("operations/nda.json");
    assert_eq!(desk.run(&["apply", "nda.docx", &ops, "--date", DATE]).code, Some(0));
    desk
}

fn texts(desk: &Desk, file: &str) -> Vec<Value> {
    let reading = desk.run(&["read", file, "--json"]).json();
    reading["paragraphs"].as_array().unwrap().iter().map(|paragraph| paragraph["text"].clone()).collect()
}

#[test]
fn the_counterpartys_change_in_the_example() {
    for (command, output, deleted, inserted) in
        [("accept", "nda.accepted.docx", "", "three"), ("reject", "nda.rejected.docx", "ten", "")]
    {
        let desk = Desk::new();
        let before = desk.files();
        let ran = desk.run(&[command, "nda.docx", "--json"]);
        let change = |index: usize, before: &str, after: &str| {
            json!({
                "index": index, "op": command, "status": "applied", "address": "P32", "revisionIds": "some",
                "commentIds": [], "before": before, "after": after
            })
        };
        assert_eq!(
            settled(ran.json(), &desk),
            json!({
                "input": "nda.docx",
                "output": output,
                "sha256": "of the output",
                "summary": {"applied": 2, "noChange": 0, "refused": 0, "failed": 0},
                "operations": [change(0, "ten", deleted), change(1, "three", inserted)],
                "proof": {"reject": "not_applicable", "accept": "not_applicable"},
                "warnings": []
            })
        );
        assert_eq!(desk.run(&["revisions", output, "--json"]).json(), json!({"revisions": []}));
        assert_eq!(desk.files()["nda.docx"], before["nda.docx"]);
    }
}

#[test]
fn rejecting_a_redline_gives_back_the_text_and_accepting_the_edited_one() {
    let desk = redlined();
    for command in ["accept", "reject"] {
        assert_eq!(desk.run(&[command, "nda.redline.docx"]).code, Some(0));
        desk.run(&[command, "nda.docx"]);
    }
    assert_eq!(texts(&desk, "nda.redline.rejected.docx"), texts(&desk, "nda.rejected.docx"));
    let accepted = texts(&desk, "nda.redline.accepted.docx");
    assert_eq!(accepted.len(), texts(&desk, "nda.accepted.docx").len(), "one deleted, one inserted");
    assert!(accepted.iter().any(|text| text.as_str().unwrap().contains("five (5) years")));
}

#[test]
fn nothing_to_resolve_gives_the_identical_file() {
    let desk = Desk::new();
    desk.run(&["accept", "nda.docx", "-o", "clean.docx"]);
    let ran = desk.run(&["reject", "clean.docx"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(desk.bytes("clean.rejected.docx"), desk.bytes("clean.docx"));
}
